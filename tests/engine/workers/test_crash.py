"""A worker that is really killed, at every moment of a payment: another goes on, and the order is paid once."""

import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from uuid import UUID

import pytest

from engine.state import events
from tests import rows, world
from tests.engine.workers.conftest import Desks
from tests.engine.workers.desk import Desk, only


@contextmanager
def killed_at(moment: str, desk: Desk, url: str) -> Iterator[None]:
    """A worker in a process of its own works until the moment, and is killed with SIGKILL; its lease is over."""
    command = [
        sys.executable,
        "-m",
        "tests.engine.workers.one_worker",
        url,
        f"{desk.outside.address}/anthropic",
        moment,
    ]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as worker:
        try:
            assert worker.stdout is not None
            assert worker.stdout.readline() == f"at {moment}\n"
            yield
        finally:
            worker.kill()
        assert worker.wait() == -signal.SIGKILL


def goes_on(desk: Desk, run_id: UUID) -> None:
    """The killed worker's run is taken over, and everything is as if nothing had happened."""
    assert desk.run(run_id).status == "running"
    assert desk.work() == 0
    rows.lose_lease(desk.conn, run_id)
    desk.work()


def paid_once(desk: Desk, run_id: UUID, amount: int) -> None:
    run = desk.run(run_id)
    assert run.status == "done"
    assert desk.paid() == [amount]
    assert desk.effects(run_id) == ["done"]
    assert run.result is not None
    assert run.result.startswith("Paid EUR ")
    settled = [event for event in events.of_run(desk.conn, run_id) if event.event == "succeed" and event.to_status]
    assert len(settled) == 1


@pytest.mark.parametrize("moment", ["before", "begun", "paid", "settled"])
def test_an_approved_order_is_paid_once_whenever_its_worker_is_killed(desks: Desks, db_url: str, moment: str) -> None:
    desk = desks()
    run_id = desk.start(world.order())
    desk.approve(run_id)
    with killed_at(moment, desk, db_url):
        begun = {"before": [], "begun": ["attempted"], "paid": ["attempted"], "settled": ["done"]}
        assert desk.effects(run_id) == begun[moment]
        assert desk.paid() == ([3_800_000] if moment in ("paid", "settled") else [])
    goes_on(desk, run_id)
    paid_once(desk, run_id, 3_800_000)
    pause = only(desk.pauses(run_id))
    assert pause.status == "executed"
    assert pause.receipt["result"]["payment_id"] == only(desk.outside.payments("PO-1"))["id"]


@pytest.mark.parametrize("moment", ["claimed", "model", "paid"])
def test_an_order_that_needs_no_approval_is_paid_once_too(desks: Desks, db_url: str, moment: str) -> None:
    desk = desks()
    run_id = desk.launch(world.order(amount="640.00"))
    with killed_at(moment, desk, db_url):
        assert desk.effects(run_id) == (["attempted"] if moment == "paid" else [])
    goes_on(desk, run_id)
    paid_once(desk, run_id, 64_000)


def test_a_killed_worker_whose_key_was_forgotten_meanwhile_is_found_to_have_paid(desks: Desks, db_url: str) -> None:
    desk = desks()
    run_id = desk.start(world.order())
    desk.approve(run_id)
    with killed_at("paid", desk, db_url):
        pass
    desk.age(run_id, hours=26)
    goes_on(desk, run_id)
    paid_once(desk, run_id, 3_800_000)
    assert desk.attempts() == [("done", 1)]


def test_a_decision_made_while_the_only_worker_is_dead_is_not_lost(desks: Desks, db_url: str, conn: Any) -> None:
    desk = desks()
    run_id = desk.start(world.order())
    other = desk.launch(world.order("PO-2"))
    with killed_at("claimed", desk, db_url):
        desk.approve(run_id)
    rows.lose_lease(conn, other)
    desk.work()
    paid_once(desk, run_id, 3_800_000)
    assert desk.run(other).status == "awaiting_approval"
