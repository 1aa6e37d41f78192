"""A request that lapsed is asked again, by its requester's click: one statement, which looks whether they may, and launches a run that does."""

import logging

from bot.cards import ids
from bot.delivery import outgoing
from bot.listeners import decisions
from bot.listeners.decisions import Click
from bot.listeners.desk import Desk
from engine.models import AskedAgain
from engine.state import again

log = logging.getLogger(__name__)


def ask(desk: Desk, click: Click) -> None:
    """Have it asked again. What came of it is said in private, unless the card that was clicked shows it by itself. Raises NotFound."""
    pause_id, place = click.button.about, click.place
    with desk.courier.pool.connection() as conn:
        outcome = again.ask(conn, pause_id, click.actor.id, surface=f"slack:{place.surface}")
        shown = isinstance(outcome, AskedAgain) and outcome.new and place.surface == "card"
        if not shown:
            outgoing.told_again(conn, outcome, channel=place.channel, user=place.user)
    log.info("%s: asked again by %s: %s", ids.screen_id("pause", pause_id), click.actor.id, outcome)
    desk.kick()
    desk.afterwards(lambda: decisions.adopt(desk, pause_id, place))
