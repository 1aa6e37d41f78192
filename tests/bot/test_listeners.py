"""What people do in Slack, over real HTTP, with the real bot: the row decides, one wins, and everybody is answered."""

import json
from typing import Any
from uuid import UUID

import pytest

from bot.cards import ids
from bot.listeners.modals import NOT_OPENED
from engine.state import cards, events, halts, pauses, people
from tests import rows
from tests.bot.house import Home, living, send, settings
from tests.bot.office import Office, actions_of, at_once, text_of

Json = dict[str, Any]


@pytest.fixture
def pause_id(conn: Any) -> UUID:
    [asked] = rows.waiting(conn)
    return asked


def reason(text: str) -> Json:
    return {ids.BLOCK_REASON: {ids.ACTION_REASON: {"type": "plain_text_input", "value": text}}}


def refused_attempts(conn: Any, pause_id: UUID) -> list[tuple[str, str | None]]:
    run_id = pauses.get(conn, pause_id).run_id
    return [(e.actor, e.detail) for e in events.of_run(conn, run_id) if e.to_status is None]


# ---------------------------------------------------------------------------------------------------------------- approve


def test_a_click_decides_and_the_card_says_so_at_once(home: Home, pause_id: UUID) -> None:
    card = home.card()
    assert home.office.press("U0MARTA", card, ids.ACTION_APPROVE) == {"ok": True}
    pause = home.pause(pause_id)  # decided before Slack was answered
    assert (pause.status, pause.decided_by, pause.votes[0].surface) == ("approved", "marta", "slack:card")
    painted = home.office.await_(
        lambda: next((m for m in home.office.messages("C0BUY") if "Approved by Marta Keller" in text_of(m)), None), 2
    )
    assert ids.ACTION_APPROVE not in actions_of(painted)
    assert home.office.private("U0MARTA") == []


def test_a_card_from_before_a_restart_decides_as_any_other(
    office: Office, db_url: str, conn: Any, pause_id: UUID
) -> None:
    with living(office, settings(office, db_url)) as first:
        card = first.card()
    with living(office, settings(office, db_url)) as second:
        assert office.press("U0MARTA", card, ids.ACTION_APPROVE) == {"ok": True}
        assert second.pause(pause_id).status == "approved"
        assert office.press("U0MARTA", card, ids.ACTION_APPROVE) == {"ok": True}
        assert "Already approved by Marta Keller" in second.private("U0MARTA")


@pytest.mark.parametrize("other", [ids.ACTION_APPROVE, ids.ACTION_DENY])
def test_of_two_who_click_at_once_one_wins_and_the_other_hears_who(home: Home, conn: Any, other: str) -> None:
    [pause_id] = rows.waiting(conn, approver="role:finance-approver")
    card = home.card()
    if other == ids.ACTION_DENY:
        home.office.press("U0INES", card, other)
        [form] = home.office.views("U0INES")
    at_once(
        lambda: home.office.press("U0MARTA", card, ids.ACTION_APPROVE),
        lambda: (
            home.office.act("submit", "U0INES", view_id=form["id"], values={})
            if other == ids.ACTION_DENY
            else home.office.press("U0INES", card, other)
        ),
    )
    pause = home.pause(pause_id)
    assert len(pause.votes) == 1
    assert (pause.status, pause.decided_by) in {("approved", "marta"), ("approved", "ines"), ("denied", "ines")}
    told = home.office.await_(lambda: _heard(home.office))
    assert f"Already {pause.status} by {pause.decided_by_name}" in told


def _heard(office: Office) -> str:
    """What the loser of two was told: privately, or in the form."""
    forms = " ".join(str(view["errors"]) for view in office.views("U0INES"))
    return " ".join([*office.private("U0MARTA"), *office.private("U0INES"), forms]).strip()


def test_a_delivery_that_comes_twice_decides_once(home: Home, pause_id: UUID) -> None:
    card = home.card()
    home.office.fault("click", "duplicate")
    home.office.press("U0MARTA", card, ids.ACTION_APPROVE)
    assert "Already approved by Marta Keller" in home.private("U0MARTA")
    assert len(home.pause(pause_id).votes) == 1


def test_who_asked_is_told_who_may_decide_and_until_when(home: Home, conn: Any, pause_id: UUID) -> None:
    home.office.press("U0PRIYA", home.card(), ids.ACTION_APPROVE)
    said = home.private("U0PRIYA")
    assert "You asked for this, so somebody else must decide: Marta Keller, until " in said
    assert home.pause(pause_id).status == "waiting"
    assert refused_attempts(conn, pause_id) == [("priya", "own")]


@pytest.mark.parametrize(
    ("user", "told"),
    [
        ("U0JONAS", "It is for Marta Keller to decide, until "),
        ("U0GUEST", "You belong to another workspace"),
    ],
)
def test_whoever_may_not_is_told_why_and_the_row_waits(home: Home, pause_id: UUID, user: str, told: str) -> None:
    home.office.press(user, home.card(), ids.ACTION_APPROVE)
    assert told in home.private(user)
    assert home.pause(pause_id).status == "waiting"


def test_who_cannot_be_checked_is_asked_to_try_again(home: Home, pause_id: UUID) -> None:
    card = home.card()
    home.office.fault("users.info", "slow", seconds=2)
    home.office.press("U0MARTA", card, ids.ACTION_APPROVE)
    assert "could not check with Slack who you are" in home.private("U0MARTA")
    assert home.pause(pause_id).status == "waiting"
    home.office.press("U0MARTA", card, ids.ACTION_APPROVE)
    assert home.pause(pause_id).status == "approved"


@pytest.mark.parametrize(
    ("also", "told_in"),
    [([], "D0MARTA"), (["conversations.open"], "C0BUY")],
    ids=["at once by DM", "when Slack allows"],
)
def test_while_slack_limits_us_a_click_has_its_answer_all_the_same(
    home: Home, conn: Any, pause_id: UUID, also: list[str], told_in: str
) -> None:
    card = home.card()
    home.calm()
    conn.execute("UPDATE identity SET checked_at = now() - interval '2 minutes'")
    methods = ["users.info", "chat.postEphemeral", *also]
    home.office.faults(*({"on": method, "kind": "rate_limited", "seconds": 1} for method in methods))
    home.office.press("U0MARTA", card, ids.ACTION_APPROVE)
    told = home.office.await_(lambda: [m for m in home.office.messages(told_in) if "could not check" in m["text"]])
    assert told[0]["text"].endswith("Please try again in a minute.")
    assert home.pause(pause_id).status == "waiting"


def test_who_cannot_be_told_is_in_the_log(
    home: Home, conn: Any, pause_id: UUID, caplog: pytest.LogCaptureFixture
) -> None:
    card = home.card()
    home.calm()
    home.office.faults(
        {"on": "chat.postEphemeral", "kind": "error", "error": "is_archived"},
        {"on": "conversations.open", "kind": "error", "error": "token_revoked"},
    )
    home.office.press("U0GUEST", card, ids.ACTION_APPROVE)
    home.house.close()  # nobody waits any longer
    assert "U0GUEST could not be told in C0BUY (token_revoked): You belong to another workspace" in caplog.text
    assert pauses.get(conn, pause_id).status == "waiting"


def test_a_click_after_the_hour_settles_it_and_tells_where_it_went(home: Home, conn: Any, pause_id: UUID) -> None:
    card = home.card()
    rows.make_due(conn, pause_id)
    home.office.press("U0MARTA", card, ids.ACTION_APPROVE)
    assert "Nobody answered in time, so it is with Otto Brandt now" in home.private("U0MARTA")
    assert (home.pause(pause_id).status, home.pause(pause_id).approver) == ("waiting", "person:otto")
    assert actions_of(home.card("D0OTTO"))[0] == ids.ACTION_APPROVE


def test_a_click_after_the_last_hour_is_told_that_it_expired(home: Home, conn: Any, pause_id: UUID) -> None:
    card = home.card()
    rows.make_due(conn, pause_id)
    home.house.sweeper.run()
    rows.make_due(conn, pause_id)
    home.office.press("U0MARTA", card, ids.ACTION_APPROVE)
    assert home.private("U0MARTA").startswith("Expired ")
    assert home.pause(pause_id).status == "expired"


# ------------------------------------------------------------------------------------------------------------------- deny


def denying(home: Home, user: str = "U0MARTA") -> Json:
    """The form that the Deny button opens."""
    assert home.office.press(user, home.card(), ids.ACTION_DENY) == {"ok": True}
    [view] = home.office.views(user)
    return view


def test_a_denial_is_decided_when_the_form_is_submitted_and_its_reason_is_kept(home: Home, pause_id: UUID) -> None:
    view = denying(home)
    assert home.pause(pause_id).status == "waiting"
    assert home.office.act("submit", "U0MARTA", view_id=view["id"], values=reason("Too dear.")) == {"ok": True}
    pause = home.pause(pause_id)
    assert (pause.status, pause.reason, pause.votes[0].surface) == ("denied", "Too dear.", "slack:form")
    assert home.office.views("U0MARTA") == []


def test_closing_the_form_decides_nothing(home: Home, pause_id: UUID) -> None:
    view = denying(home)
    assert home.office.act("close", "U0MARTA", view_id=view["id"]) == {"ok": True}
    assert home.pause(pause_id).status == "waiting"


def test_a_reason_need_not_be_given(home: Home, pause_id: UUID) -> None:
    view = denying(home)
    home.office.act("submit", "U0MARTA", view_id=view["id"], values={})
    assert (home.pause(pause_id).status, home.pause(pause_id).reason) == ("denied", None)


def test_a_form_that_is_delivered_twice_closes_and_decides_once(home: Home, pause_id: UUID) -> None:
    view = denying(home)
    home.office.fault("submit", "duplicate")
    assert home.office.act("submit", "U0MARTA", view_id=view["id"], values=reason("Too dear.")) == {"ok": True}
    assert (home.pause(pause_id).status, len(home.pause(pause_id).votes)) == ("denied", 1)
    assert home.office.views("U0MARTA") == []


def test_a_form_submitted_too_late_says_who_was_quicker(home: Home, conn: Any, pause_id: UUID) -> None:
    view = denying(home)
    pauses.approve(conn, pause_id, "marta", surface="tests")
    answer = home.office.act("submit", "U0MARTA", view_id=view["id"], values=reason("Too dear."))
    assert "Already approved by Marta Keller" in answer["errors"][ids.BLOCK_REASON]
    assert home.pause(pause_id).status == "approved"


def test_when_the_form_does_not_open_nothing_is_decided_and_the_person_clicks_again(home: Home, pause_id: UUID) -> None:
    card = home.card()
    home.office.fault("views.open", "error", error="expired_trigger_id")
    home.office.press("U0MARTA", card, ids.ACTION_DENY)
    assert home.private("U0MARTA") == NOT_OPENED
    assert home.pause(pause_id).status == "waiting"
    assert denying(home)["type"] == "modal"


def test_who_may_not_deny_is_told_before_writing_a_reason(home: Home, conn: Any, pause_id: UUID) -> None:
    home.office.press("U0PRIYA", home.card(), ids.ACTION_DENY)
    assert "somebody else must decide: Marta Keller" in home.private("U0PRIYA")
    assert home.office.views("U0PRIYA") == []
    pauses.deny(conn, pause_id, "marta", surface="tests")
    home.office.press("U0MARTA", home.card(), ids.ACTION_DENY)
    assert "Already denied by Marta Keller" in home.private("U0MARTA")


# --------------------------------------------------------------------------------------------------- details and withdraw


def test_details_show_everything_and_can_be_decided_from(home: Home, pause_id: UUID) -> None:
    home.office.press("U0MARTA", home.card(), ids.ACTION_DETAILS)
    [view] = home.office.views("U0MARTA")
    assert str(pause_id) in text_of(view)
    clicked = home.office.act(
        "click", "U0MARTA", view_id=view["id"], action_id=ids.ACTION_APPROVE, block_id=_block(view, ids.ACTION_APPROVE)
    )
    assert clicked == {"ok": True}
    assert home.pause(pause_id).votes[0].surface == "slack:details"
    home.office.await_(lambda: "Approved by Marta Keller" in text_of(home.office.views("U0MARTA")))


def test_a_denial_from_details_stands_on_top_and_closes_both(home: Home, pause_id: UUID) -> None:
    home.office.press("U0MARTA", home.card(), ids.ACTION_DETAILS)
    [view] = home.office.views("U0MARTA")
    home.office.act(
        "click", "U0MARTA", view_id=view["id"], action_id=ids.ACTION_DENY, block_id=_block(view, ids.ACTION_DENY)
    )
    _details, form = home.office.views("U0MARTA")
    assert home.office.act("submit", "U0MARTA", view_id=form["id"], values={}) == {"ok": True}
    assert home.office.views("U0MARTA") == []
    assert home.pause(pause_id).status == "denied"


def _block(view: Json, action: str) -> str:
    return next(
        str(b["block_id"]) for b in view["blocks"] for e in b.get("elements", ()) if e.get("action_id") == action
    )


def test_the_requester_withdraws_from_their_own_card(home: Home, pause_id: UUID) -> None:
    card = home.card("D0PRIYA")
    assert home.office.press("U0PRIYA", card, ids.ACTION_WITHDRAW) == {"ok": True}
    assert (home.pause(pause_id).status, home.pause(pause_id).decided_by) == ("cancelled", "priya")
    home.office.await_(lambda: any("Withdrawn by Priya Nair" in text_of(m) for m in home.office.messages("C0BUY")))


# ---------------------------------------------------------------------------------------------------------------- the odd


@pytest.mark.parametrize(
    ("action_id", "value", "told"),
    [
        ("placet:of_tomorrow", "x", "Placet does not know this button"),
        ("somebody_elses", "x", "Placet does not know this button"),
        (ids.ACTION_APPROVE, "tampered", "Placet knows no request for this card"),
        (
            ids.ACTION_APPROVE,
            ids.encode(ids.Button("test", UUID(int=7), "0" * 8)),
            "Placet knows no request for this card",
        ),
        (
            ids.ACTION_DENY,
            ids.encode(ids.Button("test", UUID(int=7), "0" * 8)),
            "Placet knows no request for this card",
        ),
        (ids.ACTION_APPROVE, ids.encode(ids.Button("staging", UUID(int=7), "0" * 8)), "belongs to “staging”"),
    ],
)
def test_no_click_is_without_an_answer(
    home: Home, caplog: pytest.LogCaptureFixture, action_id: str, value: str, told: str
) -> None:
    assert send(home, action_id, value) == {"ok": True}
    assert told in home.private("U0MARTA", "C0OPS")
    is_alarm = any("does not know" in record.getMessage() for record in caplog.records)
    assert is_alarm == (told == "Placet does not know this button")


def test_a_card_that_shows_another_content_decides_nothing(home: Home, pause_id: UUID) -> None:
    send(home, ids.ACTION_APPROVE, ids.encode(ids.Button("test", pause_id, "0" * 8)))
    assert "does not show" in home.private("U0MARTA", "C0OPS")
    assert home.pause(pause_id).status == "waiting"


def test_a_card_whose_post_was_never_confirmed_is_found_again_by_its_click(
    office: Office, db_url: str, conn: Any, pause_id: UUID
) -> None:
    lost = {"on": "chat.postMessage", "kind": "drop", "times": 2}
    down = {
        "on": "chat.postMessage",
        "kind": "status",
        "status": 500,
        "times": 1000,
    }  # however late the click: no second copy
    office.faults(lost, down)
    with living(office, settings(office, db_url)) as home:
        card = home.card()
        office.press("U0MARTA", card, ids.ACTION_APPROVE)
        assert home.pause(pause_id).status == "approved"
        office.await_(lambda: "Approved by Marta Keller" in text_of(home._cards("C0BUY")[0]))
        [shown] = [c for c in cards.of_pause(conn, pause_id) if c.kind == "approver"]
        assert shown.ts == card["ts"]
        assert len(office.messages("C0BUY")) == 1


def test_in_an_organisation_the_team_may_be_missing(office: Office, db_url: str, conn: Any, pause_id: UUID) -> None:
    conn.execute("UPDATE identity SET team = 'E0ACME'")
    with living(office, settings(office, db_url, slack_team="E0ACME")) as home:
        body = _click(pause_id, home.pause(pause_id).digest)
        assert _signed(home, body).status_code == 200
        assert home.pause(pause_id).decided_by == "marta"


def _click(pause_id: UUID, digest: str) -> Json:
    value = ids.encode(ids.Button("test", pause_id, digest[: ids.SHOWN]))
    return {
        "type": "block_actions",
        "user": {"id": "U0MARTA", "team_id": "E0ACME"},
        "team": None,
        "enterprise": {"id": "E0ACME", "name": "Acme"},
        "is_enterprise_install": True,
        "trigger_id": "1.2",
        "container": {"type": "message", "message_ts": "1.2", "channel_id": "C0BUY"},
        "channel": {"id": "C0BUY"},
        "actions": [{"action_id": ids.ACTION_APPROVE, "block_id": "b", "value": value, "type": "button"}],
    }


def _signed(home: Home, body: Json) -> Any:
    import time
    from urllib.parse import urlencode

    from bot.sandbox.app_link import signature
    from tests.bot.office import SECRET

    raw, stamp = urlencode({"payload": json.dumps(body)}).encode(), str(int(time.time()))
    headers = {
        "Content-Type": "application/x-www-form-urlencoded",
        "X-Slack-Request-Timestamp": stamp,
        "X-Slack-Signature": signature(SECRET, stamp, raw),
    }
    return home.http.post("/slack/events", content=raw, headers=headers)


# ----------------------------------------------------------------------------------------------------------- the database


def test_a_database_that_only_reads_is_told_as_not_recorded(home: Home, conn: Any, pause_id: UUID) -> None:
    card = home.card()
    home.office.press("U0JONAS", card, ids.ACTION_APPROVE)  # the pool's connections are in use already
    conn.execute("ALTER DATABASE placet SET default_transaction_read_only = on")
    try:
        _close_all_others(conn)
        home.office.press("U0MARTA", card, ids.ACTION_APPROVE)
        home.office.press("U0MARTA", card, ids.ACTION_APPROVE)
        assert "This was not recorded" in home.office.await_(lambda: " ".join(home.office.private("U0MARTA")))
    finally:
        conn.execute("SET default_transaction_read_only = off")
        conn.execute("ALTER DATABASE placet RESET default_transaction_read_only")
    assert home.pause(pause_id).status == "waiting"


def _close_all_others(conn: Any) -> None:
    conn.execute(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
    )


def test_a_slow_database_never_leaves_a_click_without_an_answer_in_time(home: Home, conn: Any, pause_id: UUID) -> None:
    card = home.card()
    people.checked(conn, "T0ACME", "U0MARTA", None)
    with conn.transaction():
        conn.execute("SELECT FROM run FOR UPDATE")  # somebody sits on the run
        assert home.office.press("U0MARTA", card, ids.ACTION_APPROVE) == {"ok": True}
    said = home.private("U0MARTA")
    assert "not recorded" in said or "could not confirm" in said
    assert home.pause(pause_id).status in ("waiting", "approved")


# --------------------------------------------------------------------------------------------------------------- Home tab


def test_the_home_tab_shows_what_waits_and_follows_a_decision_made_in_it(home: Home, pause_id: UUID) -> None:
    home.office.act("home", "U0MARTA")
    view = home.office.await_(lambda: home.office.home("U0MARTA"))
    assert ids.ACTION_APPROVE in actions_of(view)
    home.office.act(
        "click", "U0MARTA", view_id=view["id"], action_id=ids.ACTION_APPROVE, block_id=_block(view, ids.ACTION_APPROVE)
    )
    assert home.pause(pause_id).votes[0].surface == "slack:home"
    home.office.await_(lambda: ids.ACTION_APPROVE not in actions_of(home.office.home("U0MARTA") or {}))


def test_a_stranger_to_people_toml_is_told_so_on_the_home_tab(home: Home, conn: Any) -> None:
    conn.execute("DELETE FROM identity WHERE slack_user = 'U0JONAS'")
    home.office.act("home", "U0JONAS")
    view = home.office.await_(lambda: home.office.home("U0JONAS"))
    assert "Placet does not know who you are" in text_of(view)


def test_the_home_tab_says_first_that_all_actions_are_stopped(home: Home, conn: Any, pause_id: UUID) -> None:
    halts.halt(conn, actor="otto", surface="tests", reason="Odd payments.")
    home.office.act("home", "U0MARTA")
    view = home.office.await_(lambda: home.office.home("U0MARTA"))
    assert text_of(view["blocks"][0]).startswith("Otto Brandt has stopped all actions since ")
    assert ids.screen_id("pause", pause_id) in text_of(view)
