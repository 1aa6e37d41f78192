"""Exactly one rule applies to every amount, the need never falls as it rises, and there are others to answer."""

from dataclasses import replace

import pytest

from engine.rules import policy_file
from engine.rules.documents import DocumentFaults
from engine.rules.people import People
from tests.engine.rules.policy_texts import ALLOW, ASK, ESCALATE, PEOPLE, PERSON, band, faults, policy_of, rule

MEET = "Let each begin where the one below ends."
OVERLAP = f'rule "b", over: it overlaps rule "a". {MEET}'
AT_LEAST = "Ask for at least as much as below: splitting or raising must never help."


@pytest.mark.parametrize(
    ("rules", "fault"),
    [
        ([band("a", ALLOW, up_to="5"), band("b", ASK, over="6")],
         ('rule "b", over: no rule says what holds over EUR 5.00 and up to EUR 6.00. '
         "Let it begin where the one below ends.")),
        ([band("a", ALLOW, up_to="5"), band("b", ASK, over="4.99")], OVERLAP),
        ([band("a", ALLOW), band("b", ASK, over="5")], OVERLAP),
        ([band("a", ALLOW), band("b", ALLOW)], OVERLAP),
        ([band("a", ALLOW, over="5")], "over: no rule says what holds up to EUR 5.00. Add one below."),
        ([band("a", ALLOW, up_to="5")], "up_to: no rule says what holds over EUR 5.00. Add one above."),
        ([band("a", ALLOW, currency="any other"), band("b", ASK, currency="any other")], OVERLAP),
        ([band("a", ASK, up_to="5"), band("b", ALLOW, over="5")],
         f'rule "b", need: a larger amount needs less than under rule "a". {AT_LEAST}'),
        ([band("a", 'need = "forbid"\n', up_to="5"), band("b", ASK, over="5")],
         f'rule "b", need: a larger amount needs less than under rule "a". {AT_LEAST}'),
        ([rule("a", ASK), rule("b", ASK)],
         'rule "b", action: it overlaps rule "a". Keep one rule for an action without currencies.'),
        ([rule("a", ASK), band("b", ASK)],
         ('currency: rule "b" names a currency for the same action, and this one does not. '
         "Name a currency in every rule of the action or in none.")),
        ([rule("a", ASK), rule("a", ASK, action="deploy")],
         "name: another rule has this name. Give each rule a name of its own."),
    ],
)  # fmt: skip
def test_exactly_one_rule_must_apply_to_every_amount(rules: list[str], fault: str) -> None:
    assert faults(*rules) == [fault]


def test_two_approvers_below_and_one_above_is_a_need_that_falls() -> None:
    assert faults(band("a", ASK + "approvers = 1", over="5"), band("b", ASK + "approvers = 2", up_to="5")) == [
        f'need: a larger amount needs less than under rule "b". {AT_LEAST}',
        (
            'rule "b", role: only marta and ines have the role "finance-approver", '
            "and when they ask themselves 2 other people are needed. "
            "Give it to 3 active people or more, or name another role."
        ),
    ]


def test_bands_may_stand_in_any_order() -> None:
    policy_of(band("b", ASK, over="5"), band("a", ALLOW, up_to="5.00"))


TO_TWO = "Give it to 2 active people or more, or name another role."
SOMEBODY = "Name an active person of the people document."


@pytest.mark.parametrize(
    ("body", "fault"),
    [
        (PERSON.replace("marta", "ghost") + 'on_expiry = "deny"', f'person: "ghost" is nobody. {SOMEBODY}'),
        (PERSON.replace("marta", "lena") + 'on_expiry = "deny"', f'person: "lena" is not active. {SOMEBODY}'),
        (ASK + 'doubt_role = "ghosts"', f'doubt_role: nobody active has the role "ghosts". {TO_TWO}'),
        (ASK + 'doubt_role = "operator"',
         'doubt_role: only otto has the role "operator", and when they ask themselves 1 other person is needed. '
         + TO_TWO),
        (ESCALATE + 'escalate = [{ role = "finance-lead" }]',
         ('escalate[0], role: only otto has the role "finance-lead", '
         f"and when they ask themselves 1 other person is needed. {TO_TWO}")),
        (ESCALATE + 'escalate = [{ person = "ghost" }]',
         f'escalate[0], person: "ghost" is nobody. {SOMEBODY}'),
    ],
)  # fmt: skip
def test_whoever_asks_there_must_be_others_to_answer(body: str, fault: str) -> None:
    assert faults(rule("a", body)) == [fault]


@pytest.mark.parametrize(
    ("steps", "reached"),
    [
        ('{ manager_of = "requester" }', 1),
        ('{ person = "otto" }, { person = "otto" }', 1),
        ('{ person = "otto" }, { manager_of = "requester" }', None),
        ('{ role = "board" }', None),
    ],
)
def test_where_nobody_answers_its_steps_lead_to_as_many_as_must_approve(steps: str, reached: int | None) -> None:
    three = People(tuple(replace(one, roles=(*one.roles, "finance-approver", "board")) for one in PEOPLE))
    text = 'version = "v1"\n' + rule("a", ESCALATE + f"approvers = 2\nescalate = [{steps}]")
    if reached is None:
        policy_file.check(text, three)
        return
    with pytest.raises(DocumentFaults, match=f"escalate: 2 must approve, and its steps lead to {reached} where nobody"):
        policy_file.check(text, three)
    policy_file.parse(text)  # a version applied earlier stands


KNOWN = 'when = { supplier_id = ["sup_1", "sup_2"] }\n'
FIRST = 'when = { supplier_id = "sup_1" }\n'
FAR = 'when = { country = { not = ["DE"] } }\n'
NEVER = "it never applies: the rules before it take all that it is for. Put it before them, or take it out."


@pytest.mark.parametrize(
    ("rules", "fault"),
    [
        ([band("a", ASK + KNOWN)], "when: no rule says what holds where it does not. Add a rule without when."),
        ([rule("a", ASK + KNOWN)], "when: no rule says what holds where it does not. Add a rule without when."),
        ([band("a", ASK + KNOWN), band("b", ASK, currency="any other")],
         "when: no rule says what holds where it does not. Add a rule without when."),
        ([band("b", ASK + KNOWN), band("a", ASK + FIRST), band("c", ASK)], f"when: {NEVER}"),
        ([band("b", ASK + KNOWN, up_to="5"), band("a", ASK + KNOWN, up_to="6"), band("c", ASK)],
         'when: it overlaps rule "b". Let each begin where the one below ends.'),
        ([band("a", 'need = "forbid"\n' + FAR, up_to="5"), band("b", ASK)],
         f'rule "b", need: a larger amount needs less than under rule "a". {AT_LEAST}'),
        ([band("b", ASK, up_to="5"), band("c", ASK + "approvers = 1", over="5"), band("a", ALLOW + KNOWN, over="9")],
         f'need: a larger amount needs less than under rule "c". {AT_LEAST}'),
        ([rule("b", ASK + KNOWN), rule("a", ASK + FIRST), rule("c", ASK)], f"when: {NEVER}"),
        ([rule("a", ASK + f"when = {{ {', '.join(f'a{n} = 1' for n in range(13))} }}"), rule("b", ASK)],
         ("when: there are too many conditions to see whether exactly one rule applies. "
          "Use fewer values, or several actions.")),
    ],
)  # fmt: skip
def test_rules_with_conditions_leave_no_gap_and_never_ask_for_less_of_more(rules: list[str], fault: str) -> None:
    assert faults(*rules) == [fault]


def test_the_first_rule_whose_condition_holds_applies_and_else_the_one_without() -> None:
    policy_of(
        band("known", ALLOW + KNOWN, up_to="5000"),
        band("far", ASK + 'confirm = "amount"\n' + FAR),
        band("small", ALLOW, up_to="1000"),
        band("large", ASK + 'confirm = "amount"\n', over="1000"),
    )


def test_one_that_must_be_typed_is_more_than_one_that_need_not_be() -> None:
    assert faults(band("a", ASK + 'confirm = "amount"', up_to="5"), band("b", ASK, over="5")) == [
        f'rule "b", need: a larger amount needs less than under rule "a". {AT_LEAST}'
    ]
