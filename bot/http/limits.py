"""How large and how deep a request may be, checked before anything reads it: 256 KB, and 32 levels of JSON."""

import re
from typing import Final

from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

BYTES: Final = 256 * 1024
DEPTH: Final = 32

_SHAPE = re.compile(rb'"(?:[^"\\]|\\.)*"|[\[{]|[\]}]', re.DOTALL)


class Limits:
    """Reads a request's body whole, up to the limit, and passes it on; what is past it is answered 413 or 422 here."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["type"] != "http" or scope["method"] in {"GET", "HEAD"}:
            await self._app(scope, receive, send)
            return
        body = await _read(receive)
        if body is None:
            answer = {"error": f"The body is larger than {BYTES // 1024} KB. Send less."}
            await JSONResponse(answer, status_code=413)(scope, receive, send)
        elif _is_json(scope) and depth(body) > DEPTH:
            answer = {"error": f"body: it is nested more than {DEPTH} levels deep. Flatten it.", "field": "body"}
            await JSONResponse(answer, status_code=422)(scope, receive, send)
        else:
            await self._app(scope, _again(body, receive), send)


def _is_json(scope: Scope) -> bool:
    """Whether any header of the request calls its body JSON, however that is spelled."""
    return any(name.lower() == b"content-type" and b"json" in value.lower() for name, value in scope["headers"])


def depth(body: bytes) -> int:
    """How deep the brackets outside of strings are nested."""
    now = deepest = 0
    for token in _SHAPE.finditer(body):
        if token[0] in b"[{":
            now += 1
            deepest = max(deepest, now)
        elif token[0] in b"]}":
            now -= 1
    return deepest


async def _read(receive: Receive) -> bytes | None:
    """The body; None if it is past the limit (the rest is not read)."""
    body = bytearray()
    while True:
        message = await receive()
        body += message.get("body", b"")
        if len(body) > BYTES:
            return None
        if not message.get("more_body", False):
            return bytes(body)


def _again(body: bytes, receive: Receive) -> Receive:
    """Give the body once more, then whatever the server has to say."""
    given = False

    async def once() -> Message:
        nonlocal given
        if given:
            return await receive()
        given = True
        return {"type": "http.request", "body": body, "more_body": False}

    return once
