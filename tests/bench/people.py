"""How long people wait, with the real thing running: `placet serve` as a process, the local workspace, signed clicks over HTTP.

The clicks come on an open schedule: one that has to queue behind a slow one is late by that, too.
"""

import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from statistics import median, quantiles
from typing import Any, Final
from uuid import UUID

from bot.cards import ids
from bot.sandbox.house import House, house
from engine.rules import people as people_rules
from engine.state import cards, db, pauses, people, policies, runs
from engine.tools import load
from tests import database, world
from tests.bench import ground
from tests.bench.paper import Row
from tests.chaos.signed import Card, Hand, pressed

MARTA: Final = "U0MARTA"
WARM: Final = 40
SLOW_S: Final = 4
"""For how long a run is locked by somebody else: longer than a click may take."""
PATIENCE_S: Final = 120
FLUSHED_S: Final = 12
"""After which PostgreSQL has counted what a connection did before: an idle one tells at most this late."""
WOKEN: Final = """
SELECT extract(epoch FROM min(claim.at) - decided.at)::float8
  FROM run_event decided JOIN run_event claim ON claim.run_id = decided.run_id AND claim.seq > decided.seq AND claim.event = 'claim'
 WHERE decided.run_id = ANY(%s) AND decided.event = 'approve' GROUP BY decided.run_id, decided.at
"""
LATE: Final = """
SELECT extract(epoch FROM e.at - due.at)::float8 FROM due JOIN run_event e ON e.entity_id = due.pause_id::text AND e.event = 'escalate'
"""
HURRY: Final = """
CREATE TEMP TABLE due AS SELECT id AS pause_id, clock_timestamp() + interval '1 second' + random() * interval '5 seconds' AS at
  FROM run_pause WHERE id = ANY(%s);
UPDATE run_pause SET fire_at = due.at FROM due WHERE id = due.pause_id
"""


def waits(share: float) -> Iterator[Row]:
    """All of it, on a database of its own."""
    with _running("web") as (home, conn):
        yield _click(home, conn, clients=1, count=int(300 * share), a_second=50)
        yield _click(home, conn, clients=8, count=int(2400 * share), a_second=200)
        yield _slow(home, conn)
    with _running() as (home, conn):
        yield _woken(home, conn, int(150 * share), hint=True)
        yield _woken(home, conn, int(60 * share), hint=False)
        yield _expired(conn, int(200 * share))
        yield _idle(conn, seconds=20)


@contextmanager
def _running(*parts: str) -> Iterator[tuple[House, db.Conn]]:
    """A bot with these parts (none named: all), its world, and a connection to its database."""
    everybody = people_rules.parse((database.EXAMPLES / "people.toml").read_text())
    with ExitStack() as kept:
        folder = kept.enter_context(tempfile.TemporaryDirectory(prefix="placet-bench-", ignore_cleanup_errors=True))
        home = kept.enter_context(house(Path(folder), port=None, env={}, say=lambda _text: None))
        db.migrate(home.database_url)
        conn = kept.enter_context(db.connect(home.database_url))
        people.load(conn, everybody, actor="bench")
        policies.apply(conn, (database.EXAMPLES / "policy.toml").read_text(), everybody, actor="bench")
        home.start_outside()
        home.start_bot(*parts)
        yield home, conn


def _click(home: House, conn: db.Conn, *, clients: int, count: int, a_second: float) -> Row:
    """A yes over HTTP, from the click to its answer: signature, decision and commit included. Its cards are painted by nobody here."""
    clicks = [_decidable(conn) for _ in range(WARM + count)]
    conn.execute("UPDATE card SET state = 'gone'")  # also those that were on their way
    taken = _delivered(home, clients, clicks, a_second)[WARM:]
    assert conn.execute("SELECT count(*) FROM run_pause WHERE status = 'waiting'").fetchone() == (0,)
    p50, p99 = median(taken), _p99(taken)
    seen = f"p50 {p50 * 1000:.1f}, p99 {p99 * 1000:.1f}, slowest {max(taken) * 1000:.1f} ms of {count} clicks"
    if clients == 1:
        return Row(what="click to 200, 1 client: p50", value=p50 * 1000, bar=3, least=False, seen=seen, unit=" ms")
    what = f"click to 200, {clients} clients at {a_second:.0f} a second: p99"
    return Row(what=what, value=p99 * 1000, bar=15, least=False, seen=seen, unit=" ms")


def _decidable(conn: db.Conn) -> Card:
    pause_id = ground.parked(conn)
    digest, ts = pauses.get(conn, pause_id).digest, f"{pause_id.int}.1"
    conn.execute("UPDATE card SET state = 'gone', channel = 'C0BUY', ts = %s WHERE pause_id = %s", (ts, pause_id))
    return Card(pause_id=pause_id, digest=digest, channel="C0BUY", ts=ts, kind="approver", level=0)


def _delivered(home: House, clients: int, clicks: Sequence[Card], a_second: float) -> list[float]:
    """Seconds from when each click was to be made to its answer, in the order of the clicks."""
    taken, begins = [0.0] * len(clicks), time.perf_counter() + 0.2

    def client(first: int) -> None:
        hand = Hand(int(home.bot_url.rsplit(":", 1)[1]), home.token)
        for n in range(first, len(clicks), clients):
            due = begins + n / a_second
            time.sleep(max(0.0, due - time.perf_counter()))
            status = hand.deliver(pressed(clicks[n], MARTA, ids.ACTION_APPROVE))
            taken[n] = time.perf_counter() - due
            assert status == 200, status
        hand.close()

    with ThreadPoolExecutor(clients) as threads:
        for done in [threads.submit(client, n) for n in range(clients)]:
            done.result()
    return taken


def _slow(home: House, conn: db.Conn) -> Row:
    """A click on a request whose run somebody else keeps locked: it is answered in time, and says that it could not confirm."""
    card = _decidable(conn)
    run_id = pauses.get(conn, card.pause_id).run_id
    released = threading.Event()
    with db.connect(home.database_url) as other, ThreadPoolExecutor(1) as thread:
        with other.transaction():
            other.execute("SELECT FROM run WHERE id = %s FOR UPDATE", (run_id,))
            clicked = thread.submit(_delivered, home, 1, [card], 1)
            released.wait(SLOW_S)
        [took] = clicked.result()
    return Row(
        what="click to 200, its run locked by another: slowest",
        value=took,
        bar=2.5,
        least=False,
        seen=f"afterwards it is {pauses.get(conn, card.pause_id).status}",
        unit=" s",
    )


def _idle(conn: db.Conn, *, seconds: float) -> Row:
    """Transactions of a process that has nothing to do."""
    _until(lambda: cards.undelivered(conn) == 0)
    time.sleep(FLUSHED_S)
    counted = "SELECT xact_commit + xact_rollback FROM pg_stat_database WHERE datname = current_database()"
    with _no_autovacuum(conn):  # its transactions would count as ours
        [(before,)] = conn.execute(counted).fetchall()
        time.sleep(seconds)
        [(after,)] = conn.execute(counted).fetchall()
    each = (after - before - 1) / seconds  # the first look is one of them
    return Row(
        what="an idle process: transactions a second", value=each, bar=3, least=False, seen=f"over {seconds:g} s"
    )


@contextmanager
def _no_autovacuum(conn: db.Conn) -> Iterator[None]:
    conn.execute("ALTER SYSTEM SET autovacuum = off")
    conn.execute("SELECT pg_reload_conf()")
    yield
    conn.execute("ALTER SYSTEM RESET autovacuum")
    conn.execute("SELECT pg_reload_conf()")


def _woken(home: House, conn: db.Conn, count: int, *, hint: bool) -> Row:
    """From a decision to its run going on, by the database's clock: decided in the process that works, or in another one."""
    found = _asked(conn, count)
    for run_id, pause_id in found:
        digest = pauses.get(conn, pause_id).digest
        if hint:
            _delivered(
                home,
                1,
                [Card(pause_id=pause_id, digest=digest, channel="C0BUY", ts="1.1", kind="approver", level=0)],
                1,
            )
        else:
            pauses.approve(conn, pause_id, "marta", surface="bench")
        _until(partial(_has_gone_on, conn, run_id))
    taken = [seconds for (seconds,) in conn.execute(WOKEN, ([run_id for run_id, _ in found],)).fetchall()]
    where, bar = ("in the same process", 50) if hint else ("in another process", 1500)
    return _late(f"decision to its run going on, {where}", taken, bar)


def _expired(conn: db.Conn, count: int) -> Row:
    """From the hour of a request to its move, by the database's clock."""
    found = _asked(conn, count)
    with db.connect(conn.info.dsn) as own:
        for statement in HURRY.split(";"):
            own.execute(statement.encode(), ([pause_id for _, pause_id in found],) if "%s" in statement else ())
        _until(lambda: len(own.execute(LATE).fetchall()) >= count)
        taken = [seconds for (seconds,) in own.execute(LATE).fetchall()]
    return _late("a request's hour to its escalation", taken, 1500)


def _late(what: str, taken: Sequence[float], bar: float) -> Row:
    p99 = _p99(taken) * 1000
    seen = f"p50 {median(taken) * 1000:.0f}, p99 {p99:.0f}, slowest {max(taken) * 1000:.0f} ms of {len(taken)}"
    return Row(what=f"{what}: p99", value=p99, bar=bar, least=False, seen=seen, unit=" ms")


def _p99(taken: Sequence[float]) -> float:
    return quantiles(taken, n=100, method="inclusive")[98]


def _asked(conn: db.Conn, count: int) -> list[tuple[UUID, UUID]]:
    """So many orders over the limit, each waiting for Marta and shown to her: run and pause."""
    agent = load(["examples.procurement.agent"])["procurement"]
    made = []
    for _ in range(count):
        what = agent.launch(input=world.order(f"PO-{db.new_id().hex[-8:]}"), on_behalf_of="priya")
        made.append(runs.launch(conn, what, actor="priya", surface="bench")[0])
    _until(lambda: all(runs.get(conn, run_id).pauses for run_id in made))
    _until(lambda: cards.undelivered(conn) == 0)
    return [(run_id, runs.get(conn, run_id).pauses[0]) for run_id in made]


def _has_gone_on(conn: Any, run_id: UUID) -> bool:
    return runs.get(conn, run_id).status == "done"


def _until(holds: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while not holds():
        if time.monotonic() > deadline:
            raise AssertionError(f"not within {PATIENCE_S} s")
        time.sleep(0.02)
