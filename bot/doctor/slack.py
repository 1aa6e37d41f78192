"""What the doctor sees of Slack: the tokens, the clock, the scopes, how deliveries come, the policy's channels, the people a rule may ask."""

from collections.abc import Iterator, Mapping
from datetime import datetime
from email.utils import parsedate_to_datetime
from typing import Any, Final

from bot import ready
from bot.delivery.answers import Answered, Failure, Refused
from bot.delivery.web import Slack
from bot.delivery.who import Us, barred
from bot.doctor.findings import Finding, Verdict
from bot.doctor.house import Rows
from engine.rules.people import Person
from engine.rules.policy import Policy
from engine.settings import SlackAccess

NEEDED: Final[Mapping[str, str]] = {
    "chat:write": "no card can be shown",
    "commands": "/approvals does not work",
    "im:write": "nobody can be written to directly",
    "users:read": "nobody who clicks can be checked, so everybody is refused",
}
OPTIONAL: Final[Mapping[str, str]] = {
    "usergroups:read": "placet people sync cannot read roles",
    "users.profile:read": "placet people sync cannot read managers",
    "channels:read": "it cannot be seen here whether the bot is in the channels that the policy names",
}
"""Scopes of the bot, each with what does not work without it."""
SKEW_S: Final = 60
"""By how much our clock may be away from Slack's: at five minutes every click is refused."""
_AT_SLACK: Final = "at api.slack.com/apps, under OAuth & Permissions"
_MOST: Final = 50


def slack(access: SlackAccess, rows: Rows, now: datetime) -> Iterator[Finding]:
    """How Slack takes us, what it lets us do, and whom it knows."""
    web = ready.slack(access)
    answer = web.auth_test()
    if not isinstance(answer, Answered):
        refused = f"It does not take SLACK_BOT_TOKEN ({answer.error}). Copy the bot token anew, {_AT_SLACK}."
        yield Finding("Slack", "wrong", ready.not_heard(answer) or refused)
        return
    yield Finding("Slack", "well", f"We are {answer.data.get('user')} in {answer.data.get('team')}.")
    yield from _clock(answer, now)
    yield from _scopes(answer)
    yield from _deliveries(access)
    if rows.policy is not None:
        yield from _channels(web, rows.policy)
    us = Us(team=str(answer.data["team_id"]), enterprise=answer.data.get("enterprise_id"))
    yield from _members(web, us, rows)


def _clock(answer: Answered, now: datetime) -> list[Finding]:
    date = answer.headers.get("date")
    if date is None:
        return [Finding("clock", "look", "Slack did not tell the time.")]
    away = abs((parsedate_to_datetime(date) - now).total_seconds())
    if away > SKEW_S:
        why = f"Ours is {away:.0f} seconds away from Slack's. Set it by NTP: at 300 every click is refused."
        return [Finding("clock", "wrong", why)]
    return [Finding("clock", "well", "Ours and Slack's agree.")]


def _scopes(answer: Answered) -> list[Finding]:
    granted = {scope.strip() for scope in answer.headers.get("x-oauth-scopes", "").split(",")} - {""}
    if not granted:
        return [Finding("scopes", "look", "Slack did not tell which scopes the token has.")]
    add = f"Add it {_AT_SLACK}, and install the app again."
    found = [
        Finding("scopes", "wrong", f"{scope} is missing: {what}. {add}")
        for scope, what in NEEDED.items()
        if scope not in granted
    ]
    found += [
        Finding("scopes", "look", f"{scope} is missing: {what}. {add}")
        for scope, what in OPTIONAL.items()
        if scope not in granted
    ]
    return found or [Finding("scopes", "well", "All that are used are granted.")]


def _deliveries(access: SlackAccess) -> list[Finding]:
    if access.slack_app_token is None:
        why = "Whether Slack reaches you cannot be seen from here: open the app's Home tab in Slack, and see whether it fills."
        return [Finding("deliveries", "look", why)]
    address = ready.app(access).connections_open()
    if isinstance(address, str):
        return [Finding("deliveries", "well", "A socket can be opened (Socket Mode).")]
    if unheard := ready.not_heard(address):
        return [Finding("deliveries", "wrong", f"No socket can be opened. {unheard}")]
    fix = "Set SLACK_APP_TOKEN to an app-level token with connections:write, and switch Socket Mode on at api.slack.com/apps."
    return [Finding("deliveries", "wrong", f"No socket can be opened ({address.error}). {fix}")]


def _channels(slack: Slack, policy: Policy) -> Iterator[Finding]:
    for channel in sorted({rule.need.channel for rule in policy.rules if rule.need.channel}):
        yield Finding("channels", *_channel(channel, slack.conversations_info(channel)))


def _channel(channel: str, answer: Answered | Failure) -> tuple[Verdict, str]:
    """How it is with a channel that the policy names."""
    match answer:
        case Refused(error="missing_scope"):
            return (
                "look",
                f"{channel} cannot be looked at without the scope channels:read (groups:read if it is private).",
            )
        case Refused(error="channel_not_found"):
            fix = "Put its id into the policy (at the end of About), and invite the bot."
            return "wrong", f"{channel} is not there, or the bot is not in it. {fix}"
        case Answered(data=data):
            return _is_fit(f"{channel} (#{data['channel'].get('name')})", data["channel"])
    return "look", f"{channel} cannot be looked at: {answer.error}."


def _is_fit(name: str, channel: Mapping[str, Any]) -> tuple[Verdict, str]:
    if channel.get("is_archived"):
        return "wrong", f"{name} is archived. Name another one in the policy."
    if not channel.get("is_member"):
        return "wrong", f"The bot is not in {name}. Invite it there."
    if channel.get("is_ext_shared"):
        return "look", f"{name} is shared with another organisation, which reads what is asked there."
    return "well", f"The bot is in {name}."


def _members(slack: Slack, us: Us, rows: Rows) -> Iterator[Finding]:
    """Whether Slack knows those whom a rule may ask, each as a full member."""
    asked = [person for person in rows.people if person.active and (person.roles or _is_named(person, rows.policy))]
    for person in asked[:_MOST]:
        ours = [user for team, _, user in (identity.partition(":") for identity in person.slack) if us.has(team)]
        if not ours:
            yield Finding(
                "people",
                "wrong",
                f"{person.name} has no Slack id in this {_of(us)}, and can be neither asked nor told. Add it in people.toml.",
            )
        for user in ours:
            if why := _barred(slack, user):
                yield Finding("people", why[0], f"{person.name}: {why[1]}")
    if len(asked) > _MOST:
        yield Finding("people", "look", f"Of {len(asked)} people {_MOST} were looked at.")


def _of(us: Us) -> str:
    """Where ids are looked for, as a sentence needs it."""
    return f"organisation ({us.team}:U...)" if us.team == us.enterprise else "workspace"


def _is_named(person: Person, policy: Policy | None) -> bool:
    needs = [rule.need for rule in policy.rules] if policy else []
    return any(person.id in {need.person, *(step.person for step in need.steps)} for need in needs)


def _barred(slack: Slack, user: str) -> tuple[Verdict, str] | None:
    """Why this Slack user may not answer; None: a full member."""
    answer = slack.users_info(user)
    if isinstance(answer, Refused) and answer.error in {"user_not_found", "user_not_visible"}:
        return "wrong", f"Slack knows no {user}. Copy the id anew, from the profile, under Copy member ID."
    if not isinstance(answer, Answered):
        return "look", f"Slack did not say who {user} is: {answer.error}."
    why = barred(answer.data["user"])
    return (
        None
        if why is None
        else (
            "wrong",
            f"{user} is no full member ({why}), and is refused. Put another id in people.toml, or make them inactive.",
        )
    )
