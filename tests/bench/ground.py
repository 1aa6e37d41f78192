"""The ground that a figure is taken on: a database with today's schema in which any number of requests wait."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any
from uuid import UUID

import psycopg

from engine.state import db, pauses, runs
from tests import database, rows

COPY = """
    CREATE TEMP TABLE made AS SELECT gen_random_uuid() AS run, gen_random_uuid() AS pause, i FROM generate_series(1, %(copies)s) i;
    INSERT INTO run SELECT (jsonb_populate_record(r, jsonb_build_object('id', m.run, 'root', m.run))).* FROM made m, run r WHERE r.id = %(run)s;
    INSERT INTO run_content SELECT (jsonb_populate_record(c, jsonb_build_object('run_id', m.run))).* FROM made m, run_content c WHERE c.run_id = %(run)s;
    INSERT INTO run_call SELECT (jsonb_populate_record(c, jsonb_build_object('run_id', m.run, 'pause_id', m.pause))).*
      FROM made m, run_call c WHERE c.run_id = %(run)s;
    INSERT INTO run_pause SELECT (jsonb_populate_record(p, jsonb_build_object('id', m.pause, 'run_id', m.run,
           'fire_at', clock_timestamp() + interval '1 day' + m.i * interval '1 second'))).* FROM made m, run_pause p WHERE p.run_id = %(run)s;
    INSERT INTO pause_content SELECT m.pause, digest, fingerprint, document, seal FROM made m, pause_content c WHERE c.pause_id = %(pause)s;
    INSERT INTO card (id, pause_id, wanted, painted, level, kind, dest)
      SELECT gen_random_uuid(), m.pause, 1, 1, 0, 'approver', 'channel:C0BUY' FROM made m;
    DROP TABLE made;
"""


@contextmanager
def crowded(server: str, name: str, waiting: int) -> Iterator[str]:
    """A database where `waiting` requests wait until tomorrow; its URL."""
    url = database.migrated(server, name)
    database.empty(url)
    with database.connect(url) as conn:
        [pause_id] = rows.waiting(conn)
        conn.execute("UPDATE card SET painted = wanted")
        run_id = pauses.get(conn, pause_id).run_id
        with database.connect(url) as literal:
            literal.cursor_factory = psycopg.ClientCursor  # several statements at once
            literal.execute("SET statement_timeout = 0")
            literal.execute(COPY, {"run": run_id, "pause": pause_id, "copies": waiting - 1})
        conn.execute("SET statement_timeout = 0")
        conn.execute("VACUUM ANALYZE")
        conn.execute(
            "CREATE TABLE bare (id uuid PRIMARY KEY, status text NOT NULL, fire_at timestamptz NOT NULL, body text NOT NULL)"
        )
        conn.execute("CREATE INDEX ON bare (fire_at) WHERE status = 'waiting'")
    yield url


def ready_to_ask(conn: Any) -> tuple[Any, runs.Ask]:
    """A running run whose reply is saved, and the pause that it is to stop on."""
    rows.launched(conn)
    claim = runs.claim(conn, "bench", ["procurement"], lease_s=3600)
    assert claim is not None
    rows.replied(conn, claim)
    return claim, rows.asked(conn, claim)


def parked(conn: Any) -> UUID:
    """A pause that waits."""
    claim, ask = ready_to_ask(conn)
    runs.ask(conn, claim, [ask])
    return ask.id


@contextmanager
def connections(url: str, count: int) -> Iterator[list[db.Conn]]:
    """As many as there are clients, set as the pool sets them."""
    with ExitStack() as kept:
        yield [kept.enter_context(db.Conn.connect(url, autocommit=True, prepare_threshold=0)) for _ in range(count)]
