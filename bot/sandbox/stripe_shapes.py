"""Stripe's shapes, as JSON: a PaymentIntent, an error, and what is wrong with the parameters of a request.

Pure: form parameters in, answers out. Shapes and limits are those of docs.stripe.com/api (version 1), read in November
2026; the wording of an error is Stripe's where it is known.
"""

import re
from collections.abc import Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any

from bot.sandbox.wire import Json
from engine.rules.money import MoneyError, exponent

LARGEST_AMOUNT = 99_999_999
"""The amount supports up to eight digits."""

DECLINES = {
    "pm_card_declined": ("generic_decline", "Your card was declined."),
    "pm_card_visa_chargeDeclined": ("generic_decline", "Your card was declined."),
    "pm_card_visa_chargeDeclinedInsufficientFunds": ("insufficient_funds", "Your card has insufficient funds."),
}
"""Payment methods that are declined when they are charged: decline code and message."""

CANCELABLE = ("requires_payment_method", "requires_capture", "requires_confirmation", "requires_action", "processing")

_CREATE = {
    "amount",
    "automatic_payment_methods",
    "confirm",
    "currency",
    "customer",
    "description",
    "metadata",
    "off_session",
    "payment_method",
    "payment_method_types",
}
_CANCEL = {"cancellation_reason"}

Params = Mapping[str, str]
"""Form or query parameters as sent, nested ones under their full name: `metadata[order_ref]`, `created[gte]`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """A status, a JSON body and the headers beside Stripe's usual ones."""

    status: int = HTTPStatus.OK
    body: Json
    headers: Mapping[str, str] = field(default_factory=dict)


def error(
    message: str,
    *,
    status: int = HTTPStatus.BAD_REQUEST,
    kind: str = "invalid_request_error",
    code: str | None = None,
    param: str | None = None,
    **more: Any,
) -> Answer:
    """An error as Stripe answers it; `code` and `param` are left out when there is none."""
    details = {"code": code, "message": message, "param": param, "type": kind, **more}
    return Answer(status=status, body={"error": {name: value for name, value in details.items() if value is not None}})


def nested(params: Params, name: str) -> dict[str, str]:
    """The parameters under one name: `metadata[order_ref]=x` gives `{"order_ref": "x"}` for `metadata`."""
    return {key[len(name) + 1 : -1]: value for key, value in params.items() if key.startswith(f"{name}[")}


def payment_intent(params: Params, *, intent_id: str, created: int) -> Json:
    """A new PaymentIntent from valid parameters; confirmed at once, and then paid or declined, if they say so."""
    amount, method = int(params["amount"]), params.get("payment_method")
    intent: Json = {
        "id": intent_id,
        "object": "payment_intent",
        "amount": amount,
        "amount_capturable": 0,
        "amount_received": 0,
        "canceled_at": None,
        "cancellation_reason": None,
        "capture_method": "automatic",
        "client_secret": f"{intent_id}_secret_sandbox",
        "confirmation_method": "automatic",
        "created": created,
        "currency": params["currency"],
        "customer": params.get("customer"),
        "description": params.get("description"),
        "last_payment_error": None,
        "latest_charge": None,
        "livemode": False,
        "metadata": nested(params, "metadata"),
        "next_action": None,
        "payment_method": method,
        "payment_method_types": ["card"],
        "status": "requires_confirmation" if method else "requires_payment_method",
    }
    if params.get("confirm") != "true":
        return intent
    charge = {"latest_charge": intent_id.replace("pi_", "ch_", 1)}
    if method in DECLINES:
        declined = {"status": "requires_payment_method", "payment_method": None, "last_payment_error": _decline(method)}
        return intent | charge | declined
    return intent | charge | {"status": "succeeded", "amount_received": amount}


def answer_with(intent: Json) -> Answer:
    """The answer to the request that left a PaymentIntent so: itself, or 402 if its card was declined."""
    declined = intent["last_payment_error"]
    if declined and intent["status"] == "requires_payment_method":
        return Answer(status=HTTPStatus.PAYMENT_REQUIRED, body={"error": {**declined, "payment_intent": intent}})
    return Answer(body=intent)


def problem_with_create(params: Params) -> Answer | None:
    """The first thing wrong with the parameters of a create, or None."""
    return next(_create_problems(params), None)


def problem_with_cancel(params: Params) -> Answer | None:
    """The first thing wrong with the parameters of a cancel, or None."""
    return next(unknown(params, _CANCEL), None)


def no_such_intent(intent_id: str) -> Answer:
    """404 `resource_missing`."""
    message = f"No such payment_intent: '{intent_id}'"
    return error(message, status=HTTPStatus.NOT_FOUND, code="resource_missing", param="intent")


def unknown(params: Params, known: AbstractSet[str]) -> Iterator[Answer]:
    """A problem for each parameter that is not known."""
    for name in params:
        root = name.partition("[")[0]
        if root not in known:
            yield error(f"Received unknown parameter: {root}", code="parameter_unknown", param=root)


def integer(params: Params, name: str, *, least: int = 0) -> Iterator[Answer]:
    """A problem with a parameter that is there and no whole number from `least`. Rely on it only after it found none."""
    value = params.get(name, str(least))
    if not re.fullmatch("-?[0-9]+", value):
        yield error(f"Invalid integer: {value}", code="parameter_invalid_integer", param=name)
    if int(value) < least:
        message = f"This value must be greater than or equal to {least}."
        yield error(message, code="parameter_invalid_integer", param=name)


def page_size(params: Params) -> Iterator[Answer]:
    """A problem with `limit`, which is from 1 to 100."""
    yield from integer(params, "limit")
    if not 1 <= int(params.get("limit", 1)) <= 100:
        message = "This value must be between 1 and 100."
        yield error(message, code="parameter_invalid_integer", param="limit")


def _decline(method: str) -> Json:
    code, message = DECLINES[method]
    return {"code": "card_declined", "decline_code": code, "message": message, "type": "card_error"}


def _create_problems(params: Params) -> Iterator[Answer]:
    """Problems in the order Stripe finds them; each check may rely on those before it, as only the first is asked for."""
    yield from unknown(params, _CREATE)
    for name in ("amount", "currency"):
        if not params.get(name):
            yield error(f"Missing required param: {name}.", code="parameter_missing", param=name)
    yield from integer(params, "amount", least=1)
    if int(params["amount"]) > LARGEST_AMOUNT:
        yield error("Amount must be no more than 999,999.99.", code="amount_too_large", param="amount")
    yield from _currency(params["currency"], int(params["amount"]))
    yield from _metadata(nested(params, "metadata"))
    yield from _boolean(params, "confirm")
    yield from _boolean(params, "off_session")
    if params.get("confirm") == "true" and not params.get("payment_method"):
        message = "You cannot confirm this PaymentIntent because it's missing a payment method."
        yield error(message, code="payment_intent_unexpected_state")


def _boolean(params: Params, name: str) -> Iterator[Answer]:
    if params.get(name, "true") not in ("true", "false"):
        yield error(f"Invalid boolean: {params[name]}", param=name)


def _currency(code: str, amount: int) -> Iterator[Answer]:
    """Known, in lower case, and with an amount that can be paid.

    Stripe counts ISK in hundredths of whole krónur, and takes currencies of three decimals in steps of ten.
    """
    decimals = _decimals(code)
    if decimals is None:
        message = f"Invalid currency: {code}. Write a supported three-letter code in lower case, as in usd or eur."
        yield error(message, param="currency")
    step = 100 if code == "isk" else 10 if decimals == 3 else 1
    if amount % step:
        message = f"Invalid amount: {amount}. An amount in {code} must be divisible by {step}."
        yield error(message, code="invalid_charge_amount_no_decimal_compatible", param="amount")


def _decimals(code: str) -> int | None:
    try:
        return exponent(code.upper()) if code.islower() else None
    except MoneyError:
        return None


def _metadata(metadata: Mapping[str, str]) -> Iterator[Answer]:
    """At most 50 keys of 40 characters without square brackets, values of at most 500."""
    if len(metadata) > 50:
        yield error(f"Metadata can have up to 50 keys, but you passed in {len(metadata)}.", param="metadata")
    for key, value in metadata.items():
        if len(key) > 40:
            message = f"Metadata keys can have up to 40 characters, but you passed in one of {len(key)}: {key}"
            yield error(message, param="metadata")
        if "[" in key or "]" in key:
            yield error(f"Metadata keys cannot contain square brackets: {key}", param="metadata")
        if len(value) > 500:
            message = (
                "Metadata values can have up to 500 characters, but you passed in a value that is "
                f"{len(value)} characters. Invalid value: {value}"
            )
            yield error(message, param=f"metadata[{key}]")
