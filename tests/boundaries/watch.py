"""Counts the boundaries that this process crosses, and kills it at one of them.

A boundary lies before and after everything that can change what outlives the process: each database statement and each outside call.
What is after one is before the next, and counts once; after the last one of a request all is done, and nobody has been told.
"""

import functools
import os
import signal
import sys
import urllib.request
from dataclasses import dataclass
from typing import Any, Final

import httpx
import httpx2
import psycopg
import requests

WATCHED: Final = (
    (psycopg.Cursor, "execute"),  # every query of ours goes through it
    (httpx2.Client, "send"),  # the model
    (httpx.Client, "send"),  # the suppliers
    (requests.Session, "send"),  # the provider
    (urllib.request.OpenerDirector, "open"),  # Slack
)


@dataclass(slots=True)
class Boundaries:
    """How many were crossed, and at which the process dies; None: at none."""

    dies_at: int | None
    crossed: int = 0
    on_its_way: bool = False

    def cross(self) -> None:
        """One more; at its own the process is gone, as if somebody had pulled the plug."""
        self.crossed += 1
        if self.crossed == self.dies_at:
            os.kill(os.getpid(), signal.SIGKILL)


def watch(dies_at: int | None) -> Boundaries:
    """Watch everything that this process does to the world from now on. It ends with 70 on a way out that is not watched."""
    boundaries = Boundaries(dies_at)
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
