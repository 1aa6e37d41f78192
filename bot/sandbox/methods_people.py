"""The methods of the local workspace about people: auth, users, profiles, user groups.

Each takes the workspace and the arguments of the call, and returns what stands beside `ok: true`, or raises `ApiError`.
"""

from typing import Any

from bot.sandbox.arguments import ApiError, Args
from bot.sandbox.seed import Person
from bot.sandbox.slack_shapes import field_json, group_json, person_json, profile_json
from bot.sandbox.workspace import Workspace

Json = dict[str, Any]


def auth_test(ws: Workspace, _args: Args) -> Json:
    """auth.test."""
    app, organisation = ws.seed.app, ws.seed.organisation
    written = {
        "url": f"https://{ws.seed.team_domain}.slack.com/",
        "team": ws.seed.team_name,
        "team_id": ws.seed.team_id,
        "user": ws.people[app.bot_user].name,
        "user_id": app.bot_user,
        "bot_id": app.bot_id,
        "is_enterprise_install": ws.seed.for_all_workspaces,
    }
    if organisation is not None:
        written["enterprise_id"] = organisation.id
    if organisation is not None and organisation.has_our_app:
        written |= {"team": organisation.name, "team_id": organisation.id}
    return written


def users_info(ws: Workspace, args: Args) -> Json:
    """users.info: everyone the workspace has heard of, those who left too."""
    return {"user": person_json(ws, _person(ws, args))}


def users_list(ws: Workspace, args: Args) -> Json:
    """users.list: the workspace's own, those who left too; no outsiders."""
    team = args.text("team_id") if ws.seed.for_all_workspaces else ws.seed.team_id
    own = [person for person in ws.people.values() if person.team_id == team]
    page, more = args.page(own, default=len(own))
    return {"members": [person_json(ws, person) for person in page], "response_metadata": more}


def users_lookup_by_email(ws: Workspace, args: Args) -> Json:
    """users.lookupByEmail: nobody who left."""
    email = args.needed("email", "users_not_found").casefold()
    for person in ws.people.values():
        if person.email and person.email.casefold() == email and not person.deleted:
            return {"user": person_json(ws, person)}
    raise ApiError("users_not_found")


def users_profile_get(ws: Workspace, args: Args) -> Json:
    """users.profile.get: with the custom fields, the manager's among them."""
    return {"profile": profile_json(ws, _person(ws, args))}


def team_profile_get(ws: Workspace, _args: Args) -> Json:
    """team.profile.get: the custom fields there are."""
    return {"profile": {"fields": [field_json(ws.manager_field)], "sections": []}}


def usergroups_list(ws: Workspace, args: Args) -> Json:
    """usergroups.list: those in use, unless the others are asked for, too."""
    found = [group for group in ws.groups.values() if args.flag("include_disabled") or not group.is_disabled]
    members = args.flag("include_users")
    return {"usergroups": [group_json(ws, one) | ({"users": list(one.members)} if members else {}) for one in found]}


def usergroups_users_list(ws: Workspace, args: Args) -> Json:
    """usergroups.users.list: ids only, those who left too."""
    group = ws.groups.get(args.needed("usergroup", "no_such_subteam"))
    if group is None or (group.is_disabled and not args.flag("include_disabled")):
        raise ApiError("no_such_subteam")
    return {"users": list(group.members)}


def _person(ws: Workspace, args: Args) -> Person:
    person = ws.people.get(args.needed("user", "user_not_found"))
    if person is None:
        raise ApiError("user_not_found")
    return person
