"""What must not grow: a decision and a sweep with the number that wait, a step with the length of its run, a sweep beside an old snapshot."""

import json
import time
from collections.abc import Callable
from typing import Any, Final

from engine.state import db, pauses, runs
from engine.workers.sweep import Sweeper
from tests import rows
from tests.bench import ground
from tests.bench.paper import Row
from tests.bench.timing import interleaved, seconds

FLAT: Final = 1.3
DEAD: Final = 50_000
DUE: Final = 10_000
MESSAGE: Final = json.dumps({"role": "user", "content": "x" * 400})


def decision(few: str, many: str, waiting: int) -> Row:
    """The same yes, with few and with many others waiting."""

    def one(url: str) -> float:
        with ground.connections(url, 1) as [conn]:
            ids = [ground.parked(conn) for _ in range(60)]
            took = seconds_of_each(lambda pause_id: pauses.approve(conn, pause_id, "marta", surface="bench"), ids)
            while runs.claim(conn, "bench", ["procurement"], lease_s=3600):
                pass
            return took

    return _compared(f"a decision, {waiting:,} waiting", FLAT, *interleaved(lambda: one(many), lambda: one(few)))


def empty_sweep(few: str, many: str, waiting: int) -> Row:
    """A sweep that finds nothing due, with few and with many waiting."""

    def one(url: str) -> float:
        with db.pool(url, size=1) as pool:
            sweeper = Sweeper(pool)
            sweeper.run()
            return seconds(sweeper.run, 100)

    return _compared(f"an empty sweep, {waiting:,} waiting", FLAT, *interleaved(lambda: one(many), lambda: one(few)))


def long_run(url: str) -> Row:
    """One more step of a run of 500 messages, against one of 5."""

    def one(length: int) -> float:
        with ground.connections(url, 1) as [conn]:
            claim, _ = ground.ready_to_ask(conn)
            conn.execute(
                "INSERT INTO run_message SELECT %s, 1000 + i, clock_timestamp(), 'user', %s::json -> 'content' FROM generate_series(1, %s) i",
                (claim.id, MESSAGE, length),
            )
            conn.execute("UPDATE run SET messages = 1000 + %s, max_iterations = 1000 WHERE id = %s", (length, claim.id))
            return seconds(lambda: runs.save_reply(conn, claim, [rows.REPLY], [], tokens=1, cost_micros=1), 100)

    return _compared("saving a step of a run of 500 messages", FLAT, *interleaved(lambda: one(500), lambda: one(5)))


def due(url: str) -> Row:
    """Ten thousand whose hour came at once: each goes to its next approver, with a card of its own."""

    def one() -> float:
        with ground.connections(url, 1) as [conn], db.pool(url, size=1) as pool:
            _make_due(conn, DUE)
            began = time.perf_counter()
            moved = Sweeper(pool).run()
            took = time.perf_counter() - began
            assert [move.event for move in moved] == ["escalate"] * DUE
            return took

    [took] = interleaved(one)
    return Row(what=f"{DUE:,} due swept", value=took, bar=1, least=False, seen=f"{DUE / took:,.0f} a second", unit=" s")


def old_snapshot(url: str) -> Row:
    """An empty sweep while somebody's old snapshot keeps the entries of 50,000 settled pauses alive, against one without."""
    with ground.connections(url, 2) as [conn, idle], db.pool(url, size=1) as pool:
        conn.execute("SET statement_timeout = 0")
        sweeper = Sweeper(pool)
        _make_due(conn, DEAD, seconds_ago=7200)
        conn.execute("VACUUM run_pause")
        idle.execute("SET idle_in_transaction_session_timeout = 0")
        idle.execute("BEGIN ISOLATION LEVEL REPEATABLE READ")
        idle.execute("SELECT count(*) FROM run_pause").fetchone()
        conn.execute(
            "UPDATE run_pause SET status = 'expired', decided_at = fire_at WHERE status = 'waiting' AND fire_at < clock_timestamp()"
        )
        sweeper.run()
        beside = seconds(sweeper.run, 100)
        idle.execute("COMMIT")
        conn.execute("VACUUM run_pause")
        without = seconds(sweeper.run, 100)
    return _compared(f"an empty sweep, an old snapshot and {DEAD:,} dead entries", 5, beside, without)


def seconds_of_each(work: Callable[[Any], object], given: list[Any]) -> float:
    """The median time of a piece of work over what it is given."""
    left = list(given)
    return seconds(lambda: work(left.pop()), len(given))


def _make_due(conn: Any, count: int, seconds_ago: int = 5) -> None:
    conn.execute("SET statement_timeout = 0")
    conn.execute(
        "UPDATE run_pause SET fire_at = clock_timestamp() - %s * interval '1 second' WHERE id IN"
        " (SELECT id FROM run_pause WHERE status = 'waiting' AND level = 0 LIMIT %s)",
        (seconds_ago, count),
    )
    conn.execute("ANALYZE run_pause")


def _compared(what: str, bar: float, this: float, that: float) -> Row:
    return Row(
        what=what,
        value=this / that,
        bar=bar,
        least=False,
        seen=f"{this * 1000:.2f} ms and {that * 1000:.2f} ms",
        unit=" x",
    )
