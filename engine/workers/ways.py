"""A run's way on after one of its effects was tried, or could not be: on, once more, not with this worker, or first it must stand still."""

import logging
from collections.abc import Callable, Sequence
from functools import partial
from uuid import UUID

from engine.state import ledger, runs
from engine.workers import perform, revalidate, standstill
from engine.workers.attempts import Deed
from engine.workers.credentials import Borrowed, GrantGone, Unreachable
from engine.workers.means import Turn, Way, way
from engine.workers.perform import NotDone
from engine.workers.receipts import Done

_log = logging.getLogger(__name__)

Later = Callable[[], Way]
"""A run that must stand still in this worker's hands first: how it does, once nothing is lent to it any more."""


def after(turn: Turn, deed: Deed, intent: ledger.Intent | None) -> Way | Later:
    """Begin it, or without an intent find out what became of it; either way its credential is given back before anything else happens."""
    came: Done | NotDone | GrantGone | Unreachable
    try:
        if intent is None:
            came = perform.reconcile(turn.means, turn.claim, deed)
        else:
            came = perform.begin(turn.means, turn.claim, deed, intent)
    finally:
        deed.borrowed.give_back()
    match came:
        case Done():
            return way(came.status)
        case NotDone():
            return _way_after(turn, deed, came.why)
        case _:
            return without(turn, deed.n, deed.pause_id, deed.borrowed, came)


def without(
    turn: Turn, n: int, pause_id: UUID | None, borrowed: Borrowed, came: GrantGone | Unreachable
) -> Way | Later:
    """The run's way on when there is no credential for a call that is not begun."""
    if isinstance(came, Unreachable):
        is_begun = turn.means.do(runs.load, turn.run.id).open_effects > 0
        if pause_id is None and not is_begun and standstill.is_given_up(turn.means, turn.run.id):
            said = f"Not done: {came.why} {standstill.GIVEN_UP} Nothing was done; say so in your answer."
            return way(turn.means.do(runs.save_results, turn.claim, {n: {"text": said, "is_error": True}}))
        return partial(standstill.outage, turn, borrowed, came.why)
    if pause_id is not None:
        return void(turn, [pause_id], came.undone)
    told = {n: {"text": f"Not done: {came.undone}", "is_error": True}}
    return way(turn.means.do(runs.save_results, turn.claim, told))


def _way_after(turn: Turn, deed: Deed, why: str) -> Way | Later:
    """The run's way on after an effect was tried and is not known to be done."""
    match why:
        case "halted":
            return partial(standstill.halt, turn)
        case "held":
            return standstill.hold(turn)
        case "late":
            assert deed.pause_id is not None
            return void(turn, [deed.pause_id], revalidate.LATE)
        case "altered":
            _log.error("run %s: what is stored of call %s is not what was approved", turn.run.id, deed.n)
            said = "What is stored is not what was approved, so it was not done. Have the record checked."
            turn.means.do(runs.fail, turn.claim, said + stands(turn))
            return "off"
        case _:
            return "look"  # begun or settled meanwhile, or this worker is to end


def void(turn: Turn, pause_ids: Sequence[UUID], why: str) -> Way:
    """The authority behind approved requests is gone: the run ends and says so, and nothing of them is done."""
    before = stands(turn)
    said = why.replace("Nothing was done.", "Nothing of this was done.") + before if before else why
    turn.means.do(runs.void, turn.claim, pause_ids, said)
    return "off"


def stands(turn: Turn) -> str:
    """A sentence on what a run that ends did before, to be put after another; "" if it did nothing."""
    done = [line.tool for line in turn.means.do(ledger.of_run, turn.run.id) if line.status == "done"]
    return f" What it did before stands: {', '.join(done)}." if done else ""
