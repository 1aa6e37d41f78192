"""Who has a run: claims, leases, epochs, and the worker that lost it and touches nothing."""

from collections.abc import Callable
from typing import Any
from uuid import UUID

import pytest

from engine.errors import LeaseLost
from engine.models import Claim
from engine.state import db, events, ledger, pauses, runs
from tests import rows


def claim(conn: Any, worker: str = "w2", *agents: str) -> Claim | None:
    return runs.claim(conn, worker, agents or ["procurement"], lease_s=60)


def test_the_run_that_waited_longest_is_claimed_first(conn: Any) -> None:
    first, second = rows.launched(conn), rows.launched(conn)
    assert [c.id for c in (claim(conn), claim(conn)) if c] == [first, second]
    assert claim(conn) is None


def test_a_worker_claims_only_agents_it_knows(conn: Any) -> None:
    run_id = rows.launched(conn, agent="travel")
    assert claim(conn) is None
    taken = claim(conn, "w1", "procurement", "travel")
    assert taken == Claim(id=run_id, epoch=1, agent="travel")


def test_a_lost_worker_is_followed_by_another_with_a_new_epoch(conn: Any) -> None:
    old = rows.claimed(conn)
    assert claim(conn) is None  # its lease is not over
    rows.lose_lease(conn, old.id)
    new = claim(conn)
    assert new == Claim(id=old.id, epoch=2, agent="procurement")
    last = events.of_run(conn, old.id)[-1]
    assert (last.event, last.actor, last.from_status, last.to_status) == ("claim", "w2", "running", "running")
    assert claim(conn) is None


def test_a_lost_run_is_taken_before_what_is_queued_however_much_that_is(conn: Any) -> None:
    old = rows.claimed(conn)
    rows.launched(conn)
    rows.lose_lease(conn, old.id)
    assert [c.id == old.id for c in (claim(conn), claim(conn)) if c] == [True, False]


def test_a_renewed_lease_is_not_over(conn: Any) -> None:
    mine = rows.claimed(conn)
    rows.lose_lease(conn, mine.id)
    runs.renew(conn, mine, lease_s=60)
    assert claim(conn) is None


def test_lost_runs_of_other_agents_do_not_hide_ours(conn: Any) -> None:
    for _ in range(21):
        rows.launched(conn, agent="travel")
        theirs = claim(conn, "w1", "travel")
        assert theirs is not None
        rows.lose_lease(conn, theirs.id)
    mine = rows.claimed(conn)
    rows.lose_lease(conn, mine.id)
    found = claim(conn)
    assert found is not None
    assert found.id == mine.id


def _begin(conn: Any, lost: Claim, pause_id: UUID) -> None:
    ledger.begin(conn, lost, rows.intent(lost.id, pause_id), lease_s=60)


WORKER_VERBS: dict[str, Callable[[Any, Claim, UUID], Any]] = {
    "renew": lambda conn, lost, _: runs.renew(conn, lost, lease_s=60),
    "save_reply": lambda conn, lost, _: runs.save_reply(conn, lost, [rows.REPLY], [], tokens=1, cost_micros=1),
    "save_results": lambda conn, lost, _: runs.save_results(conn, lost, {0: rows.PAID}),
    "ask": lambda conn, lost, pause_id: runs.ask(conn, lost, [rows.asked(conn, lost)], superseded=[pause_id]),
    "finish": lambda conn, lost, _: runs.finish(conn, lost, "Paid.", runs.LastWords(messages=(rows.REPLY,), replies=1)),
    "fail": lambda conn, lost, _: runs.fail(conn, lost, "It cannot go on."),
    "void": lambda conn, lost, pause_id: runs.void(conn, lost, [pause_id], "The grant is gone."),
    "begin": _begin,
}


@pytest.mark.parametrize("verb", WORKER_VERBS)
def test_a_worker_that_lost_its_run_touches_nothing(conn: Any, verb: str) -> None:
    lost, [pause_id] = rows.approved(conn)
    rows.lose_lease(conn, lost.id)
    assert claim(conn) is not None
    before = (
        runs.get(conn, lost.id),
        events.of_run(conn, lost.id),
        pauses.get(conn, pause_id),
        ledger.of_run(conn, lost.id),
    )
    with pytest.raises(LeaseLost):
        WORKER_VERBS[verb](conn, lost, pause_id)
    after = (
        runs.get(conn, lost.id),
        events.of_run(conn, lost.id),
        pauses.get(conn, pause_id),
        ledger.of_run(conn, lost.id),
    )
    assert after == before


AGAIN: dict[str, Callable[[Any, Claim, ledger.Begun], Any]] = {
    "repeat": lambda conn, lost, effect: ledger.repeat(
        conn, lost, effect.attempt_id, within_s=60, call_s=20, lease_s=60
    ),
    "replace": lambda conn, lost, effect: ledger.replace(conn, lost, effect.effect_id, call_s=20, lease_s=60),
}


@pytest.mark.parametrize("stands", ["with another worker", "in doubt", "back in line"])
@pytest.mark.parametrize("verb", AGAIN)
def test_a_worker_that_lost_its_run_calls_nothing_again(conn: Any, verb: str, stands: str) -> None:
    lost, _, effect = rows.begun(conn)
    rows.end_call(conn, effect.attempt_id)
    match stands:
        case "with another worker":
            rows.lose_lease(conn, lost.id)
            assert claim(conn) is not None
        case "in doubt":
            assert ledger.settle(conn, effect.attempt_id, "doubt", error="no answer").run_status == "in_doubt"
        case _:
            assert runs.release(conn, lost, "w1")
    before = (events.of_run(conn, lost.id), ledger.of_run(conn, lost.id), runs.get(conn, lost.id).status)
    with pytest.raises(LeaseLost):
        AGAIN[verb](conn, lost, effect)
    assert (events.of_run(conn, lost.id), ledger.of_run(conn, lost.id), runs.get(conn, lost.id).status) == before


def test_a_release_by_a_worker_that_lost_its_run_does_nothing(conn: Any) -> None:
    lost = rows.claimed(conn)
    rows.lose_lease(conn, lost.id)
    assert claim(conn) is not None
    assert not runs.release(conn, lost, "w1")
    assert runs.get(conn, lost.id).status == "running"


def test_a_released_run_is_claimed_by_another_at_once(conn: Any) -> None:
    mine = rows.claimed(conn)
    assert runs.release(conn, mine, "w1")
    found = claim(conn)
    assert found is not None
    assert (found.id, found.epoch) == (mine.id, 2)


def test_a_lease_that_was_left_over_takes_no_run_that_does_not_run(conn: Any) -> None:
    [pause_id] = rows.waiting(conn)
    run_id = pauses.get(conn, pause_id).run_id
    conn.execute(
        "INSERT INTO run_lease (run_id, epoch, lease_until, worker)"
        " SELECT id, epoch, clock_timestamp() - interval '1 minute', 'w0' FROM run WHERE id = %s",
        (run_id,),
    )
    assert db.one(conn, "reclaim_run", dict, worker="w1", agents=["procurement"], lease_s=60) is None
    assert runs.claim(conn, "w1", ["procurement"], lease_s=60) is None
    assert runs.get(conn, run_id).status == "awaiting_approval"
