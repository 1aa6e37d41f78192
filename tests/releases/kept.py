"""What is kept of a release: opened as it was, in a place of its own."""

import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from shutil import copyfile
from typing import Any, Final

import psycopg

from tests import database

FIRST: Final = Path(__file__).with_name("first")
"""The release with which it all began: one migration, 0001."""


@dataclass(frozen=True, slots=True)
class Release:
    """What is kept of one release, in a folder."""

    folder: Path

    def code(self, into: Path) -> Path:
        """Its code, unpacked: for PYTHONPATH."""
        with zipfile.ZipFile(self.folder / "code.zip") as kept:
            kept.extractall(into)
        return into

    def outside(self, into: Path) -> Path:
        """The journals of the provider and of the suppliers as they were then, for `world.world`."""
        for name in ("provider.jsonl", "suppliers.jsonl"):
            copyfile(self.folder / name, into / name)
        return into

    @contextmanager
    def database(self, server: str, name: str) -> Iterator[str]:
        """The URL of a database as the release wrote it, not migrated. The hours have stood still since then: what waited waits on."""
        url = database.created(server, name)
        text = (self.folder / "database.sql").read_text("utf-8")
        statements = "\n".join(line for line in text.splitlines() if not line.startswith("\\"))  # for psql alone
        with psycopg.connect(url, autocommit=True) as conn:
            conn.execute(statements.encode())
        with psycopg.connect(url, autocommit=True) as conn:
            _stand_still(conn)
        yield url


def _stand_still(conn: Any) -> None:
    """Move the hours at which something is due by as long as the database lay on the shelf."""
    conn.execute(
        "UPDATE run_pause SET fire_at = fire_at + (clock_timestamp() - (SELECT max(at) FROM run_event)) WHERE status = 'waiting'"
    )
