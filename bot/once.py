"""One HTTP request in a process that holds nothing before it and nothing after it: made, answered through the same door, delivered, let go.

What was decided is committed before the answer is said; what it marked is carried after that, so that Slack does not wait for Slack. What
cannot be carried now is left to the next tick.
"""

import asyncio
import http.client
import logging
import re
from collections.abc import Callable
from contextlib import closing
from http import HTTPStatus
from typing import BinaryIO, Final

import httpx
from starlette.types import ASGIApp

from bot import main
from bot.delivery import rounds
from bot.http.limits import BYTES
from engine.settings import Settings
from engine.state import outage

log = logging.getLogger(__name__)

_REQUEST_LINE: Final = re.compile(rb"(?P<method>[A-Z]{1,16}) (?P<target>/[!-~]*) HTTP/1\.[01]\r?\n")
_NO_REQUEST: Final = "This is no whole HTTP/1.1 request with one Content-Length that says how long it is. Nothing was done: send it again, whole."


def answer_once(settings: Settings, request: httpx.Request, say: Callable[[httpx.Response], None]) -> None:
    """Have the web side answer, `say` the answer, then carry what became due and let everything go. Raises Misconfigured."""
    with closing(main.assemble(settings)) as house:
        say(asyncio.run(_asked(house.web, request)))
        try:
            while rounds.carry(house.courier):
                pass
        except outage.Error as error:
            log.warning("the database is away, the next tick delivers: %s", error)


def answer_stdin(settings: Settings, read: BinaryIO, write: BinaryIO) -> None:
    """The same for a request as it comes over a connection; what is none with one length, or is cut off before it, is answered 400."""

    def say(answer: httpx.Response) -> None:
        write.write(_as_sent(answer))
        write.flush()

    request = _read(read)
    if request is None:
        say(httpx.Response(400, json={"error": _NO_REQUEST}))
    else:
        answer_once(settings, request, say)


async def _asked(web: ASGIApp, request: httpx.Request) -> httpx.Response:
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app=web, raise_app_exceptions=False)) as client:
        return await client.send(request)


def _read(read: BinaryIO) -> httpx.Request | None:
    """The request; None: it is none, or not whole. Of a body that is too long no more is read than shows that."""
    line = _REQUEST_LINE.fullmatch(read.readline(8192))
    if line is None:
        return None
    try:
        headers = http.client.parse_headers(read)
    except http.client.HTTPException:
        return None
    length, *others = headers.get_all("content-length", ["0"])
    if others or not re.fullmatch("[0-9]{1,12}", length) or "transfer-encoding" in headers:
        return None
    named = [
        (name.encode("latin-1"), value.encode("latin-1"))
        for name, value in headers.items()
        if name.lower() != "content-length"
    ]
    wanted = min(int(length), BYTES + 1)
    body = read.read(wanted)
    if len(body) < wanted:
        return None
    return httpx.Request(
        line["method"].decode(), f"http://placet{line['target'].decode()}", headers=named, content=body
    )


def _as_sent(answer: httpx.Response) -> bytes:
    """As bytes on the connection, which ends with it."""
    kept = [
        (name, value) for name, value in answer.headers.raw if name.lower() not in (b"content-length", b"connection")
    ]
    kept += [(b"content-length", str(len(answer.content)).encode()), (b"connection", b"close")]
    line = f"HTTP/1.1 {answer.status_code} {HTTPStatus(answer.status_code).phrase}".encode()
    return b"\r\n".join([line, *(name + b": " + value for name, value in kept), b"", answer.content])
