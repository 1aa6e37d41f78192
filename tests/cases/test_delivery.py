"""Delivery: what happens to a message in Slack never undoes a decision, is never tried for ever, and never hides an outcome."""

from typing import Any
from uuid import UUID

import pytest
from slack_sdk import WebClient

from bot.delivery.courier import Courier
from bot.delivery.repaint import paint_due
from engine.models import Decided
from engine.state import cards, pauses
from engine.workers.sweep import Sweeper
from tests import rows
from tests.bot.office import TOKEN, Json, Office, text_of


def only_card(office: Office, channel: str = "C0BUY") -> Json:
    """The one card that stands in the channel."""
    [card] = office.messages(channel)
    return card


@pytest.mark.parametrize(
    ("how", "says"), [("decide", "Denied by Marta Keller"), ("expire", "Nobody answered in time, so nothing was done.")]
)
def test_a_deleted_card_does_not_hide_the_outcome_and_is_tried_once(
    conn: Any, courier: Courier, office: Office, how: str, says: str
) -> None:
    """L3: somebody deletes the card; then it is decided elsewhere, or nobody answers."""
    [pause_id] = rows.waiting(conn, need=rows.QUORUM, approver="role:finance-approver")
    paint_due(courier)
    card = only_card(office)
    WebClient(TOKEN, base_url=f"{office.url}/slack/api/").chat_delete(channel="C0BUY", ts=card["ts"])
    if how == "decide":
        assert isinstance(pauses.deny(conn, pause_id, "marta", surface="tests"), Decided)
    else:
        _expire(conn, courier, pause_id)
    while paint_due(courier):
        pass
    anew = only_card(office)
    assert anew["ts"] != card["ts"]
    assert says in text_of(anew["blocks"])
    edits = [call for call in office.calls("chat.update") if call["args"]["ts"] == card["ts"]]
    assert len(edits) == 1
    assert cards.undelivered(conn) == 0


def _expire(conn: Any, courier: Courier, pause_id: UUID) -> None:
    sweeper = Sweeper(courier.pool)
    while pauses.get(conn, pause_id).status == "waiting":
        rows.make_due(conn, pause_id)
        assert sweeper.run()


def test_a_card_that_is_not_ours_to_edit_is_followed_by_one_that_is(
    conn: Any, courier: Courier, office: Office
) -> None:
    """L3: cant_update_message, for each card once."""
    [pause_id] = rows.waiting(conn)
    paint_due(courier)
    pauses.approve(conn, pause_id, "marta", surface="tests")
    office.fault("chat.update", "error", error="cant_update_message", times=2)
    while paint_due(courier):
        pass
    assert "Approved by Marta Keller" in text_of(office.messages("C0BUY")[-1]["blocks"])
    assert len(office.calls("chat.update")) == 2
    assert cards.undelivered(conn) == 0
