"""The record: a run's events in order, the check of its chain, and of what the system's own chain tells (policies, people).

Moves write their events themselves, in their own statement; all that is written here for a run is that somebody was turned away.
"""

from dataclasses import dataclass, replace
from uuid import UUID

from engine.errors import NotFound
from engine.models import Event, Passage
from engine.rules import chain, digest, secrecy
from engine.state import db, people, policies, seals


def of_run(conn: db.Conn, run_id: UUID) -> list[Event]:
    """A run's record, in order, as it may be read: what its calls keep secret is in nobody's reason. Of a run that there is not, nothing."""
    row = db.one(conn, "secrets_of_run", dict, run_id=run_id)
    kept = secrecy.of_calls(row["kept_secret"] if row else None)
    return [
        replace(one, detail=secrecy.without(kept, one.detail))
        for one in db.many(conn, "events_of_run", Event, run_id=run_id)
    ]


def of_pause(conn: db.Conn, pause_id: UUID) -> list[Passage]:
    """What happened to a request and to what it led to, in order; the latest thirty."""
    return db.many(conn, "events_of_pause", Passage, pause_id=pause_id)


def turned_away(conn: db.Conn, about: UUID, tried: str, *, actor: str, surface: str, why: str) -> None:
    """Somebody tried to decide on a pause or an effect, and was turned away before any move. Raises NotFound.

    `tried` is the event it would have been, `actor` a person or, where nobody knows them, the Slack identity ("T0OTHER:U0GUEST").
    """
    db.must(
        conn, "refused_attempt", dict, f"request {about}", about=about, event=tried, actor=actor, surface=surface, why=why
    )  # fmt: skip


def read(conn: db.Conn, run_id: UUID) -> chain.Record:
    """A run's record with the rows that must agree with it, as they stood at one moment. Raises NotFound."""
    return chain.Record(**db.must(conn, "record_of_run", dict, f"run {run_id}", run_id=run_id))


@dataclass(frozen=True, slots=True)
class Verified:
    """A record that holds: every link leads to the next and to the stored head, and the rows say the same; `links` of them."""

    links: int


@dataclass(frozen=True, slots=True)
class Altered:
    """A record that does not hold; `why` is a sentence. `seq` is the first move at which it does not, `event` what it was."""

    why: str
    seq: int | None = None
    event: str | None = None


def verify(conn: db.Conn, run_id: UUID) -> Verified | Altered:
    """Recompute a run's chain outside SQL, link by link, and compare its end with the stored head and the rows.

    With keys the seals are looked at, too. Raises NotFound, but not for the system's own, which every database has: that is an alteration.
    """
    try:
        record = read(conn, run_id)
    except NotFound:
        if run_id != db.SYSTEM_RUN:
            raise
        return Altered("It is missing: every database has one from its first migration on, so it was removed.")
    told = chain.follow(record)
    fault = told if isinstance(told, chain.Fault) else chain.disagreement(record, told)
    if fault is not None:
        return Altered(fault.why, fault.seq, fault.event)
    if run_id == db.SYSTEM_RUN and (off := _emptied(record) or _off_record(conn)):
        return off
    unsealed = next(iter(seals.broken(conn, record)), None)
    return Altered(unsealed) if unsealed else Verified(record.seq)


def _emptied(record: chain.Record) -> Altered | None:
    """A record of the system without the move that its first migration wrote, set back to its beginning."""
    why = "It holds no move, and the first migration of a database writes one: they were removed."
    return Altered(why) if record.seq == 0 else None


def _off_record(conn: db.Conn) -> Altered | None:
    """People or policies that came into their tables in another way than by a move on record."""
    last = people.on_record(conn)
    if last and last.seq is None:
        return Altered("There are people, and no move tells of their import: it was removed, or their rows were added.")
    if last and not last.stands:
        return Altered(
            "People, roles or Slack ids are not as this import left them: their rows were altered.", last.seq, "people"
        )
    if versions := policies.off_record(conn):
        return Altered(
            f"The policy {versions[0]} is there, and no move tells of it or of this text: its row was added or altered."
        )
    return None


@dataclass(frozen=True, slots=True, kw_only=True)
class Head:
    """Where a run's chain stands: so many links, and the last of them."""

    run_id: UUID
    seq: int
    head: str


def heads(conn: db.Conn) -> list[Head]:
    """Where every chain stands, the system's own among them."""
    return db.many(conn, "heads", Head)


def lost(conn: db.Conn) -> list[UUID]:
    """Runs that left something behind and are gone themselves, and the system's own if it is gone at all."""
    return [row["run_id"] for row in db.many(conn, "lost_runs", dict, system=db.SYSTEM_RUN)]


def begin(conn: db.Conn) -> None:
    """Make the run called `system`, unless it is there."""
    db.execute(conn, "make_system_run", id=db.SYSTEM_RUN, genesis=digest.GENESIS)


def record(
    conn: db.Conn, event: str, *, subject: str, detail: str, actor: str = "system", surface: str = "cli"
) -> None:
    """Write one event of the system's own chain by itself: migrate. People, policies and halts write theirs with their rows."""
    db.one(
        conn,
        "record_system",
        dict,
        id=db.SYSTEM_RUN,
        event=event,
        subject=subject,
        detail=detail,
        actor=actor,
        surface=surface,
    )
