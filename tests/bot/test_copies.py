"""A button works from every copy of a request, for that request alone, and then every copy follows; a copy that no card knows, too."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest

from bot.cards import ids
from bot.delivery.repaint import paint_due
from bot.sandbox.slack_api import ALL_SCOPES
from engine.models import NewCard
from engine.state import pauses
from tests import rows
from tests.bot.house import Home, living, settings
from tests.bot.office import Json, Office, actions_of, open_office, text_of

PLACES = (
    NewCard(kind="approver", dest="channel:C0BUY"),
    NewCard(kind="approver", dest="channel:C0OPS"),
    NewCard(kind="approver", dest="person:marta"),
    rows.SHOWN[1],
)


@pytest.fixture
def two(conn: Any) -> tuple[UUID, UUID]:
    """A request shown in four places, and another like it, to the same people."""
    first, second = (rows.waiting(conn, cards=PLACES)[0] for _ in range(2))
    return first, second


def of(home: Home, pause_id: UUID, channel: str) -> Json:
    return next(m for m in home.office.messages(channel) if str(pause_id) in str(m["metadata"]))


def in_a_list(home: Home, pause_id: UUID) -> None:
    """The list names both; the button of this one is pressed."""
    listed = home.office.command("U0MARTA", channel="C0BUY")
    _press_named(home, pause_id, listed, channel=listed["channel"], ts=listed["ts"])


def on_the_home_tab(home: Home, pause_id: UUID) -> None:
    home.office.act("home", "U0MARTA")
    view = home.office.await_(lambda: home.office.home("U0MARTA"))
    _press_named(home, pause_id, view, view_id=view["id"])


def in_details(home: Home, pause_id: UUID) -> None:
    home.office.press("U0MARTA", of(home, pause_id, "C0BUY"), ids.ACTION_DETAILS)
    [view] = home.office.views("U0MARTA")
    _press_named(home, pause_id, view, view_id=view["id"])


def _press_named(home: Home, pause_id: UUID, shown: Json, **where: str) -> None:
    [block] = [
        b["block_id"]
        for b in shown["blocks"]
        for e in (*b.get("elements", ()), b.get("accessory") or {})
        if e.get("action_id") == ids.ACTION_APPROVE and str(pause_id.hex) in e["value"]
    ]
    said = home.office.act("click", "U0MARTA", block_id=block, action_id=ids.ACTION_APPROVE, **where)
    assert said == {"ok": True}


def on_a_card(channel: str) -> Callable[[Home, UUID], None]:
    def press(home: Home, pause_id: UUID) -> None:
        assert home.office.press("U0MARTA", of(home, pause_id, channel), ids.ACTION_APPROVE) == {"ok": True}

    return press


@pytest.mark.parametrize(
    ("press", "surface"),
    [
        (on_a_card("C0BUY"), "card"),
        (on_a_card("C0OPS"), "card"),
        (on_a_card("D0MARTA"), "card"),
        (in_a_list, "list"),
        (on_the_home_tab, "home"),
        (in_details, "details"),
    ],
    ids=["in its channel", "in another channel", "in a DM", "in a list", "on the Home tab", "in Details"],
)
def test_from_wherever_it_is_pressed_it_decides_its_own_request_and_all_copies_follow(
    home: Home, two: tuple[UUID, UUID], press: Callable[[Home, UUID], None], surface: str
) -> None:
    pressed, other = two
    home.calm()
    press(home, pressed)
    assert (home.pause(pressed).status, home.pause(pressed).votes[0].surface) == ("approved", f"slack:{surface}")
    assert home.pause(other).status == "waiting"
    home.calm()
    for channel in ("C0BUY", "C0OPS", "D0MARTA", "D0PRIYA"):
        assert "Approved by Marta Keller" in text_of(of(home, pressed, channel)), channel
        assert ids.ACTION_APPROVE not in actions_of(of(home, pressed, channel)), channel
        assert "Approved by" not in text_of(of(home, other, channel)), channel


@pytest.fixture
def unread(tmp_path: Path) -> Iterator[Office]:
    """A workspace in which we may not read what was said, so that what was lost is posted again."""
    with open_office(tmp_path / "unread.jsonl", scopes=ALL_SCOPES - {"channels:history", "im:history"}) as running:
        yield running


@pytest.mark.parametrize("which", [0, 1], ids=["the first", "the second"])
def test_of_a_card_that_stands_twice_either_decides_and_both_follow(
    unread: Office, db_url: str, conn: Any, which: int
) -> None:
    [pause_id] = rows.waiting(conn)
    with living(unread, settings(unread, db_url)) as home:
        blind = replace(home.house.courier, slack=unread.slack)
        unread.fault("chat.postMessage", "drop", times=2)
        paint_due(blind)
        conn.execute("UPDATE card SET not_before = NULL, painter_until = NULL")
        home.calm()
        copies = unread.messages("C0BUY")
        assert len(copies) == 2
        assert unread.press("U0MARTA", copies[which], ids.ACTION_APPROVE) == {"ok": True}
        assert pauses.get(conn, pause_id).decided_by == "marta"
        assert unread.press("U0MARTA", copies[1 - which], ids.ACTION_APPROVE) == {"ok": True}
        assert "Already approved by Marta Keller" in home.private("U0MARTA")
        unread.await_(lambda: all(ids.ACTION_APPROVE not in actions_of(m) for m in unread.messages("C0BUY")))
