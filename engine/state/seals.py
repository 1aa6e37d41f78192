"""Where seals meet rows: made for what is asked and answered, checked on what is read. The keys are the connection's.

With keys the digest is recomputed here too: what SQL says of itself proves nothing to whoever doubts the database.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID

from engine.models import Content, Vote
from engine.rules import chain, digest, seal
from engine.state import db

BROKEN: Final = frozenset({"unknown", "forged"})
"""What nothing may be decided or done on: nobody here can say that it is what was asked."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SealedVote:
    """A vote about to be given: its seal, None without keys; the digest that it is given on; whether the request is broken."""

    seal: str | None
    shown: str
    altered: bool


def for_pause(conn: db.Conn, pause_id: UUID, content_digest: str) -> str | None:
    """The seal of a request about to be made; None without keys."""
    return seal.seal(conn.keys, "pause", seal.of_pause(pause_id, content_digest))


def vote(
    conn: db.Conn, pause_id: UUID, *, person: str, verdict: str, surface: str, shown: str, reason: str
) -> SealedVote:
    """Look at what a vote is about to be given on, and seal it. Without keys, or for a pause that is not there, nothing is looked at."""
    row = db.one(conn, "sealed_content", dict, pause_id=pause_id) if conn.keys else None
    if row is None:
        return SealedVote(seal=None, shown=shown, altered=False)
    fields = seal.of_vote(pause_id, row["digest"], person=person, verdict=verdict, surface=surface, reason=reason)
    return SealedVote(
        seal=seal.seal(conn.keys, "vote", fields),
        shown=row["digest"] if row["digest"].startswith(shown) else shown,  # the statement refuses what came in between
        altered=content(conn, pause_id, row) in BROKEN,
    )


def altered(conn: db.Conn, pause_id: UUID) -> bool:
    """Whether a seal speaks against what is stored of a request. Without keys, or for a pause that is not there, nothing is looked at."""
    row = db.one(conn, "sealed_content", dict, pause_id=pause_id) if conn.keys else None
    return row is not None and content(conn, pause_id, row) in BROKEN


def content(conn: db.Conn, pause_id: object, row: Mapping[str, Any]) -> seal.Worth:
    """What the seal of a stored request is worth; `row` has its digest, document and seal."""
    if conn.keys and digest.of_canonical("placet.pause.v1", row["document"]) != row["digest"]:
        return "forged"
    return seal.check(conn.keys, row["seal"], "pause", seal.of_pause(pause_id, row["digest"]))


def content_holds(conn: db.Conn, pause_id: UUID, row: Mapping[str, Any]) -> bool:
    """Whether a seal speaks against showing what is stored; `row` has its digest and seal."""
    return seal.check(conn.keys, row["seal"], "pause", seal.of_pause(pause_id, row["digest"])) not in BROKEN


def worth(conn: db.Conn, pause_id: object, content_digest: str, stored: Mapping[str, Any]) -> seal.Worth:
    """What the seal of a stored vote is worth."""
    said = {name: stored[name] for name in ("person", "verdict", "surface", "reason")}
    return seal.check(conn.keys, stored["seal"], "vote", seal.of_vote(pause_id, content_digest, **said))


def broken(conn: db.Conn, record: chain.Record) -> Iterable[str]:
    """What of a run's requests and answers does not bear the seal that it should, a sentence each; nothing without keys."""
    digests = {row["id"]: row["digest"] for row in record.rows["pause"] if row["document"] is not None}
    for row in record.rows["pause"]:
        if row["id"] in digests and content(conn, row["id"], row) in BROKEN:
            yield f"The request {row['id']} does not bear its seal."
    for row in record.rows["vote"]:
        sealed = any(one["id"] == row["pause_id"] and one["seal"] for one in record.rows["pause"])
        if sealed and worth(conn, row["pause_id"], digests.get(row["pause_id"]) or "", row) in BROKEN | {"before"}:
            yield f"The answer of {row['person']} to the request {row['pause_id']} does not bear its seal."


def approval(conn: db.Conn, votes: Iterable[Vote], asked: Content) -> seal.Worth:
    """What the yes of all who gave it is worth."""
    yes = [(one.person, one.seal) for one in votes if one.verdict == "approve"]
    return seal.approval(conn.keys, yes, needed=asked.need.approvers, requester=asked.on_behalf_of)
