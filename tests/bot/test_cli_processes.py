"""`placet audit`, `migrate`, `serve`, `demo`, `version`, and the shell: what is wrong is found out before anything starts."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import psycopg

from engine.state import people, runs
from tests import database, rows
from tests.bot.command_line import EXAMPLES, NOWHERE, ROOT, placet, process, untouched

PEOPLE, POLICY = EXAMPLES / "people.toml", EXAMPLES / "policy.toml"


def test_a_record_that_holds_is_said_to_and_an_altered_one_is_an_alarm(conn: Any, db_url: str) -> None:
    rows.waiting(conn)
    run_id = rows.launched(conn)
    said = placet(db_url, "audit", "verify")
    assert said.code == 0
    assert "of 3 chains recomputed, none altered." in said.out
    conn.execute("UPDATE run_event SET actor = 'otto' WHERE run_id = %s", (run_id,))
    altered = placet(db_url, "audit", "verify")
    assert altered.code == 4
    assert f"run_{run_id.hex[-6:]} was altered." in altered.err
    assert placet(db_url, "audit", "verify", run_id.hex[-6:]).code == 4


def test_a_run_that_is_not_there_is_not_verified(conn: Any, db_url: str) -> None:
    with untouched(conn):
        said = placet(db_url, "audit", "verify", "run_0a0a0a")
    assert (said.code, "No run has an id ending in 0a0a0a." in said.err) == (2, True)


def test_all_that_is_wrong_with_the_settings_is_said_at_once() -> None:
    said = placet(None, "serve", PORT="http", SLACK_BOT_TOKEN="xoxp-not-a-bot-token")
    assert said.code == 2
    for setting in ("DATABASE_URL", "SLACK_SIGNING_SECRET", "ANTHROPIC_API_KEY", "PLACET_API_TOKEN"):
        assert f"- {setting} is not set. Set it to " in said.err
    assert "- SLACK_BOT_TOKEN cannot be used (it does not begin with xoxb-)." in said.err
    assert "- PORT cannot be used" in said.err
    assert "not-a-bot" not in said.err


def test_a_part_that_is_none_is_refused() -> None:
    said = placet(None, "serve", "--only", "everything")
    assert (said.code, "'everything' is not one of" in said.err) == (2, True)


def test_a_demo_on_an_impossible_port_or_file_is_refused(tmp_path: Path) -> None:
    assert placet(None, "demo", "--port", "0").code == 2
    file = tmp_path / "file"
    file.touch()
    assert placet(None, "demo", "--folder", str(file)).code == 2


def test_migrate_is_safe_to_repeat_and_needs_a_database(conn: Any, db_url: str) -> None:
    said = placet(db_url, "migrate")
    assert (said.code, said.out) == (0, "The database is up to date; nothing was changed.")
    assert placet(None, "migrate").code == 2
    assert placet(NOWHERE, "migrate").code == 1
    assert placet(None, "migrate", DATABASE_URL="mysql://localhost/placet").code == 2


def test_a_database_without_tables_is_told_to_migrate(server: str) -> None:
    with psycopg.connect(server, autocommit=True) as conn:
        conn.execute("DROP DATABASE IF EXISTS placet_bare")
        conn.execute("CREATE DATABASE placet_bare")
    info = psycopg.conninfo.conninfo_to_dict(server)
    bare = psycopg.conninfo.make_conninfo("", **{**info, "dbname": "placet_bare"})
    said = placet(bare, "runs")
    assert (said.code, said.err) == (2, "The database holds no tables of Placet yet. Make them: placet migrate")
    assert placet(bare, "migrate").out.startswith("Applied: 0001_")
    assert placet(bare, "people").out == "There is nobody yet. Import people: placet people import people.toml"


def test_set_up_as_the_manual_says_it_from_a_shell(server: str) -> None:
    url = database.migrated(server, "placet_shell")
    assert process(url, "people", "import", str(PEOPLE)).code == 0
    assert process(url, "policy", "apply", str(POLICY), "--people", str(PEOPLE)).code == 0
    launch = (
        "launch",
        "procurement",
        "--orders",
        str(EXAMPLES / "orders.csv"),
        "--for",
        "priya",
        "--agents",
        "examples.procurement.agent",
    )
    said = process(url, *launch)
    assert (said.code, said.err) == (0, "")
    with database.connect(url) as conn:
        assert {one.id for one in people.everybody(conn)} == {one.id for one in database.example_people()}
        assert len(runs.listed(conn)) == 9


def test_a_shell_sees_sentences_and_exit_codes_and_no_traceback() -> None:
    assert process(None, "version").out.startswith("placet 0.")
    said = process(None, "runs")
    assert said.code == 2
    assert said.err.startswith("This cannot start:\n- DATABASE_URL is not set.")
    assert process(NOWHERE, "runs").code == 1
    unknown = process(None, "rusn")
    assert (unknown.code, "No such command 'rusn'" in unknown.err) == (2, True)


def test_the_help_lists_every_command_and_needs_neither_model_nor_slack() -> None:
    code = (
        "import sys, bot.cli\n"
        "early = {'pydantic', 'psycopg', 'rich.table'} & set(sys.modules)\n"
        "try: bot.cli.app(['--help'])\n"
        "except SystemExit: pass\n"
        "late = {'anthropic', 'slack_sdk', 'slack_bolt', 'fastapi', 'stripe'} & set(sys.modules)\n"
        "print('loaded', sorted(early), sorted(late))"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.endswith("loaded [] []\n"), done.stdout
    for command in (
        "demo",
        "serve",
        "migrate",
        "launch",
        "runs",
        "show",
        "pending",
        "approve",
        "doubt",
        "people",
        "audit",
        "version",
    ):
        assert f" {command} " in done.stdout
