"""A question beside processes of the first release, which know none: they show it, send it on, and can settle it neither by a yes nor by a no."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from bot.cards.ids import screen_id
from engine.models import Decided
from engine.state import events, pauses
from tests import rows
from tests.bot.command_line import as_url
from tests.releases import kept

Old = Callable[..., subprocess.CompletedProcess[str]]
SWEEP = "import sys; from engine.state import db; from engine.workers.sweep import Sweeper; Sweeper(db.pool(sys.argv[1], size=1)).run()"


@pytest.fixture
def old(tmp_path: Path, db_url: str) -> Old:
    """Runs Python with the code of the first release, on today's database."""
    code = kept.Release(kept.FIRST).code(tmp_path / "old")
    given = {name: value for name, value in os.environ.items() if not name.startswith(("SLACK_", "PLACET_"))}
    env = given | {"DATABASE_URL": as_url(db_url), "PYTHONPATH": str(code), "PYTHONSAFEPATH": "1"}

    def run(*words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run([sys.executable, *words], cwd=code, env=env, capture_output=True, text=True, check=False)

    return run


@pytest.mark.parametrize("verb", ["approve", "deny"])
def test_a_process_of_the_first_release_can_neither_approve_nor_deny_it(conn: Any, old: Old, verb: str) -> None:
    [pause_id] = rows.waiting(conn, **rows.question("Nordholz", "Brandt"))
    name = screen_id("pause", pause_id)
    listed = old("-m", "bot.cli", "pending")
    assert name in listed.stdout, listed.stderr
    said = old("-m", "bot.cli", verb, name, "--as", "marta")
    assert said.returncode != 0
    assert "run_pause_is_sound" in said.stderr
    assert pauses.get(conn, pause_id).status == "waiting"
    assert isinstance(pauses.answer(conn, pause_id, "marta", "Nordholz", surface="tests"), Decided)
    assert isinstance(events.verify(conn, pauses.get(conn, pause_id).run_id), events.Verified)


def test_its_sweep_sends_it_on_and_ends_it_as_any_other(conn: Any, old: Old, db_url: str) -> None:
    [pause_id] = rows.waiting(conn, **rows.question())
    for approver, status in (("person:otto", "waiting"), ("person:otto", "expired")):
        rows.make_due(conn, pause_id)
        swept = old("-c", SWEEP, as_url(db_url))
        assert swept.returncode == 0, swept.stderr
        pause = pauses.get(conn, pause_id)
        assert (pause.approver, pause.status) == (approver, status)
