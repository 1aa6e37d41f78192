"""The record: a run's events in order, the check of its chain, and the system's own events (policy, people, halt).

Moves write their events themselves, in their own statement; nothing here can write one for a run.
"""

from dataclasses import dataclass
from uuid import UUID

from engine.models import Event
from engine.rules import digest
from engine.state import db


def of_run(conn: db.Conn, run_id: UUID) -> list[Event]:
    """A run's record, in order."""
    return db.many(conn, "events_of_run", Event, run_id=run_id)


@dataclass(frozen=True, slots=True)
class Verified:
    """A chain whose every link holds; `links` of them."""

    links: int


@dataclass(frozen=True, slots=True)
class Altered:
    """A chain that does not hold; `why` is a sentence."""

    why: str


def verify(conn: db.Conn, run_id: UUID) -> Verified | Altered:
    """Recompute a run's chain outside SQL, link by link, and compare its end with the stored head. NotFound without such a run."""
    stored = db.must(conn, "head_of_run", dict, f"run {run_id}", run_id=run_id)
    moves: dict[int, list[dict[str, str | None]]] = {}
    for row in db.many(conn, "chain_of_run", dict, run_id=run_id):
        moves.setdefault(row["seq"], []).append({field: row[field] for field in digest.CHAIN_FIELDS})
    if sorted(moves) != list(range(1, stored["seq"] + 1)):
        return Altered(
            f"The run counts {stored['seq']} moves, and the record holds {len(moves)}: some were removed or added."
        )
    head = digest.GENESIS
    for seq in sorted(moves):
        head = digest.link(head, moves[seq])
    if head != stored["head"]:
        return Altered("The record does not lead to the stored head: an event or the head was altered.")
    return Verified(stored["seq"])


def begin(conn: db.Conn) -> None:
    """Make the run called `system`, unless it is there."""
    db.execute(conn, "make_system_run", id=db.SYSTEM_RUN, genesis=digest.GENESIS)


def record(
    conn: db.Conn, event: str, *, subject: str, detail: str, actor: str = "system", surface: str = "cli"
) -> None:
    """Write one event of the system's own chain: migrate, policy, people, halt or unhalt."""
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
