"""The edge table against the machine: every status with every event, and what moves is exactly what transitions.sql lists.

Each event is tried through every verb that can cause it. The rows are made by the verbs; the status under test is then set by hand,
keeping the CHECKs, so that also the places where no caller should ever stand are tried.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, get_args
from uuid import UUID

import pytest

from engine.errors import Conflict, LeaseLost
from engine.models import Claim, EffectStatus, PauseStatus, RunStatus
from engine.state import ledger, pauses, runs
from tests import rows
from tests.edges import EDGES

RUN_STATUSES, PAUSE_STATUSES, EFFECT_STATUSES = get_args(RunStatus), get_args(PauseStatus), get_args(EffectStatus)


@dataclass(frozen=True)
class Stage:
    """A row to be put into a status, and a verb to be tried on it then."""

    entity_id: UUID
    run_id: UUID
    verb: Callable[[], Any]


Trial = Callable[[Any], Stage]


# ------------------------------------------------------------------------------------------------------------------ runs


def _worker(verb: Callable[[Any, Claim], Any], setting: str = "") -> Trial:
    """A verb of the worker that has the run; `setting` is put on the run's row before."""

    def stage(conn: Any) -> Stage:
        claim = rows.claimed(conn)
        rows.replied(conn, claim)
        _set(conn, claim.id, setting)
        return Stage(claim.id, claim.id, lambda: verb(conn, claim))

    return stage


def _operator(verb: Callable[[Any, UUID], Any], *, effect: bool = False, setting: str = "") -> Trial:
    """A verb of an operator, on a run with or without an open effect."""

    def stage(conn: Any) -> Stage:
        claim = rows.begun(conn)[0] if effect else rows.claimed(conn)
        _set(conn, claim.id, setting)
        return Stage(claim.id, claim.id, lambda: verb(conn, claim.id))

    return stage


def _decider(verb: Callable[[Any, UUID], Any], *, due: bool = False) -> Trial:
    """A verb that settles the only pause of a run that waits."""

    def stage(conn: Any) -> Stage:
        [pause_id] = rows.waiting(conn)
        if due:
            rows.make_due(conn, pause_id)
        run_id = pauses.get(conn, pause_id).run_id
        return Stage(run_id, run_id, lambda: verb(conn, pause_id))

    return stage


def _settler(verdict: ledger.Verdict, *, doubted: bool = False, setting: str = "") -> Trial:
    """What came of a call is told."""

    def stage(conn: Any) -> Stage:
        claim, _, effect = rows.doubted(conn) if doubted else rows.begun(conn)
        _set(conn, claim.id, setting)
        result = None if verdict == "doubt" else rows.PAID
        return Stage(claim.id, claim.id, lambda: ledger.settle(conn, effect.attempt_id, verdict, result=result))

    return stage


def _resolver(answer: Any, setting: str = "") -> Trial:
    """A person says what happened to an effect in doubt."""

    def stage(conn: Any) -> Stage:
        claim, _, effect = rows.doubted(conn)
        _set(conn, claim.id, setting)
        return Stage(
            claim.id, claim.id, lambda: ledger.resolve(conn, effect.effect_id, answer, actor="marta", surface="tests")
        )

    return stage


def _launch_again(conn: Any) -> Stage:
    run_id = rows.launched(conn, launch_key="order-1")
    again = replace(rows.LAUNCH, launch_key="order-1")
    return Stage(run_id, run_id, lambda: runs.launch(conn, again, actor="priya", surface="tests")[1])


def _claim(conn: Any) -> Stage:
    claim = rows.claimed(conn)
    rows.lose_lease(conn, claim.id)
    return Stage(claim.id, claim.id, lambda: runs.claim(conn, "w2", ["procurement"], lease_s=60))


def _set(conn: Any, run_id: UUID, setting: str) -> None:
    if setting:
        conn.execute(f"UPDATE run SET {setting} WHERE id = %s", (run_id,))


def _save_reply(conn: Any, claim: Claim) -> None:
    runs.save_reply(conn, claim, [rows.REPLY], [], tokens=0, cost_micros=0)


def _save_results(conn: Any, claim: Claim) -> None:
    runs.save_results(conn, claim, {0: rows.PAID})


def _ask(conn: Any, claim: Claim) -> None:
    runs.ask(conn, claim, [rows.asked(conn, claim)])


def _release(conn: Any, claim: Claim) -> bool:
    return runs.release(conn, claim, "w1")


def _finish(conn: Any, claim: Claim) -> None:
    runs.finish(conn, claim, "Paid.", runs.LastWords())


def _fail(conn: Any, claim: Claim) -> None:
    runs.fail(conn, claim, "It cannot go on.")


def _void(conn: Any, claim: Claim) -> None:
    runs.void(conn, claim, [], "The grant is gone.")


def _hold(conn: Any, run_id: UUID) -> str:
    return runs.hold(conn, run_id, actor="otto", surface="tests")


def _resume(conn: Any, run_id: UUID) -> str:
    return runs.resume(conn, run_id, actor="otto", surface="tests")


def _cancel(conn: Any, run_id: UUID) -> str:
    return runs.cancel(conn, run_id, actor="priya", person="priya", surface="tests")


def _approve(conn: Any, pause_id: UUID) -> Any:
    return pauses.approve(conn, pause_id, "marta", surface="tests")


def _deny(conn: Any, pause_id: UUID) -> Any:
    return pauses.deny(conn, pause_id, "marta", surface="tests")


def _withdraw(conn: Any, pause_id: UUID) -> Any:
    return pauses.withdraw(conn, pause_id, "priya", surface="tests")


def _expire(conn: Any, pause_id: UUID) -> Any:
    return pauses.settle_due(conn, [pauses.NextStep(pause_id=pause_id, level=0, next=None)], surface="tests")


def _escalate(conn: Any, pause_id: UUID) -> Any:
    step = pauses.NextStep(pause_id=pause_id, level=0, next="person:otto", within_s=60, dests=("person:otto",))
    return pauses.settle_due(conn, [step], surface="tests")


RUN_TRIALS: Mapping[str, tuple[Trial, ...]] = {
    "launch": (_launch_again,),
    "claim": (_claim,),
    "release": (_worker(_release),),
    "ask": (_worker(_ask),),
    "wake": (_decider(_approve), _decider(_deny), _decider(_withdraw), _decider(_expire, due=True)),
    "hold": (
        _operator(_hold), _worker(_save_reply, "hold = true"), _worker(_save_results, "hold = true"), _worker(_release, "hold = true"),
        _settler("succeed", setting="hold = true"), _settler("fail", setting="hold = true"),
    ),
    "note_hold": (_operator(_hold), _operator(_hold, effect=True)),
    "resume": (_operator(_resume, setting="hold = true"),),
    "doubt": (_settler("doubt"),),
    "resolve": (_resolver("happened"), _resolver("retry"), _settler("succeed", doubted=True), _settler("fail", doubted=True)),
    "stop": (_resolver("stop"),),
    "finish": (_worker(_finish),),
    "fail": (_worker(_fail), _worker(_void)),
    "cancel": (
        _operator(_cancel), _settler("succeed", setting="cancel_wanted = true"), _settler("fail", setting="cancel_wanted = true"),
        _settler("succeed", doubted=True, setting="cancel_wanted = true"), _resolver("happened", "cancel_wanted = true"), _resolver("retry", "cancel_wanted = true"),
    ),
    "note_cancel": (_operator(_cancel, effect=True),),
}  # fmt: skip


# Legal, and no verb leads there yet: nothing starts a run for a run, and a run with a pause that waits is never a worker's.
NOT_YET = {("run", "awaiting_child", "wake"), ("pause", "waiting", "supersede")}
# Where no row can stand: a run with an open effect does not wait, and the pause of an effect is decided.
NOWHERE = {
    ("run", "awaiting_approval", "note_cancel"), ("run", "awaiting_child", "note_cancel"),
    ("pause", "waiting", "supersede"), ("pause", "waiting", "execute"), ("pause", "waiting", "fail"),
}  # fmt: skip


def _tries(entity: str, trials: Mapping[str, object], statuses: tuple[str, ...]) -> list[tuple[str, str]]:
    return [(event, status) for event in trials for status in statuses if (entity, status, event) not in NOWHERE]


def _legal(entity: str, status: str, event: str) -> set[str]:
    """Where the edge leads, as far as there is a verb for it."""
    if (entity, status, event) in NOT_YET:
        return set()
    return {to for of, came, name, to in EDGES if (of, came, name) == (entity, status, event)}


@pytest.mark.parametrize(("event", "status"), _tries("run", RUN_TRIALS, RUN_STATUSES))
def test_a_run_moves_exactly_where_an_edge_leads(conn: Any, event: str, status: str) -> None:
    reached: set[str] = set()
    for trial in RUN_TRIALS[event]:
        for held in (False, True) if event in ("wake", "resolve") else (False,):
            stage = trial(conn)
            _force_run(conn, stage.run_id, status, hold=held)
            moves, now = _try(conn, stage, "run", status)
            reached |= {to for name, to in moves if name == event}
            assert now in ({to for _, to in moves} or {status})
            _end(conn, stage.run_id)
    assert reached == _legal("run", status, event)


def _end(conn: Any, run_id: UUID) -> None:
    """Put a run out of the way of the next."""
    conn.execute("UPDATE run SET queued_at = NULL, status = 'done' WHERE id = %s", (run_id,))


def _force_run(conn: Any, run_id: UUID, status: str, *, hold: bool) -> None:
    """A queued run is never held (holding it pauses it at once), and a paused one always is."""
    conn.execute(
        "UPDATE run SET status = %(status)s, queued_at = CASE WHEN %(status)s = 'queued' THEN clock_timestamp() END,"
        " waiting_pauses = CASE WHEN %(status)s = 'awaiting_approval' THEN 1 ELSE waiting_pauses END,"
        " hold = (hold OR %(hold)s OR %(status)s = 'paused') AND %(status)s <> 'queued' WHERE id = %(run)s",
        {"status": status, "run": run_id, "hold": hold},
    )


# ---------------------------------------------------------------------------------------------------------------- pauses


def _on_pause(verb: Callable[[Any, UUID], Any], *, due: bool = False, quorum: bool = False) -> Trial:
    """A verb on a pause of a run that waits."""

    def stage(conn: Any) -> Stage:
        changes: dict[str, Any] = {"approver": "role:finance-approver", "need": rows.QUORUM} if quorum else {}
        [pause_id] = rows.waiting(conn, **changes)
        if due:
            rows.make_due(conn, pause_id)
        return Stage(pause_id, pauses.get(conn, pause_id).run_id, lambda: verb(conn, pause_id))

    return stage


def _on_sibling(verb: Callable[[Any, UUID], Any], *, due: bool = False) -> Trial:
    """A verb on the other pause of the same turn."""

    def stage(conn: Any) -> Stage:
        mine, other = rows.waiting(conn, 2)
        if due:
            rows.make_due(conn, other)
        return Stage(mine, pauses.get(conn, mine).run_id, lambda: verb(conn, other))

    return stage


def _on_approved(verb: Callable[[Any, Claim, UUID], Any]) -> Trial:
    """A verb of the worker that has the run again, after the approval."""

    def stage(conn: Any) -> Stage:
        claim, [pause_id] = rows.approved(conn)
        return Stage(pause_id, claim.id, lambda: verb(conn, claim, pause_id))

    return stage


def _on_effect(entity: str, verb: Callable[[Any, Claim, ledger.Begun], Any], *, doubted: bool = False) -> Trial:
    """A verb on the effect of an approved pause."""

    def stage(conn: Any) -> Stage:
        claim, [pause_id], effect = rows.doubted(conn) if doubted else rows.begun(conn)
        entity_id = pause_id if entity == "pause" else effect.effect_id
        return Stage(entity_id, claim.id, lambda: verb(conn, claim, effect))

    return stage


def _cancel_run_of(conn: Any, pause_id: UUID) -> str:
    return _cancel(conn, pauses.get(conn, pause_id).run_id)


def _supersede(conn: Any, claim: Claim, pause_id: UUID) -> None:
    runs.ask(conn, claim, [rows.asked(conn, claim)], superseded=[pause_id], reason="The price moved.")


def _void_it(conn: Any, claim: Claim, pause_id: UUID) -> None:
    runs.void(conn, claim, [pause_id], "The grant is gone.")


def _fail_run_of(conn: Any, claim: Claim, _: UUID) -> None:
    _fail(conn, claim)


def _settle(verdict: ledger.Verdict) -> Callable[[Any, Claim, ledger.Begun], Any]:
    result = None if verdict == "doubt" else rows.PAID
    return lambda conn, _, effect: ledger.settle(conn, effect.attempt_id, verdict, result=result)


def _resolve(answer: Any) -> Callable[[Any, Claim, ledger.Begun], Any]:
    return lambda conn, _, effect: ledger.resolve(conn, effect.effect_id, answer, actor="marta", surface="tests")


PAUSE_TRIALS: Mapping[str, tuple[Trial, ...]] = {
    "vote": (_on_pause(_approve, quorum=True),),
    "approve": (_on_pause(_approve),),
    "deny": (_on_pause(_deny), _on_pause(_deny, quorum=True)),
    "escalate": (_on_pause(_escalate, due=True),),
    "expire": (_on_pause(_expire, due=True),),
    "cancel": (
        _on_pause(_withdraw), _on_pause(_cancel_run_of), _on_sibling(_deny), _on_sibling(_withdraw), _on_sibling(_expire, due=True),
        _on_approved(_fail_run_of),
    ),
    "supersede": (_on_approved(_supersede),),
    "void": (_on_approved(_void_it),),
    "execute": (_on_effect("pause", _settle("succeed")), _on_effect("pause", _resolve("happened"), doubted=True)),
    "fail": (_on_effect("pause", _settle("fail")), _on_effect("pause", _resolve("stop"), doubted=True)),
}  # fmt: skip


@pytest.mark.parametrize(("event", "status"), _tries("pause", PAUSE_TRIALS, PAUSE_STATUSES))
def test_a_pause_moves_exactly_where_an_edge_leads(conn: Any, event: str, status: str) -> None:
    reached: set[str] = set()
    for trial in PAUSE_TRIALS[event]:
        stage = trial(conn)
        _force_pause(conn, stage.entity_id, status)
        version = pauses.get(conn, stage.entity_id).version
        moves, now = _try(conn, stage, "pause", status)
        reached |= {to for name, to in moves if name == event}
        assert now in ({to for _, to in moves} or {status})
        assert pauses.get(conn, stage.entity_id).version == version + len(moves)
        _end(conn, stage.run_id)
    assert reached == _legal("pause", status, event)


def _force_pause(conn: Any, pause_id: UUID, status: str) -> None:
    conn.execute(
        "UPDATE run_pause SET status = %(status)s, decided_at = CASE WHEN %(status)s <> 'waiting' THEN clock_timestamp() END,"
        " votes_left = CASE WHEN %(status)s IN ('approved', 'executed') THEN 0 ELSE votes_left END WHERE id = %(id)s",
        {"status": status, "id": pause_id},
    )


# --------------------------------------------------------------------------------------------------------------- effects


def _begin_again(conn: Any, claim: Claim, _: ledger.Begun) -> Any:
    [pause_id] = runs.get(conn, claim.id).pauses
    return ledger.begin(conn, claim, rows.intent(claim.id, pause_id), lease_s=60)


def _repeat(conn: Any, claim: Claim, effect: ledger.Begun) -> str:
    return ledger.repeat(conn, claim, effect.attempt_id, call_s=20, lease_s=60)


def _replace(conn: Any, claim: Claim, effect: ledger.Begun) -> Any:
    rows.end_call(conn, effect.attempt_id)
    return ledger.replace(conn, claim, effect.effect_id, call_s=20, lease_s=60)


EFFECT_TRIALS: Mapping[str, tuple[Trial, ...]] = {
    "attempt": (_on_effect("effect", _begin_again),),
    "repeat": (_on_effect("effect", _repeat),),
    "reattempt": (_on_effect("effect", _replace),),
    "succeed": (_on_effect("effect", _settle("succeed")),),
    "fail": (_on_effect("effect", _settle("fail")),),
    "doubt": (_on_effect("effect", _settle("doubt")),),
    "resolve": (_on_effect("effect", _resolve("happened")),),
    "retry": (_on_effect("effect", _resolve("retry")),),
    "abandon": (_on_effect("effect", _resolve("stop")),),
}
ATTEMPT_OF = {"attempted": "open", "in_doubt": "unknown", "done": "done", "failed": "failed", "abandoned": "unknown"}


@pytest.mark.parametrize(("event", "status"), _tries("effect", EFFECT_TRIALS, EFFECT_STATUSES))
def test_an_effect_moves_exactly_where_an_edge_leads(conn: Any, event: str, status: str) -> None:
    [trial] = EFFECT_TRIALS[event]
    stage = trial(conn)
    _force_effect(conn, stage.entity_id, status)
    moves, now = _try(conn, stage, "effect", status)
    assert {to for name, to in moves if name == event} == _legal("effect", status, event)
    assert [now] == ([to for _, to in moves] or [status])


def _force_effect(conn: Any, effect_id: UUID, status: str) -> None:
    conn.execute(
        "UPDATE effect SET status = %(status)s,"
        " settled_at = CASE WHEN %(status)s IN ('done', 'failed', 'abandoned') THEN clock_timestamp() END WHERE id = %(id)s",
        {"status": status, "id": effect_id},
    )
    conn.execute(
        "UPDATE effect_attempt SET status = %(status)s, ended_at = CASE WHEN %(status)s <> 'open' THEN clock_timestamp() END"
        " WHERE effect_id = %(id)s",
        {"status": ATTEMPT_OF[status], "id": effect_id},
    )


# ------------------------------------------------------------------------------------------------------------ every trial


def _try(conn: Any, stage: Stage, entity: str, status: str) -> tuple[list[tuple[str, str]], str]:
    """Try the verb; the moves (event, to) of this row that are on record since, and its status now.

    If nothing moved at all, the caller was told so or the refused attempt is on record.
    """
    seq = conn.execute("SELECT seq FROM run WHERE id = %s", (stage.run_id,)).fetchone()[0]
    told = False
    try:
        told = stage.verb() in (None, False, [])
    except (Conflict, LeaseLost):
        told = True
    recorded = conn.execute(
        "SELECT entity, entity_id, from_status, event, to_status FROM run_event WHERE run_id = %s AND seq > %s ORDER BY seq, n",
        (stage.run_id, seq),
    ).fetchall()
    assert told or recorded
    moves = [(e[3], e[4]) for e in recorded if (e[0], e[1]) == (entity, str(stage.entity_id)) and e[4] is not None]
    assert all(e[2] == status for e in recorded if (e[0], e[1]) == (entity, str(stage.entity_id)))
    table = {"run": "run", "pause": "run_pause", "effect": "effect"}[entity]
    now = conn.execute(f"SELECT status FROM {table} WHERE id = %s", (stage.entity_id,)).fetchone()[0]
    return moves, now


# -------------------------------------------------------------------------------------------------------------- the table


def test_the_table_of_edges_is_what_transitions_sql_lists(conn: Any) -> None:
    table = conn.execute("SELECT entity, from_status, event, to_status FROM edge").fetchall()
    assert set(table) == set(EDGES)
    assert len(table) == len(EDGES)


def test_every_edge_of_a_run_a_pause_and_an_effect_is_tried_here() -> None:
    tried = {"run": RUN_TRIALS, "pause": PAUSE_TRIALS, "effect": EFFECT_TRIALS}
    events = {(entity, event) for entity, came, event, _ in EDGES if entity in tried and came != "new"}
    assert {(e, n) for e, n in events if n not in tried[e]} == {
        ("run", "delegate")
    }  # no verb starts a run for a run yet


def test_every_edge_starts_and_ends_in_a_status_that_exists() -> None:
    statuses = {"run": RUN_STATUSES, "pause": PAUSE_STATUSES, "effect": EFFECT_STATUSES}
    for entity, came, event, to in EDGES:
        if entity != "system":
            assert came in ("new", *statuses[entity]), event
            assert to in statuses[entity], event
