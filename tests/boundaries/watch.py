"""Counts the moments at which this process may be killed, and kills it at one of them.

A moment lies between any two things that can change what outlives the process: before each database statement and each outside call,
and so after the one before it; and after the last one of a request, when all is done and nobody has been told.
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
class Moments:
    """How many have passed, and at which the process dies; None: at none."""

    dies_at: int | None
    passed: int = 0
    on_its_way: bool = False

    def pass_(self) -> None:
        """One more; at its own the process is gone, as if somebody had pulled the plug."""
        self.passed += 1
        if self.passed == self.dies_at:
            os.kill(os.getpid(), signal.SIGKILL)


def watch(dies_at: int | None) -> Moments:
    """Watch everything that this process does to the world from now on. It ends with 70 on a way to the outside that is not watched."""
    moments = Moments(dies_at)
    for owner, method in WATCHED:
        setattr(owner, method, _watched(getattr(owner, method), moments))

    def look(event: str, _args: Any) -> None:
        if event == "socket.connect" and not moments.on_its_way:
            sys.stderr.write("An outside call that is not counted: name its client in tests/boundaries/watch.py.\n")
            os._exit(70)  # an exception would be taken for a failed call

    sys.addaudithook(look)
    return moments


def _watched(original: Any, moments: Moments) -> Any:
    @functools.wraps(original)
    def call(*args: Any, **kwargs: Any) -> Any:
        moments.pass_()
        moments.on_its_way = True
        try:
            return original(*args, **kwargs)
        finally:
            moments.on_its_way = False

    return call
