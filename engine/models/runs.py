"""A run as its worker, a list, and a person see it, and its record."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal
from uuid import UUID

from engine.models.statuses import RunStatus


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """A run that this worker has now, and the epoch that says so."""

    id: UUID
    epoch: int
    agent: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """A tool call of the current turn. `arguments` as the model sent them; `result` {"text", "is_error"} or None."""

    n: int
    state: Literal["requested", "settled"]
    tool_use_id: str
    tool: str
    arguments: dict[str, Any]
    result: dict[str, Any] | None
    pause_id: UUID | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """All that a worker needs to go on with a run."""

    id: UUID
    agent: str
    status: RunStatus
    epoch: int
    hold: bool
    cancel_wanted: bool
    on_behalf_of: str
    acts_as: str
    iterations: int
    max_iterations: int
    tokens: int
    max_tokens: int | None
    cost_micros: int
    max_cost_micros: int | None
    refusals: int
    open_effects: int
    model: str
    scopes: list[str]
    messages: list[dict[str, Any]]
    calls: tuple[Call, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class RunLine:
    """A line in a list of runs. `input` is the beginning of its task. `last_pause` None: it never asked; `queued_s` None: it is not in line for a worker."""

    id: UUID
    agent: str
    status: RunStatus
    hold: bool
    on_behalf_of: str
    requester_name: str | None
    created_at: datetime
    waiting_pauses: int
    error: str | None
    result: str | None
    launch_key: str | None
    total: int
    last_pause: UUID | None = None
    queued_s: float | None = None
    input: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunRecord:
    """A run as people see it. `queued_s` None: it is not in line for a worker; `done`: the tools whose effects are done, in order.

    `of_run` and `of_pause`: what it asks again, and of which run that was; None: it began from nothing.
    """

    id: UUID
    agent: str
    kind: str
    status: RunStatus
    hold: bool
    cancel_wanted: bool
    on_behalf_of: str
    requester_name: str | None
    acts_as: str
    created_at: datetime
    iterations: int
    max_iterations: int
    tokens: int
    cost_micros: int
    waiting_pauses: int
    seq: int
    launch_key: str | None
    model: str
    scopes: list[str]
    input: str
    result: str | None
    error: str | None
    messages: list[dict[str, Any]]
    pauses: list[UUID]
    queued_s: float | None = None
    done: list[str] = field(default_factory=list)
    of_run: UUID | None = None
    of_pause: UUID | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """One line of the record. `to_status` None: a refused attempt, and `detail` says why."""

    seq: int
    n: int
    at: datetime
    entity: str
    entity_id: str
    from_status: str
    event: str
    to_status: str | None
    actor: str
    surface: str
    detail: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage:
    """One line of what happened to a request, for people. `refused`: nothing moved, and `detail` says why; `name` None: `actor` is nobody."""

    at: datetime
    entity: str
    event: str
    refused: bool
    actor: str
    name: str | None
    surface: str
    detail: str | None
