"""What a test asks of the local workspace that Slack has no method for: everything that was said, the calls, faults.

`GET /slack/messages`, `GET /slack/calls`, `GET` and `POST /slack/faults`, `POST /slack/rates`, `POST /slack/change`.
"""

import asyncio
from dataclasses import asdict
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from bot.sandbox import payloads
from bot.sandbox.app_link import AppLink
from bot.sandbox.page_api import given_json
from bot.sandbox.shown import Message
from bot.sandbox.slack_api import SlackApi
from bot.sandbox.slack_faults import SlackFaults
from bot.sandbox.wire import Refused, object_with
from bot.sandbox.workspace import Workspace

Json = dict[str, Any]

CHANGEABLE = {
    "user": {
        "name",
        "real_name",
        "title",
        "tz",
        "manager",
        "deleted",
        "is_bot",
        "is_restricted",
        "is_ultra_restricted",
        "is_stranger",
    },
    "channel": {"name", "members", "is_archived", "is_private", "is_ext_shared"},
    "group": {"handle", "members", "is_disabled"},
    "app": {"refused", "token", "lost_scopes", "messages_tab", "edit_window_s"},
    "field": {"label", "type", "is_protected", "is_scim"},
}
LONGEST_WAIT = 60.0


def control_routes(ws: Workspace, api: SlackApi, faults: SlackFaults, link: AppLink | None = None) -> list[Route]:
    """Where a test finds them. `link` None: no event is sent of what is changed."""

    async def messages(request: Request) -> Response:
        """Everything in all channels with its former contents; `?since=REVISION&within=SECONDS` waits for news."""
        since, within = request.query_params.get("since", "-1"), request.query_params.get("within", "0")
        try:
            await _news(ws, int(since), min(float(within), LONGEST_WAIT))
        except ValueError:
            raise Refused("since", "a revision, a whole number; and `within`, a number of seconds.") from None
        return JSONResponse({"revision": ws.revision, "messages": [_written(m) for m in ws.messages.values()]})

    async def calls(_request: Request) -> Response:
        return JSONResponse({"calls": list(api.calls)})

    async def show_faults(_request: Request) -> Response:
        return JSONResponse({"faults": [asdict(fault) for fault in faults.ahead]})

    async def plan_faults(request: Request) -> Response:
        faults.plan((await given_json(request, required={"faults"}))["faults"])
        return await show_faults(request)

    async def limit(request: Request) -> Response:
        faults.limit((await given_json(request, required={"rates"}))["rates"])
        return JSONResponse({"rates": {method: asdict(rate) for method, rate in faults.rates.items()}})

    async def change(request: Request) -> Response:
        given = await given_json(request, required={"set"}, optional=CHANGEABLE.keys())
        before = ws.app
        _change(ws, given)
        if link and ws.app.refused != before.refused:  # whoever revokes a token, or removes an app, has its events sent
            for event in payloads.app_refused(ws):
                link.event(event)
        return JSONResponse({"revision": ws.revision})

    return [
        Route("/slack/messages", messages, methods=["GET"]),
        Route("/slack/calls", calls, methods=["GET"]),
        Route("/slack/faults", show_faults, methods=["GET"]),
        Route("/slack/faults", plan_faults, methods=["POST"]),
        Route("/slack/rates", limit, methods=["POST"]),
        Route("/slack/change", change, methods=["POST"]),
    ]


async def _news(ws: Workspace, since: int, within: float) -> None:
    """Wait until the workspace is past this revision, or so many seconds went by."""
    changed = ws.watch(None)
    try:
        if ws.revision <= since:
            await asyncio.wait_for(changed.wait(), within)
    except TimeoutError:
        pass
    finally:
        ws.unwatch(changed)


def _change(ws: Workspace, given: Json) -> None:
    kinds = given.keys() & CHANGEABLE.keys()
    if len(kinds) != 1:
        raise Refused("user", "name one `user`, `channel`, `group`, `app` or `field`, and what to `set`.")
    (kind,) = kinds
    known = {
        "user": [*ws.people],
        "channel": [*ws.channels],
        "group": [*ws.groups],
        "field": [ws.manager_field.id],
        "app": [ws.seed.app.id],
    }
    if given[kind] not in known[kind]:
        raise Refused(kind, f"there is no {given[kind]!r} here.")
    wanted = object_with(given["set"], required=set(), optional=CHANGEABLE[kind])
    match kind:
        case "user":
            ws.change_person(given[kind], wanted)
        case "channel":
            ws.change_channel(given[kind], wanted)
        case "group":
            ws.change_group(given[kind], wanted)
        case "app":
            ws.change_app(wanted)
        case "field":
            ws.change_field(wanted)


def _written(message: Message) -> Json:
    return {
        "channel": message.channel,
        "ts": message.ts,
        "user": message.user,
        "only_for": message.only_for,
        "deleted": message.deleted,
        "edited": message.edited_at is not None,
        **{name: message.body.get(name) for name in ("text", "blocks", "metadata", "thread_ts")},
        "past": message.past,
    }
