"""A line to the local workspace on which one call can be held up, as a slow network holds it: it is carried out only when it arrives."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

import httpx
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from bot.delivery.web import Slack
from tests.bot.office import TOKEN, Office
from tests.sandbox.loopback import serving


class Line:
    """The first `method` on it is `caught`, and goes on when it is `released`; everything else goes through."""

    def __init__(self, office: Office, method: str) -> None:
        self.caught, self.released = threading.Event(), threading.Event()
        self._office, self._method = office, method
        self._first = threading.Lock()

    async def _forward(self, request: Request) -> Response:
        body = await request.body()
        return await run_in_threadpool(self._pass_on, request, body)

    def _pass_on(self, request: Request, body: bytes) -> Response:
        if request.url.path.endswith(self._method) and self._first.acquire(blocking=False):
            self.caught.set()
            assert self.released.wait(20)
        kept = {name: request.headers[name] for name in ("authorization", "content-type") if name in request.headers}
        answer = httpx.post(f"{self._office.url}{request.url.path}", content=body, headers=kept)
        return Response(answer.content, answer.status_code, {"content-type": answer.headers["content-type"]})


@contextmanager
def line(office: Office, method: str) -> Iterator[tuple[Line, Slack]]:
    """The line, and the workspace as our bot reaches it over that line."""
    made = Line(office, method)
    with serving(Starlette(routes=[Route("/{path:path}", made._forward, methods=["POST", "GET"])])) as url:
        try:
            yield made, Slack(TOKEN, f"{url}/slack/api/")
        finally:
            made.released.set()
