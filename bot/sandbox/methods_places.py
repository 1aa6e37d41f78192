"""The methods of the local workspace about conversations: opening, listing, reading them.

Each takes the workspace and the arguments of the call, and returns what stands beside `ok: true`, or raises `ApiError`.
"""

from typing import Any

from bot.sandbox.arguments import ApiError, Args
from bot.sandbox.shown import Message
from bot.sandbox.slack_shapes import channel_json, direct_json, message_json
from bot.sandbox.workspace import Workspace

Json = dict[str, Any]


def conversations_open(ws: Workspace, args: Args) -> Json:
    """conversations.open: with one person, or an open one by its channel id."""
    if "channel" in args:
        channel = args.text("channel")
        if channel not in ws.direct:
            raise ApiError("channel_not_found")
    else:
        user = args.needed("users", "users_list_not_supplied")
        if "," in user:
            raise ApiError("too_many_users")
        if user not in ws.people:
            raise ApiError("user_not_found")
        if ws.people[user].deleted:
            raise ApiError("user_disabled")
        if ws.people[user].is_bot:
            raise ApiError("cannot_dm_bot")
        channel = ws.open_direct(user)
    return {"channel": direct_json(ws, channel) if args.flag("return_im") else {"id": channel}}


def conversations_info(ws: Workspace, args: Args) -> Json:
    """conversations.info."""
    channel = _seen_channel(ws, args)
    if channel in ws.direct:
        return {"channel": direct_json(ws, channel)}
    written = channel_json(ws, ws.channels[channel])
    if args.flag("include_num_members"):
        written["num_members"] = len(_present(ws, channel))
    return {"channel": written}


def conversations_list(ws: Workspace, args: Args) -> Json:
    """conversations.list: by `types`; public channels when none are named."""
    kinds = {kind.strip() for kind in args.text("types", "public_channel").split(",")}
    found = [
        channel_json(ws, channel)
        for channel in ws.channels.values()
        if ("private_channel" if channel.is_private else "public_channel") in kinds
        and not (channel.is_private and ws.seed.app.bot_user not in channel.members)
        and not (channel.is_archived and args.flag("exclude_archived"))
    ]
    if "im" in kinds:
        found += [direct_json(ws, channel) for channel in ws.direct]
    page, more = args.page(found, default=100)
    return {"channels": page, "response_metadata": more}


def conversations_members(ws: Workspace, args: Args) -> Json:
    """conversations.members: nobody who left."""
    page, more = args.page(_present(ws, _seen_channel(ws, args)), default=100)
    return {"members": page, "response_metadata": more}


def conversations_history(ws: Workspace, args: Args) -> Json:
    """conversations.history: newest first; nothing private, no replies; metadata only with include_all_metadata."""
    channel = _read_channel(ws, args)
    found = [m for m in ws.history(channel) if m.thread_ts is None]
    return _pages_of(ws, args, found[::-1])


def conversations_replies(ws: Workspace, args: Args) -> Json:
    """conversations.replies: a message and its replies, oldest first."""
    channel, ts = _read_channel(ws, args), args.needed("ts", "thread_not_found")
    if ws.find(channel, ts) is None:
        raise ApiError("thread_not_found")
    return _pages_of(ws, args, [m for m in ws.history(channel) if ts in {m.ts, m.thread_ts}])


def _pages_of(ws: Workspace, args: Args, messages: list[Message]) -> Json:
    oldest, latest = args.text("oldest", "0"), args.text("latest", "9999999999.999999")
    edge = args.flag("inclusive")
    within = [
        m
        for m in messages
        if not m.deleted
        and m.only_for is None
        and (_time(oldest) < _time(m.ts) < _time(latest) or (edge and _time(m.ts) in {_time(oldest), _time(latest)}))
    ]
    page, more = args.page(within, default=100)
    metadata = args.flag("include_all_metadata")
    return {
        "messages": [message_json(ws, m, metadata=metadata) for m in page],
        "has_more": bool(more["next_cursor"]),
        "response_metadata": more,
    }


def _time(ts: str) -> int:
    """A timestamp in microseconds; callers write it with any number of decimals."""
    seconds, _, decimals = ts.partition(".")
    micros = decimals.ljust(6, "0")[:6]
    if not (seconds.isdecimal() and micros.isdecimal()):
        raise ApiError("invalid_ts")
    return int(seconds) * 1_000_000 + int(micros)


def _seen_channel(ws: Workspace, args: Args) -> str:
    """A channel the bot may know of: a public one, or any it is in."""
    channel = args.needed("channel", "channel_not_found")
    hidden = channel in ws.channels and ws.channels[channel].is_private
    if not ws.members(channel) or (hidden and ws.seed.app.bot_user not in ws.members(channel)):
        raise ApiError("channel_not_found")
    return channel


def _read_channel(ws: Workspace, args: Args) -> str:
    channel = _seen_channel(ws, args)
    if ws.seed.app.bot_user not in ws.members(channel):
        raise ApiError("not_in_channel")
    return channel


def _present(ws: Workspace, channel: str) -> list[str]:
    return sorted(user for user in ws.members(channel) if not ws.people[user].deleted)
