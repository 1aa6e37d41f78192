"""What operators do to a run: hold, resume, cancel, each told truthfully."""

from collections.abc import Callable
from typing import Any
from uuid import UUID, uuid4

import pytest

from engine.errors import Conflict, LeaseLost, NotFound
from engine.models import Claim
from engine.state import db, events, ledger, pauses, runs
from tests import rows


def hold(conn: Any, run_id: UUID) -> str:
    return runs.hold(conn, run_id, actor="otto", surface="tests")


def resume(conn: Any, run_id: UUID) -> str:
    return runs.resume(conn, run_id, actor="otto", surface="tests")


def cancel(conn: Any, run_id: UUID) -> str:
    return runs.cancel(conn, run_id, actor="otto", person="otto", surface="tests")


def claim(conn: Any, worker: str = "w2", *agents: str) -> Claim | None:
    return runs.claim(conn, worker, agents or ["procurement"], lease_s=60)


def last_events(conn: Any, run_id: UUID, n: int = 1) -> list[tuple[str, str | None, str]]:
    return [(e.event, e.to_status, e.actor) for e in events.of_run(conn, run_id)][-n:]


def test_a_queued_run_is_held_at_once_and_nobody_claims_it(conn: Any) -> None:
    run_id = rows.launched(conn)
    assert hold(conn, run_id) == "paused"
    assert claim(conn) is None
    assert resume(conn, run_id) == "queued"
    assert claim(conn) is not None


def test_a_running_run_is_pausing_and_stops_with_its_step(conn: Any) -> None:
    mine = rows.claimed(conn)
    rows.replied(conn, mine)
    assert hold(conn, mine.id) == "pausing"
    assert runs.save_results(conn, mine, {0: rows.PAID}) == "paused"
    assert runs.load(conn, mine.id).calls[0].state == "settled"
    with pytest.raises(LeaseLost):
        runs.renew(conn, mine, lease_s=60)
    assert resume(conn, mine.id) == "queued"


def test_a_reply_that_is_saved_while_held_is_kept(conn: Any) -> None:
    mine = rows.claimed(conn)
    hold(conn, mine.id)
    assert runs.save_reply(conn, mine, [rows.REPLY], [], tokens=5, cost_micros=1) == "paused"
    run = runs.load(conn, mine.id)
    assert (run.status, run.tokens, len(run.messages)) == ("paused", 5, 2)


def test_a_held_run_that_its_worker_lets_go_stops_there(conn: Any) -> None:
    mine = rows.claimed(conn)
    hold(conn, mine.id)
    assert runs.release(conn, mine, "w1")
    assert runs.get(conn, mine.id).status == "paused"
    assert claim(conn) is None
    assert resume(conn, mine.id) == "queued"


def test_a_wish_to_stop_that_is_taken_back_in_time_leaves_no_trace_but_the_record(conn: Any) -> None:
    mine = rows.claimed(conn)
    hold(conn, mine.id)
    assert resume(conn, mine.id) == "running"
    assert runs.save_reply(conn, mine, [rows.REPLY], [], tokens=1, cost_micros=1) == "running"
    assert last_events(conn, mine.id, 2) == [("note_hold", "running", "otto"), ("resume", "running", "otto")]


def test_a_second_resume_is_a_conflict_that_says_what_stands(conn: Any) -> None:
    run_id = rows.launched(conn)
    hold(conn, run_id)
    resume(conn, run_id)
    with pytest.raises(Conflict, match="nobody has paused it") as refused:
        resume(conn, run_id)
    assert refused.value.stands == "queued"
    assert last_events(conn, run_id) == [("resume", None, "otto")]


def test_a_second_hold_is_a_conflict_that_says_what_stands(conn: Any) -> None:
    mine = rows.claimed(conn)
    hold(conn, mine.id)
    with pytest.raises(Conflict, match="already") as refused:
        hold(conn, mine.id)
    assert refused.value.stands == "pausing"


def test_resuming_never_approves(conn: Any) -> None:
    [pause_id] = rows.waiting(conn)
    run_id = pauses.get(conn, pause_id).run_id
    hold(conn, run_id)
    assert resume(conn, run_id) == "awaiting_approval"
    assert pauses.get(conn, pause_id).status == "waiting"
    assert claim(conn) is None


def test_a_cancelled_run_takes_back_what_it_asked(conn: Any) -> None:
    first, second = rows.waiting(conn, 2)
    pauses.approve(conn, first, "marta", surface="tests")
    run_id = pauses.get(conn, first).run_id
    assert cancel(conn, run_id) == "cancelled"
    for pause_id in (first, second):
        pause = pauses.get(conn, pause_id)
        assert (pause.status, pause.decided_by, pause.reason) == ("cancelled", "otto", "the run was withdrawn")
    rows.consistent(conn)


def test_a_cancel_during_an_effect_is_noted_and_takes_effect_when_it_is_settled(conn: Any) -> None:
    mine, [pause_id, sibling], effect = rows.begun(conn, 2)
    assert cancel(conn, mine.id) == "cancelling"
    assert runs.get(conn, mine.id).status == "running"
    with pytest.raises(Conflict, match="already"):
        cancel(conn, mine.id)
    settled = ledger.settle(conn, effect.attempt_id, "succeed", receipt={"id": "pi_1"}, result=rows.PAID)
    assert (settled.outcome, settled.run_status) == ("succeed", "cancelled")
    assert pauses.get(conn, pause_id).status == "executed"
    called_off = pauses.get(conn, sibling)
    assert (called_off.status, called_off.decided_by, called_off.reason) == ("cancelled", None, "the run was withdrawn")
    rows.consistent(conn)


@pytest.mark.parametrize("verb", [hold, resume, cancel])
def test_an_ended_run_stands_as_it_is(conn: Any, verb: Callable[[Any, UUID], str]) -> None:
    mine = rows.claimed(conn)
    runs.finish(conn, mine, "Paid.", runs.LastWords())
    with pytest.raises(Conflict, match="has ended") as refused:
        verb(conn, mine.id)
    assert refused.value.stands == "done"
    assert last_events(conn, mine.id) == [(verb.__name__, None, "otto")]


@pytest.mark.parametrize("verb", [hold, resume, cancel, runs.get, runs.load])
def test_an_unknown_run_is_said_not_to_exist(conn: Any, verb: Callable[[Any, UUID], Any]) -> None:
    with pytest.raises(NotFound, match="does not exist"):
        verb(conn, uuid4())


@pytest.mark.parametrize("verb", [hold, resume, cancel, runs.get, runs.load])
def test_the_run_of_the_system_is_nobodys_to_move_or_to_see(conn: Any, verb: Callable[[Any, UUID], Any]) -> None:
    before = events.of_run(conn, db.SYSTEM_RUN)
    with pytest.raises(NotFound, match="does not exist"):
        verb(conn, db.SYSTEM_RUN)
    assert events.of_run(conn, db.SYSTEM_RUN) == before


@pytest.mark.parametrize("text", [str(db.SYSTEM_RUN), "run_000000", "0000000"])
def test_nobody_can_name_the_run_of_the_system(conn: Any, text: str) -> None:
    with pytest.raises(NotFound, match="No run has an id ending in 0"):
        runs.named(conn, text)
