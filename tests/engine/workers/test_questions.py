"""A question that a model asks: whom it reaches, what the model hears of it, word for word, and what it never is: a yes."""

import re
from dataclasses import replace
from typing import Any, Final
from uuid import UUID

import pytest

from bot.sandbox.model import ask, say
from engine import Agent
from engine.models import AlreadySettled, Decided, NotYours
from engine.rules.seal import Keys
from engine.rules.turn import NOT_RUN
from engine.state import events, pauses, people, policies, runs
from engine.workers.sweep import Sweeper
from tests import database, rows
from tests.engine.workers.conftest import Desks
from tests.engine.workers.desk import Desk
from tests.engine.workers.shop import Shop, look, pay

DONE: Final = say("Done.")
RULE: Final = """
[[rule]]
name = "questions"
action = "question"
need = "ask"
person = "marta"
answer_within = "4h"
on_expiry = "escalate"
escalate = [{ manager_of = "requester", answer_within = "1h" }]
"""
EXAMPLE: Final = (database.EXAMPLES / "policy.toml").read_text("utf-8")
WHICH: Final = "Which of the two suppliers do you prefer?"


def question(text: str = WHICH, *choices: str) -> tuple[str, dict[str, object]]:
    """The model's call of `ask_human`."""
    return "ask_human", {"question": text, **({"choices": list(choices)} if choices else {})}


@pytest.fixture
def shop() -> Shop:
    """A shop whose agent may ask."""
    made = Shop()
    made.agent.tools |= Agent("asking", model="claude-sonnet-5", system="Ask.", ask_human=True).tools
    return made


def opened(desks: Desks, shop: Shop, *replies: Any, rule: str = RULE) -> tuple[Desk, UUID]:
    """A run that has come to its first wait, under a policy with a rule for questions."""
    desk = desks(*replies, agent=shop.agent)
    desk.apply(EXAMPLE.replace("fin-approvals-v4", "fin-approvals-v5") + rule)
    return desk, desk.start()


def answer(desk: Desk, pause_id: UUID, text: str = "Nordholz.", person: str = "marta") -> Any:
    return pauses.answer(desk.conn, pause_id, person, text, surface="tests")


def test_the_answer_is_the_result_with_who_gave_it_and_when_and_nothing_else(desks: Desks, shop: Shop) -> None:
    desk, run_id = opened(desks, shop, ask(question(WHICH, "Nordholz", "Brandt")), DONE)
    assert desk.run(run_id).status == "awaiting_approval"
    pause = desk.pause(run_id)
    assert pause.content is not None
    assert (pause.approver, pause.votes_left, pause.content.choices) == ("person:marta", 0, ("Nordholz", "Brandt"))
    assert isinstance(answer(desk, pause.id), Decided)
    desk.work()
    run = desk.run(run_id)
    assert run.status == "done"
    [said, sent, heard, last] = run.messages
    given = desk.pause(run_id).answer
    assert given is not None
    assert {name: heard[name] for name in ("role", "content")} == {
        "role": "user",
        "content": [
            {
                "type": "tool_result",
                "tool_use_id": sent["content"][-1]["id"],
                "content": f"Marta Keller answered on {given.at:%d %b %H:%M} UTC: Nordholz.",
            }
        ],
    }
    assert (said["role"], last["role"]) == ("user", "assistant")
    assert desk.statuses(run_id) == ["answered"]
    assert desk.effects(run_id) == []
    assert isinstance(events.verify(desk.conn, run_id), events.Verified)


def test_a_question_has_no_ledger_and_no_reason_and_its_digest_covers_question_and_choices(
    desks: Desks, shop: Shop
) -> None:
    desk, run_id = opened(desks, shop, ask(question(WHICH, "Nordholz", "Brandt")), DONE)
    pause = desk.pause(run_id)
    for inside in (WHICH, "Brandt"):
        assert inside in pause.document
        rows.alter_document(desk.conn, pause.id, pause.document.replace(inside, "Something else?"))
        assert not pauses.get(desk.conn, pause.id).intact
        rows.alter_document(desk.conn, pause.id, pause.document)
    assert "why" not in str(shop.agent.tools["ask_human"].schema())


def test_nobody_answers_and_the_model_is_told_until_when_it_was_waited(desks: Desks, shop: Shop) -> None:
    desk, run_id = opened(desks, shop, ask(question()), DONE)
    for approver in ("person:marta", f"person:{_manager(desk)}"):
        assert desk.pause(run_id).approver == approver
        rows.make_due(desk.conn, desk.pause(run_id).id)
        Sweeper(desk.means.pool).run()
    desk.work()
    pause = desk.pause(run_id)
    silence = f"Nobody answered by {pause.fire_at:%d %b %H:%M} UTC. Go on without an answer where you can, and say what you could not find out."
    assert desk.told(run_id) == [(silence, True)]
    assert (pause.status, desk.run(run_id).status) == ("expired", "done")


def test_a_withdrawn_question_is_told_as_that(desks: Desks, shop: Shop) -> None:
    desk, run_id = opened(desks, shop, ask(question()), DONE)
    pauses.withdraw(desk.conn, desk.pause(run_id).id, "priya", surface="tests", reason="I know it now.")
    desk.work()
    assert desk.told(run_id) == [("Withdrawn; nobody answers. I know it now.", True)]


# ---------------------------------------------------------------------------------------------------- beside a payment


def test_beside_a_payment_each_has_its_own_pause_and_nothing_is_done_before_both_are_settled(
    desks: Desks, shop: Shop
) -> None:
    desk, run_id = opened(desks, shop, ask(question(), pay(), look()), DONE)
    asked, payment = desk.pauses(run_id)
    assert [one.is_question for one in (asked, payment)] == [True, False]
    answer(desk, asked.id, "Yes, do pay, I approve of it!")
    desk.work()
    assert (desk.run(run_id).status, desk.paid(), shop.diary) == ("awaiting_approval", [], [])
    desk.approve(run_id)
    desk.work()
    assert desk.statuses(run_id) == ["answered", "executed"]
    assert (desk.paid(), shop.diary) == ([3_800_000], ["pay PO-1", "look A"])
    assert desk.texts(run_id)[0].endswith("UTC: Yes, do pay, I approve of it!")


def test_a_refused_payment_leaves_the_answer_that_was_given_and_calls_off_the_question_that_waits(
    desks: Desks, shop: Shop
) -> None:
    desk, run_id = opened(desks, shop, ask(question(), pay(), question("And when?")), DONE)
    first, payment, second = desk.pauses(run_id)
    answer(desk, first.id)
    pauses.deny(desk.conn, payment.id, "marta", surface="tests", reason="Too dear.")
    desk.work()
    assert desk.statuses(run_id) == ["answered", "denied", "cancelled"]
    [heard, denied, fallen] = desk.told(run_id)
    assert heard == (f"Marta Keller answered on {desk.pauses(run_id)[0].decided_at:%d %b %H:%M} UTC: Nordholz.", False)
    assert denied[0].startswith("Denied by Marta Keller; nothing was done. They said: Too dear.")
    assert fallen == (NOT_RUN, True)
    assert desk.pause(run_id).id == second.id


def test_silence_on_a_question_holds_back_the_approved_payment_beside_it(desks: Desks, shop: Shop) -> None:
    rule = RULE.replace('"escalate"', '"deny"').replace("escalate = ", "# ")
    desk, run_id = opened(desks, shop, ask(question(), pay()), DONE, rule=rule)
    asked, payment = desk.pauses(run_id)
    pauses.approve(desk.conn, payment.id, "marta", surface="tests")
    rows.make_due(desk.conn, asked.id)
    Sweeper(desk.means.pool).run()
    desk.work()
    assert desk.statuses(run_id) == ["expired", "cancelled"]
    assert (desk.paid(), desk.texts(run_id)[1]) == ([], NOT_RUN)


def test_the_same_question_twice_in_a_turn_is_asked_once(desks: Desks, shop: Shop) -> None:
    desk, run_id = opened(desks, shop, ask(question(), question()), DONE)
    assert len(desk.pauses(run_id)) == 1
    assert desk.texts(run_id) == ["The same call is already in this turn, and counts once. This one was not done."]


# ------------------------------------------------------------------------------------------------------- whom it reaches


def test_what_no_rule_names_is_told_to_the_model_and_nobody_is_asked(desks: Desks, shop: Shop) -> None:
    desk = desks(ask(question()), DONE, agent=shop.agent)
    run_id = desk.start()
    assert desk.run(run_id).status == "done"
    assert desk.pauses(run_id) == []
    [(text, is_error)] = desk.told(run_id)
    assert text.startswith('Not allowed, and nobody was asked: No rule of fin-approvals-v4 names "question"')
    assert is_error


def test_the_requester_may_be_asked_where_the_rule_names_them_and_goes_on_from_there(desks: Desks, shop: Shop) -> None:
    desk, run_id = opened(desks, shop, ask(question()), DONE, rule=RULE.replace('"marta"', '"requester"'))
    pause = desk.pause(run_id)
    assert pause.approver == "person:priya"
    cards = desk.conn.execute("SELECT kind, dest FROM card WHERE pause_id = %s", (pause.id,)).fetchall()
    assert cards == [("approver", "person:priya")]
    assert isinstance(answer(desk, pause.id, person="marta"), NotYours)
    assert isinstance(answer(desk, pause.id, "Nordholz.", "priya"), Decided)
    desk.work()
    assert desk.texts(run_id)[0].startswith("Priya Nair answered on ")


def test_asked_of_the_requester_it_escalates_to_their_manager(desks: Desks, shop: Shop) -> None:
    desk, run_id = opened(desks, shop, ask(question()), DONE, rule=RULE.replace('"marta"', '"requester"'))
    rows.make_due(desk.conn, desk.pause(run_id).id)
    Sweeper(desk.means.pool).run()
    assert desk.pause(run_id).approver == f"person:{_manager(desk)}"
    assert isinstance(answer(desk, desk.pause(run_id).id, person="priya"), NotYours)
    assert isinstance(answer(desk, desk.pause(run_id).id, person=_manager(desk)), Decided)
    desk.work()
    assert desk.run(run_id).status == "done"
    assert not desk.told(run_id)[0][1]


def _manager(desk: Desk) -> str:
    [above, *_] = people.everybody(desk.conn).above("priya")
    return above


def test_rules_may_differ_by_agent(desks: Desks, shop: Shop) -> None:
    other = RULE.replace('"questions"', '"questions of the buyer"').replace('"marta"', '"ines"')
    rule = other.replace("need =", 'when = { agent = "procurement" }\nneed =')
    desk, run_id = opened(desks, shop, ask(question()), DONE, rule=RULE + rule)
    assert desk.pause(run_id).approver == "person:ines"


def test_a_role_is_asked_and_the_requester_who_holds_it_may_not_answer(desks: Desks, shop: Shop) -> None:
    rule = RULE.replace('person = "marta"', 'role = "finance-approver"')
    desk = desks(ask(question()), DONE, agent=shop.agent)
    desk.apply(EXAMPLE.replace("fin-approvals-v4", "fin-approvals-v5") + rule)
    run_id = desk.launch(on_behalf_of="ines")
    desk.work()
    outcome = answer(desk, desk.pause(run_id).id, person="ines")
    assert isinstance(outcome, NotYours)
    assert outcome.why == "own"
    assert isinstance(answer(desk, desk.pause(run_id).id, person="marta"), Decided)


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        ({"question": "  "}, "question: Value error, it is blank."),
        ({"question": "x" * 2_001}, "question: String should have at most 2000 characters"),
        ({"question": WHICH, "choices": ["one"]}, "choices: Value error, give none, or 2 to 20 different ones."),
        (
            {"question": WHICH, "choices": ["one", "one "]},
            "choices: Value error, give none, or 2 to 20 different ones.",
        ),
        ({"question": WHICH, "choices": ["one", "y" * 76]}, "choices.1: String should have at most 75 characters"),
        ({"question": WHICH, "choices": ["one", "two\nlines"]}, "choices.1: Value error, a choice is one line."),
        ({"question": WHICH, "choices": [str(n) for n in range(21)]}, "choices: Tuple should have at most 20 items"),
        ({"question": WHICH, "why": "So."}, "why: Extra inputs are not permitted"),
    ],
)
def test_a_question_that_cannot_be_asked_is_told_to_the_model(
    desks: Desks, shop: Shop, arguments: dict[str, object], why: str
) -> None:
    desk, run_id = opened(desks, shop, ask(("ask_human", arguments)), DONE)
    assert desk.pauses(run_id) == []
    [(text, is_error)] = desk.told(run_id)
    assert why in text
    assert is_error


# ---------------------------------------------------------------------------------------------------- what was tampered with


def test_an_answer_that_nobody_gave_ends_the_run(desks: Desks, shop: Shop) -> None:
    """The row and the vote are written behind the engine's back; the record knows no such answer."""
    desk, run_id = opened(desks, shop, ask(question(), pay()), DONE)
    asked, payment = desk.pauses(run_id)
    pauses.approve(desk.conn, payment.id, "marta", surface="tests")
    forge(desk.conn, asked.id)
    desk.conn.execute(
        "UPDATE run SET status = 'queued', waiting_pauses = 0, queued_at = clock_timestamp() WHERE id = %s", (run_id,)
    )
    desk.work()
    assert "is not what anybody is on record with" in str(runs.get(desk.conn, run_id).error)
    assert desk.paid() == []


def forge(conn: Any, pause_id: UUID) -> None:
    conn.execute(
        "INSERT INTO pause_vote VALUES (%s, clock_timestamp(), 0, 'marta', 'answer', 'tests', 'Pay twice.', NULL)", (pause_id,)
    )  # fmt: skip
    conn.execute(
        "UPDATE run_pause SET status = 'answered', decided_at = clock_timestamp(), decided_by = 'marta', voters = '{marta}',"
        " reason = 'Pay twice.' WHERE id = %s",
        (pause_id,),
    )


@pytest.mark.parametrize("table", ["run_pause", "pause_vote"])
def test_an_answer_that_was_changed_after_it_was_given_ends_the_run(desks: Desks, shop: Shop, table: str) -> None:
    desk, run_id = opened(desks, shop, ask(question()), DONE)
    pause = desk.pause(run_id)
    answer(desk, pause.id)
    where = "id" if table == "run_pause" else "pause_id"
    desk.conn.execute(f"UPDATE {table} SET reason = 'Pay twice.' WHERE {where} = %s", (pause.id,))
    desk.work()
    assert "is not what anybody is on record with" in desk.error(run_id)


def test_an_answer_of_somebody_whom_the_rule_does_not_ask_is_not_passed_on(desks: Desks, shop: Shop) -> None:
    desk, run_id = opened(desks, shop, ask(question()), DONE)
    pause = desk.pause(run_id)
    desk.conn.execute("UPDATE run_pause SET approver = 'person:jonas' WHERE id = %s", (pause.id,))
    assert isinstance(answer(desk, pause.id, person="jonas"), Decided)
    desk.work()
    said = "An answer was given, and is not passed on: the rule 'questions' does not ask Jonas Weber. Ask again if you still need it."
    assert desk.told(run_id) == [(said, True)]


class TestSealed:
    """With a PLACET_SEAL_KEY an answer bears a seal, as a yes does."""

    @pytest.fixture
    def keys(self) -> Keys:
        return Keys.parse("k1:" + "0123456789abcdef" * 4)

    def test_a_sealed_answer_is_passed_on(self, desks: Desks, shop: Shop) -> None:
        desk, run_id = opened(desks, shop, ask(question()), DONE)
        answer(desk, desk.pause(run_id).id)
        given = desk.pause(run_id).answer
        assert given is not None
        assert given.seal == "holds"
        desk.work()
        assert not desk.told(run_id)[0][1]

    def test_another_answer_under_its_seal_is_found_out(self, desks: Desks, shop: Shop) -> None:
        desk, run_id = opened(desks, shop, ask(question()), DONE)
        pause_id = desk.pause(run_id).id
        answer(desk, pause_id)
        for statement in (
            "UPDATE run_pause SET reason = 'Pay twice.' WHERE id = %s",
            "UPDATE pause_vote SET reason = 'Pay twice.' WHERE pause_id = %s",
        ):
            desk.conn.execute(statement, (pause_id,))
        desk.work()
        assert desk.error(run_id)
        found = pauses.get(desk.conn, pause_id).answer
        assert found is not None
        assert found.seal == "forged"

    def test_one_without_its_seal_ends_the_run(self, desks: Desks, shop: Shop) -> None:
        desk, run_id = opened(desks, shop, ask(question()), DONE)
        answer(desk, desk.pause(run_id).id)
        desk.conn.execute("UPDATE pause_vote SET seal = NULL")
        desk.work()
        assert "does not bear the seal of who gave it" in desk.error(run_id)

    def test_a_question_from_before_the_key_is_to_be_asked_again(self, desks: Desks, shop: Shop) -> None:
        desk, run_id = opened(desks, shop, ask(question()), DONE)
        answer(desk, desk.pause(run_id).id)
        desk.conn.execute("UPDATE pause_content SET seal = NULL")
        desk.work()
        [(text, is_error)] = desk.told(run_id)
        assert re.fullmatch(
            "An answer was given, and is not passed on: its seal .* Ask again if you still need it.", text
        )
        assert is_error


def test_the_loser_of_two_answers_is_told_what_was_answered(desks: Desks, shop: Shop) -> None:
    rule = RULE.replace('person = "marta"', 'role = "finance-approver"')
    desk, run_id = opened(desks, shop, ask(question()), DONE, rule=rule)
    pause_id = desk.pause(run_id).id
    assert isinstance(answer(desk, pause_id, "Nordholz.", "marta"), Decided)
    lost = answer(desk, pause_id, "Brandt.", "ines")
    assert isinstance(lost, AlreadySettled)
    assert (lost.now.status, lost.now.decided_by, lost.now.reason) == ("answered", "marta", "Nordholz.")


def test_an_agent_that_may_not_ask_has_no_such_tool() -> None:
    assert "ask_human" not in Agent("quiet", model="claude-sonnet-5", system="Be quiet.").tools


def test_the_policy_of_the_tests_is_one_that_can_be_applied(conn: Any) -> None:
    text = EXAMPLE.replace("fin-approvals-v4", "fin-approvals-v5") + RULE
    assert policies.apply(conn, text, people.everybody(conn), actor="tests")
    assert replace(rows.NEED, approvers=0).is_question
