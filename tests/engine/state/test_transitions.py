"""The edge table against the machine: every status with every event, and what moves is exactly what transitions.sql lists.

Each event is tried through every verb that can cause it. The rows are made by the verbs; the status under test is then set by hand,
keeping the CHECKs, so that also the places where no caller should ever stand are tried.
"""

from collections.abc import Mapping
from typing import Any, get_args
from uuid import UUID

import pytest

from engine.errors import Conflict, LeaseLost
from engine.models import EffectStatus, PauseStatus, RunStatus
from engine.state import pauses
from tests.edges import EDGES
from tests.engine.state.trials import EFFECT_TRIALS, PAUSE_TRIALS, RUN_TRIALS, Stage

pytestmark = pytest.mark.usefixtures("by_hand")

RUN_STATUSES, PAUSE_STATUSES, EFFECT_STATUSES = get_args(RunStatus), get_args(PauseStatus), get_args(EffectStatus)


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
        " votes_left = CASE WHEN %(status)s IN ('approved', 'answered', 'executed') THEN 0 WHEN %(status)s = 'denied' THEN 1 ELSE votes_left END"
        " WHERE id = %(id)s",
        {"status": status, "id": pause_id},
    )


# --------------------------------------------------------------------------------------------------------------- effects


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
