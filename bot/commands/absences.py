"""`placet away` and `placet back`: somebody is away, and another answers for them meanwhile; or is here again."""

from datetime import datetime
from typing import Annotated

import typer

from bot.cards import phrases
from bot.commands.terminal import SURFACE, As, actor, database, known, say
from engine.errors import BadInput, Conflict
from engine.state import absences, people
from engine.state.absences import Back, Refused

app = typer.Typer()

Whom = Annotated[str, typer.Argument(metavar="PERSON", help="Who is away: an id, as `placet people` lists them.")]


@app.command()
def away(
    absent: Whom,
    delegate: Annotated[
        str, typer.Option(metavar="PERSON", help="Who answers meanwhile for what is asked of them by name.")
    ],
    until: Annotated[str, typer.Option(metavar="TIME", help="Until when: 2026-08-17T09:00+02:00.")],
    person: As,
    since: Annotated[str, typer.Option("--from", metavar="TIME", help="From when on; now, if left out.")] = "",
) -> None:
    """Let somebody else answer while a person is away."""
    starts_at, ends_at = _time(since, "--from") if since else None, _time(until, "--until")
    with database() as conn:
        by, everybody = actor(conn, person), people.everybody(conn)
        gone, stands_in = known(everybody, absent, "PERSON"), known(everybody, delegate, "--delegate")
        came = absences.leave(
            conn, gone.id, stands_in.id, starts_at=starts_at, ends_at=ends_at, actor=by.id, surface=SURFACE
        )
    if isinstance(came, Refused):
        raise Conflict(phrases.NOT_AWAY[came.why], stands=came.why)
    say(phrases.is_away(gone.name, stands_in.name, came.starts_at, came.ends_at))


@app.command()
def back(absent: Whom, person: As) -> None:
    """Somebody is here again, or is not going: what is asked of them is theirs alone. One absence at a time: the one under way, else the next."""
    with database() as conn:
        by, gone = actor(conn, person), known(people.everybody(conn), absent, "PERSON")
        came = absences.back(conn, gone.id, actor=by.id, surface=SURFACE)
        names = people.names(conn, [came.delegate]) if isinstance(came, Back) else {}
    if not isinstance(came, Back):
        raise Conflict(phrases.NOT_AWAY[came], stands=came)
    if came.begun:
        say(phrases.is_back(gone.name, came.ends_at, came.next_at))
    else:
        delegate = names[came.delegate]
        say(phrases.is_not_going(gone.name, delegate, came.starts_at, came.ends_at, came.next_at))


def _time(written: str, field: str) -> datetime:
    try:
        at = datetime.fromisoformat(written)
    except ValueError:
        raise BadInput(field, "it is no time. Write it as in 2026-08-17T09:00+02:00.") from None
    if at.tzinfo is None:
        raise BadInput(field, "it has no time zone. Write it as in 2026-08-17T09:00+02:00.")
    return at
