"""`placet pending`, and the decisions: approve, deny, withdraw. They are judged as a click is, by the same statement, and told in the same words."""

from collections.abc import Callable
from functools import partial
from typing import Annotated, TypeVar
from uuid import UUID

import typer
from rich.text import Text

from bot.cards import phrases
from bot.cards.ids import screen_id
from bot.commands.halts import halt_line
from bot.commands.terminal import (
    SURFACE,
    As,
    Exit,
    actor,
    complain,
    database,
    known,
    plain,
    plain_joined,
    say,
    show,
    table,
    when,
)
from engine import settings
from engine.errors import BadInput
from engine.models import Decided, Due, Outcome, Unconfirmed, Voted
from engine.rules.digest import short
from engine.state import db, halts, pauses, people, runs
from engine.workers.sweep import Sweeper

app = typer.Typer()

_LONGEST_REASON = 1_000

PauseId = Annotated[
    str, typer.Argument(metavar="PAUSE", help="The request: pause_5d21ab, or the last digits of its id.")
]
Reason = Annotated[str, typer.Option(help="Why, for the record and for the agent.")]
Verb = Callable[..., Outcome]
T = TypeVar("T")


@app.command()
def pending(
    mine: Annotated[str | None, typer.Option(metavar="PERSON", help="Only what this person may decide.")] = None,
    limit: Annotated[int, typer.Option(min=1, max=1000, help="How many at most.")] = 20,
) -> None:
    """List what waits for a decision, the most urgent first."""
    with database() as conn:
        if mine is not None:
            known(people.everybody(conn), mine, "--mine")
        found = pauses.waiting(conn, person=mine, limit=limit)
        say(*halt_line(conn))
    if not found:
        say("Nothing waits for a decision.")
        return
    made = table("request", "what", "for", "with", "answer by", "digest")
    for row in found:
        made.add_row(
            screen_id("pause", row.id),
            Text(plain_joined(row.summary) if row.intact else "This request was altered after it was stored."),
            Text(plain(row.requester_name or row.on_behalf_of)),
            Text(phrases.approver_name(row.approver, row.approver_name)),
            f"{when(row.fire_at)}{', put aside' if row.stuck_at else ''}",
            short(row.digest),
        )
    show(made)
    if found[0].total > len(found):
        say(f"{len(found)} of {found[0].total}; --limit shows more.")
    if stuck := [screen_id("pause", row.id) for row in found if row.stuck_at]:
        complain(
            f"Put aside, since the time to answer is over and it could not be settled: {', '.join(stuck)}. The log of the sweep says why. It is "
            "tried again every hour. If a later release asked it, run that one; else withdraw it, or cancel its run."
        )


@app.command()
def approve(
    pause: PauseId,
    person: As,
    reason: Reason = "",
    confirm: Annotated[str, typer.Option(help="What its rule has the approver type, where it does.")] = "",
) -> None:
    """Say yes to a request, exactly as it is stored."""
    decide(partial(pauses.approve, confirm=confirm), pause, person, _reason(reason))


@app.command()
def deny(pause: PauseId, person: As, reason: Reason = "") -> None:
    """Say no to a request; the reason reaches the agent."""
    decide(pauses.deny, pause, person, _reason(reason))


@app.command()
def withdraw(pause: PauseId, person: As, reason: Reason = "") -> None:
    """Take back a request of one's own, as long as nothing of it is being done."""
    decide(pauses.withdraw, pause, person, _reason(reason))


def _reason(given: str) -> str:
    if len(given) > _LONGEST_REASON:
        raise BadInput("--reason", phrases.LONG_REASON)
    return given


def decide(verb: Verb, pause: str, person: str, reason: str) -> None:
    """Have this person do it to the pause of that id, and say what came of it; Exit if it was not taken."""
    with database() as conn:
        by = actor(conn, person)
        pause_id = runs.by_tail(pause, "pause", lambda tail: pauses.find(conn, tail))
        asked = pauses.get(conn, pause_id)
        outcome = settled_first(pause_id, lambda: verb(conn, pause_id, by.id, surface=SURFACE, reason=reason))
        names = {one.id: one.name for one in people.everybody(conn)}
        halt = halts.standing(conn)
    if asked.content:
        say(f"{screen_id('pause', pause_id)}: {plain_joined(asked.content.summary)}")
    if isinstance(outcome, Unconfirmed) and asked.content:
        complain(f"{phrases.unconfirmed(asked.content.confirm)} Here: --confirm WHAT_IS_TYPED")
        raise typer.Exit(Exit.LOST)
    said = phrases.said(outcome, lambda key: names.get(key, key), halt)
    if isinstance(outcome, Decided | Voted):
        say(said)
        return
    complain(said)
    raise typer.Exit(Exit.LOST)


def settled_first(pause_id: UUID, tried: Callable[[], T]) -> T:
    """What came of it; where its time is up, what a sweep would have done is done, and then it is tried once more."""
    if not isinstance(outcome := tried(), Due):
        return outcome
    with db.none_held(settings.database_url(), size=1, keys=settings.seal_keys()) as pool:
        Sweeper(pool).settle_one(pause_id)
    return tried()
