"""The HTTP API: launch a run, stop it, let it go on, withdraw it, and read what stands. It can never approve anything.

Every answer to a mistake has one shape (errors.py). Endpoints are plain functions, which FastAPI runs in threads.
"""

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib.metadata import version
from typing import Annotated, Any

from fastapi import APIRouter, Depends, FastAPI, Query, Response
from starlette.responses import JSONResponse

from bot.cards.ids import screen_id
from bot.http import bodies, errors
from bot.http.bodies import Approvals, Fit, Launch, Launched, OneRun, Runs, Stands, Status, Storable, responses, stands
from bot.http.limits import Limits
from bot.http.tokens import bearer
from engine.errors import BadInput, Conflict
from engine.models import RunRecord
from engine.record import record
from engine.state import db, outage, pauses, runs
from engine.tools import Agent

log = logging.getLogger(__name__)

Page = Annotated[int, Query(ge=1, le=200)]
Offset = Annotated[int, Query(ge=0, le=1_000_000)]
_BY: dict[str, Any] = {"actor": "api", "surface": "api"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Counter:
    """What the API works with. `kick` wakes the workers of this process; `unready` says why Slack does not reach it, None if it does."""

    pool: db.Pool
    agents: Mapping[str, Agent]
    kick: Callable[[], None]
    token: str
    unready: Callable[[], str | None] = lambda: None


def application(counter: Counter) -> FastAPI:
    """The API as a web application."""
    app = FastAPI(
        title="Placet",
        version=version("placet"),
        summary="Runs of agents that wait for a person's yes.",
        description="A run stops at a consequential call and waits for a decision in Slack. Here runs are launched and looked at; "
        "a decision is never made here.",
        redoc_url=None,
    )
    app.add_middleware(Limits)
    errors.install(app)
    for router in (_agent(counter), _approvals(counter), _health(counter)):
        app.include_router(router)
    return app


def _agent(counter: Counter) -> APIRouter:
    router = APIRouter(prefix="/agent", tags=["runs"], dependencies=[Depends(bearer(counter.token))])

    @router.post("/launch", status_code=201, responses={200: {"model": Launched}, **responses(409, 422)})
    def launch(body: Launch, response: Response) -> Launched:
        """Start a run. A `launch_key` used before starts nothing: 200 names the run if it is the same launch, 409 if it is another."""
        if body.agent not in counter.agents:
            raise BadInput("agent", f"there is no {body.agent!r}. There are: {', '.join(sorted(counter.agents))}.")
        what = counter.agents[body.agent].launch(
            input=body.input, on_behalf_of=body.on_behalf_of, launch_key=body.launch_key
        )
        with counter.pool.connection() as conn:
            run_id, new = runs.launch(conn, what, **_BY)
            if not new:
                _same(runs.in_clear(conn, run_id), what)
        counter.kick()
        response.status_code = 201 if new else 200
        return Launched(run_id=run_id, run=screen_id("run", run_id), new=new)

    @router.post("/pause", responses=responses(404, 409, 422))
    def pause(body: OneRun) -> Stands:
        """Have a run stop between two steps; "pausing" if it is in the middle of one."""
        with counter.pool.connection() as conn:
            run_id = runs.named(conn, body.run_id)
            return stands(run_id, runs.hold(conn, run_id, **_BY))

    @router.post("/resume", responses=responses(404, 409, 422))
    def resume(body: OneRun) -> Stands:
        """Let a paused run go on. A second resume is 409; a run that waits for a person goes on waiting."""
        with counter.pool.connection() as conn:
            run_id = runs.named(conn, body.run_id)
            status = runs.resume(conn, run_id, **_BY)
        counter.kick()
        return stands(run_id, status)

    @router.post("/cancel", responses=responses(404, 409, 422))
    def cancel(body: OneRun) -> Stands:
        """Withdraw a run and what it asks; "cancelling" while something of it is being carried out."""
        with counter.pool.connection() as conn:
            run_id = runs.named(conn, body.run_id)
            status = runs.cancel(conn, run_id, person=None, **_BY)
        counter.kick()
        return stands(run_id, status)

    @router.get("/runs", responses=responses(422))
    def listed(
        status: Annotated[Status | None, Query(description='A status, or "live": those not ended.')] = None,
        requester: Annotated[Storable | None, Query(alias="for", description="Only those for this person.")] = None,
        limit: Page = 20,
        offset: Offset = 0,
    ) -> Runs:
        """The runs, newest first."""
        with counter.pool.connection() as conn:
            found = runs.listed(conn, status=status, person=requester, limit=limit, offset=offset)
            first = found or (runs.listed(conn, status=status, person=requester, limit=1) if offset else [])
        return Runs(total=first[0].total if first else 0, runs=found)

    @router.get("/runs/{run_id}", responses=responses(404, 422))
    def one(run_id: str) -> RunRecord:
        """One run, with its messages."""
        with counter.pool.connection() as conn:
            return runs.get(conn, runs.named(conn, run_id))

    return router


def _same(before: RunRecord, what: runs.Launch) -> None:
    """Raise Conflict unless a launch asks for what its launch_key began before."""
    asked = {"agent": what.agent, "input": what.input, "for": what.on_behalf_of}
    stands = {"agent": before.agent, "input": before.input, "for": before.on_behalf_of}
    if other := [name for name, value in asked.items() if value != stands[name]]:
        run = screen_id("run", before.id)
        why = f"{run} was launched with this launch_key and another {' and '.join(other)}. That one stands; send a launch_key of its own."
        raise Conflict(why, f"{run}, {before.status}")


def _approvals(counter: Counter) -> APIRouter:
    router = APIRouter(prefix="/approvals", tags=["approvals"], dependencies=[Depends(bearer(counter.token))])

    @router.get("", responses=responses(422))
    def waiting(
        person: Annotated[
            Storable | None, Query(description="What waits for this person, by name or by a role.")
        ] = None,
        role: Annotated[Storable | None, Query(description="What waits for this role.")] = None,
        requester: Annotated[Storable | None, Query(alias="for", description="What was asked for this person.")] = None,
        limit: Page = 20,
        offset: Offset = 0,
    ) -> Approvals:
        """What waits for a decision, soonest answer first."""
        with counter.pool.connection() as conn:
            found = pauses.waiting(conn, person=person, role=role, asked_by=requester, limit=limit, offset=offset)
            first = found or (
                pauses.waiting(conn, person=person, role=role, asked_by=requester, limit=1) if offset else []
            )
        return Approvals(total=first[0].total if first else 0, approvals=found)

    @router.get("/{pause_id}", responses=responses(404, 422))
    def one(pause_id: str) -> dict[str, Any]:
        """The whole waiting state of a request as one record: what, by whose authority, who decided, what came of it."""
        with counter.pool.connection() as conn:
            found = runs.by_tail(pause_id, "pause", lambda tail: pauses.find(conn, tail))
            return record(pauses.get(conn, found))

    return router


def _health(counter: Counter) -> APIRouter:
    router = APIRouter(tags=["health"], responses={503: {"model": Fit}})

    def answer(why_not: str | None) -> JSONResponse:
        if why_not:
            log.error("not fit: %s", why_not)
        fit = bodies.Fit(ok=why_not is None, why_not=why_not)
        return JSONResponse(fit.model_dump(), status_code=503 if why_not else 200)

    @router.get("/healthz", response_model=Fit)
    def healthz() -> JSONResponse:
        """Whether the database takes writes; one that only reads is not fit."""
        return answer(outage.unfit(counter.pool))

    @router.get("/readyz", response_model=Fit)
    def readyz() -> JSONResponse:
        """Whether this process can take requests: the database is there, its schema is no earlier one, and Slack's deliveries come."""
        if unfit := outage.unfit(counter.pool) or counter.unready():
            return answer(unfit)
        with counter.pool.connection() as conn:
            return answer(outage.behind(conn))

    return router
