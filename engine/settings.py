"""The settings, from environment variables, read once at the composition root. All that is wrong is said at once, with what to do.

The one rule: what a fault says never holds the value, which may be a secret. Settings come in parts, so that whoever needs only one of
them, or looks what else is wrong where another part is, reads that one alone.
"""

import json
import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Final, Self

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, SecretStr, ValidationError, field_validator

from engine.errors import Misconfigured
from engine.rules import addresses
from engine.rules.seal import NO_KEYS, Keys


@dataclass(frozen=True, slots=True)
class Variable:
    """An environment variable: its name, what to put there, and what holds without it; None: it must be set."""

    name: str
    what: str
    otherwise: str | None = None


VARIABLES: Final[Mapping[str, Variable]] = {
    "database_url": Variable(
        "DATABASE_URL", "the address of your PostgreSQL, as in postgresql://placet@localhost/placet"
    ),
    "slack_bot_token": Variable(
        "SLACK_BOT_TOKEN", "the bot token (xoxb-...) from your Slack app's page OAuth & Permissions"
    ),
    "slack_signing_secret": Variable(
        "SLACK_SIGNING_SECRET",
        "the signing secret from your Slack app's page Basic Information",
        "SLACK_APP_TOKEN must be set",
    ),
    "slack_app_token": Variable(
        "SLACK_APP_TOKEN",
        "an app-level token (xapp-...) with connections:write, from your Slack app's page Basic Information, if Slack cannot reach this process",
        "SLACK_SIGNING_SECRET must be set",
    ),
    "anthropic_api_key": Variable("ANTHROPIC_API_KEY", "an API key from the Anthropic console (sk-ant-...)"),
    "api_token": Variable(
        "PLACET_API_TOKEN", "a long random token for the HTTP API, 32 characters or more: openssl rand -hex 32"
    ),
    "agents": Variable(
        "PLACET_AGENTS", "the modules that hold your agents, comma-separated, as in examples.procurement.agent"
    ),
    "host": Variable("HOST", "the address to listen on, as in 0.0.0.0 for all of this machine's", "127.0.0.1"),
    "port": Variable("PORT", "the port to listen on, 1 to 65535", "8080"),
    "env": Variable("PLACET_ENV", "a short name of this environment, as in prod; it tags every button", "prod"),
    "workers": Variable("PLACET_WORKERS", "how many runs this process works on at once, 1 to 64", "4"),
    "lease_s": Variable("PLACET_LEASE", "seconds after which a silent worker's run is taken over, 5 to 3600", "60"),
    "sweep_s": Variable("PLACET_SWEEP", "seconds between two sweeps, 0.2 to 60", "1"),
    "seal_key": Variable(
        "PLACET_SEAL_KEY",
        "the key that seals requests and answers, as in k1:$(openssl rand -hex 32); a new one goes in front of it, after a comma the old",
        "nothing is sealed",
    ),
    "oauth_issuer": Variable(
        "PLACET_OAUTH_ISSUER",
        "the address of your identity server, exactly as it calls itself, as in https://id.example.com",
        "there is none, and tools take their keys from the environment",
    ),
    "oauth_client_id": Variable("PLACET_OAUTH_CLIENT_ID", "the id that Placet has there as a client", "there is none"),
    "oauth_key_file": Variable(
        "PLACET_OAUTH_KEY_FILE",
        "the file with Placet's own private key for it, as a JWK (EC, P-256), whose public half the identity server has",
        "there is none",
    ),
    "database_pool": Variable(
        "DATABASE_POOL", "on or off; off: no connection to PostgreSQL is held between two moves, for serverless", "on"
    ),
    "database_prepare": Variable(
        "DATABASE_PREPARE", "on or off; off: no statement is prepared, for PgBouncer before 1.21", "on"
    ),
    "slack_team": Variable("SLACK_TEAM_ID", "the id of your workspace (T...) or organisation (E...)", "asked of Slack"),
    "slack_api_url": Variable("SLACK_API_URL", "the address of Slack's Web API, ending in /", "https://slack.com/api/"),
    "anthropic_base_url": Variable("ANTHROPIC_BASE_URL", "the address of the Messages API", "the real one"),
}
"""Every setting by its field, in the order in which people are told of them."""


def is_placeholder(value: str) -> bool:
    """Whether it is what a manual writes in place of a value."""
    return re.search(r"(\.\.\.|…)$|^<.*>$", value) is not None


def _no_placeholder(value: Any) -> Any:
    """What a manual writes in place of a value is none."""
    if isinstance(value, str) and is_placeholder(value):
        raise ValueError("it is still a placeholder")
    return value


def _postgresql(value: str) -> str:
    if not value.startswith(("postgres://", "postgresql://")):
        raise ValueError("it is not a PostgreSQL address, which begins with postgresql://")
    return value


def _matching(pattern: str, why: str) -> AfterValidator:
    def check(value: str) -> str:
        if not re.fullmatch(pattern, value):
            raise ValueError(why)
        return value

    return AfterValidator(check)


def _secret(kind: str, least: int, *, begins: str = "") -> AfterValidator:
    """Not shorter than such secrets are, and fit for an HTTP header."""

    def check(value: SecretStr) -> SecretStr:
        text = value.get_secret_value()
        if not text.startswith(begins):
            raise ValueError(f"it does not begin with {begins}")
        if len(text) < least:
            raise ValueError(f"it has {len(text)} character{'s' * (len(text) != 1)}; {kind} has at least {least}")
        if not re.fullmatch("[!-~]+", text):
            raise ValueError("it holds a blank or another character that no such secret has")
        return value

    return AfterValidator(check)


def _number(as_number: Callable[[Any], float], kind: str, least: float, most: float) -> BeforeValidator:
    def check(value: Any) -> float:
        try:
            number = as_number(value)
        except ValueError:
            raise ValueError(f"it is not {kind}") from None
        if not least <= number <= most:
            raise ValueError(f"it is not within {least:g} and {most:g}")
        return number

    return BeforeValidator(check)


Switch = Annotated[str, _matching("on|off", "it is neither on nor off")]


def _sealing(value: SecretStr) -> SecretStr:
    """Keys that can be read; they are not shown when they cannot."""
    Keys.parse(value.get_secret_value())
    return value


def _issuer(value: str) -> str:
    if why := addresses.unfit(value) or ("it holds a query, which no issuer has" if "?" in value else None):
        raise ValueError(why)
    return value


def _private_key(path: Any) -> Any:
    """The key that is in this file, which is read once; what it holds is not shown when it cannot be used."""
    from joserfc.jwk import ECKey  # noqa: PLC0415  a fifth of a second, and only where there is a key

    try:
        text = Path(path).read_text("utf-8")
    except (OSError, UnicodeError) as error:
        raise ValueError(f"it cannot be read ({getattr(error, 'strerror', None) or 'it is no text'})") from None
    try:
        key = ECKey.import_key(json.loads(text))
        fit = key.is_private and key.curve_name == "P-256" and key.get("alg") in (None, "ES256")
    except Exception:  # noqa: BLE001  whatever the library says might hold the key
        fit = False
    if not fit:
        raise ValueError("the file holds no private key that signs by ES256")
    return SecretStr(text)


def _modules(value: Any) -> Any:
    named = tuple(part.strip() for part in value.split(",") if part.strip()) if isinstance(value, str) else value
    if not named:
        raise ValueError("it names no module")
    return named


class _Part(BaseModel):
    """Settings that can be read by themselves. Immutable; secrets do not show when it is printed."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    _refuse_placeholders = field_validator("*", mode="before")(_no_placeholder)

    @classmethod
    def from_env(cls, environ: Mapping[str, str] | None = None) -> Self:
        """Read the environment. Raises Misconfigured with every fault: which variable, what is wrong, what to put there."""
        given = os.environ if environ is None else environ
        values = {field: text for field in cls.model_fields if (text := given.get(VARIABLES[field].name, "").strip())}
        faults = {field: _fault(field, f"is not set, and {other} is") for field, other in _alone(cls, values)}
        if cls.model_fields.keys() >= _WAYS_IN and not _WAYS_IN & values.keys():
            faults["slack_signing_secret"] = (
                f"{_fault('slack_signing_secret', 'is not set')} Or {_to_set('slack_app_token')}"
            )
        made: Self | None = None
        try:
            made = cls(**values)
        except ValidationError as error:
            faults |= {(field := str(one["loc"][0])): _fault(field, _told(one)) for one in error.errors()}
        if made is None or faults:
            raise Misconfigured([faults[field] for field in VARIABLES if field in faults])
        return made


class Database(_Part):
    """Where the rows are."""

    database_url: Annotated[str, AfterValidator(_postgresql)]


class Sealing(_Part):
    """With what requests and answers are sealed. None: they are not."""

    seal_key: Annotated[SecretStr, AfterValidator(_sealing)] | None = None

    @property
    def keys(self) -> Keys:
        """The keys, the newest first."""
        return Keys.parse(self.seal_key.get_secret_value()) if self.seal_key else NO_KEYS


class SlackAccess(_Part):
    """As whom, and where, Slack's Web API is called. `slack_team` None: Slack is asked.

    With `slack_app_token`, deliveries come over a socket that is opened with it; else they come signed over HTTP.
    """

    slack_bot_token: Annotated[SecretStr, _secret("a bot token", 10, begins="xoxb-")]
    slack_app_token: Annotated[SecretStr, _secret("an app-level token", 10, begins="xapp-")] | None = None
    slack_team: Annotated[str, _matching("[TE][A-Z0-9]+", "it is no id such as T0123ABCD")] | None = None
    slack_api_url: Annotated[str, _matching("https?://.+/", "it is no web address that ends in /")] = (
        "https://slack.com/api/"
    )


class OAuth(_Part):
    """The identity server that mints access tokens, and as whom it is asked. All None: there is none. The key is the file's text."""

    oauth_issuer: Annotated[str, AfterValidator(_issuer)] | None = None
    oauth_client_id: Annotated[str, _matching("[ -~]{1,200}", "it is no plain text of 1 to 200 characters")] | None = (
        None
    )
    oauth_key_file: Annotated[SecretStr, BeforeValidator(_private_key)] | None = None


class AgentModules(_Part):
    """Which modules hold the agents."""

    agents: Annotated[tuple[str, ...], BeforeValidator(_modules)]


_WAYS_IN: Final = {"slack_signing_secret", "slack_app_token"}
"""How Slack's deliveries come: one of them is set, and the second counts where both are."""


class Settings(Database, Sealing, SlackAccess, OAuth, AgentModules):
    """What a process needs to know."""

    database_pool: Switch = "on"
    database_prepare: Switch = "on"

    slack_signing_secret: Annotated[SecretStr, _secret("a signing secret", 16)] | None = None
    anthropic_api_key: Annotated[SecretStr, _secret("an API key", 8)]
    anthropic_base_url: Annotated[str, _matching("https?://.+", "it is no web address")] | None = None
    api_token: Annotated[SecretStr, _secret("such a token", 32)]
    env: Annotated[str, _matching("[a-z0-9-]{1,16}", "it is not 1 to 16 small letters, digits or hyphens")] = "prod"
    host: str = "127.0.0.1"
    port: Annotated[int, _number(int, "a whole number", 1, 65535)] = 8080
    workers: Annotated[int, _number(int, "a whole number", 1, 64)] = 4
    lease_s: Annotated[float, _number(float, "a number", 5, 3600)] = 60
    sweep_s: Annotated[float, _number(float, "a number", 0.2, 60)] = 1


def database_url(environ: Mapping[str, str] | None = None) -> str:
    """Only the database's address, for commands that need nothing else. Raises Misconfigured."""
    try:
        return Database.from_env(environ).database_url
    except Misconfigured as error:
        raise Misconfigured([f"{fault} In the demo: placet demo prints it." for fault in error.faults]) from None


def seal_keys(environ: Mapping[str, str] | None = None) -> Keys:
    """Only the keys that seal; none: nothing is sealed. Raises Misconfigured."""
    return Sealing.from_env(environ).keys


def names_database(environ: Mapping[str, str] | None = None) -> bool:
    """Whether DATABASE_URL is set at all, for commands that can do with files alone."""
    given = os.environ if environ is None else environ
    return bool(given.get(VARIABLES["database_url"].name, "").strip())


def _alone(part: type[BaseModel], values: Mapping[str, str]) -> list[tuple[str, str]]:
    """Of what is set together or not at all: each field that is missing, and the variable that is there without it."""
    together = [field for field in OAuth.model_fields if field in part.model_fields]
    there = [VARIABLES[field].name for field in together if field in values]
    return [(field, there[0]) for field in together if there and field not in values]


def _told(error: Any) -> str:
    """What is wrong with a variable, in our words."""
    return "is not set" if error["type"] == "missing" else f"cannot be used: {error['ctx']['error']}"


def _fault(field: str, wrong: str) -> str:
    variable = VARIABLES[field]
    return f"{variable.name} {wrong}. Set it to {variable.what}."


def _to_set(field: str) -> str:
    return f"set {VARIABLES[field].name} to {VARIABLES[field].what}."
