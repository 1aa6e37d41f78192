"""What every test may ask for: a real PostgreSQL, started once, and a migrated, empty database in it."""

import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from engine.rules.seal import NO_KEYS, Keys
from tests import budgets, database

# Here, because the process that collects no tests must have them too.
pytest_plugins = [
    "tests.boundaries.numbers",
    "tests.interleavings.numbers",
    "tests.matrix.printed",
    "tests.unkind.printed",
]


@pytest.fixture(scope="session")
def server() -> Iterator[str]:
    """The URL of a PostgreSQL server that lives as long as the tests."""
    with (
        tempfile.TemporaryDirectory(prefix="placet-tests-", ignore_cleanup_errors=True) as folder,
        database.server(Path(folder)) as url,
    ):
        yield url
        database.hang_up()


@pytest.fixture(scope="session")
def migrated(server: str) -> str:
    """The URL of a database with today's schema, shared by all tests."""
    return database.migrated(server, "placet")


@pytest.fixture
def db_url(migrated: str) -> str:
    """The same, emptied: people of the fixtures are there, and nothing else."""
    database.empty_over(database.line(migrated), migrated)
    return migrated


@pytest.fixture
def conn(db_url: str) -> Any:
    """A connection to the emptied database, in autocommit mode."""
    return database.line(db_url)


@pytest.fixture
def keys() -> Keys:
    """With what requests and answers are sealed: nothing, unless a test says otherwise."""
    return NO_KEYS


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Whatever may take longest begins first, so that nobody waits for it in the end."""

    def patience(item: pytest.Item) -> float:
        given = item.get_closest_marker("timeout")
        return float(given.args[0]) if given else 0.0

    items.sort(key=patience, reverse=True)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say where the minutes went."""
    reports = [
        report for kind in ("passed", "failed", "skipped", "xfailed") for report in terminalreporter.stats.get(kind, ())
    ]
    setups = [report for report in terminalreporter.stats.get("", ()) if hasattr(report, "duration")]
    if len(reports) > 100:  # of a whole run, not of the few that somebody works on
        terminalreporter.section("where the minutes went")
        for line in budgets.lines([*reports, *setups]):
            terminalreporter.write_line(line)
