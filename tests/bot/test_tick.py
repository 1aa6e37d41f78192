"""`placet tick` and `placet answer`: processes that come and go, with nothing running in between; what they do is done once."""

import io
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from bot import once
from bot.cards import ids
from bot.sandbox.buyer import buyer
from bot.sandbox.model import Reply
from engine.models import Decided
from engine.state import pauses, runs
from engine.tools import load
from tests import database, rows, world
from tests.bot.command_line import NOWHERE
from tests.bot.house import API_TOKEN, environment, settings
from tests.bot.office import Json, Office, at_once, is_card, open_office, text_of

PLACET = [sys.executable, "-m", "bot.cli"]
Env = dict[str, str]


@pytest.fixture
def office(tmp_path: Path) -> Iterator[Office]:
    """One that waits longer for an answer than Slack does: a whole process starts for it, on a busy machine."""
    with open_office(tmp_path / "slack.jsonl", patience=30) as running:
        yield running


@pytest.fixture
def outside(tmp_path: Path, conn: Any) -> Iterator[world.World]:
    database.apply_policy(conn)
    with world.world(tmp_path) as made:
        yield made


@pytest.fixture
def env(office: Office, db_url: str, outside: world.World) -> Env:
    """Of a process that holds no connection."""
    return environment(office, db_url, DATABASE_POOL="off", ANTHROPIC_BASE_URL=f"{outside.address}/anthropic")


def launched(conn: Any, ref: str = "PO-1") -> Any:
    agent = load([world.AGENT])["procurement"]
    what = agent.launch(input=world.order(ref), on_behalf_of="priya", launch_key=ref)
    return runs.launch(conn, what, actor="priya", surface="tests")[0]


def tick(env: Env, *options: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*PLACET, "tick", *options], env=env, capture_output=True, text=True, check=False, timeout=60, cwd=Path.cwd()
    )


@contextmanager
def answering(env: Env) -> Iterator[tuple[str, list[int]]]:
    """An address where every connection gets a `placet answer` of its own, as inetd does it; and how they ended."""
    listener, codes = socket.create_server(("127.0.0.1", 0)), list[int]()

    def one(connection: socket.socket) -> None:
        with connection:
            ends = connection.fileno()
            done = subprocess.run([*PLACET, "answer"], env=env, stdin=ends, stdout=ends, check=False, timeout=60)
            codes.append(done.returncode)

    def accept(threads: ThreadPoolExecutor) -> None:
        while True:
            connection, _ = listener.accept()
            if stopped.is_set():
                connection.close()
                return
            threads.submit(one, connection)

    stopped = threading.Event()
    address = listener.getsockname()
    with listener, ThreadPoolExecutor(4) as threads:
        loop = threading.Thread(target=accept, args=(threads,))
        loop.start()
        try:
            yield f"http://127.0.0.1:{address[1]}", codes
        finally:
            stopped.set()
            socket.create_connection(address).close()
            loop.join()


def card(office: Office, channel: str) -> Json:
    return [message for message in office.messages(channel) if is_card(message)][-1]


def test_an_order_is_asked_approved_and_paid_by_processes_that_come_and_go(
    env: Env, office: Office, conn: Any, outside: world.World
) -> None:
    run_id = launched(conn)
    assert tick(env).returncode == 0
    assert "EUR 38,000.00" in text_of(card(office, "D0MARTA"))
    with answering(env) as (url, codes):
        office.deliver_to(f"{url}/slack/events")
        assert office.press("U0MARTA", card(office, "D0MARTA"), ids.ACTION_APPROVE) == {"ok": True}
        assert runs.get(conn, run_id).status == "queued"
    assert codes == [0]
    assert "Approved by Marta Keller" in text_of(card(office, "D0MARTA"))
    assert outside.payments("PO-1") == []
    assert tick(env).returncode == 0
    assert len(outside.payments("PO-1")) == 1
    assert runs.get(conn, run_id).status == "done"
    assert "is done" in text_of(office.messages("D0PRIYA"))


def test_two_ticks_at_once_do_everything_once(env: Env, office: Office, conn: Any, outside: world.World) -> None:
    refs = [f"PO-{n}" for n in range(4)]
    run_ids = [launched(conn, ref) for ref in refs]
    assert tick(env).returncode == 0
    posted = len(office.calls("chat.postMessage"))
    for pause_id, *_ in conn.execute("SELECT id FROM run_pause").fetchall():
        assert isinstance(pauses.approve(conn, pause_id, "marta", surface="tests"), Decided)
    both = at_once(lambda: tick(env), lambda: tick(env))
    assert [done.returncode for done in both] == [0, 0], both
    assert [len(outside.payments(ref)) for ref in refs] == [1, 1, 1, 1]
    assert {runs.get(conn, run_id).status for run_id in run_ids} == {"done"}
    assert len(office.calls("chat.postMessage")) - posted == len(refs)  # that each is done


def test_a_tick_settles_what_is_due_shows_it_where_it_goes_and_says_so_in_one_line(
    env: Env, office: Office, conn: Any
) -> None:
    [pause_id] = rows.waiting(conn)
    rows.make_due(conn, pause_id)
    done = tick(env)
    assert done.returncode == 0, done.stderr
    assert done.stdout == (
        "Requests settled because they were due: 1. Runs advanced: 0. Cards and notices delivered: 3. "
        "Nothing more is due now.\n"
    )
    assert ids.ACTION_APPROVE in [e for m in office.messages("D0OTTO") for e in _actions(m)]


def _actions(message: Json) -> list[str]:
    return [e.get("action_id") for block in message["blocks"] for e in block.get("elements", ())]


def test_no_connection_is_held_while_the_model_thinks(office: Office, db_url: str, conn: Any, tmp_path: Path) -> None:
    database.apply_policy(conn)
    held: list[int] = []
    seen = "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'one-tick'"

    def thinking(request: Mapping[str, Any]) -> Reply:
        held.append(conn.execute(seen).fetchone()[0])
        return buyer(request)

    with world.world(tmp_path, thinking) as outside:
        launched(conn)
        env = environment(office, db_url, ANTHROPIC_BASE_URL=f"{outside.address}/anthropic")
        env["DATABASE_URL"] += "&application_name=one-tick"
        assert tick({**env, "DATABASE_POOL": "off", "PLACET_WORKERS": "1"}).returncode == 0
    assert held
    assert set(held) == {0}


def test_a_tick_whose_time_is_over_lets_the_run_go_and_the_next_one_goes_on(
    office: Office, db_url: str, conn: Any, tmp_path: Path
) -> None:
    database.apply_policy(conn)
    may_reply = threading.Event()

    def slow(request: Mapping[str, Any]) -> Reply:
        assert may_reply.wait(30)
        return buyer(request)

    with world.world(tmp_path, slow) as outside:
        run_id = launched(conn)
        env = environment(office, db_url, ANTHROPIC_BASE_URL=f"{outside.address}/anthropic")
        with subprocess.Popen(
            [*PLACET, "tick", "--seconds", "1"], env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        ) as cut:
            assert cut.stderr is not None
            assert any("the time is over" in line for line in cut.stderr)
            may_reply.set()
            said, _ = cut.communicate(timeout=30)
        assert (cut.returncode, said.count("\n")) == (0, 1)
        assert said.endswith("It stopped before all was done; the next tick goes on.\n")
        assert runs.get(conn, run_id).status == "queued"
        assert tick(env).returncode == 0
        assert runs.get(conn, run_id).status == "awaiting_approval"


def test_a_database_that_is_away_is_an_outage_in_a_sentence(env: Env) -> None:
    done = tick({**env, "DATABASE_URL": NOWHERE, "SLACK_TEAM_ID": "T0ACME"})
    assert (done.returncode, done.stdout) == (1, "")
    assert "The database cannot be reached:" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("sent", "status"),
    [
        (b"", 400),
        (b"GET\r\n\r\n", 400),
        (b"POST /slack/events HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400),
        (b"POST /slack/events HTTP/1.1\r\nContent-Length: 2\r\n\r\n{}", 401),
        (b"POST /slack/events HTTP/1.1\r\nContent-Length: 300000\r\n\r\n" + b"x" * 300_000, 413),
        (b"GET /readyz HTTP/1.1\r\n\r\n", 200),
    ],
)
def test_what_is_no_request_of_slacks_is_refused_by_one_process_too(
    office: Office, db_url: str, sent: bytes, status: int
) -> None:
    said = io.BytesIO()
    once.answer_stdin(settings(office, db_url, database_pool="off"), io.BytesIO(sent), said)
    head, _, body = said.getvalue().partition(b"\r\n\r\n")
    assert head.startswith(f"HTTP/1.1 {status} ".encode())
    assert f"content-length: {len(body)}".encode() in head.lower()


LAUNCH = b'{"agent": "procurement", "input": "Buy this order.", "for": "priya"}'


@pytest.mark.parametrize(
    ("lengths", "status"),
    [
        ([len(LAUNCH)], 201),
        ([len(LAUNCH) + 1], 400),
        ([300_000], 400),
        ([len(LAUNCH), len(LAUNCH) - 1], 400),
        ([len(LAUNCH) - 1, len(LAUNCH)], 400),
        ([len(LAUNCH), len(LAUNCH)], 400),
    ],
)
def test_only_a_request_that_came_whole_and_says_once_how_long_it_is_launches(
    office: Office, db_url: str, conn: Any, lengths: list[int], status: int
) -> None:
    head = [
        b"POST /agent/launch HTTP/1.1",
        b"Authorization: Bearer " + API_TOKEN.encode(),
        b"Content-Type: application/json",
    ]
    head += [b"Content-Length: %d" % length for length in lengths]
    said = io.BytesIO()
    sent = io.BytesIO(b"\r\n".join([*head, b"", LAUNCH]))
    once.answer_stdin(settings(office, db_url, database_pool="off"), sent, said)
    assert said.getvalue().startswith(f"HTTP/1.1 {status} ".encode())
    assert len(runs.listed(conn)) == (status == 201)
    if status == 400:
        assert b"Nothing was done: send it again" in said.getvalue()
