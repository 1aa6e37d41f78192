"""Do one call that has an effect, once: begin it in the ledger, call the provider, record what came of it; or find out what did.

No transaction is open during a call. What cannot be known is never guessed: the same key is repeated inside the provider's window;
outside it, or when that leads nowhere, the earlier call must have ended and the provider is asked whether it happened; and if even
that cannot be told, the run stops and a person is asked.
"""

import logging
from dataclasses import dataclass
from datetime import timedelta
from typing import Any
from uuid import UUID

from engine.errors import ProviderRefused
from engine.models import Claim, OpenEffect, Quote, Run
from engine.state import ledger
from engine.tool import Bound, Effect, InvalidArguments, Tool, result_text
from engine.workers.means import Means

_log = logging.getLogger(__name__)

MOST_TRIES = 4
"""Calls with one key before the provider is asked whether it happened."""

MARGIN_S = 5
"""After a call's own time limit, until it has provably ended."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Deed:
    """A call with an effect, ready to be done: what, by what right, with which credential.

    `approved` and `quote` are for the receipt; `note` is what the model must be told beside the result.
    """

    run: Run
    n: int
    tool: Tool
    bound: Bound
    intent: ledger.Intent
    credential: str
    approved: Quote | None = None
    quote: Quote | None = None
    note: str = ""


@dataclass(frozen=True, slots=True)
class Done:
    """Its outcome is on record; `status` is where the run stands now."""

    status: str


@dataclass(frozen=True, slots=True)
class NotDone:
    """Nothing was begun. why: halted, held, not_approved, altered, late, settled (look again)."""

    why: str


@dataclass(frozen=True, slots=True)
class _Came:
    """What came of a call: "succeed" with a value, "fail" with the provider's words, or "unknown"."""

    verdict: str
    value: Any = None
    said: str = ""


def perform(means: Means, claim: Claim, deed: Deed) -> Done | NotDone:
    """Do it, or find out whether it was done. Raises LeaseLost when the run is another worker's."""
    opened = means.do(ledger.opened, claim.id, deed.run.iterations, deed.n)
    if opened is not None:
        return _reconcile(means, claim, deed, opened)
    begun = means.do(ledger.begin, claim, deed.intent, lease_s=means.lease_s)
    if isinstance(begun, ledger.NotBegun):
        return NotDone("settled" if begun.why == "exists" else begun.why)
    came = _call(deed, begun.attempt_id, since=0)
    if came.verdict != "unknown":
        return _record(means, deed, begun.attempt_id, came)
    opened = means.do(ledger.opened, claim.id, deed.run.iterations, deed.n)
    assert opened is not None
    return _reconcile(means, claim, deed, opened)


def call_s(tool: Tool) -> float:
    """How long one call may be under way, in seconds, until it has provably ended."""
    return tool.timeout_s + MARGIN_S


def _reconcile(means: Means, claim: Claim, deed: Deed, opened: OpenEffect) -> Done | NotDone:
    """An attempt is open, or a person said it did not happen: repeat, or look, or begin anew, or ask."""
    for waited in (0.0, 0.5, 2.0, 4.0, 8.0):
        if means.stop.wait(waited):
            return NotDone("settled")
        if opened.status != "attempted":
            return NotDone("settled")
        if opened.attempt_status != "open":
            return _anew(means, claim, deed, opened)
        if (
            opened.tries >= MOST_TRIES
            or opened.now > opened.started_at + timedelta(seconds=deed.tool.key_window_s) * 0.9
        ):
            return _look(means, claim, deed, opened)
        outcome = means.do(ledger.repeat, claim, opened.attempt_id, call_s=call_s(deed.tool), lease_s=means.lease_s)
        if outcome != "repeat":
            return NotDone(outcome)
        came = _call(deed, opened.attempt_id, since=int(opened.started_at.timestamp()))
        if came.verdict != "unknown":
            return _record(means, deed, opened.attempt_id, came)
        opened = _opened(means, claim, deed)
    return _look(means, claim, deed, opened)


def _look(means: Means, claim: Claim, deed: Deed, opened: OpenEffect) -> Done | NotDone:
    """Ask the provider whether it happened. Only after the call has ended and its list has settled is "no" a no."""
    if "find" not in deed.tool.companions:
        return _doubt(means, opened, "The provider's answer was lost, and this tool has no way to look it up.")
    settled_at = opened.call_deadline + timedelta(seconds=deed.tool.settles_in_s)
    for sure in (False, True):
        if sure and means.stop.wait(max(0.0, (settled_at - opened.now).total_seconds())):
            return NotDone("settled")
        effect = _effect(deed, opened.attempt_id, since=int(opened.created_at.timestamp()))
        try:
            found = deed.tool.companion("find", effect=effect, **deed.bound.values)
        except Exception as error:  # noqa: BLE001  whatever it raises, it could not tell
            return _doubt(means, opened, f"The provider could not say whether it happened: {_words(error)}")
        if found is not None:
            return _record(means, deed, opened.attempt_id, _Came("succeed", found))
    return _anew(means, claim, deed, opened)


def _anew(means: Means, claim: Claim, deed: Deed, opened: OpenEffect) -> Done | NotDone:
    """The earlier call surely did nothing: a new attempt with a fresh key, once; if that is lost too, a later look decides."""
    attempt = means.do(ledger.replace, claim, opened.effect_id, call_s=call_s(deed.tool), lease_s=means.lease_s)
    if not isinstance(attempt, UUID):
        return NotDone(attempt)
    came = _call(deed, attempt, since=int(opened.created_at.timestamp()))
    if came.verdict != "unknown":
        return _record(means, deed, attempt, came)
    return _doubt(means, _opened(means, claim, deed), f"The provider's answer was lost twice: {came.said}")


def _opened(means: Means, claim: Claim, deed: Deed) -> OpenEffect:
    opened = means.do(ledger.opened, claim.id, deed.run.iterations, deed.n)
    assert opened is not None, "an effect that was begun stays"
    return opened


def _doubt(means: Means, opened: OpenEffect, why: str) -> Done:
    _log.error("effect %s of pause %s is in doubt: %s", opened.effect_id, opened.pause_id, why)
    return Done(means.do(ledger.settle, opened.attempt_id, "doubt", error=why).run_status)


def _record(means: Means, deed: Deed, attempt_id: UUID, came: _Came) -> Done:
    if came.verdict == "fail":
        told = {"text": f"The provider refused it and nothing was done: {came.said}", "is_error": True}
        settled = means.do(ledger.settle, attempt_id, "fail", error=came.said, result=told)
    else:
        quoted = None
        if deed.approved and deed.quote:
            quoted = {"approved": deed.approved.price.to_document(), "now": deed.quote.price.to_document()}
        value = came.value
        if deed.note:
            value = value | {"note": deed.note} if isinstance(value, dict) else f"{result_text(value)}\n{deed.note}"
        text = result_text(value)
        settled = means.do(ledger.settle, attempt_id, "succeed", receipt={"result": came.value, "quoted": quoted},
                           result={"text": text, "is_error": False})  # fmt: skip
    if settled.outcome == "settled":
        _log.error("a receipt came for attempt %s, which was settled already: check it with the provider", attempt_id)
    return Done(settled.run_status)


def _call(deed: Deed, attempt_id: UUID, *, since: int) -> _Came:
    try:
        value = deed.tool.run(deed.bound, _effect(deed, attempt_id, since=since))
    except ProviderRefused as refused:
        return _Came("fail", said=_words(refused))
    except Exception as error:  # noqa: BLE001  a timeout, a cut connection, a bug in the tool: nobody knows what happened
        _log.warning("call of %s with key %s: %s", deed.tool.name, attempt_id, _words(error))
        return _Came("unknown", said=_words(error))
    try:
        result_text(value)
    except InvalidArguments as error:  # it happened; only its words cannot be kept
        value = {"note": str(error)}
    return _Came("succeed", value)


def _effect(deed: Deed, attempt_id: UUID, *, since: int) -> Effect:
    metadata = {"effect_key": deed.intent.effect_key, "run_id": str(deed.run.id)}
    if deed.intent.pause_id:
        metadata["pause_id"] = str(deed.intent.pause_id)
    return Effect(
        attempt_key=str(attempt_id),
        effect_key=deed.intent.effect_key,
        metadata=metadata,
        credential=deed.credential,
        since=since,
    )


def _words(error: Exception) -> str:
    return f"{type(error).__name__}: {error}"[:500]
