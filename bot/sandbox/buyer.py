"""The scripted model of the procurement demo: buys one order, and takes no for an answer.

Pure: it decides from the messages and tools of the request alone. The first user message carries the order as labelled
lines (`order_ref: PO-2026-0193`); what has been done so far is read from the tool calls and results that follow. A line
`behave:` makes it act as a model sometimes does, for the tests of what holds it back.
"""

import json
import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from bot.sandbox.histories import blocks
from bot.sandbox.model import Reply, ask, first_text, labelled, say
from engine.rules.money import Money, MoneyError, format_money

REASONS = (
    "Only supplier with stock before the 20th; second quote was 3 % higher.",
    "Lowest of three quotes, and the only one that includes delivery.",
    "Same supplier as the last two orders; price unchanged since March.",
    "The line stops on Friday without these; two other suppliers have none in stock.",
    "Framework agreement price; ordering elsewhere would cost about 6 % more.",
)
"""What it gives as its reason for a payment; which one depends on the order alone."""

_NEEDED = ("get_quote", "charge_supplier")
_LABELS = ("order_ref", "supplier_id", "item", "quantity", "amount", "currency", "payment_method")


@dataclass(frozen=True, slots=True, kw_only=True)
class Done:
    """A tool call of the conversation, and what came of it."""

    tool: str
    given: Mapping[str, Any]
    result: str
    failed: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Situation:
    """All that the buyer knows: the order, the tools it may use (each with the names of its arguments), and the past."""

    order: Mapping[str, str]
    tools: Mapping[str, frozenset[str]]
    past: Sequence[Done]

    def last(self, tool: str) -> Done | None:
        """The latest call of the tool, or None if it was never called."""
        return next((done for done in reversed(self.past) if done.tool == tool), None)

    def call(self, tool: str, **known: Any) -> tuple[str, dict[str, Any]]:
        """A call of the tool with what is known, as far as the tool has an argument for it."""
        return tool, {name: value for name, value in known.items() if name in self.tools.get(tool, ())}


def buyer(request: Mapping[str, Any]) -> Reply:
    """The next thing a sensible purchasing agent does in this conversation."""
    order = labelled(first_text(request))
    if missing := [label for label in _LABELS if label not in order]:
        return say(f"I cannot buy this: the order does not say its {', '.join(missing)}.")
    now = Situation(order=order, tools=_tools(request), past=_past(request))
    if lacking := [tool for tool in _NEEDED if tool not in now.tools]:
        return say(f"I cannot buy {order['order_ref']}: I was given no tool called {' or '.join(lacking)}.")
    return BEHAVIOURS.get(order.get("behave", ""), _buy)(now)


def _buy(now: Situation) -> Reply:
    """Quote, pay what was quoted, say so; if the payment is not made, give the goods back and say why."""
    quote, payment = now.last("get_quote"), now.last("charge_supplier")
    if quote is None:
        return ask(_quote(now), saying=f"I will get a quote from {_supplier(now)} first.")
    if quote.failed:
        return say(f"I did not buy {now.order['order_ref']}: there is no quote. {quote.result}")
    if payment is None:
        price = _document(quote.result).get("price")
        if price is None:
            return say(f"I did not buy {now.order['order_ref']}: the quote names no price.")
        return ask(_payment(now, price))
    return _give_up(now, payment) if payment.failed else _finish(now, payment)


def _buy_in_one_turn(now: Situation) -> Reply:
    """Asks for the quote and the payment at the listed price at once, as models do that call tools in parallel."""
    if now.past:
        return _buy(now)
    return ask(_quote(now), _payment(now, _listed(now)))


def _insist(now: Situation) -> Reply:
    """Asks for the very same payment again whenever it is refused, and never stops by itself."""
    payment = now.last("charge_supplier")
    if payment is None or not payment.failed:
        return _buy(now)
    return ask(("charge_supplier", payment.given), saying="I will try that again.")


BEHAVIOURS: Mapping[str, Callable[[Situation], Reply]] = {"parallel": _buy_in_one_turn, "insist": _insist}
"""By the order's `behave:` line; an order without one is bought as it should be."""


def _finish(now: Situation, payment: Done) -> Reply:
    receipt = _document(payment.result)
    reference = next((str(receipt[name]) for name in ("reference", "payment_id", "id") if receipt.get(name)), None)
    amount = receipt.get("amount") or payment.given.get(
        "amount"
    )  # what was paid; it may be asked anew at another price
    paid = f"Paid {_spoken(amount)} to {_supplier(now)} for order {now.order['order_ref']}"
    return say(f"{paid}, reference {reference}." if reference else f"{paid}.")


def _give_up(now: Situation, payment: Done) -> Reply:
    order_ref, release = now.order["order_ref"], now.last("release_allocation")
    if release is None and "release_allocation" in now.tools:
        why = "The payment was not let through, so the goods need not be kept for us."
        call = now.call("release_allocation", supplier_id=now.order["supplier_id"], order_ref=order_ref, why=why)
        return ask(call, saying="The payment was not made, so I will give the goods back.")
    goods = f"{now.order['quantity']} {now.order['item']}"
    held = (
        f"The {goods} at {_supplier(now)} have been given back."
        if release and not release.failed
        else f"The {goods} at {_supplier(now)} may still be set aside."
    )
    said = payment.result.partition(" Do not ")[0]  # the rest is for the model alone
    return say(f"I did not buy order {order_ref}. The payment was not made: “{said}” {held}")


def _quote(now: Situation) -> tuple[str, dict[str, Any]]:
    return now.call("get_quote", **_goods(now), listed=_listed(now))


def _payment(now: Situation, price: Any) -> tuple[str, dict[str, Any]]:
    why = REASONS[zlib.crc32(now.order["order_ref"].encode()) % len(REASONS)]
    method = now.order["payment_method"]
    return now.call("charge_supplier", **_goods(now), amount=price, payment_method=method, why=why)


def _goods(now: Situation) -> dict[str, Any]:
    quantity = now.order["quantity"]
    return {
        "supplier_id": now.order["supplier_id"],
        "order_ref": now.order["order_ref"],
        "item": now.order["item"],
        "quantity": int(quantity) if quantity.isdecimal() else quantity,
    }


def _listed(now: Situation) -> dict[str, str]:
    return {"amount": now.order["amount"], "currency": now.order["currency"]}


def _supplier(now: Situation) -> str:
    return now.order.get("supplier", now.order["supplier_id"])


def _spoken(amount: Any) -> str:
    try:
        return format_money(Money.from_document(amount))
    except MoneyError:
        return "the amount"


def _tools(request: Mapping[str, Any]) -> dict[str, frozenset[str]]:
    return {
        tool["name"]: frozenset(tool.get("input_schema", {}).get("properties", {})) for tool in request.get("tools", [])
    }


def _past(request: Mapping[str, Any]) -> list[Done]:
    """Every answered tool call, in the order in which they were asked for."""
    every = [block for message in request["messages"] for block in blocks(message)]
    results = {block["tool_use_id"]: block for block in every if block["type"] == "tool_result"}
    return [
        Done(
            tool=block["name"],
            given=block["input"],
            result=_text(results[block["id"]]),
            failed=results[block["id"]].get("is_error", False),
        )
        for block in every
        if block["type"] == "tool_use" and block["id"] in results
    ]


def _text(result: Mapping[str, Any]) -> str:
    content = result.get("content", "")
    if isinstance(content, str):
        return content
    return "\n".join(block["text"] for block in content if block["type"] == "text")


def _document(text: str) -> dict[str, Any]:
    """The tool's result as an object; an empty one if it is no such JSON."""
    try:
        document = json.loads(text)
    except ValueError:
        return {}
    return document if isinstance(document, dict) else {}
