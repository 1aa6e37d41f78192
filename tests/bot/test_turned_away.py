"""Whoever may decide nothing at all is told so in private, and that they tried is on the request's record, which still holds."""

from collections.abc import Callable
from typing import Any
from uuid import UUID

import pytest

from bot.cards import ids
from engine.errors import NotFound
from engine.state import db, events, pauses
from tests import rows
from tests.bot.house import Home
from tests.bot.office import Json
from tests.bot.test_listeners import reason, refused_attempts

Case = tuple[Callable[[Any, Home], None], str, str]
GUEST = "T0OTHER:U0GUEST"


@pytest.fixture
def pause_id(conn: Any) -> UUID:
    [asked] = rows.waiting(conn)
    return asked


def unknown(conn: Any, _home: Home) -> None:
    conn.execute("DELETE FROM identity WHERE slack_user = 'U0MARTA'")


def changed(**change: Any) -> Callable[[Any, Home], None]:
    """Slack's word on Marta is this from now on."""
    return lambda _conn, home: home.office.change(user="U0MARTA", set=change)


def silent(_conn: Any, home: Home) -> None:
    home.office.fault("users.info", "status")


@pytest.mark.parametrize(
    "case",
    [
        (changed(is_restricted=True), "guest", "You are a guest in this workspace"),
        (changed(is_ultra_restricted=True), "guest", "You are a guest in this workspace"),
        (unknown, "unknown", "Placet does not know who you are"),
        (silent, "unchecked", "could not check with Slack who you are"),
    ],
    ids=["guest", "guest of one channel", "unknown", "unchecked"],
)
@pytest.mark.parametrize("tried", [(ids.ACTION_APPROVE, "approve"), (ids.ACTION_DENY, "deny")])
def test_who_is_no_member_any_more_is_told_and_is_on_record(
    home: Home, conn: Any, pause_id: UUID, case: Case, tried: tuple[str, str]
) -> None:
    (becomes, why, told), (action, event) = case, tried
    card = home.card()
    home.calm()
    becomes(conn, home)
    assert home.office.press("U0MARTA", card, action) == {"ok": True}
    assert told in home.private("U0MARTA")
    assert home.pause(pause_id).status == "waiting"
    assert home.office.views("U0MARTA") == []
    [one] = [e for e in events.of_run(conn, home.pause(pause_id).run_id) if e.to_status is None]
    assert (one.event, one.actor, one.surface, one.detail) == (event, "T0ACME:U0MARTA", "slack:card", why)
    assert isinstance(events.verify(conn, home.pause(pause_id).run_id), events.Verified)


def test_an_outsider_in_a_shared_channel_is_on_record_under_their_own_workspace(
    home: Home, conn: Any, pause_id: UUID
) -> None:
    home.office.press("U0GUEST", home.card(), ids.ACTION_APPROVE)
    assert "You belong to another workspace" in home.private("U0GUEST")
    assert refused_attempts(conn, pause_id) == [(GUEST, "stranger")]


def test_who_left_between_the_form_and_its_submission_decides_nothing_and_is_on_record(
    home: Home, conn: Any, pause_id: UUID
) -> None:
    home.office.press("U0MARTA", home.card(), ids.ACTION_DENY)
    [view] = home.office.views("U0MARTA")
    conn.execute("UPDATE identity SET checked_at = checked_at - interval '61 s'")
    home.office.change(user="U0MARTA", set={"is_restricted": True})
    answer = home.office.act("submit", "U0MARTA", view_id=view["id"], values=reason("Too dear."))
    assert "You are a guest" in answer["errors"][ids.BLOCK_REASON]
    assert home.pause(pause_id).status == "waiting"
    assert refused_attempts(conn, pause_id) == [("T0ACME:U0MARTA", "guest")]


@pytest.mark.parametrize(("person", "why"), [("jonas", "not_yours"), ("priya", "own")])
def test_a_form_that_is_not_opened_is_on_record_as_the_refusal_it_stands_for(
    home: Home, conn: Any, pause_id: UUID, person: str, why: str
) -> None:
    user = f"U0{person.upper()}"
    home.office.press(user, home.card(), ids.ACTION_DENY)
    assert home.private(user)
    assert home.office.views(user) == []
    assert refused_attempts(conn, pause_id) == [(person, why)]


def test_who_may_not_say_what_became_of_an_action_is_on_record(home: Home, conn: Any) -> None:
    claim, _, begun = rows.doubted(conn)
    card: Json = home.card("D0MARTA")
    rows.take_role(conn, "marta", "finance-approver")
    home.office.press("U0MARTA", card, ids.ACTION_HAPPENED)
    home.office.change(user="U0MARTA", set={"is_restricted": True})
    conn.execute("UPDATE identity SET checked_at = checked_at - interval '61 s'")
    home.office.press("U0MARTA", card, ids.ACTION_RETRY)
    tried = [(e.entity, e.event, e.actor, e.detail) for e in events.of_run(conn, claim.id) if e.to_status is None]
    assert tried == [("effect", "resolve", "marta", "not_yours"), ("effect", "retry", "T0ACME:U0MARTA", "guest")]
    assert all(e.entity_id == str(begun.effect_id) for e in events.of_run(conn, claim.id) if e.to_status is None)


def test_of_a_request_that_there_is_not_there_is_no_record(conn: Any, pause_id: UUID) -> None:
    before = len(events.of_run(conn, pauses.get(conn, pause_id).run_id))
    with pytest.raises(NotFound):
        events.turned_away(conn, db.new_id(), "approve", actor=GUEST, surface="tests", why="stranger")
    assert len(events.of_run(conn, pauses.get(conn, pause_id).run_id)) == before
