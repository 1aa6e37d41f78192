"""What waits in a dense chaos, as its rows say it: a request with one of its cards, and how much is under way."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID

from psycopg.rows import class_row

from tests.chaos.promises import ROLES
from tests.chaos.signed import Card

WAITING: Final = """
SELECT p.id AS pause_id, c.digest, r.launch_key AS ref, p.approver, p.votes_left, p.voters, p.level, d.channel, d.ts, d.kind
  FROM run_pause p JOIN pause_content c ON c.pause_id = p.id JOIN run r ON r.id = p.run_id
  LEFT JOIN card d ON d.pause_id = p.id AND d.level = p.level AND d.ts IS NOT NULL
 WHERE p.status = 'waiting' AND p.fire_at > clock_timestamp()
"""
HOURS: Final = """
UPDATE run_pause SET fire_at = clock_timestamp() - interval '2 seconds'
 WHERE status = 'waiting' AND fire_at > clock_timestamp() AND id = ANY(%s)
"""
STANDING: Final = """
SELECT (SELECT count(*) FROM run_pause WHERE status = 'waiting') + (SELECT count(*) FROM run WHERE queued_at IS NOT NULL) * %s,
       (SELECT count(*) FROM card WHERE due) + (SELECT count(*) FROM notice WHERE state = 'due')
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Waiting:
    """A request that waits, with one of its cards; `ts` None: Slack has not got it yet."""

    pause_id: UUID
    digest: str
    ref: str
    approver: str
    votes_left: int
    voters: Sequence[str]
    level: int
    channel: str | None
    ts: str | None
    kind: str | None

    @property
    def card(self) -> Card:
        """The card."""
        assert self.channel is not None
        assert self.ts is not None
        assert self.kind is not None
        return Card(
            pause_id=self.pause_id,
            digest=self.digest,
            channel=self.channel,
            ts=self.ts,
            kind=self.kind,
            level=self.level,
        )

    @property
    def those_who_may(self) -> list[str]:
        """The Slack ids of those who may decide now. Priya asked for every list."""
        kind, _, name = self.approver.partition(":")
        asked = ROLES[name] if kind == "role" else {name}
        return [f"U0{person.upper()}" for person in sorted(asked) if person not in self.voters]


def look(conn: Any) -> list[Waiting]:
    """Every request that waits and is not due, once for each of its cards that Slack has; once without, if it has none."""
    with conn.cursor(row_factory=class_row(Waiting)) as cursor:
        found: list[Waiting] = cursor.execute(WAITING).fetchall()
    return found


def let_hours_pass(conn: Any, pause_ids: Collection[UUID]) -> None:
    """Those of these that still wait are due."""
    if pause_ids:
        conn.execute(HOURS, (list(pause_ids),))


def standing(conn: Any, each: int) -> tuple[int, int]:
    """How many requests are open, those to come from launched lists of `each` payments included; how much is to be delivered."""
    found: tuple[int, int] = conn.execute(STANDING, (each,)).fetchone()
    return found
