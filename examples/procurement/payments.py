"""The payment provider, through its own SDK. Time limits are ours and retries are off: whether to repeat is the ledger's decision.

Stripe saves the answer to a key once the call has begun to execute and replays it for at least 24 hours, 500s included
(docs.stripe.com/api/idempotent_requests); its list is read-after-write, its search is not (docs.stripe.com/search).
"""

import os
from typing import Any, Final

import stripe

from engine import Effect, Money, ProviderRefused, Unknown
from engine.rules.money import exponent, parse

_TWO_DECIMALS_AT_STRIPE: Final = {"ISK", "UGX"}
"""Currencies that ISO gives no decimals and Stripe counts in hundredths (docs.stripe.com/currencies)."""

_SURELY_NOT_PAID: Final = {"requires_payment_method", "canceled"}
"""What a declined or cancelled payment ends as; any other status but "succeeded" may still become a payment."""

CLOCKS_DIFFER_S: Final = 3600
"""By how much the provider's clock may differ from the database's: what was paid must not be overlooked for that, and paid twice."""


def charge(
    effect: Effect, amount: Money, *, supplier_id: str, payment_method: str, order_ref: str, description: str
) -> dict[str, Any]:
    """Pay; the receipt. Raises ProviderRefused when the provider surely did nothing; anything else may have been paid."""
    try:
        intent = _client(effect).v1.payment_intents.create(
            {
                "amount": minor_units(amount),
                "currency": amount.currency.lower(),
                "payment_method": payment_method,
                "confirm": True,
                "description": description,
                "metadata": {**effect.metadata, "supplier_id": supplier_id, "order_ref": order_ref},
            },
            {"idempotency_key": effect.attempt_key},
        )
    except (stripe.CardError, stripe.InvalidRequestError, stripe.AuthenticationError, stripe.PermissionError) as error:
        raise ProviderRefused(error.user_message or str(error)) from error
    return _receipt(intent.to_dict())


def find(effect: Effect, order_ref: str) -> dict[str, Any] | None:
    """The receipt of the payment with this effect's key, None if there surely is none. Raises whatever kept it from being known."""
    since = max(0, effect.since - CLOCKS_DIFFER_S)
    for intent in _client(effect).v1.payment_intents.list({"created": {"gte": since}, "limit": 100}).auto_paging_iter():
        found = intent.to_dict()
        if found["metadata"].get("effect_key") != effect.effect_key or found["status"] in _SURELY_NOT_PAID:
            continue
        if found["metadata"].get("order_ref") != order_ref:
            raise Unknown(f"payment {found['id']} carries this key for another order")
        return _receipt(found)
    return None


def minor_units(amount: Money) -> int:
    """The amount in Stripe's smallest unit of the currency; ProviderRefused for one that Stripe cannot take exactly."""
    places = exponent(amount.currency)
    if amount.currency in _TWO_DECIMALS_AT_STRIPE:
        return amount.minor * 100
    if places == 3 and amount.minor % 10:
        raise ProviderRefused(f"{amount} is finer than the provider takes: three-decimal amounts must end in 0.")
    return amount.minor


def _receipt(intent: dict[str, Any]) -> dict[str, Any]:
    if intent["status"] != "succeeded":
        raise Unknown(f"payment {intent['id']} is {intent['status']}")
    code = intent["currency"].upper()
    places = 2 if code in _TWO_DECIMALS_AT_STRIPE else exponent(code)
    digits = str(intent["amount"]).rjust(places + 1, "0")
    amount = parse(f"{digits[:-places]}.{digits[-places:]}" if places else digits, code)
    return {"payment_id": intent["id"], "status": intent["status"], "amount": amount.to_document()}


def _client(effect: Effect) -> stripe.StripeClient:
    return stripe.StripeClient(
        effect.credential,
        max_network_retries=0,
        http_client=stripe.RequestsClient(timeout=effect.timeout_s / 2),  # half to connect, half to be answered
        base_addresses={"api": os.environ.get("STRIPE_API_BASE", "https://api.stripe.com")},
    )
