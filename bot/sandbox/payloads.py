"""The bodies Slack sends to an app: a click, a slash command, a modal submitted or closed, a Home tab opened.

Building only; who may do it is judged in `bot.sandbox.gestures`. An outsider shows by nothing but `user.team_id`.
Source: docs.slack.dev/reference/interaction-payloads.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

from bot.sandbox.shown import Message, View
from bot.sandbox.slack_shapes import encoded_blocks, message_json, view_json
from bot.sandbox.workspace import Workspace

Json = dict[str, Any]

OLD_TOKEN = "not-for-authentication"  # noqa: S105  Slack's deprecated `token` field, which proves nothing


@dataclass(frozen=True, slots=True, kw_only=True)
class Press:
    """Which element a person used, by the names the app gave it."""

    block_id: str
    action_id: str
    chosen: Any = None
    """The option picked in a menu, as Slack's object or by its value; what was typed; None for a button."""


def message_click(ws: Workspace, user: str, message: Message, action: Json, response_url: str) -> Json:
    """block_actions, for an element of a message."""
    place: Json = {
        "message_ts": message.ts,
        "channel_id": message.channel,
        "is_ephemeral": message.only_for is not None,
    }
    name = "directmessage" if message.channel in ws.direct else ws.channels[message.channel].name
    return {
        **_by(ws, user, "block_actions"),
        "container": {"type": "message", **place},
        "trigger_id": ws.tickets.give_trigger(user),
        "channel": {"id": message.channel, "name": name},
        "message": message_json(ws, message, metadata=True),
        "state": {"values": _state(action)},
        "response_url": response_url,
        "actions": [action],
    }


def message_shortcut(ws: Workspace, user: str, message: Message, callback_id: str, response_url: str) -> Json:
    """message_action, for a shortcut of the app's on a message of anybody's."""
    name = "directmessage" if message.channel in ws.direct else ws.channels[message.channel].name
    return {
        **_by(ws, user, "message_action"),
        "callback_id": callback_id,
        "action_ts": ws.moment(),
        "message_ts": message.ts,
        "trigger_id": ws.tickets.give_trigger(user),
        "channel": {"id": message.channel, "name": name},
        "message": message_json(ws, message),
        "response_url": response_url,
    }


def view_click(ws: Workspace, view: View, action: Json, values: Json) -> Json:
    """block_actions, for an element of a modal or a Home tab: no channel, no message, no response_url."""
    return {
        **_by(ws, view.owner, "block_actions"),
        "container": {"type": "view", "view_id": view.id},
        "trigger_id": ws.tickets.give_trigger(view.owner),
        "view": view_json(ws, view, values | _state(action)),
        "actions": [action],
    }


def view_submission(ws: Workspace, view: View, values: Json) -> Json:
    """view_submission."""
    return {
        **_by(ws, view.owner, "view_submission"),
        "trigger_id": ws.tickets.give_trigger(view.owner),
        "view": view_json(ws, view, values),
        "response_urls": [],
    }


def view_closed(ws: Workspace, view: View, *, is_cleared: bool) -> Json:
    """view_closed."""
    return {**_by(ws, view.owner, "view_closed"), "view": view_json(ws, view), "is_cleared": is_cleared}


def slash_command(
    ws: Workspace, user: str, *, channel: str, command: str, text: str, response_url: str
) -> dict[str, str]:
    """The form fields of a slash command."""
    organisation = ws.seed.organisation
    theirs = {"enterprise_id": organisation.id, "enterprise_name": organisation.name} if organisation else {}
    return {
        **theirs,
        "token": OLD_TOKEN,
        "team_id": ws.people[user].team_id,
        "team_domain": ws.seed.team_domain,
        "channel_id": channel,
        "channel_name": "directmessage" if channel in ws.direct else ws.channels[channel].name,
        "user_id": user,
        "user_name": ws.people[user].name,
        "command": command,
        "text": text,
        "api_app_id": ws.seed.app.id,
        "is_enterprise_install": str(ws.seed.for_all_workspaces).lower(),
        "response_url": response_url,
        "trigger_id": ws.tickets.give_trigger(user),
    }


def home_opened(ws: Workspace, user: str) -> Json:
    """The app_home_opened event; with the view that is there, if any."""
    home = ws.homes.get(user)
    event: Json = {
        "type": "app_home_opened",
        "user": user,
        "channel": ws.open_direct(user),
        "tab": "home",
        "event_ts": ws.moment(),
    }
    if home is not None:
        event["view"] = view_json(ws, home)
    return _event(ws, event, team=ws.people[user].team_id)


def app_refused(ws: Workspace) -> Iterator[Json]:
    """The events of how Slack takes the app's token now: none while it takes it; one that merely expired is nobody's doing."""
    if ws.app.refused in {"token_revoked", "account_inactive"}:
        revoked = {"type": "tokens_revoked", "tokens": {"oauth": [], "bot": [ws.seed.app.bot_user]}}
        yield _event(ws, revoked, team=ws.seed.team_id)
    if ws.app.refused == "account_inactive":
        yield _event(ws, {"type": "app_uninstalled"}, team=ws.seed.team_id)


def _event(ws: Workspace, event: Json, team: str) -> Json:
    """What happened, in what Events API wraps it in; `team` is where."""
    organisation, everywhere = ws.seed.organisation, ws.seed.for_all_workspaces
    authorization = {
        "enterprise_id": organisation.id if organisation else None,
        "team_id": None if everywhere else ws.seed.team_id,
        "user_id": ws.seed.app.bot_user,
        "is_bot": True,
        "is_enterprise_install": everywhere,
    }
    return {
        "token": OLD_TOKEN,
        "team_id": team,
        **({"enterprise_id": organisation.id} if organisation else {}),
        "api_app_id": ws.seed.app.id,
        "event": event,
        "type": "event_callback",
        "event_id": f"Ev{uuid4().hex[:10].upper()}",
        "event_time": int(ws.clock()),
        "authorizations": [authorization],
        "is_ext_shared_channel": False,
    }


def action_of(ws: Workspace, blocks: list[Json], press: Press) -> Json | None:
    """The `actions` entry for the element that was pressed, if it is in these blocks."""
    for block in blocks:
        for element in elements_of(block):
            if block.get("block_id") == press.block_id and element.get("action_id") == press.action_id:
                return {
                    "action_id": press.action_id,
                    "block_id": press.block_id,
                    "type": element["type"],
                    "action_ts": ws.moment(),
                    **_value(element, press.chosen),
                }
    return None


def elements_of(block: Json) -> Iterator[Json]:
    """The interactive elements of a block, those of the blocks inside it too."""
    for inner in block.get("child_blocks", ()):
        yield from elements_of(inner)
    yield from (part for part in (block.get("accessory"), block.get("element")) if part)
    yield from (part for part in (*block.get("elements", ()), *block.get("actions", ())) if "action_id" in part)


def _value(element: Json, chosen: Any) -> Json:
    if element["type"] in {"button", "icon_button"}:
        return {name: encoded_blocks(element[name]) for name in ("text", "value", "style") if name in element}
    if "options" in element or "option_groups" in element:
        groups = [element.get("options", ()), *(group["options"] for group in element.get("option_groups", ()))]
        value = chosen.get("value") if isinstance(chosen, dict) else chosen
        option = next((option for options in groups for option in options if option["value"] == value), None)
        return {"selected_option": encoded_blocks(option)}
    return {"value": chosen}


def _state(action: Json) -> Json:
    """What a message or view holds of its stateful elements: here, the one that was used."""
    kept = {name: action[name] for name in ("type", "selected_option", "value") if name in action}
    return {} if action["type"] in {"button", "overflow"} else {action["block_id"]: {action["action_id"]: kept}}


def _by(ws: Workspace, user: str, kind: str) -> Json:
    person, organisation = ws.people[user], ws.seed.organisation
    by = {"id": user, "username": person.name, "name": person.name, "team_id": person.team_id}
    team = {"id": ws.seed.team_id, "domain": ws.seed.team_domain}
    if organisation is not None:
        team |= {"enterprise_id": organisation.id, "enterprise_name": organisation.name}
        if organisation.has_our_app and person.team_id in organisation.teams:
            by["team_id"] = organisation.id
    return {
        "type": kind,
        "user": by,
        "api_app_id": ws.seed.app.id,
        "token": OLD_TOKEN,
        "team": None if ws.seed.for_all_workspaces else team,
        "enterprise": {"id": organisation.id, "name": organisation.name} if organisation else None,
        "is_enterprise_install": ws.seed.for_all_workspaces,
    }
