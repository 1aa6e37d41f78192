"""`placet doubt` and `placet resolve`: actions of which nobody can tell whether they happened, and a person's word on one."""

from typing import Annotated, Literal
from uuid import UUID

import typer
from rich.text import Text

from bot.cards import doubts
from bot.cards.ids import screen_id
from bot.commands.halts import halt_line
from bot.commands.terminal import (
    SURFACE,
    As,
    Exit,
    actor,
    complain,
    database,
    plain,
    plain_joined,
    say,
    show,
    table,
    when,
)
from engine.errors import BadInput, Conflict, NotFound
from engine.models import Doubt
from engine.state import db, ledger, runs

app = typer.Typer()


@app.command()
def doubt() -> None:
    """List the actions in doubt; the exit code is 4 if there is one."""
    with database() as conn:
        found = ledger.in_doubt(conn)
        say(*halt_line(conn))
    if not found:
        say("Nothing is in doubt.")
        return
    made = table("effect", "run", "what", "why", "attempt", "since", "to be said by")
    for effect in found:
        made.add_row(
            screen_id("effect", effect.id),
            screen_id("run", effect.run_id),
            Text(plain(f"{doubts.tool_of(effect)}, {doubts.in_a_line(doubts.arguments(effect))}")),
            Text(plain_joined(effect.error or "")),
            f"{effect.attempts}, {when(effect.attempted_at)}",
            when(effect.created_at),
            Text(plain(effect.doubt_role)),
        )
    show(made)
    complain(
        f"{len(found)} in doubt. Look at the provider whether it happened, then say so: placet resolve EFFECT happened --reference ... --as PERSON"
    )
    raise typer.Exit(Exit.ALARM)


@app.command()
def resolve(
    effect: Annotated[str, typer.Argument(help="The action: effect_5d21ab, as `placet doubt` lists it.")],
    answer: Annotated[
        Literal["happened", "retry", "stop"],
        typer.Argument(help="happened, retry (it surely did not: try again), or stop."),
    ],
    person: As,
    reference: Annotated[str, typer.Option(help="With happened: how the provider names it.")] = "",
) -> None:
    """Say what became of an action in doubt."""
    if answer == "happened" and not reference.strip():
        raise BadInput(
            "--reference", "it is missing. Write how the provider names what happened, as in --reference pi_3P0."
        )
    if answer != "happened" and reference:
        raise BadInput("--reference", f"there is none for {answer}; it belongs to happened.")
    with database() as conn:
        by = actor(conn, person)
        effect_id = _in_doubt(conn, effect)
        outcome = ledger.resolve(conn, effect_id, answer, actor=by.id, surface=SURFACE, reference=reference.strip())
        found = ledger.doubt(conn, effect_id)
    name = screen_id("effect", effect_id)
    if outcome == answer:
        say(f"{name}, attempt {found.attempts} of {when(found.attempted_at)}: {doubts.told(found, answer)}")
        return
    if outcome == "settled":
        raise _too_late(found)
    complain(f"{name}: {doubts.refused(found, outcome)}")
    raise typer.Exit(Exit.LOST)


def _in_doubt(conn: db.Conn, named: str) -> UUID:
    """The effect in doubt that is meant. Raises Conflict if somebody settled it, NotFound for none."""
    tail = named.strip().lower().removeprefix("effect_").replace("-", "")
    try:
        return runs.by_tail(named, "effect", lambda tail: ledger.find(conn, tail))
    except NotFound:
        if settled := ledger.doubt_settled(conn, tail):
            raise _too_late(ledger.doubt(conn, settled.id)) from None
        raise NotFound(
            f"No effect in doubt has an id ending in {plain(named)}. `placet doubt` lists those there are."
        ) from None


def _too_late(found: Doubt) -> Conflict:
    """Who was quicker, and how the record has it."""
    name = screen_id("effect", found.id)
    if found.said is None:  # in doubt again by now
        return Conflict(
            f"{name}: it was settled meanwhile; nothing was changed. Look at `placet doubt`.", stands="settled"
        )
    how = f"{doubts.settled(found)}, {when(found.said_at)}"
    run = screen_id("run", found.run_id)
    return Conflict(
        f"{name} is settled already: {how}. Nothing was changed. The whole of it: placet show {run}", stands=found.said
    )
