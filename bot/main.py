"""The composition root: everything is made here once, from the settings, and handed down. `assemble` makes, `serve` runs until told to stop.

A process has any of three parts. `web` takes what Slack and the HTTP API send. `sweep` settles what is due. `worker` advances runs, and is
the only one that imports the model's SDK. Whoever takes requests or sweeps also delivers; any number of processes share one database.
"""

import importlib
import logging
import signal
import socket
import sys
import threading
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, field
from datetime import UTC
from typing import Any, Final

import uvicorn
from apscheduler.schedulers.background import BackgroundScheduler
from starlette.types import ASGIApp

from bot import ready
from bot.cards.ids import screen_id
from bot.cards.secrets import without_secrets
from bot.delivery.courier import Courier
from bot.delivery.rounds import Rounds
from bot.http import api, slack
from bot.http.socket_mode import SocketMode
from bot.listeners.desk import Desk
from engine.errors import Misconfigured
from engine.settings import Settings
from engine.state import db, outage
from engine.tools import Agent
from engine.workers.credentials import CredentialSource, Directory, PerTool
from engine.workers.sweep import Sweeper

log = logging.getLogger("placet")

PARTS: Final = frozenset({"web", "worker", "sweep"})
REQUESTS: Final = 64
"""How many of Slack's requests are under way in the same moment, most of them to be told in time that we are too busy."""
CLICKS: Final = 16
"""How many people are served in the same moment."""
LATER: Final = 4
"""How many things that nobody waits for are done in the same moment."""
CONNECTIONS: Final = 10
DELIVER_S: Final = 1.0
GRACE_S: Final = 10
BACKLOG: Final = 2048
REACH_S: Final = 5
"""How long a process that starts tries to reach its database, in whole seconds."""
SWITCH_S: Final = 0.001
"""After which a thread lets the next one run: at Python's five milliseconds, who answers a click waits for who paints another card."""
LATE_S: Final = 2.0
"""By how much a sweep may be late without a word."""


@dataclass(slots=True)
class Bell:
    """Rung when something was decided or launched in this process, so that nobody has to wait for the next look."""

    heard_by: list[Callable[[], None]] = field(default_factory=list)

    def ring(self) -> None:
        """Wake all who listen."""
        for kick in self.heard_by:
            kick()


@dataclass(slots=True)
class Beat:
    """When the sweep last began, by the wall clock, which goes on while a machine sleeps."""

    every_s: float
    _last: float | None = None

    def silent_s(self, now: float) -> float | None:
        """It begins now: for how long it had not, if that is longer than a busy moment explains; else None."""
        silent = now - self._last if self._last is not None else 0.0
        self._last = now
        return silent if silent > 3 * self.every_s + LATE_S else None


@dataclass(frozen=True, slots=True, kw_only=True)
class House:
    """A process, made and not yet started. `closing` stops what was started, in the reverse order.

    `sockets` is how Slack's deliveries come, None if they come over HTTP.
    """

    settings: Settings
    pool: db.Pool
    agents: Mapping[str, Agent]
    web: ASGIApp
    sockets: SocketMode | None
    courier: Courier
    rounds: Rounds
    sweeper: Sweeper
    scheduler: BackgroundScheduler
    bell: Bell
    beat: Beat
    closing: ExitStack

    def start(self, parts: frozenset[str]) -> None:
        """Start these parts, but for the web server, which is the caller's to run."""
        if parts & {"web", "sweep"}:
            self.rounds.start()
            self.closing.callback(self.rounds.stop)
            self.bell.heard_by.append(self.rounds.kick)
            self._every(DELIVER_S, self.rounds.kick)
        if "web" in parts and self.sockets:
            self.sockets.start()
            self.closing.callback(self.sockets.stop)
        if "worker" in parts:
            working = worker(self, threads=self.settings.workers)
            working.start()
            self.closing.callback(working.stop, GRACE_S)
            self.bell.heard_by.append(working.kick)
        if "sweep" in parts:
            self._every(self.settings.sweep_s, self.sweep)
        self.scheduler.start()
        self.closing.callback(self.scheduler.shutdown)
        self.closing.callback(self.sweeper.stop)

    def sweep(self) -> None:
        """Settle what is due, say what moved, and have it delivered."""
        if silent := self.beat.silent_s(time.time()):
            log.warning("no sweep began for %.0f s; whatever fell due meanwhile is settled now", silent)
        try:
            moved = self.settle()
        except outage.Error as error:
            log.warning("the database is away, nothing was swept: %s", error)
            return
        if moved:
            self.bell.ring()

    def settle(self) -> int:
        """Settle what is due, and say what moved; how many did. Raises one of outage.Error."""
        moved = self.sweeper.run()
        for one in moved:
            log.info("%s: %s, %s, with %s", screen_id("pause", one.pause_id), one.event, one.status, one.approver)
        return len(moved)

    def close(self) -> None:
        """Stop: no new work, steps under way to their end, what was decided meanwhile delivered, runs and connections let go."""
        self.closing.close()

    def _every(self, seconds: float, work: Callable[[], None]) -> None:
        self.scheduler.add_job(work, "interval", seconds=seconds)


def assemble(settings: Settings, *, works: bool = False) -> House:
    """Make a process; `works`: it is to carry out what is approved, too.

    Raises Misconfigured with all that is wrong: agents that cannot be loaded, a token that Slack does not take, a provider's key not there.
    """
    agents, us = ready.agents_and_us(settings, works=works)
    closing, bell = ExitStack(), Bell()
    pool = _pool(settings)
    closing.callback(pool.close)
    courier = Courier(pool=pool, slack=ready.slack(settings), us=us, env=settings.env)
    sweeper = Sweeper(pool)
    front, work = ThreadPoolExecutor(REQUESTS, "slack"), ThreadPoolExecutor(CLICKS, "click")
    later = ThreadPoolExecutor(LATER, "after-click")
    for threads in (front, work, later):
        closing.callback(threads.shutdown)
    desk = Desk(courier=courier, sweeper=sweeper, agents=agents, kick=bell.ring, work=work, later=later)
    closing.callback(desk.closing.set)
    secret = settings.slack_signing_secret.get_secret_value() if settings.slack_signing_secret else None
    bolt = slack.bolt(desk, signing_secret=secret, bot_token=settings.slack_bot_token.get_secret_value(), us=us)
    sockets = SocketMode(bolt, ready.app(settings).connections_open, front) if settings.slack_app_token else None
    counter = api.Counter(
        pool=pool, agents=agents, kick=bell.ring, token=settings.api_token.get_secret_value(),
        unready=lambda: courier.slack.standing.why_not() or (sockets.unready() if sockets else None),
    )  # fmt: skip
    apis = api.application(counter)
    return House(
        settings=settings,
        pool=pool,
        agents=agents,
        web=slack.Door(apis, bolt, secret, front) if secret and not sockets else apis,
        sockets=sockets,
        courier=courier,
        rounds=Rounds(courier),
        sweeper=sweeper,
        scheduler=BackgroundScheduler(
            timezone=UTC, job_defaults={"misfire_grace_time": None, "coalesce": True, "max_instances": 1}
        ),
        bell=bell,
        beat=Beat(settings.sweep_s),
        closing=closing,
    )


def serve(settings: Settings, parts: frozenset[str] = PARTS) -> None:
    """Run these parts until SIGTERM or SIGINT, then stop in good order.

    Raises Misconfigured; one of outage.Error if there is no database to begin with. One that goes away later is waited for.
    """
    log_plainly()
    sys.setswitchinterval(SWITCH_S)
    _within_reach(settings)
    page = _listening(settings) if "web" in parts else None
    house = assemble(settings, works="worker" in parts)
    server, told_to_stop = _web_server(house), threading.Event()

    def stop(*_: object) -> None:
        server.should_exit = True
        told_to_stop.set()

    for told in (signal.SIGTERM, signal.SIGINT):
        signal.signal(told, stop)
    try:
        house.start(parts)
        log.info(
            "started: %s%s", ", ".join(sorted(parts)), f", at http://{settings.host}:{settings.port}" if page else ""
        )
        if page:
            server.run(sockets=[page])
        else:
            told_to_stop.wait()
    finally:
        log.info("stopping")
        house.close()


def _listening(settings: Settings) -> socket.socket:
    """A socket on HOST and PORT. Raises Misconfigured: HOST names no address, or PORT is not to be had."""
    host, port = settings.host, settings.port
    try:
        family, _, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    except (OSError, UnicodeError) as error:
        fault = f"HOST is {host!r}, which names no address ({error}). Write 127.0.0.1, or 0.0.0.0 for all of this machine's."
        raise Misconfigured([fault]) from None
    try:
        return socket.create_server(address[:2], family=family, backlog=BACKLOG)
    except OSError as error:
        fault = (f"PORT is {port}, and nothing can listen there on {host} ({error.strerror}). Stop what does (perhaps another placet serve), "
                 "or set PORT to a free one.")  # fmt: skip
        raise Misconfigured([fault]) from None


def _within_reach(settings: Settings) -> None:
    """Try the database once. Raises one of outage.Error without one, Misconfigured if its tables are of an earlier release."""
    with db.connect(settings.database_url, wait_s=REACH_S) as conn:
        if behind := outage.behind(conn):
            raise Misconfigured([behind])


def _pool(settings: Settings) -> db.Pool:
    url, size, keys = settings.database_url, CONNECTIONS + settings.workers, settings.keys
    if settings.database_pool == "off":
        return db.none_held(url, size=size, keys=keys)
    return db.pool(url, size=size, keys=keys, prepare=settings.database_prepare == "on")


def _web_server(house: House) -> uvicorn.Server:
    return uvicorn.Server(
        uvicorn.Config(
            house.web,
            log_config=None,
            access_log=False,
            ws="none",
            lifespan="off",
            timeout_graceful_shutdown=int(GRACE_S),
        )
    )


def worker(house: House, *, threads: int) -> Any:
    """A worker; only here is the model's SDK imported, which takes two seconds and 86 MB."""
    model, workers = importlib.import_module("engine.workers.model"), importlib.import_module("engine.workers.worker")
    given = house.settings
    complete = model.client(given.anthropic_api_key.get_secret_value(), given.anthropic_base_url)
    return workers.Worker(
        house.pool, house.agents, complete, threads=threads, lease_s=given.lease_s, credentials=_credentials(given)
    )


def _credentials(given: Settings) -> CredentialSource:
    """Who mints: the identity server for the tools that name an audience, where there is one, and the directory."""
    issuer, client, key = given.oauth_issuer, given.oauth_client_id, given.oauth_key_file
    if issuer is None or client is None or key is None:
        return Directory()
    exchange = importlib.import_module("engine.workers.exchange")
    return PerTool(server=exchange.at(issuer, client, key.get_secret_value()))


class _WithoutSecrets(logging.Formatter):
    """Lines in which what looks like a secret is hidden, tracebacks included."""

    def format(self, record: logging.LogRecord) -> str:
        return without_secrets(super().format(record))


def log_plainly() -> None:
    """One line an event to standard error: what we do, and of the libraries only what is wrong; secrets are hidden."""
    out = logging.StreamHandler(sys.stderr)
    out.setFormatter(_WithoutSecrets("%(asctime)s %(levelname)-7s %(name)s: %(message)s"))
    logging.basicConfig(level=logging.WARNING, handlers=[out])
    for ours in ("placet", "bot", "engine"):
        logging.getLogger(ours).setLevel(logging.INFO)
