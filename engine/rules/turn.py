"""What one model reply means, and what a turn's decisions mean for its calls. Pure: stored messages in, what to do out.

`placet replay` calls `read_reply` on old replies: what it decided then it must decide today. The one rule: a reply that was cut off or
refused never runs or asks anything.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final, Protocol

from engine.rules.digest import visible


@dataclass(frozen=True, slots=True)
class Finish:
    """The agent's last word; `text` may be empty."""

    text: str


@dataclass(frozen=True, slots=True)
class RunTools:
    """The reply asks for these tool calls, as sent: {"id", "name", "input"}."""

    calls: tuple[dict[str, Any], ...]


@dataclass(frozen=True, slots=True)
class Continue:
    """The model only paused (pause_turn): send it its own words back and let it go on."""


@dataclass(frozen=True, slots=True)
class Stop:
    """The run cannot go on; `why` says what happened and what to do."""

    why: str


def read_reply(stop_reason: str | None, content: Sequence[Mapping[str, Any]]) -> Finish | RunTools | Continue | Stop:
    """What a reply of the Messages API means."""
    match stop_reason:
        case "max_tokens" | "model_context_window_exceeded":
            return Stop(
                "The model's reply was cut off before it was complete, so nothing of it was done. "
                "Give the agent more reply tokens or a shorter task, and launch it again."
            )
        case "refusal":
            return Stop(
                "The model refused to go on, and is not asked again. Look at the run's messages, and launch it with another task."
            )
    calls = tuple(
        {"id": block["id"], "name": block["name"], "input": block.get("input") or {}}
        for block in content
        if block.get("type") == "tool_use"
    )
    if calls:  # they must be answered before anything else can be said, even where the model only paused
        return RunTools(calls)
    if stop_reason == "pause_turn":
        return Continue()
    text = "\n\n".join(
        str(block["text"]).strip() for block in content if block.get("type") == "text" and not _blank(block.get("text"))
    )
    return Finish(text)


def storable(value: Any) -> Any:
    """The same JSON value, with what PostgreSQL cannot hold made visible: NUL, half a surrogate, a number that is none (1e999).

    Such a number becomes an object, so that no tool that asks for a number or a text takes it for one.
    """
    match value:
        case str():
            return visible(value)
        case float() if not math.isfinite(value):
            return {"not a number": str(value)}
        case list():
            return [storable(item) for item in value]
        case dict():
            return {visible(key): storable(item) for key, item in value.items()}
        case _:
            return value


def sendable(messages: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The stored messages as the vendor accepts them: empty texts and empty messages left out, the rest unchanged.

    Old rows are healed here, when a request is built; what is stored stays as it was received.
    """
    healed = []
    for message in messages:
        content = message["content"]
        content = content if isinstance(content, str) else _said(content)
        if content and not _blank(content):
            healed.append({"role": message["role"], "content": content})
    if healed and healed[-1]["role"] == "assistant":  # after pause_turn; the vendor refuses blanks at the very end
        healed[-1]["content"] = _without_trailing_blanks(healed[-1]["content"])
    return healed


def _said(blocks: Iterable[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """The blocks that say something, those inside a tool's result too."""
    kept: list[Mapping[str, Any]] = []
    for block in blocks:
        if block.get("type") == "text" and _blank(block.get("text")):
            continue
        if block.get("type") == "tool_result" and isinstance(block.get("content"), list):
            kept.append({**block, "content": _said(block["content"])})
        else:
            kept.append(block)
    return kept


def _without_trailing_blanks(content: Any) -> Any:
    if isinstance(content, str):
        return content.rstrip()
    *before, last = content
    return [*before, {**last, "text": last["text"].rstrip()}] if last.get("type") == "text" else content


def _blank(text: Any) -> bool:
    return text is None or (isinstance(text, str) and not text.strip())


class Settled(Protocol):
    """A call with its result."""

    @property
    def tool_use_id(self) -> str:
        """As the model named the call."""

    @property
    def result(self) -> Mapping[str, Any] | None:
        """{"text", "is_error"}."""


def results_message(calls: Sequence[Settled]) -> dict[str, Any]:
    """The one user message that answers a turn: exactly one tool_result per call, in order."""
    blocks = []
    for call in calls:
        assert call.result is not None, "every call of a turn has a result before the model is called again"
        block = {"type": "tool_result", "tool_use_id": call.tool_use_id, "content": call.result["text"]}
        blocks.append(block | ({"is_error": True} if call.result["is_error"] else {}))
    return {"role": "user", "content": blocks}


UNSEEN: Final = "nobody who was asked could be shown it"
"""Why a request went on, or expired, before its time: the reason on record."""


def refusal(
    status: str, *, by: str | None, reason: str | None, fire_at: datetime, approvals: tuple[int, int] = (0, 1)
) -> str:
    """What the model is told of a call that people did not let through; exact, so that a timeout is never a person's no.

    `approvals` are how many said yes, and of how many.
    """
    said = f" They said: {reason}" if reason else ""
    match status:
        case "denied":
            return (
                f"Denied by {by or 'a person'}; nothing was done.{said} Do not ask for this again or try to reach the same end another way; "
                "say in your answer what was refused."
            )
        case "expired" if reason == UNSEEN:
            return f"{UNSEEN[0].upper()}{UNSEEN[1:]}, so the answer decided in advance holds: it is not done. No person refused it."
        case "expired":
            if approvals[0]:
                silence = f"{approvals[0]} of {approvals[1]} approved, and nobody else answered"
            else:
                silence = "Nobody answered"
            return f"{silence} by {fire_at.astimezone(UTC):%d %b %H:%M} UTC, so the answer decided in advance holds: it is not done. No person refused it."
        case "cancelled":
            return f"Withdrawn; nothing was done. {reason or 'The requester took it back.'}"
        case _:
            return f"Not done: the request is {status}. {reason or ''}".strip()


NOT_RUN = "Not run, because another call of the same turn was not let through. Nothing was done."
