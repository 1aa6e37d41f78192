"""The JSON that the page in the browser reads and sends: what one person sees, and what they do.

`as` names who the window acts as; there is no password, because the workspace is on this machine only and holds nothing
real. Bad input is HTTP 400 with the field named.
"""

import asyncio
from collections.abc import AsyncIterator
from collections.abc import Set as AbstractSet
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from bot.sandbox.gestures import DONE, Gestures
from bot.sandbox.payloads import Press
from bot.sandbox.shown import Message, View
from bot.sandbox.wire import Refused, object_with, read_json, text_in
from bot.sandbox.workspace import Workspace

Json = dict[str, Any]

HEARTBEAT_SECONDS = 15  # so that a browser notices a stream that died


class PageApi:
    """The routes under `/page`."""

    def __init__(self, ws: Workspace, gestures: Gestures) -> None:
        self.ws = ws
        self.gestures = gestures

    def routes(self) -> list[Route]:
        """Where the page finds them."""
        read = {"people": self.people, "state": self.state, "messages": self.messages, "stream": self.stream}
        done = {
            "click": self.click,
            "command": self.command,
            "message": self.message,
            "shortcut": self.shortcut,
            "submit": self.submit,
            "close": self.close,
            "home": self.home,
        }
        return [
            *(Route(f"/page/{name}", answer, methods=["GET"]) for name, answer in read.items()),
            *(Route(f"/page/{name}", answer, methods=["POST"]) for name, answer in done.items()),
        ]

    async def people(self, _request: Request) -> Response:
        """Everyone there is to act as, the bot, its commands and its shortcuts."""
        seed, bot = self.ws.seed, self.ws.people[self.ws.seed.app.bot_user]
        return JSONResponse(
            {
                "team": {"id": seed.team_id, "name": seed.team_name},
                "people": [
                    {
                        "id": person.id,
                        "name": person.real_name.partition(" ")[0],
                        "real_name": person.real_name,
                        "title": person.title,
                        "colour": person.colour,
                        "is_guest": person.is_restricted or person.is_stranger,
                        "deleted": person.deleted,
                    }
                    for person in self.ws.people.values()
                    if not person.is_bot
                ],
                "bot": {"id": bot.id, "name": bot.real_name, "colour": bot.colour},
                "commands": [
                    {"command": c.command, "description": c.description, "usage_hint": c.usage_hint}
                    for c in self.gestures.commands
                ],
                "shortcuts": [{"name": s.name, "callback_id": s.callback_id} for s in self.gestures.shortcuts],
            }
        )

    async def state(self, request: Request) -> Response:
        """The channels, open modals and Home tab of one person."""
        me = self._person(request.query_params.get("as"))
        channels = [
            {"id": c.id, "name": c.name, "kind": "channel", "unread": self.ws.unread(c.id, me)}
            for c in self.ws.channels.values()
            if me in c.members
        ]
        bot = self.ws.people[self.ws.seed.app.bot_user]
        direct = [
            {"id": c, "name": bot.real_name, "kind": "im", "with": bot.id, "unread": self.ws.unread(c, me)}
            for c, user in self.ws.direct.items()
            if user == me
        ]
        home = self.ws.homes.get(me)
        return JSONResponse(
            {
                "revision": self.ws.revision,
                "me": me,
                "channels": channels + direct,
                "views": [_view(view) for view in self.ws.stack(me)],
                "home": home and _view(home),
            }
        )

    async def messages(self, request: Request) -> Response:
        """What this person sees in one channel, oldest first, replies inside; reading marks it read."""
        me, channel = self._person(request.query_params.get("as")), request.query_params.get("channel", "")
        if me not in self.ws.members(channel):
            raise Refused("channel", f"{me} is in no channel {channel!r}.")
        seen = self.ws.read(channel, me)
        self.ws.mark_read(channel, me)
        return JSONResponse(
            {
                "revision": self.ws.revision,
                "messages": [
                    {**self._message(m), "replies": [self._message(r) for r in seen if r.thread_ts == m.ts]}
                    for m in seen
                    if m.thread_ts is None
                ],
            }
        )

    async def stream(self, request: Request) -> Response:
        """Server-sent events: the revision, now and whenever something this person can see changed."""
        me = self._person(request.query_params.get("as"))
        return StreamingResponse(
            self._revisions(me), media_type="text/event-stream", headers={"Cache-Control": "no-store"}
        )

    async def _revisions(self, me: str) -> AsyncIterator[str]:
        changed = self.ws.watch(me)
        try:
            while True:
                yield f'data: {{"revision": {self.ws.revision}}}\n\n'
                while not changed.is_set():
                    try:
                        await asyncio.wait_for(changed.wait(), HEARTBEAT_SECONDS)
                    except TimeoutError:
                        yield ": still here\n\n"
                changed.clear()
        finally:
            self.ws.unwatch(changed)

    async def click(self, request: Request) -> Response:
        """Use an element of a message, a modal or the Home tab."""
        given = await given_json(
            request,
            required={"as", "block_id", "action_id"},
            optional={"channel", "ts", "view_id", "value", "selected_option", "values"},
        )
        me = self._person(given["as"])
        press = Press(
            block_id=text_in(given, "block_id"),
            action_id=text_in(given, "action_id"),
            chosen=given.get("selected_option", given.get("value")),
        )
        if given.get("view_id"):
            view, values = text_in(given, "view_id"), _values(given)
            return JSONResponse(await self.gestures.click_view(me, view, press, values))
        place = object_with({k: given[k] for k in ("channel", "ts") if k in given}, required={"channel", "ts"})
        channel, ts = text_in(place, "channel"), text_in(place, "ts")
        return JSONResponse(await self.gestures.click_message(me, channel, ts, press, str(request.base_url)))

    async def command(self, request: Request) -> Response:
        """Type a slash command."""
        given = await given_json(request, required={"as", "channel", "text"})
        me, channel, text = self._person(given["as"]), text_in(given, "channel"), text_in(given, "text")
        return JSONResponse(await self.gestures.command(me, channel, text, str(request.base_url)))

    async def message(self, request: Request) -> Response:
        """Write something in a channel or a thread."""
        given = await given_json(request, required={"as", "channel", "text"}, optional={"thread_ts"})
        me, channel, text = self._person(given["as"]), text_in(given, "channel"), text_in(given, "text")
        if me not in self.ws.members(channel):
            raise Refused("channel", f"{me} is in no channel {channel!r}.")
        thread = given.get("thread_ts")
        if thread is not None and self.ws.find(channel, thread) is None:
            raise Refused("thread_ts", "there is no such message in this channel.")
        typed = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
        self.ws.post(channel, me, {"text": typed, **({"thread_ts": thread} if thread else {})})
        return JSONResponse(DONE)

    async def shortcut(self, request: Request) -> Response:
        """Choose a shortcut of the app from a message's menu."""
        given = await given_json(request, required={"as", "channel", "ts", "callback_id"})
        me, channel, ts = self._person(given["as"]), text_in(given, "channel"), text_in(given, "ts")
        chosen = text_in(given, "callback_id")
        return JSONResponse(await self.gestures.shortcut(me, channel, ts, chosen, str(request.base_url)))

    async def submit(self, request: Request) -> Response:
        """Submit a modal."""
        given = await given_json(request, required={"as", "view_id", "values"})
        me, view, values = self._person(given["as"]), text_in(given, "view_id"), _values(given)
        return JSONResponse(await self.gestures.submit(me, view, values))

    async def close(self, request: Request) -> Response:
        """Close a modal."""
        given = await given_json(request, required={"as", "view_id"})
        return JSONResponse(await self.gestures.close(self._person(given["as"]), text_in(given, "view_id")))

    async def home(self, request: Request) -> Response:
        """Open the Home tab."""
        given = await given_json(request, required={"as"})
        return JSONResponse(self.gestures.open_home(self._person(given["as"])))

    def _person(self, user: object) -> str:
        if not isinstance(user, str) or user not in self.ws.people or self.ws.people[user].is_bot:
            raise Refused("as", f"there is no person {user!r} here; GET /page/people lists them.")
        return user

    def _message(self, message: Message) -> Json:
        return {
            "ts": message.ts,
            "user": message.user,
            "bot": message.user == self.ws.seed.app.bot_user,
            "text": message.body.get("text", ""),
            "blocks": message.body.get("blocks") or [],
            "edited": message.edited_at is not None,
            "ephemeral": message.only_for is not None,
            "thread_ts": message.body.get("thread_ts"),
            "replies": [],
        }


def _view(view: View) -> Json:
    names = ("type", "title", "submit", "close", "blocks", "callback_id", "private_metadata")
    written = {name: view.body.get(name) for name in names}
    return {"id": view.id, **written, "errors": view.errors, "hash": view.hash}


async def given_json(request: Request, *, required: AbstractSet[str], optional: AbstractSet[str] = frozenset()) -> Json:
    """The body of a request, an object with these fields; `Refused` names what is wrong with it.

    A page of another origin cannot send JSON without being asked first, so nothing else is read.
    """
    if request.headers.get("content-type", "").partition(";")[0] != "application/json":
        raise Refused("content-type", "send application/json.", status=415)
    return object_with(await read_json(request), required=required, optional=optional)


def _values(given: Json) -> Json:
    values = given.get("values", {})
    if not isinstance(values, dict) or not all(isinstance(part, dict) for part in values.values()):
        raise Refused("values", "an object of objects, as in {block_id: {action_id: {...}}}.")
    return values
