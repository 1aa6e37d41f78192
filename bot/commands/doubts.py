"""`placet doubt` and `placet resolve`: actions of which nobody can tell whether they happened, and a person's word on one."""

import json
from typing import Annotated, Literal

import typer
from rich.text import Text

from bot.cards.ids import screen_id
from bot.cards.outcomes import receipt_facts
from bot.commands.terminal import SURFACE, As, Exit, actor, complain, database, plain, say, show, table, when
from engine.errors import BadInput, NotFound
from engine.state import ledger, runs

app = typer.Typer()

_SAID = {
    "happened": "It is on record as done, with your reference. The agent goes on.",
    "retry": "It is tried again, with a fresh key.",
    "stop": "The run ends here. The record says that it is not known whether it happened.",
}
_REFUSED = {
    "settled": "It is settled already; nothing was changed.",
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
        try:
            effect_id = runs.by_tail(effect, "effect", lambda tail: ledger.find(conn, tail))
        except NotFound:
            raise NotFound(
                f"No effect in doubt has an id ending in {plain(effect)}. `placet doubt` lists those there are."
            ) from None
        came_of_it = ledger.resolve(conn, effect_id, answer, actor=by.id, surface=SURFACE, reference=reference.strip())
    name = screen_id("effect", effect_id)
    if came_of_it in _SAID:
        say(f"{name}: {_SAID[came_of_it]}")
        return
    role = waiting[effect_id].doubt_role if effect_id in waiting else ""
    complain(f"{name}: {_REFUSED[came_of_it].format(role=plain(role))}")
    raise typer.Exit(Exit.LOST)
