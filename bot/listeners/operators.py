"""What requesters may do with their runs, and operators with anybody's and with all effects. None of it can approve anything."""

import re
from collections.abc import Callable
from typing import Final

from bot.cards import parts
from bot.cards.halts import halted
from bot.cards.ids import screen_id
from bot.cards.parts import Message
from bot.cards.seen import seen_line
from bot.listeners.typed import COMMAND, SURFACE, Typed
from engine.models import RunRecord
from engine.state import halts, runs

OPERATOR: Final = "operator"
_ID: Final = re.compile(r"(run|pause|effect)_")
_GO_ON: Final = f"{COMMAND} resume-effects"


def pause(typed: Typed) -> Message:
    """Stop a run between two steps."""

    def held(status: str) -> str:
        waits = status not in ("paused", "pausing")
        return (
            " It is held: it goes no further, whatever is decided meanwhile, until somebody resumes it."
            if waits
            else ""
        )

    return _move(typed, runs.hold, held)


def resume(typed: Typed) -> Message:
    """Let a paused run go on."""
    return _move(typed, runs.resume)


def cancel(typed: Typed) -> Message:
    """Withdraw a run and what it asks."""
    return _move(typed, lambda conn, run_id, **by: runs.cancel(conn, run_id, person=typed.actor.id, **by))


def _move(typed: Typed, move: Callable[..., str], more: Callable[[str], str] = lambda _: "") -> Message:
    with typed.desk.courier.pool.connection() as conn:
        run = runs.get(conn, runs.named(conn, typed.words))
        if run.on_behalf_of != typed.actor.id and OPERATOR not in typed.actor.roles:
            return parts.answer(
                f"{screen_id('run', run.id)} is {_whose(run)}. Only they and people with the role {OPERATOR} may do that."
            )
        status = move(conn, run.id, actor=typed.actor.id, surface=SURFACE)
    typed.desk.kick()
    return parts.answer(f"{screen_id('run', run.id)} is {status.replace('_', ' ')} now.{more(status)}")


def _whose(run: RunRecord) -> str:
    return f"{seen_line(run.requester_name or run.on_behalf_of).text}'s"


def halt(typed: Typed) -> Message:
    """Stop every effect at once; the words are why. What names a run or another subcommand is no reason, and meant something else."""
    words = typed.words.lower().split()
    if words and all(_ID.match(word) or word in typed.known - {"all"} for word in words):
        return parts.answer(
            f"Nothing was halted: {COMMAND} halt stops all actions of every run, and what follows it is the reason. Write {COMMAND} halt and why. "
            f"For one run, write {COMMAND} pause and its id."
        )
    with typed.desk.courier.pool.connection() as conn:
        outcome = halts.halt(conn, actor=typed.actor.id, surface=SURFACE, reason=typed.words)
        return parts.answer(halted(outcome, halts.standing(conn), go_on=_GO_ON))


def resume_effects(typed: Typed) -> Message:
    """Let effects go on after a halt: all of them, so it takes no words."""
    if typed.words:
        return parts.answer(
            f"Nothing was changed: {_GO_ON} lets all actions of every run go on, and takes nothing after it. For one run, write {COMMAND} resume "
            "and its id."
        )
    with typed.desk.courier.pool.connection() as conn:
        outcome = halts.lift(conn, actor=typed.actor.id, surface=SURFACE)
    typed.desk.kick()
    return parts.answer(halted(outcome, None, go_on=_GO_ON))
