"""A call at another price than the model named: what a fresh request proposes when the price moved."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from engine.rules.money import Money
from engine.tool import Bound, InvalidArguments, Tool


def at_price(tool: Tool, bound: Bound, price: Money) -> Bound | None:
    """The same call at this price; None for a tool without an amount, or one that does not take this."""
    if tool.amount is None:
        return None
    return rebound(tool, bound.arguments | {tool.amount: price.to_document()}, bound.why)


def rebound(tool: Tool, arguments: Mapping[str, Any], why: str) -> Bound | None:
    """The call with these arguments, which were bound before; None if the tool does not take them any more."""
    try:
        return replace(tool.bind({**arguments, "why": why or "-"}), why=why)
    except InvalidArguments:
        return None
