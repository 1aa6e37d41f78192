"""Slack delivers over a socket that we open: all that people do comes, a socket that dies or is replaced loses nothing, and who is deaf says so."""

import asyncio
import logging
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from bot.cards import ids
from bot.delivery.answers import Refused
from bot.delivery.web import Slack
from bot.http import socket_mode
from bot.main import assemble
from engine.errors import Misconfigured
from tests import rows
from tests.bot.house import Home, living, settings
from tests.bot.office import APP_TOKEN, Office, text_of
from tests.chaos.relay import HOST, relay

OVER_SOCKETS = {"slack_app_token": APP_TOKEN, "slack_signing_secret": None}


@contextmanager
def over_sockets(office: Office, db_url: str) -> Iterator[Home]:
    """The whole bot, which takes what people do over a socket."""
    with living(office, settings(office, db_url, **OVER_SOCKETS)) as home:
        office.deliver_over_sockets()
        heard(home)
        yield home


@pytest.fixture
def home(office: Office, db_url: str) -> Iterator[Home]:
    with over_sockets(office, db_url) as running:
        yield running


def ready(home: Home) -> str | None:
    return home.http.get("/readyz").json()["why_not"]  # type: ignore[no-any-return]


def heard(home: Home) -> None:
    """Until its socket stands."""
    home.office.await_(lambda: ready(home) is None)


def test_a_click_a_form_a_command_and_a_visit_come_over_the_socket(home: Home, conn: Any) -> None:
    approved, denied = (rows.waiting(conn)[0] for _ in range(2))
    home.calm()
    cards = {m["metadata"]["event_payload"]["pause_id"]: m for m in home.office.messages("C0BUY")}
    assert home.office.press("U0MARTA", cards[str(approved)], ids.ACTION_APPROVE) == {"ok": True}
    assert home.pause(approved).decided_by == "marta"
    home.office.press("U0MARTA", cards[str(denied)], ids.ACTION_DENY)
    form = home.office.views("U0MARTA")[-1]["id"]
    reason = {ids.BLOCK_REASON: {ids.ACTION_REASON: {"type": "plain_text_input", "value": "Too dear."}}}
    assert home.office.act("submit", "U0MARTA", view_id=form, values=reason) == {"ok": True}
    assert home.pause(denied).reason == "Too dear."
    assert "Nothing waits." in text_of(home.office.command("U0MARTA"))
    home.office.act("home", "U0MARTA")
    assert home.office.await_(lambda: home.office.home("U0MARTA"))


def test_what_a_form_is_told_comes_back_over_the_socket(home: Home, conn: Any) -> None:
    [pause_id] = rows.waiting(conn)
    card = home.card()
    home.office.press("U0MARTA", card, ids.ACTION_DENY)
    form = home.office.views("U0MARTA")[-1]["id"]
    home.office.press("U0MARTA", card, ids.ACTION_APPROVE)
    late = home.office.act(
        "submit",
        "U0MARTA",
        view_id=form,
        values={ids.BLOCK_REASON: {ids.ACTION_REASON: {"type": "plain_text_input", "value": "No."}}},
    )
    assert "approved" in str(late).lower()
    assert home.pause(pause_id).status == "approved"


@pytest.mark.parametrize("reason", ["warning", "refresh_requested"])
def test_a_socket_that_slack_wants_replaced_is_left_when_another_stands(home: Home, conn: Any, reason: str) -> None:
    [pause_id] = rows.waiting(conn)
    card, sockets = home.card(), home.office.workspace.state.sockets
    on_its_loop(home.office, sockets.disconnect(reason))
    home.office.await_(lambda: sockets.open == 2)
    assert ready(home) is None
    for _ in range(2):  # each of the two takes one
        assert home.office.press("U0MARTA", card, ids.ACTION_APPROVE) == {"ok": True}
    assert home.pause(pause_id).decided_by == "marta"


def test_a_socket_over_which_nothing_comes_any_more_is_noticed_and_replaced(
    office: Office, db_url: str, conn: Any, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """L5: the line is cut without a word; meanwhile it is not ready, and says so; what is due moves; a click after it decides."""
    monkeypatch.setattr(socket_mode, "SIGN_OF_LIFE_S", 0.3)
    monkeypatch.setattr(socket_mode, "WAITS_S", (0.5,))
    port = int(office.url.rpartition(":")[2])
    with relay(port) as line:
        office.workspace.state.sockets.address = f"ws://{HOST}:{line.port}"
        with over_sockets(office, db_url) as home:
            [pause_id] = rows.waiting(conn)
            card = home.card()
            line.fall_silent()
            line.lead_to()
            why = home.office.await_(lambda: ready(home))
            assert why.startswith("Slack's deliveries do not come here")
            rows.make_due(conn, rows.waiting(conn)[0])
            assert home.house.settle() == 1
            line.lead_to(port)
            heard(home)
            assert home.office.await_(lambda: home.office.press("U0MARTA", card, ids.ACTION_APPROVE).get("ok"))
            assert home.pause(pause_id).decided_by == "marta"
    assert any("there is no socket" in record.message for record in caplog.records)


def test_a_slack_that_gives_no_address_for_a_while_is_asked_again(
    office: Office, db_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(socket_mode, "WAITS_S", (0.01,))
    office.fault("apps.connections.open", "status", times=3)
    with over_sockets(office, db_url):
        assert len(office.calls("apps.connections.open")) == 4


def test_a_token_that_slack_does_not_take_is_said_at_the_start(office: Office, db_url: str) -> None:
    house = assemble(settings(office, db_url, **OVER_SOCKETS | {"slack_app_token": "xapp-of-somebody-else"}))
    try:
        with pytest.raises(
            Misconfigured, match=r"Slack does not take SLACK_APP_TOKEN \(invalid_auth\). Set it to an app-level token"
        ):
            house.start(frozenset({"web"}))
    finally:
        house.close()


def test_another_socket_of_the_same_app_is_said(
    home: Home, db_url: str, conn: Any, caplog: pytest.LogCaptureFixture
) -> None:
    [pause_id] = rows.waiting(conn)
    card = home.card()
    with caplog.at_level(logging.WARNING), over_sockets(home.office, db_url) as second:
        assert any("Slack counts 2 of this app" in record.message for record in caplog.records)
        for _ in range(2):
            assert home.office.press("U0MARTA", card, ids.ACTION_APPROVE) == {"ok": True}
        assert second.pause(pause_id).decided_by == "marta"


def test_with_a_socket_nothing_is_taken_over_http(home: Home) -> None:
    assert home.http.post("/slack/events", content=b"payload={}").status_code == 404


def test_the_app_token_opens_sockets_and_does_nothing_else(office: Office) -> None:
    of_the_app, of_the_bot = Slack(APP_TOKEN, f"{office.url}/slack/api/"), office.slack
    assert str(of_the_app.connections_open()).startswith("ws://")
    assert of_the_app.auth_test() == Refused(error="not_allowed_token_type", permanent=False)
    assert of_the_bot.connections_open() == Refused(error="not_allowed_token_type", permanent=False)


def on_its_loop(office: Office, work: Any) -> None:
    """Have the workspace do this on its own event loop."""
    asyncio.run_coroutine_threadsafe(work, office.workspace.state.sockets.loop).result(10)
