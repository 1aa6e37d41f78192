"""What must hold before a process is made: settings that can be used, agents that load, a Slack that knows us.

The one rule: all that is wrong is said in one report, so that nobody mends one fault only to be told of the next.
"""

import os
from collections.abc import Callable, Mapping
from typing import TypeVar

from bot.delivery.web import Answered, Slack
from bot.delivery.who import Us
from engine.errors import Misconfigured
from engine.settings import AgentModules, Settings, SlackAccess
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


def agents_and_us(given: Settings) -> tuple[Mapping[str, Agent], Us]:
    """The agents, and who we are to Slack. Raises Misconfigured with what is wrong with either."""
    faults: list[str] = []
    agents = _tried(lambda: load(given.agents), faults)
    us = _tried(lambda: _us(given), faults)
    if agents is None or us is None:
        raise Misconfigured(faults)
    return agents, us


def credentials(given: Settings, environ: Mapping[str, str] = os.environ) -> None:
    """Whether every key that the tools name is there: without one an approval is lost. Raises Misconfigured with those that are not."""
    needed = {
        tool.credential: f"{agent.name}.{tool.name}"
        for agent in load(given.agents).values()
        for tool in agent.tools.values()
        if tool.credential
    }
    faults = [f"{name} is not set. Set it to the provider's key: {tool} cannot do what is approved without it." for name, tool in needed.items()
              if not environ.get(name) or environ[name].endswith("...")]  # fmt: skip
    if faults:
        raise Misconfigured(faults)


def slack(access: SlackAccess) -> Slack:
    """Slack's Web API, as our bot."""
    return Slack(access.slack_bot_token.get_secret_value(), access.slack_api_url)


def _us(access: SlackAccess) -> Us:
    """Who we are to Slack: as the settings say, else as it answers."""
    if access.slack_team is not None:
        is_organisation = access.slack_team.startswith("E")
        return Us(team=access.slack_team, enterprise=access.slack_team if is_organisation else None)
    answer = slack(access).auth_test()
    if isinstance(answer, Answered):
        return Us(team=str(answer.data["team_id"]), enterprise=answer.data.get("enterprise_id"))
    fault = f"Slack did not say whose token SLACK_BOT_TOKEN is: {answer.error}. Check the token, or set SLACK_TEAM_ID and start anyway."
    raise Misconfigured([fault])


def _tried(ask: Callable[[], T], faults: list[str]) -> T | None:
    """What is asked for; None, with its faults noted, if there is no such thing."""
    try:
        return ask()
    except Misconfigured as error:
        faults += error.faults
        return None
