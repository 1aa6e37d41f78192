"""What people see in a local workspace: messages, and the views of modals and Home tabs. Values; bot.sandbox.workspace moves them."""

from dataclasses import dataclass, field
from typing import Any

Json = dict[str, Any]


@dataclass(slots=True, kw_only=True)
class Message:
    """A message in a channel; `body` is what its author sent: text, blocks, metadata, thread_ts."""

    channel: str
    ts: str
    user: str
    body: Json
    only_for: str | None = None
    """The one person who sees it; None: everyone in the channel."""
    edited_at: str | None = None
    """Set only where Slack shows "(edited)"."""
    deleted: bool = False
    past: list[Json] = field(default_factory=list)
    """Its former bodies, oldest first."""

    @property
    def thread_ts(self) -> str | None:
        """The message it replies to; None: it stands in the channel itself."""
        thread = self.body.get("thread_ts")
        return thread if thread != self.ts else None


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """An open modal, or a person's Home tab, as the app gave it."""

    id: str
    owner: str
    body: Json
    hash: str
    root: str
    previous: str | None = None
    errors: dict[str, str] | None = None
    """What the app said of the last attempt to submit it, by block; None: nothing."""
