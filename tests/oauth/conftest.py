"""A real identity server, an exchange with it, and a worker whose tool needs its tokens."""

from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from bot.sandbox.histories import Problem
from bot.sandbox.model import QueueScript, Reply
from engine.state import db
from engine.workers.credentials import PerTool
from engine.workers.exchange import Exchange
from engine.workers.identity_server import IdentityServer, Limits
from engine.workers.means import Means
from tests import database, world
from tests.engine.workers.desk import Desk, Hours
from tests.engine.workers.shop import Shop
from tests.oauth.identity import AUDIENCE, CLIENT, Identity, identity_server
from tests.oauth.provider import Guarded


@pytest.fixture(scope="session")
def running_identity() -> Iterator[Identity]:
    with identity_server() as running:
        yield running


@pytest.fixture
def identity(running_identity: Identity) -> Iterator[Identity]:
    """The same for every test, with no consent and no fault left of the one before."""
    running_identity.control("reset")
    yield running_identity
    running_identity.control("clear")


@pytest.fixture
def waited() -> list[float]:
    """What the exchange waited between its tries, without waiting."""
    return []


@pytest.fixture
def exchange(identity: Identity, waited: list[float]) -> Exchange:
    limits = Limits(connect_s=0.5, answer_s=0.5, in_all_s=3)
    return Exchange(IdentityServer(identity.issuer, CLIENT, identity.key, limits=limits, wait=waited.append))


@pytest.fixture
def pool(db_url: str) -> Iterator[db.Pool]:
    with database.pool(db_url, 4) as made:
        with made.connection() as own:
            database.apply_policy(own)
        yield made


@pytest.fixture
def shop() -> Shop:
    """Its payments need a token for the provider."""
    made = Shop()
    for name in ("pay", "pay_blindly"):
        made.agent.tools[name] = replace(made.agent.tools[name], credential=None, audience=AUDIENCE)
    return made


@pytest.fixture
def guarded(identity: Identity) -> Guarded:
    return Guarded(identity=identity)


@pytest.fixture
def means(pool: db.Pool, conn: Any, shop: Shop, exchange: Exchange) -> Means:
    """Of a worker in whose world there is no model yet."""
    return Means(
        pool=pool, agents={shop.agent.name: shop.agent}, complete=dict, name="w1", stop=Hours(conn),
        credentials=PerTool(server=exchange),
    )  # fmt: skip


@pytest.fixture
def desks(means: Means, conn: Any, tmp_path: Path, shop: Shop, guarded: Guarded) -> Iterator[Any]:
    """Makes a desk: with these replies of the model."""
    with ExitStack() as kept:

        def make(*replies: Reply | Problem) -> Desk:
            outside = kept.enter_context(world.world(tmp_path, QueueScript(replies), guarded.before))
            hours = means.stop
            assert isinstance(hours, Hours)
            own = replace(means, complete=outside.complete)
            return Desk(means=own, outside=outside, conn=conn, hours=hours, agent=shop.agent)

        yield make
