"""After every test of the state, whatever it did, every record still proves itself and the rows agree."""

from collections.abc import Iterator
from typing import Any

import pytest

from engine.rules import chain
from engine.state import events


@pytest.fixture
def by_hand() -> None:
    """Statuses and contents are altered by hand here, so that the rows need not agree with the record; its links must hold all the same."""


@pytest.fixture(autouse=True)
def _every_chain_verifies(conn: Any, request: pytest.FixtureRequest) -> Iterator[None]:
    yield
    for (run_id,) in conn.execute("SELECT id FROM run").fetchall():
        if "by_hand" in request.fixturenames:
            assert chain.links(events.read(conn, run_id))
        else:
            assert isinstance(events.verify(conn, run_id), events.Verified)
