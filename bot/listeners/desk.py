"""What every listener has at hand, and the guard that stands around each: nothing escapes a listener, and nobody is left without an answer.

Slack waits three seconds. So the work of a listener has 2.3 s in all, and when they are over, or the database is away, the person is told
which of two things is so: surely not recorded, or perhaps.
"""

import logging
import threading
import time
from collections.abc import Callable, Mapping
from concurrent.futures import Executor, Future
from dataclasses import dataclass, field
from typing import Any, Final, Literal, TypeVar

from slack_bolt import Ack

from bot.cards import parts, phrases
from bot.delivery import outgoing, who
from bot.delivery.answers import Sent
from bot.delivery.courier import Courier, is_final, wait_s
from bot.delivery.who import Known, Turned
from bot.listeners.places import Place
from engine.errors import EngineError
from engine.state import outage
from engine.tools import Agent
from engine.workers.sweep import Sweeper

T = TypeVar("T")
Json = dict[str, Any]
log = logging.getLogger(__name__)

BUDGET_S: Final = 2.3
UNSTORABLE: Final = "That holds a character which cannot be stored, so nothing was done. Please type it anew."
TELLINGS: Final = 4
"""How often it is tried to tell somebody something, while it is of use."""


class _NothingDone(Exception):
    """The database failed before anything was tried."""


@dataclass(frozen=True, slots=True)
class Failed:
    """The work of a listener did not come to its end; `sentence` says what is known."""

    why: Literal["not_recorded", "not_confirmed", "refused", "fault"]
    sentence: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Desk:
    """What a listener works with.

    `kick` wakes delivery and the workers of this process; `work` are the threads for what a person waits for, `later` those for
    what nobody does. `closing` is set when the process stops: whoever would wait then does not.
    """

    courier: Courier
    sweeper: Sweeper
    agents: Mapping[str, Agent]
    kick: Callable[[], None]
    work: Executor
    later: Executor
    closing: threading.Event = field(default_factory=threading.Event)

    def who(self, body: Json) -> Known | Turned:
        """The person who did this; asked before anything is done, so that an outage here has surely recorded nothing."""
        try:
            return who.known(self.courier.pool, self.courier.slack, self.courier.us, who.identity(body))
        except outage.Error as error:
            raise _NothingDone from error

    def serve(self, ack: Ack, place: Place, work: Callable[[], str | None]) -> None:
        """Do what somebody asked for, tell Slack that it was taken, and tell them the sentence, if there is one to be told."""
        answer = self.attempt(work)
        ack()
        if answer is not None:
            self.tell(place.channel, place.user, answer.sentence if isinstance(answer, Failed) else answer)

    def attempt(self, work: Callable[[], T]) -> T | Failed:
        """Do the work within the budget; whatever goes wrong comes back as a sentence."""
        started = time.monotonic()
        future = self.work.submit(work)
        try:
            return future.result(timeout=BUDGET_S)
        except TimeoutError:
            return _out_of_time(future)
        except outage.Unstorable as error:
            log.error("a listener was given what the database does not take: %s", error)  # noqa: TRY400  the value is at fault
            return Failed("refused", UNSTORABLE)
        except (_NothingDone, *outage.Error) as error:
            self.afterwards(self.courier.pool.check)  # whatever broke this connection may have broken the others
            after, cause = time.monotonic() - started, error.__cause__ or error
            log.error("the database failed a listener after %.1f s: %s", after, cause)  # noqa: TRY400  an outage needs no trace
            return (
                _not_recorded() if isinstance(error, _NothingDone) or outage.surely_nothing(error) else _not_confirmed()
            )
        except EngineError as error:
            return Failed("refused", str(error))
        except Exception:
            log.exception("a listener failed")
            return Failed("fault", "Something went wrong here, and it is not known how far it came. The card shows what holds; "
                          "if it does not change, tell an operator.")  # fmt: skip

    def afterwards(self, work: Callable[[], object]) -> None:
        """Do this when the person has been answered; what goes wrong is logged."""

        def guarded() -> None:
            try:
                work()
            except Exception:
                log.exception("something after a click failed")

        self.later.submit(guarded)

    def tell(self, channel: str, user: str, sentence: str) -> None:
        """Say something to the person who acted, and to nobody else, once they have been answered.

        While Slack limits us it is said as soon as Slack allows; what cannot be said within five minutes is logged.
        """
        self.afterwards(lambda: self._say(channel, user, sentence))

    def _say(self, channel: str, user: str, sentence: str) -> None:
        until = time.monotonic() + outgoing.PRIVATE_LAPSES_S
        for tries in range(1, TELLINGS + 1):
            outcome = outgoing.tell(self.courier, channel, user, parts.answer(sentence))
            if isinstance(outcome, Sent):
                return
            wait = wait_s(outcome, tries)
            in_vain = is_final(outcome) or tries == TELLINGS or time.monotonic() + wait > until
            if in_vain or self.closing.wait(wait):
                log.warning("%s could not be told in %s (%s): %s", user, channel, outcome.error, sentence)
                return


def _out_of_time(future: Future[Any]) -> Failed:
    if future.cancel():
        log.error("no thread was free for a listener within %.1f s", BUDGET_S)
        return _not_recorded()
    log.error("a listener took longer than %.1f s", BUDGET_S)
    return _not_confirmed()


def _not_recorded() -> Failed:
    return Failed("not_recorded", phrases.NOT_RECORDED)


def _not_confirmed() -> Failed:
    return Failed("not_confirmed", phrases.NOT_CONFIRMED)
