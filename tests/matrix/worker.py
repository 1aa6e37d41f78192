"""A worker in a process of its own, which dies or stands still where it is told to. Forked from a prepared one (tests/boundaries/template.py).

Its waits take no time: behind its back the hours pass, for the rows and for the provider.
"""

import json
import math
import os
import signal
import sys
import threading
import time
import traceback
import urllib.request
from collections.abc import Callable
from dataclasses import replace
from multiprocessing.connection import Connection
from typing import Any, Final

import stripe

from engine.state import db, ledger
from engine.tool import Effect, Tool
from engine.tools import load
from engine.workers import model
from engine.workers.means import Means
from engine.workers.moments import Moment
from engine.workers.worker import Worker
from tests.boundaries.place import Place
from tests.boundaries.template import Failed
from tests.matrix import hours

LEASE_S: Final = 0.3
"""Shorter than a call that hangs; and nobody renews it, so that it lasts as long as the ledger's own statements say."""

_STOOD_S: Final = 22 * 3600
"""For how long one that stood still takes itself to have done so."""


def live(line: Connection, ours: "Product", _dies_at: int | None, *, sealed: bool, noting: bool) -> None:
    """Do what comes over the line until nobody is at its other end."""
    assert not sealed
    assert not noting
    ours.begin(line)
    while True:
        try:
            verb, args = line.recv()
        except EOFError:
            return
        try:
            answer = getattr(ours, verb)(*args)
        except Exception:  # noqa: BLE001  whatever it is, the test shows it
            answer = Failed(traceback.format_exc())
        line.send((answer, 0, []))


class Product:
    """A worker, put together and not yet alive."""

    worker: Worker
    line: Connection
    known: frozenset[str] = frozenset()
    """The modules that were imported before this life began."""

    def __init__(self, place: Place) -> None:
        os.environ.update(
            STRIPE_API_BASE=f"{place.outside}/stripe", STRIPE_API_KEY="sk_test_placet", SSL_CERT_FILE=place.certificate
        )
        self._place = place
        self._agents = load(["tests.matrix.agent"])
        self._complete = model.client("sk-ant-test", f"{place.outside}/anthropic", retries=0)

    def begin(self, line: Connection) -> None:
        """Come to life, with a connection of its own to the database."""
        pool = db.pool(self._place.database, size=2, wait_s=10)
        self.line, self.known = line, frozenset(sys.modules)
        self.worker = Worker(pool, self._agents, self._complete, threads=0, lease_s=LEASE_S)
        patience = Patience(pool, self._place.outside)
        self.worker._means = replace(self.worker._means, stop=patience)

    def work(self, crash: str, call_s: int) -> str:
        """Bring all runs as far as they go, in calls of `call_s` at most, or to the crash."""
        for agent in self._agents.values():
            for tool in agent.tools.values():
                tool.timeout_s = call_s
                tool.function = self._watched(tool, _die if crash == "answered" else _nothing)
        match crash:
            case "unbegun":
                _instead_of(ledger, "begin", _die)
            case "begun":
                _after(ledger.begin, _die)
            case "recorded":
                _after(ledger.settle, _die)
            case "froze_begun":
                _after(ledger.begin, self._stand_still)
        while self.worker.work_once():
            pass
        return "at its end"

    def learnt(self) -> list[str]:
        """What was imported in this life, in the order of it."""
        return [name for name in sys.modules if name not in self.known]

    def _watched(self, tool: Tool, afterwards: Callable[[], None]) -> Callable[..., Any]:
        """The tool's function; when it gave up a call, the provider knows that before anything else happens."""
        original = tool.function

        def pay(effect: Effect, **arguments: Any) -> Any:
            try:
                return original(effect, **arguments)
            except stripe.APIConnectionError:
                urllib.request.urlopen(f"{self._place.outside}/free?key={effect.attempt_key}").close()
                raise
            finally:
                afterwards()

        return pay

    def _stand_still(self) -> None:
        """Until somebody says that it may go on. It has been stopped altogether meanwhile, and finds that hours have passed."""
        self.line.send(("stands still", 0, []))
        self.line.recv()

        def now(cls: type[Moment]) -> Moment:
            return cls(time.monotonic() + _STOOD_S, time.time() + _STOOD_S)

        Moment.now = classmethod(now)  # type: ignore[assignment, method-assign]


class Patience(threading.Event):
    """A worker's wish to stop, on which waiting takes no time."""

    def __init__(self, pool: db.Pool, outside: str) -> None:
        super().__init__()
        self._pool, self._outside = pool, outside

    def wait(self, timeout: float | None = None) -> bool:
        assert timeout is not None
        if seconds := math.ceil(timeout):
            with self._pool.connection() as conn:
                hours.pass_for_calls(conn, seconds)
            body = json.dumps({"advance_seconds": seconds}).encode()
            urllib.request.urlopen(f"{self._outside}/stripe/_clock", body).close()
        return self.is_set()


def _after(verb: object, happens: Callable[[], None]) -> None:
    """Have something happen once, as soon as a verb is committed."""
    original, left = Means.do, [happens]

    def do(means: Means, asked: Any, /, *args: Any, **kwargs: Any) -> Any:
        came = original(means, asked, *args, **kwargs)
        if asked is verb and left:
            left.pop()()
        return came

    Means.do = do  # type: ignore[method-assign]


def _instead_of(owner: Any, name: str, happens: Callable[[], None]) -> None:
    """Have something happen where a verb would be asked for. It is one statement, which commits by itself: there is nothing between."""
    setattr(owner, name, lambda *_, **__: happens())


def _die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def _nothing() -> None:
    """It lives."""
