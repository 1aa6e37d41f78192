"""Do one call that has an effect, once: begin it in the ledger, call the provider, record what came of it; or find out what did.

No transaction is open during a call. What cannot be known is never guessed: the same key is repeated inside the provider's window;
outside it, or when that leads nowhere, the earlier call must have ended and the provider is asked whether it happened; and if even
that cannot be told, the run stops and a person is asked.
"""

from contextlib import nullcontext
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Final
from uuid import UUID

from engine.models import Claim, OpenEffect
from engine.state import ledger
from engine.tool import Tool
from engine.workers import again, revalidate, standstill
from engine.workers.attempts import MARGIN_S, Came, Deed, began, call, call_s, look
from engine.workers.credentials import GrantGone, Minted, Unreachable
from engine.workers.means import Means
from engine.workers.moments import Moment
from engine.workers.receipts import Done, doubt, not_done, record

BETWEEN_TRIES_S: Final = (0.0, 0.5, 2.0)
"""Waits before the same key is repeated; after the last the provider is asked whether it happened."""

BETWEEN_LOOKS_S: Final = (1.0, 3.0, 9.0)
"""Waits before the provider is asked once more whether it happened, when it could not say; then a person is asked."""

ANY_TIME_S: Final = 10**9
"""For a key with which surely nothing was done yet: it is no repetition, however long ago it was first put on record."""

LONG_S: Final = 30
"""A wait for a provider's list that is longer has another thread take this one's place."""

_OVER: Final = {"withdrawn": again.WITHDRAWN, "late": revalidate.LATE, "altered": again.ALTERED}
"""Why no call is made any more, in words, by what the ledger answers."""

MOST_TRIES: Final = 1 + len(BETWEEN_TRIES_S)
"""Calls with one key, those before a crash included."""


@dataclass(frozen=True, slots=True)
class NotDone:
    """Nothing is known to be done yet. why: halted, held, not_approved, altered, late; exists, settled or spent (look at the rows again); stopping."""

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
    return record(means, claim, deed, begun.attempt_id, came)


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
    if known.said:
        return record(means, claim, deed, opened.attempt_id, Came("fail", said=known.said))
    return _anew(means, claim, deed, opened)


def _on_a_persons_word(means: Means, claim: Claim, deed: Deed, opened: OpenEffect) -> Done | NotDone | Unreachable:
    """A person said that it did not happen: once the last call has surely ended and its list has settled, the provider may know better.

    One that cannot be asked, or cannot tell, does not outweigh the person.
    """
    has_list = "find" in deed.tool.companions
    wait_s = (opened.call_deadline - opened.now).total_seconds() + (deed.tool.settles_in_s if has_list else 0)
    if _wait(means, wait_s):
        return NotDone("stopping")
    found = _found(means, deed, opened) if has_list else None
    if means.stop.is_set():
        return NotDone("stopping")
    if found is not None and found.verdict == "succeed":
        return record(means, claim, deed, opened.attempt_id, found)
    return _anew(means, claim, deed, opened)


def without_tool(means: Means, claim: Claim, opened: OpenEffect) -> Done | NotDone:
    """The tool of an effect that was begun is gone, or takes other arguments: nothing can be called or looked up any more."""
    if opened.attempt_status == "open":
        why = f"The tool {opened.tool} changed after it was begun, and can no longer find out what became of it."
        return doubt(means, claim, opened, why)
    wait_s = (opened.call_deadline - opened.now).total_seconds()
    if _wait(means, wait_s):
        return NotDone("stopping")
    why = (
        f"By a person's word it did not happen, and the tool {opened.tool} changed since, so it cannot be tried again."
    )
    return not_done(means, claim, opened.attempt_id, why)


def _anew(means: Means, claim: Claim, deed: Deed, opened: OpenEffect) -> Done | NotDone | Unreachable:
    """The call before surely did nothing: one more, with a fresh key, if all that must hold for a first one still does."""
    still = deed.barred or deed.still(opened.effect_id)
    if isinstance(still, str):
        return not_done(means, claim, opened.attempt_id, still)
    minted = deed.borrowed.mint(call_s(deed.tool))
    if isinstance(minted, Unreachable):
        if deed.pause_id or not standstill.is_given_up(means, deed.run.id):
            return minted
        return not_done(means, claim, opened.attempt_id, f"{minted.why} {standstill.GIVEN_UP}")
    if isinstance(minted, GrantGone):
        return not_done(means, claim, opened.attempt_id, minted.why)
    asked = Moment.now()
    attempt = means.do(
        ledger.replace, claim, opened.effect_id, call_s=call_s(deed.tool), lease_s=means.lease_s, spend=still.spend, quoted=still.prices
    )  # fmt: skip
    if not isinstance(attempt, UUID):
        return not_done(means, claim, opened.attempt_id, _OVER[attempt]) if attempt in _OVER else NotDone(attempt)
    deed = replace(deed, prices=still.prices or deed.prices)
    return _in_time(means, claim, deed, attempt, asked) or _fresh(means, claim, deed, attempt, minted)


def _fresh(means: Means, claim: Claim, deed: Deed, attempt: UUID, minted: Minted) -> Done | NotDone:
    """Call with a fresh key; what surely did not happen then either is not tried a third time."""
    came = call(deed, attempt, minted, since=began(_opened(means, deed)))
    if came.verdict == "fail" and deed.borrowed.failed():
        came = _with_another(means, claim, deed, attempt, came)
    if came.verdict == "unknown":
        known = _pursue(means, claim, deed, _opened(means, deed))
        if not isinstance(known, _Absent):
            return known
        came = Came("fail", said=known.said or f"it did not answer, twice ({came.said})")
    return record(means, claim, deed, attempt, came)


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


def _is_late(asked: Moment) -> bool:
    """Whether a call put on record since then would come so late that it may outlast its deadline, on whose being over others count."""
    return asked.age_s() > MARGIN_S / 2


def _in_time(means: Means, claim: Claim, deed: Deed, attempt_id: UUID, asked: Moment) -> Done | NotDone | None:
    """Why an attempt's first call must not be made; None: it may, now. Raises LeaseLost.

    A process that stood still on its way there puts it on record once more: with this key nothing was called yet, unless another worker
    took the run over, and then the record refuses.
    """
    while _is_late(asked):
        asked = Moment.now()
        outcome = _repeat(means, claim, deed, attempt_id, within_s=ANY_TIME_S)
        if outcome == "withdrawn":
            return not_done(means, claim, attempt_id, again.WITHDRAWN)
        if outcome != "repeat" or means.stop.is_set():
            return NotDone("stopping" if outcome == "repeat" else outcome)
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
            return NotDone("stopping")
        minted = deed.borrowed.mint(call_s(deed.tool))
        if not isinstance(minted, Minted):
            break
        asked = Moment.now()
        outcome = _repeat(means, claim, deed, opened.attempt_id, within_s=remembered_s(deed.tool))
        if outcome in ("over", "withdrawn"):  # whoever withdrew wants no call that may be the first to happen
            break
        if outcome != "repeat":
            return NotDone(outcome)
        if _is_late(asked):  # the key's time may be over meanwhile: look again
            opened = _opened(means, deed)
            continue
        came = call(deed, opened.attempt_id, minted, since=began(opened))
        if came.verdict == "succeed":
            return record(means, claim, deed, opened.attempt_id, came)
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
        return doubt(
            means, claim, opened, f"The provider's answer was lost, and this tool has no way to look it up.{why}"
        )
    while True:
        found = _found(means, deed, opened)
        if means.stop.is_set():
            return NotDone("stopping")
        if found is not None and found.verdict == "unknown":
            return doubt(means, claim, opened, f"The provider could not say whether it happened: {found.said}")
        if found is not None:
            return record(means, claim, deed, opened.attempt_id, found)
        settles_at = opened.call_deadline + timedelta(seconds=deed.tool.settles_in_s)
        if settles_at <= opened.now:
            return _Absent(refused)
        if _wait(means, (settles_at - opened.now).total_seconds()):
            return NotDone("stopping")
        opened = _opened(means, deed)


def _found(means: Means, deed: Deed, opened: OpenEffect) -> Came | None:
    """What the provider's own list says: it happened, None (it is not there), or "unknown" when it cannot be asked, several times."""
    for wait_s in BETWEEN_LOOKS_S:
        found = look(deed, opened)
        if found is None or found.verdict == "succeed" or means.stop.wait(wait_s):
            return found
    return look(deed, opened)


def _wait(means: Means, wait_s: float) -> bool:
    """Wait until an earlier call is over and listed; True if the worker is to end. Hold, halt and withdrawal are looked at after it, before any call."""
    if wait_s <= 0:
        return False
    with means.standing_still() if wait_s > LONG_S else nullcontext():
        return means.stop.wait(wait_s)


def _opened(means: Means, deed: Deed) -> OpenEffect:
    opened = means.do(ledger.opened, deed.run.id, deed.run.iterations, deed.n)
    assert opened is not None, "an effect that was begun stays"
    return opened
