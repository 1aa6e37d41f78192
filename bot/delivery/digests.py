"""Makes every digest show its requests as they are: one message for several cards, painted together under one claim.

Each card is a row of its own, and says whether its request is shown as it is. A message is posted once, with what is due at its hour; what it
shows then stays in it, and each edit paints all of it. What comes alone has no list: it is a card like any other.
"""

import logging
from collections.abc import Sequence
from dataclasses import replace

from bot.cards import digests, ids, parts
from bot.cards.parts import Message
from bot.delivery import repaint
from bot.delivery.answers import TOO_LONG, Failure, Refused, Sent
from bot.delivery.courier import LEASE_S, Courier, may_stand
from engine.models import Card, Digest, Pause
from engine.state import cards, db, outage, pauses

log = logging.getLogger(__name__)

Shown = tuple[Card, Pause]


def paint_due(courier: Courier, *, limit: int = 100) -> int:
    """Paint up to `limit` messages that do not show their requests as they are; how many were claimed."""
    for done in range(limit):
        with courier.pool.connection() as conn:
            digest = cards.claim_digest(conn, lease_s=LEASE_S, **repaint.free(courier))
        if digest is None:
            return done
        _paint(courier, digest)
        with courier.pool.connection() as conn:
            cards.let_go(conn, digest)
    return limit


def paint_copy(courier: Courier, listed: ids.Listed, *, channel: str, ts: str) -> None:
    """Paint once a copy that no card knows: its post's answer was lost, and another copy was posted since."""
    with courier.pool.connection() as conn:
        lines = [
            (pauses.get(conn, pause_id), card.level)
            for pause_id in listed.pause_ids
            for card in cards.of_pause(conn, pause_id)
            if (card.kind, card.level, card.dest) == ("approver", 0, listed.dest)  # a digest shows what is asked first
        ]
    message = digests.digest(lines, dest=listed.dest, digest_at=listed.digest_at, more=False, env=courier.env)
    outcome = courier.slack.update(channel, ts, message)
    if not isinstance(outcome, Sent):
        log.warning("a second copy of a digest for %s was not painted: %s", listed.dest, outcome.error)


def _paint(courier: Courier, digest: Digest) -> None:
    with courier.pool.connection() as conn:
        claimed, more = cards.claim_in_digest(conn, digest, most=digests.MOST)
    try:
        with courier.pool.connection() as conn:
            shown = [one for card in claimed if (one := _shown(conn, card)) is not None]
        outcome = _put(courier, shown, _message(courier, digest, shown, more=more)) if shown else None
    except outage.Away:
        raise  # nothing is wrong with it: it is painted once its lease is over
    except Exception:
        log.exception("the digest for %s of %s cannot be painted", digest.dest, digest.digest_at)
        with courier.pool.connection() as conn:
            for card in claimed:
                cards.postponed(conn, card, after_s=repaint.AFTER_A_FAULT_S, error=repaint.NOT_COMPOSED)
        return
    if isinstance(outcome, Sent):
        with courier.pool.connection() as conn:
            cards.painted(conn, *(card for card, _ in shown), channel=outcome.channel, ts=outcome.ts)
    elif outcome is not None:
        for card, pause in shown:
            repaint.failed(courier, card, pause, outcome)


def _shown(conn: db.Conn, card: Card) -> Shown | None:
    """What the card is about, as it is now; None if there is nothing to show here, now or any more."""
    assert card.pause_id is not None
    pause = pauses.get(conn, card.pause_id)
    if repaint.not_asked_yet(card, pause):
        cards.not_asked(conn, card)
        return None
    if repaint.left_before_its_hour(card, pause):
        cards.gone(conn, card, cards.NOT_SHOWN)
        return None
    return card, pause


def _message(courier: Courier, digest: Digest, shown: Sequence[Shown], *, more: bool) -> Message:
    if len(shown) == 1:
        [(card, pause)] = shown
        return repaint.message_of(card, pause, courier.env)
    lines = [(pause, card.level) for card, pause in shown]
    return digests.digest(lines, dest=digest.dest, digest_at=digest.digest_at, more=more, env=courier.env)


def _put(courier: Courier, shown: Sequence[Shown], message: Message) -> Sent | Failure:
    """Post the message, or edit it; if Slack finds it too long, one that says so in its place, without buttons."""
    card = next((one for one, _ in shown if may_stand(tries=one.tries, error=one.error)), shown[0][0])
    outcome = repaint.put(courier, card, message)
    if isinstance(outcome, Refused) and outcome.error in TOO_LONG:
        log.error("a digest for %s is too long for Slack (%s); a short one is shown", card.dest, outcome.error)
        text = f"{parts.cut(message.text, repaint.SHORT)} All of it: /approvals"
        return repaint.put(courier, card, replace(message, text=text, blocks=[]))
    return outcome
