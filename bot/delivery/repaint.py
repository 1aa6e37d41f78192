"""Makes every card equal its pause: claims what is not painted, reads the row, composes, sends, and stores what came of it.

A card is painted from the row alone, whoever moved it, by one painter at a time. What Slack left unclear is painted again: an edit
twice is one edit, and a second copy of a post carries the same pause. A wait that nobody can see is shown elsewhere, and is an alarm.
"""

import logging
from dataclasses import replace
from typing import Final
from uuid import UUID

from bot.cards import blocks, doubts, parts
from bot.cards.ids import screen_id
from bot.delivery.answers import CLOSED, TOO_LONG, Answered, Failure, Refused, Sent, Unclear
from bot.delivery.courier import LEASE_S, Courier, is_final, kept, may_stand, to_be_mended, wait_s
from engine.models import Card, Doubt, Pause
from engine.rules import escalation
from engine.state import cards, db, ledger, outage, pauses, people
from engine.workers.sweep import settle_unseen

log = logging.getLogger(__name__)

AFTER_A_FAULT_S: Final = 60
SHORT: Final = 600
NOT_COMPOSED: Final = "it cannot be composed; see the log"


def paint_due(courier: Courier, *, limit: int = 100) -> int:
    """Paint up to `limit` cards that do not show their pause as it is; how many were claimed."""
    for done in range(limit):
        with courier.pool.connection() as conn:
            claimed = cards.claim(conn, limit=1, lease_s=LEASE_S, **free(courier))
        if not claimed:
            return done
        _paint(courier, claimed[0])
    return limit


def free(courier: Courier) -> dict[str, bool]:
    """What Slack lets us do now: a card that would only be told to wait keeps its place, and the next is painted."""
    posts, edits = courier.slack.is_free("chat.postMessage"), courier.slack.is_free("chat.update")
    return {"posts": posts, "edits": edits, "directs": posts and courier.slack.is_free("conversations.open")}


def paint_copy(courier: Courier, pause_id: UUID, *, kind: blocks.Kind, level: int, channel: str, ts: str) -> None:
    """Paint once a copy that no card knows: its post's answer was lost, and another copy was posted since."""
    with courier.pool.connection() as conn:
        pause = pauses.get(conn, pause_id)
    outcome = courier.slack.update(channel, ts, blocks.card(pause, kind=kind, level=level, env=courier.env))
    if not isinstance(outcome, Sent):
        log.warning("a second copy of %s was not painted: %s", screen_id("pause", pause_id), outcome.error)


def paint_doubt_copy(courier: Courier, doubt: Doubt, *, channel: str, ts: str) -> None:
    """The same for a copy of a card that asks what became of an action."""
    outcome = courier.slack.update(channel, ts, doubts.card(doubt, env=courier.env))
    if not isinstance(outcome, Sent):
        log.warning("a second copy of %s was not painted: %s", screen_id("effect", doubt.id), outcome.error)


def _paint(courier: Courier, card: Card) -> None:
    try:
        with courier.pool.connection() as conn:
            shown = _shown(conn, card)
            if not_asked_yet(card, shown):
                cards.not_asked(conn, card)
                return
            if left_before_its_hour(card, shown):
                cards.gone(conn, card, cards.NOT_SHOWN)
                return
        outcome = _send(courier, card, shown)
    except outage.Away:
        raise  # nothing is wrong with the card: it is painted once its lease is over
    except Exception:
        log.exception("%s cannot be painted", screen_id("card", card.id))
        with courier.pool.connection() as conn:
            cards.postponed(conn, card, after_s=AFTER_A_FAULT_S, error=NOT_COMPOSED)
        return
    if isinstance(outcome, Sent):
        with courier.pool.connection() as conn:
            cards.painted(conn, card, channel=outcome.channel, ts=outcome.ts)
    else:
        failed(courier, card, shown, outcome)


def _shown(conn: db.Conn, card: Card) -> Pause | Doubt:
    """What the card is about, as it is now."""
    if card.pause_id is not None:
        return pauses.get(conn, card.pause_id)
    assert card.effect_id is not None
    return ledger.doubt(conn, card.effect_id)


def left_before_its_hour(card: Card, shown: Pause | Doubt) -> bool:
    """Whether it was settled, or went on to others, before the hour at which those here were to see it, and was never posted: no news to them.

    What was claimed before may have been posted, though nobody knows: then there may be a message with buttons.
    """
    if isinstance(shown, Doubt) or card.kind != "approver" or card.not_before is None:
        return False
    if card.tries > 1 or card.ts is not None:
        return False
    return shown.level != card.level if shown.decided_at is None else shown.decided_at < card.not_before


def not_asked_yet(card: Card, shown: Pause | Doubt) -> bool:
    """Whether it waits still, and was never posted to somebody who stands in on some days and does not now: the person asked is here."""
    if isinstance(shown, Doubt) or card.kind != "approver" or card.tries > 1 or card.ts is not None:
        return False
    return shown.status == "waiting" and shown.level == card.level and blocks.stood_in_before(shown, card.dest)


def message_of(card: Card, shown: Pause | Doubt, env: str) -> parts.Message:
    """What a card that has a message of its own says."""
    if isinstance(shown, Doubt) or card.kind == "doubt":
        assert isinstance(shown, Doubt)
        return doubts.card(shown, env=env)
    return blocks.card(shown, kind=card.kind, level=card.level, env=env, dest=card.dest)


def _name(shown: Pause | Doubt) -> str:
    return screen_id("pause" if isinstance(shown, Pause) else "effect", shown.id)


def _send(courier: Courier, card: Card, shown: Pause | Doubt) -> Sent | Failure:
    """Post the card, or edit it; if Slack finds it too long, a short one in its place, without buttons."""
    message = message_of(card, shown, courier.env)
    outcome = put(courier, card, message)
    if isinstance(outcome, Refused) and outcome.error in TOO_LONG:
        log.error("%s is too long for Slack (%s); a short one is shown", _name(shown), outcome.error)
        return put(courier, card, _short(message, shown))
    return outcome


def put(courier: Courier, card: Card, message: parts.Message) -> Sent | Failure:
    """Edit the card's message, or post it if it has none."""
    if card.channel and card.ts:
        return courier.slack.update(card.channel, card.ts, message)
    return courier.post_once(card.dest, message, lost=may_stand(tries=card.tries, error=card.error))


def _short(message: parts.Message, shown: Pause | Doubt) -> parts.Message:
    name = _name(shown)
    more = (
        f"All of it: /approvals show {name}"
        if isinstance(shown, Pause)
        else f"All of it: placet show {screen_id('run', shown.run_id)}"
    )
    return replace(message, text=f"{parts.cut(message.text, SHORT)} {more}", blocks=[])


def failed(courier: Courier, card: Card, shown: Pause | Doubt, failure: Failure) -> None:
    """Slack did not take it: later again, or a new message, or at another place."""
    name = _name(shown)
    if to_be_mended(failure):
        log.error("a card of %s waits until an operator mends this (placet doctor says how): %s", name, failure.error)
    if card.ts and is_final(failure) and failure.error not in CLOSED:
        _take_away(courier, card, failure.error)
        return
    if not is_final(failure):
        limited = isinstance(failure, Refused) and failure.retry_after_s is not None
        lost = card.ts is None and may_stand(tries=card.tries, error=card.error)
        error = kept(failure, lost=lost) if card.ts is None else failure.error
        with courier.pool.connection() as conn:
            cards.postponed(conn, card, after_s=wait_s(failure, card.tries), error=error, limited=limited)
        log.warning("a card of %s waits: %s", name, failure.error)
        return
    if isinstance(shown, Pause) and card.kind == "approver":
        _show_elsewhere(courier, card, failure.error)
        return
    with courier.pool.connection() as conn:
        cards.gone(conn, card, failure.error)
    if isinstance(shown, Doubt) and shown.status == "in_doubt":
        log.error("%s IS IN DOUBT, and cannot be shown to %s (%s): placet doubt", name, card.dest, failure.error)
    else:
        log.warning("a card of %s cannot be shown in %s: %s", name, card.dest, failure.error)


def _take_away(courier: Courier, card: Card, error: str) -> None:
    """A message that can never say anything else is no more: its buttons must not stay. The next painting posts another in its place."""
    assert card.channel is not None
    assert card.ts is not None
    if error != "message_not_found":
        outcome = courier.slack.delete(card.channel, card.ts)
        if isinstance(outcome, Refused | Unclear) and not is_final(outcome):
            with courier.pool.connection() as conn:
                cards.postponed(conn, card, after_s=wait_s(outcome, card.tries), error=outcome.error)
            return
        if not isinstance(outcome, Answered) and outcome.error != "message_not_found":
            log.warning(
                "%s cannot be edited (%s), nor taken away: %s", screen_id("card", card.id), error, outcome.error
            )
    with courier.pool.connection() as conn:
        cards.reposted(conn, card, error)


def _show_elsewhere(courier: Courier, card: Card, error: str) -> None:
    """Nobody may be able to see what waits: a DM to whoever may decide, unless another card of this level stands.

    Where none is left to try it is not waited for: whoever would be asked next is asked now, or the answer decided in advance holds.
    One transaction, under the lock of the run: of two painters that lose the last two cards at once, the second sees that none is left.
    """
    assert card.pause_id is not None
    with courier.pool.connection() as conn, conn.transaction():
        pauses.lock(conn, card.pause_id)
        cards.gone(conn, card, error)
        pause = pauses.get(conn, card.pause_id)
        waits = pause.status == "waiting" and pause.level == card.level
        stands = any(_decides(one, pause) for one in cards.of_pause(conn, pause.id))
        made = _instead(conn, pause) if waits and not stands else []
        moved = settle_unseen(conn, pause.id) if waits and not (stands or made) else []
    name = screen_id("pause", pause.id)
    if not waits:
        log.warning("a card of %s cannot be shown in %s: %s", name, card.dest, error)
    elif stands:
        log.error("%s cannot be shown in %s (%s); it is shown elsewhere too", name, card.dest, error)
    elif made:
        log.error("%s cannot be shown in %s (%s); it goes to %s by DM", name, card.dest, error, ", ".join(made))
    else:
        log.error("%s WAITS AND NOBODY CAN SEE IT: %s (%s), and no DM is left to try", name, card.dest, error)
    for one in moved:
        what = f"{screen_id('pause', one.pause_id)}: {one.event}, {one.status}, with {one.approver}"
        log.error("since nobody could be shown %s, it is not waited for: %s", name, what)


def _decides(card: cards.Shown, pause: Pause) -> bool:
    return card.kind == "approver" and card.level == pause.level and card.state == "live"


def _instead(conn: db.Conn, pause: Pause) -> list[str]:
    """Whom it goes to by DM now, of those who are asked; those to whom it was to go already are left out."""
    dests = escalation.destinations(
        pause.approver, None, people.everybody(conn), (pause.on_behalf_of, *pause.voters), first=False
    )
    return [dest for dest in dests if cards.instead(conn, pause.id, dest)]
