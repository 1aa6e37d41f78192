"""Cards that must come to equal their pause, and notices that are said once: one painter at a time, and nothing lost."""

from typing import Any
from uuid import UUID

import pytest

from engine.models import Card
from engine.state import cards, pauses, runs
from tests import database, rows


def claimed(conn: Any, lease_s: float = 60, limit: int = 10) -> list[Card]:
    return cards.claim(conn, limit=limit, lease_s=lease_s)


def approver_card(conn: Any) -> Card:
    return next(c for c in claimed(conn) if c.kind == "approver")


def shown(conn: Any, card: Card) -> cards.Shown:
    assert card.pause_id
    return next(c for c in cards.of_pause(conn, card.pause_id) if c.id == card.id)


def decide(conn: Any, pause_id: UUID) -> None:
    pauses.approve(conn, pause_id, "marta", surface="tests")


def retry_now(conn: Any) -> None:
    """Let every wait for another try be over."""
    conn.execute("UPDATE card SET not_before = clock_timestamp() - interval '1 second' WHERE not_before IS NOT NULL")
    conn.execute("UPDATE notice SET not_before = clock_timestamp() - interval '1 second' WHERE not_before IS NOT NULL")


def test_a_new_pause_wants_its_cards_painted(conn: Any) -> None:
    [pause_id] = rows.waiting(conn)
    found = {(c.kind, c.dest): c for c in claimed(conn)}
    assert set(found) == {("approver", "channel:C0BUY"), ("requester", "person:priya")}
    card = found["approver", "channel:C0BUY"]
    assert (card.pause_id, card.level, card.wanted, card.tries, card.channel, card.ts) == (
        pause_id,
        0,
        1,
        1,
        None,
        None,
    )
    assert cards.undelivered(conn) == 2


def test_one_painter_at_a_time_until_its_lease_is_over(conn: Any) -> None:
    rows.waiting(conn)
    assert len(claimed(conn, lease_s=0, limit=1)) == 1
    assert len(claimed(conn)) == 2
    assert claimed(conn) == []


def test_a_painted_card_is_true_until_the_pause_moves(conn: Any) -> None:
    [pause_id] = rows.waiting(conn)
    for card in claimed(conn):
        cards.painted(conn, card, channel="C0BUY", ts="1.1")
    assert (claimed(conn), cards.undelivered(conn)) == ([], 0)
    decide(conn, pause_id)
    again = claimed(conn)
    assert {(c.wanted, c.channel, c.ts, c.tries) for c in again} == {(2, "C0BUY", "1.1", 1)}


def test_what_moves_while_it_is_painted_is_painted_again(conn: Any) -> None:
    [pause_id] = rows.waiting(conn)
    card = approver_card(conn)
    decide(conn, pause_id)
    cards.painted(conn, card, channel="C0BUY", ts="1.1")
    assert (shown(conn, card).painted, shown(conn, card).wanted) == (1, 2)
    assert [c.id for c in claimed(conn)] == [card.id]


def test_an_older_painting_told_late_is_painted_over(conn: Any) -> None:
    [pause_id] = rows.waiting(conn)
    card = approver_card(conn)
    decide(conn, pause_id)
    conn.execute("UPDATE card SET painter_until = NULL")
    newer = approver_card(conn)
    cards.painted(conn, newer, channel="C0BUY", ts="1.1")
    cards.painted(conn, card, channel="C0BUY", ts="1.1")
    assert (shown(conn, card).painted, shown(conn, card).wanted) == (2, 3)


def test_what_slack_did_not_take_is_tried_again_later_and_not_before(conn: Any) -> None:
    rows.waiting(conn)
    card = approver_card(conn)
    cards.postponed(conn, card, after_s=30, error="ratelimited")
    assert card.id not in {c.id for c in claimed(conn)}
    assert shown(conn, card).error == "ratelimited"
    retry_now(conn)
    again = approver_card(conn)
    assert (again.id, again.tries) == (card.id, 2)


def test_one_look_says_whether_anything_is_to_be_painted_or_said(conn: Any) -> None:
    assert not cards.any_due(conn)
    rows.waiting(conn)
    assert cards.any_due(conn)
    for card in claimed(conn):
        cards.painted(conn, card, channel="C0BUY", ts="1.1")
    assert not cards.any_due(conn)
    cards.notify(conn, runs.listed(conn)[0].id, kind="run_ended", dest="person:priya")
    assert cards.any_due(conn)
    [notice] = cards.claim_notices(conn, limit=10, lease_s=60)
    assert not cards.any_due(conn)  # somebody is saying it
    cards.notice_postponed(conn, notice, after_s=300, error="ratelimited")
    assert not cards.any_due(conn)
    retry_now(conn)
    [notice] = cards.claim_notices(conn, limit=10, lease_s=60)
    cards.notice_settled(conn, notice, state="sent")
    assert not cards.any_due(conn)


def test_a_request_that_is_decided_gets_no_card_instead_of_one_that_is_gone(conn: Any) -> None:
    [pause_id] = rows.waiting(conn)
    assert cards.instead(conn, pause_id, "person:marta")
    assert not cards.instead(conn, pause_id, "person:marta")
    decide(conn, pause_id)
    assert not cards.instead(conn, pause_id, "person:otto")
    assert "person:otto" not in {card.dest for card in cards.of_pause(conn, pause_id)}


def test_a_move_does_not_wait_for_a_postponed_painting(conn: Any) -> None:
    [pause_id] = rows.waiting(conn)
    card = approver_card(conn)
    cards.postponed(conn, card, after_s=300, error="ratelimited")
    decide(conn, pause_id)
    assert card.id in {c.id for c in claimed(conn)}


def test_what_moved_while_slack_refused_is_not_postponed(conn: Any) -> None:
    [pause_id] = rows.waiting(conn)
    card = approver_card(conn)
    decide(conn, pause_id)
    cards.postponed(conn, card, after_s=300, error="ratelimited")
    assert card.id in {c.id for c in claimed(conn)}


def test_a_card_that_a_click_found_while_its_post_failed_is_not_postponed(conn: Any) -> None:
    rows.waiting(conn)
    card = approver_card(conn)
    cards.adopt(conn, card.id, channel="C0BUY", ts="1.1")
    cards.postponed(conn, card, after_s=300, error="upstream error")
    assert [c.ts for c in claimed(conn) if c.id == card.id] == ["1.1"]


def test_a_card_that_can_never_be_shown_is_let_be(conn: Any) -> None:
    [pause_id] = rows.waiting(conn)
    card = approver_card(conn)
    cards.gone(conn, card, "channel_not_found")
    decide(conn, pause_id)
    assert card.id not in {c.id for c in claimed(conn)}
    assert (shown(conn, card).state, shown(conn, card).error) == ("gone", "channel_not_found")


def test_a_deleted_message_is_posted_anew(conn: Any) -> None:
    rows.waiting(conn)
    card = approver_card(conn)
    cards.painted(conn, card, channel="C0BUY", ts="1.1")
    cards.reposted(conn, card, "message_not_found")
    again = approver_card(conn)
    assert (again.id, again.channel, again.ts) == (card.id, None, None)


def test_a_click_on_a_message_whose_post_was_never_confirmed_makes_it_the_cards(conn: Any) -> None:
    rows.waiting(conn)
    card = approver_card(conn)
    assert cards.adopt(conn, card.id, channel="C0BUY", ts="1.1")
    assert not cards.adopt(conn, card.id, channel="C0BUY", ts="2.2")
    assert (shown(conn, card).channel, shown(conn, card).ts, shown(conn, card).wanted) == ("C0BUY", "1.1", 2)


@pytest.mark.parametrize("limit", [1, 2])
def test_two_painters_never_have_the_same_card(conn: Any, db_url: str, limit: int) -> None:
    rows.waiting(conn)
    with database.connect(db_url) as other, other.transaction():
        first = claimed(other, limit=limit)
        second = claimed(conn)
    assert len(first) == limit
    assert {c.id for c in first}.isdisjoint(c.id for c in second)
    assert len(first) + len(second) == 2


# --------------------------------------------------------------------------------------------------------------- notices


def test_a_notice_is_said_once(conn: Any) -> None:
    run_id = rows.launched(conn)
    cards.notify(conn, run_id, kind="hello", dest="person:priya", detail={"by": "otto"})
    assert cards.undelivered(conn) == 1
    [notice] = cards.claim_notices(conn, limit=5, lease_s=60)
    assert (notice.kind, notice.dest, notice.detail, notice.state, notice.tries) == (
        "hello", "person:priya", {"by": "otto"}, "due", 1,
    )  # fmt: skip
    assert cards.claim_notices(conn, limit=5, lease_s=60) == []
    cards.notice_settled(conn, notice, "sent")
    assert cards.undelivered(conn) == 0
    retry_now(conn)
    assert cards.claim_notices(conn, limit=5, lease_s=60) == []


@pytest.mark.parametrize("limit", [1, 2])
def test_two_senders_never_have_the_same_notice_and_neither_waits(conn: Any, db_url: str, limit: int) -> None:
    run_id = rows.launched(conn)
    for person in ("priya", "marta"):
        cards.notify(conn, run_id, kind="hello", dest=f"person:{person}")
    with database.connect(db_url) as other, other.transaction():
        first = cards.claim_notices(other, limit=limit, lease_s=60)
        second = cards.claim_notices(conn, limit=5, lease_s=60)
    assert (len(first), len(second)) == (limit, 2 - limit)
    assert {n.id for n in first}.isdisjoint(n.id for n in second)


def test_a_notice_that_was_said_is_not_put_off(conn: Any) -> None:
    cards.notify(conn, rows.launched(conn), kind="hello", dest="person:priya")
    [notice] = cards.claim_notices(conn, limit=5, lease_s=60)
    cards.notice_settled(conn, notice, "sent")
    cards.notice_postponed(conn, notice, after_s=30, error="a late answer")
    assert conn.execute("SELECT state, not_before, error FROM notice").fetchall() == [("sent", None, None)]


def test_a_notice_slack_did_not_take_is_said_later(conn: Any) -> None:
    cards.notify(conn, rows.launched(conn), kind="hello", dest="person:priya")
    [notice] = cards.claim_notices(conn, limit=5, lease_s=60)
    cards.notice_postponed(conn, notice, after_s=30, error="ratelimited")
    assert cards.claim_notices(conn, limit=5, lease_s=60) == []
    retry_now(conn)
    [again] = cards.claim_notices(conn, limit=5, lease_s=60)
    assert (again.id, again.tries) == (notice.id, 2)


def test_a_sender_that_was_lost_is_followed_by_another(conn: Any) -> None:
    cards.notify(conn, rows.launched(conn), kind="hello", dest="person:priya")
    assert len(cards.claim_notices(conn, limit=5, lease_s=0)) == 1
    assert len(cards.claim_notices(conn, limit=5, lease_s=60)) == 1


def test_a_notice_that_comes_too_late_is_said_no_more(conn: Any) -> None:
    cards.notify(conn, rows.launched(conn), kind="refused", dest="private:C0BUY:U0JONAS", lapse_s=-1)
    [notice] = cards.claim_notices(conn, limit=5, lease_s=60)
    assert notice.state == "lapsed"
    cards.notice_settled(conn, notice, "sent")  # changes nothing: it is over
    assert conn.execute("SELECT state FROM notice").fetchall() == [("lapsed",)]
    assert cards.undelivered(conn) == 0
