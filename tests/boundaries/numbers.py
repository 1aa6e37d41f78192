"""How many boundaries were taken, counted where the numbers of all workers come together.

A plugin of pytest. What a test has taken travels with its report, so that it arrives from a worker's process as from this one.
"""

import os
import random
from collections.abc import Callable
from typing import Any, Final, cast

import pytest

EVERY: Final = int(os.environ.get("PLACET_BOUNDARIES_EVERY", "1"))
"""1: a kill at every boundary; 10: at each tenth, for a quick look."""
READS: Final = os.environ.get("PLACET_BOUNDARIES_READS") == "1"
"""Kills also where nothing had changed since the boundary before (tests/boundaries/watch.py): there it leaves what the kill before left."""
TWICE: Final = int(os.environ.get("PLACET_BOUNDARIES_TWICE", "24"))
"""At one boundary in so many, chosen by the seed, the process is killed once more, somewhere in its recovery if it had anything to recover."""
_SEED: Final = "PLACET_BOUNDARIES_SEED"
_TAKEN: Final = "boundaries"

Taken = Callable[[int, int, int], None]
"""Says of a flow how many boundaries it crosses, at how many it was killed, and at how many of these twice."""


def seed() -> str:
    """By what second kills are chosen; the same in every worker."""
    return os.environ[_SEED]


@pytest.fixture
def taken(record_property: Callable[[str, object], None]) -> Taken:
    """Has what a test took counted."""
    return lambda *numbers: record_property(_TAKEN, numbers)


def pytest_configure(config: pytest.Config) -> None:
    os.environ.setdefault(_SEED, str(random.randrange(1_000_000)))  # before there is a worker: all have the same
    if not hasattr(config, "workerinput"):
        config.pluginmanager.register(Numbers(), "placet-boundaries")


class Numbers:
    """The sums, over all flows."""

    def __init__(self) -> None:
        self.taken: list[tuple[int, int, int]] = []

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.when == "call" and report.passed:
            self.taken += [
                cast("tuple[int, int, int]", numbers) for what, numbers in report.user_properties if what == _TAKEN
            ]

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        if self.taken:
            crossed, once, twice = map(sum, zip(*self.taken, strict=True))
            terminalreporter.write_line(
                f"Killed at {once:,} of the {crossed:,} boundaries of {len(self.taken)} flows (at the others nothing had changed since the one before), "
                f"and at {twice:,} of them once more while recovering ({_SEED}={seed()})"
            )
