"""Counts the boundaries that this process crosses, and kills it at one of them.

A boundary lies before and after everything that can change what outlives the process: each database statement and each outside call.
What is after one is before the next, and counts once; after the last one of a request all is done, and nobody has been told.

A process that dies where nothing has changed since the boundary before leaves what it would have left there: such a boundary has no kill of
its own. Nothing has changed if nobody told this process anything, every row is as it was, and the world outside wrote nothing into its
journals; so what lies between only read, or asked.
"""

import functools
import os
import signal
import sys
import urllib.request
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import httpx
import httpx2
import psycopg
import requests
from psycopg import pq

from tests import database

WATCHED: Final = (
    (psycopg.Cursor, "execute"),  # every query of ours goes through it
    (httpx2.Client, "send"),  # the model
    (httpx.Client, "send"),  # the suppliers
    (requests.Session, "send"),  # the provider
    (urllib.request.OpenerDirector, "open"),  # Slack
)

_ROWS: Final = "(SELECT md5(string_agg(t::text, '|' ORDER BY t::text)) FROM {table} t)"
_ALL_ROWS: Final = (
    f"SELECT concat_ws(',', {', '.join(_ROWS.format(table=table) for table in database.TABLES)})".encode()
)


@dataclass(slots=True)
class Boundaries:
    """How many were crossed, and at which the process dies; None: at none.

    `looks`: how everything stands, of which it is known at which something had `changed`; None: that is not asked. `told`: whether this
    process was told something since the last one.
    """

    dies_at: int | None
    looks: Callable[[], object] | None = None
    crossed: int = 0
    on_its_way: bool = False
    told: bool = True
    changed: list[int] = field(default_factory=list)
    _stood: object = None

    def cross(self) -> None:
        """One more; at its own the process is gone, as if somebody had pulled the plug."""
        self.crossed += 1
        if self.crossed == self.dies_at:
            os.kill(os.getpid(), signal.SIGKILL)
        if self.looks is not None:
            stands = self.looks()
            if self.told or stands != self._stood:
                self.changed.append(self.crossed)
            self.told, self._stood = False, stands


def looking(database: str, journals: Path) -> Callable[[], object]:
    """A look at everything that outlives a process, over a connection that nobody watches: all rows, and how long the world's journals are."""
    conn = pq.PGconn.connect(database.encode())
    return lambda: (
        conn.exec_(_ALL_ROWS).get_value(0, 0),
        [journal.stat().st_size for journal in sorted(journals.glob("*.jsonl"))],
    )


def watch(dies_at: int | None, looks: Callable[[], object] | None = None) -> Boundaries:
    """Watch everything that this process does to the world from now on. It ends with 70 on a way out that is not watched.

    `looks`: tells how everything stands, so that what changes is known; None: that is not asked.
    """
    boundaries = Boundaries(dies_at, looks)
    for owner, method in WATCHED:
        setattr(owner, method, _watched(getattr(owner, method), boundaries))

    def look(event: str, _args: Any) -> None:
        if event == "socket.connect" and not boundaries.on_its_way:
            sys.stderr.write("An outside call that is not counted: name its client in tests/boundaries/watch.py.\n")
            os._exit(70)  # an exception would be taken for a failed call

    sys.addaudithook(look)
    return boundaries


def _watched(original: Any, boundaries: Boundaries) -> Any:
    @functools.wraps(original)
    def call(*args: Any, **kwargs: Any) -> Any:
        boundaries.cross()
        boundaries.on_its_way = True
        try:
            return original(*args, **kwargs)
        finally:
            boundaries.on_its_way = False

    return call
