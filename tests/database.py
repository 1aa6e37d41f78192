"""A real PostgreSQL for the tests: embedded, started once, and a database that is emptied between tests.

The same tests run elsewhere too (tests/pooler): PLACET_TEST_DATABASE names a server that runs already, PLACET_TEST_POOLER what of a
connection string to change to go through a pooler in front of it, and DATABASE_POOL=off has pools hold no connection.
"""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psycopg

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


def connect(url: str, keys: Keys = NO_KEYS) -> Any:
    """A connection in autocommit mode, which seals with these keys."""
    conn = db.Conn.connect(url, autocommit=True, prepare_threshold=None if POOLER else 5)
    conn.keys = keys
    return conn


TABLES = (
    "digest_lease", "notice", "card", "run_event", "effect_attempt", "effect", "pause_vote", "pause_content", "run_pause", "run_again", "run_call", "run_message",
    "run_content", "run_lease", "run", "api_token", "halt", "spending", "spending_lock", "policy_version", "away", "role_member", "identity", "person",
)  # fmt: skip


def empty(url: str) -> None:
    """Leave the schema, the edges, and the people of the example; nothing else. DELETE takes 3 ms here, TRUNCATE 90."""
    with connect(url) as conn:
        with conn.transaction():
            conn.execute(
                "SET LOCAL session_replication_role = replica"
            )  # no foreign key is looked after: everything goes
            conn.execute(";".join(f"DELETE FROM {table}" for table in TABLES).encode())
        events.begin(conn)
        people.load(conn, example_people(), actor="tests")


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
    return ";".join(
        f"DELETE FROM {table}; INSERT INTO {table} ({columns[table]}) OVERRIDING SYSTEM VALUE SELECT {columns[table]} FROM {schema}.{table}"
        for table in TABLES
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
