"""A pytest plugin: which tests run which named query, and only those that run a given one. What never runs it cannot miss its guards.

With PLACET_GUARDS_NOTED naming a folder each process of pytest notes there what its tests ran; with PLACET_GUARDS_ONLY naming a file of
test ids the others are left out. A process that a test starts is not seen.
"""

import json
import os
from collections import defaultdict
from collections.abc import Generator, Iterable, Mapping
from pathlib import Path
from typing import Any

import pytest

import sql

NOTED, ONLY = "PLACET_GUARDS_NOTED", "PLACET_GUARDS_ONLY"


class _Noting(dict[str, Any]):
    """The named queries, telling the plugin which is looked up."""

    def __init__(self, queries: Mapping[str, Any], reach: "_Reach") -> None:
        super().__init__(queries)
        self._reach = reach

    def __getitem__(self, name: str) -> Any:
        self._reach.note(name)
        return super().__getitem__(name)


class _Reach:
    """What the tests of this process ran. What was run to prepare a test counts for its whole file, which may share it."""

    def __init__(self, folder: Path) -> None:
        self._folder, self._now = folder, ""
        self._ran: dict[str, set[str]] = defaultdict(set)
        sql.QUERIES = _Noting(sql.QUERIES, self)  # type: ignore[misc]  # Final for everybody else

    def note(self, query: str) -> None:
        self._ran[query].add(self._now)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> Generator[None]:
        self._now = item.nodeid.split("::")[0]
        return (yield)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Generator[None]:
        self._now = item.nodeid
        return (yield)

    def pytest_sessionfinish(self) -> None:
        named = os.environ.get("PYTEST_XDIST_WORKER", "one")
        (self._folder / f"{named}.json").write_text(
            json.dumps({query: sorted(ran) for query, ran in self._ran.items()})
        )


def pytest_configure(config: pytest.Config) -> None:
    """Note, if asked to."""
    if folder := os.environ.get(NOTED):
        config.pluginmanager.register(_Reach(Path(folder)))


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Leave out what was not asked for; the rest comes in the order in which it was asked for, test by test, then file by file."""
    if file := os.environ.get(ONLY):
        wanted = {name: place for place, name in enumerate(json.loads(Path(file).read_text()))}
        last = len(wanted)

        def place(item: pytest.Item) -> int:
            return wanted.get(item.nodeid, last + wanted.get(item.nodeid.split("::")[0], last))

        items[:] = sorted((item for item in items if place(item) < 2 * last), key=place)


def noted(folder: Path) -> dict[str, list[str]]:
    """The tests and files by the query they ran, as all processes noted it."""
    ran: dict[str, set[str]] = defaultdict(set)
    for file in folder.glob("*.json"):
        one: Mapping[str, Iterable[str]] = json.loads(file.read_text())
        for query, tests in one.items():
            ran[query].update(tests)
    return {query: sorted(tests) for query, tests in ran.items()}
