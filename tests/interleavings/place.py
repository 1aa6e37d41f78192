"""The database in which actors meet: a scene is put back in it as it was made, with the same ids, and whoever comes has a connection there.

Everything runs straight at the server, with nothing given up after some time: who waits for whom is what is looked at here.
"""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Any, Final

from engine.state import db
from tests import database
from tests.interleavings.moves import Scene

MOST_ACTORS: Final = 3
_KEPT: Final = (
    "run", "run_lease", "run_content", "run_message", "run_call", "run_pause", "pause_content", "pause_vote", "effect", "effect_attempt",
    "run_event", "card", "notice",
)  # fmt: skip


@dataclass(frozen=True)
class Seat:
    """An actor's connection, and the thread in which its statements wait."""

    conn: db.Conn
    thread: ThreadPoolExecutor

    @property
    def pid(self) -> int:
        """By what PostgreSQL knows it."""
        return self.conn.info.backend_pid


class Place:
    """`conn` is ours: it makes scenes, looks, and plays moves one after the other. `gate` holds runs so that all others must wait."""

    def __init__(self, conn: db.Conn, gate: db.Conn, seats: Sequence[Seat]) -> None:
        self.conn, self.gate, self.seats = conn, gate, seats
        self._scenes: dict[str, tuple[Scene, bytes]] = {}
        self._clean = ""

    def scene(self, name: str, make: Callable[[Any], Scene]) -> Scene:
        """This scene, as it was made."""
        if name not in self._scenes:
            self.conn.execute(
                b";".join(b"DELETE FROM %s" % table.encode() for table in reversed(_KEPT) if table != "run"),
                prepare=False,
            )
            self.conn.execute("DELETE FROM run WHERE kind <> 'system'")
            scene = make(self.conn)
            self._scenes[name] = (scene, _keep(self.conn, name))
            self._clean = name
        scene, back = self._scenes[name]
        if self._clean != name:
            self.conn.execute(back, prepare=False)
            self._clean = name
        return scene

    def touched(self) -> None:
        """The scene is no longer as it was made."""
        self._clean = ""


def _keep(conn: db.Conn, name: str) -> bytes:
    """Lay all rows aside; the statements that put them back."""
    conn.execute(f"CREATE SCHEMA kept_{name}".encode(), prepare=False)
    back = [
        "BEGIN",
        "SET LOCAL session_replication_role = replica",
    ]  # no foreign key is looked after: everything is put back
    for table in _KEPT:
        conn.execute(f"CREATE TABLE kept_{name}.{table} AS SELECT * FROM {table}".encode(), prepare=False)
        back.append(f"DELETE FROM {table}")
        if conn.execute(f"SELECT FROM {table} LIMIT 1".encode()).fetchone() is not None:
            columns = conn.execute(
                "SELECT string_agg(column_name, ', ') FROM information_schema.columns"
                " WHERE table_schema = 'public' AND table_name = %s AND is_generated = 'NEVER'",
                (table,),
            ).fetchone()
            assert columns is not None
            back.append(f"INSERT INTO {table} ({columns[0]}) SELECT {columns[0]} FROM kept_{name}.{table}")
    return ";".join([*back, "COMMIT"]).encode()


@contextmanager
def place(server: str) -> Iterator[Place]:
    """A database of its own, and a seat for each actor. No two of them may ever have waited for each other."""
    url = database.migrated(server, "placet_interleavings")
    database.empty(url)
    with ExitStack() as open_:
        seats = [
            Seat(open_.enter_context(_connected(url)), open_.enter_context(ThreadPoolExecutor(1, f"actor-{n}")))
            for n in range(MOST_ACTORS)
        ]
        yield Place(open_.enter_context(_connected(url)), open_.enter_context(_connected(url)), seats)
    with _connected(url) as conn:  # those that are closed have told what they met
        deadlocks = conn.execute("SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()").fetchone()
    assert deadlocks == (0,), "somebody met a deadlock, even if it was tried again"


@contextmanager
def _connected(url: str) -> Iterator[db.Conn]:
    """A connection as the pool makes them, except that no wait of it ends by itself, and no commit waits for the disk."""
    with db.Conn.connect(url, autocommit=True, prepare_threshold=0) as conn:
        conn.execute(
            "SET lock_timeout = 0; SET statement_timeout = '60s'; SET idle_in_transaction_session_timeout = 0;"
            " SET synchronous_commit = off",
            prepare=False,
        )
        yield conn
