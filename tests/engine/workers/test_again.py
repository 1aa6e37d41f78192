"""What was begun and surely did not happen is called anew only while all that held at the beginning holds; else it is settled as not done."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest

from bot.sandbox.model import ask
from engine.errors import QuoteUnavailable
from engine.models import Quote
from engine.rules.money import Money
from engine.state import ledger, runs
from tests import rows
from tests.engine.workers.conftest import Desks
from tests.engine.workers.desk import Desk
from tests.engine.workers.shop import Shop, pay
from tests.engine.workers.test_effects import BIG, DONE, approved, lost, resolve


def doubted(desk: Desk, run_id: UUID) -> None:
    """The provider is away for as long as it takes to be in doubt, and back then; nothing was paid."""
    desk.faults("down", times=None)
    desk.work()
    desk.outside.provider.faults.clear()
    assert desk.run(run_id).status == "in_doubt"


def cancel(desk: Desk, run_id: UUID) -> None:
    assert runs.cancel(desk.conn, run_id, actor="priya", person="priya", surface="tests") == "cancelling"


def moves(desk: Desk, run_id: UUID) -> int:
    return runs.load(desk.conn, run_id).epoch + desk.run(run_id).seq


# ------------------------------------------------------------------------------------------- the tool changed meanwhile


@pytest.mark.parametrize("wanted", ["", "hold", "cancel"])
def test_a_retry_of_a_tool_that_is_gone_ends_as_not_done_and_does_not_go_round(
    desks: Desks, shop: Shop, wanted: str
) -> None:
    desk = desks(ask(pay()), DONE, agent=shop.agent)
    run_id = approved(desk)
    doubted(desk, run_id)
    assert resolve(desk, "retry") == "retry"
    del shop.agent.tools["pay"]
    if wanted == "hold":
        runs.hold(desk.conn, run_id, actor="otto", surface="tests")
        assert runs.resume(desk.conn, run_id, actor="otto", surface="tests")
    if wanted == "cancel":
        cancel(desk, run_id)
    before = moves(desk, run_id)
    desk.work()
    assert desk.run(run_id).status == ("cancelled" if wanted == "cancel" else "done")
    assert desk.statuses(run_id) == ["failed"]
    assert desk.paid() == []
    assert moves(desk, run_id) - before < 10
    if wanted != "cancel":
        assert "the tool pay changed since, so it cannot be tried again" in desk.texts(run_id)[0]


def test_a_doubt_about_what_was_thought_absent_is_recorded_by_who_has_the_run(conn: Any) -> None:
    claim, _, effect = rows.doubted(conn)
    assert ledger.resolve(conn, effect.effect_id, "retry", actor="marta", surface="tests") == "retry"
    again = runs.claim(conn, "w2", ["procurement"], lease_s=60)
    assert again is not None
    assert ledger.settle(conn, effect.attempt_id, "doubt", epoch=claim.epoch, error="old").outcome == "settled"
    assert ledger.settle(conn, effect.attempt_id, "doubt", epoch=again.epoch, error="new").outcome == "doubt"
    assert runs.load(conn, claim.id).status == "in_doubt"
    rows.consistent(conn)


# ------------------------------------------------------------------------------------------------------------ withdrawn


def test_what_was_withdrawn_after_a_person_said_try_again_is_not_paid(desks: Desks, shop: Shop) -> None:
    desk = desks(ask(pay()), DONE, agent=shop.agent)
    run_id = approved(desk)
    doubted(desk, run_id)
    assert resolve(desk, "retry") == "retry"
    cancel(desk, run_id)
    desk.work()
    assert (desk.paid(), desk.run(run_id).status) == ([], "cancelled")
    assert desk.statuses(run_id) == ["failed"]
    assert desk.pause(run_id).effect_error == "The run was withdrawn before it was tried again."


def test_what_is_withdrawn_while_the_list_settles_is_not_paid_anew(desks: Desks, shop: Shop) -> None:
    desk = desks(ask(pay()), DONE, agent=shop.agent)
    run_id = approved(desk)
    desk.faults("down", times=4, match={"endpoint": "create"})
    desk.hours.meanwhile += [lambda: None, lambda: None, lambda: cancel(desk, run_id)]
    desk.work()
    assert (desk.paid(), desk.run(run_id).status, desk.attempts()) == ([], "cancelled", [("failed", 4)])
    assert shop.diary == ["pay PO-1"] * 4 + ["find PO-1"] * 2


@pytest.mark.parametrize("moment", ["pay", "paid"])
def test_what_was_withdrawn_under_a_lost_call_is_looked_up_and_not_called_again(
    desks: Desks, shop: Shop, moment: str
) -> None:
    desk = desks(ask(pay()), DONE, agent=shop.agent)
    run_id = approved(desk)
    lost(desk, run_id, shop, moment)
    cancel(desk, run_id)
    desk.work()
    assert shop.diary.count("pay PO-1") == 1
    assert (desk.paid(), desk.run(run_id).status) == ([BIG] if moment == "paid" else [], "cancelled")
    assert desk.statuses(run_id) == ["executed" if moment == "paid" else "failed"]


def test_what_was_withdrawn_ends_though_every_action_is_halted(desks: Desks, shop: Shop) -> None:
    desk = desks(ask(pay()), DONE, agent=shop.agent)
    run_id = approved(desk)
    doubted(desk, run_id)
    assert resolve(desk, "retry") == "retry"
    desk.halt()
    desk.hours.meanwhile += [lambda: None, lambda: cancel(desk, run_id)]
    desk.work()
    assert (desk.paid(), desk.run(run_id).status) == ([], "cancelled")


# ------------------------------------------------------------------------------------------------- what holds by then


def _leaves(desk: Desk) -> None:
    rows.deactivate(desk.conn, "marta")


def _too_late(desk: Desk) -> None:
    desk.conn.execute("UPDATE run_pause SET decided_at = decided_at - %s", (timedelta(days=3, seconds=1),))


def _forbids(desk: Desk) -> None:
    desk.policy((('need = "ask"\nperson = "marta"\nanswer_within = "4h"\non_expiry = "escalate"\n'
                 'escalate = [{ manager_of = "approver", answer_within = "4h" }]\nfinally = "deny"\n'
                 'tolerance = { percent = "2", direction = "both" }\nexecute_within = "3d"\nchannel = "C0BUY"\n'
                 'doubt_role = "finance-approver"'), 'need = "forbid"'))  # fmt: skip


def _dearer(desk: Desk) -> None:
    price = Quote(price=Money(BIG * 2, "EUR"))
    desk.agent.tools["pay"].companions["quote"] = lambda **_: price


def _no_price(desk: Desk) -> None:
    def away(**_: object) -> Quote:
        raise QuoteUnavailable("the shop is shut")

    desk.agent.tools["pay"].companions["quote"] = away


CHANGES = [
    (_leaves, "may no longer decide"),
    (_too_late, "The time in which it had to be done has passed"),
    (_forbids, "The policy does not allow it any more"),
    (_dearer, "The price moved"),
    (_no_price, "The price cannot be had now: the shop is shut"),
]


@pytest.mark.parametrize(("change", "why"), CHANGES)
@pytest.mark.parametrize("way", ["doubt", "weekend"])
def test_a_first_call_with_a_fresh_key_is_held_to_what_the_first_was_held_to(
    desks: Desks, shop: Shop, change: Callable[[Desk], None], why: str, way: str
) -> None:
    desk = desks(ask(pay()), DONE, agent=shop.agent)
    run_id = approved(desk)
    if way == "doubt":
        doubted(desk, run_id)
        assert resolve(desk, "retry") == "retry"
    else:
        lost(desk, run_id, shop, "pay")
        desk.age(run_id, hours=60)
    change(desk)
    desk.work()
    assert desk.paid() == []
    assert (desk.run(run_id).status, desk.statuses(run_id)) == ("done", ["failed"])
    [(text, is_error)] = desk.told(run_id)
    assert is_error
    assert why in text
    assert why in (desk.pause(run_id).effect_error or "")


def test_what_was_allowed_and_would_be_asked_about_now_is_not_called_anew(desks: Desks, shop: Shop) -> None:
    desk = desks(ask(pay(amount="640.00")), DONE, agent=shop.agent)
    run_id = desk.launch()
    lost(desk, run_id, shop, "pay")
    desk.age(run_id, hours=26)
    desk.policy(('up_to = "1000.00"', 'up_to = "100.00"'), ('over = "1000.00"', 'over = "100.00"'))
    desk.work()
    assert (desk.paid(), desk.run(run_id).status, desk.effects(run_id)) == ([], "done", ["failed"])
    assert "somebody has to be asked now" in desk.texts(run_id)[0]


def test_what_comes_too_late_between_the_look_and_the_row_is_not_called(
    desks: Desks, shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk = desks(ask(pay()), DONE, agent=shop.agent)
    run_id = approved(desk)
    doubted(desk, run_id)
    assert resolve(desk, "retry") == "retry"
    replaced = ledger.replace

    def late(conn: Any, *words: Any, **more: Any) -> Any:
        _too_late(desk)
        return replaced(conn, *words, **more)

    monkeypatch.setattr(ledger, "replace", late)
    desk.work()
    assert (desk.paid(), desk.run(run_id).status, desk.statuses(run_id)) == ([], "done", ["failed"])


def test_a_hold_comes_before_a_call_with_a_fresh_key(desks: Desks, shop: Shop) -> None:
    desk = desks(ask(pay()), DONE, agent=shop.agent)
    run_id = approved(desk)
    doubted(desk, run_id)
    assert resolve(desk, "retry") == "retry"
    shop.during["find"] = lambda: runs.hold(desk.conn, run_id, actor="otto", surface="tests")
    desk.work()
    assert (desk.paid(), desk.run(run_id).status) == ([], "paused")
    shop.during.clear()
    runs.resume(desk.conn, run_id, actor="otto", surface="tests")
    desk.work()
    assert (desk.paid(), desk.run(run_id).status) == ([BIG], "done")


@pytest.mark.parametrize(("settles_in_s", "stood"), [(5, []), (3_600, ["began", "ended"])])
def test_while_a_list_settles_for_long_another_thread_takes_the_place(
    desks: Desks, shop: Shop, settles_in_s: int, stood: list[str]
) -> None:
    said: list[str] = []

    @contextmanager
    def standing() -> Iterator[None]:
        said.append("began")
        yield
        said.append("ended")

    shop.agent.tools["pay"].settles_in_s = settles_in_s
    desk = desks(ask(pay()), DONE, agent=shop.agent)
    desk.means = replace(desk.means, standing_still=standing)
    run_id = approved(desk)
    desk.faults("down", times=4, match={"endpoint": "create"})
    desk.work()
    assert (desk.run(run_id).status, desk.paid(), said) == ("done", [BIG], stood)
