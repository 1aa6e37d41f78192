"""What tomllib does not tell of a TOML text: the lines of its tables and keys, and in words why it could not be read.

Good enough for pointing: a key in quotes or with dots, or in an inline table, is not found, and whoever asks points at its table.
"""

import re
import tomllib
from collections import Counter

Places = dict[tuple[str, int], dict[str, int]]
"""By the name of a table and how many of that name came before it: the line of each of its keys, "" for its header."""


def places(text: str) -> Places:
    """Where the tables and keys of a text are; ("", 0) is its top."""
    found: Places = {}
    seen: Counter[str] = Counter()
    table = ("", 0)
    for number, line in enumerate(text.split("\n"), 1):
        if header := re.match(r"\s*\[\[?\s*([\w.-]+)\s*\]", line):
            table = (header[1], seen[header[1]])
            seen[header[1]] += 1
            found[table] = {"": number}
        elif key := re.match(r"\s*([\w-]+)\s*=", line):
            found.setdefault(table, {}).setdefault(key[1], number)
    return found


def unread(error: ValueError | RecursionError) -> tuple[int | None, str, str]:
    """Of what tomllib raised: the line, None where it is not known, why the text cannot be read, and what to do."""
    if isinstance(error, RecursionError):
        return None, "it is nested too deep to be read.", "A few levels of brackets are enough."
    if isinstance(error, tomllib.TOMLDecodeError):
        at = re.search(r"at line (\d+)", str(error))
        return int(at[1]) if at else None, f"it is not TOML: {error}.", "Mend it from there."
    return None, "a number in it has too many digits to be read.", "Write a shorter one."
