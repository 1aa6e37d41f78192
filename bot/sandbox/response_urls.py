"""What an app may do with a response URL: say something after a click or a command, or change what was clicked.

Five uses within thirty minutes, no token and no membership needed. It is the only way to change a private message.
"""

from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from bot.cards.limits import check_blocks
from bot.sandbox.arguments import ApiError, Args, read_args
from bot.sandbox.gestures import say
from bot.sandbox.methods_chat import with_block_ids
from bot.sandbox.shown import Message
from bot.sandbox.tickets import Ticket
from bot.sandbox.workspace import Workspace


def response_url_routes(ws: Workspace) -> list[Route]:
    """Where response URLs lead."""

    async def respond(request: Request) -> Response:
        try:
            args = await read_args(request)
            _respond(ws, ws.tickets.use_response(request.path_params["name"]), args)
        except ApiError as refusal:
            gone = refusal.error in {"invalid_url", "used_url", "expired_url"}
            return JSONResponse({"ok": False, "error": refusal.error}, status_code=404 if gone else 400)
        return PlainTextResponse("ok")

    return [Route("/slack/response/{name}", respond, methods=["POST"])]


def _respond(ws: Workspace, ticket: Ticket, args: Args) -> None:
    clicked = ws.find(ticket.channel, ticket.ts)
    if args.flag("delete_original"):
        ws.delete(_present(clicked))
        return
    said: dict[str, Any] = {name: args.text(name) for name in ("text", "thread_ts", "response_type") if name in args}
    if "blocks" in args:
        said["blocks"] = args.parsed("blocks", "invalid_blocks_format")
        if faults := check_blocks(said["blocks"]):
            raise ApiError(faults[0].error)
    if not (said.get("text") or said.get("blocks")):
        raise ApiError("no_text")
    if args.flag("replace_original"):
        message = _present(clicked)
        body = message.body | {"text": said.get("text", ""), "blocks": with_block_ids(said.get("blocks", []))}
        ws.edit(message, body, marked=False)
        return
    say(ws, said, ticket.user, ticket.channel)


def _present(message: Message | None) -> Message:
    if message is None:
        raise ApiError("message_not_found")
    return message
