"""The `views.*` methods of the local workspace and `blocks.validate`, with Slack's own answers and errors.

Each takes the workspace and the arguments of the call, and returns what stands beside `ok: true`, or raises `ApiError`.
"""

from typing import Any
from uuid import uuid4

from bot.cards.limits import check_blocks, check_view
from bot.sandbox.arguments import ApiError, Args
from bot.sandbox.methods_chat import refuse, with_block_ids
from bot.sandbox.shown import View
from bot.sandbox.slack_shapes import view_json
from bot.sandbox.workspace import Workspace

Json = dict[str, Any]

DEEPEST = 3  # modals on top of each other


def views_open(ws: Workspace, args: Args) -> Json:
    """views.open: the person's modals give way to this one."""
    body = _modal(ws, args)
    user = ws.tickets.use_trigger(args.needed("trigger_id", "invalid_trigger_id"))
    for view in reversed(ws.stack(user)):
        ws.close(view)
    return {"view": view_json(ws, put_on_top(ws, user, body))}


def views_push(ws: Workspace, args: Args) -> Json:
    """views.push: on top of what is open, three deep at most."""
    body = _modal(ws, args)
    user = ws.tickets.use_trigger(args.needed("trigger_id", "invalid_trigger_id"))
    depth = len(ws.stack(user))
    if depth == 0 or depth >= DEEPEST:
        raise ApiError("push_limit_reached" if depth else "not_found")
    return {"view": view_json(ws, put_on_top(ws, user, body))}


def views_update(ws: Workspace, args: Args) -> Json:
    """views.update: by view_id or external_id; `hash` refuses to overwrite what came since."""
    by_name = (view for view in ws.modals.values() if view.body.get("external_id") == args.text("external_id"))
    view = ws.modals.get(args.text("view_id")) or (next(by_name, None) if "external_id" in args else None)
    if view is None:
        raise ApiError("not_found")
    body = _modal(ws, args, instead_of=view)
    if "hash" in args and args.text("hash") != view.hash:
        raise ApiError("hash_conflict")
    return {"view": view_json(ws, replace_view(ws, view, body))}


def views_publish(ws: Workspace, args: Args) -> Json:
    """views.publish: a person's Home tab."""
    user = args.needed("user_id", "invalid_arguments")
    if user not in ws.people or ws.people[user].deleted:
        raise ApiError("invalid_arguments")
    body = args.parsed("view", "invalid_arguments")
    if not isinstance(body, dict) or body.get("type") != "home":
        raise ApiError("invalid_arguments")
    refuse(check_view(body))
    home = ws.homes.get(user)
    if "hash" in args and (home is None or args.text("hash") != home.hash):
        raise ApiError("hash_conflict")
    name = home.id if home else _new_id()
    view = View(id=name, owner=user, body=_named(body), hash=_new_hash(ws), root=name)
    ws.show(view)
    return {"view": view_json(ws, view)}


def blocks_validate(_ws: Workspace, args: Args) -> Json:
    """blocks.validate: one of `blocks`, `message` or `view`; needs no token."""
    if "view" in args:
        view = args.parsed("view", "invalid_blocks")
        faults = check_view(view) if isinstance(view, dict) else check_blocks(None)
    elif "message" in args:
        message = args.parsed("message", "invalid_blocks")
        faults = check_blocks(message.get("blocks") if isinstance(message, dict) else None)
    elif "blocks" in args:
        faults = check_blocks(args.parsed("blocks", "invalid_blocks"))
    else:
        raise ApiError("invalid_arguments")
    if faults:
        raise ApiError("invalid_blocks", errors=[{"message": f.detail, "pointer": f.pointer} for f in faults])
    return {}


def put_on_top(ws: Workspace, user: str, body: Json) -> View:
    """Show a modal above those this person has open."""
    below = ws.stack(user)
    name = _new_id()
    view = View(
        id=name,
        owner=user,
        body=_named(body),
        hash=_new_hash(ws),
        root=below[0].root if below else name,
        previous=below[-1].id if below else None,
    )
    ws.show(view)
    return view


def replace_view(ws: Workspace, view: View, body: Json) -> View:
    """Show another content in an open modal."""
    new = View(
        id=view.id,
        owner=view.owner,
        body=_named(body),
        hash=_new_hash(ws),
        root=view.root,
        previous=view.previous,
    )
    ws.show(new)
    return new


def _modal(ws: Workspace, args: Args, instead_of: View | None = None) -> Json:
    """The modal of a call, checked; a name of its own must be free in the whole team."""
    body = args.parsed("view", "invalid_arguments")
    if not isinstance(body, dict) or body.get("type") != "modal":
        raise ApiError("invalid_arguments", response_metadata={"messages": ["[ERROR] missing or bad `view`"]})
    refuse(check_view(body))
    name = body.get("external_id")
    if name and any(view.body.get("external_id") == name for view in ws.modals.values() if view is not instead_of):
        raise ApiError("duplicate_external_id")
    return body


def _named(body: Json) -> Json:
    return {**body, "blocks": with_block_ids(body["blocks"])}


def _new_id() -> str:
    return f"V{uuid4().hex[:10].upper()}"


def _new_hash(ws: Workspace) -> str:
    return f"{int(ws.clock())}.{uuid4().hex[:8]}"
