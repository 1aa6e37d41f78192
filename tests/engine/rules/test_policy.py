"""Exactly one rule applies, what none names is forbidden, and the need never falls as the amount rises."""

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.rules import policy_file
from engine.rules.digest import canonical
from engine.rules.money import Money, parse
from engine.rules.needs import Direction, Kind, Need, Step, needs_asking_again, stricter, strictness
from engine.rules.policy import NO_RULE, Facts, Policy, evaluate
from tests.engine.rules.policy_texts import ASK, band, example, policy_of

KINDS: list[Kind] = ["allow", "ask", "forbid"]


def need_of(amount: str | None, currency: str = "EUR", action: str = "payment") -> Need:
    money = None if amount is None else parse(amount, currency)
    return evaluate(example(), Facts(action=action, amount=money, payee="sup_412"))


def ask(**fields: Any) -> Need:
    base = Need(
        kind="ask", policy_version="v1", rule="payment", why="Payment needs a yes.", role="buyer", approvers=1,
        answer_within_s=60, execute_within_s=60, doubt_role="buyer",
    )  # fmt: skip
    return replace(base, **fields)


ALLOW = Need(kind="allow", policy_version="v1", rule="small", why="Payment is allowed.", doubt_role="buyer")
FORBID = Need(kind="forbid", policy_version="v2", rule="never", why="Payment is forbidden.")


@pytest.mark.parametrize(
    ("amount", "rule"),
    [
        ("0", "small payment"), ("999.99", "small payment"), ("1000.00", "small payment"),
        ("1000.01", "payment"), ("10000.00", "payment"), ("10000.01", "large payment"), ("38000", "large payment"),
    ],
)  # fmt: skip
def test_over_is_more_than_and_up_to_includes_the_amount(amount: str, rule: str) -> None:
    assert need_of(amount).rule == rule


def test_a_need_is_complete_without_its_policy() -> None:
    assert need_of("38000.00") == Need(
        kind="ask",
        policy_version="fin-approvals-v4",
        rule="large payment",
        why='Payment of more than EUR 10,000.00 needs the yes of marta (rule "large payment", fin-approvals-v4).',
        person="marta",
        approvers=1,
        answer_within_s=4 * 3600,
        on_expiry="escalate",
        steps=(Step(manager_of="approver", answer_within_s=4 * 3600),),
        tolerance_bp=200,
        direction="both",
        execute_within_s=3 * 86400,
        channel="C0BUY",
        doubt_role="finance-approver",
    )


def test_each_kind_of_rule_says_why_in_a_sentence() -> None:
    assert [
        need.why for need in (need_of("5"), need_of("5000"), need_of("5", "JPY"), need_of(None, action="release"))
    ] == [
        'Payment of up to EUR 1,000.00 is allowed (rule "small payment", fin-approvals-v4).',
        (
            "Payment of more than EUR 1,000.00 and up to EUR 10,000.00 needs the yes of one person with the role "
            'finance-approver (rule "payment", fin-approvals-v4).'
        ),
        (
            "Payment in a currency that no other rule names needs the yes of one person with the role finance-approver "
            '(rule "foreign payment", fin-approvals-v4).'
        ),
        'Release is allowed (rule "release", fin-approvals-v4).',
    ]


def test_a_currency_without_bands_of_its_own_falls_under_any_other() -> None:
    assert need_of("1", "JPY").rule == need_of("1000000", "JPY").rule == "foreign payment"
    assert need_of("1", "JPY").kind == "ask"


def test_an_action_that_no_rule_names_is_forbidden_and_says_so() -> None:
    for need in (need_of("5", "EUR", "deploy"), need_of(None, "EUR", "deploy")):
        assert (need.kind, need.rule, need.policy_version) == ("forbid", NO_RULE, "fin-approvals-v4")
        assert need.why == (
            'No rule of fin-approvals-v4 names "deploy", so it is forbidden until the owner of the policy adds one.'
        )


def test_a_currency_that_no_rule_names_is_forbidden_and_says_so() -> None:
    euros_only = replace(example(), rules=tuple(rule for rule in example().rules if rule.currency == "EUR"))
    need = evaluate(euros_only, Facts(action="payment", amount=Money(1, "USD")))
    assert need.kind == "forbid"
    assert '"payment" in USD' in need.why


def test_a_rule_without_a_currency_does_not_allow_money_to_move() -> None:
    assert need_of(None, action="release").kind == "allow"
    assert need_of("5", action="release").kind == "forbid"


def test_an_unknown_amount_gets_the_strictest_rule_and_is_never_allowed() -> None:
    need = need_of(None)
    assert need.rule == "large payment"
    assert need.why.startswith("The amount is not known, so the strictest rule holds. ")
    only_allowed = replace(example(), rules=example().rules[:1])
    unknown = evaluate(only_allowed, Facts(action="payment"))
    assert unknown.kind == "forbid"
    assert '"payment" without an amount' in unknown.why


def test_of_equally_strict_rules_an_unknown_amount_gets_that_of_the_highest_amounts() -> None:
    low, high = band("low", ASK, up_to="0.00"), band("high", ASK, over="0.00")
    for rules in ([low, high], [high, low]):
        assert evaluate(policy_of(*rules), Facts(action="payment")).rule == "high"


def test_a_need_survives_being_stored() -> None:
    for rule in example().rules:
        stored = canonical(rule.need.to_document())
        assert Need.from_document(json.loads(stored)) == rule.need


def test_a_stored_need_with_a_key_of_another_version_is_not_half_read() -> None:
    with pytest.raises(TypeError):
        Need.from_document(ALLOW.to_document() | {"spend_window": "1d"})


def test_a_stored_need_that_says_no_more_than_it_must_is_read() -> None:
    least = {"kind": "forbid", "policy_version": "v2", "rule": "never", "why": "Payment is forbidden."}
    assert Need.from_document(least) == FORBID
    for missing in least:
        with pytest.raises(TypeError):
            Need.from_document({key: said for key, said in least.items() if key != missing})


@pytest.mark.parametrize(
    ("recorded", "present", "sentence"),
    [
        (ALLOW, ask(), "The policy is stricter now: Payment needs a yes."),
        (ask(), FORBID, "The policy is stricter now: Payment is forbidden."),
        (
            ask(),
            ask(role="director", rule="large", policy_version="v4"),
            (
                "The policy asks one person with the role director now, not one person with the role buyer "
                '(rule "large" of v4).'
            ),
        ),
        (
            ask(),
            ask(role=None, person="ines"),
            'The policy asks ines now, not one person with the role buyer (rule "payment" of v1).',
        ),
        (
            ask(),
            ask(role="director", approvers=2),
            (
                "The policy asks 2 people with the role director now, not one person with the role buyer "
                '(rule "payment" of v1).'
            ),
        ),
        (
            ask(),
            ask(approvers=2, policy_version="v4"),
            'The policy asks for 2 approvers now, not 1 (rule "payment" of v4).',
        ),
    ],
)
def test_what_a_stricter_policy_asks_for_is_asked_again(recorded: Need, present: Need, sentence: str) -> None:
    assert needs_asking_again(recorded, present) == sentence
    assert stricter(recorded, present) is present


@pytest.mark.parametrize(
    ("recorded", "present"),
    [
        (ask(), ask(policy_version="v4", rule="renamed")),
        (ask(approvers=2), ask(approvers=1)),
        (ask(), ALLOW),
        (FORBID, ALLOW),
        (FORBID, ask()),
        (ALLOW, ALLOW),
    ],
)
def test_an_equal_or_laxer_policy_changes_nothing(recorded: Need, present: Need) -> None:
    assert needs_asking_again(recorded, present) is None
    assert stricter(recorded, present) is recorded


def test_a_person_named_since_who_already_said_yes_is_not_asked_again() -> None:
    now = ask(role=None, person="ines")
    assert needs_asking_again(ask(), now, voters=["ines"]) is None
    assert needs_asking_again(ask(), now, voters=["marta"]) is not None


@st.composite
def policies(draw: st.DrawFn) -> Policy:
    """Policies of one action in EUR whose bands meet and whose needs never fall."""
    ends = sorted(draw(st.sets(st.integers(0, 100_000), max_size=4)))
    levels = st.tuples(st.sampled_from(range(3)), st.integers(1, 3))
    needs = sorted(draw(levels) for _ in range(len(ends) + 1))
    text = 'version = "v1"\n'
    for index, (kind, approvers) in enumerate(needs):
        text += f'[[rule]]\nname = "r{index}"\naction = "payment"\ncurrency = "EUR"\nneed = "{KINDS[kind]}"\n'
        text += f'over = "{Money(ends[index - 1], "EUR").decimal()}"\n' if index else ""
        text += f'up_to = "{Money(ends[index], "EUR").decimal()}"\n' if index < len(ends) else ""
        text += 'doubt_role = "buyer"\n' if kind == 0 else ""
        text += f'role = "buyer"\napprovers = {approvers}\n' if kind == 1 else ""
        text += 'answer_within = "4h"\non_expiry = "deny"\n' if kind == 1 else ""
    return policy_file.parse(text)


@given(policies(), st.integers(0, 120_000), st.integers(0, 120_000))
def test_the_need_never_falls_as_the_amount_rises(policy: Policy, one: int, other: int) -> None:
    less, more = sorted([one, other])
    low, high = (evaluate(policy, Facts(action="payment", amount=Money(minor, "EUR"))) for minor in (less, more))
    assert strictness(low) <= strictness(high)


@given(policies(), st.integers(0, 120_000))
def test_exactly_one_rule_applies_to_any_amount(policy: Policy, minor: int) -> None:
    (rule,) = [rule for rule in policy.rules if rule.covers(minor)]
    assert evaluate(policy, Facts(action="payment", amount=Money(minor, "EUR"))) == rule.need


@given(policies())
def test_any_need_survives_being_stored(policy: Policy) -> None:
    for rule in policy.rules:
        assert Need.from_document(json.loads(canonical(rule.need.to_document()))) == rule.need


@pytest.mark.parametrize(
    ("recorded", "present", "holds"),
    [
        ((200, "both"), (50, "both"), (50, "both")),
        ((50, "both"), (200, "both"), (50, "both")),
        ((200, "up"), (50, "both"), (50, "up")),
        ((200, "both"), (50, "down"), (50, "down")),
        ((200, "up"), (50, "down"), (0, "both")),
    ],
)
@pytest.mark.parametrize("role", ["a", "b"])
def test_what_is_asked_again_says_a_tolerance_that_both_policies_leave_open(
    recorded: tuple[int, Direction], present: tuple[int, Direction], holds: tuple[int, Direction], role: str
) -> None:
    was = ask(role="a", approvers=2, tolerance_bp=recorded[0], direction=recorded[1])
    now = ask(role=role, approvers=1, tolerance_bp=present[0], direction=present[1])
    need = stricter(was, now)
    assert (need.tolerance_bp, need.direction) == holds
    assert need.role == role
