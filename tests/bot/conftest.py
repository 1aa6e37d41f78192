"""What tests of the bot may ask for: a local Slack workspace."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.bot.office import Office, open_office


@pytest.fixture
def office(tmp_path: Path) -> Iterator[Office]:
    with open_office(tmp_path / "slack.jsonl") as running:
        yield running
