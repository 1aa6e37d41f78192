"""The whole process: from a launch to a receipt, what is due moves by itself, and it stops in good order when told."""

import logging
import signal
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any
from uuid import UUID

import httpx
import psycopg
import pytest

from bot import main
from bot.cards import ids
from engine.errors import Misconfigured
from engine.state import outage, pauses, runs
from tests import database, rows, world
from tests.bot.command_line import NOWHERE
from tests.bot.house import API_TOKEN, environment, living, settings
from tests.bot.office import Json, Office, actions_of, text_of

LAUNCH = {"agent": "procurement", "input": world.order(), "for": "priya", "launch_key": "PO-1"}


def test_an_order_is_launched_asked_approved_and_paid_and_everybody_sees_it(
    office: Office, db_url: str, conn: Any, tmp_path: Path
) -> None:
    database.apply_policy(conn)
    with world.world(tmp_path) as outside:
        given = settings(office, db_url, anthropic_base_url=f"{outside.address}/anthropic", workers=2)
        with living(office, given, main.PARTS) as home:
            launched = home.http.post("/agent/launch", json=LAUNCH, headers={"Authorization": f"Bearer {API_TOKEN}"})
            run_id = UUID(launched.json()["run_id"])
            card = home.card("D0MARTA")
            assert "EUR 38,000.00" in text_of(card)
            assert outside.payments("PO-1") == []
            assert office.press("U0MARTA", card, ids.ACTION_APPROVE) == {"ok": True}
            office.await_(lambda: "is done" in text_of(office.messages("D0PRIYA")), 20)
            office.await_(lambda: "Approved by Marta Keller (marta), and done." in text_of(office.messages("D0MARTA")))
            assert len(outside.payments("PO-1")) == 1
            assert runs.get(conn, run_id).status == "done"
            assert actions_of(home.card("D0MARTA")) == [ids.ACTION_DETAILS]


def test_what_is_due_moves_by_itself_and_the_log_says_so(
    office: Office, db_url: str, conn: Any, caplog: pytest.LogCaptureFixture
) -> None:
    [pause_id] = rows.waiting(conn)
    with caplog.at_level(logging.INFO), living(office, settings(office, db_url), frozenset({"web", "sweep"})) as home:
        home.card()
        rows.make_due(conn, pause_id)
        dm = office.await_(lambda: next(iter(office.messages("D0OTTO")), None), 5)
        assert ids.ACTION_APPROVE in actions_of(dm)
        rows.make_due(conn, pause_id)
        office.await_(lambda: "Nobody answered in time, so nothing was done." in text_of(office.messages("D0OTTO")), 5)
    assert pauses.get(conn, pause_id).status == "expired"
    said = [record.getMessage() for record in caplog.records if record.name == "placet"]
    name = ids.screen_id("pause", pause_id)
    assert said == [f"{name}: escalate, waiting, with person:otto", f"{name}: expire, expired, with person:otto"]


def test_slack_down_neither_blocks_the_sweep_nor_loses_a_card(office: Office, db_url: str, conn: Any) -> None:
    [pause_id] = rows.waiting(conn)
    with living(office, settings(office, db_url), frozenset({"web", "sweep"})) as home:
        home.card()
        office.fault("*", "status", times=6)
        rows.make_due(conn, pause_id)
        office.await_(lambda: home.pause(pause_id).level == 1 or None, 5)
        conn.execute("UPDATE card SET not_before = NULL")
        office.await_(lambda: _asked_again(conn, office), 15)


def _asked_again(conn: Any, office: Office) -> list[Json]:
    conn.execute("UPDATE card SET not_before = NULL WHERE not_before IS NOT NULL")
    return office.messages("D0OTTO")


def test_a_token_that_slack_does_not_take_is_said_before_anything_starts(office: Office, db_url: str) -> None:
    with pytest.raises(Misconfigured) as caught:
        main.assemble(settings(office, db_url, slack_bot_token="xoxb-wrong-token"))
    [fault] = caught.value.faults
    assert fault.startswith("Slack did not say whose token SLACK_BOT_TOKEN is: invalid_auth.")


def test_where_slack_cannot_be_reached_the_start_blames_no_token(office: Office, db_url: str) -> None:
    with pytest.raises(Misconfigured) as caught:
        main.assemble(settings(office, db_url, slack_api_url="http://127.0.0.1:1/api/"))
    [fault] = caught.value.faults
    assert fault.startswith("Slack cannot be reached from here (URLError: ")
    assert fault.endswith("Or set SLACK_TEAM_ID, and start without having asked.")
    assert "TOKEN" not in fault


def test_an_agent_that_cannot_be_loaded_is_said_with_it(office: Office, db_url: str) -> None:
    with pytest.raises(Misconfigured) as caught:
        main.assemble(settings(office, db_url, agents=("examples.gardener",), slack_bot_token="xoxb-wrong-token"))
    gardener, token = caught.value.faults
    assert gardener.startswith("examples.gardener cannot be imported")
    assert "SLACK_BOT_TOKEN" in token


@pytest.mark.parametrize(
    ("wrong", "code", "said"),
    [
        ({"DATABASE_URL": NOWHERE}, 1, "The database cannot be reached: "),
        ({"HOST": "nowhere.invalid"}, 2, "- HOST is 'nowhere.invalid', which names no address "),
    ],
)
def test_what_is_out_of_reach_is_said_before_anything_starts(
    office: Office, db_url: str, wrong: dict[str, str], code: int, said: str
) -> None:
    assert said in refused(environment(office, db_url, **wrong), code)


def refused(env: dict[str, str], code: int = 2) -> str:
    """What `placet serve` says when it does not start."""
    done = subprocess.run(
        [sys.executable, "-m", "bot.cli", "serve"], check=False, env=env, capture_output=True, text=True, timeout=30
    )
    assert done.returncode == code, done.stderr
    assert "Traceback" not in done.stderr
    assert "started" not in done.stderr
    return done.stderr


def test_a_port_that_is_taken_is_said(office: Office, db_url: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        assert f"- PORT is {port}, and nothing can listen there on 127.0.0.1" in refused(
            environment(office, db_url, PORT=str(port))
        )


@pytest.mark.parametrize("key", ["", "sk_test_..."])
def test_a_providers_key_that_is_not_there_is_said_before_an_approval_is_lost_for_it(
    office: Office, db_url: str, key: str
) -> None:
    said = refused(environment(office, db_url, STRIPE_API_KEY=key))
    assert (
        "- STRIPE_API_KEY is not set. Set it to the provider's key: procurement.charge_supplier cannot do what is approved"
        in said
    )


def test_a_providers_key_that_is_not_there_is_in_the_same_report_as_the_rest(
    office: Office, db_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("STRIPE_API_KEY", raising=False)
    with pytest.raises(Misconfigured) as caught:
        main.assemble(settings(office, db_url, slack_bot_token="xoxb-wrong-token"), works=True)
    assert ["SLACK_BOT_TOKEN" in fault or "STRIPE_API_KEY is not set" in fault for fault in caught.value.faults] == [
        True,
        True,
    ]


def test_a_database_that_was_never_migrated_is_said(office: Office, server: str) -> None:
    with database.connect(server) as conn:
        conn.execute("DROP DATABASE IF EXISTS placet_unmade")
        conn.execute("CREATE DATABASE placet_unmade")
    unmade = psycopg.conninfo.make_conninfo(server, dbname="placet_unmade")
    assert "Make them: placet migrate" in refused(environment(office, unmade))


def test_a_database_of_an_earlier_release_is_said_and_one_of_a_later_release_will_do(
    office: Office, db_url: str, conn: Any
) -> None:
    newest = conn.execute("SELECT max(name) FROM migration").fetchone()
    conn.execute("UPDATE migration SET name = '0000_' || name WHERE name = %s", newest)
    try:
        assert f"and this version needs {newest[0]}. Run: placet migrate" in refused(environment(office, db_url))
        conn.execute("INSERT INTO migration (name) VALUES ('9999_to_come')")
        assert outage.behind(conn) is None
    finally:
        conn.execute("DELETE FROM migration WHERE name LIKE '9999%'")
        conn.execute("UPDATE migration SET name = %s WHERE name LIKE '0000_%%'", newest)


WITHOUT_THE_MODEL = """
import sys
from bot.main import assemble
from engine.settings import Settings
house = assemble(Settings.from_env())
house.start(frozenset({"web", "sweep"}))
house.close()
print("anthropic" in sys.modules)
"""


def test_a_web_process_does_not_load_the_models_sdk(office: Office, db_url: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT_THE_MODEL],
        check=False,
        env=environment(office, db_url),
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert (done.stdout.strip(), done.returncode) == ("False", 0), done.stderr


@pytest.mark.parametrize("told", [signal.SIGTERM, signal.SIGINT])
def test_a_process_that_is_told_to_stop_stops_in_good_order(office: Office, db_url: str, told: signal.Signals) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    run = "from bot.main import serve; from engine.settings import Settings; serve(Settings.from_env())"
    with subprocess.Popen(
        [sys.executable, "-c", run], env=environment(office, db_url, PORT=str(port)), stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stderr is not None
        lines = []
        for line in process.stderr:
            lines.append(line)
            if "started: sweep, web, worker" in line:
                break
        answer = httpx.HTTPTransport(retries=5)
        with httpx.Client(transport=answer, base_url=f"http://127.0.0.1:{port}", timeout=10) as client:
            assert client.get("/readyz").status_code == 200, lines
        process.send_signal(told)
        rest = process.stderr.read()
        assert process.wait(20) == 0, rest
    assert "stopping" in rest
    assert "Traceback" not in rest


def test_several_processes_on_one_database_send_each_card_once(office: Office, db_url: str, conn: Any) -> None:
    for _ in range(5):
        rows.waiting(conn)
    given = settings(office, db_url)
    parts = frozenset({"web", "sweep"})
    with living(office, given, parts) as one, living(office, given, parts) as two:
        for home in (one, two):
            home.house.bell.ring()
        office.await_(lambda: len(office.messages("C0BUY")) >= 5 or None)
        conn.execute("UPDATE run_pause SET fire_at = clock_timestamp() - interval '1 s'")
        office.await_(lambda: len(office.messages("D0OTTO")) >= 5 or None)
    assert (len(office.messages("C0BUY")), len(office.messages("D0OTTO"))) == (5, 5)
