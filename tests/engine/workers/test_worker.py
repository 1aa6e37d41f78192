"""A worker's threads: they find what is queued, keep what they have, survive a bug, and stop in good order."""

import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, cast

import pytest

from bot.delivery.rounds import Rounds
from bot.sandbox.model import ask, say
from engine.state import runs
from engine.workers.worker import Worker
from tests.engine.workers.conftest import Desks
from tests.engine.workers.desk import Desk
from tests.engine.workers.shop import Shop, look, pay

DONE = say("Done.")


@contextmanager
def working(
    desk: Desk, *, lease_s: float = 60, complete: Callable[..., Mapping[str, Any]] | None = None, threads: int = 1
) -> Iterator[Worker]:
    """A worker with one thread, stopped at the end."""
    worker = Worker(
        desk.means.pool, desk.means.agents, complete or desk.means.complete, threads=threads, lease_s=lease_s
    )
    worker.start()
    try:
        yield worker
    finally:
        worker.stop()


def until(true: Callable[[], bool]) -> None:
    """Look again and again, for ten seconds at most."""
    ends = time.monotonic() + 10
    while not true():
        assert time.monotonic() < ends, "it did not come to be"
        threading.Event().wait(0.01)


class Gate:
    """A place in a tool where it waits until the test lets it go on."""

    def __init__(self) -> None:
        self.reached, self.opened = threading.Event(), threading.Event()

    def __call__(self) -> None:
        self.reached.set()
        assert self.opened.wait(10)


def test_what_is_queued_is_found_without_a_kick(desks: Desks, shop: Shop) -> None:
    desk = desks(ask(look()), DONE, agent=shop.agent)
    with working(desk):
        run_id = desk.launch()
        until(lambda: runs.get(desk.conn, run_id).status == "done")
    assert desk.run(run_id).result == "Done."


def test_a_kick_makes_it_sooner(desks: Desks, shop: Shop) -> None:
    desk = desks(ask(pay()), DONE, agent=shop.agent)
    with working(desk) as worker:
        run_id = desk.launch()
        worker.kick()
        until(lambda: runs.get(desk.conn, run_id).status == "awaiting_approval")
        desk.approve(run_id)
        worker.kick()
        until(lambda: runs.get(desk.conn, run_id).status == "done")
    assert desk.paid() == [3_800_000]


def test_of_several_idle_threads_the_one_that_finds_work_wakes_the_next(desks: Desks, shop: Shop) -> None:
    desk = desks(ask(look()), ask(look()), DONE, DONE, agent=shop.agent)
    both = threading.Barrier(2)
    shop.during["look"] = lambda: both.wait(10)
    with working(desk, threads=3):
        first, second = desk.launch(), desk.launch()
        until(lambda: {runs.get(desk.conn, each).status for each in (first, second)} == {"done"})
    assert [desk.run(each).result for each in (first, second)] == ["Done.", "Done."]


def test_a_step_that_outlasts_its_lease_keeps_the_run(desks: Desks, shop: Shop) -> None:
    desk = desks(ask(look()), DONE, agent=shop.agent)
    run_id = desk.launch()
    shop.during["look"] = gate = Gate()

    def lease() -> Any:
        return desk.conn.execute("SELECT lease_until FROM run_lease WHERE run_id = %s", (run_id,)).fetchone()

    with working(desk, lease_s=0.5):
        assert gate.reached.wait(10)
        first = lease()
        until(lambda: bool(lease() > first))
        until(lambda: bool(desk.conn.execute("SELECT clock_timestamp() > %s", first).fetchone() == (True,)))
        assert runs.claim(desk.conn, "w2", ["procurement"], lease_s=60) is None
        gate.opened.set()
        until(lambda: runs.get(desk.conn, run_id).status == "done")
    assert shop.diary == ["look A"]
    assert desk.run(run_id).status == "done"


def test_stopping_lets_the_step_under_way_end_and_the_run_go(desks: Desks, shop: Shop) -> None:
    desk = desks(ask(look(), look("B")), DONE, agent=shop.agent)
    run_id = desk.launch()
    shop.during["look"] = gate = Gate()
    with working(desk) as worker:
        assert gate.reached.wait(10)
        stopping = threading.Thread(target=worker.stop)
        stopping.start()
        assert worker._means.stop.wait(10)
        gate.opened.set()
        stopping.join(10)
        assert not stopping.is_alive()
    assert shop.diary == ["look A"]
    assert desk.run(run_id).status == "queued"


def test_a_bug_that_one_run_meets_does_not_end_the_thread_that_serves_the_others(
    desks: Desks, shop: Shop, caplog: pytest.LogCaptureFixture
) -> None:
    desk = desks(DONE, agent=shop.agent)
    bad, good = desk.launch("Meet a bug."), desk.launch()

    def complete(**request: Any) -> Mapping[str, Any]:
        if "Meet a bug." in str(request["messages"]):
            raise LookupError("a bug of ours")
        return desk.means.complete(**request)

    with working(desk, complete=complete):
        until(lambda: runs.get(desk.conn, good).status == "done")
    assert desk.run(bad).status == "running"
    assert "could not be advanced" in caplog.text


def test_runs_of_agents_it_does_not_know_are_left_to_others(desks: Desks, shop: Shop) -> None:
    desk = desks(DONE, agent=shop.agent)
    foreign = Shop().agent
    foreign.name = "another"
    what = foreign.launch(input="Buy.", on_behalf_of="priya")
    other, _ = runs.launch(desk.conn, what, actor="priya", surface="tests")
    run_id = desk.launch()
    with working(desk):
        until(lambda: runs.get(desk.conn, run_id).status == "done")
    assert runs.get(desk.conn, other).status == "queued"


def test_while_the_database_is_away_it_waits_and_then_goes_on(
    desks: Desks, shop: Shop, caplog: pytest.LogCaptureFixture
) -> None:
    desk = desks(DONE, agent=shop.agent)
    pool = desk.means.pool
    taken = [pool.getconn() for _ in range(pool.max_size)]
    with working(desk):
        run_id = desk.launch()
        until(lambda: "the database is away" in caplog.text)
        for connection in taken:
            pool.putconn(connection)
        until(lambda: runs.get(desk.conn, run_id).status == "done")


def test_a_halt_stops_effects_and_not_requests(desks: Desks, shop: Shop) -> None:
    desk = desks(ask(pay(amount="640.00")), ask(pay("PO-2")), agent=shop.agent)
    desk.halt()
    stopped = desk.launch()
    with working(desk):
        until(lambda: len(desk.run(stopped).messages) == 2)
        asked = desk.launch()
        until(lambda: desk.run(asked).status == "awaiting_approval")
        assert desk.run(stopped).status == "running"
    assert desk.paid() == []


class Hanging:
    """A thread that does not end; waiting for it takes all the time that is given, by a clock of the test's."""

    clock = 0.0

    def join(self, timeout: float) -> None:
        Hanging.clock += timeout


def test_stopping_waits_for_all_its_threads_together_no_longer_than_its_grace(
    desks: Desks, shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk = desks(DONE, agent=shop.agent)
    worker = Worker(desk.means.pool, desk.means.agents, desk.means.complete, threads=4, lease_s=60)
    rounds = Rounds(cast("Any", None), threads=3)
    for stops in (worker, rounds):
        began = Hanging.clock
        monkeypatch.setattr(stops, "_threads", [Hanging() for _ in range(5)])
        with monkeypatch.context() as time_stands_still:
            time_stands_still.setattr(time, "monotonic", lambda: Hanging.clock)
            stops.stop(grace_s=3)
        assert Hanging.clock - began == 3
