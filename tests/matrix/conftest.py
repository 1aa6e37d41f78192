"""The stage, set up once for each process that runs tests."""

from collections.abc import Iterator

import pytest

from tests.matrix.stage import Stage
from tests.matrix.stage import stage as set_up


@pytest.fixture(scope="session")
def stage(server: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    """A stage with a database and a provider of its own."""
    with set_up(server, tmp_path_factory.mktemp("matrix")) as made:
        yield made
