"""What comes of a click: each outcome of approve, deny and withdraw, and what the loser is told."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any
from uuid import UUID, uuid4

import pytest

from engine.errors import NotFound
from engine.models import AlreadySettled, Broken, Decided, Due, NotYours, Outcome, Standing, Voted
from engine.state import cards, events, pauses, runs
from tests import database, rows


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


# ------------------------------------------------------------------------------------------------------------ several


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


def test_one_no_settles_however_many_said_yes(conn: Any) -> None:
    [pause_id] = quorum(conn)
    approve(conn, pause_id, "marta")
    outcome = deny(conn, pause_id, "ines")
    assert isinstance(outcome, Decided)
    assert (outcome.now.status, outcome.now.decided_by) == ("denied", "ines")
    assert {v.person: v.verdict for v in pauses.get(conn, pause_id).votes} == {"marta": "approve", "ines": "deny"}


def test_simultaneous_votes_are_neither_lost_nor_doubled(conn: Any, db_url: str) -> None:
    voters = ["marta", "ines", "otto"] * 3
    conn.execute("INSERT INTO role_member VALUES ('finance-approver', 'otto')")
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


# ------------------------------------------------------------------------------------------------- altered, stale, due


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


# ------------------------------------------------------------------------------------------------------------ withdraw


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
    assert outcome.why == "not_yours"
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


# -------------------------------------------------------------------------------------------------------------- lists


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
def test_an_altered_content_is_listed_as_such_and_hides_no_other(conn: Any, text: str | None) -> None:
    [good] = rows.waiting(conn)
    [bad] = rows.waiting(conn)
    rows.alter_document(conn, bad, text)
    listed = {line.id: (line.intact, line.summary) for line in pauses.waiting(conn)}
    assert listed == {good: (True, "EUR 38,000.00 to Nordholz Industrial (sup_412)"), bad: (False, "")}


def test_a_pause_is_found_by_the_end_of_its_id(conn: Any) -> None:
    [pause_id] = rows.waiting(conn)
    assert pauses.find(conn, pause_id.hex[-6:]) == [pause_id]
    assert pauses.find(conn, "000000") == []
