"""Asking back: whoever may decide asks, the requester answers, all of it is on record, and no vote and no hour moves."""

import json
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any
from uuid import UUID

import pytest

from engine.models import (
    AlreadySettled,
    AskOutcome,
    Blank,
    Broken,
    Decided,
    Due,
    InquiryMade,
    InquiryReplied,
    NoInquiry,
    NotYours,
)
from engine.record import record
from engine.state import absences, cards, events, inquiries, pauses
from tests import database, rows
from tests.bot.office import at_once
from tests.engine.state.meeting import until_it_waits

ASKED, SAID = "Which cost centre does it go to?", "4711, as every year."


@pytest.fixture
def pause_id(conn: Any) -> UUID:
    [asked] = rows.waiting(conn)
    return asked


def ask(conn: Any, pause_id: UUID, who: str = "marta", inquiry: str = ASKED, shown: str = "") -> AskOutcome:
    return inquiries.ask(conn, pause_id, who, text=inquiry, surface="tests", shown=shown)


def answer(conn: Any, pause_id: UUID, who: str = "priya", n: int = 1, said: str = SAID) -> AskOutcome:
    return inquiries.reply(conn, pause_id, who, n, text=said, surface="tests")


def refused(conn: Any, pause_id: UUID) -> list[tuple[str, str, str | None]]:
    run_id = pauses.get(conn, pause_id).run_id
    return [(e.event, e.actor, e.detail) for e in events.of_run(conn, run_id) if e.to_status is None]


def notices(conn: Any, kind: str) -> list[tuple[str, int, bool]]:
    """Whom it goes to, about which inquiry, and whether below a card."""
    found = conn.execute("SELECT dest, detail FROM notice WHERE kind = %s ORDER BY dest, id", (kind,)).fetchall()
    return [(dest, detail["inquiry"], "card" in detail) for dest, detail in found]


def verified(conn: Any, pause_id: UUID) -> bool:
    return isinstance(events.verify(conn, pauses.get(conn, pause_id).run_id), events.Verified)


# --------------------------------------------------------------------------------------------------------- what it comes to


def test_an_inquiry_and_its_answer_are_on_record_and_decide_nothing(conn: Any, pause_id: UUID) -> None:
    before = pauses.get(conn, pause_id)
    asked = ask(conn, pause_id)
    assert isinstance(asked, InquiryMade)
    assert asked.n == 1
    [open_one] = pauses.get(conn, pause_id).inquiries
    assert (open_one.person, open_one.name, open_one.text, open_one.surface) == (
        "marta",
        "Marta Keller",
        ASKED,
        "tests",
    )
    assert open_one.reply is None
    assert isinstance(answer(conn, pause_id), InquiryReplied)
    after = pauses.get(conn, pause_id)
    assert (after.inquiries[0].reply, after.inquiries[0].replied_in) == (SAID, "tests")
    assert after.inquiries[0].replied_at is not None
    assert (after.status, after.votes_left, after.voters, after.fire_at, after.level, after.approver, after.digest) == (
        before.status, before.votes_left, before.voters, before.fire_at, before.level, before.approver, before.digest,
    )  # fmt: skip
    assert after.version == before.version + 2
    said = [
        (e.event, e.actor, e.to_status, e.detail)
        for e in events.of_run(conn, before.run_id)
        if e.event in ("ask_back", "reply") and e.entity == "pause"
    ]
    assert said == [("ask_back", "marta", "waiting", ASKED), ("reply", "priya", "waiting", f"to inquiry 1: {SAID}")]
    assert verified(conn, pause_id)
    rows.consistent(conn)


def test_an_altered_inquiry_is_found_by_the_record(conn: Any, pause_id: UUID) -> None:
    ask(conn, pause_id)
    with conn.transaction(force_rollback=True):
        conn.execute(
            "UPDATE run_event SET detail = 'Shall I wave it through?' WHERE event = 'ask_back' AND entity = 'pause'"
        )
        altered = events.verify(conn, pauses.get(conn, pause_id).run_id)
    assert isinstance(altered, events.Altered)
    assert altered.event == "ask_back"


def test_the_record_of_a_request_holds_both(conn: Any, pause_id: UUID) -> None:
    ask(conn, pause_id)
    answer(conn, pause_id)
    ask(conn, pause_id, inquiry="And whose signature?")
    first, second = json.loads(json.dumps(record(pauses.get(conn, pause_id))))["inquiries"]
    assert (first["n"], first["by"], first["text"], first["reply"]["text"]) == (1, "marta", ASKED, SAID)
    assert (second["n"], second["text"], second["reply"]) == (2, "And whose signature?", None)


def test_it_is_to_be_said_to_the_requester_and_below_every_approvers_card(conn: Any, pause_id: UUID) -> None:
    cards.instead(conn, pause_id, "person:ines")
    ask(conn, pause_id)
    assert notices(conn, "asked_back") == [
        ("channel:C0BUY", 1, True),
        ("person:ines", 1, True),
        ("person:priya", 1, False),
    ]
    assert {(c.kind, c.wanted) for c in cards.of_pause(conn, pause_id)} == {("approver", 2), ("requester", 2)}
    answer(conn, pause_id)
    assert notices(conn, "replied") == [
        ("channel:C0BUY", 1, True),
        ("person:ines", 1, True),
        ("person:marta", 1, False),
    ]
    assert {(c.kind, c.wanted) for c in cards.of_pause(conn, pause_id)} == {("approver", 3), ("requester", 3)}


def test_whoever_asked_has_it_once_where_a_card_is_theirs(conn: Any, pause_id: UUID) -> None:
    cards.instead(conn, pause_id, "person:marta")
    ask(conn, pause_id)
    answer(conn, pause_id)
    assert notices(conn, "replied") == [("channel:C0BUY", 1, True), ("person:marta", 1, True)]


def test_nothing_is_said_below_a_card_that_is_gone(conn: Any, pause_id: UUID) -> None:
    conn.execute("UPDATE card SET state = 'gone' WHERE kind = 'approver'")
    ask(conn, pause_id)
    assert notices(conn, "asked_back") == [("person:priya", 1, False)]
    answer(conn, pause_id)
    assert notices(conn, "replied") == [("person:marta", 1, False)]


def test_several_inquiries_keep_their_numbers_and_each_its_own_answer(conn: Any) -> None:
    [pause_id] = rows.waiting(conn, approver="role:finance-approver", need=rows.QUORUM)
    assert [ask(conn, pause_id, who, inquiry).n for who, inquiry in (("marta", "One?"), ("ines", "Two?"))] == [1, 2]  # type: ignore[union-attr]
    assert isinstance(answer(conn, pause_id, n=2, said="to inquiry 1: both"), InquiryReplied)
    assert isinstance(answer(conn, pause_id, n=1, said="One."), InquiryReplied)
    assert [(q.n, q.person, q.text, q.reply) for q in pauses.get(conn, pause_id).inquiries] == [
        (1, "marta", "One?", "One."), (2, "ines", "Two?", "to inquiry 1: both"),
    ]  # fmt: skip


def test_inquiries_of_a_sibling_are_its_own(conn: Any) -> None:
    mine, other = rows.waiting(conn, 2)
    ask(conn, other, inquiry="About the other?")
    asked = ask(conn, mine)
    assert isinstance(asked, InquiryMade)
    assert asked.n == 1
    assert isinstance(answer(conn, mine), InquiryReplied)
    assert pauses.get(conn, other).inquiries[0].reply is None


def test_a_character_that_cannot_be_stored_is_made_visible(conn: Any, pause_id: UUID) -> None:
    ask(conn, pause_id, inquiry="Which\0one?")
    assert "\0" not in pauses.get(conn, pause_id).inquiries[0].text
    assert verified(conn, pause_id)


def test_an_inquiry_open_or_answered_keeps_nobody_from_deciding(conn: Any, pause_id: UUID) -> None:
    ask(conn, pause_id)
    assert isinstance(pauses.approve(conn, pause_id, "marta", surface="tests"), Decided)
    late = answer(conn, pause_id)
    assert isinstance(late, AlreadySettled)
    assert late.now.decided_by == "marta"
    assert pauses.get(conn, pause_id).inquiries[0].reply is None


def test_who_stands_in_may_ask(conn: Any, pause_id: UUID) -> None:
    now = conn.execute("SELECT clock_timestamp() + interval '1 day'").fetchone()[0]
    absences.leave(conn, "marta", "otto", starts_at=None, ends_at=now, actor="marta", surface="tests")
    assert isinstance(ask(conn, pause_id, "otto"), InquiryMade)


# --------------------------------------------------------------------------------------------------------------- who may not


def test_who_asked_for_it_may_not_ask_back(conn: Any, pause_id: UUID) -> None:
    outcome = ask(conn, pause_id, "priya")
    assert isinstance(outcome, NotYours)
    assert outcome.why == "own"
    assert refused(conn, pause_id) == [("ask_back", "priya", "own")]
    assert pauses.get(conn, pause_id).inquiries == ()
    assert notices(conn, "asked_back") == []


@pytest.mark.parametrize("who", ["jonas", "otto", "nobody"])
def test_who_may_not_decide_may_not_ask(conn: Any, pause_id: UUID, who: str) -> None:
    outcome = ask(conn, pause_id, who)
    assert isinstance(outcome, NotYours)
    assert outcome.why == "not_yours"
    assert refused(conn, pause_id) == [("ask_back", who, "not_yours")]


def test_who_left_may_not_ask(conn: Any, pause_id: UUID) -> None:
    rows.deactivate(conn, "marta")
    assert isinstance(ask(conn, pause_id), NotYours)


def test_who_has_voted_asks_no_more(conn: Any) -> None:
    [pause_id] = rows.waiting(conn, approver="role:finance-approver", need=rows.QUORUM)
    pauses.approve(conn, pause_id, "marta", surface="tests")
    outcome = ask(conn, pause_id)
    assert isinstance(outcome, NotYours)
    assert outcome.why == "voted"
    assert isinstance(ask(conn, pause_id, "ines"), InquiryMade)


def test_nobody_asks_when_the_time_is_up(conn: Any, pause_id: UUID) -> None:
    rows.make_due(conn, pause_id)
    assert isinstance(ask(conn, pause_id), Due)
    assert refused(conn, pause_id) == [("ask_back", "marta", "due")]


def test_nobody_asks_on_a_card_that_showed_something_else(conn: Any, pause_id: UUID) -> None:
    outcome = ask(conn, pause_id, shown="00000000")
    assert isinstance(outcome, Broken)
    assert outcome.why == "stale"
    digest = pauses.get(conn, pause_id).digest
    assert isinstance(ask(conn, pause_id, shown=digest[:8]), InquiryMade)


@pytest.mark.usefixtures("by_hand")
def test_nobody_asks_or_answers_on_an_altered_request_and_its_cards_are_painted_anew(conn: Any, pause_id: UUID) -> None:
    ask(conn, pause_id)
    rows.alter_document(conn, pause_id)
    assert isinstance(ask(conn, pause_id), Broken)
    assert isinstance(answer(conn, pause_id), Broken)
    assert {c.wanted for c in cards.of_pause(conn, pause_id)} == {4}


@pytest.mark.parametrize("settle", ["approve", "deny", "withdraw"])
def test_nobody_asks_or_answers_once_it_is_settled(conn: Any, pause_id: UUID, settle: str) -> None:
    ask(conn, pause_id)
    who = "priya" if settle == "withdraw" else "marta"
    getattr(pauses, settle)(conn, pause_id, who, surface="tests")
    assert isinstance(ask(conn, pause_id), AlreadySettled)
    assert isinstance(answer(conn, pause_id), AlreadySettled)
    assert refused(conn, pause_id) == [("ask_back", "marta", "settled"), ("reply", "priya", "settled")]
    assert verified(conn, pause_id)


@pytest.mark.parametrize("nothing", ["", "   ", "\n\t "])
def test_nothing_is_asked_or_answered_with_nothing(conn: Any, pause_id: UUID, nothing: str) -> None:
    assert isinstance(ask(conn, pause_id, inquiry=nothing), Blank)
    ask(conn, pause_id)
    assert isinstance(answer(conn, pause_id, said=nothing), Blank)
    assert refused(conn, pause_id) == [("ask_back", "marta", "blank"), ("reply", "priya", "blank")]


def test_the_same_words_of_the_same_person_are_asked_once(conn: Any) -> None:
    [pause_id] = rows.waiting(conn, approver="role:finance-approver", need=rows.QUORUM)
    ask(conn, pause_id)
    again = ask(conn, pause_id, inquiry=f" {ASKED}")
    assert isinstance(again, NoInquiry)
    assert again.why == "asked"
    assert isinstance(ask(conn, pause_id, "ines"), InquiryMade)
    assert isinstance(ask(conn, pause_id, inquiry="Another?"), InquiryMade)
    assert refused(conn, pause_id) == [("ask_back", "marta", "asked")]


@pytest.mark.parametrize("who", ["marta", "otto", "nobody"])
def test_only_the_requester_answers(conn: Any, pause_id: UUID, who: str) -> None:
    ask(conn, pause_id)
    outcome = answer(conn, pause_id, who)
    assert isinstance(outcome, NotYours)
    assert outcome.why == "not_to_reply"
    assert refused(conn, pause_id) == [("reply", who, "not_to_reply")]


def test_an_inquiry_is_answered_once(conn: Any, pause_id: UUID) -> None:
    ask(conn, pause_id)
    answer(conn, pause_id)
    again = answer(conn, pause_id, said="Or 4712?")
    assert isinstance(again, NoInquiry)
    assert again.why == "replied"
    assert pauses.get(conn, pause_id).inquiries[0].reply == SAID
    assert refused(conn, pause_id) == [("reply", "priya", "replied")]


@pytest.mark.parametrize("n", [-1, 0, 2, 9_999])
def test_what_was_not_asked_is_not_answered(conn: Any, pause_id: UUID, n: int) -> None:
    ask(conn, pause_id)
    outcome = answer(conn, pause_id, n=n)
    assert isinstance(outcome, NoInquiry)
    assert outcome.why == "no_inquiry"


def test_a_refused_inquiry_is_none(conn: Any, pause_id: UUID) -> None:
    ask(conn, pause_id, "jonas")
    assert isinstance(answer(conn, pause_id), NoInquiry)
    asked = ask(conn, pause_id)
    assert isinstance(asked, InquiryMade)
    assert asked.n == 1


def test_nobody_answers_when_the_time_is_up(conn: Any, pause_id: UUID) -> None:
    ask(conn, pause_id)
    rows.make_due(conn, pause_id)
    assert isinstance(answer(conn, pause_id), Due)


# ------------------------------------------------------------------------------------------------------ in the same moment


def test_two_who_ask_at_once_have_two_numbers(conn: Any, db_url: str) -> None:
    [pause_id] = rows.waiting(conn, approver="role:finance-approver", need=rows.QUORUM)
    with database.pool(db_url, 2) as pool:

        def one(who: str, turn: int) -> AskOutcome:
            with pool.connection() as mine:
                return ask(mine, pause_id, who, f"{who} asks {turn}?")

        for turn in range(5):
            at_once(partial(one, "marta", turn), partial(one, "ines", turn))
    asked = pauses.get(conn, pause_id).inquiries
    assert [q.n for q in asked] == list(range(1, 11))
    assert sorted(q.text for q in asked) == sorted(
        f"{who} asks {turn}?" for who in ("marta", "ines") for turn in range(5)
    )
    assert verified(conn, pause_id)


def test_an_inquiry_that_waited_for_another_is_the_next(conn: Any, db_url: str) -> None:
    """Its statement began before the other was on record: it must not take the same number."""
    [pause_id] = rows.waiting(conn, approver="role:finance-approver", need=rows.QUORUM)
    with database.pool(db_url, 1) as pool, pool.connection() as second, ThreadPoolExecutor(1) as hands:
        with conn.transaction():
            assert isinstance(ask(conn, pause_id, "marta", "First?"), InquiryMade)
            running = hands.submit(ask, second, pause_id, "ines", "Second?")
            with database.pool(db_url, 1) as looking, looking.connection() as watcher:
                until_it_waits(watcher, second, running)
        outcome = running.result()
    assert isinstance(outcome, InquiryMade)
    assert outcome.n == 2
    assert [n for _, n, _ in notices(conn, "asked_back")].count(1) == 2


def test_an_answer_that_waited_for_another_hears_that_it_is_given(conn: Any, db_url: str, pause_id: UUID) -> None:
    ask(conn, pause_id)
    with database.pool(db_url, 1) as pool, pool.connection() as second, ThreadPoolExecutor(1) as hands:
        with conn.transaction():
            assert isinstance(answer(conn, pause_id), InquiryReplied)
            running = hands.submit(answer, second, pause_id, "priya", 1, "Or 4712?")
            with database.pool(db_url, 1) as looking, looking.connection() as watcher:
                until_it_waits(watcher, second, running)
        assert isinstance(running.result(), NoInquiry)
    assert pauses.get(conn, pause_id).inquiries[0].reply == SAID


@pytest.mark.parametrize("verdict", ["approve", "deny", "withdraw"])
def test_an_inquiry_that_waited_for_a_decision_hears_of_it(
    conn: Any, db_url: str, pause_id: UUID, verdict: str
) -> None:
    who = "priya" if verdict == "withdraw" else "marta"
    with database.pool(db_url, 1) as pool, pool.connection() as second, ThreadPoolExecutor(1) as hands:
        with conn.transaction():
            assert isinstance(getattr(pauses, verdict)(conn, pause_id, who, surface="tests"), Decided)
            running = hands.submit(ask, second, pause_id)
            with database.pool(db_url, 1) as looking, looking.connection() as watcher:
                until_it_waits(watcher, second, running)
        late = running.result()
    assert isinstance(late, AlreadySettled)
    assert late.now.decided_by == who
    assert pauses.get(conn, pause_id).inquiries == ()
    assert notices(conn, "asked_back") == []


def test_a_decision_that_waited_for_an_inquiry_is_taken(conn: Any, db_url: str, pause_id: UUID) -> None:
    with database.pool(db_url, 1) as pool, pool.connection() as second, ThreadPoolExecutor(1) as hands:
        with conn.transaction():
            assert isinstance(ask(conn, pause_id), InquiryMade)
            running = hands.submit(pauses.approve, second, pause_id, "marta", surface="tests")
            with database.pool(db_url, 1) as looking, looking.connection() as watcher:
                until_it_waits(watcher, second, running)
        assert isinstance(running.result(), Decided)
    pause = pauses.get(conn, pause_id)
    assert (pause.status, pause.version, len(pause.inquiries)) == ("approved", 3, 1)
    assert verified(conn, pause_id)
