"""`placet doubt` and `placet resolve`: actions of which nobody can tell whether they happened, and a person's word on one."""

import json
from typing import Annotated, Literal
from uuid import UUID

import typer
from rich.text import Text

from bot.cards.ids import screen_id
from bot.cards.outcomes import receipt_facts
from bot.commands.terminal import SURFACE, As, Exit, actor, complain, database, plain, say, show, table, when
from engine.errors import BadInput, Conflict, NotFound
from engine.state import db, ledger, runs

app = typer.Typer()

_SAID = {
    "happened": "It is on record as done, with your reference. The agent goes on.",
    "retry": "It is tried again, with a fresh key.",
    "stop": "The run ends here. The record says that it is not known whether it happened.",
}
_WITHDRAWN = {
    "happened": "It is on record as done, with your reference. The run was withdrawn meanwhile, so it ends here.",
    "retry": "It is on record as not done, and is not tried again: the run was withdrawn meanwhile, so it ends here.",
}
_HOW = {
    "resolve": "said that it happened",
    "retry": "said that it did not, so it was tried again",
    "abandon": "ended the run without knowing whether it happened",
    "fail": "said that it did not, and the run, which was withdrawn, ended",
}
_REFUSED = {
    "own": "You asked for it, so somebody else must say what became of it. Nothing was changed.",
    "not_yours": "It is for somebody with the role {role} to say. Nothing was changed.",
}


@app.command()
def doubt() -> None:
    """List the actions in doubt; the exit code is 4 if there is one."""
    with database() as conn:
        found = ledger.in_doubt(conn)
    if not found:
        say("Nothing is in doubt.")
        return
    made = table("effect", "run", "what", "why", "since", "to be said by")
    for effect in found:
        made.add_row(
            screen_id("effect", effect.id),
            screen_id("run", effect.run_id),
            Text(_action(effect.action)),
            Text(plain(effect.error or "")),
            when(effect.created_at),
            Text(plain(effect.doubt_role)),
        )
    show(made)
    complain(
        f"{len(found)} in doubt. Look at the provider whether it happened, then say so: placet resolve EFFECT happened --reference ... --as PERSON"
    )
    raise typer.Exit(Exit.ALARM)


def _action(stored: str) -> str:
    """What was to be done, from its canonical text."""
    action = json.loads(stored)
    return ", ".join(
        [plain(action["tool"]), *(f"{name} {value}" for name, value in receipt_facts(action["arguments"]))]
    )


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
        waiting = {one.id: one for one in ledger.in_doubt(conn)}
        effect_id = _in_doubt(conn, effect)
        came_of_it = ledger.resolve(conn, effect_id, answer, actor=by.id, surface=SURFACE, reference=reference.strip())
        settled = ledger.doubt_settled(conn, effect_id.hex)
    name = screen_id("effect", effect_id)
    if came_of_it in _SAID:
        withdrawn = settled is not None and settled.run_status == "cancelled"
        say(f"{name}: {_WITHDRAWN.get(answer, _SAID[answer]) if withdrawn else _SAID[answer]}")
        return
    if came_of_it == "settled":
        raise _too_late(name, settled)
    role = waiting[effect_id].doubt_role if effect_id in waiting else ""
    complain(f"{name}: {_REFUSED[came_of_it].format(role=plain(role))}")
    raise typer.Exit(Exit.LOST)


def _in_doubt(conn: db.Conn, named: str) -> UUID:
    """The effect in doubt that is meant. Raises Conflict if somebody settled it, NotFound for none."""
    tail = named.strip().lower().removeprefix("effect_").replace("-", "")
    try:
        return runs.by_tail(named, "effect", lambda tail: ledger.find(conn, tail))
    except NotFound:
        if settled := ledger.doubt_settled(conn, tail):
            raise _too_late(screen_id("effect", settled.id), settled) from None
        raise NotFound(
            f"No effect in doubt has an id ending in {plain(named)}. `placet doubt` lists those there are."
        ) from None


def _too_late(name: str, settled: ledger.DoubtSettled | None) -> Conflict:
    """Who was quicker, and how the record has it."""
    if settled is None:  # in doubt again by now
        return Conflict(
            f"{name}: it was settled meanwhile; nothing was changed. Look at `placet doubt`.", stands="settled"
        )
    run = screen_id("run", settled.run_id)
    if settled.surface == "worker":
        what = "it happened" if settled.event == "succeed" else "it did not happen"
        how = f"the provider's answer came late, {when(settled.at)}: {what}"
    else:
        reference = json.loads(settled.detail)["reference"] if settled.event == "resolve" and settled.detail else ""
        told = f", reference {plain(reference)}" if reference else ""
        how = f"{plain(settled.by_name)} {_HOW[settled.event]}{told}, {when(settled.at)}"
    return Conflict(
        f"{name} is settled already: {how}. Nothing was changed. The whole of it: placet show {run}",
        stands=settled.event,
    )
