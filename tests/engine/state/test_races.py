"""Moves that meet on one run, really interleaved: whoever comes second does as if it had come second.

A makes its move in an open transaction; B makes its own from another connection and is seen to wait for A (or, if it skips what others
hold, to find nothing). Then A commits, or rolls back. What B is told, and all rows, must be what they are when the two moves are made
one after the other: no third outcome exists.
"""

import itertools
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any
from uuid import UUID

import psycopg
import pytest

from engine.errors import Conflict, LeaseLost
from engine.models import AlreadySettled, Claim, Decided, Moved, NotYours, Standing
from engine.state import events, ledger, pauses, runs
from tests import rows
from tests.engine.state import scenes
from tests.engine.state.meeting import Crew, outcome_of, until_it_waits
from tests.engine.state.scenes import SCENES, SKIPS, Move, Scene

PAIRS = [
    (scene, a, b)
    for scene, (_, moves) in SCENES.items()
    for a, b in itertools.product(moves, repeat=2)
    if (a, b)
    not in (("begin", "begin"), ("replace", "replace"))  # a worker does not race itself; below, what if it did
]


@pytest.mark.parametrize(("scene", "first", "second"), PAIRS)
def test_two_moves_on_one_run_are_as_if_one_came_after_the_other(
    conn: Any, crew: Crew, scene: str, first: str, second: str
) -> None:
    make, moves = SCENES[scene]
    after_commit = _one_after_the_other(conn, make, moves[first], moves[second])
    if (scene, second) not in ALONE:
        ALONE[scene, second] = _one_after_the_other(conn, make, _nothing, moves[second])
    for commits, serial in ((True, after_commit), (False, ALONE[scene, second])):
        here = make(conn)
        met = crew.meet(here, moves[first], moves[second], skips=second in SKIPS, commits=commits)
        assert _told(met) == serial.told
        assert _facts(conn, here) == serial.facts
        rows.consistent(conn)
        _end(conn, here)


@dataclass(frozen=True)
class Serial:
    """What comes of two moves, one after the other."""

    told: Any
    facts: Any


ALONE: dict[tuple[str, str], Serial] = {}
"""What comes of a move that meets nobody: the same for every rival that is rolled back."""


def _one_after_the_other(conn: Any, make: Callable[[Any], Scene], first: Move, second: Move) -> Serial:
    here = make(conn)
    outcome_of(lambda: first(conn, here))
    told = _told(outcome_of(lambda: second(conn, here)))
    facts = _facts(conn, here)
    _end(conn, here)
    return Serial(told, facts)


def _nothing(conn: Any, scene: Scene) -> None:
    """A move that was rolled back."""


def _end(conn: Any, scene: Scene) -> None:
    """Put a run out of the way of the next."""
    conn.execute("UPDATE run SET agent = 'over' WHERE id = %s", (scene.run_id,))


def _told(outcome: Any) -> Any:
    """What the caller is told, without ids and hours."""
    match outcome:
        case Conflict():
            return ("conflict", outcome.stands, str(outcome))
        case Claim():
            return ("claimed", outcome.epoch)
        case LeaseLost() | ledger.Begun() | UUID():
            return type(outcome).__name__
        case [*moved] if all(isinstance(m, Moved) for m in moved):
            return sorted((m.event, m.status, m.approver, m.level, m.wakes) for m in moved)
        case _ if isinstance(now := getattr(outcome, "now", None), Standing):
            why = getattr(outcome, "why", None)
            told = (now.status, now.votes_left, now.approver, now.level, now.decided_by, now.reason, now.run_status)
            return (type(outcome).__name__, why, *told, now.decided_at is None)
        case _:
            return outcome


def _facts(conn: Any, scene: Scene) -> Any:
    """All that holds of a run, without ids and hours; the record counts each move once."""
    assert isinstance(events.verify(conn, scene.run_id), events.Verified)
    run = runs.get(conn, scene.run_id)
    order = {pause_id: n for n, pause_id in enumerate(run.pauses)}
    held = [pauses.get(conn, pause_id) for pause_id in run.pauses]
    record = [
        (e.seq, e.entity, e.from_status, e.event, e.to_status, e.actor) for e in events.of_run(conn, scene.run_id)
    ]
    return (
        (run.status, run.hold, run.cancel_wanted, run.waiting_pauses, run.seq, run.error),
        [(order[p.id], p.status, p.version, p.level, p.approver, p.voters, p.decided_by, p.reason) for p in held],
        [(e.status, e.receipt, e.error, e.attempts) for e in ledger.of_run(conn, scene.run_id)],
        _attempts(conn, scene),
        sorted(record),
    )


def _attempts(conn: Any, scene: Scene) -> list[tuple[str, int]]:
    found: list[tuple[str, int]] = conn.execute(
        "SELECT a.status, a.tries FROM effect_attempt a JOIN effect e ON e.id = a.effect_id WHERE e.run_id = %s ORDER BY a.started_at, a.id",
        (scene.run_id,),
    ).fetchall()
    return found


# ------------------------------------------------------------------------------------------------------- told in a word


def test_a_click_that_waited_for_another_click_names_the_winner(conn: Any, crew: Crew) -> None:
    here = scenes.waiting(conn)
    late = crew.meet(here, scenes.deny, scenes.approve, skips=False, commits=True)
    assert isinstance(late, AlreadySettled)
    assert (late.now.status, late.now.decided_by, late.now.reason) == ("denied", "marta", "Too dear.")
    assert late.now.decided_at is not None
    assert late.now.decided_at < late.now.at


def test_a_click_that_waited_for_an_escalation_names_the_new_approver(conn: Any, crew: Crew) -> None:
    here = scenes.waiting(conn)
    late = crew.meet(here, scenes.escalate, scenes.approve_other, skips=False, commits=True)
    assert isinstance(late, NotYours)
    assert (late.now.approver, late.now.level) == ("person:otto", 1)


def test_a_click_wins_when_the_one_before_it_is_rolled_back(conn: Any, crew: Crew) -> None:
    here = scenes.waiting(conn)
    won = crew.meet(here, scenes.deny, scenes.approve, skips=False, commits=False)
    assert isinstance(won, Decided)
    assert (won.now.status, pauses.get(conn, here.pauses[0]).version) == ("approved", 2)


def test_a_withdrawal_of_a_run_takes_along_what_it_asked_at_that_moment(conn: Any, crew: Crew) -> None:
    claim = rows.claimed(conn)
    rows.replied(conn, claim)
    ask = rows.asked(conn, claim)
    here = Scene(run_id=claim.id, pauses=(ask.id,), claim=claim)
    told = crew.meet(here, lambda on, _: runs.ask(on, claim, [ask]), scenes.cancel, skips=False, commits=True)
    assert told == "cancelled"
    assert pauses.get(conn, ask.id).status == "cancelled"
    rows.consistent(conn)


def test_a_hold_that_meets_the_first_question_is_noted(conn: Any, crew: Crew) -> None:
    claim = rows.claimed(conn)
    rows.replied(conn, claim)
    ask = rows.asked(conn, claim)
    here = Scene(run_id=claim.id, pauses=(ask.id,), claim=claim)
    told = crew.meet(here, lambda on, _: runs.ask(on, claim, [ask]), scenes.hold, skips=False, commits=True)
    assert told == "awaiting_approval"


@pytest.mark.parametrize("verb", [scenes.begin, scenes.replace])
def test_a_worker_that_raced_itself_would_still_call_once(conn: Any, crew: Crew, verb: Move) -> None:
    here = scenes.approved(conn) if verb is scenes.begin else scenes.begun(conn)
    with pytest.raises(psycopg.errors.UniqueViolation):
        crew.meet(here, verb, verb, skips=False, commits=True)
    assert [status for status, _ in _attempts(conn, here)].count("open") == 1


def test_two_launches_with_one_key_launch_once(conn: Any, crew: Crew) -> None:
    what = replace(rows.LAUNCH, launch_key="order-1")

    def launch(on: Any, _: Scene) -> tuple[UUID, bool]:
        return runs.launch(on, what, actor="priya", surface="tests")

    with crew.a.transaction():
        first, new = launch(crew.a, _NOWHERE)
        running = crew.threads.submit(launch, crew.b, _NOWHERE)
        until_it_waits(crew.watcher, crew.b, running)
    assert new
    assert running.result(timeout=10) == (first, False)
    assert [line.id for line in runs.listed(conn)] == [first]


def test_a_launch_whose_rival_is_rolled_back_launches(conn: Any, crew: Crew) -> None:
    what = replace(rows.LAUNCH, launch_key="order-1")
    with crew.a.transaction(force_rollback=True):
        runs.launch(crew.a, what, actor="priya", surface="tests")
        running = crew.threads.submit(runs.launch, crew.b, what, actor="priya", surface="tests")
        until_it_waits(crew.watcher, crew.b, running)
    run_id, new = running.result(timeout=10)
    assert new
    assert [line.id for line in runs.listed(conn)] == [run_id]


_NOWHERE = Scene(run_id=UUID(int=1), pauses=(), claim=Claim(id=UUID(int=1), epoch=0, agent=""))


def test_two_sweeps_share_the_runs_that_are_due(conn: Any, crew: Crew) -> None:
    here, there = scenes.waiting(conn), scenes.waiting(conn)
    steps = [pauses.NextStep(pause_id=s.pauses[1], level=0, next=None) for s in (here, there)]
    with crew.a.transaction():
        mine = pauses.settle_due(crew.a, steps[:1], surface="sweep")
        theirs = pauses.settle_due(crew.b, steps, surface="sweep")
    assert {m.run_id for m in mine} == {here.run_id}
    assert {m.run_id for m in theirs} == {there.run_id}
    assert pauses.settle_due(conn, steps, surface="sweep") == []
    rows.consistent(conn)


def test_two_workers_never_get_the_same_run(conn: Any, crew: Crew) -> None:
    first, second = rows.launched(conn), rows.launched(conn)
    with crew.a.transaction():
        mine, theirs = scenes.claim(crew.a, _NOWHERE), scenes.claim(crew.b, _NOWHERE)
        assert scenes.claim(crew.b, _NOWHERE) is None
    assert (mine.id, theirs.id) == (first, second)
