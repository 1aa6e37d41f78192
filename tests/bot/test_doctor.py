"""The doctor says what is well, and of what is not how to mend it; it writes nothing, and never takes what it cannot see for well."""

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
import yaml

from bot import ready
from bot.delivery.answers import Failure, Refused, Unclear
from bot.doctor import Finding, examine
from bot.doctor.house import together
from bot.doctor.slack import NEEDED, OPTIONAL
from engine.rules import policy_file
from engine.state import halts, outage, people, policies
from engine.tools import Agent
from tests import database
from tests.bot.command_line import placet, untouched
from tests.bot.house import environment
from tests.bot.office import APP_TOKEN, Office, open_office

POLICY = (database.EXAMPLES / "policy.toml").read_text()
ROOT = Path(__file__).parents[2]


@pytest.fixture
def fit(office: Office, db_url: str, conn: Any) -> dict[str, str]:
    """The environment of an installation in which all is well."""
    people.load(conn, database.example_people(), actor="tests")
    policies.apply(conn, POLICY, database.example_people(), actor="tests")
    return environment(office, db_url)


def found(environ: dict[str, str], *, away: timedelta = timedelta()) -> list[Finding]:
    return list(examine(environ, now=datetime.now(UTC) + away))


def wrong(environ: dict[str, str], **how: Any) -> list[str]:
    """What is wrong, each with where."""
    return [f"{one.what}: {one.told}" for one in found(environ, **how) if one.verdict == "wrong"]


def test_where_all_is_well_it_says_so_and_what_it_cannot_see(fit: dict[str, str], conn: Any) -> None:
    with untouched(conn):
        seen = found(fit)
    assert {one.what for one in seen if one.verdict == "well"} == {
        "settings", "agents", "database", "people", "policy", "Slack", "clock", "scopes",
    }  # fmt: skip
    assert [f"{one.what}: {one.told}" for one in seen if one.verdict != "well"] == [
        "deliveries: Whether Slack reaches you cannot be seen from here: open the app's Home tab in Slack, and see whether it fills.",
        "channels: C0BUY (#purchasing) is shared with another organisation, which reads what is asked there.",
    ]


def test_a_halt_is_to_be_looked_at(fit: dict[str, str], conn: Any) -> None:
    halts.halt(conn, actor="otto", surface="tests", reason="Odd payments.")
    [halt] = [one for one in found(fit) if one.what == "effects"]
    assert (halt.verdict, halt.told.startswith("Otto Brandt has stopped all actions since ")) == ("look", True)
    assert halt.told.endswith(": Odd payments. To let them go on: placet resume-effects --as PERSON")


def test_the_command_ends_with_4_if_anything_is_wrong(fit: dict[str, str]) -> None:
    well = placet(None, "doctor", **fit)
    assert (well.code, "Nothing is wrong that can be seen from here." in well.out) == (0, True)
    ill = placet(None, "doctor", **fit | {"SLACK_BOT_TOKEN": "xoxb-of-another-app"})
    assert (ill.code, "1 to be mended." in ill.out) == (4, True)
    assert "It does not take SLACK_BOT_TOKEN (invalid_auth)." in ill.out
    assert "of-another-app" not in ill.out + ill.err


def test_every_scope_of_the_manifest_is_looked_for_and_no_other() -> None:
    manifest = yaml.safe_load((ROOT / "manifest.yml").read_text("utf-8"))
    assert set(manifest["oauth_config"]["scopes"]["bot"]) == NEEDED.keys() | OPTIONAL.keys()


def test_a_scope_that_is_missing_is_said_with_what_does_not_work(fit: dict[str, str], tmp_path: Path) -> None:
    with open_office(tmp_path / "other.jsonl", scopes=frozenset({"chat:write", "commands", "users:read"})) as office:
        seen = found(fit | {"SLACK_API_URL": f"{office.url}/slack/api/"})
    told = [f"{one.verdict} {one.told}" for one in seen if one.what in {"scopes", "channels"}]
    add = "Add it at api.slack.com/apps, under OAuth & Permissions, and install the app again."
    assert told[0] == f"wrong im:write is missing: nobody can be written to directly. {add}"
    assert f"look usergroups:read is missing: placet people sync cannot read roles. {add}" in told
    assert told[-1] == "look C0BUY cannot be looked at without the scope channels:read (groups:read if it is private)."


def test_a_clock_that_is_away_is_said_before_every_click_is_refused(fit: dict[str, str]) -> None:
    [fault] = wrong(fit, away=timedelta(minutes=-4))
    assert fault.startswith("clock: Ours is 2")
    assert fault.endswith(" seconds away from Slack's. Set it by NTP: at 300 every click is refused.")


@pytest.mark.parametrize(
    ("channel", "told"),
    [
        (
            "C0NONE",
            "C0NONE is not there, or the bot is not in it. Put its id into the policy (at the end of About), and invite the bot.",
        ),
        ("C0OLD", "C0OLD (#old) is archived. Name another one in the policy."),
    ],
)
def test_a_channel_in_which_nobody_would_see_it_is_said(
    fit: dict[str, str], office: Office, conn: Any, channel: str, told: str
) -> None:
    if channel == "C0OLD":
        office.change(channel="C0OPS", set={"is_archived": True})
        channel, told = "C0OPS", told.replace("C0OLD", "C0OPS").replace("#old", "#operations")
    text = POLICY.replace("C0BUY", channel).replace('version = "', 'version = "other-')
    policies.apply(conn, text, database.example_people(), actor="tests")
    assert wrong(fit) == [f"channels: {told}"]


def test_an_approver_who_would_be_refused_is_said(fit: dict[str, str], office: Office) -> None:
    office.change(user="U0MARTA", set={"deleted": True})
    assert wrong(fit) == [
        "people: Marta Keller: U0MARTA is no full member (deactivated), and is refused. Put another id in people.toml, or make them inactive."
    ]


def test_a_socket_that_cannot_be_opened_is_said(fit: dict[str, str]) -> None:
    sockets = {name: value for name, value in fit.items() if name != "SLACK_SIGNING_SECRET"}
    assert not wrong(sockets | {"SLACK_APP_TOKEN": APP_TOKEN})
    [fault] = wrong(sockets | {"SLACK_APP_TOKEN": "xapp-of-another"})
    assert fault.startswith("deliveries: No socket can be opened (invalid_auth). Set SLACK_APP_TOKEN to ")


def test_a_name_that_no_tool_knows_is_said_of_the_policy_in_force(fit: dict[str, str], conn: Any) -> None:
    text = POLICY.replace("-v4", "-v5").replace('finally = "deny"\n', 'finally = "deny"\nconfirm = "pament_method"\n')
    policies.apply(conn, text, database.example_people(), actor="tests")
    assert wrong(fit) == [
        'policy: rule "large payment", confirm: charge_supplier has no pament_method. Did you mean payment_method?'
    ]


def test_a_database_without_people_and_policy_is_said(office: Office, db_url: str, conn: Any) -> None:
    conn.execute("DELETE FROM role_member; DELETE FROM identity; DELETE FROM person", prepare=False)
    faults = wrong(environment(office, db_url))
    assert faults == [
        "people: Nobody is on file. Write people.toml, and run: placet people import people.toml",
        "policy: No policy is in force. Write one and apply it: placet policy apply policy.toml",
    ]


def test_without_a_database_the_rest_is_looked_at(fit: dict[str, str]) -> None:
    seen = found(fit | {"DATABASE_URL": "postgresql://placet@127.0.0.1:1/placet"})
    [fault] = [one for one in seen if one.verdict == "wrong"]
    assert fault.told.startswith("The database cannot be reached: ")
    assert {"Slack", "clock", "scopes"} <= {one.what for one in seen if one.verdict == "well"}


def test_a_database_that_was_never_migrated_is_told_to_be(office: Office, server: str) -> None:
    [fault] = [
        one for one in found(environment(office, database.created(server, "placet_bare"))) if one.what == "database"
    ]
    assert (fault.verdict, fault.told) == ("wrong", outage.NO_TABLES)


NO_ANSWER = [
    ("http://nowhere.invalid/api/", "Slack cannot be reached from here (URLError: "),
    ("http://127.0.0.1:1/api/", "Slack cannot be reached from here (URLError: "),
]


@pytest.mark.parametrize(("address", "told"), NO_ANSWER)
def test_where_slack_cannot_be_reached_no_token_is_blamed(fit: dict[str, str], address: str, told: str) -> None:
    [fault] = [one for one in found(fit | {"SLACK_API_URL": address}) if one.verdict == "wrong"]
    assert (fault.what, fault.told.startswith(told)) == ("Slack", True)
    assert "Check the DNS, the proxy and the firewall of this machine." in fault.told
    assert "TOKEN" not in fault.told


@pytest.mark.parametrize(
    ("failure", "told"),
    [
        (Unclear(error="HTTP 503: "), "Slack, or a proxy on the way, answered without sense (HTTP 503). "),
        (Refused(error="ratelimited", permanent=False, retry_after_s=30), "Slack takes no more calls from us for now "),
    ],
)
def test_an_answer_that_says_nothing_of_the_token_is_told_as_that(failure: Failure, told: str) -> None:
    assert str(ready.not_heard(failure)).startswith(told)
    assert ready.not_heard(Refused(error="invalid_auth", permanent=False)) is None


def test_a_socket_that_cannot_be_asked_for_blames_no_token(fit: dict[str, str], office: Office) -> None:
    office.fault("apps.connections.open", "status", times=3)
    sockets = {name: value for name, value in fit.items() if name != "SLACK_SIGNING_SECRET"}
    [fault] = wrong(sockets | {"SLACK_APP_TOKEN": APP_TOKEN})
    assert fault.startswith("deliveries: No socket can be opened. Slack, or a proxy on the way, answered without sense")


def test_what_cannot_be_read_of_the_settings_does_not_hide_the_rest(fit: dict[str, str]) -> None:
    seen = found(fit | {"SLACK_BOT_TOKEN": "xoxp-x", "PORT": "http"})
    told = [one.told for one in seen if one.verdict == "wrong"]
    assert ["SLACK_BOT_TOKEN" in told[0], "PORT" in told[1], len(told)] == [True, True, 2]
    assert "database" in {one.what for one in seen if one.verdict == "well"}


def test_an_agent_that_may_ask_and_no_rule_for_its_questions_is_pointed_out() -> None:
    asking = Agent("clerk", model="claude-sonnet-5", system="Ask.", ask_human=True)
    told = together({"clerk": asking}, policy_file.parse(POLICY), database.example_people())
    assert [(one.verdict, one.told) for one in told] == [
        ("look", "No rule names question, so clerk may never do that. Write a rule for it, if it is to be asked or allowed.")
    ]  # fmt: skip
