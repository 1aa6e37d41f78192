"""The local Slack workspace as one web application: Slack's API, its deliveries, and the page to act in.

For this machine only: a request that names another host is refused, so that no web page elsewhere can reach it by a
name of its own. State is in the journal; start again on the same file and everything is there.
"""

import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from bot.sandbox.app_link import AppLink
from bot.sandbox.control_api import control_routes
from bot.sandbox.gestures import Gestures
from bot.sandbox.journal import Journal
from bot.sandbox.page_api import PageApi
from bot.sandbox.response_urls import response_url_routes
from bot.sandbox.seed import Command, Seed, Shortcut, acme
from bot.sandbox.slack_api import ALL_SCOPES, SlackApi
from bot.sandbox.slack_faults import SlackFaults
from bot.sandbox.sockets import Sockets
from bot.sandbox.wire import Refused
from bot.sandbox.workspace import Workspace

PAGE = Path(__file__).parent / "page"
LOCAL_HOSTS = ("127.0.0.1", "localhost")


def workspace_app(
    *,
    journal: Path,
    app_url: str | None,
    signing_secret: str,
    bot_token: str,
    app_token: str | None = None,
    seed: Seed | None = None,
    commands: Sequence[Command] = (),
    shortcuts: Sequence[Shortcut] = (),
    scopes: frozenset[str] = ALL_SCOPES,
    clock: Callable[[], float] = time.time,
    patience: float = 3.0,
) -> Starlette:
    """A workspace that keeps its state in `journal` and delivers to the app at `app_url`.

    `app_url` None: over the sockets that the app opens with `app_token`. `seed` is Acme unless told otherwise; `commands` and `shortcuts` are the app's; `scopes` those its token was granted;
    `patience` the seconds it waits for the app's answer. `app.state.workspace`, `link` and `sockets` are for whoever
    runs it in the same process, on its event loop only. Serve it with uvicorn, and with a `timeout_graceful_shutdown`:
    an open page holds its stream.
    """
    log = Journal(journal)
    ws = Workspace(seed or acme(), log, clock)
    faults = SlackFaults()
    sockets = Sockets(app_token)
    link = AppLink(app_url, sockets, secret=signing_secret, faults=faults, clock=clock, patience=patience)
    api = SlackApi(ws, faults, bot_token, scopes, sockets)
    page = PageApi(ws, Gestures(ws=ws, link=link, commands=commands, shortcuts=shortcuts))

    @asynccontextmanager
    async def lifespan(_app: Starlette) -> AsyncIterator[None]:
        yield
        await link.close()
        log.close()

    app = Starlette(
        routes=[
            *api.routes(),
            *response_url_routes(ws),
            *control_routes(ws, api, faults, link),
            *page.routes(),
            sockets.route(),
            Route("/", _index),
            Mount("/static", StaticFiles(directory=PAGE, check_dir=False)),
        ],
        middleware=[Middleware(TrustedHostMiddleware, allowed_hosts=LOCAL_HOSTS)],
        exception_handlers={Refused: _refused},
        lifespan=lifespan,
    )
    app.state.workspace, app.state.link, app.state.sockets = ws, link, sockets
    return app


async def _index(_request: Request) -> Response:
    index = PAGE / "index.html"
    return FileResponse(index) if index.is_file() else Response("The page is not installed.", status_code=404)


async def _refused(_request: Request, error: Exception) -> Response:
    """Bad input, in the shape the page shows: `ok: false` and a sentence that begins with the field."""
    if not isinstance(error, Refused):
        raise error
    return JSONResponse({"ok": False, "error": str(error)}, status_code=error.answer.status_code)
