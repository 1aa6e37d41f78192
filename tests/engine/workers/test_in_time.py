"""A call and its lease: as long as it may last nobody else takes the run, and whoever stood still before it makes it no more."""

import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from bot.sandbox.model import ask, say
from engine.state import ledger, runs
from engine.workers.means import Means
from engine.workers.moments import Moment
from tests import rows, world
from tests.engine.workers.conftest import Desks
from tests.engine.workers.desk import Desk
from tests.engine.workers.shop import Shop, pay

DONE = say("Done.")
BIG = 3_800_000
HOURS = 26


def approved(desk: Desk) -> Any:
    """A run with its payment approved and not done yet."""
    run_id = desk.start()
    desk.approve(run_id)
    return run_id


# --------------------------------------------------------------------------------------------------------------- the lease


@pytest.mark.parametrize(
    ("faults", "calls"),
    [((), 1), (("drop_after",), 2), (("down",) * 4, 5)],
    ids=["the first call", "the same again", "one with a fresh key"],
)
def test_a_call_of_nearly_its_longest_keeps_the_run_though_the_lease_is_shorter(
    desks: Desks, shop: Shop, faults: tuple[str, ...], calls: int
) -> None:
    desk = desks(ask(pay()), DONE, agent=shop.agent)
    desk.means = replace(desk.means, lease_s=1)
    shop.agent.tools["pay"].timeout_s = 20
    run_id = approved(desk)
    desk.faults(*faults, match={"endpoint": "create"})
    claimed: list[object] = []

    def nearly_over() -> None:
        """The call has been under way for 19.9 of its 20 seconds."""
        desk.conn.execute("UPDATE run_lease SET lease_until = lease_until - interval '19.9 seconds'")
        claimed.append(runs.claim(desk.conn, "w2", ["procurement"], lease_s=60))

    shop.during["pay"] = nearly_over
    desk.work()
    assert claimed == [None] * calls
    assert desk.paid() == [BIG]
    assert desk.run(run_id).status == "done"


# ------------------------------------------------------------------------------------------------ a worker that stood still


class Still:
    """Lets the worker stand still right after a verb of the ledger was committed, `times` times; `meanwhile` happens then."""

    def __init__(
        self, monkeypatch: pytest.MonkeyPatch, verb: object, meanwhile: Callable[[], object], times: int = 1
    ) -> None:
        self.gone_s, self._left = 0.0, times
        original = Means.do

        def do(means: Means, asked: Any, /, *args: Any, **kwargs: Any) -> Any:
            came = original(means, asked, *args, **kwargs)
            if asked is verb and self._left:
                self._left -= 1
                self.gone_s += HOURS * 3600
                meanwhile()
            return came

        def now(cls: type[Moment]) -> Moment:
            return cls(time.monotonic() + self.gone_s, time.time())

        monkeypatch.setattr(Means, "do", do)
        monkeypatch.setattr(Moment, "now", classmethod(now))


def test_a_worker_that_stood_still_before_its_call_puts_it_on_record_once_more_and_then_makes_it(
    desks: Desks, shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk = desks(ask(pay()), DONE, agent=shop.agent)
    run_id = approved(desk)
    Still(monkeypatch, ledger.begin, lambda: desk.age(run_id, HOURS))
    desk.work()
    assert desk.run(run_id).status == "done"
    assert (desk.paid(), shop.diary) == ([BIG], ["pay PO-1"])
    assert desk.attempts() == [("done", 2)]


@pytest.mark.parametrize(("verb", "faults"), [(ledger.begin, 0), (ledger.replace, 4)], ids=["first", "fresh"])
def test_a_worker_whose_run_was_taken_over_while_it_stood_still_makes_its_call_no_more(
    desks: Desks, shop: Shop, monkeypatch: pytest.MonkeyPatch, verb: object, faults: int
) -> None:
    """The other one looked, found nothing, and paid with a fresh key: the call of the first would be a second payment."""
    desk = desks(ask(pay()), DONE, agent=shop.agent)
    run_id = approved(desk)
    desk.faults(*["down"] * faults, match={"endpoint": "create"})

    def taken_over() -> None:
        desk.age(run_id, HOURS)
        rows.lose_lease(desk.conn, run_id)
        world.work(desk.another())
        assert desk.paid() == [BIG]

    Still(monkeypatch, verb, taken_over)
    desk.work()
    assert desk.paid() == [BIG]
    assert desk.run(run_id).status == "done"
    assert shop.diary[-2:] == ["find PO-1", "pay PO-1"]


def test_a_worker_that_stood_still_before_it_asks_again_does_not_use_a_key_that_is_forgotten_by_now(
    desks: Desks, shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk = desks(ask(pay()), DONE, agent=shop.agent)
    run_id = approved(desk)
    desk.faults("drop_after")
    Still(monkeypatch, ledger.repeat, lambda: desk.age(run_id, HOURS))
    desk.work()
    assert desk.run(run_id).status == "done"
    assert (desk.paid(), shop.diary) == ([BIG], ["pay PO-1", "find PO-1"])


@pytest.mark.parametrize("clock", ["steady", "wall"])
def test_a_moment_is_as_old_as_the_clock_says_that_went_on(monkeypatch: pytest.MonkeyPatch, clock: str) -> None:
    then = Moment.now()
    assert then.age_s() < 1
    assert replace(then, **{clock: getattr(then, clock) - 3}).age_s() >= 3
