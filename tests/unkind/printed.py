"""Every fault of Slack in every flow, as it came out, printed at the end of a run.

A plugin of pytest. What a row came to travels with its report, so that it arrives from a worker's process as from this one.
"""

from collections.abc import Callable, Mapping
from typing import Final, cast

import pytest

_CAME_TO: Final = "unkind"

CameTo = Callable[[str, Mapping[str, str]], None]
"""Says of a fault what each flow came to under it: the status of its row, or what is wrong."""


@pytest.fixture
def unkind(record_property: Callable[[str, object], None]) -> CameTo:
    """Has a row printed."""
    return lambda fault, flows: record_property(_CAME_TO, (fault, dict(flows)))


def pytest_configure(config: pytest.Config) -> None:
    if not hasattr(config, "workerinput"):
        config.pluginmanager.register(Printed(), "placet-unkind")


class Printed:
    """The rows, as they come in."""

    def __init__(self) -> None:
        self.rows: dict[str, dict[str, str]] = {}

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        for what, said in report.user_properties if report.when == "call" else ():
            if what == _CAME_TO:
                fault, flows = cast("tuple[str, dict[str, str]]", said)
                self.rows[fault] = flows

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        if self.rows:
            terminalreporter.section("what each flow came to under each fault of Slack; - where it does not meet it")
            flows = list(dict.fromkeys(flow for row in self.rows.values() for flow in row))
            terminalreporter.write_line(" | ".join([f"{'':32}", *(f"{flow:>10}" for flow in flows)]))
            for fault, row in self.rows.items():
                terminalreporter.write_line(
                    " | ".join([f"{fault:32}", *(f"{row.get(flow, '-'):>{max(len(flow), 10)}}" for flow in flows)])
                )
