"""Two connections that meet on a run, one of them seen to wait for the other: no sleeping, no guessing."""

from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from typing import Any

import pytest

from engine.errors import Conflict, LeaseLost
from tests.engine.state.scenes import Move, Scene


class Crew:
    """Two connections that meet on a run, and one that watches them."""

    def __init__(self, a: Any, b: Any, watcher: Any, threads: ThreadPoolExecutor) -> None:
        self.a, self.b, self.watcher, self.threads = a, b, watcher, threads

    def meet(self, scene: Scene, first: Move, second: Move, *, skips: bool, commits: bool) -> Any:
        """What the second move says, which began while the first was open; `commits`: whether the first one holds."""
        with self.a.transaction(force_rollback=not commits):
            outcome_of(lambda: first(self.a, scene))
            held = self._held(scene)
            running = self.threads.submit(lambda: outcome_of(lambda: second(self.b, scene)))
            if held and not skips:
                until_it_waits(self.watcher, self.b, running)
            else:
                met = running.result(timeout=10)
                assert not held or met in (None, [])
        if held and skips:
            return outcome_of(lambda: second(self.b, scene))  # the next sweep
        return running.result(timeout=10)

    def _held(self, scene: Scene) -> bool:
        found = self.watcher.execute("SELECT FROM run WHERE id = %s FOR UPDATE SKIP LOCKED", (scene.run_id,)).fetchone()
        return found is None


def until_it_waits(watcher: Any, waiting: Any, running: Future[Any]) -> None:
    """Return when a connection is seen to wait for a lock; fail if its work ends instead."""
    seen = "SELECT wait_event_type = 'Lock' FROM pg_stat_activity WHERE pid = %s"
    while watcher.execute(seen, (waiting.info.backend_pid,)).fetchone() != (True,):
        if wait([running], timeout=0.001, return_when=FIRST_COMPLETED).done:
            pytest.fail(f"it did not wait: {running.result()}")


def outcome_of(verb: Callable[[], Any]) -> Any:
    """What a move says, or the refusal it raises."""
    try:
        return verb()
    except (Conflict, LeaseLost) as refusal:
        return refusal
