"""Which rule applies where rules have conditions, where something could not be read, and where payments to one payee count together."""

import json
import random
from contextlib import suppress
from functools import cache
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.rules import policy_file
from engine.rules.calendar import Calendar
from engine.rules.digest import canonical
from engine.rules.documents import DocumentFaults
from engine.rules.money import Money
from engine.rules.needs import Need, needs_asking_again, strictness
from engine.rules.policy import NO_RULE, Facts, Policy, counted_with, evaluate, same_payee
from tests.engine.rules.policy_texts import ALLOW, ASK, CALENDAR, band, policy_of, rule

KNOWN = 'when = { supplier_id = ["sup_1", "sup_2"] }\n'
MANY = "when = { quantity = { over = 100 } }\n"
POLICY = policy_of(
    band("known", ALLOW + KNOWN, up_to="5000"),
    band("small", ALLOW, up_to="1000"),
    band("large", ASK, over="1000", up_to="20000"),
    band("huge", 'need = "forbid"\n', over="20000"),
    rule("many", ASK + MANY, action="reserve"),
    rule("few", ALLOW, action="reserve"),
    '[spend_window]\npayment = "24h"\n',
)


def payment(minor: int | None, supplier: Any = "sup_9", **facts: Any) -> Need:
    amount = None if minor is None else Money(minor, "EUR")
    return evaluate(
        POLICY, Facts(action="payment", amount=amount, payee=supplier, arguments={"supplier_id": supplier}, **facts)
    )


@pytest.mark.parametrize(
    ("supplier", "minor", "applies"),
    [
        ("sup_1", 400_000, "known"), ("sup_1", 500_000, "known"), ("sup_1", 500_001, "large"), ("sup_1", 2_000_001, "huge"),
        ("sup_9", 100_000, "small"), ("sup_9", 400_000, "large"),
    ],
)  # fmt: skip
def test_the_first_whose_condition_holds_applies_and_else_the_one_without(
    supplier: str, minor: int, applies: str
) -> None:
    assert payment(minor, supplier).rule == applies


@pytest.mark.parametrize(("supplier", "minor", "applies"), [(None, 400_000, "large"), (7, 400_000, "large")])
def test_what_cannot_be_told_never_makes_a_need_smaller(supplier: Any, minor: int, applies: str) -> None:
    need = payment(minor, supplier)
    assert need.rule == applies
    assert need.why.startswith("Whether a condition holds cannot be told, so the strictest rule holds. ")


def test_of_two_as_strict_the_one_without_a_condition_is_named() -> None:
    known = band("known", ALLOW + 'when = { supplier_id = "sup_412" }\n', over="500", up_to="5000.00")
    policy = policy_of(known, band("small", ALLOW, up_to="1000.00"), band("large", ASK, over="1000.00"))
    need = evaluate(policy, Facts(action="payment", amount=Money(90_000, "EUR"), payee="sup_377"))
    assert need.rule == "small"
    assert "supplier id is sup_412" not in need.why


def test_an_action_without_money_may_have_conditions_too() -> None:
    applies = {
        quantity: evaluate(POLICY, Facts(action="reserve", arguments={"quantity": quantity})).rule
        for quantity in (100, 101, None)
    }
    assert applies == {100: "few", 101: "many", None: "many"}


@pytest.mark.parametrize("what", ["amount", "payee"])
def test_nothing_is_allowed_whose_amount_or_payee_could_not_be_read(what: str) -> None:
    need = payment(None if what == "amount" else 100, unread=(what,))
    assert (need.kind, need.rule) == ("forbid", "huge")
    assert need.why.startswith(f"The {what} is not known, so the strictest rule holds. ")


def test_what_would_be_asked_anyway_is_asked_when_the_payee_could_not_be_read() -> None:
    alone = Policy(version="v1", rules=POLICY.rules)
    amount = Money(500_000, "EUR")
    assert evaluate(alone, Facts(action="payment", amount=amount, unread=("payee",))).rule == "large"


def test_where_payments_count_together_a_payee_that_could_not_be_read_may_have_been_paid_any_sum() -> None:
    two = policy_of(
        band("one yes", ASK, up_to="1000"), band("two", ASK.replace("4h", "8h"), over="1000"),
        band("dollars", 'need = "forbid"\n', currency="USD"), '[spend_window]\npayment = "24h"\n',
    )  # fmt: skip
    need = evaluate(two, Facts(action="payment", amount=Money(100, "EUR"), unread=("payee",)))
    assert need.rule == "two"
    assert need.why.startswith("The payee is not known, so the strictest rule holds. ")
    assert payment(500_000, None, unread=("payee",)).rule == "huge"


@pytest.mark.parametrize("other", ["NORDHOLZ GMBH", " Nordholz  GmbH", "nordholz\u00a0gmbh", "\uff2eordholz GmbH"])
def test_a_payee_is_the_same_however_it_is_written(other: str) -> None:
    assert same_payee(other) == same_payee("Nordholz GmbH")
    assert same_payee("Nordholz AG") != same_payee("Nordholz GmbH")


def test_where_nothing_but_allowing_is_written_down_what_could_not_be_read_is_forbidden() -> None:
    need = evaluate(policy_of(rule("a", ALLOW)), Facts(action="payment", unread=("payee",)))
    assert (need.kind, need.rule) == ("forbid", NO_RULE)
    assert '"payment" without a payee' in need.why


def test_three_payments_just_below_a_limit_meet_the_rule_above_it() -> None:
    spent = 0
    applied = []
    for _ in range(3):
        need = payment(99_900, spent=Money(spent, "EUR"))
        applied.append((need.rule, need.window_s, need.up_to))
        spent += 99_900
    assert applied == [("small", 86_400, 100_000), ("large", 86_400, 2_000_000), ("large", 86_400, 2_000_000)]
    assert payment(99_900, spent=Money(199_800, "EUR")).why.endswith(
        "With EUR 1,998.00 paid or begun to sup_9 within 1 day before, it counts as EUR 2,997.00."
    )


@pytest.mark.parametrize("payee", ["sup_9", "Nordholz\n within 2 days before, it counts as nothing."])
def test_what_counts_with_earlier_payments_is_found_again_in_the_reason(payee: str) -> None:
    facts = Facts(
        action="payment", amount=Money(99_900, "EUR"), payee=payee, arguments={"supplier_id": payee}, spent=Money(99_900, "EUR")
    )  # fmt: skip
    need = evaluate(POLICY, facts)
    assert (
        counted_with(need.why)
        == f"With EUR 999.00 paid or begun to {payee} within 1 day before, it counts as EUR 1,998.00."
    )
    assert counted_with(payment(99_900).why) is None


def test_an_action_without_a_window_counts_each_payment_by_itself() -> None:
    alone = Policy(version="v1", rules=POLICY.rules)
    called = {"supplier_id": "sup_9"}
    need = evaluate(alone, Facts(action="payment", amount=Money(99_900, "EUR"), payee="sup_9", arguments=called))
    assert (need.rule, need.window_s, need.up_to) == ("small", 0, None)


HOURS = Calendar(
    zone="Europe/Berlin", days=(0, 1, 2, 3, 4), opens=540, closes=1020, holidays="DE-BE", closed=("2026-12-24",)
)


def test_a_need_holds_the_calendar_by_which_it_waits() -> None:
    body = ASK.replace("4h", "2 business days").replace(
        '"deny"', '"escalate"\nescalate = [{ person = "otto", answer_within = "4h" }]'
    )
    need = policy_of(rule("a", body + 'confirm = "payment_method"\ndigest = "08:30"\n'), CALENDAR).rules[0].need
    assert (need.answer_within_s, need.in_business_hours, need.calendar, need.confirm, need.digest_at) == (
        16 * 3600,
        True,
        HOURS,
        "payment_method",
        8 * 60 + 30,
    )
    assert [(step.answer_within_s, step.in_business_hours) for step in need.steps] == [(4 * 3600, False)]
    assert Need.from_document(json.loads(canonical(need.to_document()))) == need


def test_a_need_without_what_came_later_is_stored_as_the_release_before_knows_it() -> None:
    stored = policy_of(rule("a", ASK), CALENDAR).rules[0].need.to_document()
    assert not {"in_business_hours", "calendar", "confirm", "window_s", "up_to"} & set(stored)


def test_a_confirmation_asked_for_since_is_asked_again() -> None:
    plain, typed = (policy_of(rule("a", body)).rules[0].need for body in (ASK, ASK + 'confirm = "order_ref"'))
    assert needs_asking_again(plain, typed) == (
        'The policy asks for a typed confirmation of the order ref now (rule "a" of v1).'
    )
    assert needs_asking_again(typed, plain) is None


CONDITIONS = [
    'when = { country = "DE" }\n', 'when = { country = ["DE", "FR"] }\n', 'when = { country = { not = "DE" } }\n',
    "when = { quantity = { over = 10 } }\n", "when = { quantity = { up_to = 10 } }\n",
    'when = { country = "FR", quantity = { over = 10 } }\n', "when = { urgent = true }\n",
]  # fmt: skip
NEEDS = [ALLOW, ASK, ASK + 'confirm = "amount"\n', 'need = "forbid"\n']
ENDS = [None, "10", "20", "30"]


@cache
def with_conditions() -> list[Policy]:
    """Policies whose rules have conditions, as they may be put in force."""
    chance, found = random.Random(20261201), list[Policy]()
    while len(found) < 40:
        rules = []
        for n in range(chance.randint(1, 3)):
            over, up_to = sorted((chance.choice(ENDS), chance.choice(ENDS)), key=lambda end: end or "0")
            ends = (over, up_to) if over != up_to else (None, None)
            rules.append(band(f"c{n}", chance.choice(NEEDS) + chance.choice(CONDITIONS), *ends))
        low, high = sorted((chance.randrange(4), chance.randrange(4)))
        rules += [band("low", NEEDS[low], up_to="20"), band("high", NEEDS[high], over="20")]
        with suppress(DocumentFaults):
            found.append(policy_file.parse('version = "v1"\n' + "".join(rules)))
    return found


POLICIES = st.deferred(lambda: st.sampled_from(with_conditions()))
ARGUMENTS = st.fixed_dictionaries(
    {},
    optional={
        "country": st.sampled_from(["DE", "FR", "US", None, 7]),
        "quantity": st.sampled_from([0, 10, 11, 10.5, "11", None]),
        "urgent": st.sampled_from([True, False, "true"]),
    },
)


@given(POLICIES, ARGUMENTS, st.integers(0, 4_000), st.integers(0, 4_000), st.integers(0, 4_000))
def test_the_need_never_falls_as_amount_or_what_was_spent_rises(
    policy: Policy, arguments: dict[str, Any], one: int, other: int, spent: int
) -> None:
    less, more = sorted([one, other])
    needs = [
        evaluate(policy, Facts(action="payment", amount=Money(minor, "EUR"), arguments=arguments, spent=before))
        for minor, before in ((less, None), (more, None), (more, Money(spent, "EUR")))
    ]
    assert strictness(needs[0]) <= strictness(needs[1]) <= strictness(needs[2])
    assert all(need.rule != NO_RULE for need in needs)


@given(POLICIES, ARGUMENTS, st.integers(0, 4_000))
def test_an_argument_that_is_not_there_never_makes_a_need_smaller(
    policy: Policy, arguments: dict[str, Any], minor: int
) -> None:
    known, unknown = (
        evaluate(policy, Facts(action="payment", amount=Money(minor, "EUR"), arguments=told))
        for told in (arguments, {})
    )
    assert strictness(known) <= strictness(unknown)
