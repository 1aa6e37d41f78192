"""The ground, laid once; and at the end of the session, how many moments were gone through."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.boundaries.ground import Ground, ground

PASSED: pytest.StashKey[Counter[str]] = pytest.StashKey()


@pytest.fixture(scope="session")
def the_ground(server: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ground]:
    with ground(server, Path(tmp_path_factory.mktemp("ground"))) as made:
        yield made


@pytest.fixture
def passed(request: pytest.FixtureRequest) -> Counter[str]:
    """How many boundaries of each flow a process was killed at."""
    return request.config.stash.setdefault(PASSED, Counter())


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    if passed := terminalreporter.config.stash.get(PASSED, None):
        terminalreporter.write_line(f"The ground holds: {passed.total()} boundaries in {len(passed)} flows")
