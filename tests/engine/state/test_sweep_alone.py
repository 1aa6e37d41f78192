"""One pause that cannot be settled is put aside by itself, and what waits beside it goes where it must."""

import logging
from collections.abc import Sequence
from typing import Any
from uuid import UUID

import psycopg
import pytest

from engine.models import Moved
from engine.state import db, pauses
from engine.state.pauses import NextStep
from engine.workers import sweep
from engine.workers.sweep import Sweeper
from tests import rows

OF_A_LATER_RELEASE = (
    "UPDATE pause_content SET document = changed.text, digest = pause_digest_v1(changed.text)"
    ' FROM (SELECT replace(document, \'"tolerance_bp":\', \'"a_later_key":1,"tolerance_bp":\') AS text FROM pause_content WHERE pause_id = %s) changed'
    " WHERE pause_id = %s"
)


@pytest.fixture(autouse=True)
def _own(by_hand: None) -> None:
    """Contents are made by hand here."""


def due(conn: Any, count: int = 1) -> list[UUID]:
    found = [pause_id for _ in range(count) for pause_id in rows.waiting(conn)]
    for pause_id in found:
        rows.make_due(conn, pause_id)
    return found


def swept(db_url: str) -> list[UUID]:
    with db.pool(db_url, size=1) as pool:
        return [moved.pause_id for moved in Sweeper(pool).run()]


def stuck(conn: Any) -> list[UUID]:
    return [one for (one,) in conn.execute("SELECT id FROM run_pause WHERE stuck_at IS NOT NULL").fetchall()]


def test_one_that_a_later_release_asked_is_put_aside_and_the_others_are_settled(
    conn: Any, db_url: str, caplog: pytest.LogCaptureFixture
) -> None:
    first, odd, last = due(conn, 3)
    conn.execute(OF_A_LATER_RELEASE, (odd, odd))
    with caplog.at_level(logging.ERROR):
        assert set(swept(db_url)) == {first, last}
    assert stuck(conn) == [odd]
    assert f"pause {odd} cannot be settled and is put aside" in caplog.text


def test_what_was_put_aside_is_tried_again_after_an_hour_and_is_in_the_way_no_more_once_it_moves(
    conn: Any, db_url: str
) -> None:
    [pause_id] = due(conn)
    pauses.mark_stuck(conn, pause_id)
    assert swept(db_url) == []
    [line] = pauses.waiting(conn)
    assert line.stuck_at is not None
    conn.execute("UPDATE run_pause SET stuck_at = stuck_at - interval '1 hour'")
    assert swept(db_url) == [pause_id]
    assert stuck(conn) == []


def test_a_click_moves_it_out_of_that_too(conn: Any, db_url: str) -> None:
    [pause_id] = due(conn)
    pauses.mark_stuck(conn, pause_id)
    with db.pool(db_url, size=1) as pool:
        assert [moved.event for moved in Sweeper(pool).settle_one(pause_id)] == ["escalate"]
    assert stuck(conn) == []


@pytest.mark.parametrize("error", [psycopg.errors.QueryCanceled, psycopg.errors.LockNotAvailable])
def test_a_statement_that_takes_too_long_is_halved_and_no_outage(
    conn: Any, db_url: str, monkeypatch: pytest.MonkeyPatch, error: type[psycopg.Error]
) -> None:
    all_due = due(conn, 5)
    settle = pauses.settle_due

    def slow_with_one(conn: Any, steps: Sequence[NextStep], *, surface: str) -> list[Moved]:
        if all_due[2] in [step.pause_id for step in steps]:
            raise error
        return settle(conn, steps, surface=surface)

    monkeypatch.setattr(pauses, "settle_due", slow_with_one)
    assert set(swept(db_url)) == set(all_due) - {all_due[2]}
    assert stuck(conn) == []
    monkeypatch.setattr(pauses, "settle_due", settle)
    assert swept(db_url) == [all_due[2]]


def test_a_database_that_is_too_slow_for_all_is_away(conn: Any, db_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    due(conn, 3)

    def slow(conn: Any, steps: Sequence[NextStep], *, surface: str) -> list[Moved]:
        raise psycopg.errors.QueryCanceled

    monkeypatch.setattr(pauses, "settle_due", slow)
    monkeypatch.setattr(sweep, "MOST_TIMEOUTS", 2)
    with pytest.raises(psycopg.errors.QueryCanceled):
        swept(db_url)


def test_one_whose_calendar_is_never_open_is_put_aside(conn: Any, db_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    [one, other] = due(conn, 2)

    def never(due: Any, known: Any) -> NextStep:
        if due.id == one:
            raise ValueError("the calendar is not open")
        return NextStep(pause_id=due.id, level=due.level, next=None)

    monkeypatch.setattr(sweep, "_next_step", never)
    assert swept(db_url) == [other]
    assert stuck(conn) == [one]
