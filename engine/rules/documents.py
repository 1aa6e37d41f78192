"""Reading the TOML documents that people write: who is who, and what needs whose yes.

The one rule: a document is taken whole or refused whole, and a refusal lists every fault at once, each with its line
where that can be found, its field, why it cannot stand and what to write instead. What the fields mean is the business
of people and policy.
"""

import difflib
import re
import tomllib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar

from engine.rules import toml_lines
from engine.rules.toml_lines import Places

T = TypeVar("T")
D = TypeVar("D")
W = TypeVar("W", bound=str)

_SECONDS = {"s": 1, "m": 60, "h": 3_600, "d": 86_400}
_LONGEST_DAYS = 366


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """One thing wrong in a document. `line` counts from 1 and is None where it is not known.

    `lint`: what is there can be read, and is unwise. It is refused when it is new; what was taken before stands.
    """

    line: int | None
    field: str
    why: str
    fix: str
    lint: bool = False

    def __str__(self) -> str:
        at = f"line {self.line}, " if self.line else ""
        return f"{at}{self.field}: {self.why} {self.fix}"


class DocumentFaults(ValueError):
    """A document that is refused; `faults` are all of them, in the order of their lines."""

    def __init__(self, faults: Iterable[Fault]) -> None:
        self.faults = tuple(sorted(faults, key=lambda fault: fault.line or 0))
        super().__init__("\n".join(str(fault) for fault in self.faults))


class Unfit(ValueError):
    """What a reader raises for a value it cannot take: why, and what to write instead."""

    def __init__(self, why: str, fix: str) -> None:
        self.why = why
        self.fix = fix


class Table:
    """One table of a document while it is read: every key asked for is checked, every fault noted, none raised.

    A reader is a function from the value to what it means, raising Unfit. `name` says in a fault which table it is; `places` are
    those of the tables in it, if it is the top of a document.
    """

    def __init__(
        self,
        values: Mapping[str, Any],
        *,
        name: str,
        lines: Mapping[str, int],
        faults: list[Fault],
        places: Places | None = None,
    ) -> None:
        self.name = name
        self.line = lines.get("")
        self._values = values
        self._lines = lines
        self._faults = faults
        self._places = places
        self._asked: set[str] = set()

    def __contains__(self, key: str) -> bool:
        return key in self._values

    def __iter__(self) -> Iterator[str]:
        """The keys of all that it holds, in the order of the document."""
        return iter(self._values)

    def peek(self, key: str) -> Any:
        """What stands under the key, unread; None if nothing does."""
        return self._values.get(key)

    def required(self, key: str, read: Callable[[Any], T]) -> T | None:
        """What the key says; None, with a fault noted, if it is missing or unfit."""
        if key not in self._values:
            self._asked.add(key)
            self.fault(key, "it is missing.", f"Add {key} = ...")
            return None
        return self.optional(key, read, None)

    def optional(self, key: str, read: Callable[[Any], T], default: D) -> T | D:
        """What the key says; the default if it is missing, or, with a fault noted, if it is unfit."""
        self._asked.add(key)
        if key not in self._values:
            return default
        try:
            return read(self._values[key])
        except Unfit as unfit:
            self.fault(key, unfit.why, unfit.fix)
            return default

    def tables(self, key: str) -> list["Table"]:
        """The tables of the array under the key; empty if it is missing or, with a fault noted, no such array.

        At the top of a document they are called by their `name` or `id`.
        """
        found = self.optional(key, _tables if self._places is None else partial(_tables_of, key), [])
        return [
            self._child(key, index, f"{key}[{index}]" if self._places is None else called(key, index, values), values)
            for index, values in enumerate(found)
        ]

    def table(self, key: str) -> "Table | None":
        """The table under the key; None if it is missing or, with a fault noted, no table."""
        found = self.optional(key, _table, None)
        return None if found is None else self._child(key, 0, key, found)

    def line_of(self, key: str) -> int | None:
        """The line of the key, or of the table that is under it at the top; else that of this table."""
        header = (self._places or {}).get((key, 0), {}).get("", self.line)
        return self._lines.get(key, header)

    def fault(self, key: str, why: str, fix: str, *, lint: bool = False) -> None:
        """Note that the key, or the table itself if the key is "", cannot stand."""
        field = ", ".join(part for part in (self.name, key) if part)
        self._faults.append(Fault(line=self.line_of(key), field=field, why=why, fix=fix, lint=lint))

    def refuse(self, keys: Iterable[str], why: str, fix: str) -> None:
        """Note a fault for each of the keys that is there."""
        for key in keys:
            if key in self._values:
                self._asked.add(key)
                self.fault(key, why, fix)

    def refuse_unknown(self) -> None:
        """Note a fault for every key that was never asked for: a misspelt key must not be a silent default."""
        for key in self._values:
            if key not in self._asked:
                near = difflib.get_close_matches(key, self._asked)
                fix = f"Did you mean {near[0]}?" if near else f"Known here: {', '.join(sorted(self._asked))}."
                self.fault(key, "no such key is known here.", fix)

    def _child(self, key: str, index: int, name: str, values: Mapping[str, Any]) -> "Table":
        lines = (self._places or {}).get((key, index))
        if lines is None:
            line = self.line_of(key)
            lines = {} if line is None else {"": line}
        return Table(values, name=", ".join(filter(None, (self.name, name))), lines=lines, faults=self._faults)


def read(text: str, entry: str, faults: list[Fault]) -> tuple[Table, list[Table]]:
    """The top of a TOML document and its `[[entry]]` tables, of which there must be one.

    Raises DocumentFaults if the text is not TOML; everything else goes to `faults` as it is found.
    """
    text = text.removeprefix("\ufeff") + "\n"  # so that a fault in the last line has a line
    try:
        values = tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        line, why, fix = toml_lines.unread(error)
        raise DocumentFaults([Fault(line=line, field="the document", why=why, fix=fix)]) from error
    places = toml_lines.places(text)
    top = Table(values, name="", lines=places.get(("", 0), {}), faults=faults, places=places)
    entries = top.tables(entry)
    if entry not in values or values[entry] == []:
        top.fault(entry, "there is none.", f"Write at least one [[{entry}]].")
    return top, entries


def text(value: Any) -> str:
    """Text of 1 to 100 printable characters without blanks at its ends."""
    if not isinstance(value, str) or not 0 < len(value) <= 100 or not value.isprintable() or value != value.strip():
        raise Unfit("it is not a short text.", "Write 1 to 100 printable characters in quotes.")
    return value


def shaped(pattern: str, example: str) -> Callable[[Any], str]:
    """A reader of text that matches the whole pattern, such as the example."""

    def reader(value: Any) -> str:
        if not isinstance(value, str) or not re.fullmatch(pattern, value):
            raise Unfit(f"{_shown(value)} does not have the right shape.", f'Write it as in "{example}".')
        return value

    return reader


word = shaped("[a-z][a-z0-9_-]{0,62}", "finance-approver")
"""A reader of the ids of people, roles and actions: lower-case letters, digits, - and _."""


def choice(*allowed: W) -> Callable[[Any], W]:
    """A reader of one of the allowed words."""

    def reader(value: Any) -> W:
        if value not in allowed:
            raise Unfit(f"{_shown(value)} is not one of its values.", f"Write one of {', '.join(allowed)}.")
        return allowed[allowed.index(value)]

    return reader


def whole(least: int, most: int) -> Callable[[Any], int]:
    """A reader of an integer between the two, both included."""

    def reader(value: Any) -> int:
        if type(value) is not int or not least <= value <= most:
            raise Unfit(f"{_shown(value)} is not a whole number in range.", f"Write {least} to {most}, without quotes.")
        return value

    return reader


def flag(value: Any) -> bool:
    """True or false."""
    if not isinstance(value, bool):
        raise Unfit(f"{_shown(value)} is neither true nor false.", "Write true or false, without quotes.")
    return value


def many(one: Callable[[Any], T]) -> Callable[[Any], tuple[T, ...]]:
    """A reader of an array whose items are all read by the given reader and all different."""

    def reader(value: Any) -> tuple[T, ...]:
        if not isinstance(value, list):
            raise Unfit(f"{_shown(value)} is no list.", 'Write a list in brackets, as in ["one", "two"].')
        items = tuple(one(item) for item in value)
        if twice := [item for item, count in Counter(items).items() if count > 1]:
            raise Unfit(f"{_shown(twice[0])} is in it twice.", "Write it once.")
        return items

    return reader


def length(value: Any) -> int:
    """A length of time such as "30s", "45m", "4h" or "2d", in seconds; above zero and at most 366 days."""
    found = re.fullmatch("([0-9]{1,9})([smhd])", value) if isinstance(value, str) else None
    if found is None:
        raise Unfit(f"{_shown(value)} is no length of time.", 'Write a number and s, m, h or d, as in "4h".')
    seconds = int(found[1]) * _SECONDS[found[2]]
    if not 0 < seconds <= _LONGEST_DAYS * _SECONDS["d"]:
        raise Unfit(f"{_shown(value)} is out of range.", f'Write more than "0s" and at most "{_LONGEST_DAYS}d".')
    return seconds


def _tables(value: Any) -> list[dict[str, Any]]:
    if not isinstance(value, list) or not all(isinstance(one, dict) for one in value):
        raise Unfit("it is not a list of tables.", "Write [[...]] headers, or a list of { key = ... } tables.")
    return value


def _tables_of(key: str, value: Any) -> list[dict[str, Any]]:
    """The same at the top, where one pair of brackets too few is soon written."""
    if isinstance(value, dict):
        raise Unfit("it is one table, and no list of them.", f"Write [[{key}]], with two brackets on each side.")
    return _tables(value)


def _table(value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise Unfit(f"{_shown(value)} is no table.", "Write { key = ... }.")
    return value


def called(entry: str, index: int, values: Mapping[str, Any]) -> str:
    """What a fault calls the table: by its name or id if it has one, else by its place, counted from 1."""
    called = values.get("id" if entry in ("person", "override") else "name")
    return f"{entry} {_shown(called)}" if isinstance(called, str) else f"{entry} number {index + 1}"


def _shown(value: Any) -> str:
    """The value as TOML would write it, near enough, and short."""
    try:
        shown = f'"{value}"' if isinstance(value, str) and value.isprintable() else ascii(value)
    except (ValueError, RecursionError):  # too many digits, or nested too deep
        shown = "what is there"
    return shown if len(shown) <= 60 else shown[:60] + "..."
