"""The hot queries read what they need and no more: the planner, left to itself, takes their partial indexes."""

import json
from collections.abc import Iterator
from typing import Any

import psycopg
import pytest

import sql
from tests import database, rows

SETTLED, WAITING = 4000, 400

COPY_RUNS = """
    CREATE TEMP TABLE made AS SELECT gen_random_uuid() AS run, gen_random_uuid() AS pause, i, i <= %(waiting)s AS live
      FROM generate_series(1, %(all)s) i;
    INSERT INTO run SELECT (jsonb_populate_record(r, jsonb_build_object('id', m.run, 'root', m.run, 'launch_key', NULL,
           'status', CASE WHEN NOT m.live THEN 'done' WHEN m.i %% 2 = 0 THEN 'queued' ELSE 'awaiting_approval' END,
           'queued_at', CASE WHEN m.live AND m.i %% 2 = 0 THEN clock_timestamp() END))).*
      FROM made m, run r WHERE r.id = %(run)s;
    INSERT INTO run_call SELECT (jsonb_populate_record(c, jsonb_build_object('run_id', m.run))).* FROM made m, run_call c WHERE c.run_id = %(run)s;
    INSERT INTO run_pause SELECT (jsonb_populate_record(p, jsonb_build_object('id', m.pause, 'run_id', m.run,
           'status', CASE WHEN m.live THEN 'waiting' ELSE 'denied' END, 'decided_at', CASE WHEN NOT m.live THEN clock_timestamp() END,
           'fire_at', clock_timestamp() + (m.i - 20) * interval '1 minute'))).*
      FROM made m, run_pause p WHERE p.run_id = %(run)s;
    INSERT INTO pause_content SELECT m.pause, digest, fingerprint, document, seal FROM made m, pause_content c WHERE c.pause_id = %(pause)s;
    INSERT INTO card (id, pause_id, wanted, painted, level, kind, dest)
      SELECT gen_random_uuid(), m.pause, 2, CASE WHEN m.i <= 20 THEN 1 ELSE 2 END, 0, 'approver', 'channel:C0BUY' FROM made m;
    DROP TABLE made;
"""


@pytest.fixture(scope="module")
def crowded(server: str) -> Iterator[Any]:
    """A database where thousands were settled, hundreds wait, and a few are due or unpainted.

    One of its own: in that of the other tests the indexes are swollen by what was deleted, and a scan of the table may be right.
    """
    url = database.migrated(server, "placet_crowded")
    database.empty(url)
    with database.connect(url) as conn:
        [pause_id] = rows.waiting(conn)
        [(run_id,)] = conn.execute("SELECT run_id FROM run_pause").fetchall()
        made = {"run": run_id, "pause": pause_id, "waiting": WAITING, "all": SETTLED + WAITING}
        with database.connect(url) as literal:
            literal.cursor_factory = psycopg.ClientCursor  # several statements at once
            literal.execute(COPY_RUNS, made)
        conn.execute("VACUUM ANALYZE")
        yield conn


def _nodes(plan: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield plan
    for inner in plan.get("Plans", ()):
        yield from _nodes(inner)


def _plan(conn: Any, name: str, **params: Any) -> list[dict[str, Any]]:
    [[plan]] = conn.execute(f"EXPLAIN (FORMAT JSON) {sql.QUERIES[name].text}", params).fetchone()
    return list(_nodes((json.loads(plan) if isinstance(plan, str) else plan)["Plan"]))


HOT: dict[str, tuple[str, str, dict[str, Any]]] = {
    "due_pauses": ("run_pause_due", "run_pause", {"limit": 100, "back_s": 120}),
    "waiting_pauses": ("run_pause_due", "run_pause", {"person": None, "role": None, "asked_by": None, "limit": 20, "offset": 0}),
    "claim_run": ("run_queued", "run", {"agents": ["procurement"], "lease_s": 60, "worker": "w1"}),
    "claim_cards": ("card_due", "card", {"limit": 10, "lease_s": 60, "posts": True, "edits": True, "directs": True}),
    "reclaim_run": ("run_pkey", "run", {"agents": ["procurement"], "lease_s": 60, "worker": "w1"}),
    "decide_pause": (
        "run_pkey", "run",
        {"pause_id": "00000000-0000-0000-0000-000000000001", "actor": "marta", "verdict": "deny", "reason": "", "shown": "", "altered": False, "surface": "x",
         "seal": None, "typed": ""},
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", HOT)
def test_a_hot_query_takes_its_index_and_scans_no_table(crowded: Any, name: str) -> None:
    index, table, params = HOT[name]
    nodes = _plan(crowded, name, **params)
    assert index in {node.get("Index Name") for node in nodes}
    assert [n["Node Type"] for n in nodes if n.get("Relation Name") == table and n["Node Type"] == "Seq Scan"] == []


@pytest.mark.parametrize("name", ["due_pauses", "claim_run", "claim_cards"])
def test_the_indexes_of_what_is_to_be_done_hold_only_that(crowded: Any, name: str) -> None:
    index = HOT[name][0]
    assert "WHERE" in crowded.execute("SELECT indexdef FROM pg_indexes WHERE indexname = %s", (index,)).fetchone()[0]
    entries = crowded.execute("SELECT reltuples FROM pg_class WHERE relname = %s", (index,)).fetchone()[0]
    assert 0 < entries <= WAITING + 10
