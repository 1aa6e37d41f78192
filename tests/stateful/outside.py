"""What lies outside our process: the payment provider with its moods, prices that move, and a model that asks for what a plan says.

The provider is the one of the demo, called without a network between: what is lost is lost here.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from bot.sandbox.histories import problem_with
from bot.sandbox.payments import Call, Provider
from engine import Agent, Effect, Money, ProviderRefused, Quote, QuoteUnavailable
from examples.procurement.payments import CLOCKS_DIFFER_S
from tests.stateful.held import Item
from tests.stateful.lines import Fate

TOKENS: Final = 15
"""What every reply costs."""
Json = dict[str, Any]


@dataclass(kw_only=True)
class Outside:
    """The provider and how it takes calls (`moods`: how many of them, None all; `lists`: whether its list can be had), and the prices."""

    provider: Provider
    fate: Fate
    mood: str = "fine"
    moods: int | None = None
    lists: bool = True
    prices: dict[str, int | None] = field(default_factory=dict)
    asked: list[Json] = field(default_factory=list)

    # ----------------------------------------------------------------------------------------------------------- the provider

    def charge(self, effect: Effect, order_ref: str, amount: Money, method: str) -> Json:
        """Take the money. Raises ProviderRefused for a sure no; anything else may have been paid."""
        with self.fate.outside():
            mood = self._mood()
            if mood in ("down", "drop_before"):
                raise ConnectionError(mood)
            params = {
                "amount": str(amount.minor), "currency": amount.currency.lower(), "payment_method": method, "confirm": "true",
                **{f"metadata[{name}]": value for name, value in {**effect.metadata, "order_ref": order_ref}.items()},
            }  # fmt: skip
            call = Call(path="/v1/payment_intents", params=params, key=effect.attempt_key, fault=mood)
            answer = self.provider.create(call)
            if mood == "drop_after" or answer.status >= 500:
                raise ConnectionError(mood)
            if answer.status >= 400:
                raise ProviderRefused(answer.body["error"]["message"])
            return {"payment_id": answer.body["id"], "amount": amount.to_document()}

    def find(self, effect: Effect) -> Json | None:
        """What the provider's list says."""
        with self.fate.outside():
            if not self.lists:
                raise ConnectionError("no list")
            page = self.provider.page({"limit": "100", "created[gte]": str(max(0, effect.since - CLOCKS_DIFFER_S))})
            made = [p for p in page.body["data"] if p["metadata"].get("effect_key") == effect.effect_key]
            paid = [p for p in made if p["status"] == "succeeded"]
            return {"payment_id": paid[0]["id"], "found": True} if paid else None

    def _mood(self) -> str:
        mood = self.mood
        if self.moods is not None:
            self.moods -= 1
            if self.moods == 0:
                self.mood, self.moods = "fine", None
        return mood

    # ------------------------------------------------------------------------------------------------- the price and the model

    def quote(self, order_ref: str) -> Quote:
        """The present price."""
        with self.fate.outside():
            price = self.prices[order_ref]
            if price is None:
                raise QuoteUnavailable(f"{order_ref} is sold out.")
            return Quote(price=Money(price, "EUR"))

    def complete(self, **request: Any) -> Mapping[str, Any]:
        """The model's next reply: the plan's next turn, and an end when there is none. A history that no vendor would take is a fault."""
        with self.fate.outside():
            problem = problem_with(request)
            assert problem is None, problem
            name, plan = json.loads(request["messages"][0]["content"])
            turn = sum(message["role"] == "assistant" for message in request["messages"])
            content: list[Json] = [{"type": "text", "text": "Done."}]
            if turn < len(plan):
                content = [_ask(f"toolu_{name}_{turn}_{n}", Item(*item)) for n, item in enumerate(plan[turn])]
            stop = "tool_use" if turn < len(plan) else "end_turn"
            return {"content": content, "stop_reason": stop, "usage": {"input_tokens": TOKENS - 5, "output_tokens": 5}}

    def agent(self, turns: int) -> Agent:
        """One with a single tool, which pays."""
        made = Agent("buyer", model="claude-sonnet-5", system="Buy.", max_iterations=turns)

        @made.tool(
            action="payment",
            amount="amount",
            scopes=["payments:write"],
            timeout="20s",
            key_window="24h",
            settles_in="5s",
        )
        def pay(effect: Effect, order_ref: str, amount: Money, method: str) -> Json:
            """Pay an order."""
            return self.charge(effect, order_ref, amount, method)

        @pay.quote
        def _(order_ref: str) -> Quote:
            return self.quote(order_ref)

        @pay.find
        def _(effect: Effect) -> Json | None:
            return self.find(effect)

        return made


def order(name: str, plan: tuple[tuple[Item, ...], ...]) -> str:
    """What a run starts from: its name and its plan."""
    return json.dumps([name, [[[item.ref, item.cents, item.good] for item in turn] for turn in plan]])


def _ask(use: str, item: Item) -> Json:
    amount = {"amount": f"{item.cents / 100:.2f}", "currency": "EUR"}
    method = "pm_card_4417" if item.good else "pm_card_declined"
    given = {"order_ref": item.ref, "amount": amount, "method": method, "why": "It was ordered."}
    return {"type": "tool_use", "id": use, "name": "pay", "input": given}
