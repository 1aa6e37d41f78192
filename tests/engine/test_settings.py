"""The settings: every fault at once, in our own words, with what to put there; and no secret in any of them."""

import json
from pathlib import Path
from typing import Any

import pytest
from joserfc.jwk import ECKey, OctKey, RSAKey

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
    for field, variable in VARIABLES.items():
        needed = Settings.model_fields[field].is_required()
        assert needed == (variable.otherwise is None)
        default = Settings.model_fields[field].default
        if not needed and default is not None:
            assert str(default) == variable.otherwise
    assert set(VARIABLES) == set(Settings.model_fields)


def test_slack_comes_over_a_socket_or_over_http() -> None:
    without = {name: value for name, value in FIT.items() if name != "SLACK_SIGNING_SECRET"}
    given = Settings.from_env(without | {"SLACK_APP_TOKEN": "xapp-1-A0-0-abc"})
    assert (given.slack_signing_secret, given.slack_app_token is not None) == (None, True)
    with pytest.raises(Misconfigured) as refused:
        Settings.from_env(without)
    [fault] = refused.value.faults
    assert fault.startswith(
        "SLACK_SIGNING_SECRET is not set. Set it to the signing secret from your Slack app's page Basic Information. "
    )
    assert "Or set SLACK_APP_TOKEN to an app-level token (xapp-...)" in fault
    assert faults(SLACK_APP_TOKEN="xoxb-12345678")[0].startswith(
        "SLACK_APP_TOKEN cannot be used: it does not begin with xapp-."
    )


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


@pytest.fixture
def key_file(tmp_path: Path) -> Path:
    """Placet's own key at an identity server."""
    path = tmp_path / "key.json"
    path.write_text(json.dumps(ECKey.generate_key("P-256").as_dict(private=True)))
    return path


def oauth(key_file: Path | str, **changes: str) -> dict[str, str]:
    known = {"PLACET_OAUTH_ISSUER": "https://id.example", "PLACET_OAUTH_CLIENT_ID": "placet"}
    return known | {"PLACET_OAUTH_KEY_FILE": str(key_file)} | changes


def test_an_identity_server_is_taken_with_its_key_which_does_not_show(key_file: Path) -> None:
    given = Settings.from_env(FIT | oauth(key_file))
    assert (given.oauth_issuer, given.oauth_client_id) == ("https://id.example", "placet")
    assert given.oauth_key_file is not None
    key = given.oauth_key_file.get_secret_value()
    assert key == key_file.read_text()
    assert json.loads(key)["d"] not in f"{given!r} {given}"


@pytest.mark.parametrize("there", [1, 2])
def test_of_an_identity_server_all_is_set_or_nothing_and_what_is_missing_is_in_the_one_report(
    key_file: Path, there: int
) -> None:
    given = dict(list(oauth(key_file).items())[:there])
    missing = [name for name in oauth(key_file) if name not in given]
    said = faults(**given, PORT="http")
    assert said[0].startswith("PORT cannot be used")
    assert [fault.partition(". Set it to ")[0] for fault in said[1:]] == [
        f"{name} is not set, and PLACET_OAUTH_ISSUER is" for name in missing
    ]
    assert AgentModules.from_env(FIT | given).agents


@pytest.mark.parametrize(
    ("name", "value", "why"),
    [
        (
            "PLACET_OAUTH_ISSUER",
            "http://id.example",
            "it begins with http://, and only https:// keeps a secret on its way",
        ),
        ("PLACET_OAUTH_ISSUER", "https://id.example?tenant=1", "it holds a query, which no issuer has"),
        ("PLACET_OAUTH_ISSUER", "https://...", "it is still a placeholder"),
        ("PLACET_OAUTH_CLIENT_ID", "pläcet", "it is no plain text of 1 to 200 characters"),
        ("PLACET_OAUTH_KEY_FILE", "/nowhere/key.json", "it cannot be read (No such file or directory)"),
        ("PLACET_OAUTH_KEY_FILE", "/", "it cannot be read (Is a directory)"),
        ("PLACET_OAUTH_KEY_FILE", "<the file>", "it is still a placeholder"),
    ],
)
def test_an_identity_server_that_cannot_be_used_is_refused(key_file: Path, name: str, value: str, why: str) -> None:
    [fault] = faults(**oauth(key_file, **{name: value}))
    assert fault.startswith(f"{name} cannot be used: {why}. Set it to ")


def _without(key: dict[str, Any], *names: str) -> str:
    return json.dumps({name: value for name, value in key.items() if name not in names})


OURS = ECKey.generate_key("P-256").as_dict(private=True)


@pytest.mark.parametrize(
    "text",
    [
        "", "geheim", "[]", "{}", _without(OURS, "d"), _without(OURS, "x"), _without(OURS, "kty"), json.dumps(OURS | {"d": "geheim"}),
        json.dumps(OURS | {"alg": "ES384"}), json.dumps(ECKey.generate_key("P-384").as_dict(private=True)),
        json.dumps(RSAKey.generate_key(2048).as_dict(private=True)), json.dumps(OctKey.generate_key(256).as_dict(private=True)),
    ],
    ids=["empty", "no JSON", "a list", "nothing", "no d", "no x", "no kty", "no number", "another algorithm", "another curve", "RSA", "a secret"],
)  # fmt: skip
def test_a_file_without_a_key_that_can_sign_is_refused_and_not_shown(key_file: Path, text: str) -> None:
    key_file.write_text(text)
    [fault] = faults(**oauth(key_file))
    assert fault.startswith("PLACET_OAUTH_KEY_FILE cannot be used: the file holds no private key that signs by ES256. ")
    assert "geheim" not in fault


def test_a_file_that_is_no_text_is_refused(key_file: Path) -> None:
    key_file.write_bytes(b"\xff\xfe")
    [fault] = faults(**oauth(key_file))
    assert fault.startswith("PLACET_OAUTH_KEY_FILE cannot be used: it cannot be read (it is no text). ")
