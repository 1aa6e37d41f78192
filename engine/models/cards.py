"""What people see in Slack, as rows: cards to paint and notices to say."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal
from uuid import UUID


@dataclass(frozen=True, slots=True, kw_only=True)
class Card:
    """A card to paint, claimed by one painter. `channel` and `ts` None: it was never posted, as far as we know.

    It is about a pause, or, if it is of kind "doubt", about an effect: the other id is None. `tries` counts how often it was claimed since it
    was last painted, this time included. `not_before` is the hour that it waited for; None: none. `error` is what came of the
    last try; None: nothing is known of it, or there was none.
    """

    id: UUID
    pause_id: UUID | None
    effect_id: UUID | None
    kind: Literal["approver", "requester", "doubt"]
    dest: str
    level: int
    wanted: int
    tries: int
    channel: str | None
    ts: str | None
    not_before: datetime | None = None
    error: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Digest:
    """A digest to paint in, claimed by one painter: what is shown together at one place from one hour on. The claim ends at `painter_until`."""

    dest: str
    digest_at: datetime
    painter_until: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Notice:
    """Something to say once, claimed by one sender. dest: "channel:C..", "person:marta" or "private:C..:U..".

    `state` is "lapsed" when it came too late to be of use.
    """

    id: UUID
    run_id: UUID
    pause_id: UUID | None
    kind: str
    dest: str
    detail: dict[str, Any] | None
    tries: int
    state: Literal["due", "sent", "lapsed", "failed"]
    error: str | None = None
