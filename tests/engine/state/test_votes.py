"""Several answers: votes that make a quorum, and what one answer means for what was asked in the same turn."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import pytest

from engine.models import AlreadySettled, Decided, NotYours, Outcome, Voted
from engine.rules.needs import Step
from engine.state import absences, cards, db, events, pauses, runs
from engine.workers.sweep import Sweeper
from tests import database, rows


def approve(conn: Any, pause_id: UUID, actor: str = "marta", **more: str) -> Outcome:
    return pauses.approve(conn, pause_id, actor, surface="tests", **more)


def deny(conn: Any, pause_id: UUID, actor: str = "marta", **more: str) -> Outcome:
    return pauses.deny(conn, pause_id, actor, surface="tests", **more)


def quorum(conn: Any, calls: int = 1, approvers: int = 2) -> list[UUID]:
    """Pauses that need several of the role's holders."""
    need = replace(rows.QUORUM, approvers=approvers)
    return rows.waiting(conn, calls, approver="role:finance-approver", need=need)


def status(conn: Any, pause_id: UUID) -> str:
    return pauses.get(conn, pause_id).status


def run_of(conn: Any, pause_id: UUID) -> UUID:
    return pauses.get(conn, pause_id).run_id


def last_event(conn: Any, pause_id: UUID) -> tuple[str, str, str | None, str, str, str | None]:
    """The newest event of a pause: (from, event, to, actor, surface, detail)."""
    mine = [e for e in events.of_run(conn, run_of(conn, pause_id)) if e.entity_id == str(pause_id)][-1]
    return mine.from_status, mine.event, mine.to_status, mine.actor, mine.surface, mine.detail


# -------------------------------------------------------------------------------------------------------------- several


def test_of_two_votes_the_first_waits_and_the_second_settles(conn: Any) -> None:
    [pause_id] = quorum(conn)
    first = approve(conn, pause_id, "marta")
    assert isinstance(first, Voted)
    assert (first.now.status, first.now.votes_left, first.now.run_status, first.now.decided_by) == (
        "waiting", 1, "awaiting_approval", None,
    )  # fmt: skip
    second = approve(conn, pause_id, "ines")
    assert isinstance(second, Decided)
    assert (second.now.status, second.now.votes_left, second.now.decided_by) == ("approved", 0, "ines")
    assert pauses.get(conn, pause_id).voters == ("marta", "ines")


def test_the_same_person_counts_once(conn: Any) -> None:
    [pause_id] = quorum(conn)
    approve(conn, pause_id, "marta")
    again = approve(conn, pause_id, "marta")
    assert isinstance(again, NotYours)
    assert (again.why, again.now.votes_left) == ("voted", 1)
    assert [v.person for v in pauses.get(conn, pause_id).votes] == ["marta"]


def escalating(conn: Any, *steps: Step, approver: str = "role:finance-approver") -> UUID:
    need = replace(rows.QUORUM, on_expiry="escalate", steps=steps)
    [pause_id] = rows.waiting(conn, approver=approver, need=need)
    return pause_id


@pytest.fixture
def pool(db_url: str) -> Iterator[db.Pool]:
    with database.pool(db_url, 2) as made:
        yield made


def swept(pool: db.Pool, conn: Any, pause_id: UUID) -> tuple[str, str, int]:
    Sweeper(pool).run()
    pause = pauses.get(conn, pause_id)
    return pause.status, pause.approver, pause.level


def test_who_alone_was_asked_and_has_approved_keeps_nobody_waiting(pool: db.Pool, conn: Any) -> None:
    pause_id = escalating(
        conn, Step(person="otto", answer_within_s=60), Step(role="finance-approver", answer_within_s=60)
    )
    assert swept(pool, conn, pause_id) == ("waiting", "role:finance-approver", 0)
    rows.make_due(conn, pause_id)
    assert swept(pool, conn, pause_id) == ("waiting", "person:otto", 1)
    assert isinstance(approve(conn, pause_id, "otto"), Voted)
    assert swept(pool, conn, pause_id) == ("waiting", "role:finance-approver", 2)
    assert isinstance(approve(conn, pause_id, "marta"), Decided)


def test_a_step_that_leads_to_who_has_approved_is_passed_over(pool: db.Pool, conn: Any) -> None:
    pause_id = escalating(conn, Step(person="marta", answer_within_s=60), Step(person="otto", answer_within_s=60))
    assert isinstance(approve(conn, pause_id, "marta"), Voted)
    assert swept(pool, conn, pause_id) == ("waiting", "role:finance-approver", 0)  # ines is left
    rows.make_due(conn, pause_id)
    assert swept(pool, conn, pause_id) == ("waiting", "person:otto", 2)


def test_a_delegate_who_is_left_is_waited_for(pool: db.Pool, conn: Any) -> None:
    pause_id = escalating(conn, Step(person="otto", answer_within_s=60), Step(person="jonas", answer_within_s=60))
    rows.make_due(conn, pause_id)
    assert swept(pool, conn, pause_id) == ("waiting", "person:otto", 1)
    tomorrow = datetime.now(UTC) + timedelta(days=1)
    absences.leave(conn, "otto", "jonas", starts_at=None, ends_at=tomorrow, actor="otto", surface="tests")
    assert isinstance(approve(conn, pause_id, "otto"), Voted)
    assert swept(pool, conn, pause_id) == ("waiting", "person:otto", 1)
    assert isinstance(approve(conn, pause_id, "jonas"), Decided)


def test_what_some_approved_and_nobody_else_answered_is_told_as_that(pool: db.Pool, conn: Any) -> None:
    pause_id = escalating(conn, Step(person="marta", answer_within_s=60))
    assert isinstance(approve(conn, pause_id, "marta"), Voted)
    rows.make_due(conn, pause_id)
    assert swept(pool, conn, pause_id)[0] == "expired"
    assert pauses.get(conn, pause_id).reason == "nobody else answered in time"


def test_one_no_settles_however_many_said_yes(conn: Any) -> None:
    [pause_id] = quorum(conn)
    approve(conn, pause_id, "marta")
    outcome = deny(conn, pause_id, "ines")
    assert isinstance(outcome, Decided)
    assert (outcome.now.status, outcome.now.decided_by) == ("denied", "ines")
    assert {v.person: v.verdict for v in pauses.get(conn, pause_id).votes} == {"marta": "approve", "ines": "deny"}


def test_simultaneous_votes_are_neither_lost_nor_doubled(conn: Any, db_url: str) -> None:
    voters = ["marta", "ines", "otto"] * 3
    rows.give_role(conn, "otto", "finance-approver")
    [pause_id] = quorum(conn, approvers=3)

    def click(person: str) -> Outcome:
        with database.connect(db_url) as own:
            return approve(own, pause_id, person)

    with ThreadPoolExecutor(len(voters)) as threads:
        outcomes = list(threads.map(click, voters))
    assert sorted(type(o).__name__ for o in outcomes if isinstance(o, Voted | Decided)) == ["Decided", "Voted", "Voted"]
    assert sorted(o.now.votes_left for o in outcomes if isinstance(o, Voted | Decided)) == [0, 1, 2]
    pause = pauses.get(conn, pause_id)
    assert (pause.status, pause.votes_left, sorted(pause.voters)) == ("approved", 0, ["ines", "marta", "otto"])
    assert sorted(v.person for v in pause.votes) == ["ines", "marta", "otto"]


# ------------------------------------------------------------------------------------------------------------- siblings


def test_a_yes_among_siblings_leaves_the_run_asleep_until_the_last(conn: Any) -> None:
    first, second = rows.waiting(conn, 2)
    outcome = approve(conn, first)
    assert isinstance(outcome, Decided)
    assert outcome.now.run_status == "awaiting_approval"
    assert runs.get(conn, run_of(conn, first)).waiting_pauses == 1
    last = approve(conn, second)
    assert isinstance(last, Decided)
    assert last.now.run_status == "queued"


def test_a_no_cancels_the_siblings_waiting_and_approved_alike(conn: Any) -> None:
    waits, said_yes, said_no = rows.waiting(conn, 3)
    approve(conn, said_yes)
    outcome = deny(conn, said_no)
    assert outcome.now.run_status == "queued"
    for sibling in (waits, said_yes):
        pause = pauses.get(conn, sibling)
        assert (pause.status, pause.decided_by, pause.reason) == (
            "cancelled", None, "another call of the same turn was denied",
        )  # fmt: skip
        assert 1 not in {c.wanted for c in cards.of_pause(conn, sibling)}
    assert last_event(conn, said_yes)[:4] == ("approved", "cancel", "cancelled", "marta")
    rows.consistent(conn)


def test_a_click_on_a_cancelled_sibling_is_told_that_it_fell_with_another(conn: Any) -> None:
    first, second = rows.waiting(conn, 2)
    deny(conn, first)
    late = approve(conn, second)
    assert isinstance(late, AlreadySettled)
    assert (late.now.status, late.now.decided_by, late.now.reason) == (
        "cancelled", None, "another call of the same turn was denied",
    )  # fmt: skip


def test_a_held_run_wakes_into_paused(conn: Any) -> None:
    [pause_id] = rows.waiting(conn)
    assert runs.hold(conn, run_of(conn, pause_id), actor="otto", surface="tests") == "awaiting_approval"
    assert approve(conn, pause_id).now.run_status == "paused"
