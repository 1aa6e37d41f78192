"""`placet audit verify`: recompute the chain of one run's record, or of all, and say whether anybody altered it."""

from collections.abc import Iterator
from typing import Annotated
from uuid import UUID

import typer

from bot.cards.ids import screen_id
from bot.commands.terminal import Exit, complain, database, plain, say
from engine.state import db, events, runs
from engine.state.events import Altered

app = typer.Typer()
audit = typer.Typer(no_args_is_help=True)
app.add_typer(audit, name="audit", help="Check the record.")

_PAGE = 500


@audit.callback()
def _group() -> None:
    """Check the record."""


@audit.command()
def verify(
    run: Annotated[
        str | None, typer.Argument(help="One run: run_5d21ab, or the last digits of its id. Else all.")
    ] = None,
) -> None:
    """Recompute the record's chain, link by link; the exit code is 4 if one does not hold."""
    with database() as conn:
        asked = [runs.named(conn, run)] if run else [db.SYSTEM_RUN, *_all(conn)]
        found = {run_id: events.verify(conn, run_id) for run_id in asked}
    altered = {run_id: one.why for run_id, one in found.items() if isinstance(one, Altered)}
    links = sum(one.links for one in found.values() if not isinstance(one, Altered))
    for run_id, why in altered.items():
        complain(f"{_name(run_id)} was altered. {plain(why)} Stop and find out who could write to the database.")
    if altered:
        raise typer.Exit(Exit.ALARM)
    say(
        f"The record holds: {links} links of {len(found)} {'chain' if len(found) == 1 else 'chains'} recomputed, none altered."
    )


def _all(conn: db.Conn) -> Iterator[UUID]:
    """Every run, page by page."""
    offset = 0
    while page := runs.listed(conn, limit=_PAGE, offset=offset):
        yield from (line.id for line in page)
        offset += len(page)


def _name(run_id: UUID) -> str:
    return "The system's own record" if run_id == db.SYSTEM_RUN else screen_id("run", run_id)
