"""The Home tab: what waits for a person, and what was asked for them; shown when they open it, and anew after they decided there."""

import logging
from typing import Any

from slack_bolt import Ack, App

from bot.cards import doubts, lists, parts
from bot.delivery.web import Answered
from bot.delivery.who import Turned
from bot.listeners.desk import Desk
from engine.models import Actor
from engine.state import halts, ledger, pauses

log = logging.getLogger(__name__)
Json = dict[str, Any]


def register(app: App, desk: Desk) -> None:
    """Listen to the opening of the Home tab; nobody waits for the answer, so the work is done after it."""

    def opened(ack: Ack, body: Json, event: Json) -> None:
        ack()
        if event.get("tab", "home") == "home":
            desk.afterwards(lambda: _show(desk, body, event["user"]))

    app.event("app_home_opened")(opened)


def publish(desk: Desk, actor: Actor, user: str) -> None:
    """Show a person their Home tab as it is now."""
    with desk.courier.pool.connection() as conn:
        mine = pauses.waiting(conn, person=actor.id, limit=lists.PAGE)
        asked = pauses.waiting(conn, asked_by=actor.id, limit=lists.PAGE)
        contents = pauses.contents(conn, [*mine, *asked])
        doubted = [one for one in ledger.in_doubt(conn) if doubts.is_for(one, actor.id, actor.roles)]
        halt = halts.standing(conn)
    _publish(
        desk, user, lists.home_view(mine, asked, contents, me=actor, env=desk.courier.env, doubted=doubted, halt=halt)
    )


def _show(desk: Desk, body: Json, user: str) -> None:
    person = desk.who(body)
    if isinstance(person, Turned):
        _publish(desk, user, {"type": "home", "blocks": parts.paragraph(person.sentence)})
    else:
        publish(desk, person.actor, user)


def _publish(desk: Desk, user: str, view: Json) -> None:
    outcome = desk.courier.slack.publish(user, view)
    if not isinstance(outcome, Answered):
        log.warning("the Home tab of %s was not shown: %s", user, outcome.error)
