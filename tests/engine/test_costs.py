"""What one run costs the server. These counts do not depend on the machine, so they are held to their bars here; the clock is in tests/bench."""

from typing import Any

import pytest

from tests.bench import cost


@pytest.fixture
def counted(conn: Any) -> cost.Cost:
    return cost.of_a_run(conn)


def test_a_whole_run_is_nine_transactions(counted: cost.Cost) -> None:
    assert counted.transactions <= 9


def test_a_whole_run_writes_twelve_kilobytes_beside_its_content(counted: cost.Cost) -> None:
    assert sum(counted.wal.values()) - counted.content <= 12 * 1024, counted


def test_a_run_that_waits_keeps_four_kilobytes_beside_its_content(conn: Any) -> None:
    stored, content = cost.parked_bytes(conn)
    assert stored - content <= 4 * 1024
