"""Counts the boundaries that this process crosses, and kills it at one of them.

A boundary lies before and after everything that can change what outlives the process: each database statement and each outside call.
What is after one is before the next, and counts once; after the last one of a request all is done, and nobody has been told.

A process that dies where nothing has changed since the boundary before leaves what it would have left there: such a boundary has no kill of
its own. Nothing has changed if nobody told this process anything, it called nobody outside, and the database wrote nothing to its log; so
what lies between is one read, or more.
"""

import functools
import os
import signal
import sys
import urllib.request
from dataclasses import dataclass, field
from typing import Any, Final

import httpx
import httpx2
import psycopg
import requests
from psycopg import pq
from psycopg.pq.abc import PGconn

WATCHED: Final = (
    (psycopg.Cursor, "execute"),  # every query of ours goes through it
    (httpx2.Client, "send"),  # the model
    (httpx.Client, "send"),  # the suppliers
    (requests.Session, "send"),  # the provider
    (urllib.request.OpenerDirector, "open"),  # Slack
)


@dataclass(slots=True)
class Boundaries:
    """How many were crossed, and at which the process dies; None: at none.

    `log`: a connection to the database that nobody watches, by which it is known at which something had `changed`; None: that is not asked.
    `touched`: whether something outside the database may have, since the last one.
    """

    dies_at: int | None
    log: PGconn | None = None
    crossed: int = 0
    on_its_way: bool = False
    touched: bool = True
    changed: list[int] = field(default_factory=list)
    _end: bytes | None = None

    def cross(self) -> None:
        """One more; at its own the process is gone, as if somebody had pulled the plug."""
        self.crossed += 1
        if self.crossed == self.dies_at:
            os.kill(os.getpid(), signal.SIGKILL)
        if self.log is not None:
            end = self.log.exec_(b"SELECT pg_current_wal_insert_lsn()").get_value(0, 0)
            if self.touched or end != self._end:
                self.changed.append(self.crossed)
            self.touched, self._end = False, end


def watch(dies_at: int | None, *, log: str | None = None) -> Boundaries:
    """Watch everything that this process does to the world from now on. It ends with 70 on a way out that is not watched.

    `log`: the database whose log tells what changes; None: that is not asked.
    """
    boundaries = Boundaries(dies_at, pq.PGconn.connect(log.encode()) if log else None)
    for owner, method in WATCHED:
        setattr(owner, method, _watched(getattr(owner, method), boundaries, outside=owner is not psycopg.Cursor))

    def look(event: str, _args: Any) -> None:
        if event == "socket.connect" and not boundaries.on_its_way:
            sys.stderr.write("An outside call that is not counted: name its client in tests/boundaries/watch.py.\n")
            os._exit(70)  # an exception would be taken for a failed call

    sys.addaudithook(look)
    return boundaries


def _watched(original: Any, boundaries: Boundaries, *, outside: bool) -> Any:
    @functools.wraps(original)
    def call(*args: Any, **kwargs: Any) -> Any:
        boundaries.cross()
        boundaries.on_its_way = True
        try:
            return original(*args, **kwargs)
        finally:
            boundaries.on_its_way = False
            boundaries.touched |= outside

    return call
