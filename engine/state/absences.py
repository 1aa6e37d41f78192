"""The verbs of absence: somebody is away, and another answers meanwhile for what is asked of them by name; or is back sooner.

One hop, never towards a request of the delegate's own, and only while who is away has not left: the statement that decides looks at all three.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from engine.errors import BadInput
from engine.state import db

Refusal = Literal["not_yours", "unknown", "overlaps", "past", "backwards", "far"]


@dataclass(frozen=True, slots=True)
class Away:
    """It is on record; from when and until when, by the database's clock."""

    starts_at: datetime
    ends_at: datetime


@dataclass(frozen=True, slots=True)
class Back:
    """Which absence is no more, as it was to be: `begun` tells whether it was under way. `next_at` is when the next begins; None: none is planned."""

    begun: bool
    delegate: str
    starts_at: datetime
    ends_at: datetime
    next_at: datetime | None


@dataclass(frozen=True, slots=True)
class Refused:
    """Nothing was changed.

    why: not_yours (neither the person nor an operator said so), unknown (one of the two is nobody active), overlaps (another absence), past
    (it would be over already), backwards (it would end before it begins), far (it would end more than 366 days from now).
    """

    why: Refusal


def leave(
    conn: db.Conn,
    person: str,
    delegate: str,
    *,
    starts_at: datetime | None,
    ends_at: datetime,
    actor: str,
    surface: str,
) -> Away | Refused:
    """Somebody is away, from now on if `starts_at` is None. Raises BadInput for a time without a zone, or for a delegate of oneself."""
    for field, at in (("from", starts_at), ("to", ends_at)):
        if at is not None and at.tzinfo is None:
            raise BadInput(field, "it has no time zone. Write one, as in 2026-08-03T09:00:00+02:00.")
    if delegate == person:
        raise BadInput("delegate", "nobody stands in for themselves. Name somebody else.")
    row = db.system_move(
        conn,
        "set_away",
        person=person,
        delegate=delegate,
        starts_at=starts_at,
        ends_at=ends_at,
        actor=actor,
        surface=surface,
    )
    return Away(row["starts_at"], row["ends_at"]) if row["outcome"] == "away" else Refused(row["outcome"])


def back(conn: db.Conn, person: str, *, actor: str, surface: str) -> Back | Literal["not_away", "not_yours"]:
    """Somebody is here again: what is under way ends now. If nothing is, what would begin next is taken back; what is beyond stands."""
    row = db.system_move(conn, "set_back", person=person, actor=actor, surface=surface)
    outcome: Literal["back", "not_going", "not_away", "not_yours"] = row["outcome"]
    if outcome in ("not_away", "not_yours"):
        return outcome
    return Back(outcome == "back", row["delegate"], row["starts_at"], row["ends_at"], row["next_at"])
