"""Do one call that has an effect, once: begin it in the ledger, call the provider, record what came of it; or find out what did.

No transaction is open during a call. What cannot be known is never guessed: the same key is repeated inside the provider's window;
outside it, or when that leads nowhere, the earlier call must have ended and the provider is asked whether it happened; and if even
that cannot be told, the run stops and a person is asked.
"""

import logging
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Final
from uuid import UUID

from engine.errors import LeaseLost
from engine.models import Claim, OpenEffect
from engine.results import result_text
from engine.state import ledger, people
from engine.tool import Tool
from engine.workers.attempts import MARGIN_S, Came, Deed, began, call, call_s, look
from engine.workers.credentials import GrantGone, Minted, Unreachable
from engine.workers.means import Means
from engine.workers.moments import Moment

_log = logging.getLogger(__name__)

BETWEEN_TRIES_S: Final = (0.0, 0.5, 2.0)
"""Waits before the same key is repeated; after the last the provider is asked whether it happened."""

BETWEEN_LOOKS_S: Final = (1.0, 3.0, 9.0)
"""Waits before the provider is asked once more whether it happened, when it could not say; then a person is asked."""

ANY_TIME_S: Final = 10**9
"""For a key with which surely nothing was done yet: it is no repetition, however long ago it was first put on record."""

MOST_TRIES: Final = 1 + len(BETWEEN_TRIES_S)
"""Calls with one key, those before a crash included."""


@dataclass(frozen=True, slots=True)
class Done:
    """Its outcome is on record; `status` is where the run stands now."""

    status: str


@dataclass(frozen=True, slots=True)
class NotDone:
    """Nothing is known to be done yet. why: halted, held, not_approved, altered, late; exists, settled or spent (look at the rows again)."""

    why: str


@dataclass(frozen=True, slots=True)
class _Absent:
    """It surely did not happen; `said` is how the provider last refused it, "" if it did not."""

    said: str


def begin(means: Means, claim: Claim, deed: Deed, intent: ledger.Intent) -> Done | NotDone | GrantGone | Unreachable:
    """Do what nobody has begun; without a credential nothing is begun. Raises LeaseLost when the run is another worker's."""
    minted = deed.borrowed.mint(call_s(deed.tool))
    if not isinstance(minted, Minted):
        return minted
    asked = Moment.now()
    begun = means.do(ledger.begin, claim, intent, lease_s=means.lease_s, quoted=deed.prices)
    if isinstance(begun, ledger.NotBegun):
        return NotDone(begun.why)
    if kept_from := _in_time(means, claim, deed, begun.attempt_id, asked):
        return kept_from
    came = call(deed, begun.attempt_id, minted, since=0)
    if came.verdict == "fail" and deed.borrowed.failed():
        came = _with_another(means, claim, deed, begun.attempt_id, came)
    if came.verdict == "unknown":
        return reconcile(means, claim, deed)
    return _record(means, claim, deed, begun.attempt_id, came)


def reconcile(means: Means, claim: Claim, deed: Deed) -> Done | NotDone | Unreachable:
    """Find out what became of an effect that was begun; what surely did not happen is tried anew, once. Raises LeaseLost.

    Unreachable: it surely did not happen, and there is no credential now to try it anew with.
    """
    opened = _opened(means, deed)
    deed = replace(deed, prices=opened.quoted)
    if opened.status != "attempted":
        return NotDone("settled")
    if opened.attempt_status != "open":
        return _on_a_persons_word(means, claim, deed, opened)
    known = _pursue(means, claim, deed, opened)
    if not isinstance(known, _Absent):
        return known
    if said := known.said or deed.barred:
        return _record(means, claim, deed, opened.attempt_id, Came("fail", said=said))
    return _anew(means, claim, deed, opened)


def _on_a_persons_word(means: Means, claim: Claim, deed: Deed, opened: OpenEffect) -> Done | NotDone | Unreachable:
    """A person said that it did not happen: once the last call has surely ended and its list has settled, the provider may know better.

    One that cannot be asked, or cannot tell, does not outweigh the person.
    """
    has_list = "find" in deed.tool.companions
    wait_s = (opened.call_deadline - opened.now).total_seconds() + (deed.tool.settles_in_s if has_list else 0)
    if wait_s > 0 and means.stop.wait(wait_s):
        return NotDone("settled")
    found = _found(means, deed, opened) if has_list else None
    if means.stop.is_set():
        return NotDone("settled")
    if found is not None and found.verdict == "succeed":
        return _record(means, claim, deed, opened.attempt_id, found)
    return _anew(means, claim, deed, opened)


def _anew(means: Means, claim: Claim, deed: Deed, opened: OpenEffect) -> Done | NotDone | Unreachable:
    """The call before surely did nothing: one more, with a fresh key."""
    minted = GrantGone(deed.barred) if deed.barred else deed.borrowed.mint(call_s(deed.tool))
    if isinstance(minted, Unreachable):
        return minted
    asked = Moment.now()
    attempt = means.do(ledger.replace, claim, opened.effect_id, call_s=call_s(deed.tool), lease_s=means.lease_s)
    if not isinstance(attempt, UUID):
        return NotDone(attempt)
    if isinstance(minted, GrantGone):
        return _record(means, claim, deed, attempt, Came("fail", said=minted.why))
    if kept_from := _in_time(means, claim, deed, attempt, asked):
        return kept_from
    came = call(deed, attempt, minted, since=began(opened))
    if came.verdict == "fail" and deed.borrowed.failed():
        came = _with_another(means, claim, deed, attempt, came)
    if came.verdict == "unknown":
        known = _pursue(means, claim, deed, _opened(means, deed))
        if not isinstance(known, _Absent):
            return known
        came = Came("fail", said=known.said or f"it did not answer, twice ({came.said})")
    return _record(means, claim, deed, attempt, came)


def _with_another(means: Means, claim: Claim, deed: Deed, attempt_id: UUID, refused: Came) -> Came:
    """Refused with a credential that was good no more by then: once more with another, if there is one; else why there is none."""
    minted = deed.borrowed.mint(call_s(deed.tool))
    if isinstance(minted, GrantGone):
        return Came("fail", said=minted.why)
    if isinstance(minted, Unreachable):
        return refused
    asked = Moment.now()
    outcome = _repeat(means, claim, deed, attempt_id, within_s=ANY_TIME_S)
    if outcome != "repeat" or _is_late(asked):
        return refused
    return call(deed, attempt_id, minted, since=began(_opened(means, deed)))


def doubt(means: Means, opened: OpenEffect, why: str) -> Done:
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
    return Done(means.do(ledger.settle, opened.attempt_id, "doubt", error=why, ask=ask).run_status)


def _is_late(asked: Moment) -> bool:
    """Whether a call put on record since then would come so late that it may outlast its deadline, on whose being over others count."""
    return asked.age_s() > MARGIN_S / 2


def _in_time(means: Means, claim: Claim, deed: Deed, attempt_id: UUID, asked: Moment) -> NotDone | None:
    """Why an attempt's first call must not be made; None: it may, now. Raises LeaseLost.

    A process that stood still on its way there puts it on record once more: with this key nothing was called yet, unless another worker
    took the run over, and then the record refuses.
    """
    while _is_late(asked):
        asked = Moment.now()
        outcome = _repeat(means, claim, deed, attempt_id, within_s=ANY_TIME_S)
        if outcome != "repeat" or means.stop.is_set():
            return NotDone("settled" if outcome == "repeat" else outcome)
    return None


def remembered_s(tool: Tool) -> float:
    """For how long after the first call with a key another may be begun: while it is under way the provider still knows the key."""
    return min(tool.key_window_s * 0.9, tool.key_window_s - call_s(tool))


def _pursue(means: Means, claim: Claim, deed: Deed, opened: OpenEffect) -> Done | NotDone | _Absent:
    """Repeat an open attempt's key while the provider remembers it, then ask the provider whether it happened.

    A refusal of a repeat says nothing of the call before it, whose answer was lost (the key may have been revoked meanwhile).
    """
    refused = ""
    remembered = timedelta(seconds=remembered_s(deed.tool))
    for wait_s in BETWEEN_TRIES_S:
        too_late = opened.now + timedelta(seconds=wait_s) >= opened.started_at + remembered
        if deed.barred or refused or opened.tries >= MOST_TRIES or too_late:
            break
        if means.stop.wait(wait_s):
            return NotDone("settled")
        minted = deed.borrowed.mint(call_s(deed.tool))
        if not isinstance(minted, Minted):
            break
        asked = Moment.now()
        outcome = _repeat(means, claim, deed, opened.attempt_id, within_s=remembered_s(deed.tool))
        if outcome == "over":
            break
        if outcome != "repeat":
            return NotDone(outcome)
        if _is_late(asked):  # the key's time may be over meanwhile: look again
            opened = _opened(means, deed)
            continue
        came = call(deed, opened.attempt_id, minted, since=began(opened))
        if came.verdict == "succeed":
            return _record(means, claim, deed, opened.attempt_id, came)
        refused = came.said if came.verdict == "fail" else ""
        opened = _opened(means, deed)
    return _look(means, claim, deed, opened, refused)


def _repeat(means: Means, claim: Claim, deed: Deed, attempt_id: UUID, *, within_s: float) -> str:
    """Put one more call with the same key on record, if its first is not longer ago."""
    return means.do(
        ledger.repeat, claim, attempt_id, within_s=within_s, call_s=call_s(deed.tool), lease_s=means.lease_s
    )


def _look(means: Means, claim: Claim, deed: Deed, opened: OpenEffect, refused: str) -> Done | NotDone | _Absent:
    """Ask the provider whether it happened. Only after the call has ended and its list has settled is "no" a no."""
    if "find" not in deed.tool.companions:
        why = f" {deed.tool.no_find}" if deed.tool.no_find else ""
        return doubt(means, opened, f"The provider's answer was lost, and this tool has no way to look it up.{why}")
    while True:
        found = _found(means, deed, opened)
        if means.stop.is_set():
            return NotDone("settled")
        if found is not None and found.verdict == "unknown":
            return doubt(means, opened, f"The provider could not say whether it happened: {found.said}")
        if found is not None:
            return _record(means, claim, deed, opened.attempt_id, found)
        settles_at = opened.call_deadline + timedelta(seconds=deed.tool.settles_in_s)
        if settles_at <= opened.now:
            return _Absent(refused)
        if means.stop.wait((settles_at - opened.now).total_seconds()):
            return NotDone("settled")
        opened = _opened(means, deed)


def _found(means: Means, deed: Deed, opened: OpenEffect) -> Came | None:
    """What the provider's own list says: it happened, None (it is not there), or "unknown" when it cannot be asked, several times."""
    for wait_s in BETWEEN_LOOKS_S:
        found = look(deed, opened)
        if found is None or found.verdict == "succeed" or means.stop.wait(wait_s):
            return found
    return look(deed, opened)


def _opened(means: Means, deed: Deed) -> OpenEffect:
    opened = means.do(ledger.opened, deed.run.id, deed.run.iterations, deed.n)
    assert opened is not None, "an effect that was begun stays"
    return opened


def _record(means: Means, claim: Claim, deed: Deed, attempt_id: UUID, came: Came) -> Done:
    """Record it whoever has the run by now. Raises LeaseLost afterwards if it is no longer ours: only the receipt was."""
    if came.verdict == "fail":
        told = {"text": f"It was refused and not done: {came.said}", "is_error": True}
        settled = means.do(ledger.settle, attempt_id, "fail", epoch=claim.epoch, error=came.said, result=told)
    else:
        value = came.value
        if deed.note:
            value = value | {"note": deed.note} if isinstance(value, dict) else f"{result_text(value)}\n{deed.note}"
        told = {"text": result_text(value), "is_error": False}
        receipt = {"result": came.value, "quoted": deed.prices}
        settled = means.do(ledger.settle, attempt_id, "succeed", receipt=receipt, result=told)
    if settled.outcome == "settled" and came.verdict == "succeed":
        _log.error("a receipt came for attempt %s, which was settled already: check it with the provider", attempt_id)
    if settled.epoch != claim.epoch:
        raise LeaseLost(f"run {claim.id} was taken over during a call; what came of the call is on record")
    return Done(settled.run_status)
