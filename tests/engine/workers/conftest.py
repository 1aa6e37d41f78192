"""A pool on the emptied database with the example's policy in force, and a world to work in."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Protocol

import pytest

from bot.sandbox.buyer import buyer
from bot.sandbox.histories import Problem
from bot.sandbox.model import QueueScript, Reply
from engine.rules.seal import Keys
from engine.state import db
from engine.tools import Agent, load
from engine.workers.means import Means
from tests import database, world
from tests.engine.workers.desk import Desk, Hours
from tests.engine.workers.shop import Shop


class Desks(Protocol):
    """Makes a desk: with these replies of the model and an agent, or with the example's buyer and agent."""

    def __call__(self, *replies: Reply | Problem, agent: Agent | None = None) -> Desk:
        """One for each test."""


@pytest.fixture
def pool(db_url: str, conn: Any, keys: Keys) -> db.Pool:
    conn.keys = keys
    database.apply_policy(conn)
    return database.standing(db_url, 4, keys)


@pytest.fixture
def outside(tmp_path: Path) -> Iterator[world.World]:
    with world.world(tmp_path) as made:
        yield made


@pytest.fixture
def means(pool: db.Pool, outside: world.World) -> Means:
    return world.means(pool, outside)


@pytest.fixture
def shop() -> Shop:
    return Shop()


@pytest.fixture
def desks(pool: db.Pool, conn: Any, tmp_path: Path) -> Iterator[Desks]:
    with ExitStack() as kept:

        def make(*replies: Reply | Problem, agent: Agent | None = None) -> Desk:
            outside = kept.enter_context(world.world(tmp_path, QueueScript(replies) if replies else buyer))
            own = agent or load([world.AGENT])["procurement"]
            asked: list[Mapping[str, Any]] = []
            hours = Hours(conn)
            means = Means(
                pool=pool, agents={own.name: own}, complete=_noting(outside.complete, asked), name="w1", lease_s=60, stop=hours
            )  # fmt: skip
            return Desk(means=means, outside=outside, conn=conn, hours=hours, agent=own, asked=asked)

        yield make


def _noting(
    complete: Callable[..., Mapping[str, Any]], asked: list[Mapping[str, Any]]
) -> Callable[..., Mapping[str, Any]]:
    def call(**request: Any) -> Mapping[str, Any]:
        asked.append(request)
        return complete(**request)

    return call
