"""A short chaos, by command until it has been quiet for long, and what makes it one that can be had again."""

import os
from pathlib import Path

import pytest

from tests.chaos.run import chaos
from tests.chaos.schedule import ACTIONS, FAULTS, schedule

SECONDS = float(os.environ.get("PLACET_CHAOS_MINUTES", "0.75")) * 60
SEED = int(os.environ.get("PLACET_CHAOS_SEED", "51"))


@pytest.mark.skipif(
    "PLACET_CHAOS_MINUTES" not in os.environ,
    reason="CHAOS IS NOT RUN HERE: set PLACET_CHAOS_MINUTES, or python -m tests.chaos --seed 51",
)
@pytest.mark.timeout(SECONDS + 400)
def test_no_promise_is_broken_while_everything_breaks(tmp_path: Path) -> None:
    assert chaos(tmp_path, seed=SEED, seconds=SECONDS) == []


def test_a_seed_gives_its_schedule_again_and_a_longer_chaos_begins_as_a_shorter_one() -> None:
    assert schedule(7, 60) == [step for step in schedule(7, 120) if step.at < 60]
    assert schedule(7, 60) != schedule(8, 60)


def test_everything_that_can_happen_happens_in_ten_minutes() -> None:
    assert {step.what for step in schedule(7, 600)} == ACTIONS.keys() | FAULTS.keys()
