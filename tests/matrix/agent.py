"""An agent that pays in six ways, which differ in what the provider offers: whether it honours keys, and where it can be looked for."""

import os
from collections.abc import Mapping
from typing import Any, Final, Literal

import stripe

from bot.sandbox.model import Reply, ask, first_text, say
from engine import Agent, Effect, Money
from examples.procurement import payments

ORDER: Final = "PO-1"
SETTLES_IN_S: Final = 60
LAGS_S: Final = 45
"""By how much the list is behind where it lags: less than the tool says it may be, as a tool must."""

Looks = Literal["list", "search", ""]
"""Where a tool looks whether it happened; "": nowhere."""

agent = Agent("procurement", model="claude-sonnet-5", system="Pay.")


def name_of(*, keyless: bool, looks: Looks) -> str:
    """The tool that pays so."""
    return "_".join(("pay", "keyless" if keyless else "keyed", looks or "blindly"))


def _add(*, keyless: bool, looks: Looks) -> None:
    def pay(effect: Effect, order_ref: str, amount: Money) -> dict[str, Any]:
        """Pay an order."""
        return payments.charge(
            effect, amount, supplier_id="sup_412", payment_method="pm_card_4417", order_ref=order_ref, description=order_ref
        )  # fmt: skip

    pay.__name__ = name_of(keyless=keyless, looks=looks)
    tool = agent.tool(
        action="payment", amount="amount", scopes=["payments:write"], credential="STRIPE_API_KEY", settles_in=f"{SETTLES_IN_S}s",
        key_window=None if keyless else "24h", no_find="" if looks else "Our bank has no list.",
    )(pay)  # fmt: skip
    if looks:
        tool.find(payments.find if looks == "list" else _search)


def _search(effect: Effect) -> dict[str, Any] | None:
    """The payment with this effect's key, as Stripe's search has it, which the docs say is not to be done right after a payment."""
    client = stripe.StripeClient(
        effect.credential, max_network_retries=0, http_client=stripe.RequestsClient(timeout=effect.timeout_s / 2),
        base_addresses={"api": os.environ["STRIPE_API_BASE"]},
    )  # fmt: skip
    found = client.v1.payment_intents.search({"query": f"metadata['effect_key']:'{effect.effect_key}'"})
    return {"payment_id": found.data[0].id} if found.data else None


for _keyless in (False, True):
    for _looks in ("list", "search", ""):
        _add(keyless=_keyless, looks=_looks)


def script(request: Mapping[str, Any]) -> Reply:
    """What its model says: it calls the tool that the task names, once."""
    if "tool_result" in str(request["messages"]):
        return say("That is all.")
    given = {"order_ref": ORDER, "amount": {"amount": "38000.00", "currency": "EUR"}, "why": "It was ordered."}
    return ask((first_text(request), given))
