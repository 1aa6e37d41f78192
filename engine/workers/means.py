"""What a worker works with, handed down: the pool, the agents, the model, and the wish to stop. No decisions here."""

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Concatenate, ParamSpec, TypeVar

from engine.state import db
from engine.tools import Agent

P = ParamSpec("P")
R = TypeVar("R")

Complete = Callable[..., Mapping[str, Any]]
"""Call the model: keyword arguments of the Messages API in, the reply's JSON as received out."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Means:
    """One worker's means. `name` tells workers apart in the record; `stop` is set when the process is to end."""

    pool: db.Pool
    agents: Mapping[str, Agent]
    complete: Complete
    name: str
    lease_s: float = 60
    stop: threading.Event = field(default_factory=threading.Event)

    def do(self, verb: Callable[Concatenate[db.Conn, P], R], /, *args: P.args, **kwargs: P.kwargs) -> R:
        """Run one verb on a connection of the pool, and give the connection back before anything else happens."""
        with self.pool.connection() as conn:
            return verb(conn, *args, **kwargs)
