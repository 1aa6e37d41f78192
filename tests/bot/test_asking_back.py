"""Asking the requester before deciding, over real HTTP with the real bot: asked, said, answered, shown; refused with a sentence and on record."""

import json
from typing import Any
from uuid import UUID

import pytest

from bot.cards import ids
from bot.delivery.courier import Courier
from bot.delivery.outgoing import say_due
from bot.delivery.repaint import paint_due
from bot.listeners.modals import NOT_OPENED
from engine.models import InquiryMade, InquiryReplied
from engine.state import cards, events, inquiries, pauses
from tests import rows
from tests.bot.house import Home, send
from tests.bot.office import Office, actions_of, at_once, text_of

Json = dict[str, Any]
ASKED, SAID = "Which cost centre, <@U0OTTO>?", "4711, as every year."
ROLE: dict[str, Any] = {"approver": "role:finance-approver", "need": rows.QUORUM}


@pytest.fixture
def pause_id(conn: Any) -> UUID:
    [asked] = rows.waiting(conn)
    return asked


def written(text: str) -> Json:
    return {ids.BLOCK_WORDS: {ids.ACTION_WORDS: {"type": "plain_text_input", "value": text}}}


def submit(home: Home, user: str, text: str) -> Json:
    """Fill in the form on top, and send it."""
    return home.office.act("submit", user, view_id=home.office.views(user)[-1]["id"], values=written(text))


def ask(home: Home, user: str = "U0MARTA", text: str = ASKED) -> Json:
    assert home.office.press(user, home.card(), ids.ACTION_ASK) == {"ok": True}
    return submit(home, user, text)


def below(home: Home, card: Json, nth: int = 1) -> Json:
    """The nth thing said in the thread of a card, once it is there."""
    said = home.office.await_(
        lambda: [m for m in home.office.messages(card["channel"]) if m["thread_ts"] == card["ts"]][nth - 1 :]
    )
    return said[0]


def message(home: Home, channel: str, head: str) -> Json:
    """The message in a channel that begins so, once it is there."""
    return home.office.await_(lambda: [m for m in home.office.messages(channel) if m["text"].startswith(head)])[-1]


def painted(home: Home, channel: str, text: str) -> Json:
    """The card of a channel, once it says this."""
    return home.office.await_(
        lambda: next((m for m in home.office.messages(channel) if m["metadata"] and text in text_of(m)), None)
    )


def refused(conn: Any, pause_id: UUID) -> list[tuple[str, str, str | None]]:
    run_id = pauses.get(conn, pause_id).run_id
    return [(e.event, e.actor, e.detail) for e in events.of_run(conn, run_id) if e.to_status is None]


# ------------------------------------------------------------------------------------------------------ asked and answered


def test_an_inquiry_is_said_below_the_card_and_to_the_requester_and_its_answer_comes_back(
    home: Home, pause_id: UUID
) -> None:
    card = home.card()
    assert ask(home) == {"ok": True}
    [one] = home.pause(pause_id).inquiries  # on record before Slack was answered
    assert (one.person, one.text, one.surface) == ("marta", ASKED, "slack:form")
    assert home.office.views("U0MARTA") == []
    assert f"Marta Keller asked Priya Nair\n\n{ASKED}" in text_of(below(home, card)["blocks"])
    assert ASKED in text_of(painted(home, "C0BUY", ASKED))
    assert ids.ACTION_REPLY in actions_of(painted(home, "D0PRIYA", ASKED))

    told = message(home, "D0PRIYA", "Marta Keller asks you something before deciding: ")
    assert home.office.press("U0PRIYA", told, ids.ACTION_REPLY) == {"ok": True}
    [form] = home.office.views("U0PRIYA")
    assert ASKED in text_of(form["blocks"])
    assert submit(home, "U0PRIYA", SAID) == {"ok": True}
    [one] = home.pause(pause_id).inquiries
    assert (one.reply, one.replied_in) == (SAID, "slack:form")
    assert f"Priya Nair answered\n\n{SAID}" in text_of(below(home, card, 2)["blocks"])
    assert SAID in text_of(
        message(home, "D0MARTA", "Priya Nair answered your inquiry: ")
    )  # nobody is called by a reply in a channel's thread
    assert ids.ACTION_REPLY not in actions_of(painted(home, "D0PRIYA", SAID))
    assert ids.ACTION_APPROVE in actions_of(painted(home, "C0BUY", SAID))

    pause = home.pause(pause_id)
    assert (pause.status, pause.votes_left, pause.voters, pause.version) == ("waiting", 1, (), 3)
    home.office.press("U0MARTA", card, ids.ACTION_APPROVE)
    assert home.pause(pause_id).status == "approved"


def test_the_requester_can_answer_from_their_card_and_from_details(home: Home, pause_id: UUID) -> None:
    ask(home)
    own = painted(home, "D0PRIYA", ASKED)
    home.office.press("U0PRIYA", own, ids.ACTION_DETAILS)
    view = home.office.views("U0PRIYA")[-1]
    block = next(
        b["block_id"]
        for b in view["blocks"]
        if any(e.get("action_id") == ids.ACTION_REPLY for e in b.get("elements", ()))
    )
    assert home.office.act("click", "U0PRIYA", view_id=view["id"], block_id=block, action_id=ids.ACTION_REPLY) == {
        "ok": True
    }
    assert submit(home, "U0PRIYA", SAID) == {"ok": True}
    assert home.office.views("U0PRIYA") == []
    assert home.pause(pause_id).inquiries[0].reply == SAID


def test_details_tell_inquiry_and_answer_in_the_order_of_the_record(home: Home, conn: Any, pause_id: UUID) -> None:
    ask(home)
    inquiries.reply(conn, pause_id, "priya", 1, text=SAID, surface="cli")
    home.office.press("U0MARTA", home.card(), ids.ACTION_DETAILS)
    text = text_of(home.office.views("U0MARTA")[-1]["blocks"])
    asked, answered = (
        f"Marta Keller (marta) asked the requester (slack:form): “{ASKED}”",
        f"Priya Nair (priya) answered (cli): “{SAID}”",
    )
    assert text.index("What happened") < text.index(asked) < text.index(answered)


def test_details_let_who_decides_ask(home: Home, pause_id: UUID) -> None:
    home.office.press("U0MARTA", home.card(), ids.ACTION_DETAILS)
    view = home.office.views("U0MARTA")[-1]
    block = next(
        b["block_id"]
        for b in view["blocks"]
        if any(e.get("action_id") == ids.ACTION_ASK for e in b.get("elements", ()))
    )
    home.office.act("click", "U0MARTA", view_id=view["id"], block_id=block, action_id=ids.ACTION_ASK)
    assert submit(home, "U0MARTA", ASKED) == {"ok": True}
    assert home.pause(pause_id).inquiries[0].text == ASKED


def test_closing_the_form_asks_nothing(home: Home, conn: Any, pause_id: UUID) -> None:
    home.office.press("U0MARTA", home.card(), ids.ACTION_ASK)
    home.office.act("close", "U0MARTA", view_id=home.office.views("U0MARTA")[-1]["id"])
    assert home.pause(pause_id).inquiries == ()
    assert refused(conn, pause_id) == []


def test_a_form_that_is_sent_twice_asks_and_answers_once(home: Home, conn: Any, pause_id: UUID) -> None:
    home.office.fault("submit", "duplicate")
    ask(home)
    told = message(home, "D0PRIYA", "Marta Keller asks you")
    home.office.press("U0PRIYA", told, ids.ACTION_REPLY)
    home.office.fault("submit", "duplicate")
    submit(home, "U0PRIYA", SAID)
    [one] = home.pause(pause_id).inquiries
    assert (one.text, one.reply) == (ASKED, SAID)
    assert refused(conn, pause_id) == [("ask_back", "marta", "asked"), ("reply", "priya", "replied")]


# --------------------------------------------------------------------------------------------------------- in the same moment


def test_two_who_ask_at_once_are_both_answered_each_their_own(home: Home, conn: Any) -> None:
    [pause_id] = rows.waiting(conn, **ROLE)
    card = home.card()
    for user in ("U0MARTA", "U0INES"):
        home.office.press(user, card, ids.ACTION_ASK)
    assert (
        at_once(lambda: submit(home, "U0MARTA", "Why now?"), lambda: submit(home, "U0INES", "Why them?"))
        == [{"ok": True}] * 2
    )
    asked = home.pause(pause_id).inquiries
    assert {(q.person, q.text) for q in asked} == {("marta", "Why now?"), ("ines", "Why them?")}
    for one in asked:
        told = message(home, "D0PRIYA", f"{one.name} asks you")
        home.office.press("U0PRIYA", told, ids.ACTION_REPLY)
        assert submit(home, "U0PRIYA", f"Said to {one.person}.") == {"ok": True}
    assert [(q.person, q.reply) for q in home.pause(pause_id).inquiries] == [
        (q.person, f"Said to {q.person}.") for q in asked
    ]
    assert "Said to ines." in text_of(message(home, "D0INES", "Priya Nair answered your inquiry"))
    assert "Said to marta." in text_of(message(home, "D0MARTA", "Priya Nair answered your inquiry"))


def test_an_inquiry_that_meets_a_decision_is_asked_before_it_or_hears_of_it(home: Home, conn: Any) -> None:
    [pause_id] = rows.waiting(conn, approver="role:finance-approver")
    card = home.card()
    home.office.press("U0INES", card, ids.ACTION_ASK)
    answers = at_once(
        lambda: submit(home, "U0INES", ASKED), lambda: home.office.press("U0MARTA", card, ids.ACTION_APPROVE)
    )
    pause = home.pause(pause_id)
    assert (pause.status, pause.decided_by) == ("approved", "marta")
    if pause.inquiries:
        assert answers[0] == {"ok": True}
    else:
        assert "Already approved by Marta Keller" in answers[0]["errors"][ids.BLOCK_WORDS]
        assert refused(conn, pause_id) == [("ask_back", "ines", "settled")]


def test_what_was_decided_while_somebody_wrote_is_said_in_the_form(home: Home, conn: Any, pause_id: UUID) -> None:
    home.office.press("U0MARTA", home.card(), ids.ACTION_ASK)
    pauses.withdraw(conn, pause_id, "priya", surface="tests")
    said = submit(home, "U0MARTA", ASKED)["errors"][ids.BLOCK_WORDS]
    assert said.startswith("Already withdrawn by Priya Nair")
    assert refused(conn, pause_id) == [("ask_back", "marta", "settled")]


def test_an_answer_after_the_decision_hears_of_it(home: Home, conn: Any, pause_id: UUID) -> None:
    ask(home)
    told = message(home, "D0PRIYA", "Marta Keller asks you")
    home.office.press("U0PRIYA", told, ids.ACTION_REPLY)
    pauses.deny(conn, pause_id, "marta", surface="tests", reason="Too late.")
    assert submit(home, "U0PRIYA", SAID)["errors"][ids.BLOCK_WORDS].startswith("Already denied by Marta Keller")
    home.office.press("U0PRIYA", told, ids.ACTION_REPLY)
    assert "Already denied by Marta Keller" in home.private("U0PRIYA", "D0PRIYA")
    assert refused(conn, pause_id) == [("reply", "priya", "settled")] * 2


def test_an_inquiry_after_the_hour_settles_it_first_and_is_refused(home: Home, conn: Any, pause_id: UUID) -> None:
    card = home.card()
    rows.make_due(conn, pause_id)
    home.office.press("U0MARTA", card, ids.ACTION_ASK)
    assert "Nobody answered in time, so it is with Otto Brandt now" in home.private("U0MARTA")
    assert home.pause(pause_id).inquiries == ()
    assert refused(conn, pause_id) == [("ask_back", "marta", "not_yours")]


def test_an_answer_after_the_hour_goes_to_who_is_asked_next(home: Home, conn: Any, pause_id: UUID) -> None:
    ask(home)
    told = message(home, "D0PRIYA", "Marta Keller asks you")
    rows.make_due(conn, pause_id)
    home.office.press("U0PRIYA", told, ids.ACTION_REPLY)
    assert submit(home, "U0PRIYA", SAID) == {"ok": True}
    assert home.pause(pause_id).approver == "person:otto"
    assert SAID in text_of(painted(home, "D0OTTO", SAID))


# ------------------------------------------------------------------------------------------------------------------ refused


@pytest.mark.parametrize(
    ("user", "told", "on_record"),
    [
        ("U0PRIYA", "You asked for this, so somebody else must decide: Marta Keller", [("ask_back", "priya", "own")]),
        ("U0JONAS", "It is for Marta Keller to decide, until ", [("ask_back", "jonas", "not_yours")]),
        ("U0GUEST", "You belong to another workspace", [("ask_back", "T0OTHER:U0GUEST", "stranger")]),
    ],
)
def test_whoever_may_not_ask_is_told_why(home: Home, conn: Any, user: str, told: str, on_record: list[Any]) -> None:
    [pause_id] = rows.waiting(conn)
    home.office.press(user, home.card(), ids.ACTION_ASK)
    assert told in home.private(user)
    assert home.office.views(user) == []
    assert refused(conn, pause_id) == on_record
    assert home.pause(pause_id).inquiries == ()


def test_who_has_voted_is_told_that_it_counts(home: Home, conn: Any) -> None:
    [pause_id] = rows.waiting(conn, **ROLE)
    card = home.card()
    home.office.press("U0MARTA", card, ids.ACTION_APPROVE)
    home.office.press("U0MARTA", card, ids.ACTION_ASK)
    assert "Your approval is counted already" in home.private("U0MARTA")
    assert refused(conn, pause_id) == [("ask_back", "marta", "voted")]


def test_an_altered_request_is_not_asked_about(home: Home, conn: Any, pause_id: UUID) -> None:
    card = home.card()
    rows.alter_document(conn, pause_id)
    home.office.press("U0MARTA", card, ids.ACTION_ASK)
    assert "was altered after it was stored" in home.private("U0MARTA")
    assert refused(conn, pause_id) == [("ask_back", "marta", "broken")]


@pytest.mark.parametrize("nothing", ["   ", "\n\n"])
def test_nothing_written_is_nothing_asked(home: Home, conn: Any, pause_id: UUID, nothing: str) -> None:
    assert ask(home, text=nothing)["errors"][ids.BLOCK_WORDS].startswith("Nothing was written")
    assert refused(conn, pause_id) == [("ask_back", "marta", "blank")]
    assert submit(home, "U0MARTA", ASKED) == {"ok": True}


def test_what_is_too_long_is_not_kept(home: Home, pause_id: UUID) -> None:
    assert "1,000 characters" in ask(home, text="x" * 1_001)["errors"][ids.BLOCK_WORDS]
    assert home.pause(pause_id).inquiries == ()


def reply_button(pause_id: UUID, conn: Any, n: int) -> str:
    return ids.encode(ids.Button("test", pause_id, pauses.get(conn, pause_id).digest[:8], inquiry=n))


def test_nobody_else_answers_for_the_requester(home: Home, conn: Any, pause_id: UUID) -> None:
    ask(home)
    send(home, ids.ACTION_REPLY, reply_button(pause_id, conn, 1))
    assert "Only the person it was asked for may answer" in home.private("U0MARTA", "C0OPS")
    assert home.office.views("U0MARTA") == []
    assert refused(conn, pause_id) == [("reply", "marta", "not_to_reply")]


def test_an_inquiry_that_was_answered_says_so(home: Home, conn: Any, pause_id: UUID) -> None:
    ask(home)
    told = message(home, "D0PRIYA", "Marta Keller asks you")
    assert isinstance(inquiries.reply(conn, pause_id, "priya", 1, text=SAID, surface="cli"), InquiryReplied)
    home.office.press("U0PRIYA", told, ids.ACTION_REPLY)
    assert "answered already" in home.private("U0PRIYA", "D0PRIYA")
    assert refused(conn, pause_id) == [("reply", "priya", "replied")]


def test_an_inquiry_that_nobody_asked_has_no_answer(home: Home, conn: Any, pause_id: UUID) -> None:
    home.office.press("U0PRIYA", home.card(), ids.ACTION_DETAILS)  # Priya is in the channel
    posted = ids.encode(ids.Button("test", pause_id, pauses.get(conn, pause_id).digest[:8], inquiry=7))
    button = {
        "type": "button",
        "action_id": ids.ACTION_REPLY,
        "value": posted,
        "text": {"type": "plain_text", "text": "Press"},
    }
    home.office.http.post(
        "/slack/api/chat.postMessage",
        json={"channel": "D0PRIYA", "text": "x", "blocks": json.dumps([{"type": "actions", "elements": [button]}])},
        headers={"Authorization": "Bearer xoxb-local-token"},
    )
    home.office.press("U0PRIYA", message(home, "D0PRIYA", "x"), ids.ACTION_REPLY)
    assert "There is no such inquiry" in home.private("U0PRIYA", "D0PRIYA")
    assert refused(conn, pause_id) == [("reply", "priya", "no_inquiry")]


@pytest.mark.parametrize("action", [ids.ACTION_ASK, ids.ACTION_REPLY])
def test_a_form_that_did_not_open_asks_and_answers_nothing(home: Home, conn: Any, pause_id: UUID, action: str) -> None:
    """L8."""
    on, user = home.card(), "U0MARTA"
    if action == ids.ACTION_REPLY:
        ask(home)
        on, user = message(home, "D0PRIYA", "Marta Keller asks you"), "U0PRIYA"
        home.calm()
    home.office.fault("views.open", "error", error="expired_trigger_id")
    home.office.press(user, on, action)
    assert home.private(user, on["channel"]) == NOT_OPENED
    assert refused(conn, pause_id) == []


# ---------------------------------------------------------------------------------------------------------------- delivery


def asked(conn: Any, pause_id: UUID) -> None:
    assert isinstance(inquiries.ask(conn, pause_id, "marta", text=ASKED, surface="tests"), InquiryMade)


def test_a_card_that_is_not_posted_yet_shows_the_inquiry_and_nothing_is_said_below_it(
    conn: Any, pause_id: UUID, courier: Courier, office: Office
) -> None:
    asked(conn, pause_id)
    say_due(courier)
    assert office.messages("C0BUY") == []
    paint_due(courier)
    [card] = office.messages("C0BUY")
    assert ASKED in text_of(card)


def test_below_a_deleted_card_it_is_said_beside(conn: Any, pause_id: UUID, courier: Courier, office: Office) -> None:
    paint_due(courier)
    [card] = office.messages("C0BUY")
    delete = {"channel": "C0BUY", "ts": card["ts"]}
    office.http.post("/slack/api/chat.delete", json=delete, headers={"Authorization": "Bearer xoxb-local-token"})
    asked(conn, pause_id)
    say_due(courier)
    [said] = office.messages("C0BUY")
    assert said["text"].startswith("Marta Keller asked Priya Nair: ")
    assert said["thread_ts"] is None


def test_what_was_said_below_a_card_though_the_answer_was_lost_is_said_once(
    conn: Any, pause_id: UUID, courier: Courier, office: Office
) -> None:
    paint_due(courier)
    office.fault("chat.postMessage", "drop", times=2)
    asked(conn, pause_id)
    say_due(courier)
    for _ in range(2):  # and not again when it is looked for twice
        assert conn.execute("SELECT DISTINCT state FROM notice WHERE kind = 'asked_back'").fetchall() == [("due",)]
        conn.execute("UPDATE notice SET not_before = NULL, sender_until = NULL")
        office.fault("chat.update", "drop", times=2)
        say_due(courier)
    office.faults()
    conn.execute("UPDATE notice SET not_before = NULL, sender_until = NULL")
    say_due(courier)
    assert len([m for m in office.messages("C0BUY") if m["thread_ts"]]) == 1
    assert len([m for m in office.messages("D0PRIYA") if m["text"].startswith("Marta Keller asks you")]) == 1
    assert conn.execute("SELECT DISTINCT state FROM notice WHERE kind = 'asked_back'").fetchall() == [("sent",)]


def test_while_slack_limits_us_it_is_said_later(conn: Any, pause_id: UUID, courier: Courier, office: Office) -> None:
    paint_due(courier)
    office.fault("chat.postMessage", "rate_limited", seconds=1)
    asked(conn, pause_id)
    say_due(courier)
    assert conn.execute("SELECT count(*) FROM notice WHERE kind = 'asked_back' AND state = 'due'").fetchone() == (2,)
    conn.execute("UPDATE notice SET not_before = NULL")
    again = Courier(pool=courier.pool, slack=office.slack, us=courier.us, env="test")
    say_due(again)
    assert [m["text"].split(":")[0] for m in office.messages("D0PRIYA")[1:]] == [
        "Marta Keller asks you something before deciding"
    ]
    assert cards.undelivered(conn) == 2  # the two cards, which show it next


def test_what_was_settled_before_it_was_said_asks_the_requester_nothing_any_more(
    conn: Any, pause_id: UUID, courier: Courier, office: Office
) -> None:
    paint_due(courier)
    asked(conn, pause_id)
    pauses.approve(conn, pause_id, "marta", surface="tests")
    say_due(courier)
    assert len(office.messages("D0PRIYA")) == 1  # the card
    assert [m["text"] for m in office.messages("C0BUY") if m["thread_ts"]] == [
        f"Marta Keller asked Priya Nair: {ASKED.replace('<', '&lt;').replace('>', '&gt;')}"
    ]
