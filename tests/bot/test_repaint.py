"""Every card comes to equal its pause, whatever Slack does; and a wait is never invisible without an alarm."""

import logging
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import UUID

import psycopg
import pytest

from bot.cards import blocks, ids
from bot.delivery.answers import Sent
from bot.delivery.courier import Courier
from bot.delivery.repaint import paint_copy, paint_due
from bot.sandbox.slack_api import ALL_SCOPES
from engine.models import NewCard
from engine.rules import turn
from engine.rules.needs import Step
from engine.state import cards, events, outage, pauses, people, runs
from engine.workers.sweep import Sweeper
from tests import database, rows
from tests.bot.office import Office, actions_of, at_once, open_office, text_of

APPROVER = [ids.ACTION_APPROVE, ids.ACTION_DENY, ids.ACTION_ASK, ids.ACTION_DETAILS]


@pytest.fixture
def pause_id(conn: Any) -> UUID:
    [asked] = rows.waiting(conn)
    return asked


def shown(conn: Any, pause_id: UUID, kind: str = "approver") -> list[cards.Shown]:
    return [c for c in cards.of_pause(conn, pause_id) if c.kind == kind]


def again_now(conn: Any) -> None:
    conn.execute("UPDATE card SET not_before = NULL, painter_until = NULL")


def test_a_new_request_is_posted_to_its_channel_and_to_its_requester(
    conn: Any, pause_id: UUID, courier: Courier, office: Office
) -> None:
    assert paint_due(courier) == 2
    assert paint_due(courier) == 0
    [card] = office.messages("C0BUY")
    assert actions_of(card) == APPROVER
    assert "EUR 38,000.00 to Nordholz Industrial" in text_of(card)
    assert card["metadata"]["event_payload"]["pause_id"] == str(pause_id)
    [own] = office.messages("D0PRIYA")
    assert actions_of(own) == [ids.ACTION_WITHDRAW]
    assert {c.state for c in cards.of_pause(conn, pause_id)} == {"live"}
    assert cards.undelivered(conn) == 0


def test_after_the_decision_the_buttons_are_gone_and_the_card_says_by_whom(
    conn: Any, pause_id: UUID, courier: Courier, office: Office
) -> None:
    paint_due(courier)
    pauses.approve(conn, pause_id, "marta", surface="tests")
    assert paint_due(courier) == 2
    [card] = office.messages("C0BUY")
    assert ids.ACTION_APPROVE not in actions_of(card)
    assert "Approved by Marta Keller" in text_of(card)
    [own] = office.messages("D0PRIYA")
    assert "Approved by Marta Keller" in text_of(own)


def test_an_escalation_leaves_the_old_card_without_buttons_and_sends_a_new_one(
    conn: Any, pause_id: UUID, courier: Courier, office: Office
) -> None:
    paint_due(courier)
    rows.make_due(conn, pause_id)
    Sweeper(courier.pool).run()
    assert paint_due(courier) == 3
    [card] = office.messages("C0BUY")
    assert ids.ACTION_APPROVE not in actions_of(card)
    assert "Otto Brandt" in text_of(card)
    [dm] = office.messages("D0OTTO")
    assert actions_of(dm) == APPROVER


def test_a_post_whose_answer_was_lost_is_found_again_and_not_repeated(
    conn: Any, pause_id: UUID, courier: Courier, office: Office
) -> None:
    office.fault("chat.postMessage", "drop", times=2)
    paint_due(courier)
    pauses.approve(conn, pause_id, "marta", surface="tests")  # what stands there is not what holds
    again_now(conn)
    paint_due(courier)
    assert cards.undelivered(conn) == 0
    for place in ("C0BUY", "D0PRIYA"):
        [one] = office.messages(place)
        assert "Approved by Marta Keller" in text_of(one)
    assert len(office.calls("chat.postMessage")) == 2


def test_a_post_that_never_arrived_is_made_once_more(
    conn: Any, pause_id: UUID, courier: Courier, office: Office
) -> None:
    office.fault("chat.postMessage", "drop", times=2, stored=False)
    paint_due(courier)
    again_now(conn)
    paint_due(courier)
    assert [len(office.messages(place)) for place in ("C0BUY", "D0PRIYA")] == [1, 1]
    assert cards.undelivered(conn) == 0


def test_a_painter_that_died_while_it_posted_left_a_card_that_is_found(
    conn: Any, pause_id: UUID, courier: Courier, office: Office
) -> None:
    [card] = [c for c in cards.claim(conn, limit=9, lease_s=60) if c.kind == "approver"]
    assert isinstance(
        courier.post(card.dest, blocks.card(pauses.get(conn, pause_id), kind="approver", level=0, env="test")), Sent
    )
    again_now(conn)
    paint_due(courier)
    assert len(office.messages("C0BUY")) == 1
    assert cards.undelivered(conn) == 0


@pytest.mark.parametrize("fault", [{"kind": "rate_limited", "seconds": 1}, {"kind": "status", "status": 503}])
def test_where_it_cannot_be_seen_whether_a_post_arrived_it_waits(
    conn: Any, pause_id: UUID, courier: Courier, office: Office, fault: dict[str, Any]
) -> None:
    office.faults(
        {"on": "chat.postMessage", "kind": "drop", "times": 2}, {"on": "conversations.history", "times": 2, **fault}
    )
    for _ in range(2):
        paint_due(courier)
        again_now(conn)
    assert cards.undelivered(conn) == 2
    office.faults()
    fresh = replace(courier, slack=office.slack)  # the time that Slack named has passed
    paint_due(fresh)
    assert [len(office.messages(place)) for place in ("C0BUY", "D0PRIYA")] == [1, 1]
    assert cards.undelivered(conn) == 0


@pytest.fixture
def unread(tmp_path: Path) -> Iterator[Office]:
    """A workspace in which we may not read what was said."""
    with open_office(tmp_path / "unread.jsonl", scopes=ALL_SCOPES - {"channels:history", "im:history"}) as running:
        yield running


def test_a_copy_that_no_card_knows_can_be_painted_all_the_same(
    conn: Any, pause_id: UUID, courier: Courier, unread: Office
) -> None:
    blind = replace(courier, slack=unread.slack)
    unread.fault("chat.postMessage", "drop", times=2)
    paint_due(blind)
    again_now(conn)
    paint_due(blind)
    stray, known = unread.messages("C0BUY")
    pauses.approve(conn, pause_id, "marta", surface="tests")
    paint_due(blind)
    assert shown(conn, pause_id)[0].ts == known["ts"]
    paint_copy(blind, pause_id, kind="approver", level=0, channel="C0BUY", ts=stray["ts"])
    assert all(ids.ACTION_APPROVE not in actions_of(m) for m in unread.messages("C0BUY"))


@pytest.mark.parametrize("error", ["edit_window_closed", "msg_too_long", "invalid_arguments"])
def test_a_card_that_can_never_be_edited_is_taken_away_with_its_buttons(
    conn: Any, pause_id: UUID, courier: Courier, office: Office, error: str
) -> None:
    paint_due(courier)
    old = {m["ts"] for place in ("C0BUY", "D0PRIYA") for m in office.messages(place)}
    pauses.approve(conn, pause_id, "marta", surface="tests")
    office.fault("chat.update", "error", error=error, times=4)  # the short one, too
    paint_due(courier)
    for place in ("C0BUY", "D0PRIYA"):
        [one] = office.messages(place)
        assert one["ts"] not in old
        assert "Approved by Marta Keller" in text_of(one)
        assert ids.ACTION_APPROVE not in actions_of(one)
    assert cards.undelivered(conn) == 0


def test_a_card_that_cannot_be_taken_away_just_now_is_later(
    conn: Any, pause_id: UUID, courier: Courier, office: Office
) -> None:
    paint_due(courier)
    old = {m["ts"] for m in office.messages("C0BUY")}
    pauses.approve(conn, pause_id, "marta", surface="tests")
    office.change(app="A0PLACET", set={"edit_window_s": 0})
    office.fault("chat.delete", "status", status=503, times=2)
    paint_due(courier)
    assert {m["ts"] for m in office.messages("C0BUY")} == old
    again_now(conn)
    paint_due(courier)
    [one] = office.messages("C0BUY")
    assert "Approved by Marta Keller" in text_of(one)
    assert cards.undelivered(conn) == 0


def test_a_card_that_can_neither_be_edited_nor_taken_away_is_followed_by_one_that_is_true(
    conn: Any, pause_id: UUID, courier: Courier, office: Office, caplog: pytest.LogCaptureFixture
) -> None:
    paint_due(courier)
    pauses.approve(conn, pause_id, "marta", surface="tests")
    office.faults(
        {"on": "chat.update", "kind": "error", "error": "cant_update_message", "times": 2},
        {"on": "chat.delete", "kind": "error", "error": "cant_delete_message", "times": 2},
    )
    paint_due(courier)
    assert "Approved by Marta Keller" in text_of(office.messages("C0BUY")[-1])
    assert "cannot be edited (cant_update_message), nor taken away: cant_delete_message" in caplog.text


LATER = (NewCard(kind="approver", dest="channel:C0BUY", not_before=datetime.now(UTC) + timedelta(days=1)),)


def the_hour_comes(conn: Any) -> None:
    conn.execute("UPDATE card SET not_before = clock_timestamp() WHERE not_before IS NOT NULL")


def test_a_card_for_later_whose_post_may_have_gone_out_is_told_the_outcome(
    conn: Any, courier: Courier, office: Office
) -> None:
    [asked] = rows.waiting(conn, cards=LATER)
    the_hour_comes(conn)
    office.fault("chat.postMessage", "drop")
    paint_due(courier)
    pauses.deny(conn, asked, "marta", surface="tests")
    paint_due(courier)
    [card] = shown(conn, asked)
    assert card.state == "live"
    [told] = office.messages("C0BUY")
    assert "Denied by Marta Keller" in text_of(told)


def test_a_card_for_later_that_was_deleted_is_told_the_outcome(conn: Any, courier: Courier, office: Office) -> None:
    [asked] = rows.waiting(conn, cards=LATER)
    the_hour_comes(conn)
    paint_due(courier)
    conn.execute("UPDATE card SET wanted = wanted + 1")
    office.fault("chat.update", "error", error="message_not_found")
    paint_due(courier, limit=1)
    pauses.deny(conn, asked, "marta", surface="tests")
    paint_due(courier)
    assert shown(conn, asked)[0].state == "live"
    assert "Denied by Marta Keller" in text_of(office.messages("C0BUY")[-1])


def test_a_card_for_later_is_no_news_if_it_is_settled_before_and_the_outcome_if_only_after(
    conn: Any, courier: Courier, office: Office
) -> None:
    [before], [after] = rows.waiting(conn, cards=LATER), rows.waiting(conn, cards=LATER)
    pauses.deny(conn, before, "marta", surface="tests")
    assert paint_due(courier) == 0
    the_hour_comes(conn)
    pauses.deny(conn, after, "marta", surface="tests")
    paint_due(courier)
    assert [shown(conn, one)[0].state for one in (before, after)] == ["gone", "live"]
    [told] = office.messages("C0BUY")
    assert "Denied by Marta Keller" in text_of(told)


def test_a_deleted_card_is_posted_anew_with_what_holds_now(
    conn: Any, pause_id: UUID, courier: Courier, office: Office
) -> None:
    paint_due(courier)
    office.fault("chat.update", "error", error="message_not_found")
    pauses.deny(conn, pause_id, "marta", surface="tests", reason="Too dear.")
    paint_due(courier)
    *_, new = sorted(office.messages("C0BUY") + office.messages("D0PRIYA"), key=lambda m: m["ts"])
    assert "Denied by Marta Keller" in text_of(new)
    assert "Too dear." in text_of(new)
    assert cards.undelivered(conn) == 0
    assert len(office.calls("chat.postMessage")) == 3


@pytest.mark.parametrize("error", ["is_archived", "not_in_channel", "channel_not_found"])
def test_a_channel_that_is_closed_to_us_sends_the_request_by_dm_and_is_an_alarm(
    pause_id: UUID, courier: Courier, office: Office, error: str, caplog: pytest.LogCaptureFixture
) -> None:
    with courier.pool.connection() as conn:
        _close_to_us(conn, office, error)
        paint_due(courier)
        [dm] = office.messages("D0MARTA")
        assert actions_of(dm) == APPROVER
        assert {(c.dest.partition(":")[0], c.state) for c in shown(conn, pause_id)} == {
            ("channel", "gone"),
            ("person", "live"),
        }
        assert pauses.get(conn, pause_id).status == "waiting"
    assert any(r.levelno == logging.ERROR and error in r.getMessage() for r in caplog.records)


def _close_to_us(conn: Any, office: Office, error: str) -> None:
    match error:
        case "is_archived":
            office.change(channel="C0BUY", set={"is_archived": True})
        case "not_in_channel":
            office.change(channel="C0BUY", set={"members": ["U0PRIYA", "U0MARTA"]})
        case _:
            conn.execute("UPDATE card SET dest = 'channel:C0NOWHERE' WHERE kind = 'approver'")


def nobody_reaches(office: Office, *users: str) -> None:
    """The channel is closed to us, and these people have left Slack."""
    office.change(channel="C0BUY", set={"is_archived": True})
    for user in users:
        office.change(user=user, set={"deleted": True})


def test_a_wait_that_nobody_can_see_is_an_alarm_and_goes_on_at_once(
    conn: Any, pause_id: UUID, courier: Courier, office: Office, caplog: pytest.LogCaptureFixture
) -> None:
    nobody_reaches(office, "U0MARTA")
    paint_due(courier)
    assert any("NOBODY CAN SEE IT" in r.getMessage() for r in caplog.records)
    pause = pauses.get(conn, pause_id)
    assert (pause.status, pause.level, pause.approver, pause.unseen) == ("waiting", 1, "person:otto", True)
    assert {(c.level, c.state) for c in shown(conn, pause_id)} == {(0, "gone"), (1, "live")}
    [dm] = office.messages("D0OTTO")
    assert actions_of(dm) == APPROVER
    assert "Nobody who was asked before could be shown it, so it is yours to decide now." in text_of(dm)
    [own] = office.messages("D0PRIYA")
    assert "Nobody who was asked before could be shown it, so it is with Otto Brandt now." in text_of(own)
    [last] = [e for e in events.of_run(conn, pause.run_id) if e.event == "escalate"]
    assert (last.actor, last.surface) == ("system", "delivery")
    assert last.detail == "person:otto, since nobody who was asked could be shown it"
    assert isinstance(events.verify(conn, pause.run_id), events.Verified)


def test_whoever_is_asked_after_that_in_vain_is_told_so_and_not_the_reason_before(
    conn: Any, courier: Courier, office: Office
) -> None:
    steps = (rows.NEED.steps[0], Step(role="finance-lead", answer_within_s=3600))
    [pause_id] = rows.waiting(conn, need=replace(rows.NEED, steps=steps))
    nobody_reaches(office, "U0MARTA")
    paint_due(courier)
    rows.make_due(conn, pause_id)
    Sweeper(courier.pool).run()
    pause = pauses.get(conn, pause_id)
    assert (pause.level, pause.unseen) == (2, False)


def test_with_nobody_left_to_ask_the_answer_decided_in_advance_holds_and_says_why(
    conn: Any, pause_id: UUID, courier: Courier, office: Office
) -> None:
    nobody_reaches(office, "U0MARTA", "U0OTTO")
    paint_due(courier)
    pause = pauses.get(conn, pause_id)
    assert (pause.status, pause.decided_by, pause.unseen) == ("expired", None, True)
    assert pause.reason == "nobody who was asked could be shown it"
    assert pause.decided_at is not None
    assert pause.fire_at <= pause.decided_at
    assert runs.get(conn, pause.run_id).status == "queued"
    [own] = office.messages("D0PRIYA")
    assert "Nobody who was asked could be shown it, so nothing was done." in text_of(own)
    said = turn.refusal("expired", by=None, reason=pause.reason, fire_at=pause.fire_at)
    assert said.startswith("Nobody who was asked could be shown it, so")
    assert said.endswith("No person refused it.")


def test_of_two_painters_that_lose_the_last_two_cards_one_sees_it(conn: Any, courier: Courier, office: Office) -> None:
    places = (NewCard(kind="approver", dest="channel:C0BUY"), NewCard(kind="approver", dest="person:marta"))
    for _ in range(4):
        rows.waiting(conn, cards=places)
    nobody_reaches(office, "U0MARTA")
    at_once(*[lambda: paint_due(courier)] * 4)
    paint_due(courier)
    assert {(line.level, line.approver) for line in pauses.waiting(conn)} == {(1, "person:otto")}


@pytest.mark.parametrize("error", ["messages_tab_disabled", "missing_scope", "token_revoked"])
def test_what_an_operator_can_mend_is_an_alarm_and_nothing_is_given_up(
    pause_id: UUID, courier: Courier, office: Office, error: str, caplog: pytest.LogCaptureFixture
) -> None:
    office.fault("chat.postMessage", "error", error=error, times=2)
    paint_due(courier)
    assert any(r.levelno == logging.ERROR and error in r.getMessage() for r in caplog.records)
    with courier.pool.connection() as conn:
        assert {(c.level, c.state) for c in shown(conn, pause_id)} == {(0, "live")}
        again_now(conn)
    paint_due(courier)  # mended meanwhile
    assert len(office.messages("C0BUY")) == 1
    with courier.pool.connection() as conn:
        assert pauses.get(conn, pause_id).level == 0


@pytest.mark.parametrize("fault", ["drop", "status", "rate_limited"])
def test_an_outage_of_slack_makes_nobody_go_on(
    conn: Any, pause_id: UUID, courier: Courier, office: Office, fault: str
) -> None:
    office.fault(
        "chat.postMessage",
        fault,
        times=9,
        **({"seconds": 40} if fault == "rate_limited" else {"status": 503} if fault == "status" else {}),
    )
    paint_due(courier)
    pause = pauses.get(conn, pause_id)
    assert (pause.status, pause.level) == ("waiting", 0)
    assert {c.state for c in shown(conn, pause_id)} == {"live"}


def test_a_channel_archived_while_the_request_waits_sends_it_by_dm_too(
    conn: Any, pause_id: UUID, courier: Courier, office: Office
) -> None:
    paint_due(courier)
    office.change(channel="C0BUY", set={"is_archived": True})
    _move_on(conn, pause_id)
    paint_due(courier)
    assert actions_of(office.messages("D0MARTA")[0]) == APPROVER


def test_a_decided_card_in_an_archived_channel_is_let_go(
    conn: Any, pause_id: UUID, courier: Courier, office: Office
) -> None:
    paint_due(courier)
    office.change(channel="C0BUY", set={"is_archived": True})
    pauses.approve(conn, pause_id, "marta", surface="tests")
    paint_due(courier)
    assert [c.state for c in shown(conn, pause_id)] == ["gone"]
    assert paint_due(courier) == 0


def test_of_two_accounts_the_one_that_is_there_is_written_to(conn: Any, courier: Courier, office: Office) -> None:
    for person, old, new in (("marta", "U0AAA", "U0MARTA"), ("priya", "U0GONE", "U0PRIYA")):
        rows.change_person(conn, person, slack=(f"T0ACME:{old}", f"T0ACME:{new}"))
    people.checked(conn, "T0ACME", "U0GONE", "deactivated")
    assert people.identities(conn, "priya") == [("T0ACME", "U0PRIYA"), ("T0ACME", "U0GONE")]
    rows.waiting(conn, cards=(NewCard(kind="approver", dest="person:marta"), rows.SHOWN[1]))
    paint_due(courier)
    assert actions_of(office.messages("D0MARTA")[0]) == APPROVER
    assert actions_of(office.messages("D0PRIYA")[0]) == [ids.ACTION_WITHDRAW]


def test_a_rate_limit_postpones_by_what_slack_says_and_loses_nothing(
    conn: Any, pause_id: UUID, courier: Courier, office: Office
) -> None:
    office.fault("chat.postMessage", "rate_limited", seconds=40)
    paint_due(courier)
    assert office.messages("C0BUY") == []
    assert paint_due(courier) == 0
    [wait] = conn.execute("SELECT min(painter_until - clock_timestamp()) FROM card").fetchall()
    assert 30 < wait[0].total_seconds() <= 40
    again_now(conn)
    paint_due(Courier(pool=courier.pool, slack=office.slack, us=courier.us, env="test"))  # another process, not limited
    assert len(office.messages("C0BUY")) == 1


def test_an_edit_that_slack_finds_too_long_becomes_a_short_one_without_buttons(
    conn: Any, pause_id: UUID, courier: Courier, office: Office
) -> None:
    paint_due(courier)
    pauses.approve(conn, pause_id, "marta", surface="tests")
    office.fault("chat.update", "error", error="msg_blocks_too_long", times=1)
    paint_due(courier)
    cut = [m for m in office.messages("C0BUY") + office.messages("D0PRIYA") if not m["blocks"]]
    assert len(cut) == 1
    assert "Approved by Marta Keller" in cut[0]["text"]
    assert f"/approvals show {ids.screen_id('pause', pause_id)}" in cut[0]["text"]


def test_a_slow_edit_never_overwrites_a_later_one(conn: Any, pause_id: UUID, courier: Courier, office: Office) -> None:
    paint_due(courier)
    pauses.approve(conn, pause_id, "marta", surface="tests")
    office.fault("chat.update", "slow", seconds=0.5, times=2)
    at_once(*[lambda: paint_due(courier)] * 3, lambda: _move_on(conn, pause_id))
    paint_due(courier)
    [card] = office.messages("C0BUY")
    assert "Approved by Marta Keller" in text_of(card)
    assert all(c.wanted == c.painted for c in cards.of_pause(conn, pause_id))


def _move_on(conn: Any, pause_id: UUID) -> None:
    conn.execute("UPDATE card SET wanted = wanted + 1 WHERE pause_id = %s", (pause_id,))


def test_a_database_that_fails_a_painter_is_no_fault_of_the_card(
    conn: Any, db_url: str, pause_id: UUID, courier: Courier
) -> None:
    impatient = psycopg.conninfo.make_conninfo(db_url, options="-c lock_timeout=50ms")
    with database.pool(impatient, size=1) as pool, conn.transaction():
        conn.execute("LOCK TABLE pause_content")
        with pytest.raises(outage.Away):
            paint_due(replace(courier, pool=pool))
    assert conn.execute("SELECT count(*) FROM card WHERE error IS NOT NULL").fetchone() == (0,)
    assert {c.state for c in shown(conn, pause_id)} == {"live"}


def test_an_altered_request_shows_no_buttons(conn: Any, pause_id: UUID, courier: Courier, office: Office) -> None:
    conn.execute("UPDATE pause_content SET document = replace(document, 'Nordholz', 'Nordholtz')")
    paint_due(courier)
    [card] = office.messages("C0BUY")
    assert actions_of(card) == []
    assert "altered" in text_of(card)


# ------------------------------------------------------------------------------------------------------------ many at once


def edits(office: Office) -> list[str]:
    """The ids of the requests whose cards were edited in the channel, in order."""
    calls = [c["args"] for c in office.calls("chat.update") if c["ok"] and c["args"]["channel"] == "C0BUY"]
    return [str(call["metadata"]["event_payload"]["pause_id"]) for call in calls]


def test_what_was_decided_is_shown_before_what_ran_out(conn: Any, courier: Courier, office: Office) -> None:
    late = [rows.waiting(conn, need=replace(rows.NEED, on_expiry="deny", steps=()))[0] for _ in range(3)]
    decided = [rows.waiting(conn)[0] for _ in range(3)]
    paint_due(courier)
    for one in late:
        rows.make_due(conn, one)
    assert len(Sweeper(courier.pool).run()) == 3
    for one in decided:
        pauses.approve(conn, one, "marta", surface="tests")
    paint_due(courier)
    edited = edits(office)
    assert (edited[:3], set(edited[3:])) == ([*map(str, decided)], {*map(str, late)})


def test_a_limit_of_one_method_holds_back_nothing_else_and_a_card_keeps_its_place(
    conn: Any, courier: Courier, office: Office
) -> None:
    first, second = rows.waiting(conn)[0], rows.waiting(conn)[0]
    paint_due(courier)
    later = rows.waiting(conn)[0]
    late = rows.waiting(conn, need=replace(rows.NEED, on_expiry="deny", steps=()))[0]
    office.fault("chat.postMessage", "rate_limited", seconds=40)
    pauses.approve(conn, first, "marta", surface="tests")
    paint_due(courier)
    assert edits(office) == [str(first)]
    assert len(office.calls("chat.postMessage")) == 5  # one was told to wait, and the others were not tried
    rows.make_due(conn, late)
    Sweeper(courier.pool).run()
    office.fault("chat.update", "rate_limited", seconds=40)
    pauses.approve(conn, second, "marta", surface="tests")
    assert paint_due(courier) == 1  # told to wait, too
    conn.execute("UPDATE card SET painter_until = NULL")
    fresh = replace(courier, slack=office.slack)
    paint_due(fresh)
    assert edits(office) == [str(first), str(second)]
    assert all(c.wanted == c.painted for one in (first, second, later, late) for c in cards.of_pause(conn, one))


def test_many_cards_for_one_person_open_their_conversation_once(conn: Any, courier: Courier, office: Office) -> None:
    for _ in range(5):
        rows.waiting(conn)
    paint_due(courier)
    assert len(office.messages("D0PRIYA")) == 5
    assert len(office.calls("conversations.open")) == 1
