"""`placet halt` and `placet resume-effects`: an operator stops every effect at once, and lets them go on."""

from typing import Annotated, Final

import typer

from bot.cards.halts import halted, stopped
from bot.commands.terminal import SURFACE, As, actor, database, say
from engine.errors import Conflict
from engine.state import db, halts

app = typer.Typer()

_GO_ON: Final = "placet resume-effects --as PERSON"


@app.command()
def halt(
    person: As, reason: Annotated[str, typer.Option(help="Why, for the record and for whoever asks.")] = ""
) -> None:
    """Stop every action at once; requests still wait, and people still decide."""
    with database() as conn:
        outcome = halts.halt(conn, actor=actor(conn, person).id, surface=SURFACE, reason=reason)
        sentence = halted(outcome, halts.standing(conn), go_on=_GO_ON)
    _said(sentence, lost=outcome != "halt", stands=outcome)


@app.command(name="resume-effects")
def resume_effects(person: As) -> None:
    """Let actions go on after a halt; those that were approved meanwhile are checked again and carried out."""
    with database() as conn:
        outcome = halts.lift(conn, actor=actor(conn, person).id, surface=SURFACE)
    _said(halted(outcome, None, go_on=_GO_ON), lost=outcome != "unhalt", stands=outcome)


def halt_line(conn: db.Conn) -> list[str]:
    """What stands before any list of what waits or runs while a halt lasts; nothing while there is none."""
    standing = halts.standing(conn)
    return [f"{stopped(standing)} To let them go on: {_GO_ON}"] if standing else []


def _said(sentence: str, *, lost: bool, stands: str) -> None:
    if lost:
        raise Conflict(sentence, stands=stands)
    say(sentence)
