"""What the HTTP API is sent and what it answers, as its page of documentation shows it."""

from typing import Annotated, Any, get_args
from uuid import UUID

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from bot.cards.ids import screen_id
from engine.models import RunLine, RunStatus, Waiting
from engine.rules.digest import visible

INPUT_MOST = 100_000


def _storable(text: str) -> str:
    if visible(text) != text:
        raise ValueError("it holds a NUL character or half of a surrogate pair, which no database takes")
    return text


def _printable(text: str) -> str:
    if not text.strip():
        raise ValueError("it is blank")
    return text


def _status(text: str) -> str:
    known = ("live", *get_args(RunStatus))
    if text not in known:
        raise ValueError(f"there is no such status; there are {', '.join(known)}")
    return text


Storable = Annotated[str, AfterValidator(_storable)]
Text = Annotated[Storable, AfterValidator(_printable)]
Status = Annotated[str, AfterValidator(_status)]


class Launch(BaseModel):
    """A run to be started, always for a person."""

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={
            "examples": [
                {"agent": "procurement", "input": "Buy 40 hydraulic pumps for PO-2026-0193.", "for": "priya", "launch_key": "PO-2026-0193"}
            ]
        },
    )  # fmt: skip

    agent: Annotated[Text, Field(max_length=200, description="An agent's name.")]
    input: Annotated[Text, Field(max_length=INPUT_MOST, description="What the agent is to do.")]
    on_behalf_of: Annotated[
        Text, Field(alias="for", max_length=200, description="The id of the person it is done for.")
    ]
    launch_key: Annotated[
        Text | None, Field(max_length=200, description="Launching twice with one key launches once.")
    ] = None


class OneRun(BaseModel):
    """A run, by its id or by "run_" and its last digits."""

    model_config = ConfigDict(extra="forbid", json_schema_extra={"examples": [{"run_id": "run_5d21ab"}]})

    run_id: Annotated[Text, Field(max_length=60)]


class Launched(BaseModel):
    """The run that was launched; `new` is false if this launch_key had launched it before."""

    run_id: UUID
    run: str
    new: bool


class Stands(BaseModel):
    """Where a run stands now."""

    run_id: UUID
    run: str
    status: str


class Runs(BaseModel):
    """A part of the list of runs, newest first; `total` is the length of the whole."""

    total: int
    runs: list[RunLine]


class Approvals(BaseModel):
    """A part of the list of what waits, soonest answer first; `total` is the length of the whole."""

    total: int
    approvals: list[Waiting]


class Refused(BaseModel):
    """Why it was not done: `field` names what is wrong in the request, `what_stands` what holds instead."""

    error: str
    field: str | None = None
    what_stands: str | None = None


class Fit(BaseModel):
    """Whether this process can do its work; `why_not` None: it can."""

    ok: bool
    why_not: str | None = None


def stands(run_id: UUID, status: str) -> Stands:
    """Where a run stands now."""
    return Stands(run_id=run_id, run=screen_id("run", run_id), status=status)


def responses(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """What else may be answered, for the page of documentation."""
    meaning = {
        401: "The token is missing or wrong.",
        404: "There is no such run or request.",
        409: "What was asked is not possible now; `what_stands` says what holds.",
        422: "The request cannot be read; `field` names what is wrong, and nothing was done.",
        503: "The database cannot be reached.",
    }
    return {status: {"model": Refused, "description": meaning[status]} for status in (401, *statuses, 503)}
