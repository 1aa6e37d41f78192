"""Seals on rows: a request and each answer bear one, old keys still verify, and what bears a wrong one can be neither shown nor decided."""

import logging
from typing import Any
from uuid import UUID

import pytest

from engine.errors import Conflict
from engine.models import Broken, Decided, InquiryMade, InquiryReplied, Voted
from engine.rules.seal import NO_KEYS, Keys
from engine.state import db, inquiries, pauses
from engine.workers.sweep import Sweeper
from tests import database, rows

OLD, NEW = (bytes(range(n, n + 32)).hex() for n in (1, 101))
BEFORE, NOW, AFTER = Keys.parse(f"k1:{OLD}"), Keys.parse(f"k2:{NEW},k1:{OLD}"), Keys.parse(f"k2:{NEW}")
FORGED = "UPDATE pause_content SET seal = 'k2:' || repeat('0', 64)"


def approve(conn: Any, pause_id: UUID, person: str = "marta") -> Any:
    return pauses.approve(conn, pause_id, person, surface="tests", reason="Fine.")


def test_a_request_and_its_answers_bear_seals_that_hold(conn: Any) -> None:
    conn.keys = NOW
    [pause_id] = rows.waiting(conn, approver="role:finance-approver", need=rows.QUORUM)
    assert (pauses.get(conn, pause_id).seal, pauses.get(conn, pause_id).approval) == ("holds", "forged")
    assert isinstance(approve(conn, pause_id), Voted)
    assert isinstance(approve(conn, pause_id, "ines"), Decided)
    pause = pauses.get(conn, pause_id)
    assert (pause.seal, [vote.seal for vote in pause.votes], pause.approval) == ("holds", ["holds", "holds"], "holds")


def test_what_an_old_key_sealed_is_decided_under_the_new_one(conn: Any) -> None:
    conn.keys = BEFORE
    [pause_id] = rows.waiting(conn, approver="role:finance-approver", need=rows.QUORUM)
    approve(conn, pause_id)
    conn.keys = NOW
    assert isinstance(approve(conn, pause_id, "ines"), Decided)
    pause = pauses.get(conn, pause_id)
    assert (pause.seal, pause.approval) == ("holds", "holds")
    seals = {row[0][:3] for row in conn.execute("SELECT seal FROM pause_vote").fetchall()}
    assert seals == {"k1:", "k2:"}


def test_what_no_key_here_can_judge_is_not_decided(conn: Any) -> None:
    conn.keys = BEFORE
    [pause_id] = rows.waiting(conn)
    conn.keys = AFTER
    assert pauses.get(conn, pause_id).content is None
    outcome = approve(conn, pause_id)
    assert isinstance(outcome, Broken)
    conn.keys = NOW  # the old key is put back, after the new one
    assert isinstance(approve(conn, pause_id), Decided)


def test_what_no_key_here_can_judge_is_not_asked_about(conn: Any) -> None:
    conn.keys = BEFORE
    [pause_id] = rows.waiting(conn)
    assert isinstance(inquiries.ask(conn, pause_id, "marta", text="Why?", surface="tests"), InquiryMade)
    conn.keys = AFTER
    assert isinstance(inquiries.ask(conn, pause_id, "marta", text="Why now?", surface="tests"), Broken)
    assert isinstance(inquiries.reply(conn, pause_id, "priya", 1, text="So.", surface="tests"), Broken)
    conn.keys = NOW  # the old key is put back, after the new one
    assert isinstance(inquiries.reply(conn, pause_id, "priya", 1, text="So.", surface="tests"), InquiryReplied)
    assert [one.text for one in pauses.get(conn, pause_id).inquiries] == ["Why?"]


def test_a_request_from_before_the_key_can_be_read_and_decided(conn: Any) -> None:
    """It is asked anew before anything is done: tests/engine/workers/test_tampering.py."""
    [pause_id] = rows.waiting(conn)
    conn.keys = NOW
    pause = pauses.get(conn, pause_id)
    assert (pause.intact, pause.seal) == (True, "before")
    assert isinstance(approve(conn, pause_id), Decided)


def test_a_sealed_request_is_decided_only_under_a_seal(conn: Any) -> None:
    conn.keys = NOW
    [pause_id] = rows.waiting(conn)
    conn.keys = NO_KEYS
    assert pauses.get(conn, pause_id).intact
    with pytest.raises(Conflict, match="Set PLACET_SEAL_KEY here") as refused:
        approve(conn, pause_id)
    assert refused.value.stands == "waiting"
    assert pauses.get(conn, pause_id).votes == ()


def test_a_request_with_a_wrong_seal_is_broken_everywhere(conn: Any, caplog: pytest.LogCaptureFixture) -> None:
    conn.keys = NOW
    [pause_id] = rows.waiting(conn)
    conn.execute(FORGED)
    with caplog.at_level(logging.ERROR):
        pause = pauses.get(conn, pause_id)
    assert (pause.intact, pause.content, pause.seal) == (False, None, "forged")
    assert f"pause {pause_id} was altered" in caplog.text
    [line] = pauses.waiting(conn)
    assert (line.intact, line.summary) == (False, "")
    assert isinstance(approve(conn, pause_id), Broken)
    assert isinstance(pauses.deny(conn, pause_id, "marta", surface="tests"), Broken)
    assert isinstance(pauses.withdraw(conn, pause_id, "priya", surface="tests"), Decided), "it can be taken back"
    conn.keys = NO_KEYS


def test_a_request_with_a_wrong_seal_never_escalates(conn: Any, db_url: str) -> None:
    conn.keys = NOW
    [pause_id] = rows.waiting(conn)
    conn.execute(FORGED)
    rows.make_due(conn, pause_id)
    with db.pool(db_url, size=1, keys=NOW) as pool:
        [moved] = Sweeper(pool).run()
    assert (moved.event, moved.status) == ("expire", "expired")
    conn.keys = NO_KEYS


def test_a_content_exchanged_under_the_finger_is_not_what_the_vote_is_for(conn: Any, db_url: str) -> None:
    """Between the look at the seal and the statement: the statement refuses what is not what was looked at."""
    conn.keys = NOW
    [pause_id] = rows.waiting(conn)
    with database.connect(db_url, NOW) as other:
        [looked] = rows.waiting(other)
    held = pauses.get(conn, looked)
    said = pauses.approve(conn, pause_id, "marta", surface="tests", shown=held.digest)
    assert said == Broken(said.now, "stale")
