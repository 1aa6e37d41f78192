"""The way to the provider, on which something can happen at the one moment that nobody at either end can choose."""

from collections.abc import Callable

from starlette.concurrency import run_in_threadpool
from starlette.types import ASGIApp, Message, Receive, Scope, Send


class Line:
    """The way to the provider. `taken` happens once, when it has done with a payment that it was asked for and has not answered yet."""

    def __init__(self, app: ASGIApp) -> None:
        self.taken: Callable[[], None] | None = None
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["method"] != "POST" or not scope["path"].endswith("/v1/payment_intents"):
            await self._app(scope, receive, send)
            return
        asked = False

        async def received() -> Message:
            nonlocal asked
            if asked:  # it has all of the request, and waits for its client to go
                await self._take()
            message = await receive()
            asked = not message.get("more_body", False)
            return message

        async def sent(message: Message) -> None:
            await self._take()
            await send(message)

        await self._app(scope, received, sent)

    async def _take(self) -> None:
        happens, self.taken = self.taken, None
        if happens is not None:
            await run_in_threadpool(happens)
