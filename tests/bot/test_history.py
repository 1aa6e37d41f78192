"""What happened to a request is told whole, in order, with who did it and what was tried in vain."""

import re
from pathlib import Path
from typing import Any

from bot.cards import history, ids
from engine.models import Decided, NotYours
from engine.state import events, pauses
from tests import rows
from tests.bot.house import Home
from tests.bot.office import text_of

ROOT = Path(__file__).parents[2]


def told(conn: Any, pause_id: Any) -> list[str]:
    """The lines, without their times."""
    return [
        re.sub(r"^<!date.*?> ?\n?", "", text_of([block])).strip()
        for block in history.history(pauses.get(conn, pause_id), events.of_pause(conn, pause_id))
    ]


def test_everything_that_can_happen_to_a_request_has_words() -> None:
    text = (ROOT / "sql" / "transitions.sql").read_text("utf-8")
    moves = set(re.findall(r"\('(pause|effect)', *'\w+', *'(\w+)'", text))
    assert {" ".join(move) for move in moves} == set(history._DID)


def test_from_asked_to_done_with_what_was_tried_in_vain(conn: Any) -> None:
    [pause_id] = rows.waiting(conn)
    assert isinstance(pauses.approve(conn, pause_id, "priya", surface="slack:card"), NotYours)
    assert isinstance(pauses.approve(conn, pause_id, "marta", surface="slack:card"), Decided)
    lines = told(conn, pause_id)
    assert lines[0] == "What happened"
    assert [line.split("\n")[-1] for line in lines[1:]] == [
        "agent:procurement asked (worker)",
        "Priya Nair (priya) tried in vain to approve: it is their own request",
        "Marta Keller (marta) approved (slack:card)",
    ]


def test_details_show_it(home: Home, conn: Any) -> None:
    rows.waiting(conn)
    card = home.card()
    home.office.press("U0PRIYA", card, ids.ACTION_APPROVE)
    home.office.press("U0MARTA", card, ids.ACTION_DETAILS)
    assert "Priya Nair (priya) tried in vain to approve: it is their own request" in text_of(
        home.office.views("U0MARTA")[-1]["blocks"]
    )


def test_a_message_tells_it_from_its_menu_also_when_it_is_long_over(home: Home, conn: Any) -> None:
    [pause_id] = rows.waiting(conn)
    home.office.press("U0MARTA", home.card(), ids.ACTION_APPROVE)
    home.calm()
    assert home.office.shortcut("U0OTTO", home.card(), ids.SHORTCUT_WHAT_HAPPENED) == {"ok": True}
    [view] = home.office.views("U0OTTO")
    assert "Marta Keller (marta) approved (slack:card)" in text_of(view["blocks"])
    assert str(pause_id) in text_of(view["blocks"])


def test_a_message_that_shows_no_request_says_so(home: Home) -> None:
    home.office.act("message", "U0PRIYA", channel="C0BUY", text="Good morning")
    [message] = home.office.messages("C0BUY")
    home.office.shortcut("U0MARTA", message, ids.SHORTCUT_WHAT_HAPPENED)
    assert home.private("U0MARTA").startswith("This message shows no request.")


def test_a_stranger_is_told_nothing_of_it(home: Home, conn: Any) -> None:
    rows.waiting(conn)
    home.office.shortcut("U0GUEST", home.card(), ids.SHORTCUT_WHAT_HAPPENED)
    assert home.office.views("U0GUEST") == []
    assert home.private("U0GUEST")
