"""The matrix as it came out, printed at the end of a run.

A plugin of pytest. What a cell came to travels with its report, so that it arrives from a worker's process as from this one.
"""

from collections.abc import Callable, Mapping
from typing import Any, Final, cast

import pytest

from tests.matrix.cells import CRASHES, FAULTS, WINDOWS, Cell, End

_CAME_TO: Final = "matrix"
_HEAD: Final[Mapping[str, str]] = {
    "none": "no crash",
    "unbegun": "killed before it is on record",
    "begun": "killed before the call",
    "called": "killed during the call",
    "answered": "killed after the answer",
    "recorded": "killed after the record",
    "froze_begun": "stood still before the call",
    "froze_called": "stood still during the call",
}

CameTo = Callable[[Cell, End], None]
"""Says of a cell what it came to."""


@pytest.fixture
def came_to(record_property: Callable[[str, object], None]) -> CameTo:
    """Has what a cell came to printed."""
    return lambda cell, end: record_property(_CAME_TO, (*cell.row, cell.crash, str(end)))


def pytest_configure(config: pytest.Config) -> None:
    if not hasattr(config, "workerinput"):
        config.pluginmanager.register(Printed(), "placet-matrix")


class Printed:
    """The cells, as they come in."""

    def __init__(self) -> None:
        self.cells: dict[tuple[str, str, str], dict[str, str]] = {}

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        for what, said in report.user_properties if report.when == "call" else ():
            if what == _CAME_TO:
                fault, window, find, crash, end = cast("tuple[str, str, str, str, str]", said)
                self.cells.setdefault((fault, window, find), {})[crash] = end if report.passed else f"{end} WRONG"

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        if self.cells:
            terminalreporter.section("payments at the provider, and what the ledger says of them")
            for line in lines(self.cells):
                terminalreporter.write_line(line)


def lines(found: Mapping[tuple[str, str, str], Mapping[str, str]]) -> list[str]:
    """The table: a row for each fault, window and find, a column for each crash; "-" where there can be no such cell, or it was not played."""

    def place(row: tuple[str, str, str]) -> Any:
        return FAULTS.index(row[0]), WINDOWS.index(row[1]), row[2]

    heads = [_HEAD[crash].split(" ", 2) for crash in CRASHES]
    table = [
        ("", "", "", *(" ".join(words[:2]) for words in heads)),
        ("", "", "", *(" ".join(words[2:]) for words in heads)),
    ]
    table += [(*row, *(found[row].get(crash, "-") for crash in CRASHES)) for row in sorted(found, key=place)]
    widths = [max(len(line[n]) for line in table) for n in range(len(table[0]))]
    return ["  ".join(text.ljust(width) for text, width in zip(line, widths, strict=True)).rstrip() for line in table]
