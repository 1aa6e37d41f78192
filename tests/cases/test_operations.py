"""Operations: any number of real processes on one database, a sweep of thousands during clicks, and an end in its middle."""

import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from typing import Any
from uuid import UUID

import pytest

from bot.cards import ids
from engine.state import db, events, pauses, runs
from engine.workers.sweep import Sweeper
from tests import rows
from tests.bot.house import environment
from tests.bot.office import Office, text_of

SILENCE_IS_NO = replace(rows.NEED, on_expiry="deny", steps=())


@contextmanager
def process(office: Office, db_url: str, *parts: str, port: int = 8080) -> Iterator[subprocess.Popen[str]]:
    """Placet in a process of its own, started; ended in good order, if a test has not ended it."""
    only = [word for part in parts for word in ("--only", part)]
    command = [sys.executable, "-m", "bot.cli", "serve", *only]
    env = environment(office, db_url, PORT=str(port), PLACET_SWEEP="0.2")
    with subprocess.Popen(command, env=env, stderr=subprocess.PIPE, text=True) as running, ThreadPoolExecutor(1) as own:
        log = running.stderr
        assert log is not None
        try:
            assert any("started: " in text for text in iter(log.readline, ""))
            own.submit(log.read)  # a full pipe would hold it up
            yield running
        finally:
            running.terminate()
            assert running.wait(30) == 0


def test_four_processes_settle_and_tell_each_of_a_hundred_once(office: Office, db_url: str, conn: Any) -> None:
    """O1: each runs its own scheduler over the same rows."""
    asked = [rows.waiting(conn, need=SILENCE_IS_NO)[0] for _ in range(100)]
    with ExitStack() as four:
        for _ in range(4):
            four.enter_context(process(office, db_url, "sweep"))
        office.await_(lambda: _said(office, "Answer by") == (100, 100), 40)
        conn.execute("UPDATE run_pause SET fire_at = clock_timestamp()")
        office.await_(lambda: _said(office, "Nobody answered in time") == (100, 100), 40)
    happened = [e.event for p in asked for e in events.of_run(conn, pauses.get(conn, p).run_id)]
    assert (happened.count("expire"), happened.count("wake")) == (100, 100)
    assert len(office.calls("chat.postMessage")) == 200
    assert len(office.calls("chat.update")) == 200


def _said(office: Office, what: str) -> tuple[int, int]:
    """How many messages say it now: in the channel, and to the requester."""
    both = (office.messages("C0BUY"), office.messages("D0PRIYA"))
    channel, direct = (sum(what in text_of(m["blocks"]) for m in found) for found in both)
    return channel, direct


@pytest.mark.timeout(180)
def test_a_sweep_of_thousands_holds_up_no_click_and_an_end_in_its_middle_leaves_nothing_half_done(
    office: Office, db_url: str, conn: Any
) -> None:
    """O3: five thousand requests of fifty runs fall due at once; a click comes, then SIGTERM."""
    [clicked] = rows.waiting(conn)
    due = [_a_run_with_a_hundred(conn) for _ in range(50)]
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    with process(office, db_url, "web", "sweep", port=port) as running:
        office.deliver_to(f"http://127.0.0.1:{port}/slack/events")
        [card] = office.await_(lambda: office.messages("C0BUY"))
        conn.execute("UPDATE run_pause SET fire_at = clock_timestamp() WHERE id <> %s", (clicked,))
        _until_the_sweep_has_begun(conn)
        assert office.press("U0MARTA", card, ids.ACTION_APPROVE) == {"ok": True}  # within Slack's three seconds
        running.send_signal(signal.SIGTERM)
        assert running.wait(20) == 0
    assert pauses.get(conn, clicked).status == "approved"
    rows.consistent(conn)
    whole = conn.execute("SELECT run_id FROM run_pause GROUP BY 1 HAVING count(DISTINCT status) > 1").fetchall()
    assert whole == []
    with db.pool(db_url, size=1) as pool:
        Sweeper(pool).run()
    assert _counts(conn) == {"approved": 1, "expired": 5_000}
    for run_id in due:
        assert runs.get(conn, run_id).status == "queued"
        assert isinstance(events.verify(conn, run_id), events.Verified)


def _a_run_with_a_hundred(conn: Any) -> UUID:
    """A run whose turn waits for a hundred answers that nobody is shown."""
    claim = rows.claimed(conn)
    rows.replied(conn, claim, 100)
    runs.ask(conn, claim, [replace(rows.asked(conn, claim, n, need=SILENCE_IS_NO), cards=()) for n in range(100)])
    return claim.id


def _counts(conn: Any) -> dict[str, int]:
    return dict(conn.execute("SELECT status, count(*) FROM run_pause GROUP BY 1").fetchall())


def _until_the_sweep_has_begun(conn: Any) -> None:
    deadline = time.monotonic() + 20
    while not _counts(conn).get("expired"):
        assert time.monotonic() < deadline, "nothing was swept"
