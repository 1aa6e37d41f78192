"""One tick, for cron and serverless: settle what is due, advance what is queued, deliver what is marked, until nothing is left; then end.

Nothing runs before it or after it, and nothing is remembered outside the rows. It may meet other ticks and servers: whatever it moves it
has claimed or locked, as they do.
"""

import logging
import signal
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass

from bot import main
from bot.delivery import rounds
from bot.delivery.courier import Courier
from engine.settings import Settings
from engine.state import outage

log = logging.getLogger(__name__)


@dataclass(slots=True)
class Did:
    """What a tick did. `cut_short`: it was told to stop, or its time was over, before it found nothing more."""

    settled: int = 0
    advanced: int = 0
    delivered: int = 0
    cut_short: bool = False

    @property
    def sentence(self) -> str:
        """One line for whoever reads cron's mail."""
        rest = (
            "It stopped before all was done; the next tick goes on." if self.cut_short else "Nothing more is due now."
        )
        return f"Requests settled because they were due: {self.settled}. Runs advanced: {self.advanced}. Cards and notices delivered: {self.delivered}. {rest}"


def tick(settings: Settings, seconds: float) -> Did:
    """Do all that is due, for about `seconds` at most: a step under way then still ends, and what came of it is delivered.

    SIGTERM and SIGINT end it in the same way, sooner. Raises Misconfigured, and one of outage.Error if the database is away.
    """
    main.log_plainly()
    with closing(main.assemble(settings, works=True)) as house:
        over, worker = (
            threading.Event(),
            main.worker(house, threads=0),
        )  # only its leases are kept in a thread of its own

        def stop(*_: object) -> None:
            if not over.is_set():
                log.info("told to stop, or the time is over: what is under way comes to its end")
            over.set()
            house.sweeper.stop()
            worker.stop()

        worker.start()
        for told in (signal.SIGTERM, signal.SIGINT):
            signal.signal(told, stop)
        timer = threading.Timer(seconds, stop)
        timer.daemon = True
        timer.start()
        try:
            return _until_quiet(house, worker.work_once, over)
        finally:
            timer.cancel()
            over.set()
            worker.stop()


def _until_quiet(house: main.House, work_once: Callable[[], bool], over: threading.Event) -> Did:
    """Pass after pass, since each may bring about more: an escalation a card, a denial the next reply of the model."""
    did, abreast = Did(), house.settings.workers
    with ThreadPoolExecutor(abreast, "tick") as threads:
        while not over.is_set():
            settled = house.settle()
            advanced = sum(threads.map(_work, [work_once] * abreast))
            delivered = _deliver(house.courier, over)
            did.settled, did.advanced, did.delivered = (
                did.settled + settled, did.advanced + advanced, did.delivered + delivered
            )  # fmt: skip
            if not (settled or advanced or delivered):
                return did
    did.cut_short = True
    return did


def _work(work_once: Callable[[], bool]) -> bool:
    """Whether a run was claimed. A bug that one run meets must not keep the others; the database's absence keeps them all."""
    try:
        return work_once()
    except outage.Away:
        raise
    except BaseException:  # it is in a thread of its own: a signal ends the tick, and nothing else does
        log.exception("a run could not be advanced; its lease will lapse and it is tried again")
        return True


def _deliver(courier: Courier, over: threading.Event) -> int:
    """How many cards and notices were carried; at least one batch, if there is any, however late it is."""
    total = 0
    while carried := rounds.carry(courier):
        total += carried
        if over.is_set():
            break
    return total
