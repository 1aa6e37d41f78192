"""A run that stands still between two steps: effects are stopped, no credential is to be had now, or the policy cannot be read here.

The one rule: nothing is written while it does, and whoever else moves the run (an operator, its requester, another worker) is not kept waiting.
"""

import logging
from datetime import timedelta
from typing import Final
from uuid import UUID

from engine.models import Pause
from engine.state import halts, ledger, pauses, runs
from engine.workers.credentials import Borrowed, Unreachable
from engine.workers.means import Means, Turn, Way

_log = logging.getLogger(__name__)

HALT_LOOK_S: Final = 2
"""How often a run with something to do looks whether a halt is over."""

OUTAGE_LOOKS_S: Final = (2.0, 4.0, 8.0, 16.0)
"""Waits before a credential is asked for once more; after the last the run is put off."""

PUT_OFF_S: Final = 60
"""For how long, each time: nothing runs meanwhile, however many wait for the same server."""


GIVE_UP_S: Final = 3600
"""How long an allowed call is put off for want of a credential until the model is told; what was approved has its own time."""

GIVEN_UP: Final = "It was tried for an hour."
"""What that comes to, in words."""

_NO_CREDENTIAL: Final = "The identity server"
"""How the sentences begin that say why no credential was to be had: a run is put off for other reasons, too."""


def halt(turn: Turn) -> Way:
    """Until effects may go on, an operator wants the run to stop, or the worker ends."""
    with turn.means.standing_still():
        while turn.means.do(halts.standing) and not turn.means.stop.wait(HALT_LOOK_S):
            if gone := _moved(turn):
                return gone
    return "look"


def outage(turn: Turn, borrowed: Borrowed, why: str) -> Way:
    """Until whoever can tell of the grant is there again, or what was approved may not be done any more; then everything is looked at again.

    Or until an operator wants the run to stop, or the worker ends. What is not over soon puts the run off: it is let go, and taken up again
    in a minute by whoever is free. `why` is what was said when no credential was to be had.
    """
    _log.warning("run %s stands still, with a call not done: %s", turn.run.id, why)
    approved, now = _approved(turn), turn.means.do(ledger.standing, turn.run.id).now
    is_new = turn.means.do(runs.put_off_for_s, turn.run.id, _NO_CREDENTIAL) is None and all(
        pause.decided_at is not None and now - pause.decided_at < timedelta(seconds=PUT_OFF_S) for pause in approved
    )
    with turn.means.standing_still():
        for wait_s in OUTAGE_LOOKS_S if is_new else ():
            if turn.means.stop.wait(wait_s):
                return "look"
            if gone := _moved(turn):
                return gone
            if _is_late(turn) or not isinstance(borrowed.mint(0), Unreachable):
                borrowed.give_back()
                return "look"
    borrowed.give_back()
    return put_off(turn, why)


def put_off(turn: Turn, why: str) -> Way:
    """The run is let go, and taken up again in a minute by whoever is free; `why` stands in its record, and on the cards of what was approved."""
    turn.means.do(runs.put_off, turn.claim, turn.means.name, after_s=PUT_OFF_S, why=why)
    return "off"


def is_given_up(means: Means, run_id: UUID) -> bool:
    """Whether a run has been put off in its present step for so long that a call which nobody was asked about is not waited for any more."""
    put_off_s = means.do(runs.put_off_for_s, run_id, _NO_CREDENTIAL)
    return put_off_s is not None and put_off_s >= GIVE_UP_S


def hold(turn: Turn) -> Way:
    """An operator wants the run to stop: between two steps it does."""
    return "look" if turn.means.do(runs.save_results, turn.claim, {}) == "running" else "off"


def _moved(turn: Turn) -> Way | None:
    """The run's way on if somebody else moved it, or wants it to stop; None: it is ours still."""
    now = turn.means.do(runs.load, turn.run.id)
    if now.hold:
        return hold(turn)
    if now.cancel_wanted:  # what was begun is called no more, and that can be settled under a halt
        return "look"
    return "off" if now.epoch != turn.claim.epoch or now.status != "running" else None


def _approved(turn: Turn) -> list[Pause]:
    """The pauses of this turn that are approved and not carried out."""
    asked = [turn.means.do(pauses.get, call.pause_id) for call in turn.run.calls if call.pause_id]
    return [pause for pause in asked if pause.status == "approved"]


def _is_late(turn: Turn) -> bool:
    """Whether the time of an approved call of this turn has passed, by the database's clock."""
    until = [pause.execute_by for pause in _approved(turn) if pause.execute_by]
    return bool(until) and min(until) < turn.means.do(ledger.standing, turn.run.id).now
