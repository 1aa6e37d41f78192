"""Where what survives a kill is found."""

from dataclasses import dataclass
from typing import Final

ENV: Final = "test"
"""The tag on our buttons."""


@dataclass(frozen=True, slots=True)
class Place:
    """The database, and the world outside; `certificate` is a file with one.

    Nothing here is encrypted, and a client that reads all the certificates there are takes 20 ms to make.
    """

    database: str
    outside: str
    certificate: str
