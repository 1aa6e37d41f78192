"""The `chat.*` methods of the local workspace, with Slack's own answers and errors.

Each takes the workspace and the arguments of the call, and returns what stands beside `ok: true`, or raises `ApiError`.
"""

from collections.abc import Sequence
from typing import Any
from uuid import uuid4

from bot.cards.block_kit import MESSAGE_TEXT
from bot.cards.limits import Fault, check_edit, check_message
from bot.sandbox.arguments import ApiError, Args
from bot.sandbox.shown import Message
from bot.sandbox.slack_shapes import message_json
from bot.sandbox.workspace import Workspace

Json = dict[str, Any]


def post_message(ws: Workspace, args: Args) -> Json:
    """chat.postMessage: into a channel, a direct conversation, or to a person; text past 40,000 is cut."""
    channel = place_to_write(ws, args.needed("channel", "channel_not_found"))
    if channel in ws.direct and not ws.app.messages_tab:
        raise ApiError("messages_tab_disabled")
    body = _body(args)
    refuse([fault for fault in check_message(body) if fault.error != "msg_too_long"])
    body["text"] = body.get("text", "")[:MESSAGE_TEXT]
    if (thread := args.text("thread_ts")) and ws.find(channel, thread) is None:
        raise ApiError("cannot_reply_to_message")
    if thread:
        body["thread_ts"] = thread
    message = ws.post(channel, ws.seed.app.bot_user, body)
    return {"channel": channel, "ts": message.ts, "message": message_json(ws, message, metadata=True)}


def update(ws: Workspace, args: Args) -> Json:
    """chat.update: `text` alone takes the blocks away, `blocks: []` too; metadata stays unless it is given."""
    message = _own_message(ws, args, "cant_update_message")
    channel = ws.channels.get(message.channel)
    if channel is not None and channel.is_archived:
        raise ApiError("is_inactive")
    if (window := ws.app.edit_window_s) is not None and ws.clock() - float(message.ts) > window:
        raise ApiError("edit_window_closed")
    given = _body(args)
    if not given.keys() & {"text", "blocks", "metadata"}:
        raise ApiError("no_text")
    body = dict(message.body)
    if "text" in given or "blocks" in given:
        body["blocks"] = given.get("blocks", [])
    body |= given
    refuse(check_edit(body))
    ws.edit(message, body, marked=not body.get("blocks"))
    written = message_json(ws, message, metadata=True)
    return {"channel": message.channel, "ts": message.ts, "text": written["text"], "message": written}


def delete(ws: Workspace, args: Args) -> Json:
    """chat.delete: our own messages only."""
    message = _own_message(ws, args, "cant_delete_message")
    ws.delete(message)
    return {"channel": message.channel, "ts": message.ts}


def post_ephemeral(ws: Workspace, args: Args) -> Json:
    """chat.postEphemeral: for one person in the channel; it can never be addressed again."""
    channel = place_to_write(ws, args.needed("channel", "channel_not_found"))
    user = args.needed("user", "user_not_in_channel")
    if user not in ws.members(channel) or ws.people[user].deleted:
        raise ApiError("user_not_in_channel")
    body = _body(args)
    refuse(check_message(body))
    body.pop("metadata", None)
    if thread := args.text("thread_ts"):
        body["thread_ts"] = thread
    return {"message_ts": ws.post(channel, ws.seed.app.bot_user, body, only_for=user).ts}


def get_permalink(ws: Workspace, args: Args) -> Json:
    """chat.getPermalink."""
    channel, ts = args.needed("channel", "channel_not_found"), args.needed("message_ts", "message_not_found")
    if not ws.members(channel):
        raise ApiError("channel_not_found")
    message = ws.find(channel, ts)
    if message is None or message.only_for:
        raise ApiError("message_not_found")
    link = f"https://{ws.seed.team_domain}.slack.com/archives/{channel}/p{ts.replace('.', '')}"
    return {"channel": channel, "permalink": link}


def place_to_write(ws: Workspace, channel: str) -> str:
    """The channel the bot may write to under this id, `#name` or person's id; raises what Slack says otherwise."""
    if channel in ws.people:
        if ws.people[channel].deleted or ws.people[channel].is_bot:
            raise ApiError("channel_not_found")
        return ws.open_direct(channel)
    if channel in ws.direct:
        return channel
    named = (found for found in ws.channels.values() if channel in {found.id, found.name, f"#{found.name}"})
    found = next(named, None)
    if found is None:
        raise ApiError("channel_not_found")
    if found.is_archived:
        raise ApiError("is_archived")
    if ws.seed.app.bot_user not in found.members:
        raise ApiError("channel_not_found" if found.is_private else "not_in_channel")
    return found.id


def refuse(faults: Sequence[Fault]) -> None:
    """Raise what Slack answers to a payload with these faults; without any, do nothing."""
    if faults:
        first = faults[0]
        said = [str(fault) for fault in faults if fault.error == first.error]
        detail: Json = {"response_metadata": {"messages": [f"[ERROR] {line}" for line in said]}}
        if first.error == "invalid_blocks":
            detail["errors"] = said
        raise ApiError(first.error, **({} if first.error in {"msg_blocks_too_long", "no_text"} else detail))


def with_block_ids(blocks: Any) -> Any:
    """The blocks, each with a name: Slack makes one up where the app gave none, and never one twice in a message."""
    if not isinstance(blocks, list):
        return blocks
    names = {str(block.get("block_id")) for block in blocks if isinstance(block, dict)}
    return [{"block_id": _unlike(names), **block} if isinstance(block, dict) else block for block in blocks]


def _unlike(names: set[str]) -> str:
    """A short name that is none of these, and is one of them from now on."""
    while (name := uuid4().hex[:5]) in names:
        pass
    names.add(name)
    return name


def _body(args: Args) -> Json:
    """What the call says about the message; a part that is absent was not given."""
    body: Json = {}
    if "text" in args:
        body["text"] = args.text("text")
    if "blocks" in args:
        body["blocks"] = with_block_ids(args.parsed("blocks", "invalid_blocks_format"))
    if "metadata" in args:
        body["metadata"] = args.parsed("metadata", "invalid_metadata_format")
    return body


def _own_message(ws: Workspace, args: Args, not_ours: str) -> Message:
    channel, ts = args.needed("channel", "channel_not_found"), args.needed("ts", "message_not_found")
    if channel not in ws.channels and channel not in ws.direct:
        raise ApiError("channel_not_found")
    if ws.seed.app.bot_user not in ws.members(channel):
        raise ApiError("not_in_channel")
    message = ws.find(channel, ts)
    if message is None or message.only_for:
        raise ApiError("message_not_found")
    if message.user != ws.seed.app.bot_user:
        raise ApiError(not_ours)
    return message
