"""The same promises on other ground: through PgBouncer in transaction mode, with no connection held, on PostgreSQL 15 as on 18.

What is moved here is moved by the tests of the state, the workers and the listeners themselves, run again in a process of their own
against that ground. Left out is what looks at single sessions (who waits for whose lock), since a session has no name through a pooler.
"""

import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
from psycopg.conninfo import conninfo_to_dict, make_conninfo

import sql as queries
from bot.sandbox.postgres import postgres
from engine.models import AlreadySettled, Decided
from engine.state import db, pauses
from tests import database, rows
from tests.bot.office import at_once
from tests.pooler.ground import pgbouncer, postgresql_15, version_of

ROOT = Path(__file__).parents[2]
SPINE = "tests/engine/state/test_spine.py"
STATE = (SPINE, *(f"tests/engine/state/test_{what}.py" for what in (
    "asking", "decide", "doubt", "ledger", "operators", "people_and_policies", "runs", "sweep", "votes", "withdraw",
)))  # fmt: skip
LISTENERS = "tests/bot/test_listeners.py"
HEADLESS = "tests/engine/workers/test_headless.py"
EFFECTS = "tests/engine/workers/test_effects.py"
WHOLE = pytest.mark.timeout(300)
LEFT_OUT = (
    "--deselect", f"{LISTENERS}::test_a_database_that_only_reads_is_told_as_not_recorded",  # it ends sessions, a pooler keeps its own
    "--deselect", f"{LISTENERS}::test_a_card_whose_post_was_never_confirmed_is_found_again_by_its_click",  # about Slack, against a clock
)  # fmt: skip


@pytest.fixture(scope="module")
def folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="placet-ground-", ignore_cleanup_errors=True) as made:
        yield Path(made)


@pytest.fixture(scope="module")
def fifteen(folder: Path) -> Iterator[str]:
    """PostgreSQL 15."""
    with (
        tempfile.TemporaryDirectory(prefix="placet-15-", ignore_cleanup_errors=True) as own,
        postgresql_15(Path(own)) as server,
    ):
        yield server


@pytest.fixture(scope="module")
def eighteen(folder: Path) -> Iterator[str]:
    """The embedded PostgreSQL, apart from the other tests' one."""
    with postgres(folder / "18") as server:
        yield server


@pytest.fixture
def through(folder: Path, fifteen: str) -> Iterator[tuple[str, str]]:
    """A migrated database on 15: the way to it through the pooler, and the pooler itself."""
    url = database.migrated(fifteen, "placet")
    database.empty(url)
    with pgbouncer(folder / f"pooler-{os.urandom(3).hex()}", fifteen) as pooler:
        yield make_conninfo(url, **conninfo_to_dict(pooler)), pooler


def passes(server: str, *selected: str, pooler: str = "", pool: str = "on") -> str:
    """Run these tests on that ground; pytest's last line."""
    ground = {"PLACET_TEST_DATABASE": server, "PLACET_TEST_POOLER": pooler, "DATABASE_POOL": pool}
    # A folder of its own: the usual one is closed by whoever starts to all but its owner, and PostgreSQL's user is another.
    with tempfile.TemporaryDirectory(prefix="placet-ground-", ignore_cleanup_errors=True) as own:
        done = subprocess.run(
            [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", f"--basetemp={own}/pytest", *selected],
            cwd=ROOT, env={**os.environ, **ground}, capture_output=True, text=True, check=False, timeout=280,
        )  # fmt: skip
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-2000:]
    return done.stdout.splitlines()[-1]


@WHOLE
def test_18_through_the_pooler(folder: Path, eighteen: str) -> None:
    with pgbouncer(folder / "before-18", eighteen) as pooler:
        assert " passed" in passes(eighteen, *STATE, EFFECTS, LISTENERS, *LEFT_OUT, pooler=pooler)


@WHOLE
def test_15_with_no_connection_held(fifteen: str) -> None:
    assert " passed" in passes(fifteen, "tests/sql/test_queries.py", *STATE, LISTENERS, *LEFT_OUT, pool="off")


@WHOLE
def test_15_through_the_pooler_with_no_connection_held(folder: Path, fifteen: str) -> None:
    with pgbouncer(folder / "before-15", fifteen) as pooler:
        assert " passed" in passes(fifteen, SPINE, HEADLESS, pooler=pooler, pool="off")


def test_twenty_conditional_updates_in_a_row_from_two_clients_have_one_winner_each(through: tuple[str, str]) -> None:
    """O6."""
    url, _ = through
    with db.pool(url, size=1, prepare=False) as one, db.pool(url, size=1, prepare=False) as two:
        with one.connection() as conn:
            asked = [rows.waiting(conn)[0] for _ in range(20)]

        def approve_all(pool: db.Pool) -> list[type]:
            with pool.connection() as conn:
                return [type(pauses.approve(conn, pause_id, "marta", surface="tests")) for pause_id in asked]

        each = zip(*at_once(lambda: approve_all(one), lambda: approve_all(two)), strict=True)
    assert [set(both) for both in each] == [{Decided, AlreadySettled}] * 20


def test_statements_are_prepared_through_a_pooler_that_follows_them_and_else_fail_at_once(
    through: tuple[str, str],
) -> None:
    """Why there is DATABASE_PREPARE: two clients that prepare meet on one server connection."""
    url, pooler = through

    def look_thrice(pool: db.Pool) -> None:
        with pool.connection() as conn:
            for _ in range(3):
                pauses.due(conn, limit=1, back_s=None)

    with db.pool(url, size=1) as one, db.pool(url, size=1) as two:
        look_thrice(one)
        if version_of(pooler) >= (1, 21):
            look_thrice(two)
        else:
            with pytest.raises(psycopg.errors.DuplicatePreparedStatement):
                look_thrice(two)


def test_migrating_through_the_pooler_is_safe_to_repeat(through: tuple[str, str]) -> None:
    url, _ = through
    assert [db.migrate(url), db.migrate(url)] == [[], []]


OF_A_SESSION = re.compile(
    r"\b(UN)?LISTEN\b|^\s*(SET|PREPARE)\b|\bpg_(try_)?advisory_lock|\bTEMP(ORARY)?\b|set_config\(.*false\)",
    re.MULTILINE,
)


def test_no_query_leaves_anything_in_a_session() -> None:
    texts = {name: re.sub(r"--.*|'[^']*'", "", query.text) for name, query in queries.QUERIES.items()}
    assert [name for name, text in texts.items() if OF_A_SESSION.search(text)] == []
