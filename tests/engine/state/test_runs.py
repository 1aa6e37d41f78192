"""A run from its launch to its end: who may start it, who has it, what it counts, and what operators do to it."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any
from uuid import UUID, uuid4

import psycopg
import pytest

from engine.errors import BadInput, Conflict, LeaseLost, NotFound
from engine.models import Claim, Decided
from engine.state import cards, events, ledger, pauses, runs
from tests import rows


def hold(conn: Any, run_id: UUID) -> str:
    return runs.hold(conn, run_id, actor="otto", surface="tests")


def resume(conn: Any, run_id: UUID) -> str:
    return runs.resume(conn, run_id, actor="otto", surface="tests")


def cancel(conn: Any, run_id: UUID) -> str:
    return runs.cancel(conn, run_id, actor="otto", person="otto", surface="tests")


def claim(conn: Any, worker: str = "w2", *agents: str) -> Claim | None:
    return runs.claim(conn, worker, agents or ["procurement"], lease_s=60)


def last_events(conn: Any, run_id: UUID, n: int = 1) -> list[tuple[str, str | None, str]]:
    return [(e.event, e.to_status, e.actor) for e in events.of_run(conn, run_id)][-n:]


def notices(conn: Any) -> list[tuple[str, str]]:
    return [(n.kind, n.dest) for n in cards.claim_notices(conn, limit=10, lease_s=10)]


# ---------------------------------------------------------------------------------------------------------------- launch


def test_a_launch_is_queued_with_its_first_message_and_its_first_link(conn: Any) -> None:
    run_id = rows.launched(conn, max_tokens=1000, reply_to="C0BUY")
    run = runs.get(conn, run_id)
    assert (run.status, run.kind, run.on_behalf_of, run.requester_name, run.input, run.seq) == (
        "queued", "agent", "priya", "Priya Nair", "Buy this order.", 1,
    )  # fmt: skip
    assert [(m["role"], m["content"]) for m in run.messages] == [("user", "Buy this order.")]
    assert last_events(conn, run_id) == [("launch", "queued", "priya")]


@pytest.mark.parametrize("person", ["nobody", "lena", ""])
def test_a_run_always_has_an_active_requester(conn: Any, person: str) -> None:
    with pytest.raises(BadInput, match=r"nobody active.*placet people") as refused:
        rows.launched(conn, on_behalf_of=person)
    assert refused.value.field == "for"
    assert runs.listed(conn) == []


def test_a_launch_key_launches_once_and_gives_the_same_run_ever_after(conn: Any) -> None:
    run_id = rows.launched(conn, launch_key="order-1")
    again = replace(rows.LAUNCH, launch_key="order-1", input="Something else.")
    assert runs.launch(conn, again, actor="priya", surface="tests") == (run_id, False)
    assert runs.get(conn, run_id).input == "Buy this order."
    assert rows.launched(conn, launch_key="order-2") != run_id


# ------------------------------------------------------------------------------------------------------- claim and lease


def test_the_run_that_waited_longest_is_claimed_first(conn: Any) -> None:
    first, second = rows.launched(conn), rows.launched(conn)
    assert [c.id for c in (claim(conn), claim(conn)) if c] == [first, second]
    assert claim(conn) is None


def test_a_worker_claims_only_agents_it_knows(conn: Any) -> None:
    run_id = rows.launched(conn, agent="travel")
    assert claim(conn) is None
    taken = claim(conn, "w1", "procurement", "travel")
    assert taken == Claim(id=run_id, epoch=1, agent="travel")


def test_a_lost_worker_is_followed_by_another_with_a_new_epoch(conn: Any) -> None:
    old = rows.claimed(conn)
    assert claim(conn) is None  # its lease is not over
    rows.lose_lease(conn, old.id)
    new = claim(conn)
    assert new == Claim(id=old.id, epoch=2, agent="procurement")
    last = events.of_run(conn, old.id)[-1]
    assert (last.event, last.actor, last.from_status, last.to_status) == ("claim", "w2", "running", "running")
    assert claim(conn) is None


def test_a_renewed_lease_is_not_over(conn: Any) -> None:
    mine = rows.claimed(conn)
    rows.lose_lease(conn, mine.id)
    runs.renew(conn, mine, lease_s=60)
    assert claim(conn) is None


def test_lost_runs_of_other_agents_do_not_hide_ours(conn: Any) -> None:
    for _ in range(21):
        rows.launched(conn, agent="travel")
        theirs = claim(conn, "w1", "travel")
        assert theirs is not None
        rows.lose_lease(conn, theirs.id)
    mine = rows.claimed(conn)
    rows.lose_lease(conn, mine.id)
    found = claim(conn)
    assert found is not None
    assert found.id == mine.id


def _begin(conn: Any, lost: Claim, pause_id: UUID) -> None:
    ledger.begin(conn, lost, rows.intent(lost.id, pause_id), lease_s=60)


WORKER_VERBS: dict[str, Callable[[Any, Claim, UUID], Any]] = {
    "renew": lambda conn, lost, _: runs.renew(conn, lost, lease_s=60),
    "save_reply": lambda conn, lost, _: runs.save_reply(conn, lost, [rows.REPLY], [], tokens=1, cost_micros=1),
    "save_results": lambda conn, lost, _: runs.save_results(conn, lost, {0: rows.PAID}),
    "ask": lambda conn, lost, pause_id: runs.ask(conn, lost, [rows.asked(conn, lost)], superseded=[pause_id]),
    "finish": lambda conn, lost, _: runs.finish(conn, lost, "Paid.", runs.LastWords(messages=(rows.REPLY,), replies=1)),
    "fail": lambda conn, lost, _: runs.fail(conn, lost, "It cannot go on."),
    "void": lambda conn, lost, pause_id: runs.void(conn, lost, [pause_id], "The grant is gone."),
    "begin": _begin,
    "repeat": lambda conn, lost, _: ledger.repeat(conn, lost, uuid4(), call_s=20, lease_s=60),
    "replace": lambda conn, lost, _: ledger.replace(conn, lost, uuid4(), call_s=20, lease_s=60),
}


@pytest.mark.parametrize("verb", WORKER_VERBS)
def test_a_worker_that_lost_its_run_touches_nothing(conn: Any, verb: str) -> None:
    lost, [pause_id] = rows.approved(conn)
    rows.lose_lease(conn, lost.id)
    assert claim(conn) is not None
    before = (
        runs.get(conn, lost.id),
        events.of_run(conn, lost.id),
        pauses.get(conn, pause_id),
        ledger.of_run(conn, lost.id),
    )
    with pytest.raises(LeaseLost):
        WORKER_VERBS[verb](conn, lost, pause_id)
    after = (
        runs.get(conn, lost.id),
        events.of_run(conn, lost.id),
        pauses.get(conn, pause_id),
        ledger.of_run(conn, lost.id),
    )
    assert after == before


def test_a_release_by_a_worker_that_lost_its_run_does_nothing(conn: Any) -> None:
    lost = rows.claimed(conn)
    rows.lose_lease(conn, lost.id)
    assert claim(conn) is not None
    assert not runs.release(conn, lost, "w1")
    assert runs.get(conn, lost.id).status == "running"


def test_a_released_run_is_claimed_by_another_at_once(conn: Any) -> None:
    mine = rows.claimed(conn)
    assert runs.release(conn, mine, "w1")
    found = claim(conn)
    assert found is not None
    assert (found.id, found.epoch) == (mine.id, 2)


# ----------------------------------------------------------------------------------------------------- steps and budgets


def test_messages_are_appended_in_order_and_come_back_as_they_were(conn: Any) -> None:
    mine = rows.claimed(conn)
    odd = {
        "role": "assistant",
        "content": [{"z": 1, "a": [{"type": "thinking", "signature": "x\u2028"}], "type": "new"}],
    }
    runs.save_reply(conn, mine, [odd], [], tokens=1, cost_micros=1)
    answers = {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "toolu_1", "content": "ok"}]}
    runs.save_reply(conn, mine, [answers, rows.REPLY], [], tokens=1, cost_micros=1)
    runs.finish(conn, mine, "Paid.", runs.LastWords(messages=(answers, rows.REPLY), replies=1))
    loaded = runs.load(conn, mine.id).messages
    assert loaded == [{"role": "user", "content": "Buy this order."}, odd, answers, rows.REPLY, answers, rows.REPLY]
    assert list(loaded[1]["content"][0]) == ["z", "a", "type"]  # key order is what prompt caches see


def test_budgets_are_counted_where_the_step_is_saved_and_a_wait_does_not_start_them_anew(conn: Any) -> None:
    mine = rows.claimed(conn, rows.launched(conn, max_tokens=1000, max_cost_micros=500))
    rows.replied(conn, mine)
    ask = rows.asked(conn, mine)
    runs.ask(conn, mine, [ask])
    pauses.approve(conn, ask.id, "marta", surface="tests")
    again = claim(conn)
    assert again is not None
    rows.replied(conn, again)
    run = runs.load(conn, mine.id)
    assert (run.iterations, run.tokens, run.cost_micros) == (2, 200, 20)
    assert (run.max_iterations, run.max_tokens, run.max_cost_micros) == (20, 1000, 500)
    runs.finish(conn, again, "Paid.", runs.LastWords(replies=1, tokens=7, cost_micros=3))
    done = runs.get(conn, mine.id)
    assert (done.iterations, done.tokens, done.cost_micros) == (3, 207, 23)


def test_no_reply_beyond_the_bound_can_be_saved(conn: Any) -> None:
    mine = rows.claimed(conn, rows.launched(conn, max_iterations=1))
    rows.replied(conn, mine)
    with pytest.raises(psycopg.errors.CheckViolation):
        rows.replied(conn, mine)
    assert runs.load(conn, mine.id).iterations == 1


def test_the_calls_of_a_turn_are_kept_as_sent_and_settled_one_by_one(conn: Any) -> None:
    mine = rows.claimed(conn)
    rows.replied(conn, mine, 3)
    assert runs.save_results(conn, mine, {1: rows.PAID}, refused=1) == "running"
    assert runs.save_results(conn, mine, {1: {"text": "again", "is_error": True}, 2: rows.PAID}) == "running"
    run = runs.load(conn, mine.id)
    assert [(c.n, c.state, c.arguments, c.result) for c in run.calls] == [
        (0, "requested", {"n": 0}, None), (1, "settled", {"n": 1}, rows.PAID), (2, "settled", {"n": 2}, rows.PAID),
    ]  # fmt: skip
    assert run.refusals == 1


def test_a_step_that_is_saved_writes_no_link_as_long_as_nothing_moves(conn: Any) -> None:
    mine = rows.claimed(conn)
    rows.replied(conn, mine)
    assert runs.get(conn, mine.id).seq == 2  # launch and claim


# ------------------------------------------------------------------------------------------------------------------- ask


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


# ------------------------------------------------------------------------------------------------------------------- end


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


# ------------------------------------------------------------------------------------------------------------- operators


def test_a_queued_run_is_held_at_once_and_nobody_claims_it(conn: Any) -> None:
    run_id = rows.launched(conn)
    assert hold(conn, run_id) == "paused"
    assert claim(conn) is None
    assert resume(conn, run_id) == "queued"
    assert claim(conn) is not None


def test_a_running_run_is_pausing_and_stops_with_its_step(conn: Any) -> None:
    mine = rows.claimed(conn)
    rows.replied(conn, mine)
    assert hold(conn, mine.id) == "pausing"
    assert runs.save_results(conn, mine, {0: rows.PAID}) == "paused"
    assert runs.load(conn, mine.id).calls[0].state == "settled"
    with pytest.raises(LeaseLost):
        runs.renew(conn, mine, lease_s=60)
    assert resume(conn, mine.id) == "queued"


def test_a_reply_that_is_saved_while_held_is_kept(conn: Any) -> None:
    mine = rows.claimed(conn)
    hold(conn, mine.id)
    assert runs.save_reply(conn, mine, [rows.REPLY], [], tokens=5, cost_micros=1) == "paused"
    run = runs.load(conn, mine.id)
    assert (run.status, run.tokens, len(run.messages)) == ("paused", 5, 2)


def test_a_held_run_that_its_worker_lets_go_stops_there(conn: Any) -> None:
    mine = rows.claimed(conn)
    hold(conn, mine.id)
    assert runs.release(conn, mine, "w1")
    assert runs.get(conn, mine.id).status == "paused"
    assert claim(conn) is None
    assert resume(conn, mine.id) == "queued"


def test_a_wish_to_stop_that_is_taken_back_in_time_leaves_no_trace_but_the_record(conn: Any) -> None:
    mine = rows.claimed(conn)
    hold(conn, mine.id)
    assert resume(conn, mine.id) == "running"
    assert runs.save_reply(conn, mine, [rows.REPLY], [], tokens=1, cost_micros=1) == "running"
    assert last_events(conn, mine.id, 2) == [("note_hold", "running", "otto"), ("resume", "running", "otto")]


def test_a_second_resume_is_a_conflict_that_says_what_stands(conn: Any) -> None:
    run_id = rows.launched(conn)
    hold(conn, run_id)
    resume(conn, run_id)
    with pytest.raises(Conflict, match="nobody has paused it") as refused:
        resume(conn, run_id)
    assert refused.value.stands == "queued"
    assert last_events(conn, run_id) == [("resume", None, "otto")]


def test_a_second_hold_is_a_conflict_that_says_what_stands(conn: Any) -> None:
    mine = rows.claimed(conn)
    hold(conn, mine.id)
    with pytest.raises(Conflict, match="already") as refused:
        hold(conn, mine.id)
    assert refused.value.stands == "pausing"


def test_resuming_never_approves(conn: Any) -> None:
    [pause_id] = rows.waiting(conn)
    run_id = pauses.get(conn, pause_id).run_id
    hold(conn, run_id)
    assert resume(conn, run_id) == "awaiting_approval"
    assert pauses.get(conn, pause_id).status == "waiting"
    assert claim(conn) is None


def test_a_cancelled_run_takes_back_what_it_asked(conn: Any) -> None:
    first, second = rows.waiting(conn, 2)
    pauses.approve(conn, first, "marta", surface="tests")
    run_id = pauses.get(conn, first).run_id
    assert cancel(conn, run_id) == "cancelled"
    for pause_id in (first, second):
        pause = pauses.get(conn, pause_id)
        assert (pause.status, pause.decided_by, pause.reason) == ("cancelled", "otto", "the run was withdrawn")
    rows.consistent(conn)


def test_a_cancel_during_an_effect_is_noted_and_takes_effect_when_it_is_settled(conn: Any) -> None:
    mine, [pause_id, sibling], effect = rows.begun(conn, 2)
    assert cancel(conn, mine.id) == "cancelling"
    assert runs.get(conn, mine.id).status == "running"
    with pytest.raises(Conflict, match="already"):
        cancel(conn, mine.id)
    settled = ledger.settle(conn, effect.attempt_id, "succeed", receipt={"id": "pi_1"}, result=rows.PAID)
    assert (settled.outcome, settled.run_status) == ("succeed", "cancelled")
    assert pauses.get(conn, pause_id).status == "executed"
    called_off = pauses.get(conn, sibling)
    assert (called_off.status, called_off.decided_by, called_off.reason) == ("cancelled", None, "the run was withdrawn")
    rows.consistent(conn)


@pytest.mark.parametrize("verb", [hold, resume, cancel])
def test_an_ended_run_stands_as_it_is(conn: Any, verb: Callable[[Any, UUID], str]) -> None:
    mine = rows.claimed(conn)
    runs.finish(conn, mine, "Paid.", runs.LastWords())
    with pytest.raises(Conflict, match="has ended") as refused:
        verb(conn, mine.id)
    assert refused.value.stands == "done"
    assert last_events(conn, mine.id) == [(verb.__name__, None, "otto")]


@pytest.mark.parametrize("verb", [hold, resume, cancel, runs.get, runs.load])
def test_an_unknown_run_is_said_not_to_exist(conn: Any, verb: Callable[[Any, UUID], Any]) -> None:
    with pytest.raises(NotFound, match="does not exist"):
        verb(conn, uuid4())


# --------------------------------------------------------------------------------------------------------------- reading


def test_a_run_is_named_by_the_end_of_its_id(conn: Any) -> None:
    run_id = rows.launched(conn)
    for text in (str(run_id), run_id.hex[-6:], f"run_{run_id.hex[-6:].upper()}"):
        assert runs.named(conn, text) == run_id
    with pytest.raises(NotFound, match="No run has an id ending in"):
        runs.named(conn, "ffffffffffff")
    for text in ("", "run_", "xyz", "run_" + "0" * 33):
        with pytest.raises(BadInput, match="is no id"):
            runs.named(conn, text)


def test_a_name_that_fits_several_runs_is_refused(conn: Any) -> None:
    tails = [rows.launched(conn).hex[-1] for _ in range(17)]  # 16 hex digits: two must share their last
    twice = next(t for t in tails if tails.count(t) > 1)
    with pytest.raises(BadInput, match="Several ids end in"):
        runs.named(conn, twice)


def test_runs_are_listed_newest_first_by_status_and_person(conn: Any) -> None:
    done = rows.claimed(conn).id
    runs.finish(conn, Claim(id=done, epoch=1, agent="procurement"), "Paid.", runs.LastWords())
    live, theirs = rows.launched(conn), rows.launched(conn, on_behalf_of="marta")
    assert [r.id for r in runs.listed(conn)] == [theirs, live, done]
    assert [r.id for r in runs.listed(conn, status="live")] == [theirs, live]
    assert [r.id for r in runs.listed(conn, status="done")] == [done]
    assert [r.id for r in runs.listed(conn, person="priya")] == [live, done]
    assert [(r.id, r.total) for r in runs.listed(conn, limit=1, offset=1)] == [(live, 3)]
    assert runs.unended(conn) == runs.Unended(working=2, waiting=0, in_doubt=0)
