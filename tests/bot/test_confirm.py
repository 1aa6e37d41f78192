"""Where a rule has something typed, Approve opens a form, and only what stands in the request approves it."""

from dataclasses import replace
from typing import Any
from uuid import UUID

import pytest

from bot.cards import ids
from engine.models import Confirmation
from tests import rows
from tests.bot.house import Home, send
from tests.bot.office import actions_of, text_of

Json = dict[str, Any]


@pytest.fixture
def pause_id(conn: Any) -> UUID:
    need = replace(rows.NEED, confirm="payment_method")
    [asked] = rows.waiting(conn, need=need, confirm=Confirmation(of="payment_method", typed="4417"))
    return asked


def typed(home: Home, user: str, text: str) -> list[Json]:
    """Fill in the form that is open, and submit it; what is open afterwards."""
    [view] = home.office.views(user)
    values = {ids.BLOCK_TYPED: {ids.ACTION_TYPED: {"type": "plain_text_input", "value": text}}}
    home.office.act("submit", user, view_id=view["id"], values=values)
    return home.office.views(user)


def test_what_is_typed_right_approves_it(home: Home, pause_id: UUID) -> None:
    card = home.card()
    assert ids.ACTION_APPROVE not in actions_of(card)
    home.office.press("U0MARTA", card, ids.ACTION_CONFIRM)
    [view] = home.office.views("U0MARTA")
    assert "Type the last 4 letters or digits of the payment method" in text_of(view)
    assert home.pause(pause_id).status == "waiting"
    assert typed(home, "U0MARTA", "44 17") == []
    pause = home.pause(pause_id)
    assert (pause.status, pause.decided_by, pause.votes[0].surface) == ("approved", "marta", "slack:form")


def test_what_is_typed_wrong_leaves_the_form_open_and_the_request_waiting(home: Home, pause_id: UUID) -> None:
    home.office.press("U0MARTA", home.card(), ids.ACTION_CONFIRM)
    [view] = typed(home, "U0MARTA", "4418")
    told = (
        "Nothing was recorded: type the last 4 letters or digits of the payment method as in the request to approve it."
    )
    assert list(view["errors"].values()) == [told]
    assert home.pause(pause_id).status == "waiting"
    assert typed(home, "U0MARTA", "4417") == []
    assert home.pause(pause_id).status == "approved"


def test_a_plain_approve_of_an_older_message_approves_nothing_and_says_so(home: Home, pause_id: UUID) -> None:
    card = home.card()
    block = next(
        b for b in card["blocks"] if any(e.get("action_id") == ids.ACTION_CONFIRM for e in b.get("elements", ()))
    )
    value = next(e["value"] for e in block["elements"] if e["action_id"] == ids.ACTION_CONFIRM)
    send(home, ids.ACTION_APPROVE, value)
    assert "Nothing was recorded: type the last 4 letters or digits of the payment method" in home.private(
        "U0MARTA", "C0OPS"
    )
    assert home.pause(pause_id).status == "waiting"


@pytest.mark.parametrize(
    ("user", "told"), [("U0PRIYA", "You asked for this"), ("U0JONAS", "It is for Marta Keller to decide")]
)
def test_who_may_not_approve_it_sees_no_form(home: Home, pause_id: UUID, user: str, told: str) -> None:
    home.office.press(user, home.card(), ids.ACTION_CONFIRM)
    assert told in home.private(user)
    assert home.office.views(user) == []


def test_deny_needs_nothing_typed(home: Home, pause_id: UUID) -> None:
    home.office.press("U0MARTA", home.card(), ids.ACTION_DENY)
    [view] = home.office.views("U0MARTA")
    home.office.act("submit", "U0MARTA", view_id=view["id"], values={})
    assert home.pause(pause_id).status == "denied"
