"""What came of a call with an effect, put on record: its receipt, a sure no, or that nobody can tell.

The one rule: it is recorded by the attempt's id, whoever has the run by now; only then may a lost run be noticed.
"""

import logging
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from engine.errors import LeaseLost
from engine.models import Claim, OpenEffect
from engine.results import result_text
from engine.state import ledger, people
from engine.workers.attempts import Came, Deed
from engine.workers.means import Means

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Done:
    """Its outcome is on record; `status` is where the run stands now."""

    status: str


def record(means: Means, claim: Claim, deed: Deed, attempt_id: UUID, came: Came) -> Done:
    """What the provider said: a yes or a no. Raises LeaseLost afterwards if the run is no longer ours."""
    if came.verdict == "fail":
        return _no(means, claim, attempt_id, came.said, f"It was refused and not done: {came.said}")
    value = came.value
    if deed.note:
        value = value | {"note": deed.note} if isinstance(value, dict) else f"{result_text(value)}\n{deed.note}"
    told = {"text": result_text(value), "is_error": False}
    receipt: dict[str, Any] = {"result": came.value, "quoted": deed.prices}
    settled = means.do(ledger.settle, attempt_id, "succeed", receipt=receipt, result=told)
    if settled.outcome == "settled":
        _log.error("a receipt came for attempt %s, which was settled already: check it with the provider", attempt_id)
    return _ours(claim, settled)


def not_done(means: Means, claim: Claim, attempt_id: UUID, why: str) -> Done:
    """It surely did not happen, and may not be tried any more; `why` is a sentence. Raises LeaseLost as `record` does."""
    return _no(means, claim, attempt_id, why, f"Not done: {why}")


def doubt(means: Means, claim: Claim, opened: OpenEffect, why: str) -> Done:
    """Nobody can tell whether it happened: the run stops, and a person is asked."""
    _log.error("effect %s of pause %s is in doubt: %s", opened.effect_id, opened.pause_id, why)
    ask = [
        f"person:{one.id}"
        for one in means.do(people.everybody).holders(opened.doubt_role)
        if one.id != opened.on_behalf_of
    ]
    if not ask:
        _log.error(
            "NOBODY CAN SAY WHAT BECAME OF effect %s: nobody but the requester has the role %r",
            opened.effect_id,
            opened.doubt_role,
        )
    settled = means.do(ledger.settle, opened.attempt_id, "doubt", epoch=claim.epoch, error=why, ask=ask)
    return Done(settled.run_status)


def _no(means: Means, claim: Claim, attempt_id: UUID, why: str, told: str) -> Done:
    result = {"text": told, "is_error": True}
    return _ours(claim, means.do(ledger.settle, attempt_id, "fail", epoch=claim.epoch, error=why, result=result))


def _ours(claim: Claim, settled: ledger.Settled) -> Done:
    if settled.epoch != claim.epoch:
        raise LeaseLost(f"run {claim.id} was taken over during a call; what came of the call is on record")
    return Done(settled.run_status)
