"""Where chaos happens: PostgreSQL behind a relay, the outside world, and several processes of the real thing behind another relay.

The one rule: only what was started here is ever killed, and all of it is stopped at the end.
"""

import hashlib
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import httpx
import psutil
from psycopg.conninfo import conninfo_to_dict

from bot.sandbox import demo, postgres
from bot.sandbox.house import EXAMPLE, House, _free_port, _reap, house
from bot.sandbox.player import Json, Player
from engine.rules import people as people_rules
from engine.state import db, people, policies
from tests.boundaries import asking
from tests.chaos import bulk
from tests.chaos.relay import HOST, Relay, relay

LEASE_S: Final = 5
SEAL_KEY: Final = "k1:" + hashlib.sha256(b"chaos").hexdigest()
ANSWER_S: Final = 900
"""How long an approver has: longer than a short chaos lasts, so that only hours which are moved run out."""
LONG_S: Final = 86_400
"""The same for a long one."""

GONE_S: Final = 120.0
"""Within which a PostgreSQL that was killed must be gone, all its processes with it."""

NO_SLACK: Final = ", as it found no Slack when it started"

PARTS: Final = ((), (), ("worker", "sweep"))
"""What each process is; () is everything."""


PEOPLE: Final = (EXAMPLE / "people.toml").read_text("utf-8")


TOGETHER: Final = '\n[spend_window]\npayment = "10s"\n'
"""Small orders within ten seconds count together: some of them are asked about."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Form:
    """What kind of place it is: its people, its policy, its agents, and the module of its outside world."""

    people: str
    policy: str
    agents: str
    outside: str


def ordinary() -> Form:
    """People go through the workspace's page."""
    policy = demo.demo_policy(answer_s=ANSWER_S, step_s=ANSWER_S) + asking.rule(f"{ANSWER_S}s") + TOGETHER
    agents = f"examples.procurement.agent,{bulk.__name__},{asking.MODULE}"
    return Form(people=PEOPLE, policy=policy, agents=agents, outside="tests.chaos.market")


def dense() -> Form:
    """Lists of payments, some of which two people must approve; a Slack that remembers little."""
    policy = demo.demo_policy(answer_s=LONG_S, step_s=LONG_S).replace("-demo-", "-dense-")
    everybody = re.sub('roles = \\["finance-(approver|lead)"', r'\g<0>, "board"', PEOPLE)
    by_two = f"""
[[rule]]
name = "huge payment"
action = "payment"
currency = "EUR"
over = "50000.00"
need = "ask"
role = "board"
approvers = 2
answer_within = "{LONG_S}s"
on_expiry = "deny"
tolerance = {{ percent = "2", direction = "both" }}
channel = "C0BUY"
"""
    bounded = policy.replace('over = "10000.00"\n', 'over = "10000.00"\nup_to = "50000.00"\n') + by_two
    return Form(
        people=everybody,
        policy=bounded,
        agents=f"examples.procurement.agent,{bulk.__name__}",
        outside="tests.chaos.outside",
    )


class Life:
    """One process of ours, which dies and comes back; `port` is where it listens, if it does."""

    def __init__(self, name: str, home: House, parts: Sequence[str]) -> None:
        self.name, self.port = name, _free_port()
        self.busy = threading.Lock()
        self.takes_requests = not parts
        self._home = home
        self._arguments = [word for part in parts for word in ("--only", part)]
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start it; it is left to become ready by itself, as a supervisor would."""
        log = self._home.log(self.name)
        log.parent.mkdir(parents=True, exist_ok=True)
        with log.open("ab") as sink:
            self._process = subprocess.Popen(
                [sys.executable, "-W", "ignore", "-m", "bot.sandbox.child", "bot.cli", "serve", *self._arguments],
                stdin=subprocess.PIPE, stdout=sink, stderr=sink, env={**self._home.env, "PORT": str(self.port)}, start_new_session=True,
            )  # fmt: skip

    def kill(self) -> None:
        """SIGKILL, in the middle of whatever it does."""
        assert self._process is not None
        self._process.kill()
        _reap(self._process)

    def end(self) -> None:
        """SIGTERM and time to end in good order, as in a deploy."""
        assert self._process is not None
        self._process.send_signal(signal.SIGCONT)
        self._process.terminate()
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(15)
        self.kill()

    def freeze(self, seconds: float) -> None:
        """Stop its clock for so long; its leases run out meanwhile, and it wakes believing that they hold."""
        assert self._process is not None
        self._process.send_signal(signal.SIGSTOP)
        try:
            time.sleep(seconds)
        finally:
            self._process.send_signal(signal.SIGCONT)

    def mend(self) -> str | None:
        """Start it if it is not running; how it had ended by itself, None if it runs."""
        code = self._process.poll() if self._process is not None else None
        if code is not None:
            assert self._process is not None
            _reap(self._process)
            how = f"exit code {code}{NO_SLACK if code == 2 and self._found_no_slack() else ''}"
            self.start()
            return how
        return None

    def _found_no_slack(self) -> bool:
        """Whether the last that it said is that Slack could not be reached when it started."""
        return "Slack cannot be reached from here" in self._home.log(self.name).read_text("utf-8")[-1500:]


class Place:
    """All of it, running. `line` leads to the database, `front` to the processes that take requests."""

    def __init__(self, home: House, line: Relay, front: Relay, player: Player) -> None:
        self.home, self.line, self.front, self.player = home, line, front, player
        self.lives = [Life(f"serve-{n}", home, parts) for n, parts in enumerate(PARTS)]
        self._database = threading.Lock()
        self._http = httpx.Client(timeout=5)
        self._data = home.folder / "postgres" / "data"

    def crash_database(self, how: signal.Signals) -> None:
        """Kill PostgreSQL and start it again: SIGKILL of the postmaster, or SIGQUIT, which it calls immediate."""
        with self._database:
            postmaster = psutil.Process(int((self._data / "postmaster.pid").read_text().split("\n", 1)[0]))
            if str(self._data.resolve()) not in postmaster.cmdline():
                raise AssertionError(f"process {postmaster.pid} is no PostgreSQL of ours")
            postmaster.suspend()  # so that nothing is born between being counted and being gone
            family = [postmaster, *postmaster.children(recursive=True)]
            postmaster.send_signal(how)
            with suppress(psutil.NoSuchProcess):
                postmaster.resume()
            _wait_until_gone(family)
            postgres.start(self._data)

    def ask(self, path: str, document: Json) -> httpx.Response:
        """Ask the HTTP API of whichever process the front leads to. Raises httpx.HTTPError."""
        headers = {"Authorization": f"Bearer {self.home.token}"}
        return self._http.post(
            f"http://{HOST}:{self.front.port}{path}", json=document, headers={**headers, "Connection": "close"}
        )

    def ready(self, within_s: float = 240) -> None:
        """Wait until every process that takes requests is ready. Raises AssertionError with the log of one that is not."""
        deadline = time.monotonic() + within_s
        for life in (one for one in self.lives if one.takes_requests):
            while True:
                with suppress(httpx.HTTPError):
                    if self._http.get(f"http://{HOST}:{life.port}/readyz", timeout=2).is_success:
                        break
                assert time.monotonic() < deadline, f"{life.name} is not ready; its log is {self.home.log(life.name)}"
                time.sleep(0.1)


def _wait_until_gone(family: Sequence[psutil.Process]) -> None:
    """Wait for the end of a postmaster and its processes. Those that a killed one leaves notice by themselves, a busy one late: it is killed."""
    began = time.monotonic()
    while left := [process for process in family if _lives(process)]:
        passed = time.monotonic() - began
        assert passed < GONE_S, f"PostgreSQL does not die: {left}"
        if passed > GONE_S / 2:
            for process in left:
                with suppress(psutil.NoSuchProcess):
                    process.kill()
        time.sleep(0.05)


def _lives(process: psutil.Process) -> bool:
    """Whether it still runs; what nobody has collected yet does not."""
    try:
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


@contextmanager
def place(folder: Path, form: Form) -> Iterator[Place]:
    """The place on an empty folder, with people, a policy, and every process ready."""
    with relay() as line, relay() as front:
        env = {
            "DATABASE_URL": f"postgresql://postgres@{HOST}:{line.port}/postgres?sslmode=disable&gssencmode=disable",
            "OUTSIDE_APP_URL": f"http://{HOST}:{front.port}/slack/events",
            "PLACET_LEASE": str(LEASE_S),
            "PLACET_SEAL_KEY": SEAL_KEY,
            "PLACET_AGENTS": form.agents,
        }
        with house(folder, port=0, env=env, say=lambda _text: None) as home:
            socket_folder = str(conninfo_to_dict(home.database_url)["host"])
            line.lead_to(f"{socket_folder}/.s.PGSQL.5432")
            _furnish(home.database_url, form)
            home.start_outside(form.outside)
            with Player(home.page_url) as player:
                made = Place(home, line, front, player)
                front.lead_to(*(life.port for life in made.lives if life.takes_requests))
                try:
                    for life in made.lives:
                        life.start()
                    made.ready()
                    yield made
                finally:
                    made._http.close()
                    for life in made.lives:
                        if life._process is not None:
                            life.end()


def _furnish(url: str, form: Form) -> None:
    db.migrate(url)
    everybody = people_rules.parse(form.people)
    with db.connect(url) as conn:
        people.load(conn, everybody, actor="chaos")
        policies.apply(conn, form.policy, everybody, actor="chaos")
