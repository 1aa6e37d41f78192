"""What came of a call with an effect, put on record: its receipt, a sure no, or that nobody can tell.

The one rule: it is recorded by the attempt's id, whoever has the run by now; only then may a lost run be noticed.
"""

import json
import logging
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID

from engine.errors import LeaseLost
from engine.models import Claim, OpenEffect
from engine.results import result_text
from engine.state import ledger, outage, people
from engine.workers.attempts import Came, Deed
from engine.workers.means import Means

_log = logging.getLogger(__name__)

LONGEST_WAIT_S: Final = 5.0
"""Between two tries to record what came of a call while the database is away."""


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
    return _ours(claim, _settle(means, attempt_id, "succeed", receipt=receipt, result=told))


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
    return Done(_settle(means, opened.attempt_id, "doubt", epoch=claim.epoch, error=why, ask=ask).run_status)


def _no(means: Means, claim: Claim, attempt_id: UUID, why: str, told: str) -> Done:
    result = {"text": told, "is_error": True}
    return _ours(claim, _settle(means, attempt_id, "fail", epoch=claim.epoch, error=why, result=result))


def _settle(means: Means, attempt_id: UUID, verdict: ledger.Verdict, **told: Any) -> ledger.Settled:
    """Put it on record, for as long as a lease at least if the database is away. What cannot be recorded is logged, for nobody else has it."""
    waits = _waits(means.lease_s)
    tries = 0
    while True:
        try:
            settled = means.do(ledger.settle, attempt_id, verdict, **told)
        except Exception as error:
            wait_s = next(waits, None) if isinstance(error, outage.Away) else None
            if wait_s is None:
                said = json.dumps(told.get("receipt")) if verdict == "succeed" else told.get("error")
                _log.exception("WHAT CAME OF attempt %s IS NOT ON RECORD: %s, %s", attempt_id, verdict, said)
                raise
            _log.warning("what came of attempt %s is not on record yet: %s", attempt_id, error)
            tries += 1
            if means.stop.wait(wait_s):  # even a worker that is to end has nothing more important to do
                time.sleep(wait_s)
            continue
        if settled.outcome == "settled" and verdict == "succeed" and not tries:  # after a try it may be our own
            _log.error(
                "a receipt came for attempt %s, which was settled already: check it with the provider", attempt_id
            )
        return settled


def _waits(in_all_s: float) -> Iterator[float]:
    """Waits that come to so many seconds, or a little more: short at first."""
    wait_s = 0.25
    while in_all_s > 0:
        yield wait_s
        in_all_s -= wait_s
        wait_s = min(wait_s * 2, LONGEST_WAIT_S)


def _ours(claim: Claim, settled: ledger.Settled) -> Done:
    if settled.epoch != claim.epoch:
        raise LeaseLost(f"run {claim.id} was taken over during a call; what came of the call is on record")
    return Done(settled.run_status)
