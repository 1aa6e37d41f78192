"""What the requester takes back, and where people look for what waits."""

from dataclasses import replace
from typing import Any
from uuid import UUID

import pytest

from engine.models import AlreadySettled, Decided, NotYours, Outcome, Standing
from engine.state import events, pauses, runs
from tests import rows


def approve(conn: Any, pause_id: UUID, actor: str = "marta", **more: str) -> Outcome:
    return pauses.approve(conn, pause_id, actor, surface="tests", **more)


def deny(conn: Any, pause_id: UUID, actor: str = "marta", **more: str) -> Outcome:
    return pauses.deny(conn, pause_id, actor, surface="tests", **more)


def withdraw(conn: Any, pause_id: UUID, actor: str = "priya", **more: str) -> Outcome:
    return pauses.withdraw(conn, pause_id, actor, surface="tests", **more)


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


def untouched(conn: Any, pause_id: UUID) -> None:
    """It waits as it was opened, and its run with it."""
    pause = pauses.get(conn, pause_id)
    assert (pause.status, pause.version, pause.voters, pause.votes, pause.decided_by) == ("waiting", 1, (), (), None)
    assert pause.run_status == "awaiting_approval"


# ------------------------------------------------------------------------------------------------------------- withdraw


def test_the_requester_takes_back_what_waits_with_its_siblings(conn: Any) -> None:
    first, second = rows.waiting(conn, 2)
    outcome = withdraw(conn, first, reason="Wrong supplier.")
    assert isinstance(outcome, Decided)
    assert (outcome.now.status, outcome.now.decided_by, outcome.now.reason) == (
        "cancelled", "priya", "Wrong supplier.",
    )  # fmt: skip
    assert outcome.now.run_status == "queued"
    assert pauses.get(conn, second).reason == "another call of the same turn was withdrawn"
    rows.consistent(conn)


def test_the_requester_takes_back_what_was_approved_and_not_begun(conn: Any) -> None:
    claim, [pause_id] = rows.approved(conn)
    outcome = withdraw(conn, pause_id)
    assert isinstance(outcome, Decided)
    assert (outcome.now.status, outcome.now.run_status) == ("cancelled", "running")
    assert last_event(conn, pause_id)[:3] == ("approved", "cancel", "cancelled")
    assert runs.load(conn, claim.id).status == "running"


def test_nothing_is_withdrawn_while_it_is_being_carried_out(conn: Any) -> None:
    _, [pause_id, sibling], _ = rows.begun(conn, 2)
    for mine in (pause_id, sibling):
        outcome = withdraw(conn, mine)
        assert isinstance(outcome, NotYours)
        assert (outcome.why, outcome.now.status) == ("open", "approved")
        assert last_event(conn, mine) == ("approved", "cancel", None, "priya", "tests", "open")


@pytest.mark.parametrize("actor", ["marta", "otto", "nobody"])
def test_only_the_requester_withdraws(conn: Any, actor: str) -> None:
    [pause_id] = rows.waiting(conn)
    outcome = withdraw(conn, pause_id, actor)
    assert isinstance(outcome, NotYours)
    assert outcome.why == "not_requester"
    untouched(conn, pause_id)


def test_a_withdrawal_after_a_decision_is_told_what_was_decided(conn: Any) -> None:
    [pause_id] = rows.waiting(conn)
    deny(conn, pause_id)
    outcome = withdraw(conn, pause_id)
    assert isinstance(outcome, AlreadySettled)
    assert (outcome.now.status, outcome.now.decided_by) == ("denied", "marta")


def test_what_is_told_is_what_the_rows_say(conn: Any) -> None:
    for verb in (approve, deny, withdraw):
        [pause_id] = rows.waiting(conn)
        now: Standing = verb(conn, pause_id).now
        pause = pauses.get(conn, pause_id)
        for field in (
            "status",
            "votes_left",
            "approver",
            "level",
            "fire_at",
            "decided_by",
            "decided_at",
            "reason",
            "run_status",
        ):
            assert getattr(now, field) == getattr(pause, field), field
        runs.cancel(conn, pause.run_id, actor="otto", person=None, surface="tests")


# ---------------------------------------------------------------------------------------------------------------- lists


def test_what_waits_is_listed_for_whom_it_waits(conn: Any) -> None:
    [mine] = rows.waiting(conn)
    [anyone] = quorum(conn)

    def seen(**who: Any) -> set[UUID]:
        return {line.id for line in pauses.waiting(conn, **who)}

    assert seen() == seen(asked_by="priya") == seen(person="marta") == {mine, anyone}
    assert seen(person="ines") == seen(role="finance-approver") == {anyone}
    assert seen(person="otto") == seen(asked_by="marta") == set()
    assert [(line.total, line.requester_name) for line in pauses.waiting(conn, limit=1)] == [(2, "Priya Nair")]
    approve(conn, mine)
    assert seen(person="marta") == {anyone}


@pytest.mark.parametrize("text", ["no JSON at all", None])
@pytest.mark.usefixtures("by_hand")
def test_an_altered_content_is_listed_as_such_and_hides_no_other(conn: Any, text: str | None) -> None:
    [good] = rows.waiting(conn)
    [bad] = rows.waiting(conn)
    rows.alter_document(conn, bad, text)
    listed = {line.id: (line.intact, line.summary) for line in pauses.waiting(conn)}
    assert listed == {good: (True, "EUR 38,000.00 to Nordholz Industrial (sup_412)"), bad: (False, "")}
    lines = pauses.waiting(conn)
    assert pauses.contents(conn, lines).keys() == {good}
    rows.alter_document(conn, good, text)  # after it was listed
    assert pauses.contents(conn, lines) == {}


def test_a_pause_is_found_by_the_end_of_its_id(conn: Any) -> None:
    [pause_id] = rows.waiting(conn)
    assert pauses.find(conn, pause_id.hex[-6:]) == [pause_id]
    assert pauses.find(conn, "000000") == []
