"""After every test of the state, whatever it did, the record of every run still proves itself; and the crew that lets moves meet."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from engine.state import events
from tests import database
from tests.engine.state.meeting import Crew


@pytest.fixture(autouse=True)
def _every_chain_verifies(conn: Any) -> Iterator[None]:
    yield
    for (run_id,) in conn.execute("SELECT id FROM run").fetchall():
        assert isinstance(events.verify(conn, run_id), events.Verified)


@pytest.fixture(scope="module")
def crew(migrated: str) -> Iterator[Crew]:
    """Two connections and one that watches them."""
    with (
        database.connect(migrated) as a, database.connect(migrated) as b, database.connect(migrated) as watcher,
        ThreadPoolExecutor(1) as threads,
    ):  # fmt: skip
        yield Crew(a, b, watcher, threads)
