"""Slack's Web API of the local workspace: who may call, which methods there are, and the log of all calls.

`/slack/api/<method>`, a bearer token, HTTP 200 with `ok: false` for every refusal. A method that is not listed here is
`unknown_method`.
"""

from collections import deque
from collections.abc import Callable
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from bot.sandbox import methods_chat as chat
from bot.sandbox import methods_people as people
from bot.sandbox import methods_places as places
from bot.sandbox import methods_views as views
from bot.sandbox.arguments import ApiError, Args, read_args
from bot.sandbox.slack_faults import SlackFault, SlackFaults, broken
from bot.sandbox.sockets import Sockets
from bot.sandbox.workspace import Workspace

Json = dict[str, Any]
Method = Callable[[Workspace, Args], Json]

METHODS: dict[str, tuple[Method, str]] = {  # what answers, and the scope it takes; empty: any token
    "auth.test": (people.auth_test, ""),
    "chat.postMessage": (chat.post_message, "chat:write"),
    "chat.update": (chat.update, "chat:write"),
    "chat.delete": (chat.delete, "chat:write"),
    "chat.postEphemeral": (chat.post_ephemeral, "chat:write"),
    "chat.getPermalink": (chat.get_permalink, ""),
    "conversations.open": (places.conversations_open, "im:write"),
    "conversations.info": (places.conversations_info, "channels:read"),
    "conversations.list": (places.conversations_list, "channels:read"),
    "conversations.members": (places.conversations_members, "channels:read"),
    "conversations.history": (places.conversations_history, "channels:history"),
    "conversations.replies": (places.conversations_replies, "channels:history"),
    "users.info": (people.users_info, "users:read"),
    "users.list": (people.users_list, "users:read"),
    "users.lookupByEmail": (people.users_lookup_by_email, "users:read.email"),
    "users.profile.get": (people.users_profile_get, "users.profile:read"),
    "team.profile.get": (people.team_profile_get, "users.profile:read"),
    "usergroups.list": (people.usergroups_list, "usergroups:read"),
    "usergroups.users.list": (people.usergroups_users_list, "usergroups:read"),
    "views.open": (views.views_open, ""),
    "views.push": (views.views_push, ""),
    "views.update": (views.views_update, ""),
    "views.publish": (views.views_publish, ""),
    "blocks.validate": (views.blocks_validate, ""),
}
OPEN_A_SOCKET = "apps.connections.open"
OF_ONE_WORKSPACE = {"users.list", "conversations.list", "usergroups.list", "usergroups.users.list", "team.profile.get"}
"""What an organisation's token must be told the workspace of. Source: api.slack.com/enterprise/apps/changes-apis."""
OPEN_METHODS = {"blocks.validate"}
ALL_SCOPES = frozenset({scope for _, scope in METHODS.values() if scope} | {"commands", "im:history", "groups:history"})
KEPT_CALLS = 10_000


class SlackApi:
    """The API as one installed app sees it, with its token and the scopes it was granted.

    With the token of the app itself, which is that of `sockets`, one opens those, and does nothing else.
    """

    def __init__(
        self, ws: Workspace, faults: SlackFaults, token: str, scopes: frozenset[str], sockets: Sockets | None = None
    ) -> None:
        self.ws = ws
        self.faults = faults
        self.calls: deque[Json] = deque(maxlen=KEPT_CALLS)
        self._token = token
        self._scopes = scopes
        self._sockets = sockets or Sockets()

    def routes(self) -> list[Route]:
        """Where the API is found."""
        return [Route("/slack/api/{method}", self._answer, methods=["GET", "POST"])]

    async def _answer(self, request: Request) -> Response:
        method = request.path_params["method"]
        fault = self.faults.over(method) or self.faults.take(method, "*")
        args, answer = Args({}), None
        try:
            args = await read_args(request)
            if fault is None or fault.stored:
                answer = {"ok": True, **self._carried_out(method, request, args)}
        except ApiError as refusal:
            answer = {"ok": False, "error": refusal.error, **refusal.more}
        self._note(method, args, answer, fault)
        response = await broken(fault, answer) if fault else JSONResponse(answer)
        response.headers["x-oauth-scopes"] = ",".join(sorted(self._granted))
        return response

    def _note(self, method: str, args: Args, answer: Json | None, fault: SlackFault | None) -> None:
        """Log a call: what was asked, what came of it here, and what went wrong on the way back."""
        self.calls.append(
            {
                "method": method,
                "at": self.ws.clock(),
                "args": {name: value for name, value in args.values.items() if name != "token"},
                "carried_out": bool(answer and answer["ok"]),
                "ok": bool(answer and answer["ok"]) and (fault is None or fault.kind == "slow"),
                "error": answer and answer.get("error"),
                "fault": fault and fault.kind,
                "early": bool(fault and fault.early),
            }
        )

    def _carried_out(self, method: str, request: Request, args: Args) -> Json:
        """What the method answers, if it exists and this caller may use it."""
        token = request.headers.get("authorization", "").removeprefix("Bearer ").strip() or args.text("token")
        if method == OPEN_A_SOCKET:
            self._is_token(token, self._sockets.token, of_the_other_kind=self._token)
            return {"url": self._sockets.ticket(request)}
        if method not in METHODS:
            raise ApiError("unknown_method", req_method=method)
        carry_out, scope = METHODS[method]
        scope = _scope_there(self.ws, scope, args.values.get("channel"))
        if method not in OPEN_METHODS:
            self._is_ours(token)
            if scope and scope not in self._granted:
                raise ApiError("missing_scope", needed=scope, provided=",".join(sorted(self._granted)))
            if method in OF_ONE_WORKSPACE and self.ws.seed.for_all_workspaces:
                _names_a_workspace(self.ws, args)
        return carry_out(self.ws, args)

    @property
    def _granted(self) -> frozenset[str]:
        return self._scopes - self.ws.app.lost_scopes

    def _is_ours(self, token: str) -> None:
        """Raise what Slack says of a token that is not the app's present one, or no good any more."""
        app = self.ws.app
        if app.token not in {None, self._token} and token == self._token:
            raise ApiError("token_revoked")
        self._is_token(token, app.token or self._token, of_the_other_kind=self._sockets.token)
        if app.refused:
            raise ApiError(app.refused)

    def _is_token(self, token: str, wanted: str | None, *, of_the_other_kind: str | None) -> None:
        if not token:
            raise ApiError("not_authed")
        if token != wanted:
            raise ApiError("not_allowed_token_type" if token == of_the_other_kind else "invalid_auth")


def _scope_there(ws: Workspace, scope: str, channel: object) -> str:
    """The scope that reading takes in this channel: a direct conversation and a private channel have their own."""
    if scope == "channels:history" and channel in ws.direct:
        return "im:history"
    private = channel in ws.channels and ws.channels[str(channel)].is_private
    return "groups:history" if scope == "channels:history" and private else scope


def _names_a_workspace(ws: Workspace, args: Args) -> None:
    if args.needed("team_id", "missing_argument") not in ws.seed.ours:
        raise ApiError("team_access_not_granted")
