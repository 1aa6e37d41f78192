"""A connection that is seen to wait for a lock: no sleeping, no guessing. Whole orders of moves that meet are in tests/interleavings."""

from concurrent.futures import FIRST_COMPLETED, Future, wait
from typing import Any

import pytest


def until_it_waits(watcher: Any, waiting: Any, running: Future[Any]) -> None:
    """Return when a connection is seen to wait for a lock; fail if its work ends instead."""
    seen = "SELECT wait_event_type = 'Lock' FROM pg_stat_activity WHERE pid = %s"
    while watcher.execute(seen, (waiting.info.backend_pid,)).fetchone() != (True,):
        if wait([running], timeout=0.001, return_when=FIRST_COMPLETED).done:
            pytest.fail(f"it did not wait: {running.result()}")


def until_one_waits(watcher: Any, running: Future[Any]) -> None:
    """The same where the connection is somebody else's: return when any is seen to wait."""
    while watcher.execute("SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock'").rowcount == 0:
        if wait([running], timeout=0.001, return_when=FIRST_COMPLETED).done:
            pytest.fail(f"it did not wait: {running.result()}")
