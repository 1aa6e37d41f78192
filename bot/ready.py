"""What must hold before a process is made: settings that can be used, agents that load, a Slack that knows us.

The one rule: all that is wrong is said in one report, so that nobody mends one fault only to be told of the next.
"""

import os
from collections.abc import Callable, Mapping
from typing import TypeVar

from bot.delivery.answers import Answered, Failure, Refused, Unclear
from bot.delivery.web import Slack
from bot.delivery.who import Us
from engine.errors import Misconfigured
from engine.settings import VARIABLES, AgentModules, OAuth, Settings, SlackAccess, is_placeholder
from engine.tools import Agent, load

T = TypeVar("T")


def settings(environ: Mapping[str, str] | None = None) -> Settings:
    """The settings. Raises Misconfigured with all of their faults, and with those of the agents and the Slack that the usable ones name."""
    try:
        return Settings.from_env(environ)
    except Misconfigured as error:
        faults = list(error.faults)
        _tried(lambda: load(AgentModules.from_env(environ).agents), faults)
        _tried(lambda: _us(SlackAccess.from_env(environ)), faults)
        raise Misconfigured(list(dict.fromkeys(faults))) from None


def agents_and_us(given: Settings, *, works: bool) -> tuple[Mapping[str, Agent], Us]:
    """The agents, and who we are to Slack. Raises Misconfigured with what is wrong with either.

    For a process that works, each provider's key that is not in the environment is wrong, too, and an identity server that is not set
    where a tool needs one: without it an approval is lost.
    """
    faults: list[str] = []
    agents = _tried(lambda: load(given.agents), faults)
    us = _tried(lambda: _us(given), faults)
    if works and agents is not None:
        faults += _missing_keys(agents) + _missing_server(agents, given)
    if agents is None or us is None or faults:
        raise Misconfigured(faults)
    return agents, us


def _missing_keys(agents: Mapping[str, Agent]) -> list[str]:
    tools = [
        (f"{agent.name}.{tool.name}", tool.credential) for agent in agents.values() for tool in agent.tools.values()
    ]
    needed = {
        key: name for name, key in tools if key and ((there := os.environ.get(key, "")) == "" or is_placeholder(there))
    }
    return [
        f"{key} is not set. Set it to the provider's key: {tool} cannot do what is approved without it."
        for key, tool in needed.items()
    ]


def _missing_server(agents: Mapping[str, Agent], given: OAuth) -> list[str]:
    tools = [f"{agent.name}.{tool.name}" for agent in agents.values() for tool in agent.tools.values() if tool.audience]
    if not tools or given.oauth_issuer is not None:
        return []
    name, what = VARIABLES["oauth_issuer"].name, VARIABLES["oauth_issuer"].what
    return [
        f"{name} is not set. Set it to {what}: {tools[0]} names an audience, and cannot do what is approved without it."
    ]


def slack(access: SlackAccess) -> Slack:
    """Slack's Web API, as our bot."""
    return Slack(access.slack_bot_token.get_secret_value(), access.slack_api_url)


def app(access: SlackAccess) -> Slack:
    """Slack's Web API, as the app itself, which may open sockets and nothing else."""
    assert access.slack_app_token is not None
    return Slack(access.slack_app_token.get_secret_value(), access.slack_api_url)


def _us(access: SlackAccess) -> Us:
    """Who we are to Slack: as the settings say, else as it answers."""
    if access.slack_team is not None:
        is_organisation = access.slack_team.startswith("E")
        return Us(team=access.slack_team, enterprise=access.slack_team if is_organisation else None)
    answer = slack(access).auth_test()
    if isinstance(answer, Answered):
        return Us(team=str(answer.data["team_id"]), enterprise=answer.data.get("enterprise_id"))
    if why := not_heard(answer):
        raise Misconfigured([f"{why} Or set SLACK_TEAM_ID, and start without having asked."])
    fault = f"Slack did not say whose token SLACK_BOT_TOKEN is: {answer.error}. Check the token, or set SLACK_TEAM_ID and start anyway."
    raise Misconfigured([fault])


def not_heard(failure: Failure) -> str | None:
    """Why Slack said nothing of a token, and what to do; None: it heard us, and does not take the token."""
    match failure:
        case Refused(error="ratelimited"):
            return "Slack takes no more calls from us for now (ratelimited). Try again in a minute."
        case Unclear(error=error) if error.startswith("HTTP "):
            return f"Slack, or a proxy on the way, answered without sense ({error.rstrip(': ')}). Try again later; if it stays, check the proxy."
        case Unclear(error=error):
            return f"Slack cannot be reached from here ({error}). Check the DNS, the proxy and the firewall of this machine."
    return None


def _tried(ask: Callable[[], T], faults: list[str]) -> T | None:
    """What is asked for; None, with its faults noted, if there is no such thing."""
    try:
        return ask()
    except Misconfigured as error:
        faults += error.faults
        return None
