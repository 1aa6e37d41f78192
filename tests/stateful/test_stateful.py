"""Whatever happens to whatever is under way, in any order: the rows, the provider and Slack are as a small model of the design says.

In every run of the suite a fixed number of examples, the same each time. The long form takes as many as are asked for, with another seed
each time unless one is given; it prints its seed. Whichever fails prints the shortest way to it, and a line that leads there again:

    PLACET_STATEFUL=2000 [PLACET_STATEFUL_SEED=7] python -m pytest tests/stateful -s
"""

import logging
import os
import secrets
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, seed, settings
from hypothesis.stateful import run_state_machine_as_test

from tests.stateful.ground import ground
from tests.stateful.machine import Machine

LONG = int(os.environ.get("PLACET_STATEFUL", "0"))
CI = settings(
    max_examples=100,
    stateful_step_count=40,
    derandomize=True,
    database=None,
    deadline=None,
    print_blob=True,
    suppress_health_check=list(HealthCheck),  # an example is slow, and large, and draws from what there is
    phases=(Phase.generate, Phase.shrink),
)


@pytest.fixture
def quiet() -> Iterator[None]:
    """What breaks on purpose fills no log."""
    logging.disable(logging.CRITICAL)
    yield
    logging.disable(logging.NOTSET)


@pytest.mark.usefixtures("quiet")
@pytest.mark.timeout(600 + 30 * LONG)
def test_everything_is_as_the_model_says(server: str, tmp_path: Path) -> None:
    with ground(server, tmp_path) as laid:
        machine: Any = lambda: Machine(laid)  # noqa: E731  what is run is a function that makes one
        chosen = CI
        if LONG:
            number = int(os.environ.get("PLACET_STATEFUL_SEED") or secrets.randbits(32))
            sys.stdout.write(f"\nPLACET_STATEFUL={LONG} PLACET_STATEFUL_SEED={number}\n")
            machine, chosen = seed(number)(machine), settings(CI, max_examples=LONG, derandomize=False)
        run_state_machine_as_test(machine, settings=chosen)
