"""What came of a call is not dropped, whatever the database, the tool or a long call beside it does."""

import asyncio
import threading
from typing import Any

import psycopg
import pytest

from bot.cards import notices, outcomes
from bot.sandbox.model import ask
from engine.state import ledger, runs
from engine.workers.moments import Moment
from engine.workers.worker import Worker
from tests import rows
from tests.engine.workers.conftest import Desks
from tests.engine.workers.shop import Shop, look, pay
from tests.engine.workers.test_effects import BIG, DONE, SMALL, approved
from tests.engine.workers.test_worker import Gate, until, working

SETTLE = ledger.settle


def away(monkeypatch: pytest.MonkeyPatch, times: int, *, after: bool = False) -> list[str]:
    """The database is away for the first tries to record an outcome; `after`: once it has taken the statement. What was tried."""
    tried: list[str] = []

    def settle(conn: Any, attempt_id: Any, verdict: Any, **more: Any) -> ledger.Settled:
        tried.append(verdict)
        if len(tried) > times:
            return SETTLE(conn, attempt_id, verdict, **more)
        if after:
            SETTLE(conn, attempt_id, verdict, **more)
        raise psycopg.OperationalError("the server closed the connection")

    monkeypatch.setattr(ledger, "settle", settle)
    return tried


@pytest.mark.parametrize("after", [False, True])
def test_a_receipt_waits_for_the_database_to_come_back(
    desks: Desks, shop: Shop, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, *, after: bool
) -> None:
    desk = desks(ask(pay()), DONE, agent=shop.agent)
    run_id = approved(desk)
    tried = away(monkeypatch, 4, after=after)
    desk.work()
    assert (desk.run(run_id).status, desk.paid(), desk.attempts()) == ("done", [BIG], [("done", 1)])
    assert tried == ["succeed"] * 5
    assert shop.diary == ["pay PO-1"]
    assert "settled already" not in caplog.text


def test_a_receipt_that_cannot_be_recorded_for_a_whole_lease_is_logged(
    desks: Desks, shop: Shop, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    desk = desks(ask(pay()), DONE, agent=shop.agent)
    run_id = approved(desk)
    away(monkeypatch, 10**6)
    with pytest.raises(psycopg.OperationalError):
        desk.work()
    assert sum(desk.hours.waited) >= desk.means.lease_s
    [said] = [record.getMessage() for record in caplog.records if "IS NOT ON RECORD" in record.getMessage()]
    assert '"result"' in said
    assert "sk_test" not in caplog.text
    monkeypatch.undo()
    rows.lose_lease(desk.conn, run_id)
    desk.work()
    assert (desk.run(run_id).status, desk.paid()) == ("done", [BIG])


ENDS = [asyncio.CancelledError(), SystemExit(3), KeyboardInterrupt(), GeneratorExit()]


@pytest.mark.parametrize("error", ENDS, ids=lambda error: type(error).__name__)
def test_a_tool_that_would_end_its_thread_fails_as_any_other(desks: Desks, shop: Shop, error: BaseException) -> None:
    def quit_it() -> None:
        raise error

    shop.during |= {"look": quit_it, "paid": quit_it, "find": quit_it}
    desk = desks(ask(look()), ask(pay(amount="640.00")), DONE, agent=shop.agent)
    run_id = desk.start()
    assert type(error).__name__ in desk.texts(run_id)[0]
    assert desk.run(run_id).status == "in_doubt"
    assert desk.paid() == [SMALL]


def test_a_thread_survives_whatever_a_run_meets(desks: Desks, shop: Shop, caplog: pytest.LogCaptureFixture) -> None:
    class Gone(BaseException):
        """Nobody expects it."""

    def die() -> None:
        raise Gone

    shop.during["look"] = die
    desk = desks(ask(look()), DONE, agent=shop.agent)
    with working(desk, threads=1):
        desk.launch()
        until(lambda: "a run could not be advanced" in caplog.text)
        run_id = desk.launch()
        until(lambda: desk.run(run_id).status == "done")


def test_after_a_call_that_took_long_the_rest_of_the_turn_goes_by_the_policy_of_now(
    desks: Desks, shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk = desks(ask(pay(amount="640.00"), pay("PO-2", amount="650.00")), DONE, agent=shop.agent)
    late = [0.0]
    now = Moment.now

    def long() -> None:
        shop.during.clear()
        desk.policy(('up_to = "1000.00"', 'up_to = "100.00"'), ('over = "1000.00"', 'over = "100.00"'))
        late[0] = 60

    def later(cls: type[Moment]) -> Moment:
        found = now()
        return cls(found.steady + late[0], found.wall + late[0])

    monkeypatch.setattr(Moment, "now", classmethod(later))
    shop.during["paid"] = long
    run_id = desk.start()
    assert (desk.paid("PO-1"), desk.paid("PO-2")) == ([SMALL], [])
    assert desk.run(run_id).status == "awaiting_approval"


def test_a_worker_that_is_to_end_waits_for_the_payments_of_its_other_threads(desks: Desks, shop: Shop) -> None:
    gate = Gate()
    shop.during["look"] = gate
    desk = desks(ask(pay(amount="640.00")), ask(look()), DONE, agent=shop.agent)
    desk.halt()
    stopped = desk.launch()
    with working(desk, threads=1) as worker:
        until(lambda: len(runs.load(desk.conn, stopped).messages) == 2)
        other = desk.launch()
        assert gate.reached.wait(10)
        threading.Thread(target=_open, args=(gate, worker), daemon=True).start()
        worker.stop()
    assert [call.state for call in runs.load(desk.conn, other).calls] == ["settled"]


def _open(gate: Gate, worker: Worker) -> None:
    """Once the worker was told to end."""
    assert worker._means.stop.wait(10)
    gate.opened.set()


# ------------------------------------------------------------------------------------------------------- what people hear


def test_a_run_whose_authority_goes_after_it_paid_does_not_say_that_nothing_was_done(desks: Desks, shop: Shop) -> None:
    desk = desks(ask(pay(amount="640.00")), ask(pay("PO-2")), agent=shop.agent)
    run_id = desk.start()
    desk.approve(run_id)
    rows.deactivate(desk.conn, "priya")
    desk.work()
    assert desk.paid() == [SMALL]
    said = desk.error(run_id)
    assert "Nothing was done" not in said
    assert said.endswith("Nothing of this was done. What it did before stands: pay.")
    [pause] = desk.pauses(run_id)
    assert outcomes.told(pause).text.endswith("Nothing of this was done. What it did before stands: pay.")


def test_a_requester_who_withdraws_under_a_payment_hears_that_it_was_made(desks: Desks, shop: Shop) -> None:
    desk = desks(ask(pay(amount="640.00")), DONE, agent=shop.agent)
    run_id = desk.launch()
    shop.during["paid"] = lambda: runs.cancel(desk.conn, run_id, actor="priya", person="priya", surface="tests")
    desk.work()
    assert desk.run(run_id).status == "cancelled"
    assert (desk.paid(), desk.notices(run_id)) == ([SMALL], [("run_ended", "person:priya")])
    said = notices.run_ended(runs.get(desk.conn, run_id)).text
    assert said == "The run of the procurement agent was withdrawn. What it did before stands: pay."


@pytest.mark.parametrize(
    ("person", "told"),
    [("priya", []), ("otto", [("run_ended", "person:priya")]), (None, [("run_ended", "person:priya")])],
)
def test_a_requester_hears_that_somebody_else_withdrew_their_run(
    desks: Desks, shop: Shop, person: str | None, told: list[tuple[str, str]]
) -> None:
    desk = desks(ask(pay()), agent=shop.agent)
    run_id = desk.start()
    assert runs.cancel(desk.conn, run_id, actor=person or "token", person=person, surface="tests") == "cancelled"
    assert desk.notices(run_id) == told
