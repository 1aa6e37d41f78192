"""What Slack said of a workspace: its users, its user groups, and whom a profile field names as somebody's manager.

Values only, as `bot.delivery.directory` reads them; what is made of them is decided in sync. The one rule: a word that people could put
into Slack about themselves is told apart from one that only an administrator can.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from engine.rules.people import Person

Barred = Literal["deactivated", "guest", "bot", "stranger"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Member:
    """A user as Slack lists them. `barred`: why they are no full member of the workspace; None: they are one."""

    name: str
    barred: Barred | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ProfileField:
    """A custom profile field. `guarded`: it is protected or filled by SCIM, so that people cannot write what they like into their own."""

    id: str
    label: str
    kind: str
    guarded: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """All of it, users by their ids and user groups by their handles.

    `enterprise`: the organisation of the workspace, None outside an Enterprise Grid. `handles`: all user groups in use; `groups`: who is in
    those that were asked about. `managers`: the manager field of the users who were asked about, as it is filled in.
    """

    team: str
    enterprise: str | None = None
    members: Mapping[str, Member]
    handles: frozenset[str] = frozenset()
    groups: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    fields: tuple[ProfileField, ...] = ()
    managers: Mapping[str, str] = field(default_factory=dict)

    def users_of(self, person: Person) -> list[str]:
        """The user ids of a person in this workspace or its organisation; those elsewhere are not Slack's to speak of here."""
        found = (identity.split(":") for identity in person.slack)
        return [user for team, user in found if team in {self.team, self.enterprise}]

    def barred(self, user: str) -> Barred | None:
        """Why a user is no full member, None if they are one. Who is not listed is of another workspace."""
        member = self.members.get(user)
        return member.barred if member else "stranger"

    def called(self, user: str) -> str:
        """A user so that people find them."""
        member = self.members.get(user)
        return f"{user} ({member.name})" if member and member.name else user

    def manager_field(self, named: str) -> ProfileField | str:
        """The field with this id or label, if its word can be believed; else why not."""
        found = [one for one in self.fields if one.id == named] or [one for one in self.fields if one.label == named]
        match found:
            case []:
                there = ", ".join(f'"{one.label}"' for one in self.fields) or "none"
                return f"Slack has no such field; it has {there}"
            case [one] if one.kind != "user":
                return f"it holds a {one.kind} and no person"
            case [one] if not one.guarded:
                return "it is neither protected nor filled by SCIM, so people fill it in themselves"
            case [one]:
                return one
        return f"several fields have this label; name one by its id, {' or '.join(one.id for one in found)}"
