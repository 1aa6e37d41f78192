"""What silence comes to: escalations, expiries, and what a sweep leaves alone."""

from datetime import timedelta
from typing import Any
from uuid import UUID, uuid4

import psycopg
import pytest

from engine.models import AlreadySettled, Decided, Due, Moved, NewCard, NotYours, Voted
from engine.state import cards, events, pauses, runs
from tests import database, rows


def escalate(conn: Any, pause_id: UUID, to: str = "person:otto", level: int = 0) -> list[Moved]:
    step = pauses.NextStep(
        pause_id=pause_id,
        level=level,
        next=to,
        within_s=3600,
        cards=tuple(NewCard(kind="approver", dest=dest) for dest in ("person:otto", "channel:C0BUY")),
    )
    return pauses.settle_due(conn, [step], surface="sweep")


def expire(conn: Any, *pause_ids: UUID, level: int = 0) -> list[Moved]:
    steps = [pauses.NextStep(pause_id=pause_id, level=level, next=None) for pause_id in pause_ids]
    return pauses.settle_due(conn, steps, surface="sweep")


def due_one(conn: Any, **changes: Any) -> UUID:
    """A pause whose time is up."""
    [pause_id] = rows.waiting(conn, **changes)
    rows.make_due(conn, pause_id)
    return pause_id


def test_what_somebody_can_see_waits_until_it_is_due_whatever_is_said_of_it(conn: Any) -> None:
    [pause_id] = rows.waiting(conn)
    step = pauses.NextStep(pause_id=pause_id, level=0, next=None, unseen=True)
    assert pauses.settle_due(conn, [step], surface="tests") == []
    [card] = [one for one in cards.claim(conn, limit=9, lease_s=60) if one.kind == "approver"]
    cards.gone(conn, card, "is_archived")
    assert [moved.event for moved in pauses.settle_due(conn, [step], surface="tests")] == ["expire"]


def test_what_is_due_as_well_was_answered_by_nobody(conn: Any) -> None:
    pause_id = due_one(conn)
    pauses.settle_due(conn, [pauses.NextStep(pause_id=pause_id, level=0, next=None, unseen=True)], surface="tests")
    assert (pauses.get(conn, pause_id).reason, pauses.get(conn, pause_id).unseen) == ("nobody answered in time", False)


# ------------------------------------------------------------------------------------------------------------ what is due


def test_only_what_is_due_is_found_oldest_first(conn: Any) -> None:
    [early], [late], [later] = rows.waiting(conn), rows.waiting(conn), rows.waiting(conn)
    rows.make_due(conn, late, seconds=10)
    rows.make_due(conn, early, seconds=20)
    found = pauses.due(conn, limit=10)
    assert [d.id for d in found] == [early, late]
    assert [d.id for d in pauses.due(conn, limit=1)] == [early]
    assert (found[0].level, found[0].approver, found[0].on_behalf_of, found[0].intact) == (
        0,
        "person:marta",
        "priya",
        True,
    )
    assert [d.id for d in pauses.due(conn, limit=10, back_s=15)] == [late]
    assert [d.id for d in pauses.due(conn, limit=10, back_s=3600)] == [early, late]
    one = pauses.due_one(conn, later)
    assert one is not None
    assert one.id == later


def test_a_settled_pause_is_never_due(conn: Any) -> None:
    [pause_id] = rows.waiting(conn)
    pauses.approve(conn, pause_id, "marta", surface="tests")
    rows.make_due(conn, pause_id)
    assert pauses.due(conn, limit=10) == []
    assert pauses.due_one(conn, pause_id) is None
    assert expire(conn, pause_id) == []
    assert pauses.get(conn, pause_id).status == "approved"


@pytest.mark.usefixtures("by_hand")
def test_an_altered_content_is_due_and_marked(conn: Any) -> None:
    pause_id = due_one(conn)
    rows.alter_document(conn, pause_id)
    [found] = pauses.due(conn, limit=10)
    assert not found.intact


def test_a_stuck_pause_is_out_of_the_way_and_can_still_be_withdrawn(conn: Any) -> None:
    pause_id = due_one(conn)
    pauses.mark_stuck(conn, pause_id)
    assert pauses.due(conn, limit=10) == []
    assert pauses.get(conn, pause_id).status == "waiting"
    assert isinstance(pauses.withdraw(conn, pause_id, "priya", surface="tests"), Decided)


def test_what_is_settled_is_not_put_aside(conn: Any) -> None:
    pause_id = due_one(conn)
    pauses.withdraw(conn, pause_id, "priya", surface="tests")
    pauses.mark_stuck(conn, pause_id)
    assert conn.execute("SELECT stuck_at FROM run_pause WHERE id = %s", (pause_id,)).fetchone() == (None,)


# ------------------------------------------------------------------------------------------------------------- escalation


def test_an_escalation_moves_approver_level_and_time_and_stays_waiting(conn: Any) -> None:
    pause_id = due_one(conn)
    [moved] = escalate(conn, pause_id)
    assert (moved.pause_id, moved.event, moved.status, moved.approver, moved.level, moved.wakes) == (
        pause_id, "escalate", "waiting", "person:otto", 1, False,
    )  # fmt: skip
    pause = pauses.get(conn, pause_id)
    assert (pause.approver, pause.level, pause.fire_at, pause.version, pause.run_status) == (
        "person:otto", 1, moved.fire_at, 2, "awaiting_approval",
    )  # fmt: skip
    last = events.of_run(conn, pause.run_id)[-1]
    assert last.at + timedelta(hours=1) == pause.fire_at
    assert (last.event, last.actor, last.surface, last.detail) == ("escalate", "system", "sweep", "person:otto")


def test_the_new_approver_gets_a_card_and_the_old_ones_are_repainted(conn: Any) -> None:
    pause_id = due_one(conn)
    escalate(conn, pause_id)
    shown = {(c.level, c.kind, c.dest): c.wanted for c in cards.of_pause(conn, pause_id)}
    assert shown == {
        (0, "approver", "channel:C0BUY"): 2, (0, "requester", "person:priya"): 2,
        (1, "approver", "person:otto"): 1, (1, "approver", "channel:C0BUY"): 1,
    }  # fmt: skip


def test_after_an_escalation_the_former_approver_may_not_and_the_new_one_may(conn: Any) -> None:
    pause_id = due_one(conn)
    escalate(conn, pause_id)
    former = pauses.approve(conn, pause_id, "marta", surface="tests")
    assert isinstance(former, NotYours)
    assert (former.why, former.now.approver, former.now.level) == ("not_yours", "person:otto", 1)
    assert isinstance(pauses.approve(conn, pause_id, "otto", surface="tests"), Decided)
    assert pauses.get(conn, pause_id).votes[0].level == 1


def test_votes_survive_an_escalation_and_the_new_approver_adds_one(conn: Any) -> None:
    pause_id = rows.waiting(conn, approver="role:finance-approver", need=rows.QUORUM)[0]
    assert isinstance(pauses.approve(conn, pause_id, "marta", surface="tests"), Voted)
    rows.make_due(conn, pause_id)
    escalate(conn, pause_id)
    assert isinstance(pauses.approve(conn, pause_id, "otto", surface="tests"), Decided)
    assert pauses.get(conn, pause_id).voters == ("marta", "otto")


def test_the_same_escalation_twice_happens_once(conn: Any) -> None:
    pause_id = due_one(conn)
    assert len(escalate(conn, pause_id)) == 1
    assert escalate(conn, pause_id) == []
    rows.make_due(conn, pause_id)
    assert escalate(conn, pause_id) == []  # decided for level 0, which is over
    assert pauses.get(conn, pause_id).level == 1


def test_a_second_escalation_follows_the_first(conn: Any) -> None:
    pause_id = due_one(conn)
    escalate(conn, pause_id)
    rows.make_due(conn, pause_id)
    [moved] = escalate(conn, pause_id, "role:finance-lead", level=1)
    assert (moved.level, moved.approver) == (2, "role:finance-lead")


# ---------------------------------------------------------------------------------------------------------------- expiry


def test_an_expiry_wakes_the_run_and_is_nobodys_refusal(conn: Any) -> None:
    pause_id = due_one(conn)
    [moved] = expire(conn, pause_id)
    assert (moved.event, moved.status, moved.wakes) == ("expire", "expired", True)
    pause = pauses.get(conn, pause_id)
    assert (pause.status, pause.decided_by, pause.reason, pause.run_status) == (
        "expired", None, "nobody answered in time", "queued",
    )  # fmt: skip
    assert pause.votes == ()
    assert [(e.event, e.actor) for e in events.of_run(conn, pause.run_id)][-2:] == [
        ("expire", "system"),
        ("wake", "system"),
    ]


def test_a_click_after_the_expiry_is_told_when_it_expired(conn: Any) -> None:
    pause_id = due_one(conn)
    expire(conn, pause_id)
    late = pauses.approve(conn, pause_id, "marta", surface="tests")
    assert isinstance(late, AlreadySettled)
    assert (late.now.status, late.now.decided_by) == ("expired", None)
    assert late.now.decided_at is not None
    assert late.now.decided_at < late.now.at


def test_a_due_click_then_its_due_move_then_the_truth(conn: Any) -> None:
    pause_id = due_one(conn)
    assert isinstance(pauses.approve(conn, pause_id, "marta", surface="tests"), Due)
    assert len(expire(conn, pause_id)) == 1
    assert isinstance(pauses.approve(conn, pause_id, "marta", surface="tests"), AlreadySettled)


def test_what_is_not_due_does_not_expire(conn: Any) -> None:
    [pause_id] = rows.waiting(conn)
    assert expire(conn, pause_id) == []
    assert escalate(conn, pause_id) == []
    assert pauses.get(conn, pause_id).version == 1


def test_an_expiry_takes_the_siblings_with_it_waiting_and_approved(conn: Any) -> None:
    due, waits, said_yes = rows.waiting(conn, 3)
    pauses.approve(conn, said_yes, "marta", surface="tests")
    rows.make_due(conn, due)
    moved = {m.pause_id: (m.event, m.wakes) for m in expire(conn, due)}
    assert moved == {due: ("expire", True), waits: ("cancel", True), said_yes: ("cancel", True)}
    for sibling in (waits, said_yes):
        pause = pauses.get(conn, sibling)
        assert (pause.status, pause.decided_by, pause.reason) == (
            "cancelled", None, "another call of the same turn expired",
        )  # fmt: skip
    rows.consistent(conn)


def test_a_sibling_that_was_to_escalate_falls_with_the_one_that_expires(conn: Any) -> None:
    ends, goes_on = rows.waiting(conn, 2)
    rows.make_due(conn, ends)
    rows.make_due(conn, goes_on)
    steps = [
        pauses.NextStep(pause_id=ends, level=0, next=None),
        pauses.NextStep(
            pause_id=goes_on,
            level=0,
            next="person:otto",
            within_s=60,
            cards=(NewCard(kind="approver", dest="person:otto"),),
        ),
    ]
    assert {m.pause_id: m.event for m in pauses.settle_due(conn, steps, surface="sweep")} == {
        ends: "expire",
        goes_on: "cancel",
    }
    assert {c.level for c in cards.of_pause(conn, goes_on)} == {0}


def test_siblings_that_are_due_together_both_expire(conn: Any) -> None:
    both = rows.waiting(conn, 2)
    for pause_id in both:
        rows.make_due(conn, pause_id)
    assert {m.event for m in expire(conn, *both)} == {"expire"}
    run_id = pauses.get(conn, both[0]).run_id
    assert [e.event for e in events.of_run(conn, run_id)].count("wake") == 1
    rows.consistent(conn)


def test_an_escalating_sibling_does_not_wake_the_run(conn: Any) -> None:
    first, second = rows.waiting(conn, 2)
    pauses.approve(conn, first, "marta", surface="tests")
    rows.make_due(conn, second)
    [moved] = escalate(conn, second)
    assert not moved.wakes
    assert pauses.get(conn, first).status == "approved"
    assert runs.get(conn, moved.run_id).status == "awaiting_approval"


def test_one_sweep_settles_many_runs_each_with_one_link(conn: Any) -> None:
    pause_ids = [due_one(conn) for _ in range(5)]
    moved = expire(conn, *pause_ids)
    assert {m.pause_id for m in moved} == set(pause_ids)
    assert all(m.wakes for m in moved)
    assert {runs.get(conn, m.run_id).seq for m in moved} == {4}  # launch, claim, ask, expiry
    rows.consistent(conn)


def test_an_expiry_of_a_held_run_leads_to_paused(conn: Any) -> None:
    pause_id = due_one(conn)
    run_id = pauses.get(conn, pause_id).run_id
    runs.hold(conn, run_id, actor="otto", surface="tests")
    expire(conn, pause_id)
    assert runs.get(conn, run_id).status == "paused"


def test_a_pause_nobody_knows_is_left_out(conn: Any) -> None:
    pause_id = due_one(conn)
    assert [m.pause_id for m in expire(conn, uuid4(), pause_id)] == [pause_id]
    assert expire(conn) == []


def test_a_next_approver_that_is_nobody_fails_the_whole_move_and_leaves_all_as_it_was(conn: Any) -> None:
    good, bad = due_one(conn), due_one(conn)
    steps = [
        pauses.NextStep(pause_id=good, level=0, next=None),
        pauses.NextStep(pause_id=bad, level=0, next="otto", within_s=60),
    ]
    with pytest.raises(psycopg.errors.CheckViolation):
        pauses.settle_due(conn, steps, surface="sweep")
    assert {pauses.get(conn, p).version for p in (good, bad)} == {1}


def test_a_run_that_somebody_holds_is_left_for_the_next_sweep(conn: Any, db_url: str) -> None:
    taken, free = due_one(conn), due_one(conn)
    with database.connect(db_url) as other, other.transaction():
        other.execute("SELECT FROM run WHERE id = %s FOR UPDATE", (pauses.get(conn, taken).run_id,))
        assert [m.pause_id for m in expire(conn, taken, free)] == [free]
    assert [m.pause_id for m in expire(conn, taken, free)] == [taken]
