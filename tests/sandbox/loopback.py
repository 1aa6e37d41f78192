"""An ASGI app behind a real socket on 127.0.0.1, served by uvicorn in a thread for as long as a test needs it."""

import asyncio
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

import uvicorn
from starlette.applications import Starlette
from starlette.types import ASGIApp, Receive, Scope, Send

_PATIENCE_S = 30


@contextmanager
def serving(app: ASGIApp) -> Iterator[str]:
    """The address of the app, as in `http://127.0.0.1:40123`.

    The socket listens before this returns, so the first request waits for the server and none is refused.
    """
    listener = socket.socket(
        socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP
    )  # named: else asyncio leaves Nagle's 40 ms in
    listener.bind(("127.0.0.1", 0))
    listener.listen(100)
    config = uvicorn.Config(
        app, log_level="critical", lifespan="off", ws="websockets-sansio", timeout_graceful_shutdown=1
    )
    server = _Server(config)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    finally:
        server.end()
        thread.join()
        listener.close()


class _Server(uvicorn.Server):
    """One that ends as soon as it is told to: uvicorn looks every 0.1 s whether it should, and waits 0.1 s more, thousands of times in a run."""

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self._begun = threading.Event()
        self._told = asyncio.Event()
        self._loop: asyncio.AbstractEventLoop | None = None

    def end(self) -> None:
        """From another thread: serve nothing more."""
        self._begun.wait(_PATIENCE_S)
        assert self._loop is not None
        self._loop.call_soon_threadsafe(self._told.set)

    async def main_loop(self) -> None:
        await self.on_tick(0)
        self._loop = asyncio.get_running_loop()
        self._begun.set()
        await self._told.wait()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        for server in self.servers:
            server.close()
        held = self.server_state
        for connection in list(held.connections):
            connection.shutdown()
        deadline = time.monotonic() + (self.config.timeout_graceful_shutdown or 0)
        while (held.connections or held.tasks) and time.monotonic() < deadline:  # noqa: ASYNC110  nobody tells
            await asyncio.sleep(0.002)
        for task in held.tasks:
            task.cancel()


@dataclass(slots=True)
class Served:
    """The application behind the address; another may take its place between two requests."""

    app: Starlette | None = None
    _loop: asyncio.AbstractEventLoop | None = field(default=None, init=False)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        assert self.app is not None
        self._loop = asyncio.get_running_loop()
        await self.app(scope, receive, send)

    def end(self, app: Starlette) -> None:
        """Let an application drop what it has under way and close its files, on the loop that served it: its tasks are of that loop."""

        async def ended() -> None:
            async with app.router.lifespan_context(app):
                pass

        if self._loop is None:
            asyncio.run(ended())
        else:
            asyncio.run_coroutine_threadsafe(ended(), self._loop).result(_PATIENCE_S)
