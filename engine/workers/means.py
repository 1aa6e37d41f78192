"""What a worker works with, handed down: the pool, the agents, the model, and the wish to stop. No decisions here."""

import threading
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from typing import Any, Concatenate, Literal, ParamSpec, TypeVar

from engine.models import Claim, Run
from engine.state import db
from engine.tools import Agent
from engine.workers.credentials import CredentialSource, Directory

P = ParamSpec("P")
R = TypeVar("R")

Complete = Callable[..., Mapping[str, Any]]
"""Call the model: keyword arguments of the Messages API in, the reply's JSON as received out."""

Way = Literal["on", "look", "off"]
"""How a run goes on after a step: with the next one; after a look at its rows again; or not with this worker."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Means:
    """One worker's means. `name` tells workers apart in the record; `stop` is set when the process is to end.

    `credentials` mints what a call with an effect is done with. `standing_still` surrounds a wait that may be long (a halt): the worker has
    another thread take this one's place meanwhile.
    """

    pool: db.Pool
    agents: Mapping[str, Agent]
    complete: Complete
    name: str
    lease_s: float = 60
    credentials: CredentialSource = field(default_factory=Directory)
    stop: threading.Event = field(default_factory=threading.Event)
    standing_still: Callable[[], AbstractContextManager[None]] = nullcontext

    def do(self, verb: Callable[Concatenate[db.Conn, P], R], /, *args: P.args, **kwargs: P.kwargs) -> R:
        """Run one verb on a connection of the pool, and give the connection back before anything else happens."""
        with self.pool.connection() as conn:
            return verb(conn, *args, **kwargs)


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """Where a claimed run stands, in the hands of one worker."""

    means: Means
    claim: Claim
    agent: Agent
    run: Run


def way(status: str) -> Way:
    """The way on of a run that has this status after a step was saved."""
    return "on" if status == "running" else "off"
