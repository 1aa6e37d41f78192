"""What the payment provider knows: the payments, the idempotency keys, the revoked API keys, and its clock.

The one rule: its state is what its journal says. A payment and the answer saved under its key are one line there, so
that no kill leaves one without the other. Only the keys in use by a request that is still open are kept in memory.
"""

import threading
import time
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any

from bot.sandbox.faults import FaultScript
from bot.sandbox.journal import Journal
from bot.sandbox.stripe_lists import list_page
from bot.sandbox.stripe_search import search_page
from bot.sandbox.stripe_shapes import (
    CANCELABLE,
    Answer,
    Params,
    answer_with,
    error,
    no_such_intent,
    payment_intent,
    problem_with_cancel,
    problem_with_create,
)
from bot.sandbox.wire import Json

KEY_LIFE = 24 * 60 * 60
"""Seconds after which an idempotency key is forgotten, so that its reuse is a new request."""

LONGEST_KEY = 255

SEARCH_LAG = 60
"""Seconds after which search shows what happened, unless the test surface says otherwise: Stripe promises "under 1 minute"."""

FAULTS = frozenset({"down", "drop_before", "drop_after", "500_after", "hang_after", "list_lags"})
"""`list_lags` is for requests of the list alone (`{"endpoint": "list"}`), which then are answered from a copy that is behind."""

_FAILED = error("An unknown error occurred", status=HTTPStatus.INTERNAL_SERVER_ERROR, kind="api_error")
_NO_KEY = (
    "You did not provide an API key. You need to provide your API key in the Authorization header, using Bearer auth "
    "(e.g. 'Authorization: Bearer YOUR_SECRET_KEY')."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """A request as it arrived: the path, its parameters, its idempotency key if any, and the fault it is to meet.

    `behind`: from how many seconds ago its answer is, where it reads from a copy that lags.
    """

    path: str
    params: Params
    key: str | None = None
    fault: str | None = None
    behind: int = 0


class Provider:
    """A payment provider with teeth: it remembers, replays and refuses as Stripe does. Safe to use from threads."""

    def __init__(self, journal: Journal, *, clock: Callable[[], float] = time.time) -> None:
        self.faults = FaultScript(FAULTS)
        self._journal = journal
        self._clock = clock
        self._ahead = 0
        self._search_lag = SEARCH_LAG
        self._payments: dict[str, Json] = {}
        self._versions: list[tuple[int, Json]] = []
        self._saved: dict[str, Json] = {}
        self._revoked: set[str] = set()
        self._in_use: set[str] = set()
        self._changed = threading.Condition()
        for event in journal.replay():
            self._apply(event)

    def now(self) -> int:
        """The provider's time, in whole seconds since 1970."""
        return int(self._clock()) + self._ahead

    def refusal_of(self, authorization: str | None) -> Answer | None:
        """401 for a request without a usable `Bearer` key (secret or restricted, test mode); None if it may go on."""
        scheme, _, key = (authorization or "").partition(" ")
        status = HTTPStatus.UNAUTHORIZED
        if scheme != "Bearer" or not key:
            return error(_NO_KEY, status=status)
        if not key.startswith(("sk_test_", "rk_test_")):
            return error(f"Invalid API Key provided: {key[:8]}****", status=status)
        if key in self._revoked:
            return error(f"Expired API Key provided: {key[:8]}****", status=status, code="api_key_expired")
        return None

    def create(self, call: Call) -> Answer:
        """Make a PaymentIntent, and charge it if it is to be confirmed."""

        def make() -> Json | Answer:
            intent_id = f"pi_{uuid.uuid4().hex[:24]}"
            return problem_with_create(call.params) or payment_intent(
                call.params, intent_id=intent_id, created=self.now()
            )

        return self._once(call, make)

    def cancel(self, call: Call, intent_id: str) -> Answer:
        """Cancel a PaymentIntent that has not succeeded."""

        def cancelled() -> Json | Answer:
            if problem := problem_with_cancel(call.params):
                return problem
            intent = self._payments.get(intent_id)
            if intent is None:
                return no_such_intent(intent_id)
            if intent["status"] not in CANCELABLE:
                message = (
                    f"You cannot cancel this PaymentIntent because it has a status of {intent['status']}. Only a "
                    f"PaymentIntent with one of the following statuses may be canceled: {', '.join(CANCELABLE)}."
                )
                return error(message, code="payment_intent_unexpected_state")
            reason = call.params.get("cancellation_reason")
            when = {"canceled_at": self.now(), "cancellation_reason": reason}
            return {**intent, **when, "status": "canceled"}

        return self._once(call, cancelled)

    def retrieve(self, intent_id: str) -> Answer:
        """One PaymentIntent, or 404."""
        with self._changed:
            intent = self._payments.get(intent_id)
        return no_such_intent(intent_id) if intent is None else Answer(body=intent)

    def page(self, params: Params, *, behind: int = 0) -> Answer:
        """One page of PaymentIntents, newest first, by customer and time of creation; as they were so many seconds ago."""
        return list_page((self._as_of(behind) if behind else self.payments())[::-1], params)

    def search(self, params: Params) -> Answer:
        """One page of the PaymentIntents that a query finds, newest first, as far as the search has come: it is always behind."""
        return search_page(self._as_of(self._search_lag)[::-1], params)

    def payments(self) -> list[Json]:
        """Every PaymentIntent, failed ones too, in the order in which they were made."""
        with self._changed:
            return list(self._payments.values())

    def wait_for(self, order_ref: str, *, seconds: float) -> Json | None:
        """The first payment with this order_ref in its metadata, as soon as it is stored; None if it does not come."""

        def stored() -> Json | None:
            return next((p for p in self._payments.values() if p["metadata"].get("order_ref") == order_ref), None)

        with self._changed:
            return self._changed.wait_for(stored, timeout=seconds)

    def let_go(self, key: str | None) -> None:
        """The request that held this idempotency key has ended: from now on the key replays its answer."""
        with self._changed:
            self._in_use.discard(key or "")
            self._changed.notify_all()

    def wait_until_free(self, key: str, *, seconds: float) -> bool:
        """True as soon as no open request holds this idempotency key; False if one still does after so many seconds."""
        with self._changed:
            return self._changed.wait_for(lambda: key not in self._in_use, timeout=seconds)

    def advance(self, seconds: int) -> int:
        """Move the provider's clock forward; returns the new time."""
        self._record({"advance": seconds})
        return self.now()

    def lag_search(self, seconds: int) -> None:
        """Let the search be so many seconds behind from now on; in an outage Stripe's may be an hour."""
        self._record({"search_lag": seconds})

    def revoke(self, api_key: str) -> None:
        """Refuse this API key from now on, as an expired one."""
        self._record({"revoke": api_key})

    def _as_of(self, seconds_ago: int) -> list[Json]:
        """Every PaymentIntent as it was then, in the order in which they were made."""
        with self._changed:
            then = self.now() - seconds_ago
            return list({payment["id"]: payment for at, payment in self._versions if at <= then}.values())

    def _once(self, call: Call, execute: Callable[[], Json | Answer]) -> Answer:
        """Execute the call, or answer as its idempotency key asks.

        `execute` returns the PaymentIntent as it is to be stored, or the answer to a request that failed before
        anything began: only the first kind is saved under the key.
        """
        with self._changed:
            if call.key and (remembered := self._recall(call, call.key)):
                return remembered
            outcome = execute()
            if isinstance(outcome, Answer):
                return outcome
            answer = _FAILED if call.fault == "500_after" else answer_with(outcome)
            saved = {"path": call.path, "params": dict(call.params), "status": answer.status, "body": answer.body}
            self._record({"payment": outcome, "key": call.key, "saved": {**saved, "at": self.now()}})
            if call.fault == "hang_after" and call.key:
                self._in_use.add(call.key)
            return answer

    def _recall(self, call: Call, key: str) -> Answer | None:
        """What the key alone decides: an error, or the answer saved under it; None if the request is new."""
        if len(key) > LONGEST_KEY:
            return error(f"Idempotency keys can have up to {LONGEST_KEY} characters, but you passed in {len(key)}.")
        if key in self._in_use:
            message = (
                "There is currently another in-progress request using this Idempotent Key (that probably means you "
                f"submitted twice, and the other request is still going through): {key}. Please try again later."
            )
            return error(message, status=HTTPStatus.CONFLICT, code="idempotency_key_in_use")
        saved = self._saved.get(key)
        if saved is None or self.now() - saved["at"] >= KEY_LIFE:
            return None
        if saved["path"] != call.path:
            return _misused(key, "for the same endpoint they were first used for")
        if saved["params"] != call.params:
            return _misused(key, "with the same parameters they were first used with")
        return Answer(status=saved["status"], body=saved["body"], headers={"Idempotent-Replayed": "true"})

    def _record(self, event: Json) -> None:
        with self._changed:
            self._journal.append(event)
            self._apply(event)
            self._changed.notify_all()

    def _apply(self, event: Mapping[str, Any]) -> None:
        """The only place where the state changes: for an event that happens, and for one read back from the journal."""
        match event:
            case {"payment": payment, "key": key, "saved": saved}:
                self._payments[payment["id"]] = payment
                self._versions.append((saved["at"], payment))
                if key is not None:
                    self._saved[key] = saved
            case {"advance": seconds}:
                self._ahead += seconds
            case {"search_lag": seconds}:
                self._search_lag = seconds
            case {"revoke": api_key}:
                self._revoked.add(api_key)
            case _:
                raise ValueError(f"the provider's journal has a line it does not know: {event!r}")


def _misused(key: str, only: str) -> Answer:
    message = (
        f"Keys for idempotent requests can only be used {only}. Try using a key other than '{key}' if you meant to "
        "execute a different request."
    )
    return error(message, kind="idempotency_error")
