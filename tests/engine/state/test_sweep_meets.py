"""A sweep that meets a move between its look and its locks: what it could not have seen, it leaves alone."""

import json
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import sql
from tests import database, rows
from tests.engine.state.meeting import until_it_waits
from tests.engine.state.test_sweep import escalate, expire


def test_a_sweep_leaves_a_run_that_moved_after_its_look_so_that_no_card_is_missed(conn: Any, db_url: str) -> None:
    """The statement is made to stop between its snapshot and its locks; meanwhile a sibling goes on to Otto, with a card of its own."""
    first, second = rows.waiting(conn, calls=2)
    for pause_id in (first, second):
        rows.make_due(conn, pause_id)
    stops = sql.QUERIES["settle_due"].text.replace(
        "SELECT * FROM jsonb_to_recordset",
        "SELECT a.* FROM (SELECT pg_advisory_lock(7)) AS stopped, jsonb_to_recordset",
        1,
    )
    asked = json.dumps([{"id": str(first), "level": 0, "next": None, "to_level": 0, "within_s": 0, "cards": []}])
    with database.connect(db_url) as late, ThreadPoolExecutor(1) as thread:
        conn.execute("SELECT pg_advisory_lock(7)")
        swept = thread.submit(
            lambda: late.execute(stops, {"asked": asked, "unseen": "", "surface": "sweep"}).fetchall()
        )
        until_it_waits(conn, late, swept)
        assert [m.event for m in escalate(conn, second)] == ["escalate"]
        conn.execute("SELECT pg_advisory_unlock(7)")
        assert swept.result() == []
    assert {m.event for m in expire(conn, first)} == {"expire", "cancel"}
    wanted = "SELECT level, wanted FROM card WHERE pause_id = %s AND kind = 'approver' AND level = 1"
    assert set(conn.execute(wanted, (second,)).fetchall()) == {(1, 2)}
    rows.consistent(conn)
