"""What comes of a click, and who may make it: each outcome of approve and deny, and what the loser is told."""

from typing import Any
from uuid import UUID, uuid4

import pytest

from engine.errors import NotFound
from engine.models import AlreadySettled, Broken, Decided, Due, NotYours, Outcome
from engine.state import cards, events, pauses, runs
from tests import rows


def approve(conn: Any, pause_id: UUID, actor: str = "marta", **more: str) -> Outcome:
    return pauses.approve(conn, pause_id, actor, surface="tests", **more)


def deny(conn: Any, pause_id: UUID, actor: str = "marta", **more: str) -> Outcome:
    return pauses.deny(conn, pause_id, actor, surface="tests", **more)


def withdraw(conn: Any, pause_id: UUID, actor: str = "priya", **more: str) -> Outcome:
    return pauses.withdraw(conn, pause_id, actor, surface="tests", **more)


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


# ------------------------------------------------------------------------------------------------------ one yes, one no


def test_a_yes_settles_wakes_the_run_and_is_on_record(conn: Any) -> None:
    [pause_id] = rows.waiting(conn)
    outcome = approve(conn, pause_id, reason="  Fits the budget. ")
    assert isinstance(outcome, Decided)
    now = outcome.now
    assert (now.pause_id, now.status, now.decided_by, now.reason) == (
        pause_id, "approved", "marta", "Fits the budget.",
    )  # fmt: skip
    assert (now.votes_left, now.run_status, now.decided_at) == (0, "queued", now.at)
    pause = pauses.get(conn, pause_id)
    assert [(v.person, v.verdict, v.surface, v.level, v.reason) for v in pause.votes] == [
        ("marta", "approve", "tests", 0, "Fits the budget.")
    ]
    assert last_event(conn, pause_id) == ("waiting", "approve", "approved", "marta", "tests", "Fits the budget.")


def test_a_no_settles_wakes_the_run_and_its_reason_is_kept(conn: Any) -> None:
    [pause_id] = rows.waiting(conn)
    outcome = deny(conn, pause_id, reason="Too dear.\0")
    assert isinstance(outcome, Decided)
    assert (outcome.now.status, outcome.now.reason, outcome.now.run_status) == ("denied", "Too dear.\ufffd", "queued")


def test_the_second_click_is_told_who_was_first_and_when(conn: Any) -> None:
    [pause_id] = rows.waiting(conn, approver="role:finance-approver")
    first = deny(conn, pause_id, "marta", reason="Too dear.")
    second = approve(conn, pause_id, "ines")
    assert isinstance(second, AlreadySettled)
    assert (second.now.status, second.now.decided_by, second.now.reason) == ("denied", "marta", "Too dear.")
    assert second.now.decided_at == first.now.decided_at
    assert second.now.at > first.now.at
    assert last_event(conn, pause_id) == ("denied", "approve", None, "ines", "tests", "settled")
    assert [v.person for v in pauses.get(conn, pause_id).votes] == ["marta"]


def test_the_same_person_clicking_twice_decides_once(conn: Any) -> None:
    [pause_id] = rows.waiting(conn)
    assert isinstance(approve(conn, pause_id), Decided)
    assert isinstance(approve(conn, pause_id), AlreadySettled)
    assert pauses.get(conn, pause_id).version == 2


def test_an_unknown_pause_is_said_not_to_exist(conn: Any) -> None:
    for verb in (approve, deny, withdraw):
        with pytest.raises(NotFound, match="does not exist"):
            verb(conn, uuid4())


def test_every_card_of_a_decided_pause_is_to_be_repainted(conn: Any) -> None:
    [pause_id] = rows.waiting(conn)
    approve(conn, pause_id)
    assert [(c.kind, c.wanted) for c in cards.of_pause(conn, pause_id)] == [("approver", 2), ("requester", 2)]


def test_a_refused_click_repaints_nothing(conn: Any) -> None:
    [pause_id] = rows.waiting(conn)
    approve(conn, pause_id, "jonas")
    assert {c.wanted for c in cards.of_pause(conn, pause_id)} == {1}


# ------------------------------------------------------------------------------------------------------- who may decide


@pytest.mark.parametrize(
    ("actor", "why"), [("priya", "own"), ("jonas", "not_yours"), ("otto", "not_yours"), ("lena", "not_yours"), ("nobody", "not_yours")]
)  # fmt: skip
@pytest.mark.parametrize("verb", [approve, deny])
def test_only_the_named_approver_may(conn: Any, verb: Any, actor: str, why: str) -> None:
    [pause_id] = rows.waiting(conn)
    outcome = verb(conn, pause_id, actor)
    assert isinstance(outcome, NotYours)
    assert outcome.why == why
    assert (outcome.now.status, outcome.now.approver, outcome.now.decided_by) == ("waiting", "person:marta", None)
    assert last_event(conn, pause_id) == ("waiting", verb.__name__, None, actor, "tests", why)
    untouched(conn, pause_id)


def test_any_holder_of_the_role_may_and_nobody_else(conn: Any) -> None:
    [pause_id] = rows.waiting(conn, approver="role:finance-approver")
    for stranger in ("otto", "jonas", "lena"):  # Lena holds the role and has left
        assert isinstance(approve(conn, pause_id, stranger), NotYours)
    untouched(conn, pause_id)
    assert isinstance(approve(conn, pause_id, "ines"), Decided)


def test_nobody_decides_on_their_own_request_whatever_their_role(conn: Any) -> None:
    claim = rows.claimed(conn, rows.launched(conn, on_behalf_of="marta"))
    rows.replied(conn, claim)
    ask = rows.asked(conn, claim, approver="role:finance-approver")
    runs.ask(conn, claim, [ask])
    for verb in (approve, deny):
        outcome = verb(conn, ask.id, "marta")
        assert isinstance(outcome, NotYours)
        assert outcome.why == "own"


def test_an_approver_who_left_meanwhile_may_not(conn: Any) -> None:
    [pause_id] = rows.waiting(conn)
    rows.deactivate(conn, "marta")
    outcome = approve(conn, pause_id)
    assert isinstance(outcome, NotYours)
    untouched(conn, pause_id)


def test_a_holder_who_lost_the_role_meanwhile_may_not(conn: Any) -> None:
    [pause_id] = rows.waiting(conn, approver="role:finance-approver")
    rows.take_role(conn, "marta", "finance-approver")
    assert isinstance(approve(conn, pause_id), NotYours)
    assert isinstance(approve(conn, pause_id, "ines"), Decided)


# -------------------------------------------------------------------------------------------------- altered, stale, due


@pytest.mark.usefixtures("by_hand")
def test_an_altered_content_cannot_be_decided(conn: Any) -> None:
    [pause_id] = rows.waiting(conn)
    rows.alter_document(conn, pause_id)
    for verb in (approve, deny):
        outcome = verb(conn, pause_id)
        assert isinstance(outcome, Broken)
        assert outcome.why == "broken"
    assert last_event(conn, pause_id) == ("waiting", "deny", None, "marta", "tests", "broken")
    untouched(conn, pause_id)
    assert not pauses.get(conn, pause_id).intact
    assert pauses.get(conn, pause_id).content is None


@pytest.mark.usefixtures("by_hand")
def test_an_altered_digest_is_no_better_than_an_altered_text(conn: Any) -> None:
    [pause_id] = rows.waiting(conn)
    conn.execute("UPDATE pause_content SET digest = repeat('0', 64) WHERE pause_id = %s", (pause_id,))
    assert isinstance(approve(conn, pause_id), Broken)
    untouched(conn, pause_id)


def test_a_click_on_a_card_that_showed_something_else_decides_nothing(conn: Any) -> None:
    [pause_id] = rows.waiting(conn)
    digest = pauses.get(conn, pause_id).digest
    other = "f" if digest[0] != "f" else "0"
    outcome = approve(conn, pause_id, shown=other + digest[1:8])
    assert isinstance(outcome, Broken)
    assert outcome.why == "stale"
    untouched(conn, pause_id)
    assert isinstance(approve(conn, pause_id, shown=digest[:8]), Decided)


@pytest.mark.usefixtures("by_hand")
def test_a_broken_pause_can_still_be_withdrawn(conn: Any) -> None:
    [pause_id] = rows.waiting(conn)
    rows.alter_document(conn, pause_id)
    assert isinstance(withdraw(conn, pause_id), Decided)


def test_a_click_after_its_time_says_due_and_moves_nothing(conn: Any) -> None:
    [pause_id] = rows.waiting(conn)
    rows.make_due(conn, pause_id)
    for verb in (approve, deny):
        outcome = verb(conn, pause_id)
        assert isinstance(outcome, Due)
        assert outcome.now.fire_at < outcome.now.at
    untouched(conn, pause_id)


def test_a_stranger_is_told_so_even_when_it_is_due(conn: Any) -> None:
    [pause_id] = rows.waiting(conn)
    rows.make_due(conn, pause_id)
    assert isinstance(approve(conn, pause_id, "jonas"), NotYours)
