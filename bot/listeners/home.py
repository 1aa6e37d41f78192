"""The Home tab: what waits for a person, what became of it, and who answers for whom; shown when they open it, and anew after they did something there."""

import logging
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from slack_bolt import Ack, App

from bot.cards import doubts, lists, parts
from bot.cards import home as tab
from bot.cards.home import Page, StandsIn
from bot.delivery.answers import Answered
from bot.delivery.who import Turned
from bot.listeners import away
from bot.listeners.desk import Desk
from engine.models import Actor
from engine.rules.people import People
from engine.state import db, halts, ledger, pauses, people

log = logging.getLogger(__name__)
Json = dict[str, Any]

CHANGED: Final = "That absence is not as it was shown any more, and nothing was changed. The tab shows it as it is now."


def register(app: App, desk: Desk) -> None:
    """Listen to the opening of the Home tab; nobody waits for the answer, so the work is done after it."""

    def opened(ack: Ack, body: Json, event: Json) -> None:
        ack()
        if event.get("tab", "home") == "home":
            desk.afterwards(lambda: _show(desk, body, event["user"]))

    app.event("app_home_opened")(opened)


def publish(desk: Desk, actor: Actor, user: str, page: Page | None = None) -> None:
    """Show a person their Home tab as it is now; `page` None: its beginning."""
    with desk.courier.pool.connection() as conn:
        found = _looked(conn, actor, page or Page())
    _publish(desk, user, tab.home_view(found, me=actor, env=desk.courier.env))


def click(desk: Desk, body: Json, verb: str, value: str) -> str | None:
    """Do what a button of the tab itself says; the sentence for who clicked it, None if they see what came of it."""
    known = desk.who(body)
    return (
        known.sentence if isinstance(known, Turned) else VERBS[verb](desk, known.actor, str(body["user"]["id"]), value)
    )


def _looked(conn: db.Conn, actor: Actor, page: Page) -> tab.Desk:
    mine = pauses.waiting(conn, person=actor.id, limit=lists.PAGE, offset=page.waiting)
    asked = pauses.waiting(conn, asked_by=actor.id, limit=lists.PAGE, offset=page.asked)
    everybody, since = people.everybody(conn), datetime.now(UTC) - timedelta(days=tab.SETTLED_DAYS)
    settled = pauses.settled_of(conn, actor.id, since=since, limit=tab.SETTLED)
    return tab.Desk(
        mine=mine,
        asked=asked,
        page=page,
        contents=pauses.contents(conn, [*mine, *asked]),
        settled=[pauses.get(conn, pause_id) for pause_id in settled],
        away=[one for absent, one in _absences(everybody) if absent == actor.id],
        answers=[one for absent, one in _absences(everybody, actor.id) if absent != actor.id],
        doubted=[one for one in ledger.in_doubt(conn) if doubts.is_for(one, actor.id, actor.roles)],
        halt=halts.standing(conn),
    )


def _absences(everybody: People, delegate: str | None = None) -> list[tuple[str, StandsIn]]:
    """Absences that are not over, the soonest first, each with the id of who is away; of anybody, or those in which this delegate answers."""
    found = [
        (
            one.id,
            StandsIn(
                absent=one.name,
                delegate=_name(everybody, gone.delegate),
                starts_at=gone.starts_at,
                ends_at=gone.ends_at,
            ),
        )
        for one in everybody
        for gone in one.absences
        if one.active and gone.ends_at > datetime.now(UTC) and delegate in (None, gone.delegate)
    ]
    return sorted(found, key=lambda pair: pair[1].starts_at)


def _name(everybody: People, person: str) -> str:
    found = everybody.get(person)
    return found.name if found else person


def _turn(desk: Desk, actor: Actor, user: str, value: str) -> None:
    """Another page."""
    desk.afterwards(lambda: publish(desk, actor, user, Page.read(value)))


def _back(desk: Desk, actor: Actor, user: str, value: str) -> str:
    """The absence that was shown first ends, or is taken back."""
    with desk.courier.pool.connection() as conn:
        mine = [one for absent, one in _absences(people.everybody(conn)) if absent == actor.id]
    shown = bool(mine) and mine[0].starts_at.isoformat() == value
    said = away.ended(desk, actor, "slack:home") if shown else CHANGED
    desk.afterwards(lambda: publish(desk, actor, user))
    return said


VERBS: Final[Mapping[str, Callable[[Desk, Actor, str, str], str | None]]] = {
    "before": _turn,
    "more": _turn,
    "back": _back,
}
"""What the buttons of the tab itself do; those of a request on it are the same everywhere."""


def _show(desk: Desk, body: Json, user: str) -> None:
    known = desk.who(body)
    if isinstance(known, Turned):
        _publish(desk, user, {"type": "home", "blocks": parts.paragraph(known.sentence)})
    else:
        publish(desk, known.actor, user)


def _publish(desk: Desk, user: str, view: Json) -> None:
    outcome = desk.courier.slack.publish(user, view)
    if not isinstance(outcome, Answered):
        log.warning("the Home tab of %s was not shown: %s", user, outcome.error)
