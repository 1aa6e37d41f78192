"""Order files, read row by row: CSV with a header, or one JSON object a line.

The one rule: a row is taken as it stands or refused with its line, its field and why; no number is rounded, no value
guessed, and one bad row does not take the others with it. What the fields mean is the caller's business.
"""

import csv
import io
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Literal, NoReturn, assert_never

from engine.rules.digest import visible


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One row. Values are text in CSV, and JSON values in JSON lines, where a number with decimals is a Decimal."""

    line: int
    values: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Unreadable:
    """A line that is no row. `field` is None if the line as a whole is at fault; `why` is a sentence. `ref` is what it is about, if that is known."""

    line: int
    field: str | None
    why: str
    ref: str | None = None


class _Refused(ValueError):
    def __init__(self, field: str | None, why: str) -> None:
        self.field = field
        self.why = why


def read_rows(text: str, kind: Literal["csv", "jsonl"]) -> Iterator[Row | Unreadable]:
    """Every row, in order, lines counted from 1; blank lines are passed over.

    Nothing to read is one Unreadable. After a header or a quotation that cannot be read, the rest is not tried.
    """
    text = text.removeprefix("\ufeff")
    match kind:
        case "csv":
            rows = _csv_rows(text)
        case "jsonl":
            rows = _json_rows(text)
        case _:
            assert_never(kind)
    first = next(rows, None)
    if first is None:
        yield Unreadable(line=1, field=None, why="There is no row in it; was the right file chosen?")
        return
    yield first
    yield from rows


def _json_rows(text: str) -> Iterator[Row | Unreadable]:
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            try:
                yield Row(line=number, values=_storable(_json_object(line)))
            except _Refused as refused:
                yield Unreadable(line=number, field=refused.field, why=refused.why)


def _json_object(line: str) -> dict[str, Any]:
    try:
        value = json.loads(
            line, parse_float=Decimal, parse_constant=_refuse_constant, object_pairs_hook=_refuse_duplicates
        )
    except _Refused:
        raise
    except json.JSONDecodeError as error:
        raise _Refused(None, f"It is not JSON: {error.msg} at character {error.pos + 1}.") from error
    except RecursionError as error:
        raise _Refused(None, "It is nested too deeply to be an order.") from error
    except ValueError as error:  # an integer of thousands of digits
        raise _Refused(None, "A number in it is too long to be read.") from error
    if not isinstance(value, dict):
        raise _Refused(None, 'It is no JSON object; each line holds one, as in {"order_ref": "PO-2026-0193"}.')
    return value


def _refuse_constant(name: str) -> NoReturn:
    raise _Refused(None, f"{name} is no JSON number; write a number or null.")


def _refuse_duplicates(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for key, value in pairs:
        if key in values:
            raise _Refused(visible(key), "It is given twice in one object, and which is meant cannot be known.")
        values[key] = value
    return values


def _csv_rows(text: str) -> Iterator[Row | Unreadable]:
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    header: list[str] | None = None
    line = 1
    try:
        for cells in reader:
            if cells and header is None:
                header = _header(cells)
            elif cells and header is not None:
                yield _csv_row(line, header, cells)
            line = reader.line_num + 1
    except csv.Error as error:
        yield Unreadable(line=line, field=None, why=f"It cannot be read as CSV: {error}. Nothing after it was read.")
    except _Refused as refused:
        yield Unreadable(line=line, field=refused.field, why=refused.why)


def _header(cells: list[str]) -> list[str]:
    if len(cells) == 1 and ";" in cells[0]:
        raise _Refused(None, "The columns are separated by semicolons; save the file with commas.")
    for number, name in enumerate(cells, 1):
        if not name or name != name.strip() or not name.isprintable():
            raise _Refused(None, f"The name of column {number} is empty or has blanks around it; the header names all.")
        if cells.count(name) > 1:
            raise _Refused(name, "Two columns have this name; give each a name of its own.")
    return cells


def _csv_row(line: int, header: list[str], cells: list[str]) -> Row | Unreadable:
    if len(cells) != len(header):
        why = f"The header names {len(header)} values and the line has {len(cells)}; a comma in a value needs quotes."
        return Unreadable(line=line, field=None, why=why)
    try:
        return Row(line=line, values=_storable(dict(zip(header, cells, strict=True))))
    except _Refused as refused:
        return Unreadable(line=line, field=refused.field, why=refused.why)


def _storable(values: dict[str, Any]) -> dict[str, Any]:
    """The values, unless some text in them could not be stored as it is."""
    for key, value in values.items():
        if not all(text == visible(text) for text in _texts([key, value])):
            raise _Refused(visible(key), "It holds a NUL character or half of a surrogate pair, which is no text.")
    return values


def _texts(value: Any) -> Iterator[str]:
    match value:
        case str():
            yield value
        case dict():
            for key, inner in value.items():
                yield from _texts([key, inner])
        case list():
            for inner in value:
                yield from _texts(inner)
