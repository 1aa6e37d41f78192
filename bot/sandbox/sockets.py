"""Slack's other way to the app: WebSockets that the app has opened, each delivery over one of them.

Source: docs.slack.dev/apis/events-api/using-socket-mode. At most ten are open at once. Which of them gets a delivery is not said; here each
gets one in turn. What comes over a socket that is gone, or that says nothing, is not sent again, but for events.
"""

import asyncio
import json
import secrets
from dataclasses import dataclass, field
from itertools import count
from typing import Any, Final

from starlette.requests import Request
from starlette.routing import WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect

from bot.sandbox.answers import Answer, NoAnswer

Json = dict[str, Any]

MOST: Final = 10
PATH: Final = "/slack/socket"
_KNOCKS_IN_VAIN: Final = 4401


@dataclass(slots=True, eq=False)
class _Open:
    """A socket that is open, and what was sent over it and is not answered yet."""

    socket: WebSocket
    awaited: dict[str, asyncio.Future[Json]] = field(default_factory=dict)


class Sockets:
    """The sockets of the app, for which it has this `token`; None: it has none.

    `address` is where they are opened, if not where `apps.connections.open` was called, as in "ws://127.0.0.1:1"; `loop` is where they are
    served, None as long as none was opened.
    """

    def __init__(self, token: str | None = None) -> None:
        self.token = token
        self.address: str | None = None
        self.loop: asyncio.AbstractEventLoop | None = None
        self._open: list[_Open] = []
        self._tickets: set[str] = set()
        self._turn = count()

    @property
    def open(self) -> int:
        """How many there are."""
        return len(self._open)

    def route(self) -> WebSocketRoute:
        """Where they are opened."""
        return WebSocketRoute(PATH, self._serve)

    def ticket(self, request: Request) -> str:
        """The address of a socket that can be opened once, asked for by this request."""
        self._tickets.add(ticket := secrets.token_hex(8))
        return f"{self.address or f'ws://{request.url.netloc}'}{PATH}?ticket={ticket}"

    async def deliver(self, kind: str, payload: Json, more: Json) -> Answer | NoAnswer:
        """Send this over one of them, and wait for its answer for as long as the caller does. `more`: what the envelope says besides."""
        if not self._open:
            return NoAnswer("the app has no socket open")
        one = self._open[next(self._turn) % len(self._open)]
        envelope = secrets.token_hex(16)
        one.awaited[envelope] = answered = asyncio.get_running_loop().create_future()
        sent = {
            "type": kind,
            "envelope_id": envelope,
            "payload": payload,
            "accepts_response_payload": kind != "events_api",
        }
        try:
            await one.socket.send_json(sent | more)
            answer = await answered
        except (WebSocketDisconnect, RuntimeError):
            return NoAnswer("the socket was closed")
        finally:
            one.awaited.pop(envelope, None)
        body = json.dumps(answer["payload"]) if "payload" in answer else ""
        return Answer(200, body, "application/json")

    async def disconnect(self, reason: str) -> None:
        """Tell all that are open to go, as Slack does before it closes them itself: warning, refresh_requested, link_disabled."""
        for one in list(self._open):
            await one.socket.send_json({"type": "disconnect", "reason": reason})

    async def close(self) -> None:
        """Close all."""
        for one in list(self._open):
            await one.socket.close()

    async def _serve(self, socket: WebSocket) -> None:
        if (ticket := socket.query_params.get("ticket", "")) not in self._tickets:
            await socket.close(_KNOCKS_IN_VAIN)
            return
        self._tickets.remove(ticket)
        await socket.accept()
        self.loop = asyncio.get_running_loop()
        if len(self._open) >= MOST:
            await socket.send_json({"type": "disconnect", "reason": "too_many_websockets"})
            await socket.close()
            return
        self._open.append(one := _Open(socket))
        try:
            await socket.send_json({"type": "hello", "num_connections": len(self._open)})
            while True:
                self._answered(one, await socket.receive_json())
        except WebSocketDisconnect:
            pass
        finally:
            self._open.remove(one)
            for future in one.awaited.values():
                future.set_exception(WebSocketDisconnect())

    def _answered(self, one: _Open, answer: Any) -> None:
        future = one.awaited.get(answer.get("envelope_id", "")) if isinstance(answer, dict) else None
        if future is not None and not future.done():
            future.set_result(answer)
