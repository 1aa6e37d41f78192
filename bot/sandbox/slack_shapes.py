"""How Slack writes down what is in a workspace: messages, people, channels, views, as its API and payloads give them.

Reading only. Text comes back encoded (`&amp; &lt; &gt;`), so that an app which echoes what it reads makes it longer.
"""

import re
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

from bot.sandbox.seed import Channel, Group, Person, ProfileField
from bot.sandbox.shown import Message, View
from bot.sandbox.workspace import Workspace

Json = dict[str, Any]

_BARE_AND = re.compile(r"&(?!(?:amp|lt|gt);)")
_TOKEN = re.compile(r"<(?:[@#!][^<>]+|[a-z]+:[^<>]+)>", re.IGNORECASE)


def encoded(text: str, *, tokens: bool) -> str:
    """Text as Slack returns it; `tokens` keeps `<@U1>`, `<!date^...>` and links, which plain text does not have."""
    if not tokens:
        return _encoded(text)
    parts, end = [], 0
    for token in _TOKEN.finditer(text):
        parts += [_encoded(text[end : token.start()]), token.group()]
        end = token.end()
    return "".join([*parts, _encoded(text[end:])])


def _encoded(text: str) -> str:
    return _BARE_AND.sub("&amp;", text).replace("<", "&lt;").replace(">", "&gt;")


def encoded_blocks(value: Any) -> Any:
    """Blocks with every text in them as Slack returns it."""
    match value:
        case list():
            return [encoded_blocks(item) for item in value]
        case {"type": "plain_text" | "mrkdwn" as kind, "text": str(text)}:
            return {**value, "text": encoded(text, tokens=kind == "mrkdwn")}
        case dict():
            return {name: encoded_blocks(part) for name, part in value.items()}
    return value


def message_json(ws: Workspace, message: Message, *, metadata: bool = False) -> Json:
    """A message; with its `metadata` only where it was asked for."""
    app = ws.seed.app
    written: Json = {
        "type": "message",
        "user": message.user,
        "ts": message.ts,
        "text": encoded(message.body.get("text") or "", tokens=True),
        "team": ws.people[message.user].team_id,
    }
    if message.user == app.bot_user:
        profile = {"id": app.bot_id, "app_id": app.id, "name": app.name, "team_id": ws.seed.team_id, "deleted": False}
        written |= {"bot_id": app.bot_id, "app_id": app.id, "bot_profile": profile}
    if message.body.get("blocks"):
        written["blocks"] = encoded_blocks(message.body["blocks"])
    if message.body.get("thread_ts"):
        written["thread_ts"] = message.body["thread_ts"]
    if message.edited_at:
        written["edited"] = {"user": message.user, "ts": message.edited_at}
    if metadata and message.body.get("metadata"):
        written["metadata"] = message.body["metadata"]
    return written


def person_json(ws: Workspace, person: Person) -> Json:
    """A person, as `users.info` gives them: without a zone if they left, without an address if they are outsiders."""
    profile: Json = {
        "title": person.title,
        "real_name": person.real_name,
        "real_name_normalized": person.real_name,
        "display_name": person.name,
        "team": person.team_id,
    }
    written: Json = {
        "id": person.id,
        "team_id": person.team_id,
        "name": person.name,
        "deleted": person.deleted,
        "profile": profile,
        "is_bot": person.is_bot,
        "is_app_user": False,
        "updated": 0,
    }
    if person.deleted:
        return written
    zone = datetime.fromtimestamp(ws.clock(), ZoneInfo(person.tz))
    offset = zone.utcoffset()
    written |= {
        "color": person.colour.removeprefix("#"),
        "real_name": person.real_name,
        "tz": person.tz,
        "tz_label": zone.tzname(),
        "tz_offset": int(offset.total_seconds()) if offset else 0,
        "is_admin": False,
        "is_owner": False,
        "is_restricted": person.is_restricted,
        "is_ultra_restricted": person.is_ultra_restricted,
        "is_email_confirmed": person.email is not None,
    }
    if person.team_id not in ws.seed.ours:
        written["is_stranger"] = person.is_stranger
        return written
    if person.email is not None:
        profile["email"] = person.email
    if ws.seed.organisation is not None:
        written["enterprise_user"] = {
            "id": person.id,
            "enterprise_id": ws.seed.organisation.id,
            "enterprise_name": ws.seed.organisation.name,
            "is_admin": False,
            "is_owner": False,
            "teams": [person.team_id, *person.also_in],
        }
    return written


def profile_json(ws: Workspace, person: Person) -> Json:
    """A person's profile with its custom fields, which `users.info` leaves out."""
    fields = {ws.manager_field.id: {"value": person.manager, "alt": ""}} if person.manager else {}
    return {**person_json(ws, person)["profile"], "fields": fields}


def channel_json(ws: Workspace, channel: Channel) -> Json:
    """A channel."""
    return {
        "id": channel.id,
        "name": channel.name,
        "name_normalized": channel.name,
        "is_channel": not channel.is_private,
        "is_group": False,
        "is_im": False,
        "is_mpim": False,
        "is_private": channel.is_private,
        "is_archived": channel.is_archived,
        "is_general": False,
        "is_shared": channel.is_ext_shared,
        "is_ext_shared": channel.is_ext_shared,
        "is_org_shared": False,
        "is_member": ws.seed.app.bot_user in channel.members,
        "context_team_id": ws.seed.team_id,
        "shared_team_ids": sorted({ws.people[member].team_id for member in channel.members}),
        "created": 1_750_000_000,
    }


def direct_json(ws: Workspace, channel: str) -> Json:
    """A direct conversation."""
    user = ws.direct[channel]
    return {
        "id": channel,
        "is_im": True,
        "is_channel": False,
        "is_archived": False,
        "user": user,
        "is_user_deleted": ws.people[user].deleted,
        "is_open": True,
        "context_team_id": ws.seed.team_id,
        "created": 1_750_000_000,
    }


def group_json(ws: Workspace, group: Group) -> Json:
    """A user group, without its members."""
    return {
        "id": group.id,
        "team_id": ws.seed.team_id,
        "is_usergroup": True,
        "handle": group.handle,
        "name": group.name,
        "description": "",
        "is_external": False,
        "date_delete": 1_760_000_000 if group.is_disabled else 0,
        "user_count": len(group.members),
    }


def field_json(field: ProfileField) -> Json:
    """A custom profile field. Slack leaves `options` null where none is set."""
    options = {name: True for name in ("is_protected", "is_scim") if getattr(field, name)}
    return {
        "id": field.id,
        "ordering": 0,
        "label": field.label,
        "hint": "",
        "type": field.type,
        "possible_values": None,
        "options": options or None,
        "is_hidden": False,
    }


def view_json(ws: Workspace, view: View, values: Json | None = None) -> Json:
    """A view with the `values` its person filled in so far."""
    body = view.body
    return {
        "id": view.id,
        "team_id": ws.seed.team_id,
        "app_id": ws.seed.app.id,
        "bot_id": ws.seed.app.bot_id,
        "app_installed_team_id": ws.seed.team_id,
        "type": body["type"],
        "title": encoded_blocks(body.get("title")),
        "submit": encoded_blocks(body.get("submit")),
        "close": encoded_blocks(body.get("close")),
        "blocks": encoded_blocks(body["blocks"]),
        "private_metadata": body.get("private_metadata", ""),
        "callback_id": body.get("callback_id", ""),
        "external_id": body.get("external_id", ""),
        "clear_on_close": body.get("clear_on_close", False),
        "notify_on_close": body.get("notify_on_close", False),
        "state": {"values": values or {}},
        "hash": view.hash,
        "root_view_id": view.root,
        "previous_view_id": view.previous,
    }
