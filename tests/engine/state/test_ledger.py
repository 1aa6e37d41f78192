"""Doing it once: what must hold before an effect, what is on record of it, and what people say of one in doubt."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any
from uuid import UUID, uuid4

import pytest

from engine.errors import Conflict, NotFound
from engine.models import Claim, Decided
from engine.state import cards, events, ledger, pauses, runs
from tests import rows


def begin(conn: Any, claim: Claim, intent: ledger.Intent) -> ledger.Begun | ledger.NotBegun:
    return ledger.begin(conn, claim, intent, lease_s=60)


def succeed(conn: Any, attempt_id: UUID, receipt: str = "pi_1") -> ledger.Settled:
    return ledger.settle(conn, attempt_id, "succeed", receipt={"id": receipt}, result=rows.PAID)


def resolve(conn: Any, effect: ledger.Begun, answer: Any, actor: str = "marta", reference: str = "") -> str:
    return ledger.resolve(conn, effect.effect_id, answer, actor=actor, surface="tests", reference=reference)


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


# ----------------------------------------------------------------------------------------------------------------- begin


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
    conn.execute("INSERT INTO halt (halted_by) VALUES ('otto')")


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


@pytest.mark.parametrize("status", ["denied", "expired", "superseded", "voided", "executed", "failed"])
def test_only_an_approved_pause_lets_an_effect_begin(conn: Any, status: str) -> None:
    claim, [pause_id] = rows.approved(conn)
    conn.execute("UPDATE run_pause SET status = %s WHERE id = %s", (status, pause_id))
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


# ---------------------------------------------------------------------------------------------------------------- settle


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


# ----------------------------------------------------------------------------------------------------- repeat and replace


def test_the_same_key_is_tried_again_and_counted(conn: Any) -> None:
    claim, _, effect = rows.begun(conn)
    new = taken_over(conn, claim)
    assert ledger.repeat(conn, new, effect.attempt_id, call_s=30, lease_s=60) == "repeat"
    opened = ledger.opened(conn, claim.id, 1, 0)
    assert opened is not None
    assert (opened.attempt_id, opened.tries, opened.attempt_status) == (effect.attempt_id, 2, "open")
    assert 29 < (opened.call_deadline - opened.now).total_seconds() <= 30


def test_nothing_is_repeated_when_it_is_settled_or_halted(conn: Any) -> None:
    claim, _, effect = rows.begun(conn)
    _halt(conn, claim, effect.effect_id)
    assert ledger.repeat(conn, claim, effect.attempt_id, call_s=30, lease_s=60) == "halted"
    rows.end_call(conn, effect.attempt_id)
    assert ledger.replace(conn, claim, effect.effect_id, call_s=30, lease_s=60) == "halted"
    succeed(conn, effect.attempt_id)
    assert ledger.repeat(conn, claim, effect.attempt_id, call_s=30, lease_s=60) == "settled"
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
    assert ledger.repeat(conn, claim, fresh, call_s=30, lease_s=60) == "settled"
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


# ----------------------------------------------------------------------------------------------------------------- doubt


def test_a_doubt_stops_the_run_and_tells_the_requester(conn: Any) -> None:
    claim, [pause_id], effect = rows.doubted(conn)
    assert runs.get(conn, claim.id).status == "in_doubt"
    assert pauses.get(conn, pause_id).status == "approved"
    assert attempts(conn, effect) == ["unknown"]
    [line] = ledger.in_doubt(conn)
    assert (line.id, line.pause_id, line.error, line.doubt_role) == (
        effect.effect_id,
        pause_id,
        "no answer",
        "finance-approver",
    )
    assert ledger.find(conn, effect.effect_id.hex[-6:]) == [effect.effect_id]
    assert [(n.kind, n.dest) for n in cards.claim_notices(conn, limit=5, lease_s=5)] == [("in_doubt", "person:priya")]
    assert runs.claim(conn, "w2", ["procurement"], lease_s=60) is None
    rows.consistent(conn)


def test_a_doubt_told_late_stops_the_run_wherever_it_is(conn: Any) -> None:
    claim, _, effect = rows.begun(conn)
    assert runs.release(conn, claim, "w1")
    assert runs.hold(conn, claim.id, actor="otto", surface="tests") == "paused"
    assert ledger.settle(conn, effect.attempt_id, "doubt", error="no answer").run_status == "in_doubt"
    assert resolve(conn, effect, "retry") == "retry"
    assert runs.get(conn, claim.id).status == "paused"


def test_it_happened_settles_it_with_the_reference_and_the_run_goes_on(conn: Any) -> None:
    claim, [pause_id], effect = rows.doubted(conn)
    assert resolve(conn, effect, "happened", reference="pi_77") == "happened"
    pause, run = pauses.get(conn, pause_id), runs.load(conn, claim.id)
    assert (pause.status, pause.receipt) == ("executed", {"reference": "pi_77", "said_by": "marta"})
    assert (run.status, run.open_effects, run.calls[0].state) == ("queued", 0, "settled")
    assert "pi_77" in (run.calls[0].result or {})["text"]
    assert ledger.in_doubt(conn) == []
    rows.consistent(conn)


def test_it_did_not_happen_lets_it_be_tried_again_with_a_fresh_key(conn: Any) -> None:
    claim, [pause_id], effect = rows.doubted(conn)
    assert resolve(conn, effect, "retry") == "retry"
    assert (pauses.get(conn, pause_id).status, attempts(conn, effect)) == ("approved", ["absent"])
    again = runs.claim(conn, "w2", ["procurement"], lease_s=60)
    assert again is not None
    fresh = ledger.replace(conn, again, effect.effect_id, call_s=20, lease_s=60)
    assert isinstance(fresh, UUID)
    assert succeed(conn, fresh).run_status == "running"
    assert effect_of(conn, claim.id) == ("done", {"id": "pi_1"}, 2)


def test_stop_ends_the_run_without_knowing(conn: Any) -> None:
    claim, [pause_id, sibling], effect = rows.doubted(conn, 2)
    assert resolve(conn, effect, "stop") == "stop"
    run = runs.get(conn, claim.id)
    assert (run.status, run.error) == ("error", "ended in doubt by marta")
    assert pauses.get(conn, pause_id).status == "failed"
    called_off = pauses.get(conn, sibling)
    assert (called_off.status, called_off.decided_by, called_off.reason) == (
        "cancelled",
        None,
        "ended in doubt by marta",
    )
    assert effect_of(conn, claim.id)[0] == "abandoned"
    assert {n.kind for n in cards.claim_notices(conn, limit=5, lease_s=5)} == {"in_doubt", "run_ended"}
    rows.consistent(conn)


@pytest.mark.parametrize(
    ("actor", "why"), [("priya", "own"), ("otto", "not_yours"), ("lena", "not_yours"), ("nobody", "not_yours")]
)  # fmt: skip
@pytest.mark.parametrize("answer", ["happened", "retry", "stop"])
def test_only_the_doubt_role_and_never_the_requester_answers(conn: Any, answer: str, actor: str, why: str) -> None:
    claim, _, effect = rows.doubted(conn)
    conn.execute("INSERT INTO role_member VALUES ('finance-approver', 'priya')")
    assert resolve(conn, effect, answer, actor) == why
    assert effect_of(conn, claim.id)[0] == "in_doubt"
    assert runs.get(conn, claim.id).status == "in_doubt"
    assert last_detail(conn, claim.id)[2:] == (None, why)


def test_the_second_answer_is_told_that_it_is_settled(conn: Any) -> None:
    claim, _, effect = rows.doubted(conn)
    resolve(conn, effect, "happened", reference="pi_77")
    for answer in ("happened", "retry", "stop"):
        assert resolve(conn, effect, answer, "ines") == "settled"
    assert effect_of(conn, claim.id)[1] == {"reference": "pi_77", "said_by": "marta"}
    with pytest.raises(NotFound):
        ledger.resolve(conn, uuid4(), "stop", actor="marta", surface="tests")


@pytest.mark.parametrize(
    ("verdict", "pause", "effect_status"), [("succeed", "executed", "done"), ("fail", "failed", "failed")]
)
def test_a_sure_answer_that_comes_late_ends_the_doubt(conn: Any, verdict: Any, pause: str, effect_status: str) -> None:
    claim, [pause_id], effect = rows.doubted(conn)
    settled = ledger.settle(conn, effect.attempt_id, verdict, receipt={"id": "pi_1"}, result=rows.PAID)
    assert (settled.outcome, settled.run_status) == (verdict, "queued")
    assert (pauses.get(conn, pause_id).status, effect_of(conn, claim.id)[0]) == (pause, effect_status)
    assert resolve(conn, effect, "retry") == "settled"
    rows.consistent(conn)


def test_a_withdrawal_in_doubt_takes_effect_when_it_is_resolved(conn: Any) -> None:
    claim, [pause_id, sibling], effect = rows.doubted(conn, 2)
    assert runs.cancel(conn, claim.id, actor="priya", person="priya", surface="tests") == "cancelling"
    assert resolve(conn, effect, "happened", reference="pi_77") == "happened"
    assert runs.get(conn, claim.id).status == "cancelled"
    called_off = pauses.get(conn, sibling)
    assert pauses.get(conn, pause_id).status == "executed"
    assert (called_off.status, called_off.decided_by, called_off.reason) == ("cancelled", None, "the run was withdrawn")
    rows.consistent(conn)


def test_what_did_not_happen_is_not_tried_again_for_a_run_that_was_withdrawn(conn: Any) -> None:
    claim, [pause_id, sibling], effect = rows.doubted(conn, 2)
    runs.cancel(conn, claim.id, actor="priya", person="priya", surface="tests")
    assert resolve(conn, effect, "retry") == "retry"
    assert runs.get(conn, claim.id).status == "cancelled"
    assert (effect_of(conn, claim.id)[0], attempts(conn, effect)) == ("failed", ["absent"])
    pause = pauses.get(conn, pause_id)
    assert (pause.status, pause.effect_error) == ("failed", "it did not happen, as marta said")
    assert pauses.get(conn, sibling).status == "cancelled"
    rows.consistent(conn)


def test_a_withdrawn_run_can_still_be_stopped_without_knowing(conn: Any) -> None:
    claim, _, effect = rows.doubted(conn, 2)
    runs.cancel(conn, claim.id, actor="priya", person="priya", surface="tests")
    assert resolve(conn, effect, "stop") == "stop"
    assert (runs.get(conn, claim.id).status, effect_of(conn, claim.id)[0]) == ("error", "abandoned")
    rows.consistent(conn)


@pytest.mark.parametrize("answer", ["happened", "stop"])
def test_the_cards_of_siblings_follow_a_doubt_that_ends_the_run(conn: Any, answer: str) -> None:
    claim, pause_ids, effect = rows.doubted(conn, 2)
    runs.cancel(conn, claim.id, actor="priya", person="priya", surface="tests")
    before = {c.id: c.wanted for p in pause_ids for c in cards.of_pause(conn, p)}
    resolve(conn, effect, answer, reference="pi_77")
    assert {c.id: c.wanted for p in pause_ids for c in cards.of_pause(conn, p)} == {c: n + 1 for c, n in before.items()}


def test_a_paused_run_with_an_open_effect_can_be_withdrawn(conn: Any) -> None:
    claim, _, effect = rows.begun(conn)
    assert runs.release(conn, claim, "w1")
    assert runs.hold(conn, claim.id, actor="otto", surface="tests") == "paused"
    assert runs.cancel(conn, claim.id, actor="priya", person="priya", surface="tests") == "cancelling"
    with pytest.raises(Conflict):
        runs.cancel(conn, claim.id, actor="priya", person="priya", surface="tests")
    assert succeed(conn, effect.attempt_id).run_status == "cancelled"
    rows.consistent(conn)


# -------------------------------------------------------------------------------------------------------------- standing


def test_the_grant_holds_until_the_requester_loses_it_or_leaves(conn: Any) -> None:
    claim, _ = rows.approved(conn)
    assert ledger.standing(conn, claim.id) == ledger.StandingNow(
        grant_holds=True, requester_active=True, lapsed_voters=()
    )
    conn.execute("UPDATE person SET scopes = '{}' WHERE id = 'priya'")
    assert not ledger.standing(conn, claim.id).grant_holds
    rows.deactivate(conn, "priya")
    assert not ledger.standing(conn, claim.id).requester_active


def test_an_approver_who_left_or_lost_the_role_has_lapsed(conn: Any) -> None:
    [pause_id] = rows.waiting(conn, approver="role:finance-approver", need=rows.QUORUM)
    for person in ("marta", "ines"):
        pauses.approve(conn, pause_id, person, surface="tests")
    run_id = pauses.get(conn, pause_id).run_id
    assert ledger.standing(conn, run_id).lapsed_voters == ()
    rows.take_role(conn, "ines", "finance-approver")
    rows.deactivate(conn, "marta")
    assert {(v.pause_id, v.voter) for v in ledger.standing(conn, run_id).lapsed_voters} == {
        (pause_id, "ines"),
        (pause_id, "marta"),
    }


def test_a_vote_from_before_an_escalation_is_judged_by_the_role_that_was_asked_then(conn: Any) -> None:
    [pause_id] = rows.waiting(conn, approver="role:finance-approver", need=rows.QUORUM)
    pauses.approve(conn, pause_id, "marta", surface="tests")
    rows.make_due(conn, pause_id)
    pauses.settle_due(
        conn, [pauses.NextStep(pause_id=pause_id, level=0, next="role:finance-lead", within_s=60)], surface="tests"
    )
    assert isinstance(pauses.approve(conn, pause_id, "otto", surface="tests"), Decided)
    run_id = pauses.get(conn, pause_id).run_id
    assert ledger.standing(conn, run_id).lapsed_voters == ()
    rows.take_role(conn, "otto", "finance-lead")
    assert [v.voter for v in ledger.standing(conn, run_id).lapsed_voters] == ["otto"]
    rows.take_role(conn, "marta", "finance-approver")
    assert {v.voter for v in ledger.standing(conn, run_id).lapsed_voters} == {"otto", "marta"}


def test_what_a_person_refused_in_this_run_is_known_by_its_fingerprint(conn: Any) -> None:
    refused, fell = rows.waiting(conn, 2)
    pauses.deny(conn, refused, "marta", surface="tests", reason="Too dear.")
    pause = pauses.get(conn, refused)
    assert pause.content is not None
    known = ledger.refused_before(conn, pause.run_id)
    assert {f: (r.decided_by, r.reason) for f, r in known.items()} == {
        pause.content.fingerprint: ("Marta Keller", "Too dear.")
    }
    assert pauses.get(conn, fell).status == "cancelled"


def test_the_standing_of_an_unknown_run_is_no_standing(conn: Any) -> None:
    with pytest.raises(NotFound):
        ledger.standing(conn, uuid4())
