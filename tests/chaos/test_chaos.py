"""Two minutes in which everything breaks, a part of them dense; and what makes it a chaos that can be had again."""

import os
import sys
from pathlib import Path

import pytest

from tests.chaos.run import chaos
from tests.chaos.schedule import ACTIONS, FAULTS, schedule

SECONDS = float(os.environ.get("PLACET_CHAOS_MINUTES", "2")) * 60
SEED = int(os.environ.get("PLACET_CHAOS_SEED", "51"))
DENSE = 0.4
"""Which part of the time is dense."""
START_AND_CALM_S = 1_500
"""What two starts and the calm after each may take on a busy machine."""


@pytest.mark.timeout(SECONDS + START_AND_CALM_S)
def test_no_promise_is_broken_while_everything_breaks(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One after the other, never side by side: each takes all that the machine gives."""

    def say(text: str) -> None:
        with capsys.disabled():
            sys.stderr.write(f"{text}\n")  # what a worker of pytest-xdist says there is seen
            sys.stderr.flush()

    assert chaos(tmp_path / "one", seed=SEED, seconds=SECONDS * (1 - DENSE), say=say) == []
    assert chaos(tmp_path / "two", seed=SEED, seconds=SECONDS * DENSE, crowded=True, say=say) == []


def test_a_seed_gives_its_schedule_again_and_a_longer_chaos_begins_as_a_shorter_one() -> None:
    assert schedule(7, 60) == [step for step in schedule(7, 120) if step.at < 60]
    assert schedule(7, 60) != schedule(8, 60)


def test_everything_that_can_happen_happens_in_ten_minutes() -> None:
    assert {step.what for step in schedule(7, 600)} == ACTIONS.keys() | FAULTS.keys()
