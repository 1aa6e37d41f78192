"""The state of a local Slack workspace: a fold of its journal, and the few ways in which it moves.

Every change is one event: kept in the journal, then applied. Nothing here knows HTTP or how Slack writes things down.
All of it runs on one event loop, and no verb awaits, so each is atomic.
"""

import asyncio
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from bot.sandbox.journal import Journal
from bot.sandbox.seed import App, Channel, Group, Person, ProfileField, Seed
from bot.sandbox.shown import Message, View
from bot.sandbox.tickets import Tickets

Json = dict[str, Any]


class Workspace:
    """One workspace, as its seed and its journal tell; `clock` gives seconds since 1970."""

    def __init__(self, seed: Seed, journal: Journal, clock: Callable[[], float]) -> None:
        self.seed = seed
        self.clock = clock
        self.tickets = Tickets(clock=clock)
        self.people: dict[str, Person] = {person.id: person for person in seed.people}
        self.channels: dict[str, Channel] = {channel.id: channel for channel in seed.channels}
        self.groups: dict[str, Group] = {group.id: group for group in seed.groups}
        self.manager_field: ProfileField = seed.manager_field
        self.app: App = seed.app
        self.direct: dict[str, str] = {}
        """Direct conversations with the bot: channel id to the other person's id."""
        self.messages: dict[tuple[str, str], Message] = {}
        self.read_to: dict[tuple[str, str], str] = {}
        self.modals: dict[str, View] = {}
        self.homes: dict[str, View] = {}
        self.revision = 0
        self._last_moment = 0
        self._journal = journal
        self._watchers: dict[asyncio.Event, str | None] = {}
        for event in journal.replay():
            self._apply(event)

    def moment(self) -> str:
        """A new timestamp, as Slack writes it: unique, and later than any before it."""
        self._last_moment = max(int(self.clock() * 1_000_000), self._last_moment + 1)
        return f"{self._last_moment // 1_000_000}.{self._last_moment % 1_000_000:06d}"

    def members(self, channel: str) -> frozenset[str]:
        """Who is in a channel or direct conversation; nobody is in one that does not exist."""
        if channel in self.direct:
            return frozenset({self.direct[channel], self.seed.app.bot_user})
        return self.channels[channel].members if channel in self.channels else frozenset()

    def read(self, channel: str, user: str) -> list[Message]:
        """What this person sees in a channel, oldest first."""
        return [m for m in self.history(channel) if not m.deleted and m.only_for in {None, user}]

    def history(self, channel: str) -> list[Message]:
        """Everything ever said in a channel, deleted and private things too, oldest first."""
        return [message for (where, _), message in self.messages.items() if where == channel]

    def find(self, channel: str, ts: str) -> Message | None:
        """The message at this address; None: there is none, or it was deleted."""
        message = self.messages.get((channel, ts))
        return None if message is None or message.deleted else message

    def unread(self, channel: str, user: str) -> int:
        """How many messages in the channel itself this person has not seen."""
        seen = self.read_to.get((channel, user), "")
        return sum(
            m.ts > seen and m.user != user and m.only_for is None and m.thread_ts is None
            for m in self.read(channel, user)
        )

    def stack(self, user: str) -> list[View]:
        """The modals this person has open, the one on top last."""
        return [view for view in self.modals.values() if view.owner == user]

    def view(self, view_id: str) -> View | None:
        """An open modal or a Home tab by its id."""
        home = (home for home in self.homes.values() if home.id == view_id)
        return self.modals.get(view_id) or next(home, None)

    # ------------------------------------------------------------------ what can happen

    def open_direct(self, user: str) -> str:
        """The direct conversation of the bot with this person, opened if need be: its channel id."""
        channel = direct_id(user)
        if channel not in self.direct:
            self._record("direct", channel=channel, user=user)
        return channel

    def post(self, channel: str, user: str, body: Json, *, only_for: str | None = None) -> Message:
        """Put a message into a channel."""
        ts = self.moment()
        self._record("posted", channel=channel, ts=ts, user=user, body=body, only_for=only_for)
        return self.messages[channel, ts]

    def edit(self, message: Message, body: Json, *, marked: bool) -> None:
        """Replace what a message says; `marked` shows people that it was edited."""
        at = self.moment()
        self._record("edited", channel=message.channel, ts=message.ts, body=body, at=at if marked else None)

    def delete(self, message: Message) -> None:
        """Take a message away; its address is never used again."""
        self._record("deleted", channel=message.channel, ts=message.ts)

    def mark_read(self, channel: str, user: str) -> None:
        """Note that this person has seen all there is in a channel."""
        if self.unread(channel, user):
            self._record("read", channel=channel, user=user, ts=self.read(channel, user)[-1].ts)

    def show(self, view: View) -> None:
        """Open a view, or show an open one anew."""
        self._record(
            "shown",
            id=view.id,
            user=view.owner,
            body=view.body,
            hash=view.hash,
            root=view.root,
            previous=view.previous,
            errors=view.errors,
        )

    def close(self, view: View) -> None:
        """Close a modal."""
        self._record("closed", id=view.id, user=view.owner)

    def change_person(self, user: str, change: Json) -> None:
        """Change a person: left, became a guest, has another manager."""
        self._record("person", user=user, change=change)

    def change_channel(self, channel: str, change: Json) -> None:
        """Change a channel: archived, members come and go."""
        self._record("channel", channel=channel, change=change)

    def change_group(self, group: str, change: Json) -> None:
        """Change a user group: people come and go, it is called otherwise, it is disabled."""
        self._record("group", group=group, change=change)

    def change_field(self, change: Json) -> None:
        """Change what the profile field of managers is: protected or not, called otherwise."""
        self._record("field", change=change)

    def change_app(self, change: Json) -> None:
        """Change how Slack takes the app: its token is refused, or another one; its Messages tab is closed."""
        self._record("app", change=change)

    # ------------------------------------------------------------------ being told

    def watch(self, user: str | None) -> asyncio.Event:
        """An event set after everything this person can see changed; None: after any change. Clear it to wait again."""
        signal = asyncio.Event()
        self._watchers[signal] = user
        return signal

    def unwatch(self, signal: asyncio.Event) -> None:
        """Stop setting this event."""
        del self._watchers[signal]

    # ------------------------------------------------------------------ events

    def _record(self, kind: str, **facts: Any) -> None:
        event = {"kind": kind, **facts}
        audience = self._audience(event)
        self._journal.append(event)
        self._apply(event)
        audience |= self._audience(event)
        for signal, user in self._watchers.items():
            if user is None or user in audience:
                signal.set()

    def _audience(self, event: Json) -> set[str]:
        """Who sees that this happened."""
        match event:
            case {"kind": "read" | "direct" | "shown" | "closed", "user": user} | {"only_for": str(user)}:
                return {user}
            case {"kind": "person"}:
                return set(self.people)
            case {"kind": "group" | "field" | "app"}:
                return set()
            case {"channel": channel}:
                return set(self.members(channel))
        raise AssertionError(event)

    def _apply(self, event: Json) -> None:
        """Let one event have happened; state changes here and in the two below, nowhere else."""
        self.revision += 1
        match event:
            case {"kind": "posted" | "edited" | "deleted" | "read"}:
                self._apply_to_talk(event)
            case {"kind": "shown" | "closed"}:
                self._apply_to_views(event)
            case {"kind": "direct", "channel": channel, "user": user}:
                self.direct[channel] = user
            case {"kind": "person", "user": user, "change": change}:
                self.people[user] = replace(self.people[user], **change)
            case {"kind": "channel", "channel": channel, "change": change}:
                self.channels[channel] = replace(self.channels[channel], **_with(frozenset, change))
            case {"kind": "group", "group": group, "change": change}:
                self.groups[group] = replace(self.groups[group], **_with(tuple, change))
            case {"kind": "field", "change": change}:
                self.manager_field = replace(self.manager_field, **change)
            case {"kind": "app", "change": change}:
                self.app = replace(
                    self.app, **change | {name: frozenset(change[name]) for name in change if name == "lost_scopes"}
                )
            case _:
                raise ValueError(f"The journal holds an event that this version does not know: {event}")

    def _apply_to_talk(self, event: Json) -> None:
        channel, ts = event["channel"], event["ts"]
        match event:
            case {"kind": "posted", "user": user, "body": body, "only_for": only_for}:
                self.messages[channel, ts] = Message(channel=channel, ts=ts, user=user, body=body, only_for=only_for)
                self._last_moment = max(self._last_moment, int(ts.replace(".", "")))
            case {"kind": "edited", "body": body, "at": at}:
                message = self.messages[channel, ts]
                message.past.append(message.body)
                message.body, message.edited_at = body, at or message.edited_at
            case {"kind": "deleted"}:
                self.messages[channel, ts].deleted = True
            case {"kind": "read", "user": user}:
                self.read_to[channel, user] = ts

    def _apply_to_views(self, event: Json) -> None:
        if event["kind"] == "closed":
            self.modals.pop(event["id"], None)
            return
        parts = {name: event[name] for name in ("id", "body", "hash", "root", "previous", "errors")}
        view = View(owner=event["user"], **parts)
        if view.body["type"] == "home":
            self.homes[view.owner] = view
        else:
            self.modals[view.id] = view


def direct_id(user: str) -> str:
    """The id of the direct conversation between the bot and this person."""
    return f"D{user[1:]}"


def _with(kind: Callable[[list[str]], Any], change: Json) -> Json:
    """The change, with the members in it as this kind of collection."""
    return {**change, "members": kind(change["members"])} if "members" in change else change
