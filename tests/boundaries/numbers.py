"""How many boundaries were taken, counted where the numbers of all workers come together; and a failure if any was left out.

A plugin of pytest. What a test has taken travels with its report, so that it arrives from a worker's process as from this one.
"""

import os
import random
from collections.abc import Callable
from typing import Any, Final, cast

import pytest

PARTS: Final = 4
"""Into how many tests a flow is divided."""
EVERY: Final = int(os.environ.get("PLACET_BOUNDARIES_EVERY", "1"))
"""1: a kill at every boundary; 10: at each tenth, for a quick look."""
_SEED: Final = "PLACET_BOUNDARIES_SEED"
_TAKEN: Final = "boundaries"

Taken = Callable[[str, int, int, int], None]
"""Says of a flow how many boundaries it has, at how many a part of it was killed, and at how many of these twice."""


def way(part: int | None, boundaries: int) -> range:
    """The boundaries that a part of a flow takes; None: those that all take together."""
    return range(1, boundaries + 1, EVERY) if part is None else range(1 + EVERY * part, boundaries + 1, EVERY * PARTS)


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
    """The sums, by flow."""

    def __init__(self) -> None:
        self.parts: dict[str, list[tuple[int, int, int]]] = {}

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        for what, numbers in report.user_properties if report.when == "call" and report.passed else ():
            if what == _TAKEN:
                flow, boundaries, once, twice = cast("tuple[str, int, int, int]", numbers)
                self.parts.setdefault(flow, []).append((boundaries, once, twice))

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session, exitstatus: int) -> None:
        if exitstatus == pytest.ExitCode.OK and self.wrong():
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        for sentence in self.wrong():
            terminalreporter.write_line(sentence, red=True)
        if self.parts:
            once, twice = (sum(part[n] for parts in self.parts.values() for part in parts) for n in (1, 2))
            terminalreporter.write_line(
                f"Killed at {once:,} boundaries of {len(self.parts)} flows, and at {twice:,} of them once more while recovering ({_SEED}={seed()})"
            )

    def wrong(self) -> list[str]:
        """What speaks against all boundaries having been taken, where all parts of a flow passed."""
        found = []
        for flow, parts in self.parts.items():
            lengths, killed = {part[0] for part in parts}, sum(part[1] for part in parts)
            if len(lengths) > 1:
                found.append(f"{flow}: not the same boundaries every time, but {sorted(lengths)}")
            elif len(parts) == PARTS and killed != len(way(None, min(lengths))):
                found.append(f"{flow}: killed at {killed} of {min(lengths)} boundaries")
        return found
