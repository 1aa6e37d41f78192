"""A request that lapsed is asked again, by its requester's click: one statement, which looks whether they may, and launches a run that does."""

import logging

from bot.cards import again as phrases
from bot.cards import ids
from bot.listeners import decisions
from bot.listeners.decisions import Click
from bot.listeners.desk import Desk
from engine.state import again

log = logging.getLogger(__name__)


def ask(desk: Desk, click: Click) -> str:
    """Have it asked again; the sentence for the clicker, whatever came of it. Raises NotFound."""
    pause_id = click.button.about
    with desk.courier.pool.connection() as conn:
        outcome = again.ask(conn, pause_id, click.actor.id, surface=f"slack:{click.place.surface}")
    log.info("%s: asked again by %s: %s", ids.screen_id("pause", pause_id), click.actor.id, outcome)
    desk.kick()
    desk.afterwards(lambda: decisions.adopt(desk, pause_id, click.place))
    return phrases.said(outcome)
