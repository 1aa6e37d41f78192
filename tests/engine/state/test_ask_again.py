"""What lapsed is asked again: one new run, with what the model had said and what it had cost, and nothing of the request; and who may not."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any
from uuid import UUID

import pytest

from engine.models import AskedAgain, Claim, Decided, NotAskedAgain
from engine.rules import digest
from engine.rules.money import Money
from engine.state import again, events, ledger, pauses, runs
from tests import database, rows
from tests.bot.office import at_once
from tests.engine.state.meeting import until_it_waits


def ask(conn: Any, pause_id: UUID, actor: str = "priya") -> AskedAgain | NotAskedAgain:
    return again.ask(conn, pause_id, actor, surface="tests")


def asked(conn: Any, pause_id: UUID) -> UUID:
    """The run that asks it again, launched now."""
    outcome = ask(conn, pause_id)
    assert isinstance(outcome, AskedAgain)
    assert outcome.new
    return outcome.again_run


def refused(conn: Any, pause_id: UUID, actor: str = "priya") -> NotAskedAgain:
    """Why it is not; nothing was launched, and the attempt is on record."""
    there_were = len(runs.listed(conn))
    outcome = ask(conn, pause_id, actor)
    assert isinstance(outcome, NotAskedAgain)
    assert len(runs.listed(conn)) == there_were
    last = events.of_run(conn, run_of(conn, pause_id))[-1]
    assert (last.entity_id, last.event, last.to_status, last.actor, last.detail) == (
        str(pause_id), "ask_again", None, actor, outcome.why,
    )  # fmt: skip
    return outcome


def run_of(conn: Any, pause_id: UUID) -> UUID:
    return pauses.get(conn, pause_id).run_id


def holds(conn: Any, *run_ids: UUID) -> None:
    rows.consistent(conn)
    for run_id in run_ids:
        assert isinstance(events.verify(conn, run_id), events.Verified)


# ------------------------------------------------------------------------------------------------------ what the new run is


def test_what_is_secret_in_the_messages_is_secret_in_the_new_run_too(conn: Any) -> None:
    [pause_id] = rows.lapsed(conn)
    old_id = run_of(conn, pause_id)
    rows.add_call_of_the_step_before(conn, old_id)
    conn.execute("UPDATE run_call SET secrets = '{token}' WHERE run_id = %s", (old_id,))
    kept = "SELECT tool_use_id, step, secrets FROM run_call WHERE run_id = %s ORDER BY step"
    before = conn.execute(kept, (old_id,)).fetchall()
    assert len(before) == 2
    assert conn.execute(kept, (asked(conn, pause_id),)).fetchall() == before


@pytest.mark.parametrize("by", ["withdraw", "expire"])
def test_the_new_run_stands_before_the_same_reply_with_no_call_answered(conn: Any, by: str) -> None:
    [pause_id] = rows.lapsed(conn, by=by)
    conn.execute("UPDATE run_content SET reply_to = 'C0TEAM'")
    old = runs.get(conn, run_of(conn, pause_id))
    new_id = asked(conn, pause_id)
    new, run = runs.get(conn, new_id), runs.load(conn, new_id)
    for field in ("agent", "kind", "on_behalf_of", "acts_as", "model", "scopes", "input"):
        assert getattr(new, field) == getattr(old, field), field
    assert conn.execute("SELECT reply_to FROM run_content WHERE run_id = %s", (new_id,)).fetchone() == ("C0TEAM",)
    assert (new.status, new.launch_key, new.pauses) == ("queued", None, [])
    assert new.messages == old.messages[:2]
    assert [m["role"] for m in new.messages] == ["user", "assistant"]
    assert [(c.n, c.state, c.result, c.pause_id, c.tool_use_id) for c in run.calls] == [
        (0, "requested", None, None, "toolu_1_0")
    ]
    assert (new.of_run, new.of_pause) == (old.id, pause_id)
    holds(conn, old.id, new_id)


def test_its_budgets_begin_with_what_was_used_and_its_bounds_are_the_same(conn: Any) -> None:
    [pause_id] = rows.lapsed(conn)
    set_to = "max_tokens = 9000, max_cost_micros = 700, max_spawns = 3, refusals = 2, spawns = 1"
    conn.execute(f"UPDATE run SET {set_to} WHERE id = %s", (run_of(conn, pause_id),))
    old, new = runs.load(conn, run_of(conn, pause_id)), runs.load(conn, asked(conn, pause_id))
    assert (old.iterations, old.tokens, old.cost_micros) == (2, 150, 15)
    assert (new.iterations, new.tokens, new.cost_micros, new.refusals) == (1, 150, 15, 2)
    assert (new.max_iterations, new.max_tokens, new.max_cost_micros) == (20, 9_000, 700)
    assert conn.execute("SELECT max_spawns, spawns FROM run WHERE id = %s", (new.id,)).fetchone() == (3, 1)


def test_both_records_tell_of_each_other_and_the_old_request_is_as_it_was(conn: Any) -> None:
    [pause_id] = rows.lapsed(conn)
    before = pauses.get(conn, pause_id)
    assert (before.lapsed, before.again_run) == (True, None)
    new_id = asked(conn, pause_id)
    after = pauses.get(conn, pause_id)
    assert after == replace(before, version=before.version + 1, again_run=new_id)
    told = events.of_run(conn, before.run_id)[-1]
    assert (told.from_status, told.event, told.to_status, told.actor, told.surface, told.detail) == (
        "cancelled", "ask_again", "cancelled", "priya", "tests", str(new_id),
    )  # fmt: skip
    [launch] = events.of_run(conn, new_id)
    assert (launch.event, launch.actor, launch.detail) == (
        "launch", "priya", f"asks again pause {pause_id} of run {before.run_id}",
    )  # fmt: skip
    assert runs.get(conn, before.run_id).status == "done"
    [wanted] = conn.execute("SELECT bool_and(wanted > painted) FROM card WHERE pause_id = %s", (pause_id,)).fetchone()
    assert wanted


def test_a_turn_of_two_is_asked_again_whole_and_once_by_either(conn: Any) -> None:
    first, second = rows.lapsed(conn, 2, by="expire")
    assert pauses.get(conn, second).reason == "another call of the same turn expired"
    new_id = asked(conn, second)
    assert [call.tool_use_id for call in runs.load(conn, new_id).calls] == ["toolu_1_0", "toolu_1_1"]
    outcome = ask(conn, first)
    assert outcome == AskedAgain(pause_id=first, again_run=new_id, new=False)
    assert [pauses.get(conn, one).again_run for one in (first, second)] == [new_id, new_id]
    told = [e.entity_id for e in events.of_run(conn, run_of(conn, first)) if e.event == "ask_again" and e.to_status]
    assert told == [str(first), str(second)]
    holds(conn, run_of(conn, first), new_id)


def test_what_was_voided_may_be_asked_again(conn: Any) -> None:
    claim, [pause_id] = rows.approved(conn)
    runs.void(conn, claim, [pause_id], "The time in which it had to be done has passed, so it was not done.")
    holds(conn, claim.id, asked(conn, pause_id))


def test_what_a_withdrawn_run_had_asked_may_be_asked_again_by_who_withdrew_it(conn: Any) -> None:
    for by, lapsed in (("priya", True), ("otto", False)):
        [pause_id] = rows.waiting(conn)
        runs.cancel(conn, run_of(conn, pause_id), actor=by, person=by, surface="tests")
        assert pauses.get(conn, pause_id).lapsed is lapsed
        if lapsed:
            runs.cancel(conn, asked(conn, pause_id), actor="priya", person="priya", surface="tests")
        else:
            assert refused(conn, pause_id).why == "not_lapsed"


def test_what_is_asked_again_can_lapse_and_be_asked_again_in_its_turn(conn: Any) -> None:
    [pause_id] = rows.lapsed(conn)
    claim = rows.claimed(conn, asked(conn, pause_id))
    ask_anew = rows.asked(conn, claim)
    runs.ask(conn, claim, [ask_anew])
    pauses.withdraw(conn, ask_anew.id, "priya", surface="tests")
    rows.end(conn, claim.id)
    third = asked(conn, ask_anew.id)
    assert runs.load(conn, third).tokens == 200
    assert pauses.get(conn, pause_id).again_run == claim.id
    holds(conn, run_of(conn, pause_id), claim.id, third)


# ------------------------------------------------------------------------------------------------------------------ once


def test_of_two_who_press_at_once_one_launches_and_both_are_told_the_same(db_url: str, conn: Any) -> None:
    first, second = rows.lapsed(conn, 2)
    with database.connect(db_url) as one, database.connect(db_url) as other:
        for _ in range(2):
            outcomes = at_once(lambda: ask(one, first), lambda: ask(other, second))
    assert len({outcome.again_run for outcome in outcomes if isinstance(outcome, AskedAgain)}) == 1
    assert len(runs.listed(conn)) == 2
    holds(conn, run_of(conn, first))


def test_whoever_waited_for_the_other_press_sees_what_it_did(db_url: str, conn: Any) -> None:
    """The second statement began before the first was committed."""
    [pause_id] = rows.lapsed(conn)
    with database.connect(db_url) as one, database.connect(db_url) as other, ThreadPoolExecutor(1) as hand:
        with one.transaction():
            first = ask(one, pause_id)
            second = hand.submit(ask, other, pause_id)
            until_it_waits(conn, other, second)
        outcome = second.result(10)
    assert isinstance(first, AskedAgain)
    assert outcome == replace(first, new=False)


def test_of_two_that_are_asked_again_in_different_runs_of_one_task_one_is(db_url: str, conn: Any) -> None:
    """Each locks its own run, and both the one that all go on from: whoever waits for it sees what the other launched."""
    [first] = rows.waiting(conn)
    pauses.withdraw(conn, first, "priya", surface="tests")
    other = _anew(conn, run_of(conn, first), **_with(order_ref="PO-9"))
    pauses.withdraw(conn, other, "priya", surface="tests")
    _end_second(conn, run_of(conn, first))
    claim = rows.claimed(conn, asked(conn, first))
    second = rows.asked(conn, claim)
    runs.ask(conn, claim, [second])
    pauses.withdraw(conn, second.id, "priya", surface="tests")
    rows.end(conn, claim.id)
    with database.connect(db_url) as one, database.connect(db_url) as two, ThreadPoolExecutor(1) as hand:
        with one.transaction():
            launched = ask(one, second.id)
            late = hand.submit(ask, two, other)
            until_it_waits(conn, two, late)
        outcome = late.result(10)
    assert isinstance(launched, AskedAgain)
    assert isinstance(outcome, NotAskedAgain)
    assert (outcome.why, outcome.run_id) == ("live", launched.again_run)
    runs.cancel(conn, launched.again_run, actor="otto", person="otto", surface="tests")
    assert runs.load(conn, asked(conn, other)).tokens == runs.load(conn, launched.again_run).tokens, "none starts anew"


# ---------------------------------------------------------------------------------------------------------- who may not, and what


@pytest.mark.parametrize("actor", ["marta", "otto", "nobody"])
def test_only_the_requester_asks_again(conn: Any, actor: str) -> None:
    [pause_id] = rows.lapsed(conn)
    assert refused(conn, pause_id, actor).why == "not_requester"


def test_a_requester_who_left_does_not(conn: Any) -> None:
    [pause_id] = rows.lapsed(conn)
    rows.change_person(conn, "priya", active=False)
    assert refused(conn, pause_id).why == "not_requester"


def _waits(conn: Any) -> UUID:
    return rows.waiting(conn)[0]


def _is_approved(conn: Any) -> UUID:
    return rows.approved(conn)[1][0]


def _is_denied(conn: Any) -> UUID:
    [pause_id] = rows.waiting(conn)
    assert isinstance(pauses.deny(conn, pause_id, "marta", surface="tests"), Decided)
    return pause_id


def _fell_with_a_denial(conn: Any) -> UUID:
    first, second = rows.waiting(conn, 2)
    assert isinstance(pauses.deny(conn, first, "marta", surface="tests"), Decided)
    return second


def _fell_with_a_denial_before_another_lapsed(conn: Any) -> UUID:
    first, second = rows.waiting(conn, 2)
    pauses.deny(conn, first, "marta", surface="tests")
    claim = rows.claimed(conn, run_of(conn, first))
    told = {"text": "Denied.", "is_error": True}
    runs.save_results(conn, claim, {0: told, 1: told})
    call = {"id": "toolu_2", "name": "charge_supplier", "input": {}}
    runs.save_reply(conn, claim, [rows.calling(call)], [call], tokens=1, cost_micros=1)
    third = rows.asked(conn, claim, step=2, **_with(order_ref="PO-9"))
    runs.ask(conn, claim, [third])
    pauses.withdraw(conn, third.id, "priya", surface="tests")
    assert pauses.get(conn, third.id).lapsed
    return second


def _was_replaced(conn: Any) -> UUID:
    claim, [pause_id] = rows.approved(conn)
    runs.ask(conn, claim, [rows.asked(conn, claim)], superseded=[pause_id], reason="The price moved.")
    return pause_id


@pytest.mark.parametrize(
    "made",
    [_waits, _is_approved, _is_denied, _fell_with_a_denial, _fell_with_a_denial_before_another_lapsed, _was_replaced],
)
def test_what_did_not_lapse_is_not_asked_again(conn: Any, made: Any) -> None:
    pause_id = made(conn)
    assert not pauses.get(conn, pause_id).lapsed
    outcome = refused(conn, pause_id)
    assert (outcome.why, outcome.status) == ("not_lapsed", pauses.get(conn, pause_id).status)


def test_what_was_done_is_not_and_no_turn_of_which_something_was_done(conn: Any) -> None:
    claim, [paid, withdrawn], effect = rows.begun(conn, 2)
    ledger.settle(conn, effect.attempt_id, "succeed", result=rows.PAID)
    assert refused(conn, paid).why == "not_lapsed"
    pauses.withdraw(conn, withdrawn, "priya", surface="tests")
    assert not pauses.get(conn, withdrawn).lapsed
    assert refused(conn, withdrawn).why == "begun"
    assert claim.id == run_of(conn, withdrawn)


@pytest.mark.usefixtures("by_hand")
def test_what_was_altered_is_not(conn: Any) -> None:
    first, second = rows.lapsed(conn, 2)
    rows.alter_document(conn, second)
    assert refused(conn, first).why == "broken"
    assert refused(conn, second).why == "broken"
    conn.execute("UPDATE pause_content SET digest = pause_digest_v1(document)")
    assert refused(conn, second).why == "broken", "its record says what it was"


@pytest.mark.usefixtures("by_hand")
def test_a_reply_that_is_gone_cannot_be_gone_on_from(conn: Any) -> None:
    [pause_id] = rows.lapsed(conn)
    conn.execute("UPDATE run_message SET content = '\"I will pay.\"' WHERE role = 'assistant' AND seq = 2")
    assert refused(conn, pause_id).why == "broken"


def test_a_run_that_has_not_ended_asks_by_itself_or_not_at_all(conn: Any) -> None:
    [pause_id] = rows.waiting(conn)
    pauses.withdraw(conn, pause_id, "priya", surface="tests")
    for status in ("queued", "running"):
        assert runs.get(conn, run_of(conn, pause_id)).status == status
        assert (refused(conn, pause_id).why, refused(conn, pause_id).other) == ("live", None)
        if status == "queued":
            claim = rows.claimed(conn, run_of(conn, pause_id))
    anew = _anew(conn, claim.id)
    outcome = refused(conn, pause_id)
    assert (outcome.why, outcome.other, outcome.run_id) == ("live", anew, claim.id)


# ------------------------------------------------------------------------------------- what the run did of the same afterwards

_CHEAPER = Money(3_700_000, "EUR")


def _anew(conn: Any, run_id: UUID, **changes: Any) -> UUID:
    """The agent asks for the same once more, by itself, in the run's next turn."""
    claim = runs.claim(conn, "w1", ["procurement"], lease_s=60)
    claim = claim or _claimed(conn, run_id)
    runs.save_results(conn, claim, {0: {"text": "Not done.", "is_error": True}})
    call = {"id": "toolu_anew", "name": "charge_supplier", "input": {}}
    runs.save_reply(conn, claim, [rows.calling(call)], [call], tokens=1, cost_micros=1)
    once_more = rows.asked(conn, claim, step=2, **changes)
    runs.ask(conn, claim, [once_more])
    return once_more.id


def _claimed(conn: Any, run_id: UUID) -> Claim:
    """Whoever has it."""
    run = runs.load(conn, run_id)
    return Claim(id=run_id, epoch=run.epoch, agent="procurement")


def _with(**arguments: Any) -> dict[str, Any]:
    """The same with another argument or two."""
    given = {**rows.content(UUID(int=0)).arguments, **arguments}
    action = {"tool": "charge_supplier", "arguments": given}
    return {"arguments": given, "action_digest": digest.digest("placet.action.v1", action)}


def _at(price: Money) -> dict[str, Any]:
    """The same order at another price."""
    return {"amount": price, **_with(amount=price.to_document())}


@pytest.mark.parametrize("changes", [{}, _at(_CHEAPER)], ids=["the same", "at another price"])
def test_what_was_denied_meanwhile_is_denied(conn: Any, changes: dict[str, Any]) -> None:
    [pause_id] = rows.waiting(conn)
    pauses.withdraw(conn, pause_id, "priya", surface="tests")
    anew = _anew(conn, run_of(conn, pause_id), **changes)
    pauses.deny(conn, anew, "marta", surface="tests")
    _end_second(conn, run_of(conn, pause_id))
    outcome = refused(conn, pause_id)
    assert (outcome.why, outcome.other) == ("refused", anew)


@pytest.mark.parametrize("changes", [{}, _at(_CHEAPER)], ids=["the same", "at another price"])
def test_what_was_done_meanwhile_is_not_asked_again(conn: Any, changes: dict[str, Any]) -> None:
    [pause_id] = rows.waiting(conn)
    pauses.withdraw(conn, pause_id, "priya", surface="tests")
    anew = _anew(conn, run_of(conn, pause_id), **changes)
    effect = _done(conn, anew)
    _end_second(conn, run_of(conn, pause_id))
    outcome = refused(conn, pause_id)
    assert (outcome.why, outcome.other) == ("done", effect)


def test_what_surely_did_not_happen_meanwhile_does_not_count(conn: Any) -> None:
    [pause_id] = rows.waiting(conn)
    pauses.withdraw(conn, pause_id, "priya", surface="tests")
    _done(conn, _anew(conn, run_of(conn, pause_id)), "fail")
    _end_second(conn, run_of(conn, pause_id))
    asked(conn, pause_id)


def test_the_same_twice_in_a_run_is_asked_again_once(conn: Any) -> None:
    [pause_id] = rows.waiting(conn)
    pauses.withdraw(conn, pause_id, "priya", surface="tests")
    anew = _anew(conn, run_of(conn, pause_id), **_at(_CHEAPER))
    pauses.withdraw(conn, anew, "priya", surface="tests")
    _end_second(conn, run_of(conn, pause_id))
    new_id = asked(conn, pause_id)
    assert ask(conn, anew) == AskedAgain(pause_id=anew, again_run=new_id, new=False)


def _done(conn: Any, pause_id: UUID, verdict: ledger.Verdict = "succeed") -> UUID:
    """It is approved and done, or surely not; its effect."""
    pauses.approve(conn, pause_id, "marta", surface="tests")
    claim = runs.claim(conn, "w1", ["procurement"], lease_s=60)
    assert claim is not None
    held = pauses.get(conn, pause_id).content
    assert held is not None
    intent = rows.intent(claim.id, pause_id, step=2)
    action = digest.canonical({"tool": held.tool, "arguments": dict(held.arguments)})
    begun = ledger.begin(conn, claim, replace(intent, action=action, digest=held.action_digest), lease_s=60)
    assert isinstance(begun, ledger.Begun)
    ledger.settle(conn, begun.attempt_id, verdict, result=rows.PAID)
    return begun.effect_id


def _end_second(conn: Any, run_id: UUID) -> None:
    """The run has said its last word after its second turn."""
    claim = runs.claim(conn, "w1", ["procurement"], lease_s=60) or _claimed(conn, run_id)
    runs.save_results(conn, claim, {0: rows.PAID})
    runs.finish(conn, claim, "Done.", runs.LastWords())
