"""Everything that people are shown looks as it was last reviewed."""

import json
import os
from pathlib import Path
from typing import get_args

import pytest

from bot.cards.parts import Message
from engine.models import PauseStatus
from tests.bot.asked import statuses
from tests.bot.gallery import gallery
from tests.bot.painted import opened, taken

SNAPSHOTS = Path(__file__).parent / "snapshots"
SHOWN = gallery()


@pytest.mark.parametrize("name", SHOWN)
def test_it_looks_as_it_was_last_reviewed(name: str) -> None:
    """PLACET_SNAPSHOTS=write writes them anew; review the difference as the reader will see it, or its picture (tests/bot/pictures.py)."""
    file, payload = SNAPSHOTS / f"{name}.json", SHOWN[name]
    if "type" in payload:
        opened(payload)
    else:
        taken(Message(**payload))
    now = json.dumps(payload, indent=2, ensure_ascii=False) + "\n"
    if os.environ.get("PLACET_SNAPSHOTS") == "write":
        file.write_text(now, "utf-8")
    assert now == file.read_text("utf-8")


def test_every_status_has_its_snapshot_and_no_snapshot_is_left_over() -> None:
    assert {shown.status for shown in statuses().values()} == set(get_args(PauseStatus))
    assert {file.stem for file in SNAPSHOTS.iterdir()} == set(SHOWN)
