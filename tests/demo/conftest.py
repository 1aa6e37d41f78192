"""The whole demo in its real processes, started once for the tests that click in it."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from uuid import UUID

import httpx
import pytest

from bot.sandbox import demo
from bot.sandbox.house import EXAMPLE, House, house
from bot.sandbox.player import Player
from engine.models import RunRecord
from engine.rules import people as people_rules
from engine.state import db, people, policies, runs


@dataclass(frozen=True, slots=True)
class Running:
    """A demo with its orders under way."""

    home: House
    player: Player
    launched: dict[str, str]

    def launch(self, ref: str, amount: str) -> str:
        """One more order; its run's id."""
        from examples.procurement.agent import agent

        row = {"order_ref": ref, "supplier_id": "sup_412", "supplier": "Nordholz Industrial", "item": "hydraulic pumps",
               "quantity": "40", "amount": amount, "currency": "EUR", "payment_method": "pm_card_4417"}  # fmt: skip
        asked = {"agent": agent.name, "input": agent.read_order(row).text, "for": "priya"}
        headers = {"Authorization": f"Bearer {self.home.token}"}
        answer = httpx.post(f"{self.home.bot_url}/agent/launch", json=asked, headers=headers, timeout=15)
        return str(answer.raise_for_status().json()["run_id"])

    def ended(self, run_id: str) -> RunRecord:
        """The run, once it has ended."""

        def look() -> RunRecord | None:
            with db.connect(self.home.database_url) as conn:
                run = runs.get(conn, UUID(run_id))
            return run if run.status in ("done", "error", "cancelled", "in_doubt") else None

        return self.player.until(f"run {run_id} has ended", look)


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """The demo's house on an empty folder, with hours long enough that nothing is due while a test clicks."""
    folder: Path = tmp_path_factory.mktemp("demo")
    with house(folder, port=None, env={}, say=lambda _text: None) as home:
        db.migrate(home.database_url)
        with db.connect(home.database_url) as conn:
            everybody = people_rules.parse((EXAMPLE / "people.toml").read_text("utf-8"))
            people.load(conn, everybody, actor="tests")
            policies.apply(conn, demo.demo_policy(answer_s=3600, step_s=3600), everybody, actor="tests")
        home.start_outside()
        home.start_bot()
        with Player(home.page_url) as player:
            yield Running(home, player, demo.launch_orders(home))
