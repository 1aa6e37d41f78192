"""After the yes and before the effect: what went stale meanwhile is asked again or voided, and only what still holds is done."""

import os
from collections.abc import Callable
from datetime import datetime, timedelta, timezone
from typing import Any

import pytest

from bot.sandbox.model import ask, say
from engine import Money, Quote, QuoteUnavailable
from engine.models import Decided, Pause
from engine.rules import digest
from engine.state import ledger, pauses
from tests import rows, world
from tests.engine.workers.conftest import Desks
from tests.engine.workers.desk import Desk, only
from tests.engine.workers.shop import Shop, look, pay

DONE = say("Done.")
BIG = 3_800_000
FROM_500 = (('up_to = "1000.00"', 'up_to = "500.00"'), ('over = "1000.00"', 'over = "500.00"'))
"""Amounts over EUR 500.00 are asked about, with a tolerance of 2 %."""


def approved(desk: Desk, *people: str) -> Any:
    """A run with its payment approved and not done yet."""
    run_id = desk.start()
    desk.approve(run_id, *people)
    return run_id


def nothing_done(desk: Desk, run_id: Any, shop: Shop) -> None:
    """Its end is on record, nothing was begun or paid, and the requester is told once."""
    assert desk.run(run_id).status == "error"
    assert desk.effects(run_id) == []
    assert desk.paid() == []
    assert "pay PO-1" not in shop.diary
    assert desk.notices(run_id) == [("run_ended", "person:priya")]


def replaced(desk: Desk, run_id: Any) -> tuple[Pause, Pause]:
    """What was approved and what asks in its place."""
    desk.work()
    before, after = desk.pauses(run_id)
    assert desk.run(run_id).status == "awaiting_approval"
    assert (before.status, after.status) == ("superseded", "waiting")
    assert after.content is not None
    assert after.content.supersedes is not None
    assert after.content.supersedes.pause_id == str(before.id)
    assert desk.effects(run_id) == []
    assert desk.paid() == []
    return before, after


# --------------------------------------------------------------------------------------------------------- authority gone


def test_a_requester_who_left_voids_what_was_approved(desks: Desks, shop: Shop) -> None:
    desk = desks(ask(look(), pay()), agent=shop.agent)
    run_id = approved(desk)
    rows.deactivate(desk.conn, "priya")
    desk.work()
    assert desk.error(run_id) == "Priya Nair, for whom this was asked, is no longer active. Nothing was done."
    assert desk.statuses(run_id) == ["voided"]
    nothing_done(desk, run_id, shop)
    assert shop.diary == []


def test_a_requester_without_the_scope_voids_what_was_approved(desks: Desks, shop: Shop) -> None:
    desk = desks(ask(pay()), agent=shop.agent)
    run_id = approved(desk)
    rows.take_scopes(desk.conn, "priya")
    desk.work()
    assert desk.error(run_id).startswith(
        "Priya Nair does not hold what this needs (payments:write). Nothing was done. Add it"
    )
    nothing_done(desk, run_id, shop)


def test_a_key_that_is_not_set_here_voids_what_was_approved_and_names_it(desks: Desks, shop: Shop) -> None:
    desk = desks(ask(pay()), agent=shop.agent)
    run_id = approved(desk)
    del os.environ["STRIPE_API_KEY"]
    desk.work()
    assert desk.error(run_id) == (
        "The provider's key is not set here (STRIPE_API_KEY). Nothing was done. Set it and launch again."
    )
    nothing_done(desk, run_id, shop)


def test_of_two_approved_calls_none_runs_when_the_authority_of_the_second_is_gone(desks: Desks, shop: Shop) -> None:
    desk = desks(ask(pay(), pay("PO-2")), agent=shop.agent)
    run_id = desk.start()
    desk.approve(run_id)
    second = desk.approve(run_id)
    desk.conn.execute(
        "UPDATE pause_content SET document = replace(document, 'PO-2', 'PO-3') WHERE pause_id = %s", (second.id,)
    )
    desk.work()
    assert desk.error(run_id) == "The stored request was altered after it was approved, so it was not done."
    assert desk.statuses(run_id) == ["cancelled", "voided"]
    nothing_done(desk, run_id, shop)


def test_a_tool_that_is_gone_voids_what_was_approved(desks: Desks, shop: Shop) -> None:
    desk = desks(ask(pay()), agent=shop.agent)
    run_id = approved(desk)
    del shop.agent.tools["pay"]
    desk.work()
    assert "The tool pay is gone" in desk.error(run_id)
    nothing_done(desk, run_id, shop)


# ------------------------------------------------------------------------------------------------------------ asked again


def test_an_approver_who_lost_the_role_does_not_count_and_it_is_asked_again(desks: Desks, shop: Shop) -> None:
    desk = desks(ask(pay(amount="5000.00")), DONE, agent=shop.agent)
    run_id = approved(desk)
    rows.take_role(desk.conn, "marta", "finance-approver")
    _, after = replaced(desk, run_id)
    assert after.content is not None
    assert after.content.supersedes is not None
    assert after.content.supersedes.why == "Marta Keller approved it and may no longer decide on it."
    desk.approve(run_id, "ines")
    desk.work()
    assert desk.run(run_id).status == "done"
    assert desk.paid() == [500_000]


def test_when_nobody_is_left_to_ask_again_it_is_voided(desks: Desks, shop: Shop) -> None:
    desk = desks(ask(pay(amount="5000.00")), agent=shop.agent)
    run_id = approved(desk)
    rows.deactivate(desk.conn, "ines")
    rows.take_role(desk.conn, "marta", "finance-approver")
    desk.work()
    assert desk.error(run_id).endswith("Nobody is left who may decide on it anew, so it was not done.")
    nothing_done(desk, run_id, shop)


def test_an_approver_who_left_is_replaced_by_the_next_step(desks: Desks, shop: Shop) -> None:
    desk = desks(ask(pay()), DONE, agent=shop.agent)
    run_id = approved(desk)
    rows.deactivate(desk.conn, "marta")
    _, after = replaced(desk, run_id)
    assert after.approver == "person:otto"


def asking(who: str) -> str:
    """A policy of one rule, which asks so for every payment."""
    return f"""
version = "fin-approvals-v5"
[[rule]]
name = "every payment"
action = "payment"
currency = "any other"
need = "ask"
{who}
answer_within = "4h"
on_expiry = "deny"
tolerance = {{ percent = "2" }}
doubt_role = "finance-approver"
"""


@pytest.mark.parametrize(
    ("who", "why", "approver"),
    [
        (
            'role = "finance-lead"',
            "The policy asks one person with the role finance-lead now, not one person with the role finance-approver",
            "role:finance-lead",
        ),
        (
            'role = "finance-approver"\napprovers = 2',
            "The policy asks for 2 approvers now, not 1",
            "role:finance-approver",
        ),
        ('person = "otto"', "The policy asks otto now, not one person with the role finance-approver", "person:otto"),
    ],
)
def test_a_stricter_policy_asks_again_and_the_old_decision_stays_on_record(
    desks: Desks, shop: Shop, who: str, why: str, approver: str
) -> None:
    desk = desks(ask(pay(amount="5000.00")), DONE, agent=shop.agent)
    run_id = approved(desk, "ines")
    for role in ("finance-approver", "finance-lead"):
        desk.give_role("jonas", role)
    desk.apply(asking(who))
    before, after = replaced(desk, run_id)
    assert after.content is not None
    assert after.content.supersedes is not None
    assert after.content.supersedes.why.startswith(why)
    assert after.approver == approver
    assert after.content.need.policy_version == "fin-approvals-v5"
    assert [(vote.person, vote.verdict) for vote in before.votes] == [("ines", "approve")]


def test_two_approvers_are_two_people_after_a_stricter_policy(desks: Desks, shop: Shop) -> None:
    desk = desks(ask(pay(amount="5000.00")), DONE, agent=shop.agent)
    run_id = approved(desk)
    desk.give_role("jonas", "finance-approver")
    desk.apply(asking('role = "finance-approver"\napprovers = 2'))
    replaced(desk, run_id)
    desk.approve(run_id, "marta", "ines")
    desk.work()
    assert desk.run(run_id).status == "done"
    assert desk.paid() == [500_000]


def test_a_person_whom_the_new_policy_names_need_not_be_asked_what_they_answered(desks: Desks, shop: Shop) -> None:
    desk = desks(ask(pay(amount="5000.00")), DONE, agent=shop.agent)
    run_id = approved(desk, "marta")
    desk.apply(asking('person = "marta"'))
    desk.work()
    assert desk.run(run_id).status == "done"
    assert desk.paid() == [500_000]


def test_a_policy_that_forbids_it_now_voids_what_was_approved(desks: Desks, shop: Shop) -> None:
    desk = desks(ask(pay(amount="5000.00")), agent=shop.agent)
    run_id = approved(desk)
    desk.policy(('action = "payment"', 'action = "purchase"'))
    desk.work()
    assert desk.error(run_id).startswith("The policy does not allow it any more, so it was not done:")
    nothing_done(desk, run_id, shop)


def test_a_policy_that_is_milder_now_changes_nothing(desks: Desks, shop: Shop) -> None:
    desk = desks(ask(pay(amount="5000.00")), DONE, agent=shop.agent)
    run_id = approved(desk)
    desk.policy(('up_to = "1000.00"', 'up_to = "6000.00"'), ('over = "1000.00"', 'over = "6000.00"'))
    desk.work()
    assert desk.run(run_id).status == "done"
    assert only(desk.effects(run_id)) == "done"
    assert only(ledger.of_run(desk.conn, run_id)).policy_version == "fin-approvals-v4"


def test_a_tool_whose_arguments_changed_is_asked_again_as_it_is_now(desks: Desks, shop: Shop) -> None:
    desk = desks(ask(pay()), DONE, agent=shop.agent)
    run_id = approved(desk)
    newer = Shop()
    original = newer.agent.tools.pop("pay")

    @newer.agent.tool(action="payment", amount="amount", credential="STRIPE_API_KEY", scopes=["payments:write"])
    def pay_(effect: Any, order_ref: str, amount: Money, method: str = "pm_card_4417", urgent: bool = False) -> Any:
        return original.function(effect, order_ref, amount, method)

    pay_.name = "pay"
    shop.agent.tools["pay"] = pay_
    before, after = replaced(desk, run_id)
    assert before.content is not None
    assert after.content is not None
    assert after.content.supersedes is not None
    assert after.content.supersedes.why == "The tool pay changed while this waited."
    assert "urgent" in after.content.arguments
    assert "urgent" not in before.content.arguments
    desk.approve(run_id)
    desk.work()
    assert desk.paid() == [BIG]


def test_a_call_that_was_allowed_when_its_sibling_was_asked_and_must_be_asked_now_is_asked(
    desks: Desks, shop: Shop
) -> None:
    desk = desks(ask(pay("PO-2", "640.00"), pay()), DONE, agent=shop.agent)
    run_id = approved(desk)
    desk.policy(*FROM_500)
    desk.work()
    assert desk.run(run_id).status == "awaiting_approval"
    assert shop.diary == []
    assert desk.statuses(run_id) == ["approved", "waiting"]
    desk.approve(run_id)
    desk.work()
    assert desk.run(run_id).status == "done"
    assert shop.diary == ["pay PO-2", "pay PO-1"]


def test_a_call_that_was_allowed_when_its_sibling_was_asked_and_is_forbidden_now_is_told(
    desks: Desks, shop: Shop
) -> None:
    @shop.agent.tool(action="release")
    def give_back(effect: Any, what: str) -> str:
        """Give back."""
        shop.diary.append("give back")
        return "given back"

    desk = desks(ask(("give_back", {"what": "A", "why": "Not needed."}), pay()), DONE, agent=shop.agent)
    run_id = approved(desk)
    desk.policy(('action = "release"', 'action = "cancellation"'))
    desk.work()
    assert desk.run(run_id).status == "done"
    assert desk.texts(run_id)[0].startswith("Not allowed, and nobody was asked:")
    assert shop.diary == ["pay PO-1"]


# -------------------------------------------------------------------------------------------------------------- the price


@pytest.fixture
def thousand(desks: Desks) -> tuple[Desk, Any]:
    """The example's agent, with EUR 1,000.00 approved at a tolerance of 2 %."""
    desk = desks()
    desk.policy(*FROM_500)
    run_id = desk.start(world.order(amount="1000.00"))
    desk.approve(run_id)
    return desk, run_id


def moved(desk: Desk, **change: Any) -> None:
    desk.outside.suppliers.move({"order_ref": "PO-1", **change})


@pytest.mark.parametrize("price", ["1000.00", "1019.99", "1020.00", "980.00"])
def test_a_price_within_the_tolerance_goes_through_and_the_receipt_shows_both(
    thousand: tuple[Desk, Any], price: str
) -> None:
    desk, run_id = thousand
    moved(desk, price={"amount": price, "currency": "EUR"})
    desk.work()
    assert desk.run(run_id).status == "done"
    assert desk.paid() == [100_000]
    assert only(desk.pauses(run_id)).receipt["quoted"] == {
        "approved": {"amount": "1000.00", "currency": "EUR"},
        "now": {"amount": price, "currency": "EUR"},
    }


@pytest.mark.parametrize(
    ("price", "currency"), [("1020.01", "EUR"), ("979.99", "EUR"), ("900.00", "EUR"), ("1000.00", "USD")]
)
def test_a_price_beyond_the_tolerance_is_asked_anew_at_the_price_of_now(
    thousand: tuple[Desk, Any], price: str, currency: str
) -> None:
    desk, run_id = thousand
    moved(desk, price={"amount": price, "currency": currency})
    before, after = replaced(desk, run_id)
    assert before.content is not None
    assert after.content is not None
    assert after.content.supersedes is not None
    assert after.content.supersedes.was == Money(100_000, "EUR")
    assert after.content.amount == Money(int(price.replace(".", "")), currency)
    assert after.content.arguments["amount"] == {"amount": price, "currency": currency}
    assert str(after.content.amount) in after.content.summary
    assert after.content.fingerprint == digest.fingerprint("charge_supplier", after.content.arguments)
    assert after.content.fingerprint != before.content.fingerprint
    assert after.content.action_digest != before.content.action_digest
    assert after.content.supersedes.why.startswith("The price moved from EUR 1,000.00 to ")
    assert after.content.supersedes.why.endswith("beyond the 2 % either way that rule 'payment' leaves open.")
    assert after.content.explanation == before.content.explanation


@pytest.mark.parametrize("change", [{"sold_out": True}, {"down": True}])
def test_a_price_that_cannot_be_had_is_asked_anew_and_never_substituted(
    thousand: tuple[Desk, Any], change: dict[str, bool]
) -> None:
    desk, run_id = thousand
    desk.outside.suppliers.move(change if "down" in change else {"order_ref": "PO-1", **change})
    _, after = replaced(desk, run_id)
    assert after.content is not None
    assert after.content.supersedes is not None
    assert after.content.supersedes.why.startswith("The price cannot be had now:")
    assert after.content.amount == Money(100_000, "EUR")
    assert after.content.quote is None


def test_once_the_price_can_be_had_again_what_was_approved_anew_goes_through(thousand: tuple[Desk, Any]) -> None:
    desk, run_id = thousand
    desk.outside.suppliers.move({"down": True})
    replaced(desk, run_id)
    desk.outside.suppliers.move({"down": False})
    desk.approve(run_id)
    desk.work()
    assert desk.run(run_id).status == "done"
    assert desk.paid() == [100_000]


def test_a_price_that_moves_twice_is_asked_twice_and_paid_once_at_the_last(thousand: tuple[Desk, Any]) -> None:
    desk, run_id = thousand
    for price in ("1100.00", "1200.00"):
        moved(desk, price={"amount": price, "currency": "EUR"})
        desk.work()
        desk.approve(run_id)
    desk.work()
    run = desk.run(run_id)
    assert run.status == "done"
    assert desk.statuses(run_id) == ["superseded", "superseded", "executed"]
    assert desk.paid() == [120_000]
    assert run.result is not None
    assert "EUR 1,200.00" in run.result
    [_, middle, last] = desk.pauses(run_id)
    assert last.content is not None
    assert last.content.supersedes is not None
    assert last.content.supersedes.was == Money(110_000, "EUR")
    assert last.content.supersedes.pause_id == str(middle.id)
    paid_text = desk.texts(run_id)[-1]
    assert "Done as it was approved, which differs from what you asked for" in paid_text


def test_a_price_that_moved_into_another_band_asks_whom_that_band_names(desks: Desks) -> None:
    desk = desks()
    run_id = desk.start(world.order(amount="9900.00"))
    assert desk.pause(run_id).approver == "role:finance-approver"
    desk.approve(run_id)
    moved(desk, price={"amount": "10200.00", "currency": "EUR"})
    _, after = replaced(desk, run_id)
    assert after.approver == "person:marta"


def test_the_stricter_of_both_tolerances_holds(thousand: tuple[Desk, Any]) -> None:
    desk, run_id = thousand
    desk.policy(*FROM_500, ('percent = "2"', 'percent = "1"'), version="fin-approvals-v6")
    moved(desk, price={"amount": "1015.00", "currency": "EUR"})
    _, after = replaced(desk, run_id)
    assert after.content is not None
    assert after.content.supersedes is not None
    assert after.content.supersedes.why.endswith("beyond the 1 % either way that rule 'payment' leaves open.")


def test_a_denied_new_price_ends_as_a_denial_and_nothing_is_paid(thousand: tuple[Desk, Any]) -> None:
    desk, run_id = thousand
    moved(desk, price={"amount": "1100.00", "currency": "EUR"})
    replaced(desk, run_id)
    desk.deny(run_id, reason="Not at that price.")
    desk.work()
    run = desk.run(run_id)
    assert run.status == "done"
    assert run.result is not None
    assert "Not at that price." in run.result
    assert desk.paid() == []


def test_of_two_approved_only_the_one_that_moved_is_asked_again_and_neither_runs_meanwhile(
    desks: Desks, shop: Shop
) -> None:
    prices = {"PO-1": 3_800_000, "PO-2": 3_800_000}
    shop.agent.tools["pay"].quote(_quoting(prices))
    desk = desks(ask(pay(), pay("PO-2")), DONE, agent=shop.agent)
    run_id = desk.start()
    desk.approve(run_id)
    desk.approve(run_id)
    prices["PO-2"] = 4_000_000
    desk.work()
    assert desk.statuses(run_id) == ["approved", "superseded", "waiting"]
    assert shop.diary == []
    desk.approve(run_id)
    desk.work()
    assert desk.run(run_id).status == "done"
    assert (desk.paid(), desk.paid("PO-2")) == ([BIG], [4_000_000])


def test_a_quote_that_is_no_quote_is_a_price_that_cannot_be_had(desks: Desks, shop: Shop) -> None:
    shop.agent.tools["pay"].quote(lambda order_ref: {"price": 1.5})
    desk = desks(ask(pay()), DONE, agent=shop.agent)
    run_id = desk.start()
    assert "pay.quote gave dict, not a Quote" in desk.texts(run_id)[0]
    assert desk.pauses(run_id) == []


def _quoting(prices: dict[str, int]) -> Callable[..., Quote]:
    def quote(order_ref: str) -> Quote:
        if order_ref not in prices:
            raise QuoteUnavailable("no such order")
        return Quote(price=Money(prices[order_ref], "EUR"))

    return quote


def test_the_superseded_request_can_no_longer_be_decided(thousand: tuple[Desk, Any]) -> None:
    desk, run_id = thousand
    moved(desk, price={"amount": "1100.00", "currency": "EUR"})
    before, _ = replaced(desk, run_id)
    assert not isinstance(pauses.approve(desk.conn, before.id, "ines", surface="tests"), Decided)


def test_an_approval_whose_time_has_passed_is_voided_even_if_the_price_moved_too(thousand: tuple[Desk, Any]) -> None:
    desk, run_id = thousand
    moved(desk, price={"amount": "1100.00", "currency": "EUR"})
    desk.conn.execute("UPDATE run_pause SET decided_at = decided_at - interval '4 days'")
    desk.work()
    assert desk.statuses(run_id) == ["voided"]
    assert desk.paid() == []


# --------------------------------------------------------------------------------- what the author's functions give and say


def _raises(error: Exception) -> Callable[..., Any]:
    def quote() -> Quote:
        raise error

    return quote


EUROS = Money(BIG, "EUR")
ODD_QUOTES: dict[str, tuple[Callable[..., Any], str]] = {
    "a NUL in why there is none": (_raises(QuoteUnavailable("gone\0")), "gone\ufffd"),
    "a NUL in an exception": (_raises(ValueError("odd\0\ud800")), "ValueError: odd\ufffd\ufffd"),
    "no price": (lambda: Quote(price=None), "a Quote whose price is NoneType, not Money"),  # type: ignore[arg-type]
    "an hour without a zone": (
        lambda: Quote(price=EUROS, valid_until=datetime(2026, 7, 21, 9)),  # noqa: DTZ001
        "no datetime with a time zone",
    ),
    "an hour as text": (lambda: Quote(price=EUROS, valid_until="soon"), "no datetime with a time zone"),  # type: ignore[arg-type]
    "an hour that no zone but its own can say": (
        lambda: Quote(price=EUROS, valid_until=datetime(9999, 12, 31, 23, tzinfo=timezone(timedelta(hours=-5)))),
        "a Quote whose valid_until is in the year 9999",
    ),
    "a number for a reference": (lambda: Quote(price=EUROS, reference=7), "a Quote whose reference is int, not text"),  # type: ignore[arg-type]
    "nothing at all": (lambda: None, "gave NoneType, not a Quote"),
    "text for a quote": (lambda: "EUR 5", "gave str, not a Quote"),
}


@pytest.mark.parametrize("what", ODD_QUOTES)
def test_an_odd_quote_is_no_price_and_ends_no_run(desks: Desks, shop: Shop, what: str) -> None:
    made, said = ODD_QUOTES[what]
    desk = desks(ask(pay()), DONE, agent=shop.agent)
    shop.agent.tools["pay"].quote(made)
    run_id = desk.start()
    assert desk.run(run_id).status == "done"
    [(text, _)] = desk.told(run_id)
    assert "The present price cannot be had, so nobody was asked" in text
    assert said in text


@pytest.mark.parametrize("what", ODD_QUOTES)
def test_an_odd_quote_after_the_yes_is_asked_again(desks: Desks, shop: Shop, what: str) -> None:
    made, said = ODD_QUOTES[what]
    desk = desks(ask(pay()), agent=shop.agent)
    run_id = approved(desk)
    shop.agent.tools["pay"].quote(made)
    _, after = replaced(desk, run_id)
    assert after.content is not None
    assert after.content.supersedes is not None
    assert said in after.content.supersedes.why


def test_a_price_that_the_tool_does_not_give_any_more_is_asked_again(desks: Desks, shop: Shop) -> None:
    desk = desks(ask(pay()), agent=shop.agent)
    shop.agent.tools["pay"].quote(lambda: Quote(price=EUROS))
    run_id = approved(desk)
    del shop.agent.tools["pay"].companions["quote"]
    _, after = replaced(desk, run_id)
    assert after.content is not None
    assert after.content.supersedes is not None
    assert "The price cannot be had now: pay gives none any more." in after.content.supersedes.why
    assert desk.paid() == []


def test_a_nul_in_the_reference_of_a_quote_is_shown(desks: Desks, shop: Shop) -> None:
    desk = desks(ask(pay()), agent=shop.agent)
    shop.agent.tools["pay"].quote(lambda: Quote(price=EUROS, reference="q\0"))
    asked = desk.pause(desk.start()).content
    assert asked is not None
    assert asked.quote == Quote(price=EUROS, reference="q\ufffd")
