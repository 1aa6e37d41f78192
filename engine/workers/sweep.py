"""The sweep: every due pause goes to its next approver or gets the answer decided in advance. Stateless over the rows.

It never calls Slack or anything else outside the database. If a batch fails it is halved; a pause that fails alone is put aside with an
alarm. A scan looks at what fell due in the last minutes, so that dead entries kept by an old snapshot are not walked over; once a
minute it looks everywhere.
"""

import json
import logging
import time
from collections.abc import Sequence
from datetime import timedelta
from functools import lru_cache
from uuid import UUID

import psycopg

from engine.models import DuePause, Moved, NewCard
from engine.rules import escalation
from engine.rules.needs import Need, within_s
from engine.rules.people import People
from engine.state import db, pauses, people
from engine.state.pauses import NextStep

_log = logging.getLogger(__name__)

BATCH = 500
FULL_SCAN_S = 60
BACK_S = 2 * FULL_SCAN_S
"""How far back a scan looks in between."""


class Sweeper:
    """One sweeper; any number may run on one database."""

    def __init__(self, pool: db.Pool) -> None:
        self._pool = pool
        self._looked_everywhere: float | None = None
        self._stopping = False

    def stop(self) -> None:
        """End a sweep under way with its present batch; the rest is the next one's, here or in another process."""
        self._stopping = True

    def run(self) -> list[Moved]:
        """Settle all that is due; what moved."""
        moved: list[Moved] = []
        began, before = time.monotonic(), self._looked_everywhere
        back_s = BACK_S if before is not None and began - before < FULL_SCAN_S else None
        while not self._stopping:
            with self._pool.connection() as conn:
                due = pauses.due(conn, limit=BATCH, back_s=back_s)
            batch = self._settle(due) if due else []
            moved += batch
            if len(due) < BATCH or not batch:
                if back_s is None:
                    self._looked_everywhere = began
                break
        return moved

    def settle_one(self, pause_id: UUID) -> list[Moved]:
        """Settle one pause if it is due, before any sweep comes by: for a click on a due pause."""
        with self._pool.connection() as conn:
            due = pauses.due_one(conn, pause_id)
        return self._settle([due]) if due else []

    def _settle(self, due: Sequence[DuePause]) -> list[Moved]:
        with self._pool.connection() as conn:
            known = people.everybody(conn)
        steps = [_next_step(one, known) for one in due]
        return self._move(steps)

    def _move(self, steps: Sequence[NextStep]) -> list[Moved]:
        try:
            with self._pool.connection() as conn:
                return pauses.settle_due(conn, steps, surface="sweep")
        except psycopg.OperationalError:
            raise  # the database is away: nothing is wrong with the pauses
        except psycopg.Error as error:
            if len(steps) == 1:
                _log.exception("pause %s cannot be settled and is put aside: %s", steps[0].pause_id, error)
                with self._pool.connection() as conn:
                    pauses.mark_stuck(conn, steps[0].pause_id)
                return []
            half = len(steps) // 2
            return self._move(steps[:half]) + self._move(steps[half:])


@lru_cache(maxsize=256)
def _need(text: str) -> Need:
    """Read once for all that a rule has asked alike."""
    return Need.from_document(json.loads(text))


def _next_step(due: DuePause, known: People) -> NextStep:
    """Where a due pause goes; one whose content was altered never escalates."""
    if not due.intact or due.need is None:
        _log.error("pause %s was altered after it was stored: it expires and is not escalated", due.id)
        return NextStep(pause_id=due.id, level=due.level, next=None)
    need = _need(due.need)
    steps = need.steps if need.on_expiry == "escalate" else ()
    found = escalation.next_approver(steps, due.level, due.approver, due.on_behalf_of, known)
    if found is None:
        return NextStep(pause_id=due.id, level=due.level, next=None)
    dests = escalation.destinations(found.approver, need.channel, known, due.on_behalf_of, first=False)
    answer_within_s = within_s(found.step, due.now, need.calendar)
    until = due.now + timedelta(seconds=answer_within_s)
    stand_ins = escalation.stand_ins(found.approver, known, due.on_behalf_of, due.now, until)
    return NextStep(
        pause_id=due.id,
        level=due.level,
        next=found.approver,
        to_level=found.level,
        within_s=answer_within_s,
        remind_after_s=need.remind_after_s,
        cards=(
            *(NewCard(kind="approver", dest=dest) for dest in dests),
            *(NewCard(kind="approver", dest=dest, not_before=begins) for dest, begins in stand_ins),
        ),
    )
