"""A question in Slack: its choices as buttons, a form for one's own words, one answer, and no way to approve or deny it."""

import threading
from dataclasses import replace
from typing import Any
from uuid import UUID

import pytest

from bot.cards import ids
from bot.cards.blocks import card
from bot.cards.history import history
from bot.cards.lists import waiting_list
from engine.models import Actor, Decided, NewCard
from engine.rules.questions import ANSWER_MOST, TOO_LONG
from engine.state import events, pauses
from tests import rows
from tests.bot.asked import ENV, asked_pause, question, waiting
from tests.bot.command_line import placet
from tests.bot.house import Home, send
from tests.bot.office import actions_of, text_of
from tests.bot.painted import taken

Json = dict[str, Any]
TWO = ("Nordholz Industrial", "Brandt & Söhne")
MARTA = Actor(
    id="marta", name="Marta Keller", active=True, team="T0ACME", slack_user="U0MARTA", refusal=None, checked_s_ago=1.0
)
MANY = tuple(f"Supplier {n}" for n in range(1, 8))


@pytest.fixture
def pause_id(conn: Any) -> UUID:
    [asked] = rows.waiting(conn, **rows.question(*TWO))
    return asked


def fill_in(home: Home, user: str, words: str | None = None, choice: int | None = None) -> list[Json]:
    """Fill in the form that is open, and submit it; what is open afterwards."""
    [view] = home.office.views(user)
    values: Json = {ids.BLOCK_ANSWER: {ids.ACTION_ANSWER_TEXT: {"type": "plain_text_input", "value": words}}}
    if choice is not None:
        option = {"text": {"type": "plain_text", "text": "x"}, "value": str(choice)}
        values[ids.BLOCK_ANSWER_CHOICE] = {
            ids.ACTION_ANSWER_CHOICE: {"type": "static_select", "selected_option": option}
        }
    home.office.act("submit", user, view_id=view["id"], values=values)
    return home.office.views(user)


# --------------------------------------------------------------------------------------------------------------- the card


def test_a_click_on_a_choice_answers_with_it_and_every_card_says_who_said_what(home: Home, pause_id: UUID) -> None:
    shown = home.card()
    told = text_of(shown)
    for fact in (
        "The procurement agent asks",
        "Which of the two suppliers do you prefer?",
        *TWO,
        "For Marta Keller to answer.",
    ):
        assert fact in told
    assert "If nobody answers, it goes to the next manager above Marta Keller" in told
    assert not {ids.ACTION_APPROVE, ids.ACTION_DENY} & set(actions_of(shown))
    home.office.press("U0MARTA", shown, ids.choose(1))
    pause = home.pause(pause_id)
    assert (pause.status, pause.decided_by, pause.reason) == ("answered", "marta", "Brandt & Söhne")
    assert [(vote.verdict, vote.surface) for vote in pause.votes] == [("answer", "slack:card")]
    home.calm()
    for place in ("C0BUY", "D0PRIYA"):
        after = text_of(home.card(place))
        assert "Answered by Marta Keller (marta)." in after
        assert "Brandt & Söhne" in after
    assert actions_of(home.card()) == [ids.ACTION_DETAILS]


def test_ones_own_words_are_taken_by_a_form(home: Home, pause_id: UUID) -> None:
    home.office.press("U0MARTA", home.card(), ids.ACTION_ANSWER)
    [view] = home.office.views("U0MARTA")
    assert "Which of the two suppliers do you prefer?" in text_of(view)
    assert home.pause(pause_id).status == "waiting"
    assert fill_in(home, "U0MARTA", "  Neither.\nAsk Otto. ") == []
    pause = home.pause(pause_id)
    assert (pause.status, pause.reason, pause.votes[0].surface) == ("answered", "Neither.\nAsk Otto.", "slack:form")


def test_of_many_choices_one_is_chosen_in_the_form(home: Home, conn: Any) -> None:
    [pause_id] = rows.waiting(conn, **rows.question(*MANY))
    shown = home.card()
    assert [one for one in actions_of(shown) if one != ids.ACTION_DETAILS] == [ids.ACTION_ANSWER]
    assert all(choice in text_of(shown) for choice in MANY)
    home.office.press("U0MARTA", shown, ids.ACTION_ANSWER)
    [view] = fill_in(home, "U0MARTA", "this one", choice=6)
    assert list(view["errors"].values()) == ["Choose one, or answer in your own words, not both. Nothing was recorded."]
    assert fill_in(home, "U0MARTA", choice=6) == []
    assert home.pause(pause_id).reason == "Supplier 7"


@pytest.mark.parametrize(
    ("words", "told"), [(None, "An answer has at least one character"), (" \n ", "An answer has at least one"), ("x" * (ANSWER_MOST + 1), TOO_LONG)]
)  # fmt: skip
def test_what_is_no_answer_leaves_the_form_open_and_the_question_waiting(
    home: Home, pause_id: UUID, words: str | None, told: str
) -> None:
    home.office.press("U0MARTA", home.card(), ids.ACTION_ANSWER)
    [view] = fill_in(home, "U0MARTA", words)
    [said] = view["errors"].values()
    assert said.startswith(told)
    assert home.pause(pause_id).status == "waiting"
    assert fill_in(home, "U0MARTA", "x" * ANSWER_MOST) == []
    assert home.pause(pause_id).status == "answered"


def test_a_choice_that_the_question_does_not_have_answers_nothing(home: Home, pause_id: UUID) -> None:
    home.card()
    button = ids.Button(env="test", about=pause_id, shown=home.pause(pause_id).digest[: ids.SHOWN])
    for value in (ids.encode(button.of_choice(2)), ids.encode(button)):
        send(home, ids.choose(2), value)
        assert "Placet does not know this button" in home.private("U0MARTA", "C0OPS")
    assert home.pause(pause_id).status == "waiting"


def test_a_button_of_another_content_answers_nothing(home: Home, pause_id: UUID) -> None:
    home.card()
    send(home, ids.choose(0), ids.encode(ids.Button(env="test", about=pause_id, shown="00000000", choice=0)))
    assert "This card does not show" in home.private("U0MARTA", "C0OPS")
    assert home.pause(pause_id).status == "waiting"


# ----------------------------------------------------------------------------------------------------------- who, and races


def test_the_loser_is_told_who_answered_what(home: Home, conn: Any) -> None:
    need = replace(rows.ANSWERED, person=None, role="finance-approver", on_expiry="deny", steps=())
    [pause_id] = rows.waiting(conn, approver="role:finance-approver", **rows.question(*TWO, need=need))
    shown = home.card()
    home.office.press("U0INES", shown, ids.choose(0))
    home.office.press("U0MARTA", shown, ids.choose(1))
    said = home.private("U0MARTA")
    assert said.startswith("Already answered by Ines")
    assert ": Nordholz Industrial. That answer stands." in said
    assert home.pause(pause_id).reason == "Nordholz Industrial"


def test_of_two_who_answer_at_once_one_wins(home: Home, conn: Any) -> None:
    need = replace(rows.ANSWERED, person=None, role="finance-approver", on_expiry="deny", steps=())
    [pause_id] = rows.waiting(conn, approver="role:finance-approver", **rows.question(*TWO, need=need))
    shown = home.card()
    both = [
        threading.Thread(target=home.office.press, args=(user, shown, ids.choose(n)))
        for n, user in enumerate(("U0MARTA", "U0INES"))
    ]
    for one in both:
        one.start()
    for one in both:
        one.join()
    pause = home.pause(pause_id)
    assert len(pause.votes) == 1
    loser = {"marta": "U0INES", "ines": "U0MARTA"}[str(pause.decided_by)]
    assert f"Already answered by {pause.decided_by_name}" in home.private(loser)


@pytest.mark.parametrize(
    ("user", "told"),
    [
        ("U0PRIYA", "You asked for this, so somebody else must answer: Marta Keller"),
        ("U0JONAS", "It is for Marta Keller to answer"),
    ],
)
@pytest.mark.parametrize("action", [ids.choose(0), ids.ACTION_ANSWER])
def test_whoever_may_not_answer_is_told_who_may(home: Home, pause_id: UUID, user: str, told: str, action: str) -> None:
    home.office.press(user, home.card(), action)
    assert told in home.private(user)
    assert home.office.views(user) == []
    assert home.pause(pause_id).status == "waiting"


def test_the_requester_who_is_asked_answers_in_their_own_conversation_and_may_withdraw_there(
    home: Home, conn: Any
) -> None:
    cards = (NewCard(kind="approver", dest="person:priya"),)
    need = replace(rows.ANSWERED, person="requester", on_expiry="deny", steps=(), channel=None)
    [pause_id] = rows.waiting(conn, approver="person:priya", cards=cards, **rows.question(*TWO, need=need))
    shown = home.card("D0PRIYA")
    assert set(actions_of(shown)) == {
        ids.choose(0),
        ids.choose(1),
        ids.ACTION_ANSWER,
        ids.ACTION_WITHDRAW,
        ids.ACTION_DETAILS,
    }
    listed = home.office.command("U0PRIYA")
    assert {ids.choose(0), ids.ACTION_WITHDRAW} <= set(actions_of(listed))
    home.office.press("U0PRIYA", shown, ids.ACTION_ANSWER)
    assert fill_in(home, "U0PRIYA", "Nordholz.") == []
    assert home.pause(pause_id).decided_by == "priya"


def test_the_requester_withdraws_it_and_who_was_asked_hears_so(home: Home, pause_id: UUID) -> None:
    shown = home.card()
    home.office.press("U0PRIYA", home.card("D0PRIYA"), ids.ACTION_WITHDRAW)
    assert home.pause(pause_id).status == "cancelled"
    home.office.press("U0MARTA", shown, ids.choose(0))
    assert "Already withdrawn by Priya Nair" in home.private("U0MARTA")


def test_a_click_after_the_hour_settles_it_and_tells_where_it_went(home: Home, conn: Any, pause_id: UUID) -> None:
    shown = home.card()
    rows.make_due(conn, pause_id)
    home.office.press("U0MARTA", shown, ids.choose(0))
    assert "is with Otto Brandt now" in home.private("U0MARTA")
    home.calm()
    assert ids.choose(0) in actions_of(home.card("D0OTTO"))
    assert "is yours to answer now" in text_of(home.card("D0OTTO"))
    home.office.press("U0OTTO", home.card("D0OTTO"), ids.choose(0))
    assert (home.pause(pause_id).status, home.pause(pause_id).level) == ("answered", 1)


# ------------------------------------------------------------------------------------------------------------ the wrong verb


@pytest.mark.parametrize(
    ("action", "verb"), [(ids.ACTION_APPROVE, "approve"), (ids.ACTION_DENY, "deny"), (ids.ACTION_CONFIRM, "confirm")]
)
def test_a_question_cannot_be_approved_or_denied(home: Home, pause_id: UUID, action: str, verb: str) -> None:
    home.card()
    value = ids.encode(ids.Button(env="test", about=pause_id, shown=home.pause(pause_id).digest[: ids.SHOWN]))
    send(home, action, value)
    said = home.private("U0MARTA", "C0OPS")
    unknown = "Placet does not know this button"
    assert (unknown if verb == "confirm" else "can be neither approved nor denied. Nothing was recorded") in said
    assert home.pause(pause_id).status == "waiting"


def test_a_request_cannot_be_answered(home: Home, conn: Any) -> None:
    [pause_id] = rows.waiting(conn)
    home.card()
    value = ids.encode(ids.Button(env="test", about=pause_id, shown=home.pause(pause_id).digest[: ids.SHOWN]))
    send(home, ids.ACTION_ANSWER, value)
    assert "takes no other answer" in home.private("U0MARTA", "C0OPS")
    assert home.office.views("U0MARTA") == []
    assert home.pause(pause_id).status == "waiting"


# --------------------------------------------------------------------------------------------------- lists, Home, Details, text


def test_the_list_and_the_home_tab_offer_the_choices(home: Home, pause_id: UUID) -> None:
    answer = home.office.command("U0MARTA")
    assert {ids.choose(0), ids.choose(1), ids.ACTION_ANSWER} <= set(actions_of(answer))
    home.office.act("home", "U0MARTA")
    tab = home.office.await_(lambda: home.office.home("U0MARTA"))
    block = next(b for b in tab["blocks"] if any(e.get("action_id") == ids.choose(1) for e in b.get("elements", ())))
    home.office.act("click", "U0MARTA", view_id=tab["id"], block_id=block["block_id"], action_id=ids.choose(1))
    assert home.pause(pause_id).reason == "Brandt & Söhne"


def test_details_can_be_answered_from_and_tell_what_happened(home: Home, conn: Any, pause_id: UUID) -> None:
    home.office.press("U0MARTA", home.card(), ids.ACTION_DETAILS)
    [view] = home.office.views("U0MARTA")
    told = text_of(view)
    assert "The exact question" in told
    assert "Approvals needed" not in told
    assert "The price" not in told
    block = next(b for b in view["blocks"] if any(e.get("action_id") == ids.choose(0) for e in b.get("elements", ())))
    home.office.act("click", "U0MARTA", view_id=view["id"], block_id=block["block_id"], action_id=ids.choose(0))
    pause = home.pause(pause_id)
    assert pause.status == "answered"
    lines = text_of(history(pause, events.of_pause(conn, pause_id)))
    assert "Marta Keller (marta) answered (slack:details): “Nordholz Industrial”" in lines


def test_a_row_that_cannot_show_its_choices_whole_offers_none() -> None:
    def offered(*choices: str) -> list[str]:
        content = question(*choices)
        row = waiting(votes_left=0, summary=content.summary, digest=asked_pause(*choices).digest)
        message = waiting_list([row], {row.id: content}, title="Waiting", me=MARTA, offset=0, env=ENV)
        return actions_of({"blocks": message.blocks})

    assert ids.choose(0) in offered(*TWO)
    for odd in ("xoxb-1234567890-abcdefghij", "pay\u202eeno", "𝒷" * 75):
        assert offered("Nordholz", odd) == [ids.ACTION_DETAILS]


def test_hidden_characters_and_secrets_in_question_choices_and_answer_are_shown_as_what_they_are() -> None:
    asked = question("Nordholz", "zlohdroN \u202eevil", summary="Is sk_live_abcdefgh12345678 \u202eright?")
    shown = card(replace(asked_pause(), content=asked), kind="approver", level=0, env=ENV)
    taken(shown)
    told = text_of({"blocks": shown.blocks})
    assert "\u202e" not in told
    assert "abcdefgh12345678" not in told
    assert "Look closely before you decide." in told
    given = asked_pause(
        status="answered",
        decided_by="marta",
        decided_by_name="Marta Keller",
        reason="sk_live_abcdefgh12345678 \u202e<!channel>",
    )
    after = card(given, kind="approver", level=0, env=ENV)
    taken(after)
    words = text_of({"blocks": after.blocks})
    assert "abcdefgh12345678" not in words
    assert "\u202e" not in words
    assert "<!channel>" in words, "in rich text, where it calls nobody"


def test_the_longest_question_stands_whole_on_its_card_with_all_its_choices() -> None:
    longest = question(*(f"{n:02}" + "x" * 73 for n in range(20)), summary="q" * 2_000)
    shown = card(replace(asked_pause(), content=longest), kind="approver", level=0, env=ENV)
    taken(shown)
    told = text_of({"blocks": shown.blocks})
    assert "q" * 2_000 in told
    assert told.count("x" * 73) == 20
    assert ids.ACTION_ANSWER in actions_of({"blocks": shown.blocks})
    answered = replace(asked_pause(status="answered", decided_by="marta", reason="a" * ANSWER_MOST), content=longest)
    after = card(answered, kind="requester", level=0, env=ENV)
    taken(after)
    assert "a" * ANSWER_MOST in text_of({"blocks": after.blocks})


# ---------------------------------------------------------------------------------------------------------- the command line


def name(pause_id: UUID) -> str:
    return ids.screen_id("pause", pause_id)


def test_reply_answers_and_show_tells_it(conn: Any, db_url: str, pause_id: UUID) -> None:
    said = placet(db_url, "reply", name(pause_id), "Nordholz, as always.", "--as", "marta")
    assert (said.code, said.err) == (0, "")
    assert said.out.endswith("Answered. The agent is told. The agent goes on.")
    assert "Nordholz, as always." in placet(db_url, "show", name(pause_id)).out
    record = placet(db_url, "show", name(pause_id), "--json").out
    assert '"verdict": "answer"' in record
    assert '"reason": "Nordholz, as always."' in record
    assert "Answered" in placet(db_url, "decisions", "--by", "marta").out
    assert placet(db_url, "audit", "verify").code == 0


def test_reply_refuses_what_is_too_long_or_not_theirs_and_approve_refuses_a_question(
    conn: Any, db_url: str, pause_id: UUID
) -> None:
    long = placet(db_url, "reply", name(pause_id), "x" * (ANSWER_MOST + 1), "--as", "marta")
    assert (long.code, TOO_LONG in long.err) == (2, True)
    theirs = placet(db_url, "reply", name(pause_id), "Me.", "--as", "jonas")
    assert (theirs.code, "It is for Marta Keller to answer" in theirs.err) == (3, True)
    for verb in ("approve", "deny"):
        refused = placet(db_url, verb, name(pause_id), "--as", "marta")
        assert (refused.code, "can be neither approved nor denied" in refused.err) == (3, True)
    assert pauses.get(conn, pause_id).status == "waiting"


def test_reply_to_a_request_for_a_yes_is_no_yes(conn: Any, db_url: str) -> None:
    [pause_id] = rows.waiting(conn)
    refused = placet(db_url, "reply", name(pause_id), "Yes!", "--as", "marta")
    assert (refused.code, "Only the person it was asked for may answer what is asked about it" in refused.err) == (
        3,
        True,
    )
    assert isinstance(pauses.approve(conn, pause_id, "marta", surface="tests"), Decided)


def test_an_inquiry_is_not_named_of_a_question(conn: Any, db_url: str) -> None:
    [pause_id] = rows.waiting(conn, **rows.question())
    refused = placet(db_url, "reply", name(pause_id), "Nordholz.", "--as", "marta", "--inquiry", "1")
    assert (refused.code, "this is a question of an agent, and no inquiry" in refused.err) == (2, True)
    assert pauses.get(conn, pause_id).status == "waiting"


def test_nobody_asks_the_requester_about_a_question(conn: Any, db_url: str) -> None:
    [pause_id] = rows.waiting(conn, **rows.question())
    refused = placet(db_url, "ask", name(pause_id), "Why?", "--as", "marta")
    assert (refused.code, "It asks for an answer" in refused.err) == (3, True)
    assert pauses.get(conn, pause_id).inquiries == ()
