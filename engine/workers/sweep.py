"""The sweep: every due pause goes to its next approver or gets the answer decided in advance. Stateless over the rows.

It never calls Slack or anything else outside the database. If a batch fails or takes too long it is halved; a pause that fails alone, or of
which cannot be worked out where it goes, is put aside with an alarm, and tried again in an hour. A scan looks at what fell due in the last minutes, so that dead entries kept by an old snapshot are not walked over; once a
minute it looks everywhere, also if the machine slept through the minute.
"""

import json
import logging
from collections.abc import Iterator, Sequence
from dataclasses import replace
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
from engine.workers.moments import Moment

_log = logging.getLogger(__name__)

_ASIDE = "pause %s cannot be settled and is put aside for an hour: placet pending"
BATCH = 500
FULL_SCAN_S = 60
BACK_S = 2 * FULL_SCAN_S
"""How far back a scan looks in between."""
MOST_TIMEOUTS = 30
"""More statements that take too long, in one batch, and it is the database that is overrun, not a pause that is slow."""


class Sweeper:
    """One sweeper; any number may run on one database."""

    def __init__(self, pool: db.Pool) -> None:
        self._pool = pool
        self._looked_everywhere: Moment | None = None
        self._stopping = False

    def stop(self) -> None:
        """End a sweep under way with its present batch; the rest is the next one's, here or in another process."""
        self._stopping = True

    def run(self) -> list[Moved]:
        """Settle all that is due; what moved."""
        moved: list[Moved] = []
        began, before = Moment.now(), self._looked_everywhere
        back_s = BACK_S if before is not None and before.age_s() < FULL_SCAN_S else None
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
        steps = [step for one in due if (step := self._computed(one, known))]
        return self._move(steps, iter(range(MOST_TIMEOUTS))) if steps else []

    def _computed(self, due: DuePause, known: People) -> NextStep | None:
        """Where a due pause goes; None, and it is put aside, if that cannot be worked out, as when a later release asked it."""
        try:
            return _next_step(due, known)
        except Exception:  # noqa: BLE001  it only computes: whatever it raises is about this pause alone
            _log.exception(_ASIDE, due.id)
            self._put_aside(due.id)
            return None

    def _move(self, steps: Sequence[NextStep], timeouts: Iterator[int]) -> list[Moved]:
        """Those that moved. Raises the database's error if it is away: it cannot be reached, or more than `timeouts` took too long."""
        try:
            with self._pool.connection() as conn:
                return pauses.settle_due(conn, steps, surface="sweep")
        except (psycopg.errors.QueryCanceled, psycopg.errors.LockNotAvailable) as error:
            if next(timeouts, None) is None:
                raise
            if len(steps) == 1:
                _log.warning("pause %s is left for the next sweep, it took too long: %s", steps[0].pause_id, error)
                return []
        except psycopg.OperationalError:
            raise  # the database is away: nothing is wrong with the pauses
        except psycopg.Error:
            if len(steps) == 1:
                _log.exception(_ASIDE, steps[0].pause_id)
                self._put_aside(steps[0].pause_id)
                return []
        half = len(steps) // 2
        return self._move(steps[:half], timeouts) + self._move(steps[half:], timeouts)

    def _put_aside(self, pause_id: UUID) -> None:
        with self._pool.connection() as conn:
            pauses.mark_stuck(conn, pause_id)


def settle_unseen(conn: db.Conn, pause_id: UUID) -> list[Moved]:
    """Have a pause go on now, due or not, since nobody who is asked can be shown it; nothing moves if a card of its level stands.

    Nor if it cannot be worked out where it goes: then it waits for its hour, at which a sweep puts it aside.
    """
    due = pauses.due_one(conn, pause_id)
    if due is None:
        return []
    try:
        step = replace(_next_step(due, people.everybody(conn)), unseen=True)
    except (TypeError, ValueError, KeyError):  # as when a later release asked it
        _log.exception("where pause %s goes cannot be worked out: it waits for its hour", pause_id)
        return []
    return pauses.settle_due(conn, [step], surface="delivery")


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
    found = escalation.next_approver(steps, due.level, due.approver, due.on_behalf_of, known, voters=due.voters)
    if found is None:
        return NextStep(pause_id=due.id, level=due.level, next=None)
    answer_within_s = within_s(found.step, due.now, need.calendar)
    until = due.now + timedelta(seconds=answer_within_s)
    shown = escalation.shown_to(
        found.approver, need, known, (due.on_behalf_of, *due.voters), waits=(due.now, until), first=False
    )
    return NextStep(
        pause_id=due.id,
        level=due.level,
        next=found.approver,
        to_level=found.level,
        within_s=answer_within_s,
        remind_after_s=need.remind_after_s,
        cards=tuple(NewCard(kind="approver", dest=dest, not_before=begins) for dest, begins in shown.items()),
    )
