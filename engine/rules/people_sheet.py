"""Who is who as a spreadsheet saves it: CSV with a header, and a person in each row.

The one rule: the same people as a people.toml would make, and the same sentences about what is wrong. Columns are called as the keys
there and stand in any order; only id and name must be there, and an empty cell is a key left out. Several values in one cell are
separated by ";" or blanks. Commas separate the columns, or semicolons or tabs, whichever the header uses: Excel writes semicolons
where the decimals have a comma, and WAHR for true.
"""

import csv
import io
import re
from collections.abc import Iterator, Sequence
from itertools import zip_longest
from typing import Any, Final

from engine.rules import documents, people
from engine.rules.documents import DocumentFaults, Fault, Table
from engine.rules.people import People

COLUMNS: Final = ("id", "name", "slack", "roles", "manager", "active", "scopes")
_SEVERAL: Final = {"slack", "roles", "scopes"}
NEEDED: Final = {"id", "name"}
_FLAGS: Final = {"true": True, "wahr": True, "false": False, "falsch": False}

Row = tuple[int, list[str]]
"""The line on which a row begins, and its cells without the blanks around them."""


def parse(text: str) -> People:
    """Read people from CSV. Raises DocumentFaults with every fault at once, each with the line on which its row begins."""
    faults: list[Fault] = []
    rows = _rows(text)
    line, cells = next(rows, (1, []))
    if columns := _columns(line, cells, faults):
        tables = [_table(index, columns, row, faults) for index, row in enumerate(rows)]
        read = people.of_tables(tables)
        if not tables:
            faults.append(_fault(line, "person", "there is none.", "Write a row for each below the header."))
    if faults:
        raise DocumentFaults(faults)
    return People(tuple(person for _, person in read))


def _rows(text: str) -> Iterator[Row]:
    """The rows that are not empty, the header first. Raises DocumentFaults where it is no CSV."""
    text = text.removeprefix("\ufeff")
    told = re.match(r"sep=([,;|\t])\r?\n", text)  # Excel's own hint, which it does not show
    if told:
        text = text.replace(told[0], "\n", 1)
    header = next(filter(str.strip, text.split("\n")), "")
    delimiter = told[1] if told else max(",;\t", key=header.count)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True, skipinitialspace=True)
    line = 1
    try:
        for cells in reader:
            if any(row := [cell.strip() for cell in cells]):
                yield line, row
            line = reader.line_num + 1
    except csv.Error as error:
        why = f"it is not CSV: {error}."
        raise DocumentFaults([_fault(line, "the document", why, "Mend it from there.")]) from error


def _columns(line: int, cells: Sequence[str], faults: list[Fault]) -> list[str]:
    """The names of the columns, "" for one without; none, with the faults noted, if rows cannot be told by them."""
    columns = [cell.lower() for cell in cells]
    while columns and not columns[-1]:
        columns.pop()
    if not NEEDED & set(columns):
        why = "its first line names neither an id nor a name."
        fix = f"Begin with a line that names the columns: {','.join(COLUMNS)}."
        faults.append(_fault(line, "the document", why, fix))
        return []
    table = Table(dict.fromkeys(filter(None, columns), ""), name="the header", lines={"": line}, faults=faults)
    for column in COLUMNS:
        table.optional(column, str, "")
        if column in NEEDED and column not in table:
            table.fault(column, "it is missing.", "Add a column of this name.")
        if columns.count(column) > 1:
            table.fault(column, "it is there twice.", "Give every column a name of its own.")
    unclear = bool(faults)
    table.refuse_unknown()
    return [] if unclear else columns


def _table(index: int, header: Sequence[str], row: Row, faults: list[Fault]) -> Table:
    """The row as the table that people.toml would have in its place; if the cells cannot all be told apart, of its id and name alone."""
    line, cells = row
    given = dict(zip(header, cells, strict=False))
    nameless = [cell for column, cell in zip_longest(header[: len(cells)], cells) if not column]
    fits = len(cells) >= len(header) and not any(nameless)
    values = {
        column: _value(column, cell)
        for column, cell in given.items()
        if column in NEEDED or (column in COLUMNS and cell and fits)
    }
    table = Table(values, name=documents.called("person", index, values), lines={"": line}, faults=faults)
    if not fits:
        why = f"it has {len(cells)} cells, and the header names {len([*filter(None, header)])} columns."
        table.fault(
            "", why, "Leave a cell empty where there is nothing to say, and put a value with a separator in quotes."
        )
    return table


def _value(column: str, cell: str) -> Any:
    """What people.toml would say in the cell's place."""
    if column in _SEVERAL:
        return [part for part in re.split(r"[;\s]+", cell) if part]
    return _FLAGS.get(cell.lower(), cell) if column == "active" else cell


def _fault(line: int, field: str, why: str, fix: str) -> Fault:
    return Fault(line=line, field=field, why=why, fix=fix)
