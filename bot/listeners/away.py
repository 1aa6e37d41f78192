"""`/approvals away` and `/approvals back`: somebody leaves their own answers to another for a while. For others an operator does so by `placet away`."""

from datetime import UTC, datetime, timedelta
from typing import Final

from bot.cards import parts, phrases
from bot.cards.parts import Message
from bot.cards.seen import seen_line
from bot.listeners.desk import Desk
from bot.listeners.typed import COMMAND, SURFACE, Typed
from engine.models import Actor
from engine.rules.documents import Unfit, length
from engine.rules.people import People, Person
from engine.state import absences, people
from engine.state.absences import Back, Refused

_LEAST_S: Final = 3_600
_USAGE: Final = (
    f"Write {COMMAND} away NAME 5d, or {COMMAND} away NAME 2026-08-17 to be back when that day begins (UTC)."
)


def away(typed: Typed) -> Message:
    """Let somebody else answer for who typed it, from now on."""
    named, _, until = typed.words.rpartition(" ")
    ends_at = _until(until, datetime.now(UTC))
    if not named or ends_at is None:
        return parts.answer(_USAGE)
    if "-" not in until and length(until) < _LEAST_S:
        return parts.answer(f"An absence lasts an hour or more, and m is for minutes. Nothing was changed. {_USAGE}")
    with typed.desk.courier.pool.connection() as conn:
        delegate = _called(named, people.everybody(conn))
        if delegate is None:
            return parts.answer(
                f"Nobody here, or more than one, is called {seen_line(named).text[:60]}. Nothing was changed. {_USAGE}"
            )
        if delegate.id == typed.actor.id:
            return parts.answer(f"Nobody stands in for themselves. Nothing was changed. {_USAGE}")
        came = absences.leave(
            conn, typed.actor.id, delegate.id, starts_at=None, ends_at=ends_at, actor=typed.actor.id, surface=SURFACE
        )
    typed.desk.kick()
    if isinstance(came, Refused):
        return parts.answer(phrases.NOT_AWAY[came.why])
    return parts.answer(phrases.is_away(typed.actor.name, delegate.name, came.starts_at, came.ends_at))


def back(typed: Typed) -> Message:
    """Who typed it is here again, or is not going."""
    if typed.words.strip():
        return parts.answer(
            f"{COMMAND} back takes no further words, and nothing was changed. By itself it ends your absence, or takes back the next one."
        )
    return parts.answer(ended(typed.desk, typed.actor, SURFACE))


def ended(desk: Desk, actor: Actor, surface: str) -> str:
    """Somebody is here again, or is not going; what holds then, as a sentence."""
    with desk.courier.pool.connection() as conn:
        came = absences.back(conn, actor.id, actor=actor.id, surface=surface)
        names = people.names(conn, [came.delegate]) if isinstance(came, Back) else {}
    desk.kick()
    if not isinstance(came, Back):
        return phrases.NOT_AWAY[came]
    if came.begun:
        return phrases.is_back(actor.name, came.ends_at, came.next_at)
    return phrases.is_not_going(actor.name, names[came.delegate], came.starts_at, came.ends_at, came.next_at)


def _until(written: str, now: datetime) -> datetime | None:
    """A length of time from now, or a time, which is UTC if it names no zone, and of a day its beginning; None for neither."""
    try:
        if "-" not in written:
            return now + timedelta(seconds=length(written))
        at = datetime.fromisoformat(written)
    except (ValueError, Unfit):
        return None
    return at if at.tzinfo else at.replace(tzinfo=UTC)


def _called(written: str, everybody: People) -> Person | None:
    """The one active person of this id or name; None if there is none, or more than one."""
    wanted = " ".join(written.removeprefix("@").split()).casefold()
    found = [one for one in everybody if one.active and wanted in (one.id, one.name.casefold())]
    return found[0] if len(found) == 1 else None
