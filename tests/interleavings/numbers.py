"""How many interleavings were gone through, counted where the numbers of all workers come together; and the seed that all of them have.

A plugin of pytest. What a test went through travels with its report, so that it arrives from a worker's process as from this one.
"""

import os
import random
from collections import Counter
from collections.abc import Callable
from typing import Any, Final, cast

import pytest

_SEED: Final = "PLACET_INTERLEAVINGS_SEED"
_GONE_THROUGH: Final = "interleavings"

GoneThrough = Callable[[str, int], None]
"""Says of a scene how many orders a test went through in it."""


def seed() -> str:
    """By what orders are chosen; the same in every worker."""
    return os.environ[_SEED]


@pytest.fixture
def gone_through(record_property: Callable[[str, object], None]) -> GoneThrough:
    """Has what a test went through counted."""
    return lambda scene, orders: record_property(_GONE_THROUGH, (scene, orders))


def pytest_configure(config: pytest.Config) -> None:
    os.environ.setdefault(_SEED, f"{random.randrange(16**6):06x}")  # before there is a worker: all have the same
    if not hasattr(config, "workerinput"):
        config.pluginmanager.register(Numbers(), "placet-interleavings")


class Numbers:
    """The sums, by scene."""

    def __init__(self) -> None:
        self.orders: Counter[str] = Counter()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        for what, numbers in report.user_properties if report.when == "call" and report.passed else ():
            if what == _GONE_THROUGH:
                scene, orders = cast("tuple[str, int]", numbers)
                self.orders[scene] += orders

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        if self.orders:
            terminalreporter.write_line(
                f"Gone through {self.orders.total():,} interleavings in {len(self.orders)} scenes ({_SEED}={seed()})"
            )
