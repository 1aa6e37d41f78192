"""`placet ask` and `placet reply`: judged as in Slack, told in the same words, and shown by `show`."""

import json
from typing import Any
from uuid import UUID

import pytest

from bot.cards.ids import screen_id
from engine.state import events, pauses
from tests import rows
from tests.bot.command_line import Said, placet, untouched


def name(pause_id: UUID) -> str:
    return screen_id("pause", pause_id)


def ask(db_url: str, pause_id: UUID, inquiry: str = "Which cost centre?", who: str = "marta") -> Said:
    return placet(db_url, "ask", name(pause_id), "--as", who, inquiry)


def reply(db_url: str, pause_id: UUID, answer: str = "4711.", who: str = "priya", *more: str) -> Said:
    return placet(db_url, "reply", name(pause_id), "--as", who, answer, *more)


def test_an_inquiry_is_asked_and_answered_and_nothing_is_decided(conn: Any, db_url: str) -> None:
    (pause_id,) = rows.waiting(conn)
    said = ask(db_url, pause_id)
    assert (said.code, said.err) == (0, "")
    summary = f"{name(pause_id)}: EUR 38,000.00 to Nordholz Industrial (sup_412)"
    assert said.out.startswith(f"{summary}\nAsked, as inquiry 1. The requester is told")
    said = reply(db_url, pause_id)
    assert (said.code, said.out) == (0, f"{summary}\nAnswered. Whoever decides is told, and it stands on the card.")
    pause = pauses.get(conn, pause_id)
    assert (pause.status, pause.inquiries[0].reply, pause.inquiries[0].surface) == ("waiting", "4711.", "cli")


def test_show_and_its_json_have_them(conn: Any, db_url: str) -> None:
    (pause_id,) = rows.waiting(conn)
    ask(db_url, pause_id, "Which \x1b[31mcost centre?")
    assert "Not answered yet." in placet(db_url, "show", name(pause_id)).out
    reply(db_url, pause_id)
    ask(db_url, pause_id, "Since when?")
    shown = placet(db_url, "show", name(pause_id)).out
    assert "Inquiries to the requester" in shown
    assert "1. Marta Keller, " in shown
    assert "Which \\u{1B}[31mcost centre?" in shown
    assert "4711." in shown
    first, second = json.loads(placet(db_url, "show", name(pause_id), "--json").out)["inquiries"]
    assert (first["by"], first["reply"]["text"], second["text"], second["reply"]) == (
        "marta",
        "4711.",
        "Since when?",
        None,
    )
    pauses.approve(conn, pause_id, "marta", surface="tests")
    assert "It was not answered." in placet(db_url, "show", name(pause_id)).out
    assert placet(db_url, "audit", "verify").code == 0


@pytest.mark.parametrize(
    ("who", "told", "on_record"),
    [
        ("priya", "You asked for this, so somebody else must decide", "own"),
        ("jonas", "It is for Marta Keller to decide", "not_yours"),
    ],
)
def test_who_may_not_decide_may_not_ask(conn: Any, db_url: str, who: str, told: str, on_record: str) -> None:
    (pause_id,) = rows.waiting(conn)
    said = ask(db_url, pause_id, who=who)
    assert said.code == 3
    assert told in said.err
    record = events.of_run(conn, pauses.get(conn, pause_id).run_id)
    assert (record[-1].event, record[-1].actor, record[-1].to_status, record[-1].detail) == (
        "ask_back",
        who,
        None,
        on_record,
    )


def test_only_the_requester_replies_once_and_to_what_was_asked(conn: Any, db_url: str) -> None:
    (pause_id,) = rows.waiting(conn)
    assert "There is no such inquiry" in reply(db_url, pause_id).err
    ask(db_url, pause_id)
    assert "Only the person it was asked for may answer" in reply(db_url, pause_id, who="otto").err
    assert reply(db_url, pause_id).code == 0
    said = reply(db_url, pause_id, "Or 4712?")
    assert (said.code, "answered already" in said.err) == (3, True)


def test_of_several_open_inquiries_one_is_named(conn: Any, db_url: str) -> None:
    (pause_id,) = rows.waiting(conn)
    ask(db_url, pause_id, "One?")
    ask(db_url, pause_id, "Two?")
    with untouched(conn):
        said = reply(db_url, pause_id)
    assert said.code == 2
    assert "several inquiries are open. Write the number of one. 1: One?; 2: Two?" in said.err
    assert reply(db_url, pause_id, "To two.", "priya", "--inquiry", "2").code == 0
    assert reply(db_url, pause_id, "To one.").code == 0
    assert [one.reply for one in pauses.get(conn, pause_id).inquiries] == ["To one.", "To two."]


def test_an_inquiry_after_the_hour_is_told_where_it_went(conn: Any, db_url: str) -> None:
    (pause_id,) = rows.waiting(conn)
    rows.make_due(conn, pause_id)
    said = ask(db_url, pause_id)
    assert said.code == 3
    assert "it is with Otto Brandt now" in said.err


@pytest.mark.parametrize("words", ["x" * 1_001, "  "])
def test_too_much_and_nothing_are_refused(conn: Any, db_url: str, words: str) -> None:
    (pause_id,) = rows.waiting(conn)
    assert ask(db_url, pause_id, words).code == (2 if words.strip() else 3)
    assert pauses.get(conn, pause_id).inquiries == ()
