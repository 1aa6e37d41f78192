"""The door through which Slack delivers: clicks, forms, commands and events, signed, at one address.

What is not signed by Slack within the last five minutes is refused before it is read. Bolt runs in a thread, never on the event loop,
and answers when its listener has decided.
"""

import asyncio
import logging
import re
from collections.abc import Mapping
from concurrent.futures import Executor
from typing import Any, Final

from slack_bolt import App, BoltRequest
from slack_bolt.authorization import AuthorizeResult
from slack_sdk import WebClient
from slack_sdk.signature import SignatureVerifier
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from bot.delivery.who import Us
from bot.http.limits import Limits
from bot.listeners import actions, commands, home, installed, modals, shortcuts, together
from bot.listeners.desk import Desk

log = logging.getLogger(__name__)

PATH: Final = "/slack/events"
_PARTS: Final = ("team", "enterprise", "channel", "container", "message", "view")
"""What a click or a form may hold, each an object or null."""


def bolt(desk: Desk, *, signing_secret: str | None, bot_token: str, us: Us) -> App:
    """Bolt with all our listeners; `signing_secret` None: for what comes over a socket alone. It makes no call of its own: the token is known, so that no request waits for `auth.test`."""

    def authorize() -> AuthorizeResult:
        return AuthorizeResult(enterprise_id=us.enterprise, team_id=us.team, bot_token=bot_token)

    app = App(
        signing_secret=signing_secret,
        authorize=authorize,
        client=WebClient(retry_handlers=[]),
        process_before_response=True,
        logger=_bolts_logger(),
    )
    for listener in (actions, together, modals, commands, home, installed, shortcuts):
        listener.register(app, desk)
    return app


class Door:
    """The web application with Slack's address in front: what comes there goes through no more of the framework than it needs.

    `threads` are Bolt's, and nobody else's: however many requests of the API wait for a slow database, a click finds one.
    """

    def __init__(self, api: ASGIApp, app: App, signing_secret: str, threads: Executor) -> None:
        self._api, self._slack = api, Limits(self._answer)
        self._app, self._verifier, self._threads = app, SignatureVerifier(signing_secret), threads

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        slacks = scope["type"] == "http" and scope["method"] == "POST" and scope["path"] == PATH
        await (self._slack if slacks else self._api)(scope, receive, send)

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            answer = await self._answered(Request(scope, receive))
        except Exception:
            log.exception("a request of Slack's failed")
            answer = JSONResponse({"error": "Something went wrong here. The log of the process says what."}, 500)
        await answer(scope, receive, send)

    async def _answered(self, request: Request) -> Response:
        raw = await request.body()
        if not _signed(raw, request, self._verifier):
            return JSONResponse({"error": "This is not signed by Slack, or not within the last five minutes."}, 401)
        try:
            read = BoltRequest(body=raw.decode(), query=str(request.query_params), headers=dict(request.headers))
        except (
            ValueError,
            TypeError,
            AttributeError,
            RecursionError,
        ):  # what Bolt's own parser raises for what is no payload
            return JSONResponse({"error": "The body cannot be read."}, 400)
        if odd := unlike_slack(read.body):
            log.error("signed by Slack, and not what Slack sends: %s", odd)
            answer = {"error": f"{odd}: it is missing, or not what Slack sends. Nothing was done.", "field": odd}
            return JSONResponse(answer, 422)
        return await asyncio.get_running_loop().run_in_executor(self._threads, _dispatch, self._app, read)


def unlike_slack(body: Mapping[str, Any]) -> str | None:
    """Which part of a delivery is not as Slack sends it, of those that our listeners rely on; None: all are."""
    kind = body.get("type")
    if "command" in body:
        wanted: tuple[tuple[str | int, ...], ...] = (("user_id",), ("trigger_id",))
    elif kind == "event_callback":
        wanted = (("event", "type"), *([("event", "user")] if _at(body, "event", "type") == "app_home_opened" else []))
    elif kind == "block_actions":
        wanted = (("user", "id"), ("trigger_id",), ("actions", 0, "action_id"))
    elif kind == "message_action":
        wanted = (("user", "id"), ("trigger_id",), ("callback_id",), ("channel", "id"), ("message", "ts"))
    elif kind == "view_submission":
        wanted = (("user", "id"), ("trigger_id",), ("view", "id"), ("view", "type"))
    else:
        return None
    for path in wanted:
        found = _at(body, *path)
        if not (isinstance(found, str) and found):
            return ".".join(map(str, path))
    return next((part for part in _PARTS if not isinstance(body.get(part) or {}, Mapping)), None)


def _at(body: Any, *path: str | int) -> Any:
    """What stands there; None: nothing does."""
    for part in path:
        if isinstance(part, str):
            body = body.get(part) if isinstance(body, Mapping) else None
        else:
            body = body[part] if isinstance(body, list) and len(body) > part else None
    return body


def _signed(raw: bytes, request: Request, verifier: SignatureVerifier) -> bool:
    """Whether Slack signed this just now. The verifier raises for what Slack never sends, so that is looked at first."""
    stamp = request.headers.get("x-slack-request-timestamp", "")
    signature = request.headers.get("x-slack-signature", "")
    if not re.fullmatch("[0-9]{1,12}", stamp) or not re.fullmatch("v0=[0-9a-f]{64}", signature):
        return False
    try:
        return verifier.is_valid(raw, stamp, signature)
    except UnicodeDecodeError:
        return False


def _dispatch(app: App, request: BoltRequest) -> Response:
    answer = app.dispatch(request)
    headers: dict[str, Any] = answer.first_headers_without_set_cookie()
    return Response(status_code=answer.status, content=answer.body, headers=headers)


def _bolts_logger() -> logging.Logger:
    """Bolt's own logger, without its hints to developers."""
    logger = logging.getLogger("placet.bolt")
    logger.setLevel(logging.ERROR)
    return logger
