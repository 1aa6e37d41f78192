"""Moves that meet on one run, really interleaved: whoever comes second does as if it had come second.

A makes its move in an open transaction; B makes its own from another connection and is seen to wait for A (or, if it skips what others
hold, to find nothing). Then A commits, or rolls back. What B is told, and all rows, must be what they are when the two moves are made
one after the other: no third outcome exists.
"""

import itertools
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, replace
from typing import Any
from uuid import UUID

import psycopg
import pytest

from engine.errors import Conflict, LeaseLost
from engine.models import AlreadySettled, Claim, Decided, Moved, NotYours, Standing
from engine.state import events, ledger, pauses, runs
from tests import database, rows


@dataclass(frozen=True, kw_only=True)
class Scene:
    """A run where several moves may meet."""

    run_id: UUID
    pauses: tuple[UUID, ...]
    claim: Claim
    effect: ledger.Begun | None = None


Move = Callable[[Any, Scene], Any]
SKIPS = {"expire", "escalate", "expire_all", "claim"}  # these take what nobody holds


def _waiting(conn: Any) -> Scene:
    """Two pauses wait, the second of which is due."""
    first, second = rows.waiting(conn, 2)
    rows.make_due(conn, second)
    run_id = pauses.get(conn, first).run_id
    return Scene(run_id=run_id, pauses=(first, second), claim=Claim(id=run_id, epoch=1, agent="procurement"))


def _siblings(conn: Any) -> Scene:
    """Two pauses wait, and there is time for both."""
    first, second = rows.waiting(conn, 2)
    run_id = pauses.get(conn, first).run_id
    return Scene(run_id=run_id, pauses=(first, second), claim=Claim(id=run_id, epoch=1, agent="procurement"))


def _quorum(conn: Any) -> Scene:
    """A pause needs two of the role."""
    [only] = rows.waiting(conn, approver="role:finance-approver", need=rows.QUORUM)
    run_id = pauses.get(conn, only).run_id
    return Scene(run_id=run_id, pauses=(only,), claim=Claim(id=run_id, epoch=1, agent="procurement"))


def _approved(conn: Any) -> Scene:
    """A worker that may be lost has the run again; both pauses are approved."""
    claim, pause_ids = rows.approved(conn, 2)
    rows.lose_lease(conn, claim.id)
    return Scene(run_id=claim.id, pauses=tuple(pause_ids), claim=claim)


def _begun(conn: Any) -> Scene:
    """A call is under way, past its deadline, by a worker that may be lost."""
    claim, pause_ids, effect = rows.begun(conn, 2)
    rows.lose_lease(conn, claim.id)
    rows.end_call(conn, effect.attempt_id)
    return Scene(run_id=claim.id, pauses=tuple(pause_ids), claim=claim, effect=effect)


def _approve(conn: Any, scene: Scene) -> Any:
    return pauses.approve(conn, scene.pauses[0], "marta", surface="tests")


def _approve_other(conn: Any, scene: Scene) -> Any:
    return pauses.approve(conn, scene.pauses[1], "marta", surface="tests")


def _deny_other(conn: Any, scene: Scene) -> Any:
    return pauses.deny(conn, scene.pauses[1], "marta", surface="tests")


def _approve_too(conn: Any, scene: Scene) -> Any:
    return pauses.approve(conn, scene.pauses[0], "ines", surface="tests")


def _deny_too(conn: Any, scene: Scene) -> Any:
    return pauses.deny(conn, scene.pauses[0], "ines", surface="tests")


def _deny(conn: Any, scene: Scene) -> Any:
    return pauses.deny(conn, scene.pauses[0], "marta", surface="tests", reason="Too dear.")


def _withdraw(conn: Any, scene: Scene) -> Any:
    return pauses.withdraw(conn, scene.pauses[0], "priya", surface="tests")


def _withdraw_other(conn: Any, scene: Scene) -> Any:
    return pauses.withdraw(conn, scene.pauses[1], "priya", surface="tests")


def _expire(conn: Any, scene: Scene) -> Any:
    return pauses.settle_due(conn, [pauses.NextStep(pause_id=scene.pauses[1], level=0, next=None)], surface="tests")


def _escalate(conn: Any, scene: Scene) -> Any:
    step = pauses.NextStep(pause_id=scene.pauses[1], level=0, next="person:otto", within_s=60, dests=("person:otto",))
    return pauses.settle_due(conn, [step], surface="tests")


def _cancel(conn: Any, scene: Scene) -> Any:
    return runs.cancel(conn, scene.run_id, actor="priya", person="priya", surface="tests")


def _hold(conn: Any, scene: Scene) -> Any:
    return runs.hold(conn, scene.run_id, actor="otto", surface="tests")


def _resume(conn: Any, scene: Scene) -> Any:
    return runs.resume(conn, scene.run_id, actor="otto", surface="tests")


def _claim(conn: Any, scene: Scene) -> Any:
    return runs.claim(conn, "w2", ["procurement"], lease_s=60)


def _begin(conn: Any, scene: Scene) -> Any:
    return ledger.begin(conn, scene.claim, rows.intent(scene.run_id, scene.pauses[0]), lease_s=60)


def _release(conn: Any, scene: Scene) -> Any:
    return runs.release(conn, scene.claim, "w1")


def _save(conn: Any, scene: Scene) -> Any:
    return runs.save_results(conn, scene.claim, {1: rows.PAID})


def _ask(conn: Any, scene: Scene) -> Any:
    return runs.ask(
        conn, scene.claim, [rows.asked(conn, scene.claim)], superseded=[scene.pauses[0]], reason="The price moved."
    )


def _void(conn: Any, scene: Scene) -> Any:
    return runs.void(conn, scene.claim, [scene.pauses[0]], "The grant is gone.")


def _fail(conn: Any, scene: Scene) -> Any:
    return runs.fail(conn, scene.claim, "It cannot go on.")


def _settle(verdict: ledger.Verdict) -> Move:
    def move(conn: Any, scene: Scene) -> Any:
        assert scene.effect is not None
        result = None if verdict == "doubt" else rows.PAID
        return ledger.settle(conn, scene.effect.attempt_id, verdict, receipt={"id": verdict}, result=result)

    return move


def _repeat(conn: Any, scene: Scene) -> Any:
    assert scene.effect is not None
    return ledger.repeat(conn, scene.claim, scene.effect.attempt_id, call_s=20, lease_s=60)


def _replace(conn: Any, scene: Scene) -> Any:
    assert scene.effect is not None
    return ledger.replace(conn, scene.claim, scene.effect.effect_id, call_s=20, lease_s=60)


def _resolve(answer: Any) -> Move:
    def move(conn: Any, scene: Scene) -> Any:
        assert scene.effect is not None
        return ledger.resolve(conn, scene.effect.effect_id, answer, actor="ines", surface="tests", reference="pi_7")

    return move


SCENES: Mapping[str, tuple[Callable[[Any], Scene], Mapping[str, Move]]] = {
    "waiting": (_waiting, {
        "approve": _approve, "approve_due": _approve_other, "deny": _deny, "withdraw": _withdraw, "expire": _expire,
        "escalate": _escalate, "cancel": _cancel, "hold": _hold, "resume": _resume,
    }),
    "siblings": (_siblings, {
        "approve": _approve, "approve_other": _approve_other, "deny": _deny, "deny_other": _deny_other, "withdraw": _withdraw,
    }),
    "quorum": (_quorum, {"marta": _approve, "ines": _approve_too, "ines_denies": _deny_too, "withdraw": _withdraw}),
    "approved": (_approved, {
        "claim": _claim, "begin": _begin, "withdraw": _withdraw, "withdraw_other": _withdraw_other, "cancel": _cancel, "hold": _hold, "release": _release,
        "save": _save, "ask": _ask, "void": _void, "fail": _fail,
    }),
    "begun": (_begun, {
        "claim": _claim, "succeed": _settle("succeed"), "doubt": _settle("doubt"), "cancel": _cancel, "hold": _hold,
        "withdraw": _withdraw, "repeat": _repeat, "replace": _replace, "retry": _resolve("retry"), "happened": _resolve("happened"),
    }),
}  # fmt: skip
PAIRS = [
    (scene, a, b)
    for scene, (_, moves) in SCENES.items()
    for a, b in itertools.product(moves, repeat=2)
    if (a, b)
    not in (("begin", "begin"), ("replace", "replace"))  # a worker does not race itself; below, what if it did
]


@pytest.mark.parametrize(("scene", "first", "second"), PAIRS)
def test_two_moves_on_one_run_are_as_if_one_came_after_the_other(
    conn: Any, crew: "Crew", scene: str, first: str, second: str
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
    _outcome(lambda: first(conn, here))
    told = _told(_outcome(lambda: second(conn, here)))
    facts = _facts(conn, here)
    _end(conn, here)
    return Serial(told, facts)


def _nothing(conn: Any, scene: Scene) -> None:
    """A move that was rolled back."""


def _end(conn: Any, scene: Scene) -> None:
    """Put a run out of the way of the next."""
    conn.execute("UPDATE run SET agent = 'over' WHERE id = %s", (scene.run_id,))


def _outcome(verb: Callable[[], Any]) -> Any:
    """What a move says, or the refusal it raises."""
    try:
        return verb()
    except (Conflict, LeaseLost) as refusal:
        return refusal


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


# -------------------------------------------------------------------------------------------------------- two connections


class Crew:
    """Two connections that meet on a run, and one that watches them."""

    def __init__(self, a: Any, b: Any, watcher: Any, threads: ThreadPoolExecutor) -> None:
        self.a, self.b, self.watcher, self.threads = a, b, watcher, threads

    def meet(self, scene: Scene, first: Move, second: Move, *, skips: bool, commits: bool) -> Any:
        """What the second move says, which began while the first was open; `commits`: whether the first one holds."""
        with self.a.transaction(force_rollback=not commits):
            _outcome(lambda: first(self.a, scene))
            held = self._held(scene)
            running = self.threads.submit(lambda: _outcome(lambda: second(self.b, scene)))
            if held and not skips:
                self.until_it_waits(running)
            else:
                met = running.result(timeout=10)
                assert not held or met in (None, [])
        if held and skips:
            return _outcome(lambda: second(self.b, scene))  # the next sweep
        return running.result(timeout=10)

    def _held(self, scene: Scene) -> bool:
        found = self.watcher.execute("SELECT FROM run WHERE id = %s FOR UPDATE SKIP LOCKED", (scene.run_id,)).fetchone()
        return found is None

    def until_it_waits(self, running: Future[Any]) -> None:
        """Return when B is seen to wait for a lock; fail if it ends instead."""
        seen = "SELECT wait_event_type = 'Lock' FROM pg_stat_activity WHERE pid = %s"
        while self.watcher.execute(seen, (self.b.info.backend_pid,)).fetchone() != (True,):
            if wait([running], timeout=0.001, return_when=FIRST_COMPLETED).done:
                pytest.fail(f"it did not wait: {running.result()}")


@pytest.fixture(scope="module")
def crew(migrated: str) -> Iterator[Crew]:
    with (
        database.connect(migrated) as a, database.connect(migrated) as b, database.connect(migrated) as watcher,
        ThreadPoolExecutor(1) as threads,
    ):  # fmt: skip
        yield Crew(a, b, watcher, threads)


# ------------------------------------------------------------------------------------------------------- told in a word


def test_a_click_that_waited_for_another_click_names_the_winner(conn: Any, crew: Crew) -> None:
    here = _waiting(conn)
    late = crew.meet(here, _deny, _approve, skips=False, commits=True)
    assert isinstance(late, AlreadySettled)
    assert (late.now.status, late.now.decided_by, late.now.reason) == ("denied", "marta", "Too dear.")
    assert late.now.decided_at is not None
    assert late.now.decided_at < late.now.at


def test_a_click_that_waited_for_an_escalation_names_the_new_approver(conn: Any, crew: Crew) -> None:
    here = _waiting(conn)
    late = crew.meet(here, _escalate, _approve_other, skips=False, commits=True)
    assert isinstance(late, NotYours)
    assert (late.now.approver, late.now.level) == ("person:otto", 1)


def test_a_click_wins_when_the_one_before_it_is_rolled_back(conn: Any, crew: Crew) -> None:
    here = _waiting(conn)
    won = crew.meet(here, _deny, _approve, skips=False, commits=False)
    assert isinstance(won, Decided)
    assert (won.now.status, pauses.get(conn, here.pauses[0]).version) == ("approved", 2)


def test_a_withdrawal_of_a_run_takes_along_what_it_asked_at_that_moment(conn: Any, crew: Crew) -> None:
    claim = rows.claimed(conn)
    rows.replied(conn, claim)
    ask = rows.asked(conn, claim)
    here = Scene(run_id=claim.id, pauses=(ask.id,), claim=claim)
    told = crew.meet(here, lambda on, _: runs.ask(on, claim, [ask]), _cancel, skips=False, commits=True)
    assert told == "cancelled"
    assert pauses.get(conn, ask.id).status == "cancelled"
    rows.consistent(conn)


def test_a_hold_that_meets_the_first_question_is_noted(conn: Any, crew: Crew) -> None:
    claim = rows.claimed(conn)
    rows.replied(conn, claim)
    ask = rows.asked(conn, claim)
    here = Scene(run_id=claim.id, pauses=(ask.id,), claim=claim)
    told = crew.meet(here, lambda on, _: runs.ask(on, claim, [ask]), _hold, skips=False, commits=True)
    assert told == "awaiting_approval"


@pytest.mark.parametrize("verb", [_begin, _replace])
def test_a_worker_that_raced_itself_would_still_call_once(conn: Any, crew: Crew, verb: Move) -> None:
    here = _approved(conn) if verb is _begin else _begun(conn)
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
        crew.until_it_waits(running)
    assert new
    assert running.result(timeout=10) == (first, False)
    assert [line.id for line in runs.listed(conn)] == [first]


def test_a_launch_whose_rival_is_rolled_back_launches(conn: Any, crew: Crew) -> None:
    what = replace(rows.LAUNCH, launch_key="order-1")
    with crew.a.transaction(force_rollback=True):
        runs.launch(crew.a, what, actor="priya", surface="tests")
        running = crew.threads.submit(runs.launch, crew.b, what, actor="priya", surface="tests")
        crew.until_it_waits(running)
    run_id, new = running.result(timeout=10)
    assert new
    assert [line.id for line in runs.listed(conn)] == [run_id]


_NOWHERE = Scene(run_id=UUID(int=1), pauses=(), claim=Claim(id=UUID(int=1), epoch=0, agent=""))


def test_two_sweeps_share_the_runs_that_are_due(conn: Any, crew: Crew) -> None:
    here, there = _waiting(conn), _waiting(conn)
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
        mine, theirs = _claim(crew.a, _NOWHERE), _claim(crew.b, _NOWHERE)
        assert _claim(crew.b, _NOWHERE) is None
    assert (mine.id, theirs.id) == (first, second)
