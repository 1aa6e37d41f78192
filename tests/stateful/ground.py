"""The real thing under the machine: PostgreSQL, a worker, a sweeper and a courier of ours, and the workspace in which people click.

Laid once; each example begins on an empty one. Everything of ours runs in the test's own thread, so that an example is the same each time.
"""

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal
from uuid import UUID

import httpx
import psycopg
from starlette.applications import Starlette

from bot.cards.ids import Button
from bot.delivery import outgoing, repaint
from bot.delivery.courier import Courier
from bot.delivery.web import Slack
from bot.delivery.who import Turned, Us
from bot.listeners import decisions
from bot.listeners.decisions import Click
from bot.listeners.desk import Desk
from bot.listeners.places import Place
from bot.sandbox.journal import Journal
from bot.sandbox.payments import Provider
from bot.sandbox.seed import OTHER_TEAM, TEAM
from bot.sandbox.workspace_app import workspace_app
from engine.models import Outcome
from engine.rules import chain, digest
from engine.rules import people as people_rules
from engine.rules.seal import Keys
from engine.state import events, people, policies
from engine.workers.means import Means
from engine.workers.sweep import Sweeper
from tests import database
from tests.bot.office import SECRET, TOKEN, Office
from tests.boundaries.product import AtOnce, Later
from tests.engine.workers.desk import Hours
from tests.sandbox.loopback import Served, serving
from tests.stateful.lines import Fate, Lines
from tests.stateful.outside import Outside
from tests.stateful.rules import USERS, people_document, policy_document
from tests.stateful.working import MOST_TURNS

ENV: Final = "test"
KEYS: Final = Keys.parse("k1:" + hashlib.sha256(b"stateful").hexdigest())
Verb = Literal["approve", "deny", "withdraw"]


@dataclass(kw_only=True)
class Ground:
    """What an example stands on. `conn` is the test's own connection, `lines` those of our process, which may be lost."""

    url: str
    conn: Any
    fate: Fate
    lines: Lines
    address: str
    http: httpx.Client
    served: Served
    folder: Path
    examples: int = 0
    workspace: Starlette | None = None

    def fresh(self) -> None:
        """Nothing has happened: the people are there, and a policy is in force."""
        self.fate.plan()
        database.empty(self.url)
        everybody = people_rules.parse(people_document())
        people.load(self.conn, everybody, actor="tests")
        policies.apply(self.conn, policy_document("plain", "v0"), everybody, actor="tests")
        self.close()
        self.examples += 1
        journal = self.folder / f"provider-{self.examples}.jsonl"
        self._journal = Journal(journal)
        self.outside = Outside(provider=Provider(self._journal), fate=self.fate)
        self.workspace = self.served.app = workspace_app(
            journal=self.folder / f"slack-{self.examples}.jsonl", app_url="http://127.0.0.1:9/", signing_secret=SECRET, bot_token=TOKEN
        )  # fmt: skip
        slack = Slack(TOKEN, f"{self.address}/slack/api/")
        slack._check = slack._patient  # a busy machine is no outage
        self.courier = Courier(pool=self.lines.pool, slack=slack, us=Us(team=TEAM), env=ENV)
        agent = self.outside.agent(MOST_TURNS)
        self.means = Means(
            pool=self.lines.pool, agents={agent.name: agent}, complete=self.outside.complete, name="w1", lease_s=600, stop=Hours(self.conn)
        )  # fmt: skip
        self.desk = Desk(
            courier=self.courier, sweeper=Sweeper(self.lines.pool), agents=self.means.agents, kick=lambda: None, work=AtOnce(), later=Later()
        )  # fmt: skip

    def close(self) -> None:
        """Give the files of an example back."""
        if self.workspace is None:
            return
        self.served.end(self.workspace)
        self._journal.close()
        self.workspace = None

    @property
    def office(self) -> Office:
        """The workspace, as its people use it."""
        assert self.workspace is not None
        return Office(url=self.address, http=self.http, workspace=self.workspace)

    def click(self, actor: str, verb: Verb, pause_id: UUID, shown: str) -> Outcome | Turned:
        """Somebody presses a button of a card; what came of it, as they are told."""
        team = OTHER_TEAM if actor == "gero" else TEAM
        who = self.desk.who({"user": {"id": USERS[actor], "team_id": team}, "team": {"id": TEAM}})
        if isinstance(who, Turned):
            return who
        place = Place(surface="home", channel="C0BUY", user=USERS[actor])
        click = Click(button=Button(ENV, pause_id, shown), actor=who.actor, place=place, trigger_id="")
        outcome = decisions.decide(self.desk, click, verb, reason="Too dear." if verb == "deny" else "")
        decisions.answer(self.desk, outcome, verb, place)
        return outcome

    def deliver(self) -> None:
        """Say and paint what is due, once."""
        outgoing.say_due(self.courier)
        repaint.paint_due(self.courier)

    def pass_hours(self, hours: int) -> None:
        """Let it be so many hours later: everything that ever happened is moved back, and so is its record, link by link."""
        self.outside.provider.advance(hours * 3600)
        with self.conn.transaction():
            self.conn.execute("SET LOCAL session_replication_role = replica")
            for table, columns in self._moments.items():
                back = ", ".join(f"{column} = {column} - interval '{hours} hours'" for column in columns)
                self.conn.execute(f"UPDATE {table} SET {back}".encode())
            self._link_anew()

    def _link_anew(self) -> None:
        """Heads and marks of moves whose hours are other ones now."""
        links: list[tuple[UUID, int, str]] = []
        for (run_id,) in self.conn.execute("SELECT id FROM run").fetchall():
            head = digest.GENESIS
            for seq, moved in sorted(chain._moves(events.read(self.conn, run_id)).items()):
                head = chain._link(head, moved)
                links.append((run_id, seq, head))
        self.conn.execute(
            "WITH link AS (SELECT * FROM unnest(%s::uuid[], %s::int[], %s::text[]) AS made (run_id, seq, head)),"
            " marked AS (UPDATE run_event e SET mark = chain_mark_v1(head) FROM link WHERE (e.run_id, e.seq) = (link.run_id, link.seq))"
            " UPDATE run SET head = link.head FROM link WHERE (run.id, run.seq) = (link.run_id, link.seq)",
            [list(column) for column in zip(*links, strict=True)],
        )

    def learn_moments(self) -> None:
        """Where the rows hold moments."""
        found = self.conn.execute(
            "SELECT table_name, array_agg(column_name::text) FROM information_schema.columns"
            " WHERE table_schema = 'public' AND data_type = 'timestamp with time zone' AND table_name = ANY(%s) GROUP BY 1",
            (list(database.TABLES),),
        ).fetchall()
        self._moments = dict(found)


@contextmanager
def ground(server: str, folder: Path) -> Iterator[Ground]:
    """Lay it, in a database of its own."""
    url = database.hurried(server, "placet_stateful")
    served = Served()
    with (
        database.connect(url, KEYS) as conn,
        psycopg.connect(url, autocommit=True) as control,
        serving(served) as address,
        httpx.Client(base_url=address, timeout=60) as http,
    ):
        fate = Fate()
        lines = Lines(url, KEYS, fate, control)
        made = Ground(
            url=url, conn=conn, fate=fate, lines=lines, address=address, http=http, served=served, folder=folder
        )
        made.learn_moments()
        try:
            yield made
        finally:
            made.close()
            lines.close()
