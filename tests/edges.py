"""The legal moves as sql/transitions.sql lists them, read without a database, so that tests can be made from them."""

import re
from typing import Final

import sql

_LINE: Final = re.compile(r"^    \('(\w+)', +'(\w+)', +'(\w+)', +'(\w+)', +'", re.MULTILINE)

EDGES: Final[list[tuple[str, str, str, str]]] = [
    (found[1], found[2], found[3], found[4]) for found in _LINE.finditer(sql.transitions())
]
"""(entity, from status, event, to status), in the order of the file."""
