"""Authorisation: whoever is no full, present member of ours decides nothing, though the button is before their eyes."""

from typing import Any
from uuid import UUID

import pytest

from bot.cards import ids
from engine.state import people
from tests import rows
from tests.bot.house import Home
from tests.bot.office import Json
from tests.bot.test_api import click, knock


@pytest.fixture
def pause_id(conn: Any) -> UUID:
    """A request for Marta, whom Slack called a member an hour ago."""
    [asked] = rows.waiting(conn)
    people.checked(conn, "T0ACME", "U0MARTA", None)
    conn.execute("UPDATE identity SET checked_at = checked_at - interval '1 hour'")
    return asked


@pytest.mark.parametrize(
    ("user", "change", "told"),
    [
        ("U0MARTA", {"is_restricted": True}, "You are a guest in this workspace, and only full members may decide."),
        ("U0GUEST", {}, "You belong to another workspace, and only members of this one may decide."),
    ],
)
def test_a_guest_or_a_stranger_is_refused_closed_and_told_why(
    home: Home, pause_id: UUID, user: str, change: Json, told: str
) -> None:
    """A3: the approver of an hour ago is a guest by now; the stranger never was one of us."""
    card = home.card()
    if change:
        home.office.change(user=user, set=change)
    home.office.press(user, card, ids.ACTION_APPROVE)
    assert told in home.private(user)
    assert (home.pause(pause_id).status, home.pause(pause_id).votes) == ("waiting", ())


def test_a_click_on_its_way_when_its_sender_left_decides_nothing(home: Home, pause_id: UUID) -> None:
    """A3: signed by Slack, sent by an account that is deactivated when it arrives."""
    home.office.change(user="U0MARTA", set={"deleted": True})
    assert knock(home, click(pause_id, home.pause(pause_id).digest)).status_code == 200
    assert (home.pause(pause_id).status, home.pause(pause_id).votes) == ("waiting", ())
