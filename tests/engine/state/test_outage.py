"""What an error of the database says: surely nothing was recorded, or nobody can tell; and whether a database is fit to work with."""

import threading
from typing import Any

import psycopg
import pytest

from engine.state import db, outage
from tests import database, rows


def failing(call: Any) -> Exception:
    with pytest.raises(outage.Error) as caught:
        call()
    return caught.value


def test_no_connection_within_the_wait_is_surely_nothing(db_url: str) -> None:
    with db.pool(db_url, size=1, wait_s=0.05) as pool, pool.connection():
        assert outage.surely_nothing(failing(pool.getconn))


def test_a_connection_that_cannot_be_made_is_surely_nothing() -> None:
    with db.none_held("postgresql://127.0.0.1:9/none", size=1) as pool:
        assert outage.surely_nothing(failing(pool.getconn))


def test_what_the_server_itself_reports_has_undone_the_statement(conn: Any, db_url: str) -> None:
    with database.connect(db_url) as only_reads:
        only_reads.execute("SET default_transaction_read_only = on")
        assert outage.surely_nothing(failing(lambda: db.execute(only_reads, "writes")))


def test_a_connection_lost_while_the_answer_is_awaited_leaves_it_open(conn: Any, db_url: str) -> None:
    rows.launched(conn)
    with database.connect(db_url) as lost:
        pid = lost.info.backend_pid
        with conn.transaction():
            conn.execute("LOCK TABLE migration")
            ends = threading.Thread(target=_end, args=(db_url, pid))
            ends.start()
            error = failing(lambda: db.execute(lost, "writes"))
            ends.join()
    assert not outage.surely_nothing(error)


def _end(db_url: str, pid: int) -> None:
    """End that backend as soon as its statement waits for the lock."""
    with database.connect(db_url) as other:
        while not other.execute(
            "SELECT FROM pg_stat_activity WHERE pid = %s AND wait_event_type = 'Lock'", (pid,)
        ).fetchall():
            pass
        other.execute("SELECT pg_terminate_backend(%s)", (pid,))


def test_a_value_that_cannot_be_stored_is_no_lost_connection(conn: Any) -> None:
    error = failing(lambda: conn.execute("SELECT %s::text", ("\0",)))
    assert isinstance(error, outage.Unstorable)
    assert outage.surely_nothing(error)
    assert not isinstance(error, outage.Away)


def test_a_bug_of_ours_is_no_outage() -> None:
    assert not outage.surely_nothing(ValueError("a bug"))
    assert not isinstance(ValueError("a bug"), outage.Error)


def test_a_migrated_database_that_takes_writes_is_fit(db_url: str) -> None:
    with db.pool(db_url, size=1) as pool:
        assert outage.unfit(pool) is None
        with pool.connection() as conn:
            assert outage.behind(conn) is None


def test_a_connection_that_only_reads_is_let_go_so_that_the_next_finds_the_new_primary(db_url: str) -> None:
    with db.pool(db_url, size=1) as pool:
        with pool.connection() as conn:
            conn.execute("SET default_transaction_read_only = on")
        assert "only reads" in str(outage.unfit(pool))
        assert outage.unfit(pool) is None


def test_whatever_meets_a_connection_that_only_reads_lets_it_go(db_url: str) -> None:
    with db.pool(db_url, size=1) as pool:
        with pool.connection() as conn:
            conn.execute("SET default_transaction_read_only = on")
        with pytest.raises(psycopg.errors.ReadOnlySqlTransaction), pool.connection() as conn:
            rows.launched(conn)
        with pool.connection() as conn:
            assert rows.launched(conn)


def test_no_server_at_all_is_said() -> None:
    with db.pool("postgresql://127.0.0.1:9/none", size=1, wait_s=0.05) as pool:
        assert "cannot be reached" in str(outage.unfit(pool))
    assert issubclass(psycopg.OperationalError, outage.Error)
