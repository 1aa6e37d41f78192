"""The payment provider's adapter, through the real SDK: exact amounts, sure refusals, and finding what may have been paid."""

import os
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import stripe
from starlette.types import Receive, Scope, Send

from bot.sandbox.faults import Fault
from bot.sandbox.journal import Journal
from bot.sandbox.provider import Provider, provider_app
from engine import Effect, Money, ProviderRefused, Unknown
from engine.rules.money import parse
from examples.procurement import payments
from tests.sandbox.loopback import serving

Json = dict[str, Any]
PUMPS = Money(3_800_000, "EUR")


@pytest.fixture
def requests() -> list[str]:
    """The requests that reach the provider, by method."""
    return []


@pytest.fixture
def provider(tmp_path: Path, requests: list[str]) -> Iterator[Provider]:
    """A provider that the environment points at."""
    made = Provider(Journal(tmp_path / "provider.jsonl"))
    app = provider_app(made)

    async def counted(scope: Scope, receive: Receive, send: Send) -> None:
        requests.append(scope["method"])
        await app(scope, receive, send)

    with serving(counted) as address:
        before = os.environ.get("STRIPE_API_BASE")
        os.environ["STRIPE_API_BASE"] = address
        yield made
        if before is None:
            del os.environ["STRIPE_API_BASE"]
        else:
            os.environ["STRIPE_API_BASE"] = before


def effect(key: str = "k1", *, credential: str = "sk_test_placet", timeout_s: int = 20) -> Effect:
    return Effect(
        attempt_key=key,
        effect_key="run:1:0",
        metadata={"effect_key": "run:1:0", "run_id": "run"},
        credential=credential,
        timeout_s=timeout_s,
        since=1_000_000,
    )


def charge(of: Effect, amount: Money = PUMPS, method: str = "pm_card_4417", order_ref: str = "PO-1") -> Json:
    return payments.charge(
        of,
        amount,
        supplier_id="sup_412",
        payment_method=method,
        order_ref=order_ref,
        description="40 x hydraulic pumps",
    )


# ----------------------------------------------------------------------------------------------------------- minor units


@pytest.mark.parametrize(
    ("amount", "currency", "minor"),
    [
        ("38000.00", "EUR", 3_800_000),
        ("0.01", "EUR", 1),
        ("500", "JPY", 500),
        ("5800", "JPY", 5_800),
        ("1.230", "KWD", 1_230),
        ("5000", "ISK", 500_000),
        ("5", "UGX", 500),
        ("1000.00", "HUF", 100_000),
        ("1000.50", "HUF", 100_050),
    ],
)
def test_the_amount_is_sent_in_the_providers_own_smallest_unit(amount: str, currency: str, minor: int) -> None:
    assert payments.minor_units(parse(amount, currency)) == minor


def test_a_dinar_finer_than_the_provider_takes_is_refused_and_not_rounded() -> None:
    with pytest.raises(ProviderRefused, match=r"KWD 1\.234 is finer than the provider takes"):
        payments.minor_units(parse("1.234", "KWD"))


@pytest.mark.parametrize(
    ("amount", "currency"),
    [
        ("38000.00", "EUR"),
        ("500", "JPY"),
        ("1.230", "KWD"),
        ("5000", "ISK"),
        ("5", "UGX"),
        ("1000.50", "HUF"),
        ("0.05", "EUR"),
    ],
)
def test_the_receipt_says_exactly_what_was_approved(provider: Provider, amount: str, currency: str) -> None:
    receipt = charge(effect(), parse(amount, currency))
    assert receipt["amount"] == {"amount": amount, "currency": currency}
    assert receipt["status"] == "succeeded"
    [payment] = provider.payments()
    assert payment["id"] == receipt["payment_id"]
    assert payment["currency"] == currency.lower()
    assert type(payment["amount"]) is int


def test_money_never_is_a_float() -> None:
    with pytest.raises(TypeError, match="minor units are an int"):
        payments.minor_units(Money(0.1, "EUR"))  # type: ignore[arg-type]


# ---------------------------------------------------------------------------------------------------------------- charge


def test_a_payment_carries_what_it_can_be_found_by(provider: Provider) -> None:
    charge(effect())
    [payment] = provider.payments()
    assert payment["metadata"] == {
        "effect_key": "run:1:0",
        "run_id": "run",
        "supplier_id": "sup_412",
        "order_ref": "PO-1",
    }
    assert payment["description"] == "40 x hydraulic pumps"


def test_the_same_key_pays_once(provider: Provider) -> None:
    assert charge(effect()) == charge(effect())
    assert len(provider.payments()) == 1


@pytest.mark.parametrize(
    ("of", "method", "says"),
    [
        (effect(), "pm_card_declined", "Your card was declined."),
        (effect(), "pm_card_visa_chargeDeclinedInsufficientFunds", "insufficient funds"),
        (effect(credential="sk_test_gone"), "pm_card_4417", "Expired API Key"),
    ],
)
def test_a_sure_no_is_a_refusal_in_the_providers_words(provider: Provider, of: Effect, method: str, says: str) -> None:
    provider.revoke("sk_test_gone")
    with pytest.raises(ProviderRefused, match=says):
        charge(of, method=method)
    assert [p for p in provider.payments() if p["status"] == "succeeded"] == []


def test_an_amount_the_provider_does_not_take_is_a_refusal(provider: Provider) -> None:
    with pytest.raises(ProviderRefused, match=r"999,999\.99"):
        charge(effect(), Money(100_000_000, "EUR"))


@pytest.mark.parametrize("fault", ["down", "drop_before", "drop_after", "500_after"])
def test_anything_else_is_never_taken_for_a_no(provider: Provider, fault: str) -> None:
    provider.faults.plan(Fault(kind=fault, match={}))
    with pytest.raises(stripe.StripeError) as raised:
        charge(effect())
    assert not isinstance(raised.value, ProviderRefused)


def test_a_provider_that_does_not_answer_is_given_up_within_the_tools_own_time(provider: Provider) -> None:
    provider.faults.plan(Fault(kind="hang_after", match={}))
    with pytest.raises(stripe.APIConnectionError):
        charge(effect(timeout_s=1))
    assert len(provider.payments()) == 1


@pytest.mark.parametrize("fault", ["down", "drop_before", "drop_after", "500_after", "hang_after"])
def test_one_call_is_one_request_whatever_becomes_of_it(provider: Provider, requests: list[str], fault: str) -> None:
    """Stripe's SDK repeats a failed request twice by itself and waits 80 s for each, unless it is told otherwise."""
    provider.faults.plan(Fault(kind=fault, match={}, times=None))
    began = time.monotonic()
    with pytest.raises(stripe.StripeError):
        charge(effect(timeout_s=2 if fault == "hang_after" else 20))
    assert requests == ["POST"]
    assert time.monotonic() - began < 40


@pytest.mark.parametrize("fault", ["down", "drop_before", "hang_after"])
def test_one_look_is_one_request_whatever_becomes_of_it(provider: Provider, requests: list[str], fault: str) -> None:
    provider.faults.plan(Fault(kind=fault, match={}, times=None))
    with pytest.raises(stripe.StripeError):
        payments.find(effect(timeout_s=2), "PO-1")
    assert requests == ["GET"]


def test_one_key_with_another_amount_is_no_refusal_of_the_first(provider: Provider) -> None:
    charge(effect())
    with pytest.raises(stripe.StripeError) as raised:
        charge(effect(), Money(1, "EUR"))
    assert raised.value.code is None
    assert [p["amount"] for p in provider.payments()] == [3_800_000]


# ------------------------------------------------------------------------------------------------------------------ find


def test_a_payment_is_found_by_its_effect_key_whatever_key_it_was_made_with(provider: Provider) -> None:
    receipt = charge(effect("k1"))
    assert payments.find(effect("k2"), "PO-1") == receipt


def test_a_payment_is_found_though_the_providers_clock_is_half_an_hour_behind_the_databases(provider: Provider) -> None:
    receipt = charge(effect())
    later = replace(effect("k2"), since=int(time.time()) + 1800)
    assert payments.find(later, "PO-1") == receipt


def test_what_was_never_paid_is_not_found(provider: Provider) -> None:
    assert payments.find(effect(), "PO-1") is None


def test_another_effects_payment_of_the_same_order_is_not_this_one(provider: Provider) -> None:
    other = Effect(
        attempt_key="k9", effect_key="run:2:0", metadata={"effect_key": "run:2:0"}, credential="sk_test_placet", timeout_s=20, since=1_000_000
    )  # fmt: skip
    charge(other)
    assert payments.find(effect(), "PO-1") is None


def test_a_declined_payment_is_surely_none(provider: Provider) -> None:
    with pytest.raises(ProviderRefused):
        charge(effect(), method="pm_card_declined")
    assert payments.find(effect(), "PO-1") is None


def test_a_payment_that_may_still_be_made_is_neither_found_nor_absent(provider: Provider) -> None:
    client = stripe.StripeClient("sk_test_placet", base_addresses={"api": os.environ["STRIPE_API_BASE"]})
    client.v1.payment_intents.create(
        {
            "amount": 100,
            "currency": "eur",
            "payment_method": "pm_card_4417",
            "metadata": {"effect_key": "run:1:0", "order_ref": "PO-1"},
        }
    )
    with pytest.raises(Unknown, match="is requires_confirmation"):
        payments.find(effect(), "PO-1")


def test_this_effects_key_on_another_order_is_for_a_person_to_look_at(provider: Provider) -> None:
    charge(effect(), order_ref="PO-2")
    with pytest.raises(Unknown, match="carries this key for another order"):
        payments.find(effect(), "PO-1")


def test_a_payment_is_found_behind_a_full_page_of_others(provider: Provider) -> None:
    receipt = charge(effect())
    for n in range(101):
        other = Effect(attempt_key=f"o{n}", effect_key=f"other:{n}", metadata={"effect_key": f"other:{n}"}, credential="sk_test_placet",
                       timeout_s=20, since=1_000_000)  # fmt: skip
        charge(other, Money(1, "EUR"))
    assert payments.find(effect(), "PO-1") == receipt


def test_a_list_that_cannot_be_had_is_never_taken_for_absent(provider: Provider) -> None:
    provider.faults.plan(Fault(kind="down", match={"endpoint": "list"}))
    with pytest.raises(stripe.StripeError):
        payments.find(effect(), "PO-1")
