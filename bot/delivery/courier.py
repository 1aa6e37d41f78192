"""What carries rows to Slack needs: the database, Slack, who we are there, and the tag on our buttons."""

from dataclasses import dataclass
from typing import Final

from bot.cards.parts import Message
from bot.delivery import who
from bot.delivery.web import OPERATORS, Failure, Refused, Sent, Slack, Unclear
from bot.delivery.who import Us
from engine.state import db

LEASE_S: Final = 45
"""How long one card or notice is one carrier's: longer than the three calls of ten seconds that it may take."""
_FIRST_S, _MOST_S = 5.0, 300.0


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
        kind, _, name = dest.partition(":")
        if kind == "channel":
            return self.slack.post(name, message)
        with self.pool.connection() as conn:
            users = who.reachable(conn, self.us, name)
        outcome: Sent | Failure = Refused(error="user_not_found", permanent=True)
        for user in users:
            direct = self.slack.open_dm(user)
            outcome = self.slack.post(direct, message) if isinstance(direct, str) else direct
            if isinstance(outcome, Sent) or not is_final(outcome):
                break
        return outcome


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
