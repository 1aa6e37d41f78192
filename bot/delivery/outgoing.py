"""Says what is said once: how a run ended, that an effect is in doubt, and the private answer to somebody who clicked.

A text is composed when it is delivered, from the rows as they are then, so that nothing late invites to what is no longer possible.
A private answer is of use for five minutes and then lapses unsaid; the rest waits as long as Slack does.
"""

import logging
from collections.abc import Mapping
from dataclasses import asdict, replace
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from bot.cards import again, ids, notices, parts, phrases
from bot.cards.ids import screen_id
from bot.cards.parts import Message
from bot.cards.seen import one_line
from bot.delivery.answers import Failure, Refused, Sent
from bot.delivery.courier import LEASE_S, Courier, is_final, kept, may_stand, to_be_mended, wait_s
from engine.models import (
    AlreadySettled,
    AskedAgain,
    AskOutcome,
    Broken,
    Decided,
    DoubtfulEffect,
    Due,
    Inquiry,
    NotAskedAgain,
    Notice,
    NotYours,
    Outcome,
    Pause,
    Standing,
    Unconfirmed,
    Voted,
)
from engine.state import cards, db, halts, ledger, outage, pauses, people, runs

log = logging.getLogger(__name__)

PRIVATE_LAPSES_S: Final = 300
THREAD_IS_GONE: Final = frozenset({"cannot_reply_to_message", "message_not_found", "thread_not_found"})
"""What a reply to a message that was deleted meets."""


def say_due(courier: Courier, *, limit: int = 100) -> int:
    """Say up to `limit` notices; how many were claimed."""
    for done in range(limit):
        with courier.pool.connection() as conn:
            claimed = cards.claim_notices(conn, limit=1, lease_s=LEASE_S)
        if not claimed:
            return done
        if claimed[0].state == "due":
            _say(courier, claimed[0])
    return limit


def answer_later(conn: db.Conn, outcome: Outcome, *, tried: str, channel: str, user: str) -> None:
    """Have the person who `tried` (approve, deny, withdraw) told what came of it.

    `channel` is where they clicked, or their own user id if it was in no channel (App Home): then it is a message from us.
    """
    now = outcome.now
    detail = {
        "outcome": type(outcome).__name__,
        "why": getattr(outcome, "why", None),
        "tried": tried,
        "at": now.at.isoformat(),
        "fire_at": now.fire_at.isoformat(),
    }
    cards.notify(
        conn, now.run_id, kind="private", dest=f"private:{channel}:{user}", pause_id=now.pause_id, detail=detail,
        lapse_s=PRIVATE_LAPSES_S,
    )  # fmt: skip


def told_again(conn: db.Conn, outcome: AskedAgain | NotAskedAgain, *, channel: str, user: str) -> None:
    """Have the person who asked again told what came of it, likewise."""
    about = outcome.again_run if isinstance(outcome, AskedAgain) else outcome.run_id
    detail = {name: str(value) if isinstance(value, UUID) else value for name, value in asdict(outcome).items()}
    cards.notify(
        conn, about, kind="again", dest=f"private:{channel}:{user}", pause_id=outcome.pause_id, detail=detail, lapse_s=PRIVATE_LAPSES_S
    )  # fmt: skip


def tell(courier: Courier, channel: str, user: str, message: Message) -> Sent | Failure:
    """Say something to one person: in the channel where they are, for them alone; where that cannot be now, as a message from us."""
    outcome: Sent | Failure = Refused(error="user_not_in_channel", permanent=True)
    if channel != user:
        outcome = courier.slack.post_ephemeral(channel, user, message)
    if isinstance(outcome, Refused):
        direct = courier.slack.open_dm(user)
        return courier.slack.post(direct, message) if isinstance(direct, str) else direct
    return outcome


def _say(courier: Courier, notice: Notice) -> None:
    try:
        outcome = _deliver(courier, notice)
    except outage.Away:
        raise  # nothing is wrong with the notice: it is said once its lease is over
    except Exception:
        log.exception("the notice %s (%s) cannot be composed", notice.id, notice.kind)
        outcome = Refused(error="it cannot be composed; see the log", permanent=True)
    with courier.pool.connection() as conn:
        match outcome:
            case Sent():
                cards.notice_settled(conn, notice, "sent")
                if (
                    notice.kind == "reminder" and notice.pause_id
                ):  # a card that somebody deleted is missed when it is edited
                    cards.repaint(conn, notice.pause_id)
            case failure if is_final(failure):
                log.error("a notice (%s) to %s cannot be said: %s", notice.kind, notice.dest, failure.error)
                cards.notice_settled(conn, notice, "failed", failure.error)
            case failure:
                if to_be_mended(failure):
                    log.error(
                        "a notice (%s) waits until an operator mends this (placet doctor says how): %s",
                        notice.kind,
                        failure.error,
                    )
                error = kept(failure, lost=may_stand(tries=notice.tries, error=notice.error))
                cards.notice_postponed(conn, notice, after_s=wait_s(failure, notice.tries), error=error)


def _deliver(courier: Courier, notice: Notice) -> Sent | Failure:
    with courier.pool.connection() as conn:
        message = _composed(conn, notice, courier.env)
        card = _card(conn, notice)
    if message is None or (card and not card.ts):  # what is not posted yet shows it when it is
        return Sent(channel="", ts="")
    if notice.dest.startswith("private:"):
        _, channel, user = notice.dest.split(":")
        return tell(courier, channel, user, message)
    message = replace(message, metadata=ids.notice_metadata(notice.id))
    lost = may_stand(tries=notice.tries, error=notice.error)
    if card and card.channel and card.ts:
        outcome = courier.post_below(card.channel, card.ts, message, lost=lost)
        if not (isinstance(outcome, Refused) and outcome.error in THREAD_IS_GONE):
            return outcome
    return courier.post_once(notice.dest, message, lost=lost)


def _card(conn: db.Conn, notice: Notice) -> cards.Shown | None:
    """The card below which it is to be said; None: it is a message of its own, or the card is no more."""
    named = (notice.detail or {}).get("card")
    if named is None or notice.pause_id is None:
        return None
    return next((one for one in cards.of_pause(conn, notice.pause_id) if str(one.id) == named), None)


def _composed(conn: db.Conn, notice: Notice, env: str) -> Message | None:
    """What there is to say now; None: what was to be said is no longer so."""
    match notice.kind:
        case "run_ended":
            return notices.run_ended(runs.get(conn, notice.run_id))
        case "in_doubt":
            doubts = [effect for effect in ledger.in_doubt(conn) if effect.run_id == notice.run_id]
            return _in_doubt(conn, doubts[0]) if doubts else None
        case "reminder" if notice.pause_id and notice.detail:
            return notices.reminder(
                pauses.get(conn, notice.pause_id), level=notice.detail["level"], env=env, dest=notice.dest
            )
        case "asked_back" | "replied" if notice.pause_id and notice.detail:
            pause = pauses.get(conn, notice.pause_id)
            asked = pause.inquiry(notice.detail["inquiry"])
            return _asked_back(notice, pause, asked, env) if asked else None
        case "private" if notice.pause_id and notice.detail:
            pause = pauses.get(conn, notice.pause_id)
            return _about(pause, parts.answer(sentence(conn, as_it_stands(pause, notice.detail))))
        case "again" if notice.pause_id and notice.detail:
            return _about(pauses.get(conn, notice.pause_id), parts.answer(again.said(_of_again(notice.detail))))
    raise ValueError(f"nobody has said how to say a {notice.kind}")


def _asked_back(notice: Notice, pause: Pause, asked: Inquiry, env: str) -> Message | None:
    """An inquiry or its answer, below a card or to the one person whom it is for."""
    below = notice.detail is not None and "card" in notice.detail
    if notice.kind == "replied":
        return notices.replied(pause, asked) if below else notices.reply(pause, asked, env=env)
    return notices.asked_back(pause, asked) if below else notices.inquiry(pause, asked, env=env)


def _of_again(detail: dict[str, Any]) -> AskedAgain | NotAskedAgain:
    """What came of asking again, as `told_again` wrote it."""
    given: dict[str, Any] = {
        name: UUID(value) if value and name in ("pause_id", "again_run", "run_id", "other") else value
        for name, value in detail.items()
    }
    return AskedAgain(**given) if "again_run" in given else NotAskedAgain(**given)


def _in_doubt(conn: db.Conn, doubt: DoubtfulEffect) -> Message:
    askable = any(one.id != doubt.on_behalf_of for one in people.everybody(conn).holders(doubt.doubt_role))
    if not askable:
        log.error(
            "NOBODY CAN SAY WHAT BECAME OF %s: nobody but the requester has the role %r",
            screen_id("effect", doubt.id),
            doubt.doubt_role,
        )
    return notices.in_doubt(doubt, askable=askable)


def _about(pause: Pause, message: Message) -> Message:
    """The answer, and which request it speaks of: it may stand far below its card."""
    if pause.content is None:
        return message
    about = parts.small(parts.cut(one_line(pause.content.summary), 300))
    return replace(message, blocks=[*message.blocks, *about])


def sentence(conn: db.Conn, outcome: Outcome | AskOutcome) -> str:
    """What came of an attempt, with everybody's name as it is now."""
    if isinstance(outcome, Unconfirmed):
        content = pauses.get(conn, outcome.now.pause_id).content
        return phrases.unconfirmed(content.confirm if content else None)
    if outcome.now.reason and (held := pauses.get(conn, outcome.now.pause_id).content):
        outcome = replace(outcome, now=replace(outcome.now, reason=held.readable(outcome.now.reason)))
    ids = [*filter(None, (outcome.now.decided_by, outcome.now.approver.partition(":")[2]))]
    names = people.names(conn, ids)
    return phrases.said(outcome, lambda person: names.get(person, person), halts.standing(conn))


_STILL: Final[Mapping[str, type[Voted | Due | Unconfirmed]]] = {"Voted": Voted, "Due": Due, "Unconfirmed": Unconfirmed}
"""What came of an attempt and is so as long as it waits."""


def as_it_stands(pause: Pause, detail: dict[str, Any]) -> Outcome:
    """What came of an attempt, told by the row as it is now: whoever was refused while it waited hears how it was settled since."""
    now = standing(pause, datetime.fromisoformat(detail["at"]))
    outcome = detail["outcome"]
    if outcome == "Decided":
        return Decided(now)
    if outcome == "NotYours" and (detail["tried"] == "withdraw" or pause.status == "waiting"):
        return NotYours(now, detail["why"])
    if outcome == "Broken" and pause.status == "waiting":
        return Broken(now, detail["why"])
    if outcome == "Due" and pause.status == "waiting" and "fire_at" in detail:  # its time then; it may have a new one
        now = replace(now, fire_at=datetime.fromisoformat(detail["fire_at"]))
    return _STILL[outcome](now) if outcome in _STILL and pause.status == "waiting" else AlreadySettled(now)


def standing(pause: Pause, at: datetime) -> Standing:
    """What holds of a pause, as of this moment."""
    return Standing(
        pause_id=pause.id, run_id=pause.run_id, status=pause.status, votes_left=pause.votes_left, approver=pause.approver,
        level=pause.level, fire_at=pause.fire_at, decided_by=pause.decided_by, decided_at=pause.decided_at, reason=pause.reason,
        at=at, run_status=pause.run_status, effect_status=pause.effect_status,
    )  # fmt: skip
