"""What carries rows to Slack needs: the database, Slack, who we are there, and the tag on our buttons."""

from dataclasses import dataclass
from typing import Final

from bot.delivery import who
from bot.delivery.web import Failure, Refused, Slack, Unclear
from bot.delivery.who import Us
from engine.state import db

LEASE_S: Final = 45
"""How long one card or notice is one carrier's: longer than the two calls of ten seconds it may take."""
_FIRST_S, _MOST_S = 5.0, 300.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Courier:
    """Carries cards and notices. Stateless; any number of threads and processes may carry at once."""

    pool: db.Pool
    slack: Slack
    us: Us
    env: str

    def channel_of(self, dest: str) -> str | Failure:
        """The channel to post to for "channel:C..." or "person:marta" (their direct conversation with us)."""
        kind, _, name = dest.partition(":")
        if kind == "channel":
            return name
        with self.pool.connection() as conn:
            user = who.reachable(conn, self.us, name)
        return self.slack.open_dm(user) if user else Refused(error="user_not_found", permanent=True)


def wait_s(failure: Failure, tries: int) -> float:
    """After how many seconds to try again: as Slack says, else longer with every try, five minutes at most."""
    if isinstance(failure, Refused) and failure.retry_after_s is not None:
        return failure.retry_after_s
    return min(_FIRST_S * 2.0 ** max(tries - 1, 0), _MOST_S)


def is_final(failure: Failure) -> bool:
    """Whether trying again is of no use."""
    match failure:
        case Refused(permanent=permanent):
            return permanent
        case Unclear():
            return False
