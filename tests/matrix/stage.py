"""Where a cell is played: the database with an approved payment in it, a provider that nobody has called, and the workers."""

import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any, Final

import psutil
import pytest
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Mount, Route

from bot.sandbox.faults import Fault
from bot.sandbox.journal import Journal
from bot.sandbox.model import model_app
from bot.sandbox.provider import Provider, provider_app
from engine.models import Decided
from engine.state import pauses, runs
from tests import database
from tests.boundaries.place import Place, one_certificate
from tests.boundaries.template import Killed, Life, Template, template
from tests.matrix import hours
from tests.matrix.agent import LAGS_S, agent, name_of, script
from tests.matrix.cells import FORGOTTEN_H, HOURS, Cell
from tests.matrix.line import Line
from tests.matrix.worker import LEASE_S
from tests.sandbox.loopback import Served, serving

_CREATE: Final = {"endpoint": "create"}
_PLANS: Final[dict[str, tuple[Fault, ...]]] = {
    "none": (),
    "drop_before": (Fault(kind="drop_before", match=_CREATE),),
    "drop_after": (Fault(kind="drop_after", match=_CREATE),),
    "500_after": (Fault(kind="500_after", match=_CREATE),),
    "hang_after": (Fault(kind="hang_after", match=_CREATE),),
    "key_forgotten": (Fault(kind="drop_after", match=_CREATE),),
    "list_lags": (
        Fault(kind="500_after", match=_CREATE),
        Fault(kind="list_lags", match={"endpoint": "list"}, times=None, seconds=LAGS_S),
    ),
    "search_lags": (Fault(kind="500_after", match=_CREATE),),  # it always does
    "down": (Fault(kind="down", match={}, times=None),),
}
_DATABASE: Final = "placet_matrix"
_OTHERS: Final = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"


@dataclass(slots=True, kw_only=True)
class Stage:
    """The stage. `rival` is what another worker got that tried to claim the run during the first call of one that was left alone."""

    place: Place
    template: Template
    conn: Any
    folder: Path
    served: Served
    provider: Provider = field(init=False)
    line: Line = field(init=False)
    rival: list[object] = field(default_factory=list)
    _kept: dict[str, str] = field(default_factory=dict)
    _lives: list[Life] = field(default_factory=list)
    _journal: Journal | None = None
    _numbers: Iterator[int] = field(default_factory=count)

    def learn(self) -> None:
        """Play a cell in which a worker does all that one ever does, so that what it had to import is there for all that follow."""
        self._set_out(Cell(fault="list_lags", window="keyless", looks=True, crash="none"))
        first = self._live()
        first.ask("work", "none", 20)
        self.template.learn(first.ask("learnt"))
        self._end()

    def play(self, cell: Cell) -> None:
        """Everything that happens in a cell."""
        self._set_out(cell)
        call_s = 1 if cell.fault == "hang_after" else 20
        try:
            first = self._first(cell, call_s)
            if cell.crash == "none":
                return
            self._pass(FORGOTTEN_H if cell.fault == "key_forgotten" else HOURS[cell.window])
            self._live().ask("work", "none", call_s)
            if cell.crash.startswith("froze"):
                os.kill(first.pid, signal.SIGCONT)
                if cell.crash == "froze_begun":
                    first.tell("go on")
                assert first.answer() == "at its end"
        finally:
            self._end()

    def _first(self, cell: Cell, call_s: int) -> Life:
        """The first worker, as far as it comes."""
        first, at_the_provider = self._live(), threading.Event()

        def strike(what: signal.Signals) -> None:
            os.kill(first.pid, what)
            at_the_provider.set()

        match cell.crash:
            case "none":
                self.line.taken = self._try_to_claim
            case "called":
                self.line.taken = lambda: strike(signal.SIGKILL)
            case "froze_called":
                self.line.taken = lambda: strike(signal.SIGSTOP)
        first.tell("work", cell.crash, call_s)
        match cell.crash:
            case "none":
                assert first.answer() == "at its end"
            case "froze_begun":
                assert first.answer() == "stands still"
                os.kill(first.pid, signal.SIGSTOP)
                self._until(lambda: psutil.Process(first.pid).status() == psutil.STATUS_STOPPED)
            case "froze_called":
                assert at_the_provider.wait(30)
                self._until(lambda: psutil.Process(first.pid).status() == psutil.STATUS_STOPPED)
            case _:
                with pytest.raises(Killed):
                    first.answer()
                self._until(lambda: self.conn.execute(_OTHERS).fetchall() == [(0,)])  # what it had locked is free
                found = self.conn.execute("SELECT id FROM effect_attempt").fetchall()
                assert all(self.provider.wait_until_free(str(key), seconds=30) for (key,) in found)
        return first

    def _try_to_claim(self) -> None:
        """What another worker gets when the lease that the run was claimed with is over, and the call goes on."""
        self.conn.execute("UPDATE run_lease SET lease_until = lease_until - %s * interval '1 second'", (LEASE_S + 0.5,))
        self.rival.append(runs.claim(self.conn, "rival", [agent.name], lease_s=60))

    def _pass(self, passed_h: int) -> None:
        hours.pass_for_calls(self.conn, passed_h * 3600)
        self.provider.advance(passed_h * 3600)
        hours.end_leases(self.conn)

    def _set_out(self, cell: Cell) -> None:
        """A provider that nobody has called and that fails as the cell says, and a payment that is approved and not begun."""
        self._open()
        tool = name_of(
            keyless=cell.window == "keyless",
            looks="" if not cell.looks else "search" if cell.fault == "search_lags" else "list",
        )
        if tool not in self._kept:
            self._kept[tool] = self._approved(tool)
        database.put_back(self.conn, self._kept[tool])
        self.rival.clear()
        self.provider.faults.plan(*_PLANS[cell.fault])

    def _approved(self, tool: str) -> str:
        """The rows with such a payment, kept: the statements that put them back."""
        database.empty(self.place.database)
        database.apply_policy(self.conn)
        run_id, _ = runs.launch(
            self.conn, agent.launch(input=tool, on_behalf_of="priya"), actor="priya", surface="tests"
        )
        self._live().ask("work", "none", 20)
        [pause_id] = runs.get(self.conn, run_id).pauses
        assert isinstance(pauses.approve(self.conn, pause_id, "marta", surface="tests"), Decided)
        self._end()
        return database.keep(self.conn, f"kept_{tool}")

    def _open(self) -> None:
        if self._journal is not None:
            self._journal.close()
        self._journal = Journal(self.folder / f"{next(self._numbers)}.jsonl")
        self.provider = Provider(self._journal)
        self.line = Line(provider_app(self.provider))
        self.served.app = Starlette(
            routes=[
                Mount("/stripe", self.line),
                Mount("/anthropic", model_app(script)),
                Route("/free", self._free),
            ]
        )

    async def _free(self, request: Request) -> Response:
        """As soon as nobody waits for an answer under this key."""
        freed = await run_in_threadpool(self.provider.wait_until_free, request.query_params["key"], seconds=30)
        return Response(status_code=200 if freed else 408)

    def _live(self) -> Life:
        self._lives.append(life := self.template.live())
        return life

    def _end(self) -> None:
        while self._lives:
            self._lives.pop().kill()

    def _until(self, true: Callable[[], bool]) -> None:
        for _ in range(30_000):
            if true():
                return
            threading.Event().wait(0.001)
        raise AssertionError("it does not come to be")


@contextmanager
def stage(server: str, folder: Path) -> Iterator[Stage]:
    """A stage with a database of its own on this server."""
    url = database.hurried(server, _DATABASE)
    served = Served()
    with (
        serving(served) as address,
        template(place := Place(url, address, str(folder), one_certificate(folder)), "tests.matrix.worker") as process,
        database.connect(url) as conn,
    ):
        made = Stage(place=place, template=process, conn=conn, folder=folder, served=served)
        made.learn()
        yield made
