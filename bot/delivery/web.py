"""The only caller of Slack's Web API: every answer, and every missing one, sorted into a value.

Nothing is tried again here, and nothing is raised for what Slack does: a caller is told what surely happened, what surely did not,
and what nobody can tell. The SDK's own retries are off, because they repeat a post whose answer was lost. A payload that Slack
would refuse is not sent. A method that was rate limited is left alone until its time has passed; the others go on.
"""

import http.client
import logging
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from slack_sdk import WebClient
from slack_sdk.errors import SlackApiError

from bot.cards import limits
from bot.cards.parts import Message
from bot.delivery.answers import Answered, Failure, Refused, Sent, Unclear, sort
from bot.delivery.token import Standing

Json = dict[str, Any]
log = logging.getLogger(__name__)

PATIENCE_S: Final = 10
"""For what nobody waits for: posts and edits."""
MODAL_S: Final = 1.2
"""For opening a modal: its trigger lives three seconds, and the click must be answered within them."""
CHECK_S: Final = 0.8
"""For asking who a clicker is, before the decision."""
PAGE: Final = 200
"""Users in one answer, as Slack recommends. Source: docs.slack.dev/apis/web-api/pagination."""
DIRECT_S: Final = 60.0
"""How long a direct conversation that was opened is known: many cards for one person in a moment open it once."""
LOOKED_AT: Final = 100
"""How many of the newest messages are looked at for one whose post was not confirmed."""


@dataclass(slots=True)
class _Limits:
    """Until when each method is limited, in seconds of the monotonic clock."""

    until: dict[str, float] = field(default_factory=dict)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def left(self, method: str) -> float:
        with self.lock:
            return self.until.get(method, 0) - time.monotonic()

    def hit(self, method: str, seconds: float) -> None:
        with self.lock:
            self.until[method] = max(self.until.get(method, 0), time.monotonic() + seconds)


class Slack:
    """One workspace (or organisation) as our bot reaches it. Safe to use from several threads."""

    def __init__(self, token: str, base_url: str = WebClient.BASE_URL) -> None:
        def client(timeout: float) -> WebClient:
            made = WebClient(token=token, base_url=base_url, retry_handlers=[], logger=_quiet())
            made.timeout = timeout  # type: ignore[assignment]  # the SDK says int; sockets take fractions
            return made

        self._patient, self._modal, self._check = client(PATIENCE_S), client(MODAL_S), client(CHECK_S)
        self._limits = _Limits()
        self._direct: dict[str, tuple[float, str]] = {}
        self.standing = Standing(self.auth_test)

    def is_free(self, method: str) -> bool:
        """Whether a method may be called, as far as Slack has told this process."""
        return self._limits.left(method) <= 0

    def post(self, channel: str, message: Message, *, below: str | None = None) -> Sent | Failure:
        """Post a message, `below` another (its ts) in its thread; links are never unfurled, since nobody asked to see them beside an approval."""
        payload = message.payload()
        if unfit := _unfit(limits.check_message(payload)):
            return unfit
        plain = {"unfurl_links": False, "unfurl_media": False, **({"thread_ts": below} if below else {})}
        return _sent(self._call(self._patient, "chat.postMessage", {"channel": channel, **payload, **plain}))

    def update(self, channel: str, ts: str, message: Message) -> Sent | Failure:
        """Make a message of ours say this instead; without blocks, those it had are taken away."""
        payload = message.payload()
        if unfit := _unfit(limits.check_edit(payload)):
            return unfit
        return _sent(self._call(self._patient, "chat.update", {"channel": channel, "ts": ts, **payload}))

    def post_ephemeral(self, channel: str, user: str, message: Message) -> Sent | Failure:
        """Say something in a channel to one person of it alone. It is lost when they reload."""
        payload = message.payload()
        if unfit := _unfit(limits.check_message(payload)):
            return unfit
        answer = self._call(self._patient, "chat.postEphemeral", {"channel": channel, "user": user, **payload})
        return Sent(channel=channel, ts="") if isinstance(answer, Answered) else answer

    def delete(self, channel: str, ts: str) -> Answered | Failure:
        """Take a message of ours away."""
        return self._call(self._patient, "chat.delete", {"channel": channel, "ts": ts})

    def newest(self, channel: str, oldest: float, *, below: str | None = None) -> Answered | Failure:
        """What was said in a channel, or `below` a message in its thread, since then (seconds since 1970): `data["messages"]`.

        With the metadata of ours; of a channel the newest.
        """
        args = {"channel": channel, "oldest": f"{oldest:.6f}", "limit": LOOKED_AT, "include_all_metadata": True}
        if below is not None:
            return self._call(self._patient, "conversations.replies", {**args, "ts": below}, form=True)
        return self._call(self._patient, "conversations.history", args, form=True)

    def open_dm(self, user: str) -> str | Failure:
        """The id of the direct conversation with a person, as it was within the last minute."""
        until, direct = self._direct.get(user, (0.0, ""))
        if time.monotonic() < until:
            return direct
        answer = self._call(self._patient, "conversations.open", {"users": user})
        if not isinstance(answer, Answered):
            return answer
        direct = str(answer.data["channel"]["id"])
        self._direct[user] = time.monotonic() + DIRECT_S, direct
        return direct

    def views_open(self, trigger_id: str, view: Json, *, on_top: bool = False) -> Answered | Failure:
        """Open a modal for who clicked; `on_top` of the one they clicked in, if it was one."""
        method = "views.push" if on_top else "views.open"
        return _unfit(limits.check_view(view)) or self._call(
            self._modal, method, {"trigger_id": trigger_id, "view": view}
        )

    def views_update(self, view_id: str, view: Json) -> Answered | Failure:
        """Show something else in an open modal."""
        return _unfit(limits.check_view(view)) or self._call(
            self._patient, "views.update", {"view_id": view_id, "view": view}
        )

    def publish(self, user: str, view: Json) -> Answered | Failure:
        """Show a person's Home tab."""
        return _unfit(limits.check_view(view)) or self._call(
            self._patient, "views.publish", {"user_id": user, "view": view}
        )

    def users_info(self, user: str) -> Answered | Failure:
        """What Slack knows of a person, asked while a click waits; `data["user"]` holds the flags."""
        return self._call(self._check, "users.info", {"user": user}, form=True)

    def auth_test(self) -> Answered | Failure:
        """Whose token this is."""
        return self._call(self._patient, "auth.test", {}, form=True)

    def conversations_info(self, channel: str) -> Answered | Failure:
        """What a channel is, `data["channel"]`, and whether we are in it."""
        return self._call(self._patient, "conversations.info", {"channel": channel}, form=True)

    def connections_open(self) -> str | Failure:
        """Where a WebSocket for deliveries can be opened, once; for the token of the app itself (xapp-...)."""
        answer = self._call(self._patient, "apps.connections.open", {}, form=True)
        return str(answer.data["url"]) if isinstance(answer, Answered) else answer

    def users_list(self, team: str, cursor: str = "") -> Answered | Failure:
        """A page of the workspace's users, `data["members"]`; whence the next begins is in `data["response_metadata"]["next_cursor"]`."""
        page = {"team_id": team, "limit": PAGE, **({"cursor": cursor} if cursor else {})}
        return self._call(self._patient, "users.list", page, form=True)

    def usergroups_list(self, team: str) -> Answered | Failure:
        """The user groups in use, `data["usergroups"]`."""
        return self._call(self._patient, "usergroups.list", {"team_id": team}, form=True)

    def usergroups_users_list(self, team: str, group: str) -> Answered | Failure:
        """The ids of who is in a user group, `data["users"]`; of those who left the workspace, too."""
        return self._call(self._patient, "usergroups.users.list", {"team_id": team, "usergroup": group}, form=True)

    def team_profile_get(self, team: str) -> Answered | Failure:
        """The custom profile fields, `data["profile"]["fields"]`."""
        return self._call(self._patient, "team.profile.get", {"team_id": team}, form=True)

    def users_profile_get(self, user: str) -> Answered | Failure:
        """What a person's profile says, `data["profile"]["fields"]`; users_info and users_list leave that out."""
        return self._call(self._patient, "users.profile.get", {"user": user}, form=True)

    def _call(self, client: WebClient, method: str, args: Json, *, form: bool = False) -> Answered | Failure:
        if (left := self._limits.left(method)) > 0:
            return Refused(error="ratelimited", permanent=False, retry_after_s=left)
        try:
            given: Json = {"params": args} if form else {"json": args}
            answer = client.api_call(method, **given)
            headers = {name.lower(): value for name, value in answer.headers.items()}
            self.standing.heard(None)
            return Answered(data=dict(answer.data), headers=headers)  # type: ignore[arg-type]  # bytes only for files
        except SlackApiError as error:
            outcome = sort(error)
        except (OSError, http.client.HTTPException) as error:  # timed out, refused, reset, cut
            outcome = Unclear(error=f"{type(error).__name__}: {error}")
        if isinstance(outcome, Refused) and outcome.retry_after_s is not None:
            self._limits.hit(method, outcome.retry_after_s)
        elif isinstance(outcome, Refused):
            self.standing.heard(outcome.error)
        return outcome


def _unfit(faults: Sequence[limits.Fault]) -> Refused | None:
    """What Slack would say of a payload with these faults."""
    if not faults:
        return None
    log.error("not sent, Slack would refuse it: %s", "; ".join(map(str, faults)))
    return Refused(error=faults[0].error, permanent=True)


def _sent(answer: Answered | Failure) -> Sent | Failure:
    if not isinstance(answer, Answered):
        return answer
    return Sent(channel=str(answer.data["channel"]), ts=str(answer.data["ts"]))


def _quiet() -> logging.Logger:
    """The SDK's logger without its errors: each is a value here, and said once by whoever handles it."""
    sdk = logging.getLogger("placet.slack_sdk")
    sdk.setLevel(logging.CRITICAL)
    return sdk
