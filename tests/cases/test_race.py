"""Race: whoever and whatever meets on one request, the row has one winner, and what people see ends as the row."""

import re
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any
from uuid import UUID

import pytest

from bot.cards import ids
from bot.delivery.courier import Courier
from bot.delivery.repaint import paint_due
from bot.sandbox.model import ask, say
from engine.models import Decided, Moved, Voted
from engine.state import cards, events, pauses
from engine.workers.sweep import Sweeper
from tests import rows
from tests.bot.house import Home
from tests.bot.office import Json, Office, actions_of, at_once, is_card, text_of
from tests.cases.relay import line
from tests.engine.workers.conftest import Desks
from tests.engine.workers.shop import Shop, pay

ROUNDS = 25
WHO_AND_WHEN = re.compile(
    r"Already (approved|denied) by (Marta Keller|Ines Alonso), (just now|0\.\d s ago|\d+ seconds? ago)"
)


@pytest.mark.parametrize("other", ["approve", "deny"])
def test_whoever_clicks_in_the_same_moment_has_one_winner_and_one_follow_up_of_each_kind(
    home: Home, conn: Any, other: str
) -> None:
    """R1: twenty-five rounds of Approve against Approve, and as many against Deny."""
    asked = [rows.waiting(conn, approver="role:finance-approver")[0] for _ in range(ROUNDS)]
    home.house.bell.ring()
    shown = home.office.await_(lambda: _cards(home.office) if len(_cards(home.office)) == ROUNDS else None, 30)
    losers = []
    for pause_id in asked:
        losers += _round(home, shown[pause_id], other)
        pause = home.pause(pause_id)
        assert len(pause.votes) == 1
        moves = [e.event for e in events.of_run(conn, pause.run_id) if e.to_status is not None]
        assert moves[-2:] == ["deny" if pause.status == "denied" else "approve", "wake"]
        assert moves.count("wake") == 1
        assert [c.wanted for c in cards.of_pause(conn, pause_id)] == [2, 2]
    losers += home.office.await_(lambda: _private(home) if len(_private(home)) + len(losers) >= ROUNDS else None, 20)
    assert len(losers) == ROUNDS
    assert all(WHO_AND_WHEN.search(said) for said in losers), losers
    home.office.await_(lambda: not any(ids.ACTION_APPROVE in actions_of(m) for m in home.office.messages("C0BUY")), 20)


def _cards(office: Office) -> dict[UUID, Json]:
    found = [m for m in office.messages("C0BUY") if is_card(m)]
    return {UUID(m["metadata"]["event_payload"]["pause_id"]): m for m in found}


def _private(home: Home) -> list[str]:
    return home.office.private("U0MARTA") + home.office.private("U0INES")


def _round(home: Home, card: Json, other: str) -> list[str]:
    """Both at once; what the loser read in the form, if that was the loser."""
    if other == "approve":
        at_once(
            *(lambda user=user: home.office.press(user, card, ids.ACTION_APPROVE) for user in ("U0MARTA", "U0INES"))
        )
        return []
    home.office.press("U0INES", card, ids.ACTION_DENY)
    form = home.office.views("U0INES")[-1]["id"]
    at_once(
        lambda: home.office.press("U0MARTA", card, ids.ACTION_APPROVE),
        lambda: home.office.act("submit", "U0INES", view_id=form, values={}),
    )
    told = [error for view in home.office.views("U0INES") for error in view["errors"].values()]
    if home.office.views("U0INES"):
        home.office.act("close", "U0INES", view_id=form)
    return told


def test_a_timer_left_over_changes_nothing_after_a_person_answered(
    desks: Desks, shop: Shop, caplog: pytest.LogCaptureFixture
) -> None:
    """R4: the hour comes while the approved tool still runs."""
    desk = desks(ask(pay()), say("Done."), agent=shop.agent)
    run_id = desk.start()
    pause_id, sweeper = desk.pause(run_id).id, Sweeper(desk.means.pool)
    assert isinstance(pauses.approve(desk.conn, pause_id, "marta", surface="tests", reason="ok"), Decided)
    moved: list[Moved] = []

    def the_hour_comes() -> None:
        rows.make_due(desk.conn, pause_id)
        moved.extend([*sweeper.run(), *sweeper.settle_one(pause_id)])

    shop.during["pay"] = the_hour_comes
    desk.work()
    assert shop.diary == ["pay PO-1"]
    assert moved == []
    assert [record for record in caplog.records if record.name == "engine.workers.sweep"] == []  # not even tried
    assert desk.run(run_id).status == "done"
    done = desk.pause(run_id)
    assert (done.status, done.decided_by, done.reason) == ("executed", "marta", "ok")
    assert desk.paid() == [3_800_000]


@pytest.fixture
def quorum(conn: Any, courier: Courier) -> UUID:
    """A request for two people, on the screen."""
    [pause_id] = rows.waiting(conn, approver="role:finance-approver", need=rows.QUORUM)
    paint_due(courier)
    return pause_id


def test_of_two_edits_that_cross_the_last_state_stays_on_the_screen(
    conn: Any, courier: Courier, office: Office, quorum: UUID
) -> None:
    """R6: the edit for the first approval is on its way when the second approval settles it."""
    with line(office, "chat.update") as (slow, slack), ThreadPoolExecutor(1) as painter:
        assert isinstance(pauses.approve(conn, quorum, "marta", surface="tests"), Voted)
        first = painter.submit(paint_due, replace(courier, slack=slack))
        assert slow.caught.wait(10)
        assert isinstance(pauses.approve(conn, quorum, "ines", surface="tests"), Decided)
        paint_due(courier)
        slow.released.set()
        first.result(timeout=20)
        paint_due(courier)
    for channel in ("C0BUY", "D0PRIYA"):
        [card] = office.messages(channel)
        assert "Approved by Ines Alonso (ines)" in text_of(card["blocks"])
        assert "Decided <!date^" in text_of(card["blocks"])
        assert ids.ACTION_APPROVE not in actions_of(card)
