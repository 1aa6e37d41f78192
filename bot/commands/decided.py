"""`placet decisions`: what was decided, newest request first, and what came of it. It finds what `placet pending` no longer lists."""

from datetime import UTC, datetime
from typing import Annotated

import typer
from rich.text import Text

from bot.cards.ids import screen_id
from bot.cards.outcomes import decider, told
from bot.commands.terminal import database, known, plain, plain_joined, say, show, table, when
from engine.errors import BadInput
from engine.models import Pause
from engine.state import pauses, people

app = typer.Typer()


@app.command()
def decisions(
    by: Annotated[str | None, typer.Option(metavar="PERSON", help="Only what this person decided or voted on.")] = None,
    payee: Annotated[str | None, typer.Option(metavar="TEXT", help="Only where this stands in what was asked.")] = None,
    since: Annotated[str | None, typer.Option(metavar="DATE", help="Only what was settled since: 2026-07-17.")] = None,
    limit: Annotated[int, typer.Option(min=1, max=1000, help="How many at most.")] = 20,
) -> None:
    """List what was decided, or ended without anybody's answer, the newest request first."""
    at = _date(since) if since else None
    with database() as conn:
        if by is not None:
            known(people.everybody(conn), by, "--by")
        found = pauses.decided(conn, by=by, text=payee, since=at, limit=limit + 1)
        shown = [pauses.get(conn, pause_id) for pause_id in found[:limit]]
    if not shown:
        say("There are no such decisions." if by or payee or since else "Nothing has been decided yet.")
        return
    made = table("request", "what", "decided by", "when", "what came of it")
    for pause in shown:
        made.add_row(
            screen_id("pause", pause.id),
            Text(
                plain_joined(pause.content.summary)
                if pause.content
                else "This request was altered after it was stored."
            ),
            Text(_by(pause)),
            when(pause.decided_at),
            Text(told(pause).head),
        )
    show(made)
    if len(found) > limit:
        say(f"There are more; --limit shows them. placet show {screen_id('pause', shown[0].id)} shows one whole.")


def _by(pause: Pause) -> str:
    """Who decided; of what a deadline or the system ended, that nobody did."""
    return decider(pause) if pause.decided_by else "nobody"


def _date(written: str) -> datetime:
    try:
        at = datetime.fromisoformat(written)
    except ValueError:
        raise BadInput("--since", f"{plain(written)!r} is no date. Write one like 2026-07-17.") from None
    return at if at.tzinfo else at.replace(tzinfo=UTC)
