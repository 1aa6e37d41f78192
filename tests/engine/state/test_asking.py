"""A run that stops on people, and how runs end."""

from dataclasses import replace
from typing import Any

import psycopg
import pytest

from engine.errors import LeaseLost
from engine.models import Decided
from engine.state import cards, ledger, pauses, runs
from tests import rows


def notices(conn: Any) -> list[tuple[str, str]]:
    return [(n.kind, n.dest) for n in cards.claim_notices(conn, limit=10, lease_s=10)]


# ------------------------------------------------------------------------------------------------------------------ ask


def test_asking_opens_the_pauses_with_all_they_hold_and_lets_the_run_go(conn: Any) -> None:
    mine = rows.claimed(conn)
    rows.replied(conn, mine, 2)
    asks = [rows.asked(conn, mine, n) for n in range(2)]
    runs.ask(conn, mine, asks)
    run = runs.get(conn, mine.id)
    assert (run.status, run.waiting_pauses, run.pauses) == ("awaiting_approval", 2, [a.id for a in asks])
    for ask in asks:
        pause = pauses.get(conn, ask.id)
        assert pause.content == ask.content
        assert (pause.fire_at - pause.created_at).total_seconds() == 14400
        assert [(c.kind, c.dest) for c in cards.of_pause(conn, ask.id)] == [(c.kind, c.dest) for c in ask.cards]
    assert [c.pause_id for c in runs.load(conn, mine.id).calls] == [a.id for a in asks]
    with pytest.raises(LeaseLost):
        runs.renew(conn, mine, lease_s=60)
    rows.consistent(conn)


def test_a_pause_that_is_replaced_says_so_and_names_the_new_one(conn: Any) -> None:
    mine, [old, other] = rows.approved(conn, 2)
    new = rows.asked(conn, mine)
    runs.ask(conn, mine, [new], superseded=[old], reason="The price moved.")
    replaced = pauses.get(conn, old)
    assert (replaced.status, replaced.reason, replaced.superseded_by) == ("superseded", "The price moved.", new.id)
    assert {c.wanted for c in cards.of_pause(conn, old)} == {3}
    assert pauses.get(conn, other).status == "approved"
    assert runs.load(conn, mine.id).calls[0].pause_id == new.id
    rows.consistent(conn)
    outcome = pauses.approve(conn, new.id, "marta", surface="tests")
    assert isinstance(outcome, Decided)
    assert outcome.now.run_status == "queued"


def test_what_a_later_turn_asks_in_the_same_place_replaces_nothing(conn: Any) -> None:
    [denied] = rows.waiting(conn)
    pauses.deny(conn, denied, "marta", surface="tests")
    mine = runs.claim(conn, "w1", ["procurement"], lease_s=60)
    assert mine is not None
    runs.save_results(conn, mine, {0: {"text": "It was denied.", "is_error": True}})
    rows.replied(conn, mine)
    runs.ask(conn, mine, [rows.asked(conn, mine, step=2)])
    assert pauses.get(conn, denied).superseded_by is None


def test_an_approver_is_reminded_later_and_the_requester_is_not(conn: Any) -> None:
    [pause_id] = rows.waiting(conn, need=replace(rows.NEED, remind_after_s=3600))
    assert notices(conn) == []
    conn.execute("UPDATE notice SET not_before = not_before - interval '59 minutes'")
    assert notices(conn) == []
    conn.execute("UPDATE notice SET not_before = not_before - interval '1 minute'")
    [reminder] = cards.claim_notices(conn, limit=10, lease_s=10)
    assert (reminder.kind, reminder.dest, reminder.pause_id, reminder.detail) == (
        "reminder",
        "channel:C0BUY",
        pause_id,
        {"level": 0},
    )


def test_nobody_is_reminded_of_what_is_over_by_then(conn: Any) -> None:
    rows.waiting(conn, need=replace(rows.NEED, remind_after_s=14400))
    assert conn.execute("SELECT count(*) FROM notice").fetchone() == (0,)


def test_what_waits_for_an_hour_to_come_costs_an_idle_sender_nothing(conn: Any) -> None:
    rows.waiting(conn, need=replace(rows.NEED, remind_after_s=3600))
    for card in cards.claim(conn, limit=10, lease_s=1):
        cards.painted(conn, card, channel="C0BUY", ts="1.1")
    assert not cards.any_due(conn)


def test_what_was_withdrawn_meanwhile_is_not_replaced(conn: Any) -> None:
    mine, [old] = rows.approved(conn)
    pauses.withdraw(conn, old, "priya", surface="tests")
    with pytest.raises(LeaseLost):
        runs.ask(conn, mine, [rows.asked(conn, mine)], superseded=[old], reason="The price moved.")
    run = runs.get(conn, mine.id)
    assert (run.status, run.pauses) == ("running", [old])
    assert pauses.get(conn, old).status == "cancelled"


def test_nothing_is_asked_while_an_effect_is_open(conn: Any) -> None:
    mine, _, _ = rows.begun(conn, 2)
    with pytest.raises(LeaseLost):
        runs.ask(conn, mine, [rows.asked(conn, mine, 1)])


def test_a_call_never_waits_twice_at_once(conn: Any) -> None:
    mine = rows.claimed(conn)
    rows.replied(conn, mine)
    with pytest.raises(psycopg.errors.UniqueViolation):
        runs.ask(conn, mine, [rows.asked(conn, mine), rows.asked(conn, mine)])
    assert runs.get(conn, mine.id).pauses == []


def test_the_rows_themselves_hold_no_second_waiting_request_of_a_call(conn: Any) -> None:
    [pause_id] = rows.waiting(conn)
    with pytest.raises(psycopg.errors.UniqueViolation) as caught:
        conn.execute(
            "INSERT INTO run_pause SELECT (jsonb_populate_record(p, jsonb_build_object('id', gen_random_uuid()))).* FROM run_pause p WHERE id = %s",
            (pause_id,),
        )
    assert caught.value.diag.constraint_name == "run_pause_one_waiting"


# ------------------------------------------------------------------------------------------------------------------ end


def test_the_last_word_ends_the_run_and_tells_the_requester(conn: Any) -> None:
    mine = rows.claimed(conn)
    runs.finish(conn, mine, "Paid.", runs.LastWords())
    run = runs.get(conn, mine.id)
    assert (run.status, run.result, run.error) == ("done", "Paid.", None)
    assert notices(conn) == [("run_ended", "person:priya")]


def test_a_run_does_not_end_while_an_effect_is_open(conn: Any) -> None:
    mine, _, _ = rows.begun(conn)
    with pytest.raises(LeaseLost):
        runs.finish(conn, mine, "Paid.", runs.LastWords())
    with pytest.raises(LeaseLost):
        runs.fail(conn, mine, "It cannot go on.")
    assert runs.get(conn, mine.id).status == "running"


def test_a_failure_calls_off_what_was_approved_and_says_why(conn: Any) -> None:
    mine, [pause_id] = rows.approved(conn)
    runs.fail(conn, mine, "The budget is spent.", runs.LastWords(messages=(rows.REPLY,), replies=1, tokens=5))
    run, pause = runs.get(conn, mine.id), pauses.get(conn, pause_id)
    assert (run.status, run.error, run.tokens) == ("error", "The budget is spent.", 105)
    assert (pause.status, pause.reason, pause.decided_by) == ("cancelled", "the run ended: The budget is spent.", None)
    assert notices(conn) == [("run_ended", "person:priya")]


def test_a_void_ends_the_run_does_nothing_and_names_who_had_approved(conn: Any) -> None:
    mine, [gone, other] = rows.approved(conn, 2)
    runs.void(conn, mine, [gone], "The grant is gone.")
    voided, called_off = pauses.get(conn, gone), pauses.get(conn, other)
    assert (voided.status, voided.reason, voided.decided_by) == ("voided", "The grant is gone.", "marta")
    assert (called_off.status, called_off.reason, called_off.decided_by) == ("cancelled", "The grant is gone.", None)
    assert (runs.get(conn, mine.id).status, ledger.of_run(conn, mine.id)) == ("error", [])
    assert notices(conn) == [("run_ended", "person:priya")]
    rows.consistent(conn)


def test_nothing_is_voided_while_it_is_being_carried_out(conn: Any) -> None:
    mine, [pause_id], _ = rows.begun(conn)
    with pytest.raises(LeaseLost):
        runs.void(conn, mine, [pause_id], "The grant is gone.")
    assert pauses.get(conn, pause_id).status == "approved"
