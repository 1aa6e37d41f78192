"""An agent that is given a list, and asks for all its payments in one turn: what makes a chaos dense. Its model's script is in outside.py."""

import json
import os
import re
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Mapping, Sequence
from typing import Any, Final

from engine import Agent, Effect, Money, ProviderRefused, Unknown

LINE: Final = re.compile(r"^pay: (\S+) (\S+) ([A-Z]{3})$", re.MULTILINE)
"""A line of the list: what the payment is called, how much, in which currency."""

agent = Agent("bulk", model="claude-haiku-4-5", system="You pay what is on the list, all of it in one turn.")


@agent.tool(
    action="payment", amount="amount", payee="supplier_id", scopes=["payments:write"], timeout="4s", key_window="24h", settles_in="2s",
    credential="STRIPE_API_KEY",
)  # fmt: skip
def pay(effect: Effect, supplier_id: str, amount: Money, order_ref: str) -> dict[str, Any]:
    """Pay one line of the list, exactly once."""
    form = {
        "amount": amount.minor, "currency": amount.currency.lower(), "payment_method": "pm_card_4417", "confirm": "true",
        "customer": _customer(effect), "metadata[order_ref]": order_ref, "metadata[supplier_id]": supplier_id,
        **{f"metadata[{name}]": value for name, value in effect.metadata.items()},
    }  # fmt: skip
    headers = {"Idempotency-Key": effect.attempt_key}
    return _receipt(_asked(effect, "", data=urllib.parse.urlencode(form).encode(), headers=headers))


@pay.summary
def _(supplier_id: str, amount: Money, order_ref: str) -> str:
    return f"Pay {amount} to {supplier_id}, line {order_ref}."


@pay.find
def _(effect: Effect) -> dict[str, Any] | None:
    found = _asked(effect, "?" + urllib.parse.urlencode({"customer": _customer(effect), "limit": 100}))
    same = [intent for intent in found["data"] if intent["metadata"].get("effect_key") == effect.effect_key]
    return _receipt(same[0]) if same else None


def _customer(effect: Effect) -> str:
    """Whom the provider knows a payment by: its list can be asked for one customer alone, and by nothing else that we know."""
    return "cus_" + re.sub(r"\W", "", effect.effect_key)


def _asked(
    effect: Effect, query: str, *, data: bytes | None = None, headers: Mapping[str, str] | None = None
) -> dict[str, Any]:
    url = f"{os.environ['STRIPE_API_BASE']}/v1/payment_intents{query}"
    given = {"Authorization": f"Bearer {effect.credential}", **(headers or {})}
    request = urllib.request.Request(url, data, given)
    try:
        with urllib.request.urlopen(request, timeout=effect.timeout_s) as answer:
            document: dict[str, Any] = json.loads(answer.read())
            return document
    except urllib.error.HTTPError as error:
        with error:
            if error.code in (400, 402):
                raise ProviderRefused(error.read().decode()[:300]) from error
        raise Unknown(f"the provider answered {error.code}") from error


def _receipt(intent: dict[str, Any]) -> dict[str, Any]:
    return {"payment_id": intent["id"], "amount": intent["amount"], "currency": intent["currency"]}


def task(ref: str, amounts: Sequence[str]) -> str:
    """What the agent is launched with: a list of payments in euros."""
    return "\n".join(["Pay these:", *(f"pay: {ref}/{n} {amount} EUR" for n, amount in enumerate(amounts))])
