"""The settings, from environment variables, read once at the composition root. All that is wrong is said at once, with what to do.

The one rule: what a fault says never holds the value, which may be a secret. Settings come in parts, so that whoever needs only one of
them, or looks what else is wrong where another part is, reads that one alone.
"""

import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Final, Self

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, SecretStr, ValidationError, field_validator

from engine.errors import Misconfigured
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
        "SLACK_SIGNING_SECRET", "the signing secret from your Slack app's page Basic Information"
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
        try:
            return cls(**values)
        except ValidationError as error:
            found = {str(one["loc"][0]): _told(one) for one in error.errors()}
            raise Misconfigured([_fault(field, found[field]) for field in VARIABLES if field in found]) from None


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
    """As whom, and where, Slack's Web API is called. `slack_team` None: Slack is asked."""

    slack_bot_token: Annotated[SecretStr, _secret("a bot token", 10, begins="xoxb-")]
    slack_team: Annotated[str, _matching("[TE][A-Z0-9]+", "it is no id such as T0123ABCD")] | None = None
    slack_api_url: Annotated[str, _matching("https?://.+/", "it is no web address that ends in /")] = (
        "https://slack.com/api/"
    )


class AgentModules(_Part):
    """Which modules hold the agents."""

    agents: Annotated[tuple[str, ...], BeforeValidator(_modules)]


class Settings(Database, Sealing, SlackAccess, AgentModules):
    """What a process needs to know."""

    database_pool: Switch = "on"
    database_prepare: Switch = "on"

    slack_signing_secret: Annotated[SecretStr, _secret("a signing secret", 16)]
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


def _told(error: Any) -> str | None:
    """Why a value cannot be used, in our words; None: there is none."""
    return None if error["type"] == "missing" else str(error["ctx"]["error"])


def _fault(field: str, why: str | None) -> str:
    variable = VARIABLES[field]
    wrong = f"cannot be used: {why}" if why else "is not set"
    return f"{variable.name} {wrong}. Set it to {variable.what}."
