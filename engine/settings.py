"""The settings, from environment variables, read once at the composition root. All that is wrong is said at once, with what to do."""

import os
from collections.abc import Mapping
from typing import Annotated, Any, Final, Self

from pydantic import BaseModel, ConfigDict, Field, SecretStr, ValidationError, field_validator

from engine.errors import Misconfigured

_HELP: Final[Mapping[str, tuple[str, str]]] = {
    "database_url": ("DATABASE_URL", "the address of your PostgreSQL, as in postgresql://placet@localhost/placet"),
    "slack_bot_token": ("SLACK_BOT_TOKEN", "the bot token (xoxb-...) from your Slack app's page OAuth & Permissions"),
    "slack_signing_secret": ("SLACK_SIGNING_SECRET", "the signing secret from your Slack app's page Basic Information"),
    "slack_team": ("SLACK_TEAM_ID", "the id of your workspace (T...) or organisation (E...)"),
    "slack_api_url": ("SLACK_API_URL", "the address of Slack's Web API; leave it out for the real one"),
    "anthropic_api_key": ("ANTHROPIC_API_KEY", "an API key from the Anthropic console (sk-ant-...)"),
    "anthropic_base_url": ("ANTHROPIC_BASE_URL", "the address of the Messages API; leave it out for the real one"),
    "api_token": (
        "PLACET_API_TOKEN",
        "a long random token for the HTTP API, 32 characters or more: openssl rand -hex 32",
    ),
    "agents": ("PLACET_AGENTS", "the modules that hold your agents, comma-separated, as in examples.procurement.agent"),
    "env": ("PLACET_ENV", "a short name of this environment, as in prod; it tags every button"),
    "host": ("HOST", "the address to listen on, as in 127.0.0.1"),
    "port": ("PORT", "the port to listen on, 1 to 65535"),
    "workers": ("PLACET_WORKERS", "how many runs this process works on at once, 1 to 64"),
    "lease_s": ("PLACET_LEASE", "seconds after which a silent worker's run is taken over, 5 to 3600"),
    "sweep_s": ("PLACET_SWEEP", "seconds between two sweeps, 0.2 to 60"),
}


class Settings(BaseModel):
    """What a process needs to know. Immutable; secrets do not show when it is printed."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    database_url: Annotated[str, Field(pattern=r"^postgres(ql)?://")]
    slack_bot_token: Annotated[SecretStr, Field(min_length=10)]
    slack_signing_secret: Annotated[SecretStr, Field(min_length=16)]
    slack_team: Annotated[str, Field(pattern="^[TE][A-Z0-9]+$")] | None = None
    slack_api_url: Annotated[str, Field(pattern=r"^https?://.+/$")] = "https://slack.com/api/"
    anthropic_api_key: Annotated[SecretStr, Field(min_length=8)]
    anthropic_base_url: Annotated[str, Field(pattern=r"^https?://")] | None = None
    api_token: Annotated[SecretStr, Field(min_length=32)]
    agents: Annotated[tuple[str, ...], Field(min_length=1)]
    env: Annotated[str, Field(pattern="^[a-z0-9-]{1,16}$")] = "prod"
    host: str = "127.0.0.1"
    port: Annotated[int, Field(ge=1, le=65535)] = 8080
    workers: Annotated[int, Field(ge=1, le=64)] = 4
    lease_s: Annotated[float, Field(ge=5, le=3600)] = 60
    sweep_s: Annotated[float, Field(ge=0.2, le=60)] = 1

    @field_validator("slack_bot_token")
    @classmethod
    def _a_bot_token(cls, value: SecretStr) -> SecretStr:
        if not value.get_secret_value().startswith("xoxb-"):
            raise ValueError("it does not begin with xoxb-")
        return value

    @classmethod
    def from_env(cls, environ: Mapping[str, str] | None = None) -> Self:
        """Read the environment. Raises Misconfigured with every fault: which variable, what is wrong, what to put there."""
        given = os.environ if environ is None else environ
        values: dict[str, Any] = {field: given[name] for field, (name, _) in _HELP.items() if given.get(name)}
        if "agents" in values:
            values["agents"] = tuple(module.strip() for module in values["agents"].split(",") if module.strip())
        try:
            return cls(**values)
        except ValidationError as error:
            raise Misconfigured([_fault(str(e["loc"][0]), e) for e in error.errors()]) from None


def database_url(environ: Mapping[str, str] | None = None) -> str:
    """Only the database's address, for commands that need nothing else. Raises Misconfigured."""
    given = os.environ if environ is None else environ
    name, what = _HELP["database_url"]
    if not given.get(name, "").startswith(("postgres://", "postgresql://")):
        raise Misconfigured([f"{name} is not set. Set it to {what}. In the demo: placet demo prints it."])
    return given[name]


def _fault(field: str, error: Mapping[str, Any]) -> str:
    name, what = _HELP[field]
    wrong = (
        "is not set" if error["type"] == "missing" else f"cannot be used ({error['msg'].removeprefix('Value error, ')})"
    )
    return f"{name} {wrong}. Set it to {what}."
