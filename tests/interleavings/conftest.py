"""The place where actors meet, made once a session."""

from collections.abc import Iterator

import pytest

from tests.interleavings.place import Place
from tests.interleavings.place import place as placed
from tests.interleavings.serial import Serial


@pytest.fixture(scope="session")
def place(server: str) -> Iterator[Place]:
    """A database, and a seat for each actor."""
    with placed(server) as made:
        yield made


@pytest.fixture(scope="session")
def serial(place: Place) -> Serial:
    """What the same moves come to one after the other."""
    return Serial(place)
