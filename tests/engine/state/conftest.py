"""After every test of the state, whatever it did, the record of every run still proves itself."""

from collections.abc import Iterator
from typing import Any

import pytest

from engine.state import events


@pytest.fixture(autouse=True)
def _every_chain_verifies(conn: Any) -> Iterator[None]:
    yield
    for (run_id,) in conn.execute("SELECT id FROM run").fetchall():
        assert isinstance(events.verify(conn, run_id), events.Verified)
