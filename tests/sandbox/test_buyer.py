"""The scripted buyer, driven through whole conversations by the vendor's SDK and tools that answer as they are told."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

import anthropic
import pytest
from starlette.applications import Starlette
from starlette.routing import Mount

from bot.sandbox.buyer import REASONS, buyer
from bot.sandbox.model import model_app
from tests.sandbox.loopback import serving

ORDER = """Buy this order.
order_ref: PO-2026-0193
supplier_id: sup_412
supplier: Nordholz Industrial
item: hydraulic pumps
quantity: 40
amount: 38000.00
currency: EUR
payment_method: pm_card_4417"""
GOODS = {"supplier_id": "sup_412", "order_ref": "PO-2026-0193", "item": "hydraulic pumps", "quantity": 40}
LISTED = {"amount": "38000.00", "currency": "EUR"}
DEARER = {"amount": "39140.00", "currency": "EUR"}
DENIED = "Denied by Marta Keller: over budget this quarter."


def tool(name: str, *arguments: str) -> dict[str, Any]:
    schema = {"type": "object", "properties": {argument: {} for argument in arguments}}
    return {"name": name, "description": name, "input_schema": schema}


GET_QUOTE = tool("get_quote", *GOODS, "listed")
CHARGE = tool("charge_supplier", *GOODS, "amount", "payment_method", "why")
RELEASE = tool("release_allocation", "supplier_id", "order_ref")

QUOTE = {"quote_id": "quote_1", "price": DEARER}
PAID = {"reference": "pi_7"}


class Refusal(str):
    """A tool result that is an error."""

    __slots__ = ()


@pytest.fixture(scope="module")
def model() -> Iterator[anthropic.Anthropic]:
    app = Starlette(routes=[Mount("/anthropic", model_app(buyer))])
    with (
        serving(app) as address,
        anthropic.Anthropic(base_url=f"{address}/anthropic", api_key="sk-ant-sandbox", max_retries=0) as client,
    ):
        yield client


class Bought:
    """A conversation to its end: the calls in the order in which they were asked for, turn by turn, and the last word."""

    def __init__(
        self,
        model: anthropic.Anthropic,
        results: Mapping[str, Any],
        *,
        order: str = ORDER,
        tools: tuple[dict[str, Any], ...] = (GET_QUOTE, CHARGE, RELEASE),
        at_most: int = 6,
    ) -> None:
        self.turns: list[list[tuple[str, Any]]] = []
        messages: list[Any] = [{"role": "user", "content": order}]
        asked: Any = {"model": "claude-sonnet-5", "max_tokens": 1000, "tools": list(tools)}
        for _ in range(at_most):
            reply = model.messages.create(messages=messages, **asked)
            messages.append({"role": "assistant", "content": [block.to_dict() for block in reply.content]})
            uses = [block for block in reply.content if block.type == "tool_use"]
            if not uses:
                self.said = "".join(block.text for block in reply.content if block.type == "text")
                return
            self.turns.append([(use.name, use.input) for use in uses])
            messages.append({"role": "user", "content": [_result(use.id, results[use.name]) for use in uses]})
        self.said = ""

    @property
    def called(self) -> list[str]:
        return [name for turn in self.turns for name, _ in turn]

    def given(self, tool_name: str) -> Any:
        return next(given for turn in self.turns for name, given in turn if name == tool_name)


def _result(tool_use_id: str, answer: Any) -> dict[str, Any]:
    content = answer if isinstance(answer, str) else json.dumps(answer)
    answered = {"type": "tool_result", "tool_use_id": tool_use_id, "content": content}
    return answered | ({"is_error": True} if isinstance(answer, Refusal) else {})


def test_it_gets_a_quote_pays_what_was_quoted_and_says_so(model: anthropic.Anthropic) -> None:
    bought = Bought(model, {"get_quote": QUOTE, "charge_supplier": PAID})
    assert bought.called == ["get_quote", "charge_supplier"]
    assert bought.given("get_quote") == GOODS | {"listed": LISTED}
    paid = bought.given("charge_supplier")
    assert paid.pop("why") in REASONS
    assert paid == GOODS | {"amount": DEARER, "payment_method": "pm_card_4417"}
    assert bought.said == "Paid EUR 39,140.00 to Nordholz Industrial for order PO-2026-0193, reference pi_7."


def test_its_reason_depends_on_the_order_alone(model: anthropic.Anthropic) -> None:
    def reasons(order_ref: str) -> set[str]:
        order = ORDER.replace("PO-2026-0193", order_ref)
        return {
            Bought(model, {"get_quote": QUOTE, "charge_supplier": PAID}, order=order).given("charge_supplier")["why"]
            for _ in range(2)
        }

    each = [reasons(f"PO-{n}") for n in range(8)]
    assert all(len(reason) == 1 for reason in each)
    assert len(set.union(*each)) > 1


def test_a_refused_payment_gives_the_goods_back_and_tells_the_requester_why(model: anthropic.Anthropic) -> None:
    results = {"get_quote": QUOTE, "charge_supplier": Refusal(DENIED), "release_allocation": {"released": True}}
    bought = Bought(model, results)
    assert bought.called == ["get_quote", "charge_supplier", "release_allocation"]
    assert bought.given("release_allocation") == {"supplier_id": "sup_412", "order_ref": "PO-2026-0193"}
    assert DENIED in bought.said
    assert "40 hydraulic pumps at Nordholz Industrial have been given back" in bought.said


def test_goods_that_could_not_be_given_back_are_not_said_to_be(model: anthropic.Anthropic) -> None:
    down = {
        "get_quote": QUOTE,
        "charge_supplier": Refusal(DENIED),
        "release_allocation": Refusal("Suppliers are down."),
    }
    assert "may still be set aside" in Bought(model, down).said
    without = Bought(model, down, tools=(GET_QUOTE, CHARGE))
    assert without.called == ["get_quote", "charge_supplier"]
    assert "may still be set aside" in without.said


def test_without_a_quote_it_pays_nothing_and_says_why(model: anthropic.Anthropic) -> None:
    bought = Bought(model, {"get_quote": Refusal("supplier_id: no supplier is called sup_412.")})
    assert bought.called == ["get_quote"]
    assert "no supplier is called sup_412" in bought.said
    assert "PO-2026-0193" in bought.said


def test_a_quote_that_names_no_price_is_not_paid(model: anthropic.Anthropic) -> None:
    assert Bought(model, {"get_quote": "on request"}).called == ["get_quote"]


def test_it_gives_a_tool_only_the_arguments_the_tool_has(model: anthropic.Anthropic) -> None:
    plain = (tool("get_quote", "supplier_id", "order_ref"), tool("charge_supplier", "supplier_id", "amount"))
    bought = Bought(model, {"get_quote": QUOTE, "charge_supplier": PAID}, tools=plain)
    assert bought.given("charge_supplier") == {"supplier_id": "sup_412", "amount": DEARER}


def test_an_order_that_lacks_something_is_not_bought(model: anthropic.Anthropic) -> None:
    bought = Bought(model, {}, order=ORDER.replace("currency: EUR\n", ""))
    assert bought.turns == []
    assert "its currency" in bought.said


def test_without_a_tool_that_pays_it_says_so_and_calls_nothing(model: anthropic.Anthropic) -> None:
    bought = Bought(model, {}, tools=(GET_QUOTE, RELEASE))
    assert bought.turns == []
    assert "charge_supplier" in bought.said


def test_in_parallel_it_asks_for_quote_and_payment_in_one_turn(model: anthropic.Anthropic) -> None:
    bought = Bought(model, {"get_quote": QUOTE, "charge_supplier": PAID}, order=f"{ORDER}\nbehave: parallel")
    assert [[name for name, _ in turn] for turn in bought.turns] == [["get_quote", "charge_supplier"]]
    assert bought.given("charge_supplier")["amount"] == LISTED
    assert bought.said.startswith("Paid EUR 38,000.00 to Nordholz Industrial")


def test_when_it_insists_it_asks_for_the_very_same_payment_again(model: anthropic.Anthropic) -> None:
    results = {"get_quote": QUOTE, "charge_supplier": Refusal(DENIED)}
    bought = Bought(model, results, order=f"{ORDER}\nbehave: insist", at_most=4)
    payments = [given for turn in bought.turns for name, given in turn if name == "charge_supplier"]
    assert len(payments) == 3
    assert all(payment == payments[0] for payment in payments)
