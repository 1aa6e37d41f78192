"""An answer settles a question once, and settles nothing else: who may give it, what it loses against, and which verbs never meet it."""

from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from typing import Any
from uuid import UUID

import psycopg
import pytest

from engine.errors import BadInput, NotFound
from engine.models import AlreadySettled, Broken, Decided, Due, NotYours, Outcome
from engine.rules.questions import ANSWER_MOST
from engine.state import db, events, pauses, runs
from tests import database, rows
from tests.engine.state.meeting import until_it_waits
from tests.engine.state.test_decide import approve, deny, last_event, untouched, withdraw

ROLE: dict[str, Any] = {
    "approver": "role:finance-approver", **rows.question(need=replace(rows.ANSWERED, person=None, role="finance-approver"))
}  # fmt: skip


@pytest.fixture
def pause_id(conn: Any) -> UUID:
    [asked] = rows.waiting(conn, **rows.question("Nordholz", "Brandt"))
    return asked


def answer(conn: Any, pause_id: UUID, actor: str = "marta", text: str = "Nordholz.", **more: str) -> Outcome:
    return pauses.answer(conn, pause_id, actor, text, surface="tests", **more)


def why(outcome: Outcome) -> str:
    assert isinstance(outcome, NotYours)
    return outcome.why


# ----------------------------------------------------------------------------------------------------------- one answer


def test_an_answer_settles_it_wakes_the_run_and_is_on_record(conn: Any, pause_id: UUID) -> None:
    outcome = answer(conn, pause_id, text="  Nordholz.\n\nThey deliver. ")
    assert isinstance(outcome, Decided)
    now, words = outcome.now, "Nordholz.\n\nThey deliver."
    assert (now.status, now.decided_by, now.reason, now.run_status) == ("answered", "marta", words, "queued")
    pause = pauses.get(conn, pause_id)
    assert (pause.voters, pause.votes_left, pause.version) == (("marta",), 0, 2)
    assert pause.answer is not None
    assert (pause.answer.person, pause.answer.verdict, pause.answer.reason) == ("marta", "answer", words)
    assert last_event(conn, pause_id) == ("waiting", "answer", "answered", "marta", "tests", words)
    assert conn.execute("SELECT wanted FROM card WHERE pause_id = %s", (pause_id,)).fetchall() == [(2,), (2,)]


def test_the_second_is_told_who_answered_what(conn: Any) -> None:
    [pause_id] = rows.waiting(conn, **ROLE)
    answer(conn, pause_id)
    for lost in (answer(conn, pause_id, "ines", "Brandt."), answer(conn, pause_id)):
        assert isinstance(lost, AlreadySettled)
        assert (lost.now.status, lost.now.decided_by, lost.now.reason) == ("answered", "marta", "Nordholz.")
    assert last_event(conn, pause_id)[1:3] == ("answer", None)


@pytest.mark.parametrize("text", ["", " \n\t ", "x" * (ANSWER_MOST + 1)])
def test_what_is_no_answer_is_refused_before_anything_is_written(conn: Any, pause_id: UUID, text: str) -> None:
    with pytest.raises(BadInput):
        answer(conn, pause_id, text=text)
    untouched(conn, pause_id)


def test_what_cannot_be_stored_is_made_visible(conn: Any, pause_id: UUID) -> None:
    assert isinstance(answer(conn, pause_id, text="Nord\0holz \ud800"), Decided)
    assert pauses.get(conn, pause_id).reason == "Nord\ufffdholz \ufffd"


def test_an_unknown_question_is_said_not_to_exist(conn: Any) -> None:
    with pytest.raises(NotFound):
        answer(conn, db.new_id())


# -------------------------------------------------------------------------------------------------------- the wrong verb


@pytest.mark.parametrize("verb", [approve, deny])
def test_a_question_is_never_approved_or_denied_and_each_try_is_on_record(conn: Any, pause_id: UUID, verb: Any) -> None:
    assert why(verb(conn, pause_id)) == "question"
    untouched(conn, pause_id)
    assert last_event(conn, pause_id) == ("waiting", verb.__name__, None, "marta", "tests", "question")


@pytest.mark.parametrize("changes", [{}, {"approver": "role:finance-approver", "need": rows.QUORUM}])
def test_a_request_for_a_yes_is_never_answered_and_each_try_is_on_record(conn: Any, changes: dict[str, Any]) -> None:
    [pause_id] = rows.waiting(conn, **changes)
    assert why(answer(conn, pause_id)) == "no_question"
    untouched(conn, pause_id)
    assert last_event(conn, pause_id) == ("waiting", "answer", None, "marta", "tests", "no_question")


@pytest.mark.parametrize(
    ("asked", "status", "votes"),
    [(rows.question(), "denied", 0), (rows.question(), "approved", -1), ({}, "answered", 1)],
)
def test_no_statement_at_all_can_settle_one_as_the_other(
    conn: Any, asked: dict[str, Any], status: str, votes: int
) -> None:
    """As an earlier release, which knows no questions, would: it takes a vote from those missing, and there is none."""
    [pause_id] = rows.waiting(conn, **asked)
    settled = "UPDATE run_pause SET status = %s, votes_left = %s, decided_at = clock_timestamp() WHERE id = %s"
    with pytest.raises(psycopg.errors.CheckViolation):
        conn.execute(settled, (status, votes, pause_id))


# ------------------------------------------------------------------------------------------------------------- who, when


@pytest.mark.parametrize(("actor", "said"), [("priya", "own"), ("jonas", "not_yours"), ("nobody", "not_yours")])
def test_only_who_is_asked_may_answer(conn: Any, pause_id: UUID, actor: str, said: str) -> None:
    assert why(answer(conn, pause_id, actor)) == said
    untouched(conn, pause_id)


def test_the_requester_may_answer_where_they_are_asked_by_name(conn: Any) -> None:
    need = replace(rows.ANSWERED, person="requester")
    [theirs] = rows.waiting(conn, approver="person:priya", **rows.question(need=need))
    assert why(answer(conn, theirs, "marta")) == "not_yours"
    assert isinstance(answer(conn, theirs, "priya"), Decided)


def test_the_requester_may_not_answer_with_a_role(conn: Any) -> None:
    rows.give_role(conn, "priya", "finance-approver")
    [of_role] = rows.waiting(conn, **ROLE)
    assert why(answer(conn, of_role, "priya")) == "own"
    assert isinstance(answer(conn, of_role, "ines"), Decided)


def test_the_requester_asked_by_name_still_cannot_approve_what_is_no_question(conn: Any) -> None:
    [pause_id] = rows.waiting(conn, approver="person:priya")
    assert why(approve(conn, pause_id, "priya")) == "own"
    assert why(answer(conn, pause_id, "priya")) == "no_question"


@pytest.mark.usefixtures("by_hand")
def test_an_altered_question_and_a_card_of_another_take_no_answer(conn: Any, pause_id: UUID) -> None:
    stale = answer(conn, pause_id, shown="00000000")
    assert isinstance(stale, Broken)
    assert stale.why == "stale"
    rows.alter_document(conn, pause_id, "{}")
    broken = answer(conn, pause_id)
    assert isinstance(broken, Broken)
    assert broken.why == "broken"


def test_after_its_hour_it_is_settled_first(conn: Any, pause_id: UUID) -> None:
    rows.make_due(conn, pause_id)
    assert isinstance(answer(conn, pause_id), Due)


def test_after_it_was_sent_on_who_was_asked_before_may_not_and_who_is_asked_now_may(conn: Any, pause_id: UUID) -> None:
    rows.make_due(conn, pause_id)
    step = pauses.NextStep(pause_id=pause_id, level=0, next="person:otto", within_s=60)
    assert [moved.event for moved in pauses.settle_due(conn, [step], surface="tests")] == ["escalate"]
    assert why(answer(conn, pause_id, "marta")) == "not_yours"
    assert isinstance(answer(conn, pause_id, "otto"), Decided)


def test_an_answer_cancels_nothing_beside_it_and_wakes_the_run_with_the_last(conn: Any) -> None:
    claim = rows.claimed(conn)
    rows.replied(conn, claim, 2)
    question, payment = rows.asked(conn, claim, 0, **rows.question()), rows.asked(conn, claim, 1)
    runs.ask(conn, claim, [question, payment])
    first = answer(conn, question.id)
    assert isinstance(first, Decided)
    assert first.now.run_status == "awaiting_approval"
    assert pauses.get(conn, payment.id).status == "waiting"
    deny(conn, payment.id)
    assert [pauses.get(conn, one.id).status for one in (question, payment)] == ["answered", "denied"]
    rows.consistent(conn)


def test_what_was_answered_is_neither_withdrawn_nor_cancelled_with_its_run(conn: Any, pause_id: UUID) -> None:
    answer(conn, pause_id)
    assert isinstance(withdraw(conn, pause_id), AlreadySettled)
    runs.cancel(conn, pauses.get(conn, pause_id).run_id, actor="priya", person="priya", surface="tests")
    assert pauses.get(conn, pause_id).status == "answered"


# ----------------------------------------------------------------------------------------------------------------- races


def test_of_twelve_who_answer_at_once_one_wins_and_all_others_hear_what_was_answered(conn: Any, db_url: str) -> None:
    [pause_id] = rows.waiting(conn, **ROLE)
    with database.pool(db_url, 4) as pool, ThreadPoolExecutor(12) as threads:

        def one(n: int) -> Outcome:
            with pool.connection() as own:
                return answer(own, pause_id, ("marta", "ines")[n % 2], f"Answer {n}")

        came = list(threads.map(one, range(12)))
    [won] = [one for one in came if isinstance(one, Decided)]
    assert {type(one) for one in came} == {Decided, AlreadySettled}
    assert {one.now.reason for one in came} == {won.now.reason}
    assert len(pauses.get(conn, pause_id).votes) == 1


def expire(conn: Any, pause_id: UUID) -> Any:
    return pauses.settle_due(conn, [pauses.NextStep(pause_id=pause_id, level=0, next=None)], surface="tests")


@pytest.mark.parametrize(("first", "status"), [(expire, "expired"), (withdraw, "cancelled"), (answer, "answered")])
def test_an_answer_that_waited_for_another_move_hears_what_that_did(
    conn: Any, db_url: str, first: Any, status: str
) -> None:
    [pause_id] = rows.waiting(conn, **ROLE)
    rows.make_due(conn, pause_id, seconds=2 if first is expire else -60)
    with database.connect(db_url) as late, ThreadPoolExecutor(1) as thread:
        with conn.transaction():
            first(conn, pause_id)
            waits: Future[Outcome] = thread.submit(answer, late, pause_id, "ines", "Brandt.")
            until_it_waits(conn, late, waits)
        lost = waits.result()
    assert isinstance(lost, AlreadySettled)
    assert lost.now.status == status
    rows.consistent(conn)


def test_a_withdrawal_that_waited_for_an_answer_hears_the_answer_and_a_sweep_leaves_it_alone(
    conn: Any, db_url: str, pause_id: UUID
) -> None:
    with database.connect(db_url) as late, ThreadPoolExecutor(1) as thread:
        with conn.transaction():
            answer(conn, pause_id)
            waits: Future[Outcome] = thread.submit(withdraw, late, pause_id)
            until_it_waits(conn, late, waits)
            with database.connect(db_url) as sweeper:
                assert expire(sweeper, pause_id) == []
        lost = waits.result()
    assert isinstance(lost, AlreadySettled)
    assert lost.now.status == "answered"
    assert expire(conn, pause_id) == []
    assert isinstance(events.verify(conn, pauses.get(conn, pause_id).run_id), events.Verified)
