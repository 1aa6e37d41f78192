"""The settings: every fault at once, in our own words, with what to put there; and no secret in any of them."""

import pytest

from engine import settings
from engine.errors import Misconfigured
from engine.settings import VARIABLES, AgentModules, Settings, SlackAccess

FIT = {
    "DATABASE_URL": "postgresql://placet@localhost/placet",
    "SLACK_BOT_TOKEN": "xoxb-1234567890",
    "SLACK_SIGNING_SECRET": "0" * 32,
    "ANTHROPIC_API_KEY": "sk-ant-123456",
    "PLACET_API_TOKEN": "0" * 64,
    "PLACET_AGENTS": "refunds, examples.procurement.agent,",
}


def faults(**changes: str) -> list[str]:
    with pytest.raises(Misconfigured) as refused:
        Settings.from_env(FIT | changes)
    return refused.value.faults


def test_what_is_fit_is_taken_and_the_rest_has_its_default() -> None:
    given = Settings.from_env(FIT | {"PORT": " 9000 ", "PLACET_SWEEP": "0.5"})
    assert given.agents == ("refunds", "examples.procurement.agent")
    assert (given.port, given.host, given.sweep_s, given.workers, given.env) == (9000, "127.0.0.1", 0.5, 4, "prod")
    assert given.slack_team is None


def test_what_holds_without_a_variable_is_what_people_are_told() -> None:
    given = Settings.from_env(FIT)
    for field, variable in VARIABLES.items():
        needed = Settings.model_fields[field].is_required()
        assert needed == (variable.otherwise is None)
        if not needed and (default := getattr(given, field)) is not None:
            assert str(default) == variable.otherwise
    assert set(VARIABLES) == set(Settings.model_fields)


def test_secrets_do_not_show_when_it_is_printed() -> None:
    shown = f"{Settings.from_env(FIT)!r}"
    for name in ("SLACK_BOT_TOKEN", "SLACK_SIGNING_SECRET", "ANTHROPIC_API_KEY", "PLACET_API_TOKEN"):
        assert FIT[name] not in shown


@pytest.mark.parametrize(
    ("name", "value", "why"),
    [
        ("SLACK_SIGNING_SECRET", "abc", "it has 3 characters; a signing secret has at least 16"),
        ("SLACK_BOT_TOKEN", "xoxp-foo", "it does not begin with xoxb-"),
        ("SLACK_BOT_TOKEN", "xoxb-1", "it has 6 characters; a bot token has at least 10"),
        ("SLACK_BOT_TOKEN", "xoxb-12345 67890", "it holds a blank or another character that no such secret has"),
        ("ANTHROPIC_API_KEY", "x", "it has 1 character; an API key has at least 8"),
        ("PLACET_API_TOKEN", "short", "it has 5 characters; such a token has at least 32"),
        (
            "DATABASE_URL",
            "mysql://root:geheim@db/x",
            "it is not a PostgreSQL address, which begins with postgresql://",
        ),
        ("PLACET_AGENTS", " , ", "it names no module"),
        ("PORT", "http", "it is not a whole number"),
        ("PORT", "70000", "it is not within 1 and 65535"),
        ("PLACET_LEASE", "nan", "it is not within 5 and 3600"),
        ("PLACET_SWEEP", "soon", "it is not a number"),
        ("PLACET_ENV", "Our Prod", "it is not 1 to 16 small letters, digits or hyphens"),
        ("DATABASE_POOL", "no", "it is neither on nor off"),
        ("DATABASE_PREPARE", "OFF", "it is neither on nor off"),
        ("SLACK_TEAM_ID", "acme", "it is no id such as T0123ABCD"),
        ("SLACK_API_URL", "https://slack.com/api", "it is no web address that ends in /"),
        ("ANTHROPIC_BASE_URL", "claude", "it is no web address"),
    ],
)
def test_a_value_that_cannot_be_used_is_refused_in_our_words_without_showing_it(
    name: str, value: str, why: str
) -> None:
    [fault] = faults(**{name: value})
    assert fault.startswith(f"{name} cannot be used: {why}. Set it to ")
    assert "geheim" not in fault


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("SLACK_BOT_TOKEN", "xoxb-..."),
        ("SLACK_SIGNING_SECRET", "..."),
        ("ANTHROPIC_API_KEY", "sk-ant-..."),
        ("PLACET_API_TOKEN", "<your token, 32 characters or more>"),
        ("DATABASE_URL", "postgresql://…"),
        ("PLACET_AGENTS", "..."),
        ("HOST", "..."),
    ],
)
def test_what_a_manual_writes_in_place_of_a_value_is_refused_as_that(name: str, value: str) -> None:
    [fault] = faults(**{name: value})
    assert fault.startswith(f"{name} cannot be used: it is still a placeholder. Set it to ")


def test_all_faults_are_said_at_once_in_the_order_of_the_list() -> None:
    with pytest.raises(Misconfigured) as refused:
        Settings.from_env({"PORT": "0", "SLACK_BOT_TOKEN": "xoxp-foo"})
    assert [fault.partition(" ")[0] for fault in refused.value.faults] == [
        "DATABASE_URL", "SLACK_BOT_TOKEN", "SLACK_SIGNING_SECRET", "ANTHROPIC_API_KEY", "PLACET_API_TOKEN", "PLACET_AGENTS", "PORT",
    ]  # fmt: skip


def test_a_part_is_read_by_itself() -> None:
    only = {name: FIT[name] for name in ("SLACK_BOT_TOKEN", "PLACET_AGENTS")} | {"PORT": "http"}
    assert SlackAccess.from_env(only).slack_api_url == "https://slack.com/api/"
    assert AgentModules.from_env(only).agents[0] == "refunds"


def test_the_address_of_the_database_alone() -> None:
    assert settings.database_url(FIT) == FIT["DATABASE_URL"]
    assert settings.names_database(FIT)
    assert not settings.names_database({"DATABASE_URL": " "})
    for given, wrong in (
        ({}, "is not set."),
        ({"DATABASE_URL": "mysql://root:geheim@db/x"}, "cannot be used: it is not a PostgreSQL address"),
        ({"DATABASE_URL": "postgresql://..."}, "cannot be used: it is still a placeholder."),
    ):
        with pytest.raises(Misconfigured) as refused:
            settings.database_url(given)
        [fault] = refused.value.faults
        assert fault.startswith(f"DATABASE_URL {wrong}")
        assert fault.endswith("In the demo: placet demo prints it.")
        assert "geheim" not in fault
