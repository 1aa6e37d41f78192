"""Doing it once: what must hold before an effect, and what is on record of it."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any
from uuid import UUID, uuid4

import pytest

from engine.errors import NotFound
from engine.models import Claim, Decided
from engine.state import cards, events, halts, ledger, pauses, runs
from tests import rows


def begin(conn: Any, claim: Claim, intent: ledger.Intent) -> ledger.Begun | ledger.NotBegun:
    return ledger.begin(conn, claim, intent, lease_s=60)


def succeed(conn: Any, attempt_id: UUID, receipt: str = "pi_1") -> ledger.Settled:
    return ledger.settle(conn, attempt_id, "succeed", receipt={"id": receipt}, result=rows.PAID)


def effect_of(conn: Any, run_id: UUID, n: int = 0) -> tuple[str, Any, int]:
    """(status, receipt, attempts) of a run's effect."""
    line = ledger.of_run(conn, run_id)[n]
    return line.status, line.receipt, line.attempts


def attempts(conn: Any, effect: ledger.Begun) -> list[str]:
    return [
        status for (status,) in conn.execute(
            "SELECT status FROM effect_attempt WHERE effect_id = %s ORDER BY started_at, id", (effect.effect_id,)
        )
    ]  # fmt: skip


def taken_over(conn: Any, claim: Claim) -> Claim:
    """The run, claimed by another worker since its lease was over."""
    rows.lose_lease(conn, claim.id)
    new = runs.claim(conn, "w2", ["procurement"], lease_s=60)
    assert new is not None
    return new


def last_detail(conn: Any, run_id: UUID) -> tuple[str, str, str | None, str | None]:
    """(from, event, to, detail) of the newest event of the run's effects."""
    last = [e for e in events.of_run(conn, run_id) if e.entity == "effect"][-1]
    return last.from_status, last.event, last.to_status, last.detail


# ---------------------------------------------------------------------------------------------------------------- begin


def test_what_was_approved_begins_with_an_attempt_on_record(conn: Any) -> None:
    claim, [pause_id], effect = rows.begun(conn)
    opened = ledger.opened(conn, claim.id, 1, 0)
    assert opened is not None
    assert (opened.effect_id, opened.attempt_id) == (effect.effect_id, effect.attempt_id)
    assert (opened.pause_id, opened.status, opened.attempt_status, opened.tries) == (pause_id, "attempted", "open", 1)
    assert opened.action == rows.intent(claim.id, pause_id).action
    assert (opened.call_deadline - opened.started_at).total_seconds() == 20
    assert runs.load(conn, claim.id).open_effects == 1
    assert ledger.opened(conn, claim.id, 1, 1) is None
    rows.consistent(conn)


def test_the_lease_outlives_the_call(conn: Any) -> None:
    claim, _ = rows.approved(conn)
    [pause_id] = runs.get(conn, claim.id).pauses
    begin(conn, claim, replace(rows.intent(claim.id, pause_id), call_s=300))
    longer = "SELECT lease_until > clock_timestamp() + interval '300 seconds' FROM run_lease WHERE run_id = %s"
    assert conn.execute(longer, (claim.id,)).fetchone() == (True,)


def test_what_policy_allows_begins_without_a_pause(conn: Any) -> None:
    claim = rows.claimed(conn)
    rows.replied(conn, claim)
    assert isinstance(begin(conn, claim, rows.intent(claim.id, None)), ledger.Begun)


def _halt(conn: Any, claim: Claim, pause_id: UUID) -> None:
    assert halts.halt(conn, actor="otto", surface="tests") == "halt"


def _hold(conn: Any, claim: Claim, pause_id: UUID) -> None:
    runs.hold(conn, claim.id, actor="otto", surface="tests")


def _withdraw(conn: Any, claim: Claim, pause_id: UUID) -> None:
    assert isinstance(pauses.withdraw(conn, pause_id, "priya", surface="tests"), Decided)


def _alter(conn: Any, claim: Claim, pause_id: UUID) -> None:
    rows.alter_document(conn, pause_id)


def _alter_beyond_reading(conn: Any, claim: Claim, pause_id: UUID) -> None:
    rows.alter_document(conn, pause_id, "no JSON at all")


def _let_time_pass(conn: Any, claim: Claim, pause_id: UUID) -> None:
    conn.execute("UPDATE run_pause SET decided_at = decided_at - interval '86401 seconds' WHERE id = %s", (pause_id,))


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (_halt, "halted"), (_hold, "held"), (_withdraw, "not_approved"), (_alter, "altered"), (_alter_beyond_reading, "altered"),
        (_let_time_pass, "late"),
    ],
)  # fmt: skip
@pytest.mark.usefixtures("by_hand")
def test_nothing_begins_when_something_no_longer_holds(conn: Any, change: Callable[..., None], why: str) -> None:
    claim, [pause_id] = rows.approved(conn)
    change(conn, claim, pause_id)
    assert begin(conn, claim, rows.intent(claim.id, pause_id)) == ledger.NotBegun(why)
    assert ledger.of_run(conn, claim.id) == []
    assert last_detail(conn, claim.id) == ("new", "attempt", None, why)
    assert runs.load(conn, claim.id).open_effects == 0


def test_another_action_than_the_approved_one_never_begins(conn: Any) -> None:
    claim, [first, second] = rows.approved(conn, 2)
    mine, other = rows.intent(claim.id, first), rows.intent(claim.id, second, n=1)
    for forged in (
        replace(mine, action=mine.action.replace("sup_412", "sup_413")),  # its text is not what its digest says
        replace(mine, action=other.action, digest=other.digest),  # sound by itself, and approved for another call
        replace(mine, digest=other.digest),
    ):
        assert begin(conn, claim, forged) == ledger.NotBegun("altered")
    assert begin(conn, claim, replace(mine, n=1)) == ledger.NotBegun("not_approved")
    assert begin(conn, claim, replace(mine, pause_id=uuid4())) == ledger.NotBegun("not_approved")
    assert ledger.of_run(conn, claim.id) == []


@pytest.mark.usefixtures("by_hand")
@pytest.mark.parametrize("status", ["denied", "expired", "superseded", "voided", "executed", "failed"])
def test_only_an_approved_pause_lets_an_effect_begin(conn: Any, status: str) -> None:
    claim, [pause_id] = rows.approved(conn)
    left = int(status == "denied")  # what was denied lacked an approval
    conn.execute("UPDATE run_pause SET status = %s, votes_left = %s WHERE id = %s", (status, left, pause_id))
    assert begin(conn, claim, rows.intent(claim.id, pause_id)) == ledger.NotBegun("not_approved")


def test_an_effect_begins_once(conn: Any) -> None:
    claim, [pause_id], effect = rows.begun(conn)
    assert begin(conn, claim, rows.intent(claim.id, pause_id)) == ledger.NotBegun("exists")
    assert begin(conn, taken_over(conn, claim), rows.intent(claim.id, pause_id)) == ledger.NotBegun("exists")
    assert attempts(conn, effect) == ["open"]
    assert runs.load(conn, claim.id).open_effects == 1


def test_once_begun_the_pause_can_only_be_reconciled(conn: Any) -> None:
    claim, [pause_id], _ = rows.begun(conn)
    assert not isinstance(pauses.deny(conn, pause_id, "marta", surface="tests"), Decided)
    assert not isinstance(pauses.withdraw(conn, pause_id, "priya", surface="tests"), Decided)
    assert runs.cancel(conn, claim.id, actor="priya", person="priya", surface="tests") == "cancelling"
    assert pauses.get(conn, pause_id).status == "approved"


# --------------------------------------------------------------------------------------------------------------- settle


def test_a_receipt_settles_effect_pause_call_and_count_together(conn: Any) -> None:
    claim, [pause_id], effect = rows.begun(conn)
    assert succeed(conn, effect.attempt_id) == ledger.Settled(
        outcome="succeed", run_status="running", epoch=claim.epoch
    )
    pause, run = pauses.get(conn, pause_id), runs.load(conn, claim.id)
    assert (pause.status, pause.receipt, pause.effect_status, pause.decided_by) == (
        "executed",
        {"id": "pi_1"},
        "done",
        "marta",
    )
    assert (run.calls[0].state, run.calls[0].result, run.open_effects) == ("settled", rows.PAID, 0)
    assert attempts(conn, effect) == ["done"]
    assert {c.wanted for c in cards.of_pause(conn, pause_id)} == {4}  # opened, decided, begun, settled
    rows.consistent(conn)


def test_a_sure_no_settles_as_failed(conn: Any) -> None:
    claim, [pause_id], effect = rows.begun(conn)
    told = {"text": "card declined", "is_error": True}
    settled = ledger.settle(conn, effect.attempt_id, "fail", result=told, error="card_declined")
    assert (settled.outcome, settled.run_status) == ("fail", "running")
    pause = pauses.get(conn, pause_id)
    assert (pause.status, pause.effect_status, pause.effect_error, pause.receipt) == (
        "failed",
        "failed",
        "card_declined",
        None,
    )
    assert last_detail(conn, claim.id) == ("attempted", "fail", "failed", "card_declined")


def test_a_receipt_counts_whoever_has_the_run_by_now(conn: Any) -> None:
    claim, [pause_id], effect = rows.begun(conn)
    new = taken_over(conn, claim)
    assert succeed(conn, effect.attempt_id) == ledger.Settled(outcome="succeed", run_status="running", epoch=new.epoch)
    assert pauses.get(conn, pause_id).status == "executed"
    runs.renew(conn, new, lease_s=60)  # and the run stays the new worker's


def test_the_first_outcome_stands_and_a_later_one_is_kept_in_the_record(conn: Any) -> None:
    claim, _, effect = rows.begun(conn)
    succeed(conn, effect.attempt_id)
    for verdict, detail in (("fail", "settled: declined"), ("doubt", "settled: declined")):
        again = ledger.settle(conn, effect.attempt_id, verdict, error="declined", result=rows.PAID)  # type: ignore[arg-type]
        assert again.outcome == "settled"
        assert last_detail(conn, claim.id) == ("done", verdict, None, detail)
    assert succeed(conn, effect.attempt_id, "pi_2").outcome == "settled"
    assert last_detail(conn, claim.id) == ("done", "succeed", None, 'settled: {"id": "pi_2"}')
    assert effect_of(conn, claim.id) == ("done", {"id": "pi_1"}, 1)


def test_an_unknown_attempt_is_said_not_to_exist(conn: Any) -> None:
    with pytest.raises(NotFound, match="does not exist"):
        succeed(conn, uuid4())


def test_a_held_run_stops_when_its_effect_is_settled(conn: Any) -> None:
    claim, _, effect = rows.begun(conn)
    assert runs.hold(conn, claim.id, actor="otto", surface="tests") == "pausing"
    assert succeed(conn, effect.attempt_id).run_status == "paused"


# --------------------------------------------------------------------------------------------------- repeat and replace


def test_the_same_key_is_tried_again_and_counted(conn: Any) -> None:
    claim, _, effect = rows.begun(conn)
    new = taken_over(conn, claim)
    assert ledger.repeat(conn, new, effect.attempt_id, within_s=60, call_s=30, lease_s=60) == "repeat"
    opened = ledger.opened(conn, claim.id, 1, 0)
    assert opened is not None
    assert (opened.attempt_id, opened.tries, opened.attempt_status) == (effect.attempt_id, 2, "open")
    assert 29 < (opened.call_deadline - opened.now).total_seconds() <= 30


def test_an_attempt_that_is_settled_is_not_repeated_though_its_effect_is_tried_anew(conn: Any) -> None:
    claim, _, effect = rows.begun(conn)
    rows.end_call(conn, effect.attempt_id)
    fresh = ledger.replace(conn, claim, effect.effect_id, call_s=30, lease_s=60)
    assert isinstance(fresh, UUID)
    assert ledger.repeat(conn, claim, effect.attempt_id, within_s=60, call_s=30, lease_s=60) == "settled"
    assert attempts(conn, effect) == ["absent", "open"]


def test_nothing_is_repeated_when_it_is_settled_or_halted(conn: Any) -> None:
    claim, _, effect = rows.begun(conn)
    _halt(conn, claim, effect.effect_id)
    assert ledger.repeat(conn, claim, effect.attempt_id, within_s=60, call_s=30, lease_s=60) == "halted"
    rows.end_call(conn, effect.attempt_id)
    assert ledger.replace(conn, claim, effect.effect_id, call_s=30, lease_s=60) == "halted"
    succeed(conn, effect.attempt_id)
    assert ledger.repeat(conn, claim, effect.attempt_id, within_s=60, call_s=30, lease_s=60) == "settled"
    assert ledger.replace(conn, claim, effect.effect_id, call_s=30, lease_s=60) == "settled"
    assert attempts(conn, effect) == ["done"]


def test_an_attempt_is_replaced_only_after_its_call_surely_ended(conn: Any) -> None:
    claim, _, effect = rows.begun(conn)
    assert ledger.replace(conn, claim, effect.effect_id, call_s=30, lease_s=60) == "settled"
    assert attempts(conn, effect) == ["open"]
    rows.end_call(conn, effect.attempt_id)
    fresh = ledger.replace(conn, claim, effect.effect_id, call_s=30, lease_s=60)
    assert isinstance(fresh, UUID)
    assert attempts(conn, effect) == ["absent", "open"]
    assert succeed(conn, fresh).outcome == "succeed"
    assert effect_of(conn, claim.id) == ("done", {"id": "pi_1"}, 2)


def test_a_receipt_of_an_attempt_thought_absent_is_recorded_and_the_new_one_is_not_repeated(conn: Any) -> None:
    claim, [pause_id], effect = rows.begun(conn)
    rows.end_call(conn, effect.attempt_id)
    fresh = ledger.replace(conn, claim, effect.effect_id, call_s=30, lease_s=60)
    assert isinstance(fresh, UUID)
    assert succeed(conn, effect.attempt_id, "pi_old").outcome == "succeed"
    assert effect_of(conn, claim.id)[:2] == ("done", {"id": "pi_old"})
    assert pauses.get(conn, pause_id).status == "executed"
    assert ledger.repeat(conn, claim, fresh, within_s=60, call_s=30, lease_s=60) == "settled"
    assert succeed(conn, fresh, "pi_new").outcome == "settled"
    assert last_detail(conn, claim.id) == ("done", "succeed", None, 'settled: {"id": "pi_new"}')


def test_a_late_no_of_an_attempt_thought_absent_says_nothing_of_the_new_one(conn: Any) -> None:
    claim, _, effect = rows.begun(conn)
    rows.end_call(conn, effect.attempt_id)
    fresh = ledger.replace(conn, claim, effect.effect_id, call_s=30, lease_s=60)
    assert isinstance(fresh, UUID)
    assert ledger.settle(conn, effect.attempt_id, "fail", result=rows.PAID, error="declined").outcome == "settled"
    assert attempts(conn, effect) == ["absent", "open"]
    assert effect_of(conn, claim.id)[0] == "attempted"


@pytest.mark.parametrize("doubted", [False, True])
def test_a_no_says_nothing_of_the_call_that_another_worker_made_since(conn: Any, *, doubted: bool) -> None:
    claim, [pause_id], effect = rows.begun(conn)
    new = taken_over(conn, claim)
    assert ledger.repeat(conn, new, effect.attempt_id, within_s=60, call_s=30, lease_s=60) == "repeat"
    if doubted:
        assert ledger.settle(conn, effect.attempt_id, "doubt", error="no answer").outcome == "doubt"
    late = ledger.settle(
        conn, effect.attempt_id, "fail", epoch=claim.epoch, result=rows.PAID, error="the key was revoked"
    )
    assert (late.outcome, late.epoch) == ("settled", new.epoch)
    assert last_detail(conn, claim.id)[1:] == ("fail", None, "settled: the key was revoked")
    assert pauses.get(conn, pause_id).status == "approved"
    assert succeed(conn, effect.attempt_id).outcome == "succeed"
    assert effect_of(conn, claim.id) == ("done", {"id": "pi_1"}, 1)


@pytest.mark.parametrize("said_by", ["who called", "who called again", "who looked"])
def test_a_no_counts_when_nobody_has_called_since(conn: Any, said_by: str) -> None:
    claim, _, effect = rows.begun(conn)
    new = taken_over(conn, claim)
    if said_by == "who called again":
        assert ledger.repeat(conn, new, effect.attempt_id, within_s=60, call_s=30, lease_s=60) == "repeat"
    epoch = claim.epoch if said_by == "who called" else new.epoch
    settled = ledger.settle(conn, effect.attempt_id, "fail", epoch=epoch, result=rows.PAID, error="declined")
    assert settled.outcome == "fail"
    assert effect_of(conn, claim.id)[0] == "failed"


def test_a_key_that_may_be_forgotten_by_now_is_not_used_again(conn: Any) -> None:
    claim, _, effect = rows.begun(conn)
    assert ledger.repeat(conn, claim, effect.attempt_id, within_s=0, call_s=30, lease_s=60) == "over"
    assert last_detail(conn, claim.id) == ("attempted", "repeat", None, "over")
    opened = ledger.opened(conn, claim.id, 1, 0)
    assert opened is not None
    assert opened.tries == 1
    assert ledger.repeat(conn, claim, effect.attempt_id, within_s=60, call_s=30, lease_s=60) == "repeat"


def test_an_approval_of_another_step_or_another_place_begins_nothing(conn: Any) -> None:
    for moved in ("step = step + 1", "n = n + 7"):
        claim, [pause_id] = rows.approved(conn)
        conn.execute(f"UPDATE run_pause SET {moved} WHERE id = %s", (pause_id,))
        assert begin(conn, claim, rows.intent(claim.id, pause_id)) == ledger.NotBegun("not_approved")
        assert ledger.of_run(conn, claim.id) == []


def test_what_was_carried_out_stays_so_when_the_run_is_withdrawn_during_the_next_call(conn: Any) -> None:
    claim, [first, second], effect = rows.begun(conn, 2)
    succeed(conn, effect.attempt_id, "pi_1")
    after = begin(conn, claim, rows.intent(claim.id, second, n=1))
    assert isinstance(after, ledger.Begun)
    runs.cancel(conn, claim.id, actor="priya", person="priya", surface="tests")
    assert succeed(conn, after.attempt_id, "pi_2").run_status == "cancelled"
    assert [pauses.get(conn, each).status for each in (first, second)] == ["executed", "executed"]


def test_what_came_of_a_call_is_the_answer_to_that_call_alone_not_to_the_one_in_its_place_a_step_before(
    conn: Any,
) -> None:
    claim, _, effect = rows.begun(conn)
    rows.add_call_of_the_step_before(conn, claim.id)
    assert succeed(conn, effect.attempt_id).outcome == "succeed"
    told = conn.execute("SELECT step, state FROM run_call WHERE run_id = %s ORDER BY step", (claim.id,)).fetchall()
    assert told == [(0, "requested"), (1, "settled")]


def test_what_must_be_approved_is_never_begun_as_if_it_were_allowed(conn: Any) -> None:
    [pause_id] = rows.waiting(conn)
    pauses.approve(conn, pause_id, "marta", surface="tests")
    mine = runs.claim(conn, "w2", ["procurement"], lease_s=60)
    assert mine is not None
    assert ledger.begin(conn, mine, rows.intent(mine.id, None), lease_s=60) == ledger.NotBegun("not_approved")
    assert ledger.opened(conn, mine.id, 1, 0) is None
