"""The one door to PostgreSQL: a pool, and three ways to run a named query. A verb is one query, and a query is one transaction.

Connections are in autocommit mode, so that a move is committed when its statement returns. Nothing of a session is relied on: no SET, no
LISTEN, no lock that outlives its transaction, so that any pooler may stand between. Deadlocks and serialisation failures are
tried again here, three times, with jitter; nobody else retries. What a query means is said where it is named, in sql/.
"""

import random
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Final, TypeVar, cast
from uuid import UUID

import psycopg
from psycopg.rows import class_row, dict_row
from psycopg_pool import ConnectionPool, NullConnectionPool
from uuid_utils import uuid7

import sql as queries
from engine.errors import EngineError, NotFound
from engine.rules.seal import NO_KEYS, Keys

T = TypeVar("T")


class Conn(psycopg.Connection[Any]):
    """A connection in autocommit mode. Its keys seal and check what passes through it, so that no verb can be called without them."""

    keys: Keys = NO_KEYS


Pool = ConnectionPool[Conn]

_RETRIED: Final = (psycopg.errors.DeadlockDetected, psycopg.errors.SerializationFailure)
SYSTEM_RUN: Final = UUID(int=0)
"""The run called `system`, whose chain holds what belongs to no agent: migrations, policies, people, halts."""
SYSTEM_GONE: Final = (
    "The system's own record is missing from this database, so nothing was done: somebody removed it. `placet audit verify` tells what else"
    " was altered; the way back is a backup from before."
)


def new_id() -> UUID:
    """A UUIDv7: sortable by the time it was made."""
    return UUID(str(uuid7()))


def pool(
    url: str,
    *,
    size: int = 10,
    wait_s: float = 0.5,
    keys: Keys = NO_KEYS,
    prepare: bool = True,
) -> Pool:
    """A pool of connections in autocommit mode. Raises psycopg_pool.PoolTimeout after `wait_s` when all are taken.

    `prepare`: a statement is prepared when it is first used, which PgBouncer in transaction mode follows from 1.21 on.
    """
    return ConnectionPool(
        url,
        connection_class=Conn,
        configure=_sealing_with(keys),
        min_size=1,
        max_size=size,
        timeout=wait_s,
        kwargs={"autocommit": True, "prepare_threshold": 0 if prepare else None},
        open=True,
        check=None,
    )


def none_held(url: str, *, size: int = 10, wait_s: float = 2.0, keys: Keys = NO_KEYS) -> Pool:
    """The same to whoever uses it, but each connection is made when it is asked for and closed when it is given back; none prepares.

    At most `size` at once. `wait_s` holds for making one too; psycopg.OperationalError if it cannot be made.
    """
    return NullConnectionPool(
        url,
        connection_class=Conn,
        configure=_sealing_with(keys),
        max_size=size,
        timeout=wait_s,
        kwargs={"autocommit": True, "prepare_threshold": None},
        open=True,
    )


def _sealing_with(keys: Keys) -> Callable[[Conn], None]:
    def configure(conn: Conn) -> None:
        conn.keys = keys

    return configure


@contextmanager
def connect(url: str, *, keys: Keys = NO_KEYS, wait_s: int | None = None) -> Iterator[Conn]:
    """One connection outside any pool, in autocommit mode; it prepares nothing. `wait_s` None: as long as the address says."""
    with Conn.connect(url, autocommit=True, prepare_threshold=None, connect_timeout=wait_s) as conn:
        conn.keys = keys
        yield conn


def one(conn: Conn, name: str, row: type[T], /, **params: Any) -> T | None:
    """The query's row, or None for none (the query's comment says what that means)."""
    return cast("T | None", _run(conn, name, "one", row, params))


def must(conn: Conn, name: str, row: type[T], what: str, /, **params: Any) -> T:
    """The query's row; NotFound saying that `what` does not exist if there is none."""
    found = one(conn, name, row, **params)
    if found is None:
        raise NotFound(f"{what} does not exist. Check the id; `placet runs` lists what there is.")
    return found


def move(conn: Conn, name: str, what: str, /, **params: Any) -> dict[str, Any]:
    """A move's row; NotFound if there is none. "again" as outcome: made once more, since rows were added while it waited for its run.

    Each turn means that somebody else's move was committed, so there is an end.
    """
    while (found := must(conn, name, dict, what, **params))["outcome"] == "again":
        pass
    return found


def system_move(conn: Conn, name: str, /, **params: Any) -> dict[str, Any]:
    """The row of a move on the system's chain, which every database has; EngineError if it was removed."""
    try:
        return move(conn, name, "the run of the system", id=SYSTEM_RUN, **params)
    except NotFound:
        raise EngineError(SYSTEM_GONE) from None


def many(conn: Conn, name: str, row: type[T], /, **params: Any) -> list[T]:
    """All rows of the query."""
    return cast("list[T]", _run(conn, name, "many", row, params))


def execute(conn: Conn, name: str, /, **params: Any) -> int:
    """Run the query for what it does; how many rows it touched."""
    return cast("int", _run(conn, name, "exec", None, params))


def _run(conn: Conn, name: str, kind: str, row: type[Any] | None, params: dict[str, Any]) -> Any:
    query = queries.QUERIES[name]
    if query.kind != kind:
        raise ValueError(f"query {name} is :{query.kind}, not :{kind}")
    text, names = queries.NUMBERED[name]
    factory = class_row(row) if row and row is not dict else dict_row
    for attempt in range(4):
        try:
            with psycopg.RawCursor(conn, row_factory=cast("Any", factory)) as cursor:
                cursor.execute(text, [params[each] for each in names])
                match kind:
                    case "one":
                        return cursor.fetchone()
                    case "many":
                        return cursor.fetchall()
                    case _:
                        return cursor.rowcount
        except psycopg.errors.ReadOnlySqlTransaction:
            conn.close()  # the server was the primary once: the next connection may find the new one, this one never will
            raise
        except _RETRIED:
            if attempt == 3:
                raise
            time.sleep(random.uniform(0.005, 0.05) * (attempt + 1))  # noqa: S311  jitter, no secret
    raise AssertionError("unreachable")


def migrate(url: str) -> list[str]:
    """Bring the schema up to date, under a lock, in one transaction; the names of the migrations applied. Safe to repeat."""
    from engine.state import events  # noqa: PLC0415  events needs this module

    with connect(url) as conn, conn.transaction():
        text = queries.QUERIES
        conn.execute(text["migration_lock"].text)
        conn.execute(text["migration_table"].text)
        done = {name for (name,) in conn.execute(text["migrations_done"].text).fetchall()}
        applied = [(name, body) for name, body in queries.migrations() if name not in done]
        for name, body in applied:
            conn.execute(cast("Any", body))
            conn.execute(text["migration_done"].text, {"name": name})
        conn.execute(cast("Any", queries.transitions()))
        conn.execute(text["role_settings"].text, {})
        events.begin(conn)
        if applied:
            events.record(conn, "migrate", subject="schema", detail=", ".join(n for n, _ in applied))
    return [name for name, _ in applied]
