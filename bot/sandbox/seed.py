"""Who and what is in a local workspace before anything happens: people, channels, user groups, the app.

Values only; `bot.sandbox.workspace` starts from a `Seed` and remembers what changed since.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Person:
    """A member of the workspace, or an outsider who is in a shared channel (another `team_id`)."""

    id: str
    name: str
    real_name: str
    title: str
    team_id: str
    also_in: tuple[str, ...] = ()
    """Other workspaces of our organisation that they are in."""
    email: str | None = None
    """None: Slack does not tell, as for outsiders and bots."""
    tz: str = "Europe/Berlin"
    colour: str = "#4a5a6a"
    manager: str | None = None
    """What the profile field `Seed.manager_field` holds, a user id; None: it is empty."""
    deleted: bool = False
    is_bot: bool = False
    is_restricted: bool = False
    is_ultra_restricted: bool = False
    is_stranger: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Channel:
    """A public channel; `members` are user ids, the bot's among them if it was invited."""

    id: str
    name: str
    members: frozenset[str]
    is_archived: bool = False
    is_private: bool = False
    is_ext_shared: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """A user group; like Slack's it may still hold people who were deactivated."""

    id: str
    handle: str
    name: str
    members: tuple[str, ...]
    is_disabled: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ProfileField:
    """A custom profile field of type user. Who may fill in whose: administrators alone if it is protected, a directory if it is SCIM's."""

    id: str
    label: str
    is_protected: bool = False
    is_scim: bool = False
    type: str = "user"


@dataclass(frozen=True, slots=True, kw_only=True)
class App:
    """The app that is installed, and the bot it acts as."""

    id: str
    bot_id: str
    bot_user: str
    name: str
    refused: str | None = None
    """What Slack answers to its token (`token_revoked`, `account_inactive`, `token_expired`); None: it takes it."""
    token: str | None = None
    """The token it was given when it was installed again, and then the one before is revoked; None: it was not."""
    lost_scopes: frozenset[str] = frozenset()
    """Scopes that were taken from it."""
    messages_tab: bool = True
    """Whether it may write to people directly."""
    edit_window_s: int | None = None
    """How long after it was posted a message may be edited, as the workspace has set it; None: at any time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """A slash command of the app, as the page offers it."""

    command: str
    description: str
    usage_hint: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Shortcut:
    """A message shortcut of the app: what stands in the menu of every message."""

    name: str
    callback_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Organisation:
    """An Enterprise Grid: the workspaces in it, ours among them."""

    id: str
    name: str
    teams: frozenset[str]
    has_our_app: bool = False
    """Whether our app is installed in the whole organisation, with one token, and in no workspace by itself."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Seed:
    """A whole workspace; `organisation` None: it is on no Enterprise Grid."""

    team_id: str
    team_name: str
    team_domain: str
    app: App
    people: tuple[Person, ...]
    channels: tuple[Channel, ...]
    groups: tuple[Group, ...]
    manager_field: ProfileField
    """The one custom profile field: it names a person's manager."""
    organisation: Organisation | None = None

    @property
    def ours(self) -> frozenset[str]:
        """The workspaces whose members are ours."""
        return self.organisation.teams if self.organisation else frozenset({self.team_id})

    @property
    def for_all_workspaces(self) -> bool:
        """Whether our app is the whole organisation's."""
        return self.organisation is not None and self.organisation.has_our_app


TEAM, OTHER_TEAM = "T0ACME", "T0OTHER"
PLACET = App(id="A0PLACET", bot_id="B0PLACET", bot_user="U0PLACET", name="Placet")


def acme() -> Seed:
    """Acme: who asks, two who may approve, their superior, a colleague, an outsider, and someone who left."""
    priya = _member("U0PRIYA", "Priya Nair", "Buyer", "#b4532a", tz="Asia/Kolkata", manager="U0MARTA")
    marta = _member("U0MARTA", "Marta Keller", "Finance approver", "#2a6fb4", manager="U0OTTO")
    otto = _member("U0OTTO", "Otto Brandt", "Head of finance", "#5b7d2e", manager="U0INES")
    ines = _member("U0INES", "Ines Alonso", "Finance approver", "#8a3f8f", tz="Europe/Madrid")
    jonas = _member("U0JONAS", "Jonas Weber", "Logistics", "#3f8f86", manager="U0OTTO")
    lena = _member("U0LEFT", "Lena Left", "Left the company", "#777777", deleted=True)
    guest = Person(
        id="U0GUEST",
        name="gero",
        real_name="Gero Gast",
        title="Nordholz Industrial",
        team_id=OTHER_TEAM,
        colour="#a8842c",
        is_stranger=True,
        is_restricted=True,
    )
    bot = Person(
        id=PLACET.bot_user,
        name="placet",
        real_name=PLACET.name,
        title="",
        team_id=TEAM,
        tz="America/Los_Angeles",
        colour="#1d1c1d",
        is_bot=True,
    )
    staff = frozenset({priya.id, marta.id, otto.id, ines.id, jonas.id, bot.id})
    return Seed(
        team_id=TEAM,
        team_name="Acme",
        team_domain="acme",
        app=PLACET,
        people=(priya, marta, otto, ines, jonas, guest, lena, bot),
        channels=(
            Channel(id="C0BUY", name="purchasing", members=staff | {guest.id}, is_ext_shared=True),
            Channel(id="C0OPS", name="operations", members=staff),
        ),
        groups=(
            Group(id="S0FINANCE", handle="finance", name="Finance approvers", members=(marta.id, otto.id, lena.id)),
            Group(id="S0OPS", handle="operators", name="Operators", members=(otto.id,)),
        ),
        manager_field=ProfileField(id="Xf0MANAGER", label="Manager", is_protected=True),
    )


def _member(
    id_: str,
    real_name: str,
    title: str,
    colour: str,
    *,
    tz: str = "Europe/Berlin",
    manager: str | None = None,
    deleted: bool = False,
) -> Person:
    first = real_name.partition(" ")[0].lower()
    return Person(
        id=id_,
        name=first,
        real_name=real_name,
        title=title,
        team_id=TEAM,
        email=f"{first}@acme.example",
        tz=tz,
        colour=colour,
        manager=manager,
        deleted=deleted,
    )
