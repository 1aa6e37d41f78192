"""The ground, laid once for each lane; and at the end of the session, how many boundaries were gone through."""

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Final

import pytest

from tests.boundaries.ground import Ground, ground

LANES: Final = 2
"""How many flows are gone through at once: our process and the world outside take turns, so one lane leaves half of two cores idle."""
PASSED: Final = pytest.StashKey[Counter[str]]()


@pytest.fixture(scope="session")
def lanes(server: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sequence[Ground]]:
    """Ground for each lane, apart from all others."""
    with ExitStack() as laid:
        folders: list[Path] = [tmp_path_factory.mktemp("lane") for _ in range(LANES)]
        yield [laid.enter_context(ground(server, f"placet_lane_{n}", folder)) for n, folder in enumerate(folders)]


@pytest.fixture
def passed(request: pytest.FixtureRequest) -> Counter[str]:
    """At how many boundaries of each flow a process was killed."""
    return request.config.stash.setdefault(PASSED, Counter())


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say the number."""
    if passed := terminalreporter.config.stash.get(PASSED, None):
        terminalreporter.write_line(f"The ground holds: {passed.total()} boundaries in {len(passed)} flows")
