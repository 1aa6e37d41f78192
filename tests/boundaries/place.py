"""Where what survives a kill is found, and what a process is told from outside before it lives."""

from dataclasses import dataclass
from pathlib import Path
from typing import Final

import certifi

from engine.rules.seal import NO_KEYS, Keys

ENV: Final = "test"
"""The tag on our buttons."""
API_TOKEN: Final = "token-of-the-boundaries-" + "x" * 32
SEAL_KEY: Final = f"k1:{bytes(range(32)).hex()}"
"""With what a sealed flow is sealed, as PLACET_SEAL_KEY has it."""


def keys(*, sealed: bool) -> Keys:
    """What requests and answers are sealed with."""
    return Keys.parse(SEAL_KEY) if sealed else NO_KEYS


@dataclass(frozen=True, slots=True)
class Place:
    """The database, and the world outside with the folder of its journals; `certificate` is a file with one.

    Nothing here is encrypted, and a client that reads all the certificates there are takes 20 ms to make.
    """

    database: str
    outside: str
    journals: str
    certificate: str


def one_certificate(folder: Path) -> str:
    """A file with a single certificate."""
    path, end = folder / "one.pem", "-----END CERTIFICATE-----\n"
    path.write_text(certifi.contents().partition(end)[0] + end)
    return str(path)
