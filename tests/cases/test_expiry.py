"""Expiry: silence comes to its answer on time, by itself, in any time zone, and whatever the sweep was kept from meanwhile."""

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest

from bot import main
from bot.cards import ids
from bot.delivery.courier import Courier
from bot.delivery.repaint import paint_due
from bot.sandbox.buyer import buyer
from bot.sandbox.model import ask, say
from engine.rules.needs import Step
from engine.state import db, pauses, runs
from engine.workers.sweep import Sweeper
from tests import database, rows, world
from tests.bot.command_line import as_url
from tests.bot.house import API_TOKEN, Home, environment, living, settings
from tests.bot.office import Office, actions_of, text_of
from tests.engine.workers.conftest import Desks
from tests.engine.workers.shop import Shop, pay


def test_what_nobody_clicks_expires_by_itself_and_everybody_sees_it(
    office: Office, db_url: str, conn: Any, tmp_path: Path
) -> None:
    """E1: no click at all; card, run and list follow the hour."""
    database.apply_policy(conn)
    with world.world(tmp_path, buyer) as outside:
        given = settings(office, db_url, anthropic_base_url=f"{outside.address}/anthropic")
        with living(office, given, main.PARTS) as home:
            home.http.headers["Authorization"] = f"Bearer {API_TOKEN}"
            what = {"agent": "procurement", "input": world.order(amount="5000.00"), "for": "priya"}
            run_id = home.http.post("/agent/launch", json=what).json()["run_id"]
            card = home.card()
            [listed] = home.http.get("/approvals").json()["approvals"]

            conn.execute("UPDATE run_pause SET fire_at = clock_timestamp()")
            office.await_(lambda: "Nobody answered in time" in text_of(home.card()["blocks"]))
            office.await_(lambda: home.http.get(f"/agent/runs/{run_id}").json()["status"] == "done", 20)

            [card] = [m for m in office.messages("C0BUY") if m["ts"] == card["ts"]]
            assert {ids.ACTION_APPROVE, ids.ACTION_DENY}.isdisjoint(actions_of(card))
            assert home.http.get("/approvals").json()["approvals"] == []
            shown = home.http.get(f"/approvals/{listed['id']}").json()
            assert (shown["status"], shown["votes"]) == ("expired", [])
            assert "Nobody answered by" in str(home.http.get(f"/agent/runs/{run_id}").json()["messages"])
            assert outside.payments("PO-1") == []


def test_an_absent_approver_means_the_next_one_and_never_a_silent_no(
    conn: Any, courier: Courier, office: Office
) -> None:
    """E3: three steps, each approver silent for three days; the card says what will happen and when."""
    steps = (
        Step(manager_of="approver", answer_within_s=86_400),
        Step(manager_of="approver", answer_within_s=86_400),
        Step(role="finance-lead", answer_within_s=86_400),
    )
    [pause_id] = rows.waiting(conn, need=replace(rows.NEED, steps=steps))
    silent: list[tuple[str, str, str]] = []
    for channel in ("C0BUY", "D0OTTO", "D0INES", "C0BUY"):
        paint_due(courier)
        pause, text = pauses.get(conn, pause_id), text_of(office.messages(channel)[-1]["blocks"])
        assert pause.status == "waiting"
        assert f"<!date^{int(pause.fire_at.timestamp())}^" in text
        [said] = re.findall(r"If nobody answers, (.*)\.", text)
        rows.make_due(conn, pause_id, seconds=3 * 86_400)
        [moved] = Sweeper(courier.pool).run()
        silent.append((pause.approver, said, moved.event))
    assert silent == [
        (
            "person:marta",
            "it goes to the next manager above Marta Keller, if they may decide on it; else it goes where its rule says next",
            "escalate",
        ),
        (
            "person:otto",
            "it goes to the next manager above Otto Brandt, if they may decide on it; else it goes where its rule says next",
            "escalate",
        ),
        (
            "person:ines",
            "it goes to whoever has the role finance-lead, if they may decide on it; else nothing is done",
            "escalate",
        ),
        ("role:finance-lead", "it counts as not approved, and nothing is done", "expire"),
    ]
    ended = pauses.get(conn, pause_id)
    assert (ended.status, ended.votes, ended.decided_by) == ("expired", (), None)


def test_after_a_machine_slept_everything_due_is_taken_at_once_however_long_ago(
    pool: db.Pool, conn: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """E8: the clock that nobody can set stands still while a machine sleeps, and a sweep looks back two minutes as a rule."""
    sweeper, asleep_s = Sweeper(pool), 600
    assert sweeper.run() == []
    due = [rows.waiting(conn)[0] for _ in range(3)]
    for pause_id, ago_s in zip(due, (5, 180, asleep_s - 1), strict=True):
        rows.make_due(conn, pause_id, ago_s)
    now = time.time
    monkeypatch.setattr(time, "time", lambda: now() + asleep_s)
    assert {moved.pause_id for moved in sweeper.run()} == set(due)


@pytest.fixture(params=["Asia/Kolkata", "America/New_York"])
def far_away(request: pytest.FixtureRequest, conn: Any) -> Iterator[str]:
    """A database that keeps its hours somewhere else, for every session that is opened from now on."""
    conn.execute(f"ALTER DATABASE placet SET timezone = '{request.param}'")
    yield str(request.param)
    conn.execute("ALTER DATABASE placet RESET timezone")
    database.hang_up()  # those that were opened meanwhile keep theirs


def test_the_model_is_told_the_hour_in_utc_wherever_the_database_is(far_away: str, desks: Desks, shop: Shop) -> None:
    """E6: what is called UTC is UTC."""
    desk = desks(ask(pay(amount="5000.00")), say("Done."), agent=shop.agent)
    desk.means.pool.drain()
    run_id = desk.start()
    rows.make_due(desk.conn, desk.pause(run_id).id)
    fire_at = desk.pause(run_id).fire_at
    assert len(Sweeper(desk.means.pool).run()) == 1
    desk.work()
    assert desk.texts(run_id)[0].startswith(f"Nobody answered by {fire_at.astimezone(UTC):%d %b %H:%M} UTC,")


ASKED = """
import os
from tests import database, rows
with database.connect(os.environ["WHERE"]) as conn:
    print(rows.waiting(conn)[0])
"""


@pytest.mark.parametrize("zone", ["Asia/Kolkata", "America/New_York", "UTC"])
def test_an_hour_is_the_same_instant_whatever_the_zone_of_the_process(db_url: str, conn: Any, zone: str) -> None:
    """E6: a process with its own TZ writes the hour, and a command in it shows the hour."""
    there = os.environ | {"TZ": zone, "PGTZ": zone, "WHERE": db_url, "DATABASE_URL": as_url(db_url), "COLUMNS": "200"}
    made = subprocess.run([sys.executable, "-c", ASKED], env=there, capture_output=True, text=True, check=True)
    pause_id = made.stdout.strip()
    pause = pauses.get(conn, UUID(pause_id))
    assert pause.fire_at - pause.created_at == timedelta(hours=4)
    assert abs(datetime.now(UTC) - pause.created_at) < timedelta(minutes=1)
    show = [sys.executable, "-m", "bot.cli", "show", pause_id]
    shown = subprocess.run(show, env=there, capture_output=True, text=True, check=True).stdout
    assert f"{pause.fire_at.astimezone(UTC):%H:%M} UTC" in shown
    run = [sys.executable, "-m", "bot.cli", "show", str(pause.run_id)]
    record = subprocess.run(run, env=there, capture_output=True, text=True, check=True).stdout
    assert f"{pause.created_at.astimezone(UTC):%Y-%m-%d %H:%M:%S}" in record


@pytest.mark.parametrize("hour", ["2031-03-01T09:00:00", "2031-03-01T09:00:00+05:30"])
def test_no_hour_is_taken_from_whoever_launches(home: Home, conn: Any, hour: str) -> None:
    """E6: the policy says until when; a launch that wants to is refused with the field, whatever its offset."""
    what = {"agent": "procurement", "input": "Buy.", "for": "priya", "fire_at": hour}
    refused = home.http.post("/agent/launch", json=what, headers={"Authorization": f"Bearer {API_TOKEN}"})
    assert (refused.status_code, refused.json()["field"]) == (422, "fire_at")
    assert runs.listed(conn) == []


def test_a_process_that_slept_takes_everything_due_when_it_wakes(office: Office, db_url: str, conn: Any) -> None:
    """E8: the process is stopped as a machine that sleeps, and three requests fall due meanwhile."""
    asked = [rows.waiting(conn)[0] for _ in range(3)]
    command = [sys.executable, "-m", "bot.cli", "serve", "--only", "sweep"]
    env = environment(office, db_url, PLACET_SWEEP="0.2")
    with subprocess.Popen(command, env=env, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        try:
            assert any("started: sweep" in text for text in iter(process.stderr.readline, ""))
            process.send_signal(signal.SIGSTOP)
            for pause_id in asked:
                rows.make_due(conn, pause_id, seconds=180)
            process.send_signal(signal.SIGCONT)
            office.await_(lambda: len(office.messages("D0OTTO")) == 3)
        finally:
            process.terminate()
            process.wait(20)
    assert [pauses.get(conn, pause_id).level for pause_id in asked] == [1, 1, 1]


def test_a_sweep_that_is_kept_waiting_takes_everything_due_once_it_can(
    office: Office, db_url: str, conn: Any, caplog: pytest.LogCaptureFixture
) -> None:
    """E8: somebody sits on the table of people when the hour comes; the sweep fails, says so, and the next one settles all."""
    asked = [rows.waiting(conn)[0] for _ in range(3)]
    with living(office, settings(office, db_url), frozenset({"sweep"})):
        with database.connect(db_url) as other, other.transaction():
            other.execute("LOCK TABLE person IN ACCESS EXCLUSIVE MODE")
            conn.execute("UPDATE run_pause SET fire_at = clock_timestamp()")
            office.await_(lambda: any("nothing was swept" in record.getMessage() for record in caplog.records))
        office.await_(lambda: all(pauses.get(conn, pause_id).level == 1 for pause_id in asked))


def test_a_sweep_that_comes_late_is_said_by_us() -> None:
    """E8: what the machine slept through is a line in our own log, and an ordinary second is none."""
    beat = main.Beat(every_s=1)
    assert [beat.silent_s(at) for at in (1_000.0, 1_001.0, 1_002.3, 1_182.3, 1_183.3)] == [
        None,
        None,
        None,
        180.0,
        None,
    ]
