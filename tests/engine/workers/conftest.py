"""A pool on the emptied database with the example's policy in force, and a world to work in."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.state import db
from engine.workers.means import Means
from tests import database, world


@pytest.fixture
def pool(db_url: str) -> Iterator[db.Pool]:
    with db.pool(db_url, size=4) as made:
        with made.connection() as conn:
            database.apply_policy(conn)
        yield made


@pytest.fixture
def outside(tmp_path: Path) -> Iterator[world.World]:
    with world.world(tmp_path) as made:
        yield made


@pytest.fixture
def means(pool: db.Pool, outside: world.World) -> Means:
    return world.means(pool, outside)
