"""The verbs of cards and notices: what must be painted or said, claimed by one painter at a time. Nothing here talks to Slack."""

import json
from dataclasses import dataclass
from operator import itemgetter
from typing import Any, Final, Literal
from uuid import UUID

from engine.models import Card, Digest, NewCard, Notice
from engine.state import db

NOT_SHOWN: Final = "nobody is asked here, and it was not shown before"
"""Why a card is gone that nobody saw and nobody has to."""


def to_make(card: NewCard) -> dict[str, str | None]:
    """A card as the moves that make it take it."""
    not_before = card.not_before.isoformat() if card.not_before else None
    digest_at = card.digest_at.isoformat() if card.digest_at else None
    return {
        "id": str(db.new_id()),
        "kind": card.kind,
        "dest": card.dest,
        "not_before": not_before,
        "digest_at": digest_at,
    }


def any_due(conn: db.Conn) -> bool:
    """Whether there is anything to paint or to say: one look, for those who are idle."""
    return db.one(conn, "delivery_due", dict) is not None


def claim(
    conn: db.Conn, *, limit: int, lease_s: float, posts: bool = True, edits: bool = True, directs: bool = True
) -> list[Card]:
    """Cards that do not show their pause as it is, those of a digest apart.

    Of those still to be posted (to a channel, or directly), or edited, only where that is possible now.
    """
    return db.many(conn, "claim_cards", Card, limit=limit, lease_s=lease_s, posts=posts, edits=edits, directs=directs)


def claim_digest(
    conn: db.Conn, *, lease_s: float, posts: bool = True, edits: bool = True, directs: bool = True
) -> Digest | None:
    """A digest with a card in it that does not show its pause as it is, likewise; None: there is none, or another painter was quicker."""
    return db.one(conn, "claim_digest", Digest, lease_s=lease_s, posts=posts, edits=edits, directs=directs)


def claim_in_digest(conn: db.Conn, digest: Digest, *, most: int) -> tuple[list[Card], bool]:
    """The cards of one message of it that is to be painted, up to `most`, in the order in which they were made; none: it is up to date.

    And whether another message of it stands before that one.
    """
    claim = {"dest": digest.dest, "digest_at": digest.digest_at, "painter_until": digest.painter_until}
    rows = sorted(db.many(conn, "claim_cards_of_digest", dict, most=most, **claim), key=itemgetter("id"))
    more = [row.pop("more") for row in rows]
    return [Card(**row) for row in rows], any(more)


def let_go(conn: db.Conn, digest: Digest) -> None:
    """Nothing more of it is painted under this claim."""
    db.execute(conn, "digest_let_go", dest=digest.dest, digest_at=digest.digest_at, painter_until=digest.painter_until)


def painted(conn: db.Conn, *shown: Card, channel: str, ts: str) -> None:
    """The message shows what was wanted of each of these cards when it was claimed."""
    ids, wanted = [card.id for card in shown], [card.wanted for card in shown]
    db.execute(conn, "cards_painted", card_ids=ids, painted=wanted, channel=channel, ts=ts)


def postponed(conn: db.Conn, card: Card, *, after_s: float, error: str, limited: bool = False) -> None:
    """Slack did not take it; again after a while, or at once if the card must show something else by now.

    `limited`: Slack said when it takes more. Then the card waits for that, whatever it must show, and keeps its place before others.
    """
    db.execute(
        conn, "card_postponed", card_id=card.id, wanted=card.wanted, after_s=after_s, error=error, limited=limited
    )  # fmt: skip


def gone(conn: db.Conn, card: Card, error: str) -> None:
    """It can never be shown; it is not tried again."""
    db.execute(conn, "card_gone", card_id=card.id, error=error)


def not_asked(conn: db.Conn, card: Card) -> None:
    """Who is there does not stand in now, and has not seen it: later, on the next day that they do, or never."""
    db.execute(conn, "card_not_asked", card_id=card.id, error=NOT_SHOWN)


def reposted(conn: db.Conn, card: Card, error: str) -> None:
    """The message was deleted; the next painting posts a new one."""
    db.execute(conn, "card_reposted", card_id=card.id, error=error)


def adopt(conn: db.Conn, card_id: UUID, *, channel: str, ts: str) -> bool:
    """A click came from a message whose post was never confirmed, or whose card was given up: it is this card's now, and painted.

    False if the card has another message.
    """
    return db.execute(conn, "card_adopted", card_id=card_id, channel=channel, ts=ts) > 0


def repaint(conn: db.Conn, pause_id: UUID) -> None:
    """Have every card of a pause painted anew, since something else than a move may have made it untrue."""
    db.execute(conn, "repaint_cards", pause_id=pause_id)


def instead(conn: db.Conn, pause_id: UUID, dest: str) -> bool:
    """Show a waiting pause to its approver at another place, since nobody can see it where it was to be shown. False if it is there."""
    return db.execute(conn, "card_instead", id=db.new_id(), pause_id=pause_id, dest=dest) > 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """Where a pause is shown, and whether that is up to date (painted = wanted)."""

    id: UUID
    kind: str
    dest: str
    level: int
    state: str
    channel: str | None
    ts: str | None
    wanted: int
    painted: int
    error: str | None


def of_pause(conn: db.Conn, pause_id: UUID) -> list[Shown]:
    """Where a pause is shown."""
    return db.many(conn, "cards_of_pause", Shown, pause_id=pause_id)


def of_effect(conn: db.Conn, effect_id: UUID) -> list[Shown]:
    """Where a doubt is shown."""
    return db.many(conn, "cards_of_effect", Shown, effect_id=effect_id)


def notify(
    conn: db.Conn, run_id: UUID, *, kind: str, dest: str, pause_id: UUID | None = None, detail: dict[str, Any] | None = None,
    lapse_s: float | None = None,
) -> None:  # fmt: skip
    """Have something said once; after `lapse_s` seconds it is not said any more (None: it stays due)."""
    db.execute(conn, "add_notice", id=db.new_id(), run_id=run_id, pause_id=pause_id, kind=kind, dest=dest,
               detail=json.dumps(detail) if detail is not None else None, lapse_s=lapse_s)  # fmt: skip


def claim_notices(conn: db.Conn, *, limit: int, lease_s: float) -> list[Notice]:
    """Notices to say; those that lapsed meanwhile come with state "lapsed" and need nothing more."""
    return db.many(conn, "claim_notices", Notice, limit=limit, lease_s=lease_s)


def notice_settled(conn: db.Conn, notice: Notice, state: Literal["sent", "failed"], error: str | None = None) -> None:
    """Said, or never to be said."""
    db.execute(conn, "notice_settled", notice_id=notice.id, state=state, error=error)


def notice_postponed(conn: db.Conn, notice: Notice, *, after_s: float, error: str) -> None:
    """Slack did not take it; again after a while."""
    db.execute(conn, "notice_postponed", notice_id=notice.id, after_s=after_s, error=error)


def undelivered(conn: db.Conn) -> int:
    """How many cards and notices people do not see, though their hour has come."""
    row = db.must(conn, "undelivered", dict, "the count of cards")
    return int(row["cards"] + row["notices"])
