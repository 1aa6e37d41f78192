"""A workspace server that says what a test tells it to, and keeps what the page posts: the page's side of the contract alone."""

import asyncio
import json
import queue
import threading
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

from playwright.sync_api import Page, expect
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, StreamingResponse
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

import bot.sandbox
from tests.sandbox.page.kit import actions, button

Json = dict[str, Any]
Open = Callable[..., Page]
"""Opens the page: a path, Marta in #purchasing unless told otherwise, and options of the browser context."""
PAGE = Path(bot.sandbox.__file__).parent / "page"
BOT = "U0PLACET"
PERSON: Json = {"title": "", "colour": "#2b6cb0", "is_guest": False, "deleted": False}


class CannedWorkspace:
    """What the page is told (`messages`, `views`, `home`, `answers`) and what it posted (`posted`: path and body)."""

    def __init__(self) -> None:
        self.people: list[Json] = [
            {**PERSON, "id": "U0MARTA", "name": "Marta", "real_name": "Marta Lindqvist", "title": "Approver"},
            {**PERSON, "id": "U0PRIYA", "name": "Priya", "real_name": "Priya Nair", "title": "Requester"},
            {**PERSON, "id": "U0GUEST", "name": "Sam", "real_name": "Sam Okafor", "is_guest": True},
        ]
        self.commands: list[Json] = [
            {"command": "/approvals", "description": "What waits", "usage_hint": "[mine | all]"},
            {"command": "/runs", "description": "What the agents do", "usage_hint": ""},
        ]
        self.shortcuts: list[Json] = [{"name": "What happened here?", "callback_id": "placet:what_happened"}]
        self.messages: dict[str, list[Json]] = {}
        self.views: list[Json] = []
        self.opens: list[Json] = []
        """The views that the next click opens."""
        self.home: Json | None = None
        self.unread = 0
        self.has_direct = True
        self.answers: dict[str, Json] = {}
        self.posted: queue.Queue[tuple[str, Json]] = queue.Queue()
        self.gate = threading.Event()
        """While it is not set, a POST stays unanswered."""
        self.gate.set()
        self._revision = 1
        self._watching: list[tuple[asyncio.AbstractEventLoop, asyncio.Event]] = []

    def changed(self) -> None:
        """Tell every open page that something it can see is different."""
        self._revision += 1
        for loop, signal in self._watching:
            loop.call_soon_threadsafe(signal.set)

    def say(self, **message: Any) -> str:
        """Put a message into #purchasing; returns its ts."""
        said = self.messages.setdefault("C0BUY", [])
        ts = f"17840000{len(said):02d}.000100"
        said.append(
            {
                "ts": ts,
                "user": BOT,
                "bot": True,
                "text": "",
                "blocks": [],
                "edited": False,
                "ephemeral": False,
                "thread_ts": None,
                "replies": [],
            }
            | message
        )
        return ts

    def app(self) -> Starlette:
        """The server: the page's files and the contract's addresses."""
        return Starlette(
            routes=[
                Route("/", lambda _: FileResponse(PAGE / "index.html")),
                Mount("/static", StaticFiles(directory=PAGE)),
                Route("/page/people", self._people),
                Route("/page/state", self._state),
                Route("/page/messages", self._messages),
                Route("/page/stream", self._stream),
                Route("/page/{verb}", self._post, methods=["POST"]),
            ]
        )

    def _people(self, _: Request) -> JSONResponse:
        app = {"id": BOT, "name": "Placet", "colour": "#007a5a"}
        team = {"id": "T0", "name": "Nordwerk"}
        offered = {"commands": self.commands, "shortcuts": self.shortcuts}
        return JSONResponse({"team": team, "people": self.people, "bot": app, **offered})

    def _state(self, request: Request) -> JSONResponse:
        me = request.query_params["as"]
        channels = [
            {"id": "C0BUY", "name": "purchasing", "kind": "channel", "unread": 0},
            {"id": "C0FIN", "name": "finance", "kind": "channel", "unread": self.unread},
        ]
        if self.has_direct:
            channels.append({"id": f"D{me[1:]}", "name": "placet", "kind": "im", "with": BOT, "unread": 0})
        return JSONResponse(
            {"revision": self._revision, "me": me, "channels": channels, "views": self.views, "home": self.home}
        )

    def _messages(self, request: Request) -> JSONResponse:
        said = self.messages.get(request.query_params["channel"], [])
        return JSONResponse({"revision": self._revision, "messages": said})

    async def _stream(self, _: Request) -> StreamingResponse:
        signal = asyncio.Event()
        self._watching.append((asyncio.get_running_loop(), signal))

        async def revisions() -> AsyncIterator[str]:
            while True:
                yield f"data: {json.dumps({'revision': self._revision})}\n\n"
                await signal.wait()
                signal.clear()

        return StreamingResponse(revisions(), media_type="text/event-stream")

    async def _post(self, request: Request) -> JSONResponse:
        verb = request.path_params["verb"]
        self.posted.put((verb, await request.json()))
        await asyncio.to_thread(self.gate.wait)
        if verb == "click" and self.opens:
            self.views, self.opens = self.opens, []
            self.changed()
        return JSONResponse(self.answers.get(verb, {"ok": True}))


def with_modal(window: Open, workspace: CannedWorkspace, view: Json) -> Page:
    """A window in which a click has opened this view."""
    workspace.say(blocks=[actions(button("Open it"))])
    workspace.opens = [view]
    page = window()
    page.get_by_role("button", name="Open it").click()
    expect(page.get_by_role("dialog")).to_be_visible()
    assert workspace.posted.get(timeout=5)[0] == "click"
    return page
