"""A digest as one message: a line for each request, Details and no Approve, true to every row in it, and posted once."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest

from bot.cards import digests, ids
from bot.delivery import repaint
from bot.delivery.courier import Courier
from bot.delivery.digests import paint_due
from bot.delivery.web import Slack
from engine.models import Line, NewCard, Pause
from engine.rules.money import LARGEST_MINOR, Money
from engine.state import cards, pauses
from tests import rows
from tests.bot.asked import ENV, PAUSE, content, pause, statuses
from tests.bot.house import Home
from tests.bot.office import Office, actions_of, at_once, is_card, text_of
from tests.bot.painted import ATTACKS, pressed, read, taken
from tests.bot.test_digest import NEED

Json = dict[str, Any]
HOUR = datetime(2026, 7, 20, 8, 30, tzinfo=UTC)


# -------------------------------------------------------------------------------------------------------- what is shown


def shown(*asked: Pause, level: int = 0, dest: str = "person:marta", more: bool = False) -> Any:
    lines = [(replace(one, id=uuid4()) if one.id == PAUSE else one, level) for one in asked]
    message = digests.digest(lines, dest=dest, digest_at=HOUR, more=more, env=ENV)
    taken(message)
    return message


def test_it_says_how_many_there_are_and_what_they_come_to_by_currency() -> None:
    dollars = pause(content(amount=Money(5_000, "USD"), summary="USD 50.00 to Beck"))
    none = pause(content(amount=None, summary="Grant access to the ledger"))
    message = shown(pause(), pause(), dollars, none)
    text = read(message.blocks)
    assert "4 requests for you in this digest" in text
    assert "EUR 76,000.00 and USD 50.00 in all. 1 of them names no amount that can be counted." in text
    assert "All of them wait for an answer." in text
    assert "EUR 76,000.00 and USD 50.00 in all" in message.text
    assert "3 more requests in this digest" in read(
        shown(pause(), pause(), none, dest="channel:C0BUY", more=True).blocks
    )


def test_a_line_has_what_tells_it_from_others_and_details_alone() -> None:
    message = shown(pause(), pause(content(summary="Pay Beck & Sons", amount=Money(100, "EUR"))))
    text = read(message.blocks)
    for fact in (
        "EUR 38,000.00 to Nordholz Industrial (sup_412)",
        "EUR 1.00 · Pay Beck & Sons",
        "for Priya Nair · with Marta Keller",
        "answer by",
    ):
        assert fact in text
    assert text.count("EUR 38,000.00") == 1 + 0, "the summary says the amount already"
    assert pressed(message.blocks) == ["Details", "Details"]
    values = [ids.decode(block["accessory"]["value"]) for block in message.blocks if "accessory" in block]
    assert len({value.about for value in values if value}) == 2


@pytest.mark.parametrize("name", [name for name in statuses() if not name.startswith("waiting")])
def test_what_was_settled_loses_its_button_and_says_what_became_of_it(name: str) -> None:
    message = shown(pause(), statuses()[name])
    assert pressed(message.blocks) == ["Details"]
    assert "1 of them still wait for an answer here." in read(message.blocks)


def test_what_went_on_to_others_says_with_whom_it_is() -> None:
    message = shown(pause(), statuses()["waiting_escalated"])
    assert pressed(message.blocks) == ["Details"]
    assert "is with Otto Brandt now" in read(message.blocks)


def test_what_was_altered_has_no_button_and_is_not_counted() -> None:
    message = shown(pause(), pause(None))
    assert pressed(message.blocks) == ["Details"]
    assert "1 of them names no amount that can be counted" in read(message.blocks)
    assert "was altered" in read(message.blocks)


@pytest.mark.parametrize("words", ATTACKS)
@pytest.mark.parametrize("status", ["waiting", "denied", "waiting_escalated"])
def test_as_many_as_there_can_be_fit_whatever_is_in_them(words: str, status: str) -> None:
    asked = content(
        title=words,
        summary=words,
        explanation=words,
        lines=(Line(label=words, value=words),),
        amount=Money(LARGEST_MINOR, "EUR"),
    )
    changes = {
        name: getattr(statuses()[status], name) for name in ("status", "level", "approver", "decided_at", "votes")
    }
    one = pause(asked, requester_name=words, approver_name=words, reason=words, decided_by="marta" if status == "denied" else None,
                decided_by_name=words, **changes)  # fmt: skip
    shown(*(one for _ in range(digests.MOST)), more=True)


# ------------------------------------------------------------------------------------------------- in Slack, with the bot


def asked(conn: Any, count: int, *, dest: str = "person:marta", **changes: Any) -> list[UUID]:
    """So many requests, of a run each, that are shown in one digest tomorrow."""
    tomorrow = (datetime.now(UTC) + timedelta(days=1)).replace(microsecond=0)
    made = (
        NewCard(kind="approver", dest=dest, not_before=tomorrow, digest_at=tomorrow),
        NewCard(kind="requester", dest="person:priya"),
    )
    return [rows.waiting(conn, shown_at=tomorrow, cards=made, need=NEED, **changes)[0] for _ in range(count)]


def the_hour_comes(conn: Any) -> None:
    conn.execute("UPDATE card SET not_before = clock_timestamp() WHERE not_before IS NOT NULL")


def lines(office: Office, channel: str = "D0MARTA") -> list[Json]:
    return [m for m in office.messages(channel) if is_card(m)]


def stands(conn: Any, pause_id: UUID) -> cards.Shown:
    return next(c for c in cards.of_pause(conn, pause_id) if c.kind == "approver")


def paint(courier: Courier) -> int:
    return paint_due(courier) + repaint.paint_due(courier)


def details_of(home: Home, message: Json, pause_id: UUID) -> Json:
    """The window that the button of this request opens."""
    [block] = [b for b in message["blocks"] if ids.screen_id("pause", pause_id) in text_of(message["blocks"][message["blocks"].index(b) + 1 :][:1])
               and "accessory" in b]  # fmt: skip
    home.office.act(
        "click",
        "U0MARTA",
        channel=message["channel"],
        ts=message["ts"],
        block_id=block["block_id"],
        action_id=ids.ACTION_DETAILS,
    )
    return home.office.views("U0MARTA")[-1]


def test_what_came_in_is_one_message_and_follows_what_becomes_of_each(home: Home, conn: Any) -> None:
    three = asked(conn, 3)
    the_hour_comes(conn)
    home.house.bell.ring()
    home.calm()
    [message] = lines(home.office)
    assert actions_of(message) == [ids.ACTION_DETAILS] * 3
    assert {(c.channel, c.ts, c.painted) for c in (stands(conn, one) for one in three)} == {
        ("D0MARTA", message["ts"], 1)
    }
    view = details_of(home, message, three[1])
    assert str(three[1]) in text_of(view)
    approve = next(
        b for b in view["blocks"] if any(e.get("action_id") == ids.ACTION_APPROVE for e in b.get("elements", ()))
    )
    home.office.act("click", "U0MARTA", view_id=view["id"], block_id=approve["block_id"], action_id=ids.ACTION_APPROVE)
    assert [home.pause(one).status for one in three] == ["waiting", "approved", "waiting"]
    home.calm()
    [message] = lines(home.office)
    assert actions_of(message) == [ids.ACTION_DETAILS] * 2
    assert "Approved by Marta Keller" in text_of(message)
    assert "2 of them still wait" in text_of(message)
    pauses.withdraw(conn, three[0], "priya", surface="tests")
    pauses.withdraw(conn, three[2], "priya", surface="tests")
    home.house.bell.ring()
    home.calm()
    [message] = lines(home.office)
    assert actions_of(message) == []
    assert len(home.office.calls("chat.postMessage")) == 1 + 3, "one for Marta, and Priya's three"


def test_what_comes_alone_is_a_card_like_any_other(home: Home, conn: Any) -> None:
    [one] = asked(conn, 1)
    the_hour_comes(conn)
    home.house.bell.ring()
    home.calm()
    [card] = lines(home.office)
    home.office.press("U0MARTA", card, ids.ACTION_APPROVE)
    assert home.pause(one).status == "approved"


def test_what_does_not_fit_goes_on_in_another_message(courier: Courier, office: Office, conn: Any) -> None:
    many = asked(conn, digests.MOST + 3)
    the_hour_comes(conn)
    paint(courier)
    first, second = lines(office)
    assert f"{digests.MOST} requests for you in this digest" in text_of(first)
    assert "3 more requests for you in this digest" in text_of(second)
    assert [stands(conn, one).ts for one in many] == [first["ts"]] * digests.MOST + [second["ts"]] * 3
    pauses.withdraw(conn, many[-1], "priya", surface="tests")
    paint(courier)
    first, second = lines(office)
    assert (len(actions_of(first)), len(actions_of(second))) == (digests.MOST, 2)
    assert "3 more requests for you in this digest" in text_of(second)


def test_a_digest_in_a_channel_is_that_of_the_channel(courier: Courier, office: Office, conn: Any) -> None:
    asked(conn, 2, dest="channel:C0BUY")
    asked(conn, 2)
    the_hour_comes(conn)
    paint(courier)
    assert ["2 requests in this digest" in text_of(m) for m in lines(office, "C0BUY")] == [True]
    assert ["2 requests for you in this digest" in text_of(m) for m in lines(office)] == [True]


def test_what_was_escalated_and_what_expired_is_told_in_it(courier: Courier, office: Office, conn: Any) -> None:
    three = asked(conn, 3)
    the_hour_comes(conn)
    paint(courier)
    for one in three[:2]:
        rows.make_due(conn, one)
    pauses.settle_due(conn, [pauses.NextStep(pause_id=three[0], level=0, next="person:otto", within_s=3600), pauses.NextStep(pause_id=three[1], level=0, next=None)],
                      surface="sweep")  # fmt: skip
    paint(courier)
    [message] = lines(office)
    assert "Nobody answered in time, so it is with Otto" in text_of(message)
    assert "nobody" in text_of(message).lower()
    assert len(actions_of(message)) == 1


def test_two_processes_that_paint_at_once_post_one_message_and_edit_it_in_turn(
    courier: Courier, office: Office, conn: Any
) -> None:
    many = asked(conn, 5)
    the_hour_comes(conn)
    at_once(*(lambda: paint_due(courier) for _ in range(4)))
    assert len(lines(office)) == 1
    for one in many[:3]:
        pauses.withdraw(conn, one, "priya", surface="tests")
    at_once(*(lambda: paint_due(courier) for _ in range(4)))
    paint_due(courier)
    [message] = lines(office)
    assert len(actions_of(message)) == 2
    assert cards.claim_digest(conn, lease_s=60) is None
    assert conn.execute("SELECT FROM digest_lease").fetchall() == []


class Moving(Slack):
    """Slack, and something happens while it takes a post."""

    def __init__(self, office: Office, meanwhile: Any) -> None:
        super().__init__("xoxb-local-token", f"{office.url}/slack/api/")
        self._meanwhile = meanwhile

    def post(self, channel: str, message: Any, *, below: str | None = None) -> Any:
        outcome = super().post(channel, message, below=below)
        self._meanwhile()
        return outcome


def test_what_moves_while_it_is_posted_is_painted_again(courier: Courier, office: Office, conn: Any) -> None:
    two = asked(conn, 2)
    the_hour_comes(conn)
    moving = replace(courier, slack=Moving(office, lambda: pauses.withdraw(conn, two[1], "priya", surface="tests")))
    paint_due(moving, limit=1)
    assert [(c.painted, c.wanted) for c in (stands(conn, one) for one in two)] == [(1, 1), (1, 2)]
    paint_due(courier)
    [message] = lines(office)
    assert len(actions_of(message)) == 1


def test_a_painter_that_died_holds_it_no_longer_than_its_lease(courier: Courier, office: Office, conn: Any) -> None:
    asked(conn, 2)
    the_hour_comes(conn)
    digest = cards.claim_digest(conn, lease_s=60)
    assert digest is not None
    claimed, _ = cards.claim_in_digest(conn, digest, most=digests.MOST)
    assert len(claimed) == 2
    assert (paint_due(courier), lines(office)) == (0, [])
    conn.execute("UPDATE digest_lease SET painter_until = clock_timestamp() - interval '1 second'")
    conn.execute(
        "UPDATE card SET painter_until = clock_timestamp() - interval '1 second' WHERE painter_until IS NOT NULL"
    )
    assert paint_due(courier) == 1
    cards.let_go(conn, digest)  # the dead one wakes up: it lets nobody else's claim go
    assert len(lines(office)) == 1


def test_a_slow_painter_lets_go_no_claim_but_its_own_and_is_painted_over(
    courier: Courier, office: Office, conn: Any
) -> None:
    two = asked(conn, 2)
    the_hour_comes(conn)
    slow = cards.claim_digest(conn, lease_s=0)
    assert slow is not None
    late, _ = cards.claim_in_digest(conn, slow, most=digests.MOST)
    later = cards.claim_digest(conn, lease_s=60)
    assert later is not None
    cards.let_go(conn, slow)
    assert conn.execute("SELECT count(*) FROM digest_lease").fetchone() == (1,)
    cards.let_go(conn, later)
    pauses.withdraw(conn, two[0], "priya", surface="tests")
    paint_due(courier)
    [message] = lines(office)
    cards.painted(conn, *late, channel=message["channel"], ts=message["ts"])
    assert stands(conn, two[0]).wanted > stands(conn, two[0]).painted, "an older painting told late is painted over"
    paint_due(courier)
    assert len(lines(office)) == 1


def test_slack_is_tried_again_later_and_nothing_is_posted_twice(courier: Courier, office: Office, conn: Any) -> None:
    two = asked(conn, 2)
    the_hour_comes(conn)
    office.fault("chat.postMessage", "rate_limited", seconds=30)
    paint_due(courier)
    assert lines(office) == []
    assert {c.error for c in (stands(conn, one) for one in two)} == {"ratelimited"}
    assert paint_due(courier) == 0
    again = replace(courier, slack=office.slack)
    conn.execute("UPDATE card SET painter_until = NULL")
    assert paint_due(again) == 1
    assert len(lines(office)) == 1


def test_what_slack_did_not_take_comes_together_still(courier: Courier, office: Office, conn: Any) -> None:
    two = asked(conn, 2)
    the_hour_comes(conn)
    office.fault("chat.postMessage", "rate_limited", seconds=30)
    paint_due(courier)
    conn.execute("UPDATE card SET painter_until = NULL WHERE pause_id = %s", (two[0],))  # the other's try is later
    assert paint_due(replace(courier, slack=office.slack)) == 1
    assert ["2 requests for you" in text_of(m) for m in lines(office)] == [True]


def test_a_digest_that_was_deleted_is_posted_anew_with_all_that_was_in_it(
    courier: Courier, office: Office, conn: Any
) -> None:
    two = asked(conn, 2)
    the_hour_comes(conn)
    paint_due(courier)
    [message] = lines(office)
    office.http.post(
        "/slack/api/chat.delete",
        json={"channel": message["channel"], "ts": message["ts"]},
        headers={"Authorization": "Bearer xoxb-local-token"},
    )
    pauses.withdraw(conn, two[0], "priya", surface="tests")
    paint_due(courier)
    [message] = lines(office)
    assert ids.screen_id("pause", two[0]) in text_of(message)
    assert len(actions_of(message)) == 1


def test_where_a_channel_is_gone_each_goes_to_who_may_decide(courier: Courier, office: Office, conn: Any) -> None:
    two = asked(conn, 2, dest="channel:C0GONE")
    the_hour_comes(conn)
    paint(courier)
    assert [[(c.dest, c.state) for c in cards.of_pause(conn, one) if c.kind == "approver"] for one in two] == [
        [("channel:C0GONE", "gone"), ("person:marta", "live")]
    ] * 2
    assert [ids.ACTION_APPROVE in actions_of(m) for m in lines(office)] == [True, True]


def test_what_was_settled_before_its_hour_is_not_in_it(courier: Courier, office: Office, conn: Any) -> None:
    three = asked(conn, 3)
    pauses.withdraw(conn, three[0], "priya", surface="tests")
    the_hour_comes(conn)
    paint(courier)
    [message] = lines(office)
    assert len(actions_of(message)) == 2
    assert ids.screen_id("pause", three[0]) not in text_of(message)
    assert stands(conn, three[0]).state == "gone"


# ---------------------------------------------------------------------------------------------------- lost, and found again


def test_a_digest_whose_post_nobody_confirmed_is_found_by_a_click(home: Home, conn: Any) -> None:
    two = asked(conn, 2)
    home.house.bell.ring()
    home.calm()
    home.office.faults({"on": "chat.postMessage", "kind": "drop"})
    the_hour_comes(conn)
    home.house.bell.ring()
    [lost] = home.office.await_(lambda: lines(home.office))
    home.office.await_(lambda: stands(conn, two[0]).error)
    assert stands(conn, two[0]).ts is None
    details_of(home, lost, two[0])
    home.office.await_(lambda: [one for one in two if stands(conn, one).ts == lost["ts"]] == two)
    home.calm()
    assert len(lines(home.office)) == 1


def test_a_second_copy_of_a_digest_tells_the_truth_once_it_is_clicked(home: Home, conn: Any) -> None:
    two = asked(conn, 2)
    home.house.bell.ring()
    home.calm()
    home.office.faults(
        {"on": "chat.postMessage", "kind": "drop"},
        {"on": "conversations.history", "kind": "error", "error": "missing_scope"},  # it cannot be looked for
    )
    the_hour_comes(conn)
    home.house.bell.ring()
    home.office.await_(lambda: stands(conn, two[0]).error)
    the_hour_comes(conn)
    home.house.bell.ring()
    home.calm()
    lost, known = lines(home.office)
    assert {stands(conn, one).ts for one in two} == {known["ts"]}
    pauses.withdraw(conn, two[1], "priya", surface="tests")
    home.house.bell.ring()
    home.calm()
    assert [len(actions_of(m)) for m in lines(home.office)] == [2, 1]
    details_of(home, lost, two[1])
    home.office.await_(lambda: [len(actions_of(m)) for m in lines(home.office)] == [1, 1])


def test_what_happened_is_asked_of_one_and_not_of_a_digest(home: Home, conn: Any) -> None:
    asked(conn, 2)
    the_hour_comes(conn)
    home.house.bell.ring()
    home.calm()
    [message] = lines(home.office)
    home.office.shortcut("U0MARTA", message, ids.SHORTCUT_WHAT_HAPPENED)
    told = home.office.await_(
        lambda: [m["text"] for m in home.office.messages("D0MARTA") if "several requests" in m["text"]]
    )
    assert told == ["This message shows several requests. Details beside each tells what happened to it."]
