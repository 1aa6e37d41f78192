"""What tests of the bot may ask for: a local Slack workspace, and what carries rows to it."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from bot.delivery.courier import Courier
from bot.delivery.who import Us
from engine.state import db
from tests import database
from tests.bot.house import Home, living, settings
from tests.bot.office import Office, open_office


@pytest.fixture
def office(tmp_path: Path) -> Iterator[Office]:
    with open_office(tmp_path / "slack.jsonl") as running:
        yield running


@pytest.fixture
def pool(db_url: str) -> db.Pool:
    return database.standing(db_url, 6)


@pytest.fixture
def courier(pool: db.Pool, office: Office) -> Courier:
    return Courier(pool=pool, slack=office.slack, us=Us(team="T0ACME"), env="test")


@pytest.fixture
def home(office: Office, db_url: str) -> Iterator[Home]:
    with living(office, settings(office, db_url)) as running:
        yield running
