"""What survives every kill: the database, and the world outside, served at one address; kept at one moment, and put back as it was then."""

import shutil
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Protocol

import httpx
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Mount, Route

from bot.sandbox.buyer import buyer
from bot.sandbox.histories import Problem
from bot.sandbox.journal import Journal
from bot.sandbox.model import Reply, Script, model_app
from bot.sandbox.provider import Provider, provider_app
from bot.sandbox.seed import Command
from bot.sandbox.suppliers import Suppliers, suppliers_app
from bot.sandbox.workspace_app import workspace_app
from engine.rules import people as people_rules
from engine.state import people, policies
from tests import database
from tests.bot.office import SECRET, TOKEN, Office
from tests.boundaries.place import Place, keys, one_certificate
from tests.boundaries.template import Template, template
from tests.sandbox.loopback import Served, serving

POLICY: Final = (database.EXAMPLES / "policy.toml").read_text()
PEOPLE: Final = (
    (database.EXAMPLES / "people.toml").read_text().replace('"operator"]', '"operator", "finance-approver"]')
)
"""Those of the example, with Otto as a third approver: so many must there be for two to approve."""


class Door(Protocol):
    """Our process as Slack reaches it: (status, headers, body), or None if it died meanwhile."""

    def __call__(self, body: str, headers: dict[str, str]) -> tuple[int, dict[str, Any], str] | None: ...


@dataclass(slots=True, kw_only=True)
class Outside:
    """The world outside, as its journals tell it."""

    provider: Provider
    suppliers: Suppliers
    workspace: Starlette
    journals: tuple[Journal, ...]

    def close(self, served: Served) -> None:
        """Drop what is on its way, and give the files back."""
        served.end(self.workspace)
        for journal in self.journals:
            journal.close()


@dataclass(slots=True, kw_only=True)
class Ground:
    """The ground that holds. `door` is where Slack's deliveries go, `heard` counts those that were answered.

    `meanwhile` happens once, while the model thinks.
    """

    place: Place
    template: Template
    conn: Any
    http: httpx.Client
    folder: Path
    served: Served
    script: Script = buyer
    sealed: bool = False
    heard: threading.Semaphore = field(default_factory=lambda: threading.Semaphore(0))
    door: Door | None = None
    meanwhile: Callable[[], None] | None = None
    outside: Outside | None = None
    again: str = ""
    """The statements that put the kept rows back."""

    def office(self) -> Office:
        """The workspace, as its people use it."""
        assert self.outside is not None
        return Office(url=self.place.outside, http=self.http, workspace=self.outside.workspace)

    def fresh(self, script: Script, policy: str | None, *, sealed: bool) -> None:
        """Empty rows with this policy in force (None: the example's), and a world in which nothing has happened."""
        self.script, self.sealed = script, sealed
        self.conn.keys = keys(sealed=sealed)
        database.empty(self.place.database)
        everybody = people_rules.parse(PEOPLE)
        people.load(self.conn, everybody, actor="tests")
        policies.apply(self.conn, policy or POLICY, everybody, actor="tests")
        shutil.rmtree(self.folder / "now", ignore_errors=True)
        self._set_out()

    def keep(self) -> None:
        """Remember all rows and journals as they are now: what a flow begins with."""
        shutil.rmtree(self.folder / "kept", ignore_errors=True)
        shutil.copytree(self.folder / "now", self.folder / "kept")
        self.again = database.keep(self.conn)

    def put_back(self) -> None:
        """Let everything be as it was kept."""
        shutil.rmtree(self.folder / "now", ignore_errors=True)
        shutil.copytree(self.folder / "kept", self.folder / "now")
        self._set_out()
        database.put_back(self.conn, self.again)

    def _set_out(self) -> None:
        if self.outside is not None:
            self.outside.close(self.served)
        self.meanwhile = None
        now = self.folder / "now"
        journals = Journal(now / "provider.jsonl"), Journal(now / "suppliers.jsonl")
        provider, suppliers = Provider(journals[0]), Suppliers(journals[1])
        app = workspace_app(
            journal=now / "slack.jsonl",
            app_url=f"{self.place.outside}/door",
            signing_secret=SECRET,
            bot_token=TOKEN,
            commands=(Command(command="/approvals", description="What waits"),),
            patience=30,
        )
        app.router.routes[:0] = [
            Route("/door", self._deliver, methods=["POST"]),
            Mount("/stripe", provider_app(provider)),
            Mount("/suppliers", suppliers_app(suppliers)),
            Mount("/anthropic", model_app(self._think)),
        ]
        self.served.app = app
        self.outside = Outside(provider=provider, suppliers=suppliers, workspace=app, journals=journals)

    def _think(self, request: Mapping[str, Any]) -> Reply | Problem:
        happens, self.meanwhile = self.meanwhile, None
        if happens is not None:
            happens()
        return self.script(request)

    async def _deliver(self, request: Request) -> Response:
        body = (await request.body()).decode()
        assert self.door is not None
        answer = await run_in_threadpool(self.door, body, dict(request.headers))
        self.heard.release()
        if answer is None:
            return Response("nobody is there", status_code=502)
        status, headers, said = answer
        return Response(said, status, {name: str(value) for name, value in headers.items()})


@contextmanager
def ground(server: str, name: str, folder: Path) -> Iterator[Ground]:
    """Ground on this database server, with a database of its own."""
    url = database.hurried(server, name)
    served = Served()
    with (
        serving(served) as address,
        template(place := Place(url, address, str(folder / "now"), one_certificate(folder))) as process,
        httpx.Client(base_url=address, timeout=60) as http,
        database.connect(url) as conn,
    ):
        made = Ground(place=place, template=process, conn=conn, http=http, folder=folder, served=served)
        try:
            yield made
        finally:
            if made.outside is not None:
                made.outside.close(served)
