"""`placet audit`, `migrate`, `serve`, `demo`, `version`, and the shell: what is wrong is found out before anything starts."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import typer
from rich.text import Text

from bot.cli import app
from engine import settings
from engine.state import people, runs
from tests import database, rows
from tests.bot.command_line import EXAMPLES, NOWHERE, ROOT, placet, process, untouched
from tests.bot.office import Office

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
    assert f"run_{run_id.hex[-6:]} was altered at move 1 (launch)." in altered.err
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
    assert "- SLACK_BOT_TOKEN cannot be used: it does not begin with xoxb-." in said.err
    assert "- PORT cannot be used: it is not a whole number." in said.err
    assert "not-a-bot" not in said.err


def test_agents_that_do_not_load_and_a_token_that_slack_refuses_are_in_the_same_report(office: Office) -> None:
    slack = {"SLACK_BOT_TOKEN": "xoxb-of-another-app", "SLACK_API_URL": f"{office.url}/slack/api/"}
    said = placet(None, "serve", PLACET_AGENTS="refunds_of_nobody", SLACK_SIGNING_SECRET="abc", **slack)
    assert said.code == 2
    for fault in (
        "- DATABASE_URL is not set.",
        "- SLACK_SIGNING_SECRET cannot be used: it has 3 characters; a signing secret has at least 16.",
        "- refunds_of_nobody cannot be imported: ",
        "- Slack did not say whose token SLACK_BOT_TOKEN is: invalid_auth.",
    ):
        assert said.err.count(fault) == 1, said.err
    assert "of-another-app" not in said.err


def test_help_lists_the_environment_and_where_it_listens() -> None:
    said = placet(None, "serve", "--help", COLUMNS="200").out
    for variable in settings.VARIABLES.values():
        assert f"{variable.name}: {variable.what}" in said
    assert "It listens on HOST 127.0.0.1 and PORT 8080 unless they say otherwise: put your TLS proxy in front" in said
    assert "8477, or a free one if that is taken" in placet(None, "demo", "--help", COLUMNS="200").out


@pytest.mark.parametrize("path", [[], ["serve"], ["policy"], ["policy", "check"], ["people"], ["audit", "verify"]])
def test_h_is_help_everywhere(path: list[str]) -> None:
    short, long = placet(None, *path, "-h"), placet(None, *path, "--help")
    assert short.code == 0
    assert short.out == long.out
    assert "Usage: placet" in short.out


def every_help() -> list[str]:
    """All that the helps say of commands, options and arguments, as it is written in the code."""
    found: list[str] = []

    def look(command: Any, ctx: Any) -> None:
        found.extend(
            filter(None, (command.help, command.epilog, *(getattr(one, "help", "") for one in command.params)))
        )
        for name in command.list_commands(ctx) if hasattr(command, "list_commands") else ():
            look(command.get_command(ctx, name), ctx)

    group = typer.main.get_command(app)
    with group.make_context("placet", [], resilient_parsing=True) as ctx:
        look(group, ctx)
    return found


def test_no_help_has_brackets_that_are_taken_for_markup() -> None:
    helps = every_help()
    assert any("[[case]]" in Text.from_markup(one).plain for one in helps)
    assert [one for one in helps if Text.from_markup(one).plain != one.replace("\\[", "[").replace("\b", "")] == []
    assert "[[case]] tables: an action" in placet(None, "policy", "test", "--help", COLUMNS="200").out


def test_an_agent_in_the_current_directory_is_found_and_hides_nothing_of_ours(tmp_path: Path) -> None:
    (tmp_path / "refunds.py").write_text("from engine import Agent\nagent = Agent('refunds', model='m', system='s')\n")
    (tmp_path / "engine.py").write_text("raise RuntimeError('not this one')\n")
    command = ("launch", "nobody", "--input", "x", "--for", "priya")
    done = subprocess.run(
        [sys.executable, "-P", "-c", "from bot.cli import main; main()", *command], cwd=tmp_path, env={"PLACET_AGENTS": "refunds"},
        capture_output=True, text=True, check=False, timeout=60,
    )  # fmt: skip
    assert done.returncode == 2
    assert "there is no agent 'nobody'. There are: refunds." in done.stderr


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
    bare = database.created(server, "placet_bare")
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
