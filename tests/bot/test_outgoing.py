"""What is said once is said once, composed from the present state; a private answer lapses, the rest waits for Slack."""

from dataclasses import replace
from typing import Any
from uuid import UUID

import psycopg
import pytest

from bot.cards.parts import clock
from bot.delivery.courier import Courier
from bot.delivery.outgoing import answer_later, say_due
from engine.models import Due, Outcome
from engine.state import cards, db, ledger, outage, pauses, runs
from engine.workers.sweep import Sweeper
from tests import database, rows
from tests.bot.office import Office, text_of


@pytest.fixture
def pause_id(conn: Any) -> UUID:
    [asked] = rows.waiting(conn)
    return asked


def refused(conn: Any, pause_id: UUID, person: str = "priya") -> Outcome:
    return pauses.approve(conn, pause_id, person, surface="tests")


def test_who_was_refused_hears_who_may_decide_and_until_when(
    conn: Any, pause_id: UUID, courier: Courier, office: Office
) -> None:
    answer_later(conn, refused(conn, pause_id, "jonas"), tried="approve", channel="C0BUY", user="U0JONAS")
    assert say_due(courier) == 1
    [said] = office.private("U0JONAS")
    assert "It is for Marta Keller to decide, until" in said
    assert say_due(courier) == 0


def test_a_late_answer_tells_what_holds_by_then(conn: Any, pause_id: UUID, courier: Courier, office: Office) -> None:
    answer_later(conn, refused(conn, pause_id), tried="approve", channel="C0BUY", user="U0PRIYA")
    pauses.deny(conn, pause_id, "marta", surface="tests", reason="Too dear")
    say_due(courier)
    [said] = office.private("U0PRIYA")
    assert "Already denied by Marta Keller, just now: Too dear. Nothing is done." in said


def test_a_time_that_ran_out_is_told_as_it_was_then(
    conn: Any, pause_id: UUID, courier: Courier, office: Office
) -> None:
    rows.make_due(conn, pause_id)
    tried = refused(conn, pause_id, "marta")
    assert isinstance(tried, Due)
    answer_later(conn, tried, tried="approve", channel="C0BUY", user="U0MARTA")
    assert [moved.event for moved in Sweeper(courier.pool).run()] == ["escalate"]
    say_due(courier)
    [said] = office.private("U0MARTA")
    assert f"Its time ran out at {clock(tried.now.fire_at)}, so nothing was recorded." in said


def test_an_answer_that_the_release_before_left_names_no_time_to_come(
    conn: Any, pause_id: UUID, courier: Courier, office: Office
) -> None:
    rows.make_due(conn, pause_id)
    answer_later(conn, refused(conn, pause_id, "marta"), tried="approve", channel="C0BUY", user="U0MARTA")
    conn.execute("UPDATE notice SET detail = (detail::jsonb - 'fire_at')::json WHERE detail IS NOT NULL")
    Sweeper(courier.pool).run()
    say_due(courier)
    [said] = office.private("U0MARTA")
    assert "Its time ran out, so nothing was recorded." in said


def test_a_refused_withdrawal_is_told_as_one(conn: Any, pause_id: UUID, courier: Courier, office: Office) -> None:
    tried = pauses.withdraw(conn, pause_id, "jonas", surface="tests")
    pauses.approve(conn, pause_id, "marta", surface="tests")
    answer_later(conn, tried, tried="withdraw", channel="C0BUY", user="U0JONAS")
    say_due(courier)
    assert office.private("U0JONAS") == ["Only the person it was asked for may withdraw it. Nothing was changed."]


def test_an_answer_after_five_minutes_is_not_said(conn: Any, pause_id: UUID, courier: Courier, office: Office) -> None:
    answer_later(conn, refused(conn, pause_id), tried="approve", channel="C0BUY", user="U0PRIYA")
    conn.execute("UPDATE notice SET lapses_at = lapses_at - interval '301 s'")
    assert say_due(courier) == 1
    assert office.private("U0PRIYA") == []
    assert cards.undelivered(conn) == 2  # the two cards


def test_where_we_cannot_speak_the_answer_comes_by_dm(
    conn: Any, pause_id: UUID, courier: Courier, office: Office
) -> None:
    office.change(channel="C0OPS", set={"members": ["U0PRIYA"]})
    answer_later(conn, refused(conn, pause_id), tried="approve", channel="C0OPS", user="U0PRIYA")
    answer_later(conn, refused(conn, pause_id), tried="approve", channel="U0PRIYA", user="U0PRIYA")
    say_due(courier)
    assert ["You asked for this" in m["text"] for m in office.messages("D0PRIYA")] == [True, True]


def test_the_requester_hears_how_the_run_ended(conn: Any, courier: Courier, office: Office) -> None:
    claim = rows.claimed(conn)
    runs.finish(conn, claim, "Paid <!channel> EUR 38,000.00.", runs.LastWords())
    say_due(courier)
    [said] = office.messages("D0PRIYA")
    assert said["text"].startswith("The procurement agent is done.")
    assert "Paid <!channel> EUR 38,000.00." in text_of(said["blocks"])


def test_a_run_that_stopped_says_why(conn: Any, courier: Courier, office: Office) -> None:
    runs.fail(conn, rows.claimed(conn), "The model was withdrawn.")
    say_due(courier)
    [said] = office.messages("D0PRIYA")
    assert "could not go on" in said["text"]
    assert "The model was withdrawn." in text_of(said)


def test_a_doubt_is_told_as_neither_done_nor_not_done(
    conn: Any, pause_id: UUID, courier: Courier, office: Office
) -> None:
    pauses.approve(conn, pause_id, "marta", surface="tests")
    claim = runs.claim(conn, "w2", ["procurement"], lease_s=60)
    assert claim
    begun = ledger.begin(conn, claim, rows.intent(claim.id, pause_id), lease_s=60)
    assert isinstance(begun, ledger.Begun)
    ledger.settle(conn, begun.attempt_id, "doubt", error="No answer.")
    say_due(courier)
    [said] = office.messages("D0PRIYA")
    assert "Nobody can tell yet whether" in said["text"]
    assert "finance-approver" in said["text"]


def test_a_doubt_that_is_resolved_by_then_is_not_told(
    conn: Any, pause_id: UUID, courier: Courier, office: Office
) -> None:
    cards.notify(conn, pauses.get(conn, pause_id).run_id, kind="in_doubt", dest="person:priya")
    assert say_due(courier) == 1
    assert office.messages("D0PRIYA") == []


def test_what_slack_will_never_take_has_failed_and_what_it_may_waits(
    conn: Any, pause_id: UUID, courier: Courier, office: Office
) -> None:
    run_id = pauses.get(conn, pause_id).run_id
    cards.notify(conn, run_id, kind="run_ended", dest="person:priya")
    office.fault("chat.postMessage", "rate_limited", seconds=9)
    say_due(courier)
    conn.execute("UPDATE notice SET not_before = NULL")
    office.change(user="U0PRIYA", set={"deleted": True})
    say_due(Courier(pool=courier.pool, slack=office.slack, us=courier.us, env="test"))
    [row] = conn.execute("SELECT state, error FROM notice").fetchall()
    assert row == ("failed", "user_disabled")


def test_a_notice_that_nobody_knows_how_to_say_fails_and_holds_up_no_other(
    conn: Any, pause_id: UUID, courier: Courier, office: Office
) -> None:
    run_id = pauses.get(conn, pause_id).run_id
    cards.notify(conn, run_id, kind="of_tomorrow", dest="person:priya")
    cards.notify(conn, run_id, kind="run_ended", dest="person:priya")
    assert say_due(courier) == 2
    assert len(office.messages("D0PRIYA")) == 1


def test_a_notice_outlives_a_database_that_fails_while_it_is_composed(
    conn: Any, db_url: str, pause_id: UUID, courier: Courier, office: Office
) -> None:
    cards.notify(conn, pauses.get(conn, pause_id).run_id, kind="run_ended", dest="person:priya")
    impatient = psycopg.conninfo.make_conninfo(db_url, options="-c lock_timeout=50ms")
    with database.pool(impatient, size=1) as pool, conn.transaction():
        conn.execute("LOCK TABLE run_content")
        with pytest.raises(outage.Away):
            say_due(replace(courier, pool=pool))
    assert conn.execute("SELECT state, error FROM notice").fetchall() == [("due", None)]
    conn.execute("UPDATE notice SET sender_until = clock_timestamp() - interval '1 second'")
    assert say_due(courier) == 1
    assert len(office.messages("D0PRIYA")) == 1


def test_a_person_without_slack_cannot_be_told(conn: Any, courier: Courier) -> None:
    conn.execute("DELETE FROM identity WHERE person_id = 'priya'")
    cards.notify(conn, db.SYSTEM_RUN, kind="run_ended", dest="person:priya")
    say_due(courier)
    assert conn.execute("SELECT state FROM notice").fetchall() == [("failed",)]
