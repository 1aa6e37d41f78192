"""The rules of the action "question": whom an agent may ask, and what such a rule cannot say."""

from typing import Any

import pytest

from engine.question_tool import facts, taken
from engine.rules import escalation, policy_file
from engine.rules.documents import DocumentFaults
from engine.rules.needs import REQUESTER, Need
from engine.rules.people import People, Person
from engine.rules.policy import evaluate

RULE = """
version = "v1"
[[rule]]
name = "questions"
action = "question"
need = "ask"
person = "requester"
answer_within = "4h"
on_expiry = "deny"
"""
PAYMENT = """
[[rule]]
name = "payment"
action = "payment"
need = "ask"
person = "requester"
answer_within = "4h"
on_expiry = "deny"
doubt_role = "finance"
"""
PEOPLE = People(
    (
        Person(id="priya", name="Priya", roles=("finance",), manager="otto"),
        Person(id="marta", name="Marta", roles=("finance",)),
        Person(id="otto", name="Otto"),
    )
)


def need(text: str = RULE, **arguments: Any) -> Need:
    return evaluate(policy_file.parse(text), facts("buyer", {"question": "Which?", "choices": [], **arguments}))


def faults(text: str, tools: tuple[Any, ...] = ()) -> list[str]:
    with pytest.raises(DocumentFaults) as refused:
        policy_file.check(text, PEOPLE, tools)
    return [str(fault) for fault in refused.value.faults]


def test_a_rule_for_questions_needs_nobodys_yes_and_nothing_to_be_done() -> None:
    found = need()
    assert found.is_question
    assert (found.person, found.approvers, found.execute_within_s, found.doubt_role) == (REQUESTER, 0, 0, None)
    assert found.why == 'Question is answered by the requester (rule "questions", v1).'
    assert Need.from_document(found.to_document()) == found


@pytest.mark.parametrize(
    "line",
    [
        "approvers = 2",
        'confirm = "question"',
        'execute_within = "3d"',
        'doubt_role = "finance"',
        'tolerance = { percent = "2" }',
        'currency = "EUR"',
    ],
)
def test_what_a_question_cannot_have_is_refused_with_a_sentence(line: str) -> None:
    [said] = faults(RULE + line)
    assert "a question is answered, and nothing is approved or done. Take it out." in said


def test_a_question_that_asks_nobody_is_refused_and_one_that_is_forbidden_is_not() -> None:
    allowed = RULE.replace('"ask"', '"allow"')
    assert any("a question that asks nobody has no answer" in said for said in faults(allowed))
    forbidden = '\nversion = "v1"\n[[rule]]\nname = "none"\naction = "question"\nneed = "forbid"\n'
    assert need(forbidden).kind == "forbid"


def test_nobody_says_yes_to_their_own_request_by_name_either() -> None:
    assert any("only a question may be asked of the requester" in said for said in faults(RULE + PAYMENT))


def test_a_policy_that_was_taken_before_such_a_person_was_refused_still_stands() -> None:
    assert policy_file.recall(RULE + PAYMENT).rules[1].need.person == "requester"


def test_the_requester_is_asked_where_the_rule_names_them_and_nobody_else_in_their_place() -> None:
    assert escalation.first_approver(need(), "priya", PEOPLE) == "person:priya"
    assert escalation.first_approver(need(), "nobody", PEOPLE) is None
    assert escalation.first_approver(need(RULE.replace('"requester"', '"priya"')), "priya", PEOPLE) is None
    role = RULE.replace('person = "requester"', 'role = "finance"')
    assert escalation.first_approver(need(role), "priya", PEOPLE) == "role:finance"


def test_a_request_for_a_yes_never_goes_to_its_requester_whatever_its_rule_says() -> None:
    payment = policy_file.recall(RULE + PAYMENT).rules[1].need
    assert escalation.first_approver(payment, "priya", PEOPLE) is None


def test_a_requester_who_has_left_is_not_asked_and_their_manager_is() -> None:
    text = RULE.replace('"deny"', '"escalate"') + 'escalate = [{ manager_of = "approver" }]'
    gone = People(
        tuple(p if p.id != "priya" else Person(id="priya", name="P", manager="otto", active=False) for p in PEOPLE)
    )
    assert escalation.first_approver(need(text), "priya", gone) == "person:otto"


def test_rules_may_tell_agents_and_questions_apart() -> None:
    text = RULE + (
        '[[rule]]\nname = "of the clerk"\naction = "question"\nwhen = { agent = "clerk" }\nneed = "ask"\nperson = "marta"\n'
        'answer_within = "4h"\non_expiry = "deny"\n'
    )
    policy = policy_file.check(text, PEOPLE, (taken(),))
    assert evaluate(policy, facts("clerk", {"question": "Which?", "choices": []})).person == "marta"
    assert evaluate(policy, facts("buyer", {"question": "Which?", "choices": []})).person == REQUESTER


def test_a_condition_on_what_no_question_has_is_refused() -> None:
    [said] = faults(
        RULE + '[[rule]]\nname = "odd"\naction = "question"\nwhen = { supplier = "x" }\nneed = "forbid"\n', (taken(),)
    )
    assert "ask_human has no supplier" in said


def test_a_role_that_only_the_requester_might_hold_is_refused() -> None:
    alone = People(tuple(p if p.id != "marta" else Person(id="marta", name="Marta") for p in PEOPLE))
    with pytest.raises(DocumentFaults, match='only priya has the role "finance"'):
        policy_file.check(RULE.replace('person = "requester"', 'role = "finance"'), alone)
