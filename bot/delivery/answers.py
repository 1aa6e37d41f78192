"""What an answer of Slack's says of whether a call was done: surely, surely not, or nobody can tell. Each is a value.

Source of the names: each method's page of errors at docs.slack.dev.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from slack_sdk.errors import SlackApiError

PERMANENT: Final = frozenset(
    {
        *("channel_not_found", "not_in_channel", "is_archived", "is_inactive", "restricted_action"),
        *("message_not_found", "cant_update_message", "edit_window_closed", "thread_not_found"),
        *("cant_delete_message", "compliance_exports_prevent_deletion"),
        *("invalid_blocks", "invalid_blocks_format", "msg_blocks_too_long", "msg_too_long", "no_text", "metadata_too_large"),
        *("invalid_metadata_format", "invalid_arguments", "too_many_attachments", "block_mismatch"),
        *("user_not_found", "user_disabled", "user_not_in_channel", "user_not_visible", "cannot_dm_bot"),
        *("expired_trigger_id", "exchanged_trigger_id", "invalid_trigger_id", "not_found", "hash_conflict"),
    }
)  # fmt: skip
"""Refusals that the same call will always meet. Others (a revoked token, a missing scope) an operator can mend meanwhile."""
OPERATORS: Final = frozenset(
    {
        *("messages_tab_disabled", "missing_scope", "no_permission", "not_allowed_token_type", "access_denied", "team_access_not_granted"),
        *("invalid_auth", "not_authed", "account_inactive", "token_revoked", "token_expired"),
    }
)  # fmt: skip
"""Refusals that an operator can mend, and that no other card or message would be spared."""
CLOSED: Final = frozenset({"channel_not_found", "not_in_channel", "is_archived", "is_inactive", "restricted_action"})
"""What says that nothing of ours can be posted or edited in a place any more; other refusals for good are about the one message."""
NOT_TAKEN: Final = frozenset({"invalid_auth", "not_authed", "token_revoked", "token_expired", "account_inactive"})
"""Of those: what Slack says of a token that it does not take."""
NOBODY_CAN_TELL: Final = frozenset({"internal_error", "fatal_error", "request_timeout", "service_unavailable"})
TOO_LONG: Final = frozenset({"invalid_blocks", "invalid_blocks_format", "msg_blocks_too_long", "msg_too_long"})
"""What an edit meets that a shorter one would not."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sent:
    """The message stands at this address, which Slack itself named; `ts` is "" for what has no lasting address."""

    channel: str
    ts: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered:
    """The call was carried out; `data` is Slack's answer, `headers` are those it came with, by names in small letters."""

    data: Mapping[str, Any]
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Refused:
    """Surely not done. `permanent`: the same call will never do better; `retry_after_s` None: Slack named no time.

    `needed`: the scope that the token lacks, where that is the error.
    """

    error: str
    permanent: bool
    retry_after_s: float | None = None
    needed: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Unclear:
    """It may have been done: the answer was lost, late, or makes no sense."""

    error: str


Failure = Refused | Unclear


def sort(error: SlackApiError) -> Failure:
    """What an answer that is not "ok" says of whether it was done."""
    response = error.response
    headers = {name.lower(): value for name, value in response.headers.items()}
    name = str(response.get("error") or "")
    if response.status_code == 429 or name in {"ratelimited", "rate_limited"}:
        after = headers.get("retry-after", "")
        return Refused(error="ratelimited", permanent=False, retry_after_s=float(after) if after.isdecimal() else 30.0)
    if response.status_code >= 500 or name in NOBODY_CAN_TELL or not re.fullmatch(r"[a-z0-9_]+", name):
        return Unclear(error=f"HTTP {response.status_code}: {name[:200]}")
    return Refused(error=name, permanent=name in PERMANENT, needed=response.get("needed"))
