"""Buys what was ordered; a payment over the limit waits for a person in finance."""

from collections.abc import Mapping
from typing import Any

from engine import Agent, Effect, Money, Order, Quote
from examples.procurement import orders, payments, suppliers

agent = Agent(
    "procurement",
    model="claude-sonnet-5",
    system=(
        "You buy what was ordered, one order at a time. Get the supplier's quote first; then pay exactly the quoted price. "
        "If a payment is not let through, release what the supplier set aside, and tell the requester plainly what happened and why. "
        "Never try to reach a refused payment another way."
    ),
)


@agent.tool
def get_quote(supplier_id: str, order_ref: str, item: str, quantity: int, listed: Money) -> dict[str, Any]:
    """Ask the supplier for the present price of an order; `listed` is the price on the order. It also sets the goods aside."""
    return suppliers.quote(supplier_id, order_ref, item=item, quantity=quantity, listed=listed)


@agent.tool(
    action="payment", amount="amount", payee="supplier_id", scopes=["payments:write"], detail=["item"], timeout="20s",
    key_window="24h", settles_in="5s", credential="STRIPE_API_KEY",
)  # fmt: skip
def charge_supplier(
    effect: Effect,
    supplier_id: str,
    amount: Money,
    order_ref: str,
    payment_method: str,
    item: str = "",
    quantity: int = 1,
) -> dict[str, Any]:
    """Pay one order, exactly once."""
    return payments.charge(
        effect,
        amount,
        supplier_id=supplier_id,
        payment_method=payment_method,
        order_ref=order_ref,
        description=f"{quantity} x {item}" if item else order_ref,
    )


@charge_supplier.summary
def _(supplier_id: str, amount: Money, order_ref: str, item: str, quantity: int) -> str:
    goods = f" for {quantity} x {item}" if item else ""
    return f"Pay {amount} to {suppliers.name_of(supplier_id)} ({supplier_id}){goods}, order {order_ref}."


@charge_supplier.quote  # re-read on resume, and compared within the rule's tolerance
def _(supplier_id: str, order_ref: str) -> Quote:
    return suppliers.present_quote(supplier_id, order_ref)


@charge_supplier.find  # did it already happen?
def _(effect: Effect, order_ref: str) -> dict[str, Any] | None:
    return payments.find(effect, order_ref)


@agent.tool(action="release", payee="supplier_id", key_window="24h", title="Release what a supplier set aside?")
def release_allocation(effect: Effect, supplier_id: str, order_ref: str) -> dict[str, Any]:
    """Give back what the supplier set aside for an order that will not be paid."""
    return suppliers.release(supplier_id, order_ref, key=effect.attempt_key)


@release_allocation.find
def _(order_ref: str) -> dict[str, Any] | None:
    return suppliers.released(order_ref)


@agent.order
def _(row: Mapping[str, Any]) -> Order:
    return orders.read(row)
