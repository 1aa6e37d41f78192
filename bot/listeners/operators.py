"""What requesters may do with their runs, and operators with anybody's and with all effects. None of it can approve anything."""

from collections.abc import Callable
from typing import Final

from bot.cards import parts
from bot.cards.ids import screen_id
from bot.cards.parts import Message
from bot.cards.phrases import halted
from bot.cards.seen import seen_line
from bot.listeners.typed import COMMAND, SURFACE, Typed
from engine.models import RunRecord
from engine.state import halts, runs

OPERATOR: Final = "operator"
_GO_ON: Final = f"{COMMAND} resume-effects"


def pause(typed: Typed) -> Message:
    """Stop a run between two steps."""
    return _move(typed, runs.hold)


def resume(typed: Typed) -> Message:
    """Let a paused run go on."""
    return _move(typed, runs.resume)


def cancel(typed: Typed) -> Message:
    """Withdraw a run and what it asks."""
    return _move(typed, lambda conn, run_id, **by: runs.cancel(conn, run_id, person=typed.actor.id, **by))


def _move(typed: Typed, move: Callable[..., str]) -> Message:
    with typed.desk.courier.pool.connection() as conn:
        run = runs.get(conn, runs.named(conn, typed.words))
        if run.on_behalf_of != typed.actor.id and OPERATOR not in typed.actor.roles:
            return parts.answer(
                f"{screen_id('run', run.id)} is {_whose(run)}. Only they and people with the role {OPERATOR} may do that."
            )
        status = move(conn, run.id, actor=typed.actor.id, surface=SURFACE)
    typed.desk.kick()
    return parts.answer(f"{screen_id('run', run.id)} is {status.replace('_', ' ')} now.")


def _whose(run: RunRecord) -> str:
    return f"{seen_line(run.requester_name or run.on_behalf_of).text}'s"


def halt(typed: Typed) -> Message:
    """Stop every effect at once."""
    with typed.desk.courier.pool.connection() as conn:
        outcome = halts.halt(conn, actor=typed.actor.id, surface=SURFACE, reason=typed.words)
        return parts.answer(halted(outcome, halts.standing(conn), go_on=_GO_ON))


def resume_effects(typed: Typed) -> Message:
    """Let effects go on after a halt."""
    with typed.desk.courier.pool.connection() as conn:
        outcome = halts.lift(conn, actor=typed.actor.id, surface=SURFACE)
    typed.desk.kick()
    return parts.answer(halted(outcome, None, go_on=_GO_ON))
