"""What was asked back, as people see it: whole or in Details on the card, inert everywhere, with a button for who may ask or answer."""

from dataclasses import replace
from typing import Any, get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.cards import ids, inquiries, notices
from bot.cards.blocks import Kind, card
from bot.cards.modals import ask_view, details_view, reply_view
from engine.models import Actor, Inquiry, Line, Pause, PauseStatus
from engine.rules.inquiries import WORDS_MOST, mark, read, words
from tests.bot.asked import ANSWERED, ASKED_BACK, CONTENT, ENV, LINES, by_marta, content, pause, statuses
from tests.bot.painted import ATTACKS, opened, parts_of, pressed, taken
from tests.bot.painted import read as text_of
from tests.bot.painted import words as texts

KINDS: tuple[Kind, ...] = ("approver", "requester")
OPEN = statuses()["waiting_asked_back"]
CLOSED = statuses()["waiting_answered"]
LONG = replace(ASKED_BACK, text="q" * WORDS_MOST)


def shown(asked: Pause, kind: Kind = "approver", level: int = 0) -> dict[str, Any]:
    message = card(asked, kind=kind, level=level, env=ENV)
    taken(message)
    return message.payload()


def person(name: str, *roles: str) -> Actor:
    return Actor(id=name, name=name, active=True, team="T0ACME", slack_user=f"U0{name.upper()}", refusal=None, checked_s_ago=1, roles=roles)  # fmt: skip


# -------------------------------------------------------------------------------------------------------------- the card


def test_who_may_decide_may_ask_the_requester_by_name() -> None:
    assert pressed(shown(pause())["blocks"]) == ["Approve", "Deny", "Ask Priya Nair …", "Details"]
    assert pressed(shown(pause(), "requester")["blocks"]) == ["Withdraw"]
    escalated = pause(level=1, approver="person:otto", approver_name="Otto Brandt")
    assert pressed(shown(escalated)["blocks"]) == []
    for name, asked in statuses().items():
        if not name.startswith("waiting"):
            assert not any(label.startswith(("Ask", "Answer")) for label in pressed(shown(asked)["blocks"]))


def test_a_card_without_room_for_the_request_leaves_asking_to_details() -> None:
    asked = pause(content(lines=(*LINES, Line(label="Body", value="y" * 9_000))))
    assert pressed(shown(asked)["blocks"]) == ["Details"]
    view = details_view(asked, ENV, viewer=person("marta"))
    assert pressed(view["blocks"]) == ["Approve", "Deny", "Ask Priya Nair …"]


def test_an_open_inquiry_stands_whole_on_both_cards() -> None:
    for kind in KINDS:
        text = text_of(shown(OPEN, kind)["blocks"])
        assert "Marta Keller asked Priya Nair" in text
        assert ASKED_BACK.text in text
        assert "Not answered yet." in text


def test_the_requester_answers_from_the_card_as_long_as_something_is_open() -> None:
    assert pressed(shown(OPEN, "requester")["blocks"]) == ["Answer …", "Withdraw", "Details"]
    assert pressed(shown(CLOSED, "requester")["blocks"]) == ["Withdraw", "Details"]
    [value] = [
        p["value"] for p in parts_of(shown(OPEN, "requester")["blocks"]) if p.get("action_id") == ids.ACTION_REPLY
    ]
    button = ids.decode(value)
    assert button
    assert (button.about, button.inquiry) == (OPEN.id, 1)


def test_the_latest_inquiry_stands_with_its_answer_and_the_others_are_counted() -> None:
    text = text_of(shown(CLOSED)["blocks"])
    assert ASKED_BACK.text in text
    assert "Priya Nair answered\n4711, as every year." in text
    assert "Is it urgent?" not in text
    assert "1 more inquiry in Details" in text


def test_what_is_open_goes_before_what_was_asked_later_and_answered() -> None:
    both = pause(inquiries=(ASKED_BACK, replace(ANSWERED, n=2, text="Is it urgent?")))
    text = text_of(shown(both, "requester")["blocks"])
    assert ASKED_BACK.text in text
    assert "Is it urgent?" not in text


def test_a_pair_that_does_not_fit_is_whole_in_details_and_the_card_says_so() -> None:
    asked = pause(
        content(summary="x" * 3_400), inquiries=(replace(LONG, text="<" * WORDS_MOST, reply="&" * WORDS_MOST),)
    )
    for kind in KINDS:
        blocks = shown(asked, kind)["blocks"]
        assert "Marta Keller asked Priya Nair something, and Priya Nair answered. It is in Details." in text_of(blocks)
        assert "Details" in pressed(blocks)
        assert "<<<" not in text_of(blocks)
    text = text_of(details_view(asked, ENV)["blocks"])
    assert "<" * WORDS_MOST in text.replace("\n", "")
    assert "&" * WORDS_MOST in text.replace("\n", "")
    assert pressed(shown(asked)["blocks"])[:2] == ["Approve", "Deny"]


def test_an_inquiry_of_full_length_fits_on_an_ordinary_card() -> None:
    asked = pause(inquiries=(replace(LONG, reply="a" * WORDS_MOST),))
    text = text_of(shown(asked)["blocks"])
    assert "q" * WORDS_MOST in text
    assert "a" * WORDS_MOST in text


def test_a_settled_card_offers_no_answer_and_details_say_that_there_was_none() -> None:
    settled = pause(status="approved", inquiries=(ASKED_BACK,), **by_marta())
    assert pressed(shown(settled, "requester")["blocks"]) == ["Withdraw", "Details"]
    assert "It was not answered." in text_of(details_view(settled, ENV)["blocks"])


# --------------------------------------------------------------------------------------------------------------- details


@pytest.mark.parametrize(
    ("viewer", "offered"),
    [
        (person("marta"), ["Approve", "Deny", "Ask Priya Nair …"]),
        (person("priya"), ["Answer …"]),
        (person("otto"), []),
        (None, ["Approve", "Deny", "Ask Priya Nair …"]),
    ],
)
def test_details_offer_what_its_reader_may_do(viewer: Actor | None, offered: list[str]) -> None:
    view = details_view(OPEN, ENV, viewer=viewer)
    opened(view)
    assert pressed(view["blocks"]) == offered


def test_details_show_the_latest_inquiries_whole_and_name_how_many_there_were_before() -> None:
    many = tuple(replace(ANSWERED, n=n, text=f"Inquiry {n}?", reply=f"Answer {n}.") for n in range(1, 9))
    view = details_view(pause(inquiries=many), ENV)
    opened(view)
    text = text_of(view["blocks"])
    assert "3 earlier inquiries; placet show has all of them." in text
    assert [n for n in range(1, 9) if f"Inquiry {n}?" in text] == [4, 5, 6, 7, 8]
    assert text.count("Priya Nair answered") == 5


def test_inquiries_give_way_to_what_is_decided() -> None:
    body = "".join(f"line {n}\n" for n in range(17_000))
    full = replace(ASKED_BACK, text="é" * WORDS_MOST, reply="é" * WORDS_MOST)
    asked = pause(
        content(lines=(*LINES, Line(label="Body", value=body))),
        inquiries=tuple(replace(full, n=n) for n in range(1, 6)),
    )
    view = details_view(asked, ENV)
    opened(view)
    assert pressed(view["blocks"])[:2] == ["Approve", "Deny"]
    assert "é" not in text_of(view["blocks"])
    assert "5 earlier inquiries" in text_of(view["blocks"])


# ----------------------------------------------------------------------------------------------------------------- forms


def test_the_form_asks_for_words_and_says_that_asking_decides_nothing() -> None:
    view = ask_view(pause(), ENV, "C0BUY")
    opened(view)
    [field] = [block for block in view["blocks"] if block["type"] == "input"]
    assert (field["block_id"], field["element"]["max_length"], field.get("optional")) == (
        ids.BLOCK_WORDS,
        WORDS_MOST,
        None,
    )
    assert "Asking decides nothing" in text_of(view["blocks"])
    assert (view["submit"]["text"], view["callback_id"]) == ("Ask", ids.CALLBACK_ASK)
    assert ids.decode_carried(view["private_metadata"]) == ids.Carried(
        ids.Button(ENV, pause().id, pause().digest[:8]), "C0BUY"
    )


def test_the_form_for_an_answer_shows_the_inquiry_and_carries_its_number() -> None:
    view = reply_view(OPEN, ASKED_BACK, ENV)
    opened(view)
    assert ASKED_BACK.text in text_of(view["blocks"])
    carried = ids.decode_carried(view["private_metadata"])
    assert carried
    assert carried.button.inquiry == 1


# ------------------------------------------------------------------------------------------------------ what is said once


def test_the_requester_is_asked_with_a_button_and_only_as_long_as_it_can_be_answered() -> None:
    message = notices.inquiry(OPEN, ASKED_BACK, env=ENV)
    assert message
    taken(message)
    assert message.text.startswith("Marta Keller asks you something before deciding: ")
    assert CONTENT.summary in text_of(message.blocks)
    assert pressed(message.blocks) == ["Answer …", "Details"]
    assert notices.inquiry(CLOSED, ANSWERED, env=ENV) is None
    assert notices.inquiry(replace(OPEN, status="approved"), ASKED_BACK, env=ENV) is None


def test_below_the_card_it_is_said_what_was_asked_and_answered() -> None:
    asked = notices.asked_back(OPEN, ASKED_BACK)
    taken(asked)
    assert "The answer will be said here" in text_of(asked.blocks)
    assert "Not answered yet" not in text_of(asked.blocks)  # it stands there when it is
    late = notices.asked_back(CLOSED, CLOSED.inquiries[1])
    assert "The answer will be said here" not in text_of(late.blocks)
    answered = notices.replied(CLOSED, CLOSED.inquiries[1])
    taken(answered)
    assert "4711, as every year." in text_of(answered.blocks)
    assert pressed([*asked.blocks, *answered.blocks]) == []


def test_who_asked_hears_the_answer_with_what_it_is_about_and_how_that_stands() -> None:
    message = notices.reply(CLOSED, CLOSED.inquiries[1], env=ENV)
    taken(message)
    assert message.text.startswith("Priya Nair answered your inquiry: 4711")
    assert CONTENT.summary in text_of(message.blocks)
    assert pressed(message.blocks) == ["Details"]
    settled = notices.reply(replace(CLOSED, status="denied", **by_marta("deny")), CLOSED.inquiries[1], env=ENV)
    assert "Denied by Marta Keller" in text_of(settled.blocks)


def test_a_name_too_long_for_a_button_is_cut() -> None:
    label = next(
        label for label in pressed(shown(pause(requester_name="N" * 300))["blocks"]) if label.startswith("Ask")
    )
    assert len(label) <= 40


# ------------------------------------------------------------------------------------------------------------------ inert


def everything(asked: Pause) -> None:
    """All that shows it is taken by Slack, and nothing in it is alive."""
    for kind in KINDS:
        for level in (0, 1):
            taken(card(asked, kind=kind, level=level, env=ENV))
    opened(details_view(asked, ENV, viewer=person("priya")))
    opened(ask_view(asked, ENV))
    for one in asked.inquiries:
        opened(reply_view(asked, one, ENV))
        for message in (
            notices.inquiry(asked, one, env=ENV), notices.asked_back(asked, one), notices.replied(asked, one), notices.reply(asked, one, env=ENV),
        ):  # fmt: skip
            if message:
                taken(message)


@pytest.mark.parametrize("attack", ATTACKS)
def test_nothing_in_an_inquiry_or_an_answer_is_alive(attack: str) -> None:
    for answer in (None, attack[:WORDS_MOST]):
        one = Inquiry(
            n=1,
            person=attack[:40] or "x",
            name=attack,
            at=ASKED_BACK.at,
            surface=attack,
            text=attack[:WORDS_MOST],
            reply=answer,
        )
        for status in get_args(PauseStatus):
            fields = {} if status == "waiting" else by_marta("deny", attack)
            everything(pause(status=status, requester_name=attack, inquiries=(one, replace(one, n=2)), **fields))


@given(texts, texts, st.booleans())
@settings(max_examples=40, deadline=None)
def test_any_words_are_taken(text: str, answer: str, waits: bool) -> None:
    one = replace(ASKED_BACK, text=text[:WORDS_MOST], reply=answer[:WORDS_MOST] if answer else None)
    everything(pause(inquiries=(one,), **({} if waits else {"status": "approved", **by_marta()})))


def test_a_secret_and_a_turned_text_are_shown_as_such() -> None:
    one = replace(ASKED_BACK, text=f"Key sk-ant-{'abcdefghijklmnop' * 2}?", reply="report\u202efdp.exe")
    for asked in (pause(inquiries=(one,)),):
        for blocks in (shown(asked)["blocks"], details_view(asked, ENV)["blocks"], notices.replied(asked, one).blocks):
            text = text_of(blocks)
            assert "abcdefghijklmnop" not in text
            assert "report\\u{202E}fdp.exe" in text


# ----------------------------------------------------------------------------------------------------------- on the record


@given(st.integers(1, 10_000), texts)
def test_an_answer_is_read_back_as_it_was_said(n: int, text: str) -> None:
    assert words(f"{mark(n)}{text}") == text


def test_answers_go_to_the_inquiries_that_they_name() -> None:
    def said(event: str, detail: str, who: str = "marta") -> dict[str, Any]:
        return {
            "event": event,
            "person": who,
            "name": None,
            "at": "2026-07-17T09:19:00+00:00",
            "surface": "cli",
            "detail": detail,
        }

    asked = read(
        [
            said("ask_back", "One?"),
            said("ask_back", "Two?"),
            said("reply", "to inquiry 2: two", "priya"),
            said("reply", "to inquiry 7: none", "priya"),
        ]
    )
    assert [(one.n, one.text, one.reply) for one in asked] == [(1, "One?", None), (2, "Two?", "two")]
    assert inquiries.latest(pause(inquiries=asked)) == asked[0]
