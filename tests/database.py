"""A real PostgreSQL for the tests: embedded, started once, and a database that is emptied between tests.

The same tests run elsewhere too (tests/pooler): PLACET_TEST_DATABASE names a server that runs already, PLACET_TEST_POOLER what of a
connection string to change to go through a pooler in front of it, and DATABASE_POOL=off has pools hold no connection.
"""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import psycopg
from psycopg import pq

from bot.sandbox.postgres import postgres
from engine.rules import people as people_rules
from engine.rules.seal import NO_KEYS, Keys
from engine.state import db, events, people, policies

POOLER = os.environ.get("PLACET_TEST_POOLER", "")
HOLDS = {
    "database_pool": os.environ.get("DATABASE_POOL", "on"),
    "database_prepare": "off" if POOLER else "on",
}
"""The settings of how connections are held."""
EXAMPLES = Path(__file__).parent.parent / "examples" / "procurement"


@contextmanager
def server(folder: Path) -> Iterator[str]:
    """Start PostgreSQL on a folder, unless there is one to use."""
    if url := os.environ.get("PLACET_TEST_DATABASE"):
        yield url
        return
    with postgres(folder) as url:
        yield url
    shutil.rmtree(folder, ignore_errors=True)


def created(url: str, name: str) -> str:
    """Make an empty database, straight at the server; its URL there."""
    with psycopg.connect(url, autocommit=True) as conn:
        conn.execute(f'DROP DATABASE IF EXISTS "{name}" WITH (FORCE)'.encode())  # who was killed may not have left yet
        conn.execute(f'CREATE DATABASE "{name}"'.encode())
    return psycopg.conninfo.make_conninfo("", **{**psycopg.conninfo.conninfo_to_dict(url), "dbname": name})


def migrated(url: str, name: str) -> str:
    """Make a database with today's schema, straight at the server; its URL, through the pooler if there is one."""
    made = created(url, name)
    db.migrate(made)
    return psycopg.conninfo.make_conninfo(made, **psycopg.conninfo.conninfo_to_dict(POOLER))


def hurried(url: str, name: str) -> str:
    """As `migrated`, for tests in which processes die and servers do not: no commit waits for the disk."""
    made = migrated(url, name)
    with db.connect(made) as conn:
        conn.execute(f"ALTER DATABASE {name} SET synchronous_commit = off".encode())
        conn.execute(f"ALTER DATABASE {name} SET plan_cache_mode = force_generic_plan".encode())
    return made


def pool(url: str, size: int, keys: Keys = NO_KEYS) -> db.Pool:
    """A pool as that ground takes it."""
    if HOLDS["database_pool"] == "off":
        return db.none_held(url, size=size, keys=keys)
    return db.pool(url, size=size, keys=keys, prepare=not POOLER)


_LINES: dict[str, Any] = {}
_POOLS: dict[tuple[object, ...], db.Pool] = {}


def line(url: str) -> Any:
    """A connection that stays: the server has planned on it what earlier tests asked. It seals with nothing until told."""
    held = _LINES.get(url)
    if held is None or held.closed or held.broken or held.info.transaction_status != pq.TransactionStatus.IDLE:
        if held is not None:
            held.close()
        held = _LINES[url] = connect(url)
    held.keys, held.autocommit = NO_KEYS, True
    return held


def standing(url: str, size: int, keys: Keys = NO_KEYS) -> db.Pool:
    """A pool that stays, for the same reason; a new one each time where none holds connections."""
    if HOLDS["database_pool"] == "off":
        return pool(url, size, keys)
    which = url, size, *keys.by_id.items()
    held = _POOLS.get(which)
    if held is None or held.closed:
        held = _POOLS[which] = pool(url, size, keys)
    held.check()
    return held


def hang_up() -> None:
    """End all that stays."""
    for held in (*_LINES.values(), *_POOLS.values()):
        held.close()
    _LINES.clear()
    _POOLS.clear()


def connect(url: str, keys: Keys = NO_KEYS) -> Any:
    """A connection in autocommit mode, which seals with these keys."""
    conn = db.Conn.connect(url, autocommit=True, prepare_threshold=None if POOLER else 5)
    conn.keys = keys
    return conn


TABLES = (
    "digest_lease", "notice", "card", "run_event", "effect_attempt", "effect", "pause_vote", "pause_content", "run_pause", "run_again", "run_call", "run_message",
    "run_content", "run_lease", "run", "api_token", "halt", "spending", "spending_lock", "policy_version", "away", "role_member", "identity", "person",
)  # fmt: skip


_BEGINNINGS: dict[str, str] = {}
"""The statements that put a database back to its beginning, for those that were emptied before."""


def empty(url: str) -> None:
    """Leave the schema, the edges, and the people of the example; nothing else. DELETE takes 3 ms here, TRUNCATE 90."""
    with connect(url) as conn:
        empty_over(conn, url)


def empty_over(conn: Any, url: str) -> None:
    """The same over a connection that there is."""
    with suppress(KeyError, psycopg.errors.UndefinedTable):  # never before; or it was made anew since
        put_back(conn, _BEGINNINGS[url])
        return
    with conn.transaction():
        conn.execute("SET LOCAL session_replication_role = replica")  # no foreign key is looked after: everything goes
        conn.execute(";".join(f"DELETE FROM {table}" for table in TABLES).encode())
    events.begin(conn)
    people.load(conn, example_people(), actor="tests")
    _BEGINNINGS[url] = keep(conn, "beginning")


_COLUMNS = (
    "SELECT table_name, string_agg(quote_ident(column_name), ', ' ORDER BY ordinal_position) FROM information_schema.columns"
    " WHERE table_schema = 'public' AND is_generated = 'NEVER' GROUP BY table_name"
)


def keep(conn: Any, schema: str = "kept") -> str:
    """Remember all rows as they are now, in a schema of their own; the statements that put them back."""
    conn.execute(f"DROP SCHEMA IF EXISTS {schema} CASCADE; CREATE SCHEMA {schema}")
    for table in TABLES:
        conn.execute(f"CREATE TABLE {schema}.{table} AS TABLE {table}")
    columns = dict(conn.execute(_COLUMNS).fetchall())
    filled = [table for table in TABLES if conn.execute(f"SELECT EXISTS (SELECT FROM {table})").fetchone() == (True,)]
    return ";".join(
        [
            *(f"DELETE FROM {table}" for table in TABLES),
            *(
                f"INSERT INTO {table} ({columns[table]}) OVERRIDING SYSTEM VALUE SELECT {columns[table]} FROM {schema}.{table}"
                for table in filled
            ),
        ]
    )


def put_back(conn: Any, kept: str) -> None:
    """Let all rows be as they were kept."""
    with conn.transaction():
        conn.execute("SET LOCAL session_replication_role = replica", prepare=False)
        conn.execute(kept, prepare=False)


def example_people() -> people_rules.People:
    """The people of the example."""
    return people_rules.parse((EXAMPLES / "people.toml").read_text())


def apply_policy(conn: Any, text: str | None = None) -> str:
    """Put the example's policy in force, or another text."""
    return policies.apply(conn, text or (EXAMPLES / "policy.toml").read_text(), example_people(), actor="tests")[0]
