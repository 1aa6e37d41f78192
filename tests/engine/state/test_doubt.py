"""When nobody can tell: the run stops, the right people are asked, and each answer leads one way."""

from typing import Any
from uuid import UUID, uuid4

import pytest

from engine.errors import Conflict, NotFound
from engine.state import cards, events, ledger, pauses, runs
from tests import rows


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


def last_detail(conn: Any, run_id: UUID) -> tuple[str, str, str | None, str | None]:
    """(from, event, to, detail) of the newest event of the run's effects."""
    last = [e for e in events.of_run(conn, run_id) if e.entity == "effect"][-1]
    return last.from_status, last.event, last.to_status, last.detail


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


def test_whoever_decides_too_late_learns_that_it_is_in_doubt(conn: Any) -> None:
    _, [pause_id], effect = rows.doubted(conn)
    assert pauses.deny(conn, pause_id, "ines", surface="tests").now.effect_status == "in_doubt"
    assert pauses.withdraw(conn, pause_id, "priya", surface="tests").now.effect_status == "in_doubt"
    assert resolve(conn, effect, "stop") == "stop"
    late = pauses.deny(conn, pause_id, "ines", surface="tests").now
    assert (late.status, late.effect_status) == ("failed", "abandoned")


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


def test_that_it_happened_is_the_answer_to_that_call_alone(conn: Any) -> None:
    claim, _, effect = rows.doubted(conn)
    rows.add_call_of_the_step_before(conn, claim.id)
    assert resolve(conn, effect, "happened", reference="pi_77") == "happened"
    told = conn.execute("SELECT step, state FROM run_call WHERE run_id = %s ORDER BY step", (claim.id,)).fetchall()
    assert told == [(0, "requested"), (1, "settled")]


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
    rows.give_role(conn, "priya", "finance-approver")
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
