"""What a message in Slack is to these tests: which request it shows, which buttons it has, and whose decisions it has ever told of. Pure."""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final
from uuid import UUID

from bot.cards.ids import ACTION_ANSWER, ACTION_APPROVE, ACTION_DENY, ACTION_TOGETHER, ACTION_WITHDRAW, choose

Json = dict[str, Any]

BUTTONS: Final = (ACTION_APPROVE, ACTION_DENY, ACTION_WITHDRAW, ACTION_TOGETHER, ACTION_ANSWER, *map(choose, range(5)))
"""Those that decide something."""
_SAID: Final = re.compile(r"(Approved|Denied) by [^()\"]{1,60} \((\w+)\)")
_EVENT: Final = {"Approved": "approve", "Denied": "deny"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """A card. `buttons` are those of now, `told` the decisions it has told of since it was posted: (event, person)."""

    channel: str
    ts: str
    pause_id: UUID
    level: int
    buttons: frozenset[str]
    told: frozenset[tuple[str, str]]

    def after(self, before: "Seen") -> "Seen":
        """The same card, which said something else before."""
        return replace(self, told=self.told | before.told)

    def to_document(self) -> Json:
        """As JSON; `from_document` reads it."""
        return {
            "channel": self.channel, "ts": self.ts, "pause_id": str(self.pause_id), "level": self.level, "buttons": sorted(self.buttons),
            "told": sorted(self.told),
        }  # fmt: skip

    @classmethod
    def from_document(cls, document: Json) -> "Seen":
        """Read it."""
        return cls(
            channel=document["channel"], ts=document["ts"], pause_id=UUID(document["pause_id"]), level=document["level"], buttons=frozenset(document["buttons"]),
            told=frozenset((event, person) for event, person in document["told"]),
        )  # fmt: skip


def read(channel: str, ts: str, body: Mapping[str, Any]) -> Seen | None:
    """What a message of this body says now; None: it is no card."""
    payload = (body.get("metadata") or {}).get("event_payload") or {}
    if "pause_id" not in payload:
        return None
    words = json.dumps([body.get("text"), body.get("blocks")], ensure_ascii=False)
    return Seen(
        channel=channel, ts=ts, pause_id=UUID(payload["pause_id"]), level=payload.get("level", 0), buttons=frozenset(_buttons(body)),
        told=frozenset((_EVENT[verb], person) for verb, person in _SAID.findall(words)),
    )  # fmt: skip


def read_whole(message: Json) -> Seen | None:
    """A message as the local workspace gives it, with all that it ever said; None: it is no card, or was deleted."""
    now = None if message["deleted"] else read(message["channel"], message["ts"], message)
    if now is not None:
        for past in message["past"]:
            before = read(now.channel, now.ts, {"metadata": message["metadata"], **past})
            now = now.after(before) if before else now
    return now


def _buttons(body: Mapping[str, Any]) -> Iterator[str]:
    for block in body.get("blocks") or []:
        for element in [*block.get("elements", []), block.get("accessory") or {}]:
            if element.get("action_id") in BUTTONS:
                yield element["action_id"]
