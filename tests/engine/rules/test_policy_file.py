"""policy.toml is taken whole: what its rules say, and what they leave unsaid, is in their needs."""

import pytest

from engine.rules import policy_file
from engine.rules.needs import Need, Step
from tests.engine.rules.policy_texts import (
    ALLOW,
    ASK,
    PERSON,
    band,
    example,
    need,
    policy_of,
    rule,
)


def test_the_example_stands() -> None:
    read = example()
    assert read.version == "fin-approvals-v4"
    assert [one.name for one in read.rules] == [
        "small payment",
        "payment",
        "large payment",
        "foreign payment",
        "release",
    ]


def test_a_version_applied_earlier_is_read_whoever_has_left_since() -> None:
    text = 'version = "v1"\n' + rule("a", ASK.replace("finance-approver", "gone"))
    assert policy_file.parse(text).rules[0].need.role == "gone"


# --------------------------------------------------------------------------------------------------- what a rule says

LEAST = Need(
    kind="ask",
    policy_version="v1",
    rule="a",
    why='Payment needs the yes of one person with the role finance-approver (rule "a", v1).',
    role="finance-approver",
    approvers=1,
    answer_within_s=4 * 3600,
    on_expiry="deny",
    tolerance_bp=0,
    direction="both",
    execute_within_s=86_400,
    doubt_role="finance-approver",
)


def test_what_a_rule_that_asks_does_not_say_is_decided_carefully() -> None:
    assert need(ASK) == LEAST


def test_what_a_rule_says_is_in_its_need() -> None:
    said = need(
        PERSON + 'on_expiry = "escalate"\nescalate = [{ person = "otto" }, { manager_of = "requester", '
        'answer_within = "1d" }, { role = "finance-approver" }]\nfinally = "deny"\n'
        'remind_after = "1h"\nexecute_within = "366d"\nchannel = "C0BUY"\n'
        'tolerance = { percent = "2", direction = "up" }'
    )
    assert said == Need(
        kind="ask",
        policy_version="v1",
        rule="a",
        why='Payment needs the yes of marta (rule "a", v1).',
        person="marta",
        approvers=1,
        answer_within_s=14_400,
        on_expiry="escalate",
        steps=(
            Step(person="otto", answer_within_s=14_400),  # the time of its rule, as it says no other
            Step(manager_of="requester", answer_within_s=86_400),
            Step(role="finance-approver", answer_within_s=14_400),
        ),
        tolerance_bp=200,
        direction="up",
        execute_within_s=366 * 86_400,
        remind_after_s=3_600,
        channel="C0BUY",
        doubt_role="finance-approver",
    )


def test_a_rule_that_asks_nobody_has_no_times_and_no_approvers() -> None:
    assert need(ALLOW) == Need(
        kind="allow", policy_version="v1", rule="a", why='Payment is allowed (rule "a", v1).', doubt_role="finance-approver"
    )  # fmt: skip
    assert need('need = "forbid"') == Need(
        kind="forbid", policy_version="v1", rule="a", why='Payment is forbidden (rule "a", v1).'
    )


def test_the_sentence_names_the_action_in_words() -> None:
    assert need(ALLOW, action="wire_transfer-out").why.startswith("Wire transfer out is allowed ")


def test_a_currency_without_bands_is_named_in_the_sentence() -> None:
    whole, *_ = policy_of(band("a", ALLOW)).rules
    assert whole.need.why == 'Payment in EUR is allowed (rule "a", v1).'


def test_up_to_nine_people_may_be_asked_for_a_yes() -> None:
    text = 'version = "v1"\n' + rule("a", ASK + "approvers = 9")
    assert policy_file.parse(text).rules[0].need.approvers == 9


@pytest.mark.parametrize(("percent", "bp"), [("0", 0), ("2", 200), ("0.75", 75), ("2.5", 250), ("25.00", 2_500)])
def test_a_percentage_is_kept_in_hundredths(percent: str, bp: int) -> None:
    read = need(f'{ASK}tolerance = {{ percent = "{percent}" }}')
    assert (read.tolerance_bp, read.direction) == (bp, "both")


@pytest.mark.parametrize("direction", ["both", "up", "down"])
def test_a_price_may_be_let_move_either_way_or_one_way_only(direction: str) -> None:
    assert need(f'{ASK}tolerance = {{ percent = "2", direction = "{direction}" }}').direction == direction
