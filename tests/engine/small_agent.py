"""The agent of the first page: what a tool author writes, whole."""

from engine import Agent, Effect, Money, Quote

agent = Agent("buyer", model="claude-sonnet-5", system="Buy what was ordered.")


@agent.tool
def get_quote(supplier_id: str, sku: str, quantity: int) -> dict[str, int]:
    """Ask for a price."""
    return {"quantity": quantity}


@agent.tool(action="payment", amount="amount", payee="supplier_id")
def charge_supplier(effect: Effect, supplier_id: str, amount: Money, payment_method: str, order_ref: str) -> str:
    """Pay one order."""
    return f"paid {amount} with key {effect.attempt_key}"


@charge_supplier.summary
def _(supplier_id: str, amount: Money, order_ref: str) -> str:
    return f"Pay {amount} to {supplier_id} for {order_ref}."


@charge_supplier.quote
def _(order_ref: str) -> Quote:
    return Quote(price=Money(100, "EUR"), reference=order_ref)


@charge_supplier.find
def _(effect: Effect) -> str | None:
    return effect.effect_key or None
