"""A database with unfinished business, written by the first release: opened, migrated, and brought to its end by today's code."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest

from engine.models import Decided, Pause
from engine.state import db, events, ledger, pauses, runs
from engine.workers.revalidate import LATE
from engine.workers.sweep import Sweeper
from tests import database, rows, world
from tests.releases import kept, scenes

BIG = 3_800_000


class Opened:
    """The database, in use again; orders are named as the scenes name them."""

    def __init__(self, pool: db.Pool, conn: Any, outside: world.World) -> None:
        self.pool, self.conn, self.outside = pool, conn, outside
        self.means = world.means(pool, outside)
        self._runs = {line.launch_key: line.id for line in runs.listed(conn, limit=200)}

    def run_id(self, ref: str) -> UUID:
        return self._runs[ref]

    def pause(self, ref: str) -> Pause:
        return pauses.get(self.conn, runs.get(self.conn, self.run_id(ref)).pauses[-1])

    def approve(self, ref: str, person: str) -> Any:
        return pauses.approve(self.conn, self.pause(ref).id, person, surface="slack")

    def end(self, ref: str) -> tuple[str, str, list[int]]:
        """(the run's status, its last pause's, what was paid) once everybody has worked."""
        world.work(self.means)
        return (
            runs.get(self.conn, self.run_id(ref)).status,
            self.pause(ref).status,
            [p["amount"] for p in self.outside.payments(ref)],
        )


@pytest.fixture
def opened(server: str, tmp_path: Path) -> Iterator[Opened]:
    with (
        kept.Release(kept.FIRST).database(server, "placet_first") as url,
        world.world(kept.Release(kept.FIRST).outside(tmp_path)) as outside,
    ):
        db.migrate(url)
        with database.pool(url, 2, scenes.KEYS) as pool, database.connect(url, scenes.KEYS) as conn:
            yield Opened(pool, conn, outside)


def test_every_scene_is_there_and_what_waits_is_listed(opened: Opened) -> None:
    waiting = {opened.run_id(ref) for ref in scenes.SCENES if opened.pause(ref).status == "waiting"}
    assert waiting == {line.run_id for line in pauses.waiting(opened.conn)}
    assert len(waiting) == 7
    rows.consistent(opened.conn)


def test_its_record_holds_before_and_after(opened: Opened) -> None:
    opened.approve("PO-waits", "marta")
    assert opened.end("PO-waits") == ("done", "executed", [BIG])
    for ref in scenes.SCENES:
        assert isinstance(events.verify(opened.conn, opened.run_id(ref)), events.Verified)


def test_one_that_waited_is_approved_and_paid_once(opened: Opened) -> None:
    assert isinstance(opened.approve("PO-waits", "marta"), Decided)
    assert opened.end("PO-waits") == ("done", "executed", [BIG])


def test_one_that_waited_is_denied(opened: Opened) -> None:
    decided = pauses.deny(
        opened.conn, opened.pause("PO-refused").id, "marta", surface="slack", reason="Not this month."
    )
    assert isinstance(decided, Decided)
    assert opened.end("PO-refused") == ("done", "denied", [])


def test_one_that_waited_goes_to_the_manager_when_its_hour_comes_and_is_expired_by_the_next(opened: Opened) -> None:
    pause = opened.pause("PO-late")
    for approver in ("person:otto", None):
        rows.make_due(opened.conn, pause.id)
        Sweeper(opened.pool).run()
        if approver:
            assert opened.pause("PO-late").approver == approver
    assert opened.end("PO-late") == ("done", "expired", [])


def test_the_requester_withdraws_one(opened: Opened) -> None:
    pauses.withdraw(opened.conn, opened.pause("PO-withdrawn").id, "priya", surface="slack")
    assert opened.end("PO-withdrawn") == ("done", "cancelled", [])


def test_a_vote_given_then_counts_now(opened: Opened) -> None:
    opened.approve("PO-voted", "marta")
    assert opened.pause("PO-voted").status == "waiting"  # she has, already
    assert isinstance(opened.approve("PO-voted", "ines"), Decided)
    assert opened.end("PO-voted") == ("done", "executed", [BIG])


def test_the_manager_answers_what_was_escalated_to_him(opened: Opened) -> None:
    assert not isinstance(opened.approve("PO-escalated", "marta"), Decided)
    assert isinstance(opened.approve("PO-escalated", "otto"), Decided)
    assert opened.end("PO-escalated") == ("done", "executed", [BIG])


def test_one_held_then_is_approved_stays_held_and_goes_on_when_it_is_let(opened: Opened) -> None:
    opened.approve("PO-held", "marta")
    assert opened.end("PO-held") == ("paused", "approved", [])
    runs.resume(opened.conn, opened.run_id("PO-held"), actor="otto", surface="cli")
    assert opened.end("PO-held") == ("done", "executed", [BIG])


def test_one_approved_long_ago_is_not_paid_any_more(opened: Opened) -> None:
    approved = "UPDATE run_pause SET decided_at = decided_at - interval '4 days' WHERE id = %s"
    opened.conn.execute(approved, (opened.pause("PO-approved").id,))
    assert opened.end("PO-approved") == ("error", "voided", [])
    assert LATE in str(runs.get(opened.conn, opened.run_id("PO-approved")).error)


def test_one_approved_just_then_is_paid_now(opened: Opened) -> None:
    assert opened.end("PO-approved") == ("done", "executed", [BIG])


def test_what_was_in_doubt_is_settled_by_somebody_who_knows(opened: Opened) -> None:
    [effect] = [e for e in ledger.of_run(opened.conn, opened.run_id("PO-doubt")) if e.status == "in_doubt"]
    [payment] = opened.outside.payments("PO-doubt")
    ledger.resolve(opened.conn, effect.id, "happened", actor="ines", reference=payment["id"], surface="cli")
    assert opened.end("PO-doubt") == ("done", "executed", [BIG])


def test_what_was_done_is_not_done_again(opened: Opened) -> None:
    assert opened.end("PO-done") == ("done", "executed", [BIG])
