"""Slack does not take our token, or takes it again: one alarm says so and what to do, /readyz too, nothing is lost, and it goes on."""

import logging
from dataclasses import replace
from typing import Any
from uuid import UUID

import pytest

from bot.cards import ids
from bot.delivery.courier import Courier
from bot.delivery.rounds import carry
from engine.state import cards, pauses, people
from tests import rows
from tests.bot.house import Home, living, settings
from tests.bot.office import Office, actions_of, text_of

ALARM = "NOBODY CAN BE ASKED OR TOLD ANYTHING IN SLACK"
REFUSALS = {
    "token_revoked": "The token was revoked. Install it again",
    "account_inactive": "The app was removed from the workspace",
    "token_expired": "token rotation is on for the app",
    "invalid_auth": "It is no token of an app.",
}


@pytest.fixture
def pause_id(conn: Any) -> UUID:
    [asked] = rows.waiting(conn)
    return asked


def why_not(home: Home) -> str | None:
    answer = home.http.get("/readyz")
    why: str | None = answer.json()["why_not"]
    assert (answer.status_code == 200) is (why is None)
    return why


@pytest.mark.parametrize("refused", REFUSALS)
def test_a_token_that_slack_does_not_take_is_one_alarm_and_is_asked_about_until_it_is_taken(
    conn: Any, courier: Courier, office: Office, refused: str, caplog: pytest.LogCaptureFixture
) -> None:
    first, standing = rows.waiting(conn)[0], courier.slack.standing
    office.change(app="A0PLACET", set={"refused": refused})
    assert (carry(courier), carry(courier)) == (2, 0)
    why = standing.why_not()
    assert why is not None
    assert why.startswith(f"Slack does not take SLACK_BOT_TOKEN ({refused}).")
    assert REFUSALS[refused] in why
    assert "start Placet again" in why
    alarms = [r for r in caplog.records if ALARM in r.getMessage()]
    assert [(r.levelno, why in r.getMessage()) for r in alarms] == [(logging.ERROR, True)]
    later = rows.waiting(conn)[0]
    made = len(office.read("/slack/calls")["calls"])
    conn.execute("UPDATE card SET not_before = NULL")
    assert carry(courier) == 0  # nothing would be taken: nothing is tried, and nothing is put off
    assert len(office.read("/slack/calls")["calls"]) == made
    standing._ask_at = 0  # the time between two questions has passed
    assert carry(courier) == 0
    assert [c["method"] for c in office.read("/slack/calls")["calls"][made:]] == ["auth.test"]
    office.change(app="A0PLACET", set={"refused": None})
    standing._ask_at = 0
    assert carry(courier) == 4
    assert standing.why_not() is None
    assert "Slack takes the token again" in caplog.text
    assert cards.undelivered(conn) == 0
    assert {m["metadata"]["event_payload"]["pause_id"] for m in office.messages("C0BUY")} == {str(first), str(later)}


@pytest.mark.parametrize(
    ("refused", "events"),
    [("token_revoked", ["tokens_revoked"]), ("account_inactive", ["tokens_revoked", "app_uninstalled"])],
)
def test_slacks_own_word_that_the_app_was_removed_makes_it_known_at_once(
    home: Home, conn: Any, refused: str, events: list[str], caplog: pytest.LogCaptureFixture
) -> None:
    assert why_not(home) is None
    home.office.change(app="A0PLACET", set={"refused": refused})
    home.office.await_(lambda: why_not(home) is not None)
    assert f"({refused})" in (why_not(home) or "")
    said = [r.getMessage() for r in caplog.records if "Slack says of our app" in r.getMessage()]
    assert sorted(said) == sorted(f"Slack says of our app: {event}" for event in events)
    assert "not fit: Slack does not take SLACK_BOT_TOKEN" in caplog.text


def test_an_event_about_another_token_is_no_alarm(
    home: Home, conn: Any, pause_id: UUID, caplog: pytest.LogCaptureFixture
) -> None:
    home.office.change(app="A0PLACET", set={"refused": "token_revoked"})
    home.office.change(app="A0PLACET", set={"refused": None})  # whatever was said of it arrives after it was mended
    home.office.await_(lambda: "Slack says of our app" in caplog.text)
    home.card()
    home.office.await_(lambda: why_not(home) is None)


def test_what_was_decided_and_ran_out_meanwhile_is_shown_by_the_process_with_the_new_token(
    office: Office, db_url: str, conn: Any, pause_id: UUID
) -> None:
    late = rows.waiting(conn, need=replace(rows.NEED, on_expiry="deny", steps=()))[0]
    parts = frozenset({"web", "sweep"})
    people.checked(conn, "T0ACME", "U0MARTA", None)  # who she is was asked of Slack within the minute
    with living(office, settings(office, db_url), parts) as first:
        first.calm()
        card = next(m for m in office.messages("C0BUY") if str(pause_id) in str(m["metadata"]))
        office.change(app="A0PLACET", set={"token": "xoxb-the-new-token"})  # installed again: the old one is revoked
        asked = rows.waiting(conn)[0]
        assert office.press("U0MARTA", card, ids.ACTION_APPROVE) == {"ok": True}
        assert pauses.get(conn, pause_id).status == "approved"
        rows.make_due(conn, late)
        first.house.sweep()
        assert pauses.get(conn, late).status == "expired"
        office.await_(lambda: why_not(first) is not None or None)
        assert "(token_revoked)" in (why_not(first) or "")
    with living(office, settings(office, db_url, slack_bot_token="xoxb-the-new-token"), parts) as second:
        conn.execute("UPDATE card SET not_before = NULL")
        second.calm()
        assert why_not(second) is None
    by_pause = {m["metadata"]["event_payload"]["pause_id"]: m for m in office.messages("C0BUY") if m["metadata"]}
    assert "Approved by Marta Keller" in text_of(by_pause[str(pause_id)])
    assert "Nobody answered in time" in text_of(by_pause[str(late)])
    assert ids.ACTION_APPROVE in actions_of(by_pause[str(asked)])
    assert len(by_pause) == len(office.messages("C0BUY")) == 3
