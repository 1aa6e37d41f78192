"""What carries rows to Slack needs: the database, Slack, who we are there, and the tag on our buttons."""

import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from bot.cards.parts import Message
from bot.delivery import who
from bot.delivery.answers import OPERATORS, Answered, Failure, Refused, Sent, Unclear
from bot.delivery.web import Slack
from bot.delivery.who import Us
from engine.state import db

LEASE_S: Final = 45
"""How long one card or notice is one carrier's: longer than the three calls of ten seconds that it may take."""
LOST_WITHIN_S: Final = 3600
"""How far back a message is looked for whose post was not confirmed."""
_FIRST_S, _MOST_S = 5.0, 300.0
_UNCLEAR: Final = "nobody can tell: "
_SAME: Final = ("env", "pause_id", "effect_id", "kind", "level", "notice_id", "dest", "digest_at")
"""What the metadata of two pictures of one card, or of one digest, have alike."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Courier:
    """Carries cards and notices. Stateless; any number of threads and processes may carry at once."""

    pool: db.Pool
    slack: Slack
    us: Us
    env: str

    def post(self, dest: str, message: Message) -> Sent | Failure:
        """Post to "channel:C..." or "person:marta" (their direct conversation with us).

        Of several accounts of a person the next is tried where one can never be written to.
        """
        outcome: Sent | Failure = Refused(error="user_not_found", permanent=True)
        for place in self._places(dest):
            outcome = self.slack.post(place, message) if isinstance(place, str) else place
            if isinstance(outcome, Sent) or not is_final(outcome):
                break
        return outcome

    def post_once(self, dest: str, message: Message, *, lost: bool) -> Sent | Failure:
        """The same, unless it stands there already, and then it is edited: `lost` says that an earlier post of it may have arrived.

        It is known by its metadata. Where we may not read what was said, it is posted again, and may then stand there twice.
        """
        for place in self._places(dest) if lost and message.metadata else ():
            if not isinstance(place, str):
                return place
            found = self._standing(place, message)
            if found is not None:
                return self.slack.update(found.channel, found.ts, message) if isinstance(found, Sent) else found
        return self.post(dest, message)

    def post_below(self, channel: str, ts: str, message: Message, *, lost: bool) -> Sent | Failure:
        """The same in the thread of a message."""
        found = self._standing(channel, message, below=ts) if lost else None
        if found is None:
            return self.slack.post(channel, message, below=ts)
        return self.slack.update(found.channel, found.ts, message) if isinstance(found, Sent) else found

    def _places(self, dest: str) -> Iterator[str | Failure]:
        """Where a message for this destination may go, the likeliest first."""
        kind, _, name = dest.partition(":")
        if kind == "channel":
            yield name
            return
        with self.pool.connection() as conn:
            users = who.reachable(conn, self.us, name)
        yield from map(self.slack.open_dm, users)

    def _standing(self, channel: str, message: Message, *, below: str | None = None) -> Sent | Failure | None:
        """Where it stands in this channel, or thread of it; a failure that passes if that cannot be seen just now; None: it does not, or we may not look."""
        newest = self.slack.newest(channel, time.time() - LOST_WITHIN_S, below=below)
        if not isinstance(newest, Answered):
            return None if isinstance(newest, Refused) and newest.retry_after_s is None else newest
        found = (one for one in newest.data["messages"] if _is_picture_of(one.get("metadata"), message.metadata))
        return next((Sent(channel=channel, ts=str(one["ts"])) for one in found), None)


def _is_picture_of(one: Mapping[str, Any] | None, wanted: Mapping[str, Any] | None) -> bool:
    """Whether they are of one card, one notice or one message of a digest: that has a request in common, for more may have come since."""
    if one is None or wanted is None or one.get("event_type") != wanted["event_type"]:
        return False
    there, here = one.get("event_payload") or {}, wanted["event_payload"]
    listed = set(here.get("pause_ids", ()))
    return all(there.get(name) == here.get(name) for name in _SAME) and (
        not listed or bool(listed & set(there.get("pause_ids", ())))
    )


def kept(failure: Failure, *, lost: bool) -> str:
    """A failure as it is stored beside what waits: it says, too, whether an earlier post may have arrived (`lost`, or this one)."""
    return f"{_UNCLEAR}{failure.error}" if lost or isinstance(failure, Unclear) else failure.error


def may_stand(*, tries: int, error: str | None) -> bool:
    """Whether what was tried before, and never confirmed, may be there all the same: nobody could tell, or whoever tried is gone."""
    return tries > 1 and (error is None or error.startswith(_UNCLEAR))


def wait_s(failure: Failure, tries: int) -> float:
    """After how many seconds to try again: as Slack says, else longer with every try, five minutes at most."""
    if isinstance(failure, Refused) and failure.retry_after_s is not None:
        return failure.retry_after_s
    return min(_FIRST_S * 2.0 ** max(tries - 1, 0), _MOST_S)


def to_be_mended(failure: Failure) -> bool:
    """Whether it is an operator's to mend, and then an alarm: everything to come would meet it too, and nothing is given up for it."""
    return isinstance(failure, Refused) and failure.error in OPERATORS


def is_final(failure: Failure) -> bool:
    """Whether trying again is of no use."""
    match failure:
        case Refused(permanent=permanent):
            return permanent
        case Unclear():
            return False
