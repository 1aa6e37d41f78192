"""A decision taken in Slack: one statement, a second look where its time had run out, and then everything that follows from it.

The row decides, and what it answers is true for winner and loser alike. What people then see comes from the cards that the move marked,
and from a private answer for whoever would otherwise not learn what came of it.
"""

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal
from uuid import UUID

from bot.cards import ids, phrases
from bot.delivery import outgoing, repaint
from bot.listeners.desk import Desk
from bot.listeners.places import Place
from engine.models import Actor, Decided, Outcome, Voted
from engine.state import cards, pauses

log = logging.getLogger(__name__)

Verb = Literal["approve", "deny", "answer", "withdraw"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Click:
    """Something pressed on a request of ours, by a person who is known."""

    button: ids.Button
    actor: Actor
    place: Place
    trigger_id: str


def ours(desk: Desk, button: ids.Button | None) -> ids.Button | str:
    """The button, if it could be read and belongs to this environment; else the sentence for who pressed it."""
    if button is None:
        return phrases.UNKNOWN_CARD
    return button if button.env == desk.courier.env else phrases.other_environment(button.env, desk.courier.env)


def decide(desk: Desk, click: Click, verb: Verb, *, reason: str = "", confirm: str = "") -> Outcome:
    """What came of it; `reason` is the answer, where one is given. A pause whose time is up is settled first, as a sweep would, and then looked at once more. Raises NotFound."""
    outcome = _tried(desk, click, verb, reason, confirm)
    if outcome.now.status == "waiting" and outcome.now.fire_at <= outcome.now.at:
        desk.sweeper.settle_one(click.button.about)
        outcome = _tried(desk, click, verb, reason, confirm)
    name = ids.screen_id("pause", click.button.about)
    log.info("%s: %s by %s in slack:%s: %s", name, verb, click.actor.id, click.place.surface, type(outcome).__name__)
    desk.kick()
    return outcome


def _tried(desk: Desk, click: Click, verb: Verb, reason: str, confirm: str) -> Outcome:
    pause_id, shown, actor = click.button.about, click.button.shown, click.actor.id
    surface = f"slack:{click.place.surface}"
    with desk.courier.pool.connection() as conn:
        match verb:
            case "approve":
                return pauses.approve(
                    conn, pause_id, actor, surface=surface, shown=shown, reason=reason, confirm=confirm
                )
            case "deny":
                return pauses.deny(conn, pause_id, actor, surface=surface, shown=shown, reason=reason)
            case "answer":
                return pauses.answer(conn, pause_id, actor, reason, surface=surface, shown=shown)
            case "withdraw":
                return pauses.withdraw(conn, pause_id, actor, surface=surface, reason=reason)


def answer(desk: Desk, outcome: Outcome, verb: Verb, place: Place) -> None:
    """Have the person told in private, unless what they clicked shows it by itself."""
    if isinstance(outcome, Decided | Voted) and place.surface != "list":
        return
    with desk.courier.pool.connection() as conn:
        outgoing.answer_later(conn, outcome, tried=verb, channel=place.channel, user=place.user)
    desk.kick()


def adopt(desk: Desk, pause_id: UUID, place: Place) -> None:
    """Make a card that was clicked ours if its post's answer was lost or it was given up; paint it once if another copy took its place since."""
    if place.surface != "card" or place.ts is None:
        return
    with desk.courier.pool.connection() as conn:
        shown = cards.of_pause(conn, pause_id)
        level = pauses.get(conn, pause_id).level if place.level is None else place.level
        theirs = [c for c in shown if c.kind == place.kind and c.level == level]
        card = card_of(shown, theirs, place)
        if card and card.ts and card.state == "live":
            return
        adopted = card is not None and cards.adopt(conn, card.id, channel=place.channel, ts=place.ts)
    if adopted:
        log.info("a card of %s was found again by a click", ids.screen_id("pause", pause_id))
        desk.kick()
    else:
        repaint.paint_copy(desk.courier, pause_id, kind=place.kind, level=level, channel=place.channel, ts=place.ts)


def card_of(shown: Sequence[cards.Shown], lost_among: Sequence[cards.Shown], place: Place) -> cards.Shown | None:
    """The card whose message this is, or else one that has none and may have lost it here; None if there is neither."""
    known = [c for c in shown if (c.channel, c.ts) == (place.channel, place.ts)]
    return next(iter(known or [c for c in lost_among if c.ts is None and may_be(c.dest, place)]), None)


def may_be(dest: str, place: Place) -> bool:
    """Whether a card for this destination may stand in this place; whose direct conversation a D... is, its id does not say."""
    kind, _, name = dest.partition(":")
    return name == place.channel if kind == "channel" else place.channel.startswith("D")
