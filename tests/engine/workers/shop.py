"""An agent to test workers with: its tools keep a diary, and a test says what happens while one of them runs."""

from collections.abc import Callable

from engine import Agent, Effect, Money
from examples.procurement import payments


class Shop:
    """The agent and its diary. `during` holds what happens while a tool runs: "look", "pay" (before the call), "paid" (after its yes)."""

    def __init__(self, *, max_iterations: int = 25, max_tokens: int | None = None) -> None:
        self.diary: list[str] = []
        self.during: dict[str, Callable[[], object]] = {}
        self.agent = Agent(
            "procurement", model="claude-sonnet-5", system="Buy.", max_iterations=max_iterations, max_tokens=max_tokens
        )
        self._can_look()
        self._can_pay()
        self._can_pay_blindly()

    def _note(self, what: str, moment: str) -> None:
        self.diary.append(what)
        self.during.get(moment, lambda: None)()

    def _can_look(self) -> None:
        @self.agent.tool
        def look(what: str) -> str:
            """Look something up."""
            self._note(f"look {what}", "look")
            return f"{what} is there"

    def _can_pay(self) -> None:
        @self.agent.tool(
            action="payment", amount="amount", scopes=["payments:write"], credential="STRIPE_API_KEY", timeout="1s", settles_in="5s", key_window="24h"
        )  # fmt: skip
        def pay(effect: Effect, order_ref: str, amount: Money, method: str = "pm_card_4417") -> dict[str, object]:
            """Pay an order."""
            self._note(f"pay {order_ref}", "pay")
            receipt = charge(effect, order_ref, amount, method)
            self.during.get("paid", lambda: None)()
            return receipt

        @pay.find
        def _(effect: Effect, order_ref: str) -> dict[str, object] | None:
            self._note(f"find {order_ref}", "find")
            return payments.find(effect, order_ref)

    def _can_pay_blindly(self) -> None:
        @self.agent.tool(
            action="payment", amount="amount", scopes=["payments:write"], credential="STRIPE_API_KEY", timeout="1s", key_window="24h", no_find="Our bank has no list."
        )  # fmt: skip
        def pay_blindly(effect: Effect, order_ref: str, amount: Money) -> dict[str, object]:
            """Pay an order at a provider that cannot be asked afterwards."""
            self._note(f"pay {order_ref}", "pay")
            return charge(effect, order_ref, amount, "pm_card_4417")


def charge(effect: Effect, order_ref: str, amount: Money, method: str) -> dict[str, object]:
    """Pay at the provider, as the tools do."""
    return payments.charge(
        effect, amount, supplier_id="sup_412", payment_method=method, order_ref=order_ref, description=order_ref
    )


def pay(order_ref: str = "PO-1", amount: str = "38000.00", **more: str) -> tuple[str, dict[str, object]]:
    """The model's call of `pay`; EUR 38,000.00 must be approved, EUR 640.00 need not."""
    money = {"amount": amount, "currency": "EUR"}
    return "pay", {"order_ref": order_ref, "amount": money, "why": "Only supplier with stock.", **more}


def look(what: str = "A") -> tuple[str, dict[str, object]]:
    """The model's call of `look`."""
    return "look", {"what": what}
