"""Durability: what was asked for while something ran takes effect after it, and is said truthfully meanwhile."""

from pathlib import Path
from typing import Any

from bot import main
from bot.sandbox.model import QueueScript, ask, say
from engine.state import runs
from tests import database, world
from tests.bot.house import API_TOKEN, living, settings
from tests.bot.office import Office
from tests.cases.patient import gates


def test_a_pause_over_http_during_a_step_lets_it_end_and_keeps_the_next_from_starting(
    office: Office, db_url: str, conn: Any, tmp_path: Path
) -> None:
    """D5: two long tools in one turn; the pause comes while the first one runs."""
    database.apply_policy(conn)
    script = QueueScript([ask(("wait", {"at": "first"}), ("wait", {"at": "second"})), say("Done.")])
    with gates("first", "second") as (first, second), world.world(tmp_path, script) as outside:
        given = settings(
            office, db_url, anthropic_base_url=f"{outside.address}/anthropic", agents=("tests.cases.patient",)
        )
        with living(office, given, main.PARTS) as home:
            home.http.headers["Authorization"] = f"Bearer {API_TOKEN}"
            what = {"agent": "patient", "input": "Wait twice.", "for": "priya"}
            run = {"run_id": home.http.post("/agent/launch", json=what).json()["run_id"]}
            assert first.reached.wait(10)

            assert home.http.post("/agent/pause", json=run).json()["status"] == "pausing"
            shown = home.http.get(f"/agent/runs/{run['run_id']}").json()
            assert (shown["status"], shown["hold"]) == ("running", True)
            first.opened.set()
            office.await_(lambda: home.http.get(f"/agent/runs/{run['run_id']}").json()["status"] == "paused")
            assert not second.reached.is_set()
            assert [call.result for call in runs.load(conn, runs.named(conn, run["run_id"])).calls] == [
                {"text": "first passed", "is_error": False},
                None,
            ]

            assert home.http.post("/agent/resume", json=run).json()["status"] == "queued"
            assert home.http.post("/agent/resume", json=run).status_code == 409
            assert second.reached.wait(10)
            second.opened.set()
            office.await_(lambda: home.http.get(f"/agent/runs/{run['run_id']}").json()["status"] == "done")
