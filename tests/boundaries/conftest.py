"""The ground, laid once for each process that runs tests."""

from collections.abc import Iterator

import pytest

from tests.boundaries.ground import Ground
from tests.boundaries.ground import ground as laid_ground


@pytest.fixture(scope="session")
def ground(server: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ground]:
    """Ground with a database and a world of its own."""
    with laid_ground(server, "placet_boundaries", tmp_path_factory.mktemp("ground")) as laid:
        yield laid
