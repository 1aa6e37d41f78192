"""A deploy, as it is: the first release and today's code on one database, before, during and after the migration, and no click is lost."""

import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import httpx
import pytest

from bot.cards.ids import ACTION_APPROVE
from bot.sandbox import demo
from bot.sandbox.house import EXAMPLE, House, _free_port, house
from bot.sandbox.player import Player
from engine.state import db, runs
from examples.procurement.agent import agent
from tests import rows, world
from tests.chaos.relay import HOST, Relay, relay
from tests.releases import kept

ROOT: Final = Path(__file__).parents[2]
ORDERS: Final = [f"PO-{n}" for n in range(1, 13)]
MIGRATED, REPLACED = 4, 8
"""After how many clicks the database is migrated while the clicking goes on, and after how many the last old process is told to end."""


@dataclass(slots=True)
class Code:
    """One version of Placet, by where its code lies."""

    folder: Path
    env: Mapping[str, str]

    def placet(self, *words: str) -> str:
        """Run a command to its end; what it said. Raises AssertionError with its complaint if it fails."""
        done = subprocess.run(
            [sys.executable, "-m", "bot.cli", *words],
            cwd=self.folder,
            env=dict(self.env),
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    @contextmanager
    def serving(self, log: Path) -> Iterator[int]:
        """`placet serve`, ready; the port it listens on. It is told to end at the end, and has ended then."""
        port = _free_port()
        with log.open("ab") as sink:
            process = subprocess.Popen(
                [sys.executable, "-W", "ignore", "-m", "bot.cli", "serve"], cwd=self.folder, env={**self.env, "PORT": str(port)},
                stdout=sink, stderr=sink,
            )  # fmt: skip
        try:
            with Player(f"http://{HOST}:{port}") as door:
                door.until(f"{self.folder} serves; its log is {log}", lambda: _ready(port))
            yield port
        finally:
            process.terminate()
            try:
                process.wait(30)
            finally:
                process.kill()
                process.wait()


def _ready(port: int) -> bool | None:
    try:
        return httpx.get(f"http://{HOST}:{port}/readyz", timeout=2).is_success or None
    except httpx.HTTPError:
        return None


@dataclass(slots=True)
class Clicking:
    """Marta approves one order after another, each by a connection of its own, so that old and new code take turns."""

    player: Player
    front: Relay
    clicked: threading.Semaphore = field(default_factory=lambda: threading.Semaphore(0))
    count: int = 0

    def run(self) -> None:
        for ref in ORDERS:
            self.front.cut_all()
            self.player.press("U0MARTA", f"order {ref}.", ACTION_APPROVE, channel="C0BUY")
            self.clicked.release()

    def await_clicks(self, count: int) -> None:
        """Wait until so many have been answered."""
        while self.count < count:
            assert self.clicked.acquire(timeout=60)
            self.count += 1


@dataclass(slots=True)
class Deploy:
    """A house whose front leads to whichever processes serve at the moment."""

    home: House
    front: Relay
    folder: Path

    def furnish(self, old: Code) -> None:
        """Let the first release make the database, as it did."""
        policy = self.folder / "policy.toml"
        policy.write_text(demo.demo_policy(answer_s=900, step_s=900), "utf-8")
        assert "0001_initial" in old.placet("migrate")
        old.placet("people", "import", str(EXAMPLE / "people.toml"))
        old.placet("policy", "apply", str(policy))
        self.home.start_outside()

    def happen(self, old: Code, new: Code, player: Player) -> None:
        """Orders are launched and approved all the while; the migration comes, then new processes beside the old, then they alone."""
        clicking = Clicking(player, self.front)
        with ExitStack() as to_the_end, ThreadPoolExecutor(1) as hand:
            with old.serving(self.folder / "old.log") as before:
                self.front.lead_to(before)
                for ref in ORDERS:
                    self.launch(ref)
                all_clicked = hand.submit(clicking.run)
                clicking.await_clicks(MIGRATED)
                new.placet("migrate")
                after = to_the_end.enter_context(new.serving(self.folder / "new.log"))
                self.front.lead_to(before, after)
                clicking.await_clicks(REPLACED)
                self.front.lead_to(after)
            all_clicked.result()
            player.until("every order is paid", lambda: _all_paid(player))

    def launch(self, ref: str) -> None:
        """Order something, over HTTP."""
        asked = {"agent": agent.name, "input": world.order(ref), "for": "priya", "launch_key": ref}
        headers = {"Authorization": f"Bearer {self.home.token}"}
        url = f"http://{HOST}:{self.front.port}/agent/launch"
        httpx.post(url, json=asked, headers=headers, timeout=10).raise_for_status()


@pytest.fixture
def deploy(tmp_path: Path) -> Iterator[Deploy]:
    with relay() as front:
        env = {"OUTSIDE_APP_URL": f"http://{HOST}:{front.port}/slack/events"}
        with house(tmp_path / "house", port=0, env=env, say=lambda _text: None) as home:
            yield Deploy(home, front, tmp_path)


@pytest.mark.timeout(300)
def test_no_click_is_lost_and_no_order_paid_twice_while_old_and_new_run_side_by_side(
    deploy: Deploy, tmp_path: Path
) -> None:
    old = Code(kept.Release(kept.FIRST).code(tmp_path / "old"), deploy.home.env)
    new = Code(ROOT, deploy.home.env)
    deploy.furnish(old)
    with Player(deploy.home.page_url) as player:
        deploy.happen(old, new, player)
        assert _all_paid(player)
    for code in (old, new):
        assert "none altered" in code.placet("audit", "verify")
    with db.connect(deploy.home.database_url) as conn:
        listed = runs.listed(conn, limit=50)
        assert {(line.launch_key, line.status) for line in listed} == {(ref, "done") for ref in ORDERS}
        rows.consistent(conn)


def _all_paid(player: Player) -> bool | None:
    paid = [
        p["metadata"]["order_ref"] for p in player.get("/stripe/_payments")["payments"] if p["status"] == "succeeded"
    ]
    assert len(paid) == len(set(paid)), paid
    return set(paid) == set(ORDERS) or None
