"""A name in `confirm` or `when` that no call of the action has is a fault; one that a call may have is none."""

from decimal import Decimal
from typing import Any

import pytest
from pydantic import BaseModel

from engine import Agent, Effect, Money
from engine.rules import policy_file
from engine.rules.documents import DocumentFaults
from engine.tools import taken
from tests.engine.rules.policy_texts import ALLOW, ASK, PEOPLE, rule

AGENT = Agent("buyer", model="claude-sonnet-5", system="Buy.")


class Address(BaseModel):
    country: str = ""
    inside: "Address | None" = None


@AGENT.tool(action="payment", amount="total", payee="supplier_id", no_find="A test pays nobody.")
def charge_supplier(
    effect: Effect,
    *,
    supplier_id: str,
    total: Money,
    payment_method: str | None = None,
    address: Address | None = None,
    quantity: int = 1,
    weight: float = 0,
    rate: Decimal = Decimal(1),
    more: dict[str, Any] | None = None,
) -> str:
    """Pay."""
    return effect.attempt_key


@AGENT.tool(action="release")
def release(effect: Effect, order_ref: str) -> str:
    """Release."""
    return effect.attempt_key


@AGENT.tool(action="release")
def release_all(effect: Effect, quarter: str) -> str:
    """Release."""
    return effect.attempt_key


def faults(*rules: str) -> list[str]:
    try:
        policy_file.check('version = "v1"\n' + "".join(rules), PEOPLE, taken({"buyer": AGENT}))
    except DocumentFaults as error:
        return [f"{fault.field}: {fault.why} {fault.fix}" for fault in error.faults]
    return []


def when(condition: str, action: str = "payment") -> list[str]:
    return faults(rule("a", f"{ASK}when = {{ {condition} }}\n", action), rule("b", ASK, action))


def confirm(name: str, action: str = "payment") -> list[str]:
    return faults(rule("a", f'{ASK}confirm = "{name}"\n', action))


ALL_TYPED = "Write one of amount, payment_method, quantity, rate, supplier_id."


@pytest.mark.parametrize(
    ("found", "fault"),
    [
        (confirm("pament_method"), "confirm: charge_supplier has no pament_method. Did you mean payment_method?"),
        (confirm("iban"), f"confirm: charge_supplier has no iban. {ALL_TYPED}"),
        (confirm("weight"), f"confirm: weight of charge_supplier is neither text nor a whole number. {ALL_TYPED}"),
        (confirm("total"), f"confirm: total of charge_supplier is neither text nor a whole number. {ALL_TYPED}"),
        (confirm("amount", "release"), "confirm: release has no amount. Write one of order_ref."),
        (when('suplier_id = "sup_1"'), "when: charge_supplier has no suplier_id. Did you mean supplier_id?"),
        (when('"address.contry" = "DE"'), "when: charge_supplier has no address.contry. Did you mean address.country?"),
        (when('"supplier_id.x" = "DE"'), "when: charge_supplier has no supplier_id.x. Did you mean supplier_id?"),
        (when('ordr_ref = "x"', "release"), "when: release has no ordr_ref. Did you mean order_ref?"),
    ],
)  # fmt: skip
def test_a_name_that_no_call_has_is_a_fault_with_the_one_that_is_meant(found: list[str], fault: str) -> None:
    assert found[0] == f'rule "a", {fault}'


def test_what_is_typed_must_be_there_at_every_tool_and_a_condition_at_one() -> None:
    assert confirm("order_ref", "release") == ['rule "a", confirm: release_all has no order_ref. Write one of quarter.']
    assert when('order_ref = "x"', "release") == []


@pytest.mark.parametrize(
    "found",
    [
        *(confirm(name) for name in ("amount", "payment_method", "quantity", "rate")),
        *(when(f'{name} = "DE"') for name in ("supplier_id", '"total.currency"', '"address.country"')),
        *(when(f'{name} = "DE"') for name in ('"more.what.ever"', '"address.inside.inside.country"')),
        confirm("anything", "of-no-tool"),
        when('anything = "x"', "of-no-tool"),
        faults(rule("a", ALLOW)),
    ],
)
def test_what_a_call_may_have_is_no_fault(found: list[str]) -> None:
    assert found == []
