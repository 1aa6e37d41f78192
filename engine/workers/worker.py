"""A worker: threads that claim runs and bring them as far as they go, and one that keeps their leases.

The one rule: polling is the guarantee; a kick only makes it sooner.
"""

import logging
import os
import socket
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from engine.models import Claim
from engine.state import db, outage, runs
from engine.tools import Agent
from engine.workers import loop
from engine.workers.credentials import CredentialSource, Directory
from engine.workers.means import Complete, Means

_log = logging.getLogger(__name__)

POLL_S = 1.0
MOST_OTHERS = 32
"""Threads beyond its own that a worker has at most while runs of it stand still."""


class Worker:
    """`threads` runs at once, in this process. Start it, kick it when something was queued, stop it in good order.

    Raises Misconfigured for an agent that moves money and cannot find out whether it did (Agent.check).
    """

    def __init__(
        self,
        pool: db.Pool,
        agents: Mapping[str, Agent],
        complete: Complete,
        *,
        threads: int = 4,
        lease_s: float = 60,
        credentials: CredentialSource | None = None,
    ) -> None:
        for agent in agents.values():
            agent.check()
        name = f"{socket.gethostname()}:{os.getpid()}"
        self._means = Means(
            pool=pool,
            agents=agents,
            complete=complete,
            name=name,
            lease_s=lease_s,
            standing_still=self._another,
            credentials=credentials or Directory(),
        )
        self._others = 0
        self._more: list[threading.Thread] = []
        self._work = threading.Condition()
        self._watched = False
        self._claims: set[Claim] = set()
        self._guard = threading.Lock()
        self._threads = [threading.Thread(target=self._loop, name=f"worker-{n}", daemon=True) for n in range(threads)]
        self._threads.append(threading.Thread(target=self._keep, name="leases", daemon=True))

    def start(self) -> None:
        """Begin to work."""
        for thread in self._threads:
            thread.start()

    def kick(self) -> None:
        """Something may have been queued: look now. Whoever finds something wakes the next."""
        with self._work:
            self._work.notify()

    def stop(self, grace_s: float = 10) -> None:
        """Let the steps under way end, let the runs go, and stop; a thread that takes longer than `grace_s` seconds is left to its lease."""
        self._means.stop.set()
        with self._work:
            self._work.notify_all()
        with self._guard:
            more = list(self._more)
        until = time.monotonic() + grace_s
        for thread in (*self._threads, *more):
            thread.join(max(until - time.monotonic(), 0))

    @contextmanager
    def _another(self) -> Iterator[None]:
        """While a run stands still, another thread takes its thread's place: a halt stops effects, not requests."""
        with self._guard:
            enough = self._others >= MOST_OTHERS
            self._others += not enough
        if enough:
            yield
            return
        done = threading.Event()
        another = threading.Thread(target=self._loop, args=(done,), name="worker-more", daemon=True)
        with self._guard:
            self._more = [thread for thread in self._more if thread.is_alive()] + [another]
            another.start()
        try:
            yield
        finally:
            done.set()
            with self._guard:
                self._others -= 1

    def _loop(self, done: threading.Event | None = None) -> None:
        while not self._means.stop.is_set() and not (done and done.is_set()):
            try:
                worked = self.work_once()
            except outage.Away as error:
                _log.warning("the database is away: %s", error)
                worked = False
            except BaseException:  # noqa: BLE001  whatever one run meets must not end the thread that serves the others
                _log.exception("a run could not be advanced; its lease will lapse and it is tried again")
                worked = False
            if not worked:
                self._rest()

    def _rest(self) -> None:
        """Until there may be something to do. One of the idle threads watches the clock, the others sleep: idle costs one look a second."""
        with self._work:
            if self._means.stop.is_set():
                return
            if self._watched:
                self._work.wait()
                return
            self._watched = True
            self._work.wait(POLL_S)
            self._watched = False

    def work_once(self) -> bool:
        """Claim one run and bring it as far as it goes; False if there was none."""
        claim = self._means.do(runs.claim, self._means.name, list(self._means.agents), lease_s=self._means.lease_s)
        if claim is None:
            return False
        with self._guard:
            self._claims.add(claim)
        self.kick()  # there may be more, and nobody may be watching the clock now
        try:
            loop.advance(self._means, claim)
        finally:
            with self._guard:
                self._claims.discard(claim)
        return True

    def _keep(self) -> None:
        """Renew the leases of what is under way; a lost one is found out by the next step itself."""
        while not self._means.stop.wait(self._means.lease_s / 3):
            with self._guard:
                held = list(self._claims)
            for claim in held:
                try:
                    self._means.do(runs.renew, claim, lease_s=self._means.lease_s)
                except BaseException as error:  # noqa: BLE001  the next step of the run says what is wrong
                    _log.warning("the lease of run %s was not renewed: %s", claim.id, error)
