"""The rounds of delivery: threads that carry cards and notices as long as there are any, then wait to be woken."""

import logging
import threading
import time
from typing import Final

from bot.delivery import digests, outgoing, repaint
from bot.delivery.courier import Courier
from engine.state import cards, outage

log = logging.getLogger(__name__)

BATCH: Final = 20
_AFTER_AN_OUTAGE_S = 1.0


def carry(courier: Courier) -> int:
    """Carry what is due, up to a batch each of notices, digests and cards; how many there were. Raises one of outage.Error."""
    if not courier.slack.standing.is_taken():
        return 0
    said = outgoing.say_due(courier, limit=BATCH)
    return said + digests.paint_due(courier, limit=BATCH) + repaint.paint_due(courier, limit=BATCH)


class Rounds:
    """Start it, kick it when something was marked, stop it. A kick is never lost; several while all are busy count as one."""

    def __init__(self, courier: Courier, *, threads: int = 3) -> None:
        self._courier = courier
        self._bell = threading.Condition()
        self._wanted = self._stopping = False
        self._threads = [threading.Thread(target=self._go, name=f"delivery-{n}", daemon=True) for n in range(threads)]

    def start(self) -> None:
        """Begin to carry."""
        for thread in self._threads:
            thread.start()

    def kick(self) -> None:
        """Something may be due: look now."""
        with self._bell:
            self._wanted = True
            self._bell.notify()

    def stop(self, grace_s: float = 5) -> None:
        """Carry what is due, and stop; after `grace_s` seconds the rest is left to its lease."""
        with self._bell:
            self._stopping = True
            self._bell.notify_all()
        until = time.monotonic() + grace_s
        for thread in self._threads:
            thread.join(max(until - time.monotonic(), 0))

    def _go(self) -> None:
        stopping = False
        while not stopping:
            with self._bell:
                self._bell.wait_for(lambda: self._wanted or self._stopping)
                stopping, self._wanted = self._stopping, False
            self._carry()

    def _carry(self) -> None:
        try:
            with self._courier.pool.connection() as conn:
                due = cards.any_due(conn)
            done = carry(self._courier) if due or not self._courier.slack.standing.is_taken() else 0
        except outage.Error as error:
            log.warning("the database is away: %s", error)
            with self._bell:
                self._bell.wait_for(lambda: self._stopping, timeout=_AFTER_AN_OUTAGE_S)
        except Exception:
            log.exception("a round of delivery failed")
        else:
            if done:
                self.kick()  # there may be more, and another thread may be free
