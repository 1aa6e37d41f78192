"""What each row of an orders file would need, as a dry run shows it."""

from collections.abc import Iterable
from typing import Final

from rich.table import Table
from rich.text import Text

from bot.commands import needs
from bot.commands.terminal import plain, show, table
from engine.rules.intake import Unreadable
from engine.rules.people import People
from engine.workers.orders import Foreseen

BLOCK: Final = 500
"""Rows in one table, so that the first are on the screen while the last are laid out."""


def unreadable(row: Unreadable) -> str:
    """Why a row is refused."""
    field = f"{plain(row.field)}: " if row.field else ""
    return f"refused: {field}{plain(row.why)}"


def show_needs(foreseen: Iterable[Foreseen | Unreadable], everybody: People) -> list[Foreseen]:
    """Write a line for each row; those that could be read."""
    found: list[Foreseen] = []
    made = _table_of_needs()
    for one in foreseen:
        if made.row_count == BLOCK:
            show(made)
            made = _table_of_needs()
        if isinstance(one, Unreadable):
            made.add_row(str(one.line), "", "", "", Text(unreadable(one), style="red"))
            continue
        found.append(one)
        rule = one.need.rule if one.need else ""
        made.add_row(
            str(one.line), Text(plain(one.ref)), Text(plain(one.payee or "")), str(one.amount or ""),
            Text(_in_words(one, everybody)), Text(plain(rule)),
        )  # fmt: skip
    show(made)
    return found


def _in_words(one: Foreseen, everybody: People) -> str:
    if one.need is None:
        return "nothing: it has no effect"
    if one.untyped:
        return f"refused: the approver types the {one.untyped.replace('_', ' ')}, and this order has none"
    return needs.in_words(one.need, one.approver, everybody)


def _table_of_needs() -> Table:
    return table("line", "order", "payee", "amount", "what it would need", "rule")
