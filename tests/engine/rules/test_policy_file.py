"""policy.toml is taken whole or refused whole, with every fault at once and the sentence that mends it."""

from pathlib import Path

import pytest

from engine.rules import people, policy_file
from engine.rules.documents import DocumentFaults

EXAMPLES = Path(__file__).parents[3] / "examples" / "procurement"
PEOPLE = people.parse((EXAMPLES / "people.toml").read_text("utf-8"))
ASK = 'need = "ask"\nrole = "finance-approver"\nanswer_within = "4h"\non_expiry = "deny"\n'
PERSON = 'need = "ask"\nperson = "marta"\ndoubt_role = "finance-approver"\nanswer_within = "4h"\n'
ALLOW = 'need = "allow"\ndoubt_role = "finance-approver"\n'


def rule(name: str, body: str, action: str = "payment") -> str:
    return f'[[rule]]\nname = "{name}"\naction = "{action}"\n{body}\n'


def band(name: str, body: str, over: str | None = None, up_to: str | None = None, currency: str = "EUR") -> str:
    ends = (f'over = "{over}"\n' if over else "") + (f'up_to = "{up_to}"\n' if up_to else "")
    return rule(name, f'currency = "{currency}"\n{ends}{body}')


def faults(*rules: str) -> list[str]:
    """The faults of a policy of these rules, each as "field: why", without the name of the first rule."""
    with pytest.raises(DocumentFaults) as refusal:
        policy_file.check('version = "v1"\n' + "".join(rules), PEOPLE)
    return [f"{fault.field}: {fault.why}".removeprefix('rule "a", ') for fault in refusal.value.faults]


def test_the_example_stands() -> None:
    policy = policy_file.check((EXAMPLES / "policy.toml").read_text("utf-8"), PEOPLE)
    assert policy.version == "fin-approvals-v4"
    assert [one.name for one in policy.rules] == [
        "small payment",
        "payment",
        "large payment",
        "foreign payment",
        "release",
    ]


def test_a_version_applied_earlier_is_read_whoever_has_left_since() -> None:
    text = 'version = "v1"\n' + rule("a", ASK.replace("finance-approver", "gone"))
    assert policy_file.parse(text).rules[0].need.role == "gone"


def test_every_fault_is_told_at_once_with_its_line() -> None:
    with pytest.raises(DocumentFaults) as refusal:
        policy_file.check(
            'version = "v 1"\n'
            '[[rule]]\nname = "a"\naction = "payment"\ncurrency = "eur"\nneed = "allow"\nrole = "x"\n'
            '[[rule]]\nname = "b"\naction = "deploy"\nneed = "ask"\nperson = "ghost"\nanswer_within = "4 h"\n'
            'on_expiri = "deny"\n',
            PEOPLE,
        )
    assert [(fault.line, fault.field) for fault in refusal.value.faults] == [
        (1, "version"),
        (2, 'rule "a", doubt_role'),
        (5, 'rule "a", currency'),
        (7, 'rule "a", role'),
        (8, 'rule "b", on_expiry'),
        (8, 'rule "b", doubt_role'),
        (8, 'rule "b", person'),
        (13, 'rule "b", answer_within'),
        (14, 'rule "b", on_expiri'),
    ]
    assert 'line 14, rule "b", on_expiri: no such key is known here. Did you mean on_expiry?' in str(refusal.value)


@pytest.mark.parametrize("key", ["over", "up_to"])
@pytest.mark.parametrize("amount", ["1000.00", '"1,000"', '"-1"', '"1.005"', '"NaN"', '"1e3"', "true"])
def test_an_amount_is_text_and_exact(key: str, amount: str) -> None:
    (fault,) = faults(rule("a", f'currency = "EUR"\n{key} = {amount}\n{ALLOW}'))
    assert fault.startswith(f"{key}: ")


@pytest.mark.parametrize("length", ["0s", "4", "4 h", "-4h", "1h30m", "4w", "367d", "", "٣h"])
@pytest.mark.parametrize("key", ["answer_within", "execute_within", "remind_after"])
def test_a_length_of_time_is_a_number_and_a_unit_above_zero(key: str, length: str) -> None:
    body = ASK.replace('answer_within = "4h"\n', "") if key == "answer_within" else ASK
    (fault,) = faults(rule("a", f'{body}{key} = "{length}"'))
    assert fault.startswith(f"{key}: ")


@pytest.mark.parametrize(
    ("body", "fault"),
    [
        (ASK.replace("deny", "approve"), "on_expiry: silence is never a yes."),
        (ASK + 'finally = "approve"', "finally: silence is never a yes."),
        (ASK + 'finally = "escalate"', 'finally: "escalate" is not one of its values.'),
        (ASK.replace('on_expiry = "deny"', ""), "on_expiry: it is missing."),
        (ASK.replace('answer_within = "4h"', ""), "answer_within: it is missing."),
        (ASK + 'person = "marta"', "role: a rule asks either one person or a role."),
        (ASK.replace('role = "finance-approver"', 'doubt_role = "finance-approver"'),
         "role: a rule asks either one person or a role."),
        (PERSON + 'on_expiry = "deny"\napprovers = 2', "approvers: one person can say yes once."),
        (ASK + "approvers = 0", "approvers: 0 is not a whole number in range."),
        (ASK + "approvers = true", "approvers: True is not a whole number in range."),
        (ASK + 'remind_after = "4h"', "remind_after: the time to answer is over by then."),
        (ASK + 'channel = "#buying"', 'channel: "#buying" does not have the right shape.'),
        (ASK.replace("deny", "escalate"), 'escalate: on_expiry is "escalate".'),
        (ASK + 'escalate = [{ person = "otto" }]', 'escalate: on_expiry is "deny".'),
        (ASK.replace("deny", "escalate") + "escalate = []", "escalate: it has no step."),
        (ASK.replace("deny", "escalate") + "escalate = [{}]", "escalate[0]: it goes to one place."),
        (ASK.replace("deny", "escalate") + 'escalate = [{ person = "otto", role = "finance-approver" }]',
         "escalate[0]: it goes to one place."),
        (ASK.replace("deny", "escalate") + 'escalate = [{ manager_of = "approver" }]',
         "escalate[0], manager_of: those asked before are a role, which has no one manager."),
        (PERSON + 'on_expiry = "escalate"\nescalate = [{ role = "finance-approver" }, { manager_of = "approver" }]',
         "escalate[1], manager_of: those asked before are a role, which has no one manager."),
        (PERSON + 'on_expiry = "escalate"\nescalate = [{ manager_of = "payee" }]',
         'escalate[0], manager_of: "payee" is not one of its values.'),
        (PERSON + 'on_expiry = "escalate"\nescalate = [{ manager_of = "approver", within = "4h" }]',
         "escalate[0], within: no such key is known here."),
        (ALLOW + 'answer_within = "4h"', 'answer_within: a rule that says "allow" asks nobody.'),
        ('need = "forbid"\nrole = "x"', 'role: a rule that says "forbid" asks nobody.'),
        ('need = "forbid"\ndoubt_role = "finance-approver"', "doubt_role: what is forbidden is never done."),
        ('need = "allow"', "doubt_role: it is missing, and the rule has no role to take instead."),
        ('need = "maybe"', 'need: "maybe" is not one of its values.'),
        ("", "need: it is missing."),
        (ALLOW + 'over = "5"', "over: an amount needs a currency."),
        (ALLOW + 'currency = "any other"\nup_to = "5"', "up_to: an amount needs a currency."),
        (ALLOW + 'currency = "eur"', "currency: it is no current currency."),
        (ALLOW + "currency = []", "currency: it is no current currency."),
        (ALLOW + 'currency = "EUR"\nover = "5"\nup_to = "5.00"', "up_to: no amount is over the one and up to the other."),
    ],
)  # fmt: skip
def test_each_fault_within_a_rule_has_its_sentence(body: str, fault: str) -> None:
    assert faults(rule("a", body)) == [fault]


@pytest.mark.parametrize("key", ["confirm", "spend", "spend_window", "digest", "batch", "when", "conditions"])
def test_a_key_of_a_later_version_is_refused_and_not_ignored(key: str) -> None:
    assert faults(rule("a", f'{ASK}{key} = "typed"')) == [f"{key}: it is not supported by this version."]


@pytest.mark.parametrize(
    "tolerance",
    ['{ percent = "25.01" }', '{ percent = "-1" }', '{ percent = "2%" }', '{ percent = "0.001" }', "{ percent = 2 }",
     "{}", '"2"', '{ percent = "2", direction = "sideways" }', '{ percent = "2", way = "up" }'],
)  # fmt: skip
def test_a_tolerance_is_a_percentage_within_bounds(tolerance: str) -> None:
    (fault,) = faults(rule("a", f"{ASK}tolerance = {tolerance}"))
    assert fault.startswith("tolerance")


@pytest.mark.parametrize(("percent", "bp"), [("0", 0), ("2", 200), ("0.75", 75), ("2.5", 250), ("25.00", 2_500)])
def test_a_percentage_is_kept_in_hundredths(percent: str, bp: int) -> None:
    policy = policy_file.parse('version = "v1"\n' + rule("a", f'{ASK}tolerance = {{ percent = "{percent}" }}'))
    assert (policy.rules[0].need.tolerance_bp, policy.rules[0].need.direction) == (bp, "both")


def test_a_step_has_the_time_of_its_rule_unless_it_says_otherwise() -> None:
    steps = (
        'on_expiry = "escalate"\nescalate = [{ person = "otto" }, { manager_of = "requester", answer_within = "1d" }]'
    )
    policy = policy_file.check('version = "v1"\n' + rule("a", PERSON + steps), PEOPLE)
    assert [step.answer_within_s for step in policy.rules[0].need.steps] == [14_400, 86_400]


@pytest.mark.parametrize(
    ("rules", "fault"),
    [
        ([band("a", ALLOW, up_to="5"), band("b", ASK, over="6")],
         'rule "b", over: no rule says what holds over EUR 5.00 and up to EUR 6.00.'),
        ([band("a", ALLOW, up_to="5"), band("b", ASK, over="4.99")], 'rule "b", over: it overlaps rule "a".'),
        ([band("a", ALLOW), band("b", ASK, over="5")], 'rule "b", over: it overlaps rule "a".'),
        ([band("a", ALLOW), band("b", ALLOW)], 'rule "b", over: it overlaps rule "a".'),
        ([band("a", ALLOW, over="5")], "over: no rule says what holds up to EUR 5.00."),
        ([band("a", ALLOW, up_to="5")], "up_to: no rule says what holds over EUR 5.00."),
        ([band("a", ALLOW, currency="any other"), band("b", ASK, currency="any other")],
         'rule "b", over: it overlaps rule "a".'),
        ([band("a", ASK, up_to="5"), band("b", ALLOW, over="5")],
         'rule "b", need: a larger amount needs less than under rule "a".'),
        ([band("a", 'need = "forbid"\n', up_to="5"), band("b", ASK, over="5")],
         'rule "b", need: a larger amount needs less than under rule "a".'),
        ([rule("a", ASK), rule("b", ASK)], 'rule "b", action: it overlaps rule "a".'),
        ([rule("a", ASK), band("b", ASK)],
         'currency: rule "b" names a currency for the same action, and this one does not.'),
        ([rule("a", ASK), rule("a", ASK, action="deploy")], "name: another rule has this name."),
    ],
)  # fmt: skip
def test_exactly_one_rule_must_apply_to_every_amount(rules: list[str], fault: str) -> None:
    assert faults(*rules) == [fault]


def test_two_approvers_below_and_one_above_is_a_need_that_falls() -> None:
    assert faults(band("a", ASK + "approvers = 1", over="5"), band("b", ASK + "approvers = 2", up_to="5")) == [
        'need: a larger amount needs less than under rule "b".',
        (
            'rule "b", role: only marta, ines has the role "finance-approver", '
            "and when they ask themselves 2 other people are needed."
        ),
    ]


def test_bands_may_stand_in_any_order() -> None:
    policy_file.check('version = "v1"\n' + band("b", ASK, over="5") + band("a", ALLOW, up_to="5.00"), PEOPLE)


@pytest.mark.parametrize(
    ("body", "fault"),
    [
        (PERSON.replace("marta", "ghost") + 'on_expiry = "deny"', 'person: "ghost" is nobody.'),
        (PERSON.replace("marta", "lena") + 'on_expiry = "deny"', 'person: "lena" is not active.'),
        (ASK + 'doubt_role = "ghosts"', 'doubt_role: nobody active has the role "ghosts".'),
        (ASK + 'doubt_role = "operator"',
         'doubt_role: only otto has the role "operator", and when they ask themselves 1 other person is needed.'),
        (ASK.replace("deny", "escalate") + 'escalate = [{ role = "finance-lead" }]',
         ('escalate[0], role: only otto has the role "finance-lead", '
         "and when they ask themselves 1 other person is needed.")),
        (ASK.replace("deny", "escalate") + 'escalate = [{ person = "ghost" }]', 'escalate[0], person: "ghost" is nobody.'),
    ],
)  # fmt: skip
def test_whoever_asks_there_must_be_others_to_answer(body: str, fault: str) -> None:
    assert faults(rule("a", body)) == [fault]


@pytest.mark.parametrize(
    "text", ["", 'version = "v1"', 'version = "v1"\nrule = []', 'version = "v1"\n[rule]\nname = "a"']
)
def test_a_policy_without_rules_is_refused(text: str) -> None:
    with pytest.raises(DocumentFaults, match="rule: "):
        policy_file.parse(text)
