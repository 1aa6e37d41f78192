"""Our side of everything, in one process that may be killed: launches, works, sweeps, delivers, and takes what Slack sends.

It does one thing at a time, so that the boundaries of a flow come in the same order every time.
"""

import asyncio
import os
import signal
import sys
import threading
import traceback
from collections import deque
from collections.abc import Callable, Mapping
from concurrent.futures import Executor, Future
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, Literal, cast
from uuid import UUID

import httpx
from slack_bolt import BoltRequest

from bot import tick
from bot.delivery import digests, outgoing, repaint
from bot.delivery.courier import Courier
from bot.delivery.web import Slack
from bot.delivery.who import Us
from bot.http import api, slack
from bot.listeners.desk import Desk
from engine.errors import Conflict
from engine.models import Claim
from engine.rules.seal import Keys
from engine.settings import Settings
from engine.state import db, ledger, runs
from engine.tools import load
from engine.workers import loop, model
from engine.workers.means import Means
from engine.workers.sweep import Sweeper
from tests import world
from tests.bot.command_line import Said, as_url, placet
from tests.bot.office import SECRET, TOKEN
from tests.boundaries import asking
from tests.boundaries.place import API_TOKEN, ENV, SEAL_KEY, Place, keys
from tests.boundaries.template import Failed
from tests.boundaries.watch import looking, watch

AGENTS = load([world.AGENT, asking.MODULE])
US = Us(team="T0ACME")
OF_ITSELF = {"round", "tick", "afterwards"}
"""What a process does without being told: nobody waits for its answer, so that one that dies before it begins dies after the one before."""


def live(line: Connection, ours: "Product", dies_at: int | None, *, sealed: bool, noting: bool) -> None:
    """Do what comes over the line, one thing after the other, until told to stop; each answer says how many boundaries were crossed.

    `noting`: and at which of them something had changed.
    """
    boundaries = watch(dies_at, looking(ours.place.database, Path(ours.place.journals)) if noting else None)
    ours.begin(sealed=sealed)
    verb = ""
    while not ours.means.stop.is_set():
        before = verb
        try:
            verb, args = line.recv()
        except EOFError:
            return
        boundaries.told = not (before in OF_ITSELF and verb in OF_ITSELF)
        try:
            answer = getattr(ours, verb)(*args)
        except Exception:  # noqa: BLE001  whatever it is, the test shows it
            answer = Failed(traceback.format_exc())
        boundaries.cross()
        line.send((answer, boundaries.crossed, boundaries.changed))
    ours.late.close()


class Product:
    """The parts of a house, put together without threads and without waiting. `late` is opened by whoever is alive."""

    known: frozenset[str] = frozenset()
    """The modules that were imported before this life began."""

    def __init__(self, place: Place) -> None:
        os.environ.update(
            DATABASE_URL=as_url(place.database),
            SLACK_BOT_TOKEN=TOKEN,
            SLACK_SIGNING_SECRET=SECRET,
            SLACK_API_URL=f"{place.outside}/slack/api/",
            ANTHROPIC_API_KEY="sk-ant-test",
            ANTHROPIC_BASE_URL=f"{place.outside}/anthropic",
            PLACET_AGENTS=f"{world.AGENT},{asking.MODULE}",
            PLACET_API_TOKEN=API_TOKEN,
            PLACET_ENV=ENV,
            PLACET_WORKERS="1",
            STRIPE_API_BASE=f"{place.outside}/stripe",
            STRIPE_API_KEY="sk_test_placet",
            SUPPLIERS_URL=f"{place.outside}/suppliers",
            SSL_CERT_FILE=place.certificate,
        )
        self.place, self.late = place, Late(place.database)
        self.pool = cast("db.Pool", self.late)
        self.later = Later()
        self.means = Means(
            pool=self.pool,
            agents=AGENTS,
            complete=model.client("sk-ant-test", f"{place.outside}/anthropic", retries=0),
            name=f"worker-{os.getpid()}",
            stop=Patience(self.pool),
        )
        self.courier = Courier(pool=self.pool, slack=Slack(TOKEN, f"{place.outside}/slack/api/"), us=US, env=ENV)
        self.sweeper = Sweeper(self.pool)
        desk = Desk(
            courier=self.courier, sweeper=self.sweeper, agents=AGENTS, kick=lambda: None, work=AtOnce(), later=self.later
        )  # fmt: skip
        self.bolt = slack.bolt(desk, signing_secret=SECRET, bot_token=TOKEN, us=US)
        self.web = api.application(api.Counter(pool=self.pool, agents=AGENTS, kick=lambda: None, token=API_TOKEN))

    def begin(self, *, sealed: bool) -> None:
        """Come to life; SIGTERM then asks it to stop when what is under way is done."""
        self.known = frozenset(sys.modules)
        if sealed:
            os.environ["PLACET_SEAL_KEY"] = SEAL_KEY
        self.late.open(keys(sealed=sealed))
        signal.signal(signal.SIGTERM, lambda *_: self.means.stop.set())

    def learnt(self) -> list[str]:
        """What was imported in this life, in the order of it."""
        return [name for name in sys.modules if name not in self.known]

    def launch(self, order: str, key: str, agent: str) -> UUID:
        what = AGENTS[agent].launch(input=order, on_behalf_of="priya", launch_key=key)
        return self.means.do(runs.launch, what, actor="priya", surface="tests")[0]

    def operate(self, verb: Literal["hold", "resume", "cancel"], run_id: UUID) -> str:
        """What an operator wants of a run; what stands is no error."""
        by: dict[str, Any] = {"actor": "otto", "surface": "tests"} | ({"person": "otto"} if verb == "cancel" else {})
        try:
            return str(self.means.do(getattr(runs, verb), run_id, **by))
        except Conflict as conflict:
            return str(conflict)

    def resolve(self, effect_id: UUID) -> str:
        """A person says that it happened."""
        return self.means.do(ledger.resolve, effect_id, "happened", actor="marta", surface="tests", reference="seen")

    def round(self) -> None:
        """Everything that is due, once: sweep, work, say, paint."""
        self.sweeper.run()
        while not self.means.stop.is_set() and (claim := self._claimed()):
            loop.advance(self.means, claim)
        outgoing.say_due(self.courier)
        digests.paint_due(self.courier)
        repaint.paint_due(self.courier)

    def tick(self) -> str:
        """`placet tick`, with its own connections and its own worker."""
        return tick.tick(Settings.from_env(), seconds=50).sentence

    def command(self, *words: str) -> Said:
        """A `placet` command, as somebody types it."""
        return placet(os.environ["DATABASE_URL"], *words, SLACK_BOT_TOKEN=TOKEN)

    def call(self, method: str, path: str, document: Mapping[str, Any]) -> tuple[int, Any]:
        """A call of the HTTP API: status and what was answered."""

        async def asked() -> httpx.Response:
            transport = httpx.ASGITransport(app=self.web)
            async with httpx.AsyncClient(transport=transport, base_url="http://placet") as client:
                bearer = {"Authorization": f"Bearer {API_TOKEN}"}
                return await client.request(method, path, json=document, headers=bearer)

        answer = asyncio.run(asked())
        return answer.status_code, answer.json()

    def _claimed(self) -> Claim | None:
        return self.means.do(runs.claim, self.means.name, list(AGENTS), lease_s=self.means.lease_s)

    def deliver(self, body: str, headers: Mapping[str, str]) -> tuple[int, dict[str, Any], str]:
        """What Slack sends, answered by Bolt with our listeners."""
        answer = self.bolt.dispatch(BoltRequest(body=body, headers=dict(headers)))
        return answer.status, dict(answer.first_headers_without_set_cookie()), answer.body

    def afterwards(self) -> None:
        """What the listeners left for after their answer."""
        self.later.do()


class Late:
    """A pool with threads and connections of the one life in which it is opened."""

    def __init__(self, url: str) -> None:
        self._url = url

    def open(self, sealed_with: Keys) -> None:
        pool = db.pool(self._url, size=1, wait_s=10, keys=sealed_with)
        self.connection, self.close = pool.connection, pool.close


class AtOnce(Executor):
    """Does what it is given before it returns."""

    def submit(self, work: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        done: Future[Any] = Future()
        try:
            done.set_result(work(*args, **kwargs))
        except Exception as error:  # noqa: BLE001  as any executor
            done.set_exception(error)
        return done


class Later(Executor):
    """Keeps what it is given until it is told to do it."""

    def __init__(self) -> None:
        self._kept: deque[Callable[[], Any]] = deque()

    def submit(self, work: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        self._kept.append(lambda: work(*args, **kwargs))
        return Future()

    def do(self) -> None:
        while self._kept:
            self._kept.popleft()()


class Patience(threading.Event):
    """A worker's wish to stop, on which waiting takes no time: behind the watch's back the calls under way are older by that much.

    Whoever waits out a halt finds it lifted when that time is over.
    """

    def __init__(self, pool: db.Pool) -> None:
        super().__init__()
        self._pool = pool

    def wait(self, timeout: float | None = None) -> bool:
        assert timeout is not None
        with self._pool.connection() as conn:
            conn.pgconn.exec_(
                f"UPDATE effect_attempt SET call_deadline = call_deadline - {timeout} * interval '1 second' WHERE status = 'open';"
                "DELETE FROM halt".encode()
            )
        return self.is_set()
