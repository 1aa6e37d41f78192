"""Where in Slack somebody acted, read from the payload: it decides where they are answered, and what must be shown anew."""

from dataclasses import dataclass
from typing import Any, Final, Literal

from bot.cards import ids

Json = dict[str, Any]


_FORMS: Final = (
    ids.CALLBACK_ANSWER, ids.CALLBACK_ASK, ids.CALLBACK_REPLY, ids.CALLBACK_DENY, ids.CALLBACK_CONFIRM, ids.CALLBACK_HAPPENED,
    ids.CALLBACK_TOGETHER,
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """`surface`: a card, a list (an answer that only they see), a modal with details, a form that decides, or the Home tab.

    `channel` is where they can be told something: a channel, or their own user id if it was in none. `ts` is the message's, None if
    it was none; `view_id` the modal's, None likewise. `level` is the one that the message says its card was made for, if it says one.
    `listed` is what it says of itself if it is a digest.
    """

    surface: Literal["card", "list", "details", "form", "home"]
    channel: str
    user: str
    ts: str | None = None
    view_id: str | None = None
    kind: Literal["approver", "requester"] = "approver"
    level: int | None = None
    listed: ids.Listed | None = None

    @property
    def told_in(self) -> str | None:
        """The channel in which later answers can be given; None: there is none but the person's own."""
        return None if self.channel == self.user else self.channel


def place_of(body: Json) -> Place:
    """Where this click came from."""
    user = str(body["user"]["id"])
    if view := body.get("view"):
        if view["type"] == "home":
            return Place(surface="home", channel=user, user=user)
        carried = ids.decode_carried(kept := view.get("private_metadata")) or ids.decode_several(kept)
        return Place(
            surface="form" if view.get("callback_id") in _FORMS else "details",
            channel=(carried and carried.channel) or user,
            user=user,
            view_id=str(view["id"]),
        )
    container = body.get("container") or {}
    channel = str((body.get("channel") or {}).get("id") or container.get("channel_id") or user)
    if container.get("is_ephemeral"):
        return Place(surface="list", channel=channel, user=user)
    metadata = (body.get("message") or {}).get("metadata") or {}
    said = metadata.get("event_payload") or {} if metadata.get("event_type") == ids.EVENT_CARD else {}
    kind: Literal["approver", "requester"] = "requester" if said.get("kind") == "requester" else "approver"
    level = said.get("level")
    return Place(
        surface="card", channel=channel, user=user, ts=container.get("message_ts"), kind=kind,
        level=level if isinstance(level, int) else None, listed=ids.decode_listed(metadata),
    )  # fmt: skip
