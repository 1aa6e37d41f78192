"""Who stands behind a Slack identity, and whether Slack still knows them as one of us. Closed: whoever cannot be checked is turned away.

An identity is a workspace or organisation and a user id, read from what Slack signed; never a name, and never Bolt's guess of the
team, which shows an outsider in a shared channel as one of ours.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal, cast

from bot.cards.phrases import NOT_CHECKED, REFUSED, Refusal
from bot.delivery.answers import Answered
from bot.delivery.web import Slack
from engine.models import Actor
from engine.rules.said import Barred
from engine.state import db, people

FRESH_S: Final = 60
"""How long Slack's word on a person holds."""


@dataclass(frozen=True, slots=True)
class Known:
    """A person of ours, and a full member by Slack's word, not older than a minute."""

    actor: Actor


@dataclass(frozen=True, slots=True)
class Turned:
    """Turned away, and the sentence that says so. `why`: what is the matter, or "unchecked" when Slack did not tell."""

    why: Refusal | Literal["unchecked"]

    @property
    def sentence(self) -> str:
        """What the person is told."""
        return NOT_CHECKED if self.why == "unchecked" else REFUSED[self.why]


@dataclass(frozen=True, slots=True, kw_only=True)
class Us:
    """Who we are to Slack: our workspace (T...), and the organisation it belongs to (E...), None outside an Enterprise Grid.

    With one app for a whole organisation `team` is the organisation itself.
    """

    team: str
    enterprise: str | None = None

    def has(self, team: str) -> bool:
        """Whether this workspace or organisation is ours."""
        return team in {self.team, self.enterprise}


@dataclass(frozen=True, slots=True, kw_only=True)
class Identity:
    """Who did something in Slack, as the payload has it. `team` is theirs, not the one in which they did it."""

    team: str
    enterprise: str | None
    user: str


def identity(body: Mapping[str, Any]) -> Identity:
    """Read who clicked (block_actions, view_submission), typed (a command) or looked (an event). What is missing reads as ""."""
    if "event" in body:
        event = body["event"]
        given = body.get("authorizations") or [{}]
        team = event.get("user_team") or body.get("team_id") or given[0].get("enterprise_id")
        return Identity(
            team=team or "", enterprise=body.get("enterprise_id") or given[0].get("enterprise_id"), user=event["user"]
        )
    if "command" in body:
        enterprise = body.get("enterprise_id") or None
        return Identity(team=body.get("team_id") or enterprise or "", enterprise=enterprise, user=body["user_id"])
    user = body["user"]
    enterprise = (body.get("enterprise") or {}).get("id")
    team = user.get("team_id") or (body.get("team") or {}).get("id") or enterprise
    return Identity(team=team or "", enterprise=enterprise, user=user["id"])


def known(pool: db.Pool, slack: Slack, us: Us, who: Identity) -> Known | Turned:
    """The person behind this identity, asked of Slack unless it was within the last minute. At most 0.8 s, before any decision."""
    with pool.connection() as conn:
        actor = next(filter(None, (people.behind(conn, team, who.user) for team in _teams(us, who))), None)
    if actor is None:
        return Turned("unknown" if us.has(who.team) or _is_sister(slack, us, who) else "stranger")
    if not actor.active:
        return Turned("deactivated")
    refusal = actor.refusal
    if actor.checked_s_ago is None or actor.checked_s_ago > FRESH_S or not us.has(who.team):
        user = _asked(slack, who)
        if user is None:
            return Turned("unchecked")
        refusal = barred(user) if us.has(who.team) or who.team in _workspaces(user) else "stranger"
        with pool.connection() as conn:
            people.checked(conn, actor.team, actor.slack_user, barred(user))
    return Known(actor) if refusal is None else Turned(cast("Refusal", refusal))


def _asked(slack: Slack, who: Identity) -> Mapping[str, Any] | None:
    """Slack's word on a user; None: it says nothing."""
    answer = slack.users_info(who.user)
    return answer.data.get("user") or None if isinstance(answer, Answered) else None


def _is_sister(slack: Slack, us: Us, who: Identity) -> bool:
    """Whether somebody not on file belongs to another workspace of our organisation. What a payload says of one is where it was clicked."""
    if us.enterprise is None or who.enterprise != us.enterprise:
        return False
    user = _asked(slack, who)
    return user is not None and who.team in _workspaces(user)


def _workspaces(user: Mapping[str, Any]) -> list[str]:
    """The workspaces of our organisation that a user is in, by Slack's word; none: they are not of it."""
    return list((user.get("enterprise_user") or {}).get("teams") or [])


def reachable(conn: db.Conn, us: Us, person: str) -> list[str]:
    """The Slack user ids by which a person can be written to, the likeliest first; none: they have none in our workspace.

    In an organisation any of its workspaces will do, and which those are only Slack knows: its answer to the DM says.
    """
    found = people.identities(conn, person)
    return [user for team, user in found if us.has(team)] or [user for _, user in found if us.enterprise]


def _teams(us: Us, who: Identity) -> list[str]:
    """Under which workspaces or organisations the person may be on file, the organisation first."""
    ours = us.has(who.team) or (us.enterprise is not None and who.enterprise == us.enterprise)
    places = (us.enterprise, us.team, who.team) if us.has(who.team) else (us.enterprise if ours else None, who.team)
    return list(dict.fromkeys(place for place in places if place))


def barred(user: Mapping[str, Any]) -> Barred | None:
    """Why Slack's word on a user bars them; None: a full member. Source: docs.slack.dev/reference/objects/user-object."""
    if user.get("deleted"):
        return "deactivated"
    if user.get("is_bot"):
        return "bot"
    if user.get("is_stranger"):
        return "stranger"
    if user.get("is_restricted") or user.get("is_ultra_restricted"):
        return "guest"
    return None
