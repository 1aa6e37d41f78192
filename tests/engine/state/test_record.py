"""The record: what belongs in it, and that whoever alters it by hand is found out."""

from typing import Any
from uuid import UUID, uuid4

import pytest

from engine.errors import NotFound
from engine.rules import digest
from engine.state import db, events, pauses, runs
from tests import rows


@pytest.fixture
def recorded(conn: Any) -> UUID:
    """A run with a record of five links, one of them with two events."""
    [pause_id] = rows.waiting(conn)
    pauses.approve(conn, pause_id, "jonas", surface="tests")
    pauses.approve(conn, pause_id, "marta", surface="tests", reason="Fine.")
    run_id = pauses.get(conn, pause_id).run_id
    assert events.verify(conn, run_id) == events.Verified(5)
    return run_id


TAMPERED = {
    "an actor": (5, "UPDATE run_event SET actor = 'ines' WHERE run_id = %(run)s AND event = 'approve' AND to_status IS NOT NULL"),
    "a refused attempt's actor": (4, "UPDATE run_event SET actor = 'ines' WHERE run_id = %(run)s AND to_status IS NULL"),
    "a reason": (5, "UPDATE run_event SET detail = 'Too dear.' WHERE run_id = %(run)s AND detail = 'Fine.'"),
    "no reason for an empty one": (2, "UPDATE run_event SET detail = '' WHERE run_id = %(run)s AND detail IS NULL"),
    "a surface": (4, "UPDATE run_event SET surface = 'slack' WHERE run_id = %(run)s AND seq = 4"),
    "an hour by a microsecond": (3, "UPDATE run_event SET at = at + interval '1 microsecond' WHERE run_id = %(run)s AND seq = 3"),
    "a status": (5, "UPDATE run_event SET event = 'deny', to_status = 'denied' WHERE run_id = %(run)s AND event = 'approve' AND to_status IS NOT NULL"),
    "whose it is": (3, "UPDATE run_event SET entity_id = gen_random_uuid()::text WHERE run_id = %(run)s AND seq = 3 AND n < 1000000"),
    "a move that is gone": (4, "DELETE FROM run_event WHERE run_id = %(run)s AND seq = 4"),
    "the last move that is gone": (5, "DELETE FROM run_event WHERE run_id = %(run)s AND seq = 5"),
    "an event of a move that is gone": (3, "DELETE FROM run_event WHERE run_id = %(run)s AND seq = 3 AND n = 1000000"),
    "all that is gone": (1, "DELETE FROM run_event WHERE run_id = %(run)s"),
    "two events that changed places": (3, "UPDATE run_event SET n = 2000000 WHERE run_id = %(run)s AND seq = 3 AND n < 1000000"),
    "an event that moved to another link": (3, "UPDATE run_event SET seq = 4, n = 0 WHERE run_id = %(run)s AND seq = 3 AND n < 1000000"),
    "a move that was added": (6, ("INSERT INTO run_event SELECT run_id, at, 6, n, entity, entity_id, from_status, event, to_status, actor, surface, detail"
    " FROM run_event WHERE run_id = %(run)s AND seq = 5")),
    "an event that was added": (2, ("INSERT INTO run_event SELECT run_id, at, seq, n + 1, entity, entity_id, from_status, event, to_status, actor, surface,"
    " detail FROM run_event WHERE run_id = %(run)s AND seq = 2")),
    "the head": (5, "UPDATE run SET head = repeat('0', 64) WHERE id = %(run)s"),
    "the count": (5, "UPDATE run SET seq = seq - 1 WHERE id = %(run)s"),
    "the last move and the count": (4, ("WITH gone AS (DELETE FROM run_event WHERE run_id = %(run)s AND seq = 5)"
    " UPDATE run SET seq = seq - 1 WHERE id = %(run)s")),
}  # fmt: skip
"""What is done to the record, and the move that must be named for it."""


@pytest.mark.parametrize("what", TAMPERED)
def test_whoever_alters_the_record_is_found_out(conn: Any, recorded: UUID, what: str) -> None:
    with conn.transaction(force_rollback=True):
        seq, statement = TAMPERED[what]
        assert conn.execute(statement, {"run": recorded}).rowcount > 0
        found = events.verify(conn, recorded)
        assert isinstance(found, events.Altered)
        assert found.why.endswith(".")
        assert found.seq == seq, found
    assert events.verify(conn, recorded) == events.Verified(5)


WORDS = [what for what in TAMPERED if not any(gone in what for gone in ("gone", "moved", "added", "count", "places"))]


@pytest.mark.parametrize("what", WORDS)
def test_a_record_of_the_release_before_is_found_out_without_its_marks(conn: Any, recorded: UUID, what: str) -> None:
    with conn.transaction(force_rollback=True):
        conn.execute("UPDATE run_event SET mark = NULL WHERE run_id = %s", (recorded,))
        assert events.verify(conn, recorded) == events.Verified(5)
        conn.execute(TAMPERED[what][1], {"run": recorded})
        assert isinstance(events.verify(conn, recorded), events.Altered)


def test_where_marks_begin_the_moves_before_them_are_narrowed_down(conn: Any, recorded: UUID) -> None:
    """Old and new code wrote to one run in turns: each mark vouches for all before it."""
    conn.execute("UPDATE run_event SET mark = NULL WHERE run_id = %s AND seq IN (1, 2, 4)", (recorded,))
    assert events.verify(conn, recorded) == events.Verified(5)
    with conn.transaction(force_rollback=True):
        conn.execute("UPDATE run_event SET actor = 'w9' WHERE run_id = %s AND seq = 2", (recorded,))
        found = events.verify(conn, recorded)
    assert found == events.Altered("The words of one of the moves 1 to 3 were altered.")


def test_each_event_bears_the_beginning_of_the_head_after_its_move(conn: Any, recorded: UUID) -> None:
    marks = conn.execute(
        "SELECT DISTINCT ON (seq) encode(mark, 'hex') FROM run_event WHERE run_id = %s ORDER BY seq DESC", (recorded,)
    ).fetchall()
    [(head,)] = conn.execute("SELECT head FROM run WHERE id = %s", (recorded,)).fetchall()
    assert [marks[0][0], len(marks), len({m for (m,) in marks})] == [head[:16], 5, 5]
    assert conn.execute("SELECT count(*) FROM run_event WHERE mark IS NULL").fetchone() == (0,)


def test_two_moves_that_changed_places_are_found_out(conn: Any, recorded: UUID) -> None:
    with conn.transaction(force_rollback=True):
        for came, to in ((4, 99), (5, 4), (99, 5)):
            conn.execute("UPDATE run_event SET seq = %s WHERE run_id = %s AND seq = %s", (to, recorded, came))
        assert isinstance(events.verify(conn, recorded), events.Altered)


def test_no_event_is_recorded_that_no_edge_allows(conn: Any, recorded: UUID) -> None:
    """The database itself refuses it, so that no query can move what may not move."""
    allowed = "SELECT count(*) FROM run_event e LEFT JOIN edge USING (entity, from_status, event, to_status) WHERE e.to_status IS NOT NULL"
    assert conn.execute(f"{allowed} AND edge.entity IS NULL").fetchone() == (0,)
    with pytest.raises(Exception, match="run_event_edge_listed"):
        conn.execute("UPDATE run_event SET to_status = 'executed' WHERE run_id = %s AND event = 'approve'", (recorded,))


def test_a_move_before_the_first_is_refused_and_would_be_found_out(conn: Any, recorded: UUID) -> None:
    """No link covers it: a vote that stood there would count, and change no head."""
    added = (
        "INSERT INTO run_event SELECT run_id, at, 0, n, entity, entity_id, from_status, event, to_status, actor, surface, detail, mark"
        " FROM run_event WHERE run_id = %s AND seq = 5"
    )
    with pytest.raises(Exception, match="run_event_from_one"):
        conn.execute(added, (recorded,))
    with conn.transaction(force_rollback=True):
        conn.execute("ALTER TABLE run_event DROP CONSTRAINT run_event_from_one")
        conn.execute(added, (recorded,))
        found = events.verify(conn, recorded)
        assert isinstance(found, events.Altered)
        assert (found.seq, found.why) == (0, "The run counts 5 moves: this one was added, or the count was altered.")


def test_a_run_nobody_knows_has_no_record(conn: Any) -> None:
    with pytest.raises(NotFound):
        events.verify(conn, uuid4())
    assert events.of_run(conn, uuid4()) == []


def test_what_belongs_to_no_run_is_in_the_chain_of_the_system(conn: Any) -> None:
    before = len(events.of_run(conn, db.SYSTEM_RUN))
    events.record(conn, "halt", subject="effects", detail="stopped: odd payments", actor="otto", surface="slack")
    assert events.verify(conn, db.SYSTEM_RUN) == events.Verified(before + 1)
    last = events.of_run(conn, db.SYSTEM_RUN)[-1]
    assert (last.entity, last.entity_id, last.event, last.to_status, last.actor, last.detail) == (
        "system", "effects", "halt", "done", "otto", "stopped: odd payments",
    )  # fmt: skip
    events.begin(conn)  # again: it is there already, and stays as it is
    assert events.verify(conn, db.SYSTEM_RUN) == events.Verified(before + 1)


def test_an_event_the_system_does_not_know_is_not_recorded(conn: Any) -> None:
    with pytest.raises(Exception, match="run_event_edge_listed"):
        events.record(conn, "party", subject="all", detail="")


def test_every_move_is_one_link_and_its_head_is_the_runs(conn: Any, recorded: UUID) -> None:
    seqs = [e.seq for e in events.of_run(conn, recorded)]
    assert sorted(set(seqs)) == [1, 2, 3, 4, 5]
    assert [e.event for e in events.of_run(conn, recorded)] == [
        "launch", "claim", "open", "ask", "approve", "approve", "wake",
    ]  # fmt: skip
    assert conn.execute("SELECT head FROM run WHERE id = %s", (recorded,)).fetchone() != (digest.GENESIS,)
    assert runs.get(conn, recorded).seq == 5
