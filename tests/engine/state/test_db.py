"""The one door to PostgreSQL: queries by name and kind, what is tried again, and time-outs that belong to the database."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import psycopg
import psycopg_pool
import pytest

import sql as queries
from engine.errors import NotFound
from engine.state import db, events, people
from tests import database, rows
from tests.engine.state.meeting import until_it_waits


def test_a_query_is_run_as_what_it_is(conn: Any) -> None:
    with pytest.raises(ValueError, match="query people is :many, not :one"):
        db.one(conn, "people", dict)
    with pytest.raises(KeyError, match="nothing_of_the_kind"):
        db.many(conn, "nothing_of_the_kind", dict)


def test_what_must_be_there_and_is_not_is_named(conn: Any) -> None:
    with pytest.raises(NotFound, match=r"run 7 does not exist\. Check the id; `placet runs` lists what there is\."):
        db.must(conn, "record_of_run", dict, "run 7", run_id=db.new_id())


def test_ids_sort_by_the_time_they_were_made() -> None:
    made = [db.new_id() for _ in range(100)]
    assert made == sorted(made)
    assert len(set(made)) == 100


def _deadlocks(conn: Any) -> int:
    return int(conn.execute("SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()").fetchone()[0])


def test_a_deadlock_is_tried_again_and_reaches_nobody(conn: Any, db_url: str) -> None:
    before = _deadlocks(conn)
    with database.connect(db_url) as victim, database.connect(db_url) as rival, ThreadPoolExecutor(1) as threads:
        victim.execute("SET deadlock_timeout = '50ms'")  # it is the one that finds out
        first, last = conn.execute("SELECT min(ctid)::text, max(ctid)::text FROM person").fetchone()
        with rival.transaction():
            rival.execute("UPDATE person SET name = name WHERE ctid = %s::tid", (last,))
            importing = threads.submit(people.load, victim, database.example_people(), actor="otto")
            until_it_waits(conn, victim, importing)
            rival.execute("UPDATE person SET name = name WHERE ctid = %s::tid", (first,))
        importing.result(timeout=10)
        victim.execute("SELECT pg_stat_force_next_flush()")
    assert _deadlocks(conn) == before + 1
    assert set(people.everybody(conn)) == set(database.example_people())


def test_a_wait_for_a_lock_has_an_end(conn: Any, db_url: str) -> None:
    run_id = rows.launched(conn)
    with database.connect(db_url) as holder, holder.transaction():
        holder.execute("SELECT FROM run WHERE id = %s FOR UPDATE", (run_id,))
        with pytest.raises(psycopg.errors.LockNotAvailable):
            db.one(conn, "hold_run", dict, run_id=run_id, actor="otto", surface="tests")
    assert events.verify(conn, run_id) == events.Verified(1)


@pytest.mark.parametrize(
    ("setting", "value"),
    [
        ("statement_timeout", "5s"),
        ("lock_timeout", "2s"),
        ("idle_in_transaction_session_timeout", "10s"),
        ("jit", "off"),
        ("plan_cache_mode", "force_generic_plan"),
    ],
)
def test_time_outs_belong_to_the_database_and_hold_for_every_tool(db_url: str, setting: str, value: str) -> None:
    with psycopg.connect(db_url) as any_tool:
        assert any_tool.execute(f"SHOW {setting}").fetchone() == (value,)


def test_a_pool_that_is_exhausted_says_so_soon(db_url: str) -> None:
    with db.pool(db_url, size=1, wait_s=0.05) as pool, pool.connection() as only:
        assert only.autocommit
        with pytest.raises(psycopg_pool.PoolTimeout), pool.connection():
            pytest.fail("there was only one")


def test_a_pool_that_holds_none_makes_a_connection_for_each_use_and_closes_it(db_url: str) -> None:
    used = []
    with db.none_held(db_url, size=1) as pool:
        for _ in range(3):
            with pool.connection() as one:
                for _again in range(3):
                    people.everybody(one)
                assert one.execute("SELECT count(*) FROM pg_prepared_statements").fetchone() == (0,)
                used.append(one)
            assert one.closed
    assert len({id(one) for one in used}) == 3


@pytest.mark.parametrize(("prepare", "prepared"), [(True, 1), (False, 0)])
def test_a_query_is_prepared_at_its_first_use_unless_that_is_off(db_url: str, prepare: bool, prepared: int) -> None:
    with db.pool(db_url, size=1, prepare=prepare) as pool, pool.connection() as only:
        people.everybody(only)
        seen = "SELECT count(*) FROM pg_prepared_statements WHERE statement LIKE '%person%'"
        assert only.execute(seen, prepare=False).fetchone() == (prepared,)


def test_two_migrators_take_turns(db_url: str, conn: Any) -> None:
    with ThreadPoolExecutor(2) as threads:
        assert list(threads.map(db.migrate, [db_url, db_url])) == [[], []]
    assert conn.execute("SELECT count(*) FROM migration").fetchone() == (len(queries.migrations()),)
