"""Asks Slack who is in a workspace, who is in its user groups, and whom people's profiles name as their managers.

The one rule: all of it or nothing. Whatever Slack does, the caller gets either everything that was asked for or one sentence saying
what is the matter and what to do. A time that Slack asks us to wait is waited, within bounds; nothing else is tried again.
"""

import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from math import ceil
from typing import Any, Final

from bot.delivery import who
from bot.delivery.answers import NOT_TAKEN, Answered, Failure, Refused, Unclear
from bot.delivery.web import Slack
from engine.rules.people import People
from engine.rules.said import Member, ProfileField, Said
from engine.rules.sync_file import Source

Json = Mapping[str, Any]

LONGEST_WAIT_S: Final = 90
"""Slack counts calls by the minute, so whoever is told to wait for longer should come back later."""
WAITS_S: Final = 1_800
"""All waits together: at Slack's hundred profiles a minute, enough for three thousand people."""
SLACKBOT: Final = "USLACKBOT"
"""Slack's own bot, which it lists as no bot."""


@dataclass(frozen=True, slots=True)
class Unread:
    """Slack did not say it all; `why` is what is the matter and what to do. `to_mend`: trying again alone will not help."""

    why: str
    to_mend: bool


class _Stopped(Exception):
    def __init__(self, unread: Unread) -> None:
        self.unread = unread


def read(slack: Slack, source: Source, people: People, wait: Callable[[float], None] = time.sleep) -> Said | Unread:
    """What Slack says of the workspace, as far as the document leaves it to Slack; the manager field of these people alone."""
    try:
        return _Reader(slack, source, wait).all(people)
    except _Stopped as stopped:
        return stopped.unread


def member(user: Json, team: str, enterprise: str | None) -> Member:
    """A user as users.list has them."""
    barred = "bot" if user["id"] == SLACKBOT else who.barred(user)
    ours = {team, enterprise} - {None}
    if barred is None and not ours & {user.get("team_id"), user.get("enterprise_user", {}).get("enterprise_id")}:
        barred = "stranger"
    profile = user.get("profile") or {}
    return Member(name=profile.get("real_name") or user.get("name") or "", barred=barred)


class _Reader:
    """One reading under way."""

    def __init__(self, slack: Slack, source: Source, wait: Callable[[float], None]) -> None:
        self._slack = slack
        self._source = source
        self._wait = wait
        self._left_s: float = WAITS_S

    def all(self, people: People) -> Said:
        """Everything, in one go. Raises _Stopped."""
        team, enterprise = self._source.team, self._our_enterprise()
        members = {user["id"]: member(user, team, enterprise) for user in self._users()}
        handles, groups = self._groups() if self._source.groups else (frozenset[str](), dict[str, tuple[str, ...]]())
        fields = self._fields() if self._source.manager_field else ()
        said = Said(team=team, enterprise=enterprise, members=members, handles=handles, groups=groups, fields=fields)
        return replace(said, managers=self._managers(said, people))

    def _our_enterprise(self) -> str | None:
        """The organisation of the workspace that our token is of, which must be the document's, unless it is of a whole organisation."""
        data = self._asked("auth.test", self._slack.auth_test)
        if (theirs := data["team_id"]) != self._source.team and not data.get("is_enterprise_install"):
            why = f"SLACK_BOT_TOKEN is of the workspace {theirs}, and the document's [slack] is of {self._source.team}. Change one of them."
            raise _Stopped(Unread(why, to_mend=True))
        enterprise: str | None = data.get("enterprise_id")
        return enterprise

    def _users(self) -> Iterator[Json]:
        cursor, more = "", True
        while more:
            data = self._asked("users.list", partial(self._slack.users_list, self._source.team, cursor))
            yield from data["members"]
            cursor = (data.get("response_metadata") or {}).get("next_cursor") or ""
            more = bool(cursor)

    def _groups(self) -> tuple[frozenset[str], dict[str, tuple[str, ...]]]:
        """The handles there are, and who is in the user groups that the document names."""
        listed = self._asked("usergroups.list", partial(self._slack.usergroups_list, self._source.team))["usergroups"]
        ids = {group["handle"]: group["id"] for group in listed}
        found = {}
        for handle in ids.keys() & self._source.groups.keys():
            call = partial(self._slack.usergroups_users_list, self._source.team, ids[handle])
            found[handle] = tuple(self._asked("usergroups.users.list", call)["users"])
        return frozenset(ids), found

    def _fields(self) -> tuple[ProfileField, ...]:
        """The custom profile fields. `options` is null where none is set; its flags are true or 1."""
        data = self._asked("team.profile.get", partial(self._slack.team_profile_get, self._source.team))
        return tuple(
            ProfileField(id=one["id"], label=one["label"], kind=one["type"], guarded=_guarded(one.get("options") or {}))
            for one in data["profile"]["fields"]
        )

    def _managers(self, said: Said, people: People) -> dict[str, str]:
        """The manager field of those people who are members; of nobody if it is not to be believed."""
        named = self._source.manager_field
        field = said.manager_field(named) if named else ""
        if isinstance(field, str):
            return {}
        users = (user for person in people if person.active for user in said.users_of(person))
        found = {}
        for user in users:
            if said.barred(user) is None:
                data = self._asked("users.profile.get", partial(self._slack.users_profile_get, user))
                fields = data["profile"].get("fields") or {}  # an empty list, where nothing is filled in
                found[user] = str(dict(fields).get(field.id, {}).get("value") or "")
        return found

    def _asked(self, method: str, call: Callable[[], Answered | Failure]) -> Json:
        """Slack's answer, once it is no longer too early to ask. Raises _Stopped."""
        while not isinstance(answer := call(), Answered):
            after = answer.retry_after_s if isinstance(answer, Refused) else None
            if after is None or after > min(LONGEST_WAIT_S, self._left_s):
                raise _Stopped(_unread(method, answer))
            self._left_s -= after
            self._wait(after)
        return answer.data


def _guarded(options: Json) -> bool:
    """Whether people cannot fill a field in themselves. Source: docs.slack.dev/reference/methods/team.profile.get."""
    return bool(options.get("is_protected") or options.get("is_scim"))


def _unread(method: str, failure: Failure) -> Unread:
    """What is the matter, and what to do. Source of the errors: each method's page at docs.slack.dev."""
    to_mend = True
    match failure:
        case Unclear(error=error):
            why, to_mend = f"Slack did not answer {method} ({error}). Try again.", False
        case Refused(retry_after_s=float(after)):
            why, to_mend = f"Slack takes no more {method} for now. Try again in {ceil(after)} s.", False
        case Refused(error="invalid_cursor"):
            why, to_mend = "Slack lost its place in the list of users. Try again.", False
        case Refused(error="missing_scope", needed=needed):
            where = "Add it to your Slack app (OAuth & Permissions, Bot Token Scopes), and install the app again."
            why = f"SLACK_BOT_TOKEN lacks the scope {needed}, which {method} takes. {where}"
        case Refused(error="plan_upgrade_required"):
            why = "The workspace's plan has no user groups. Take groups out of [slack]."
        case Refused(error=error) if error in NOT_TAKEN:
            why = f"Slack does not take SLACK_BOT_TOKEN ({error}). Set it to the one of your app."
        case Refused(error=error):
            why = f"Slack refused {method}: {error}. What that means is at docs.slack.dev/reference/methods/{method}."
    return Unread(why, to_mend=to_mend)
