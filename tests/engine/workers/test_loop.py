"""The loop: what a turn's calls become, together; what people's answers mean for all of them; and where a run stops."""

from typing import Any

import pytest

from bot.sandbox.histories import Problem
from bot.sandbox.model import Reply, ask, say
from engine import Money, Quote
from engine.errors import Conflict
from engine.models import Call, Decided
from engine.rules.turn import NOT_RUN
from engine.state import pauses, runs
from engine.workers import loop
from engine.workers.sweep import Sweeper
from tests import rows, world
from tests.engine.workers.conftest import Desks
from tests.engine.workers.desk import Desk, only
from tests.engine.workers.shop import Shop, look, pay

DONE = say("Done.")


# ------------------------------------------------------------------------------------------- one gated call holds its turn


def test_nothing_of_a_turn_runs_before_the_decision_and_each_call_once_after_it(desks: Desks, shop: Shop) -> None:
    desk = desks(ask(look(), pay(), look("B")), DONE, agent=shop.agent)
    run_id = desk.start()
    assert desk.run(run_id).status == "awaiting_approval"
    assert shop.diary == []
    desk.approve(run_id)
    desk.work()
    assert desk.run(run_id).status == "done"
    assert shop.diary == ["look A", "pay PO-1", "look B"]
    assert desk.paid() == [3_800_000]
    assert len(desk.asked) == 2


def test_each_loop_of_change_and_ask_again_costs_one_call_of_the_model_and_one_of_each_tool(
    desks: Desks, shop: Shop
) -> None:
    prices = ["38000.00", "37000.00", "36000.00", "35000.00"]
    desk = desks(*(ask(look(), pay(amount=price)) for price in prices), DONE, agent=shop.agent)
    run_id = desk.start()
    for _ in prices[1:]:
        desk.deny(run_id)
        desk.work()
    desk.approve(run_id)
    desk.work()
    assert desk.run(run_id).status == "done"
    assert shop.diary == ["look A", "pay PO-1"]
    assert len(desk.asked) == len(prices) + 1
    assert desk.paid() == [3_500_000]


def test_a_denial_holds_back_the_whole_turn_and_every_call_is_told(desks: Desks, shop: Shop) -> None:
    desk = desks(ask(look(), pay(), pay("PO-2", "640.00")), DONE, agent=shop.agent)
    run_id = desk.start()
    desk.deny(run_id, reason="")
    desk.work()
    assert desk.run(run_id).status == "done"
    [looked, denied, small] = desk.told(run_id)
    assert looked == small == (NOT_RUN, True)
    assert denied[0].startswith("Denied by Marta Keller; nothing was done. Do not ask for this again")
    assert shop.diary == []
    assert desk.paid() == desk.paid("PO-2") == []


@pytest.mark.parametrize("first", ["approve the chair", "deny the 400"])
def test_one_of_two_denied_means_none_runs_and_each_is_told_its_own(desks: Desks, shop: Shop, first: str) -> None:
    desk = desks(ask(pay("CHAIR", "10001.00"), pay("CHAIRS", "400000.00")), DONE, agent=shop.agent)
    run_id = desk.start()
    chair, chairs = desk.pauses(run_id)
    if first == "approve the chair":
        assert isinstance(pauses.approve(desk.conn, chair.id, "marta", surface="tests"), Decided)
    assert isinstance(pauses.deny(desk.conn, chairs.id, "marta", surface="tests", reason="Too many."), Decided)
    desk.work()
    assert desk.run(run_id).status == "done"
    assert desk.statuses(run_id) == ["cancelled", "denied"]
    assert desk.texts(run_id)[0] == NOT_RUN
    assert "Too many." in desk.texts(run_id)[1]
    assert desk.paid("CHAIR") == desk.paid("CHAIRS") == []


def test_both_approved_run_in_order(desks: Desks, shop: Shop) -> None:
    desk = desks(ask(pay("PO-1"), pay("PO-2")), DONE, agent=shop.agent)
    run_id = desk.start()
    desk.approve(run_id)
    desk.work()
    assert shop.diary == []
    desk.approve(run_id)
    desk.work()
    assert shop.diary == ["pay PO-1", "pay PO-2"]
    assert desk.statuses(run_id) == ["executed", "executed"]


def test_a_failure_among_approved_calls_is_told_truthfully_call_by_call(desks: Desks, shop: Shop) -> None:
    desk = desks(ask(pay("PO-1", method="pm_card_declined"), pay("PO-2")), DONE, agent=shop.agent)
    run_id = desk.start()
    desk.approve(run_id)
    desk.approve(run_id)
    desk.work()
    assert desk.run(run_id).status == "done"
    assert desk.told(run_id)[0] == ("It was refused and not done: Your card was declined.", True)
    assert desk.told(run_id)[1][1] is False
    assert desk.statuses(run_id) == ["failed", "executed"]
    assert (desk.paid("PO-1"), desk.paid("PO-2")) == ([], [3_800_000])


def test_silence_is_told_as_silence_and_the_other_call_as_not_run(desks: Desks, shop: Shop) -> None:
    desk = desks(ask(look(), pay(amount="5000.00")), DONE, agent=shop.agent)
    run_id = desk.start()
    rows.make_due(desk.conn, desk.pause(run_id).id)
    Sweeper(desk.means.pool).run()
    desk.work()
    assert desk.run(run_id).status == "done"
    [looked, paid] = desk.texts(run_id)
    assert looked == NOT_RUN
    assert paid.startswith("Nobody answered by")


def test_a_withdrawal_is_told_as_one_for_every_call(desks: Desks, shop: Shop) -> None:
    desk = desks(ask(pay("PO-1"), pay("PO-2"), look()), DONE, agent=shop.agent)
    run_id = desk.start()
    outcome = pauses.withdraw(desk.conn, desk.pauses(run_id)[0].id, "priya", surface="tests", reason="Ordered twice.")
    assert isinstance(outcome, Decided)
    desk.work()
    assert desk.texts(run_id) == [
        "Withdrawn; nothing was done. Ordered twice.",
        "Withdrawn; nothing was done. another call of the same turn was withdrawn",
        NOT_RUN,
    ]


# --------------------------------------------------------------------------------------------------- answered to the model


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (("pay", {"order_ref": "PO-1", "amount": {"amount": "17,000", "currency": "EUR"}, "why": "Cheap."}), "amount"),
        (("pay", {"order_ref": "PO-1", "amount": {"amount": "17000.00", "currency": "EUR"}}), "why: it is missing"),
        (("transfer", {"to": "me"}), "There is no tool 'transfer'. There are: look, pay, pay_blindly."),
    ],
)
def test_a_call_that_cannot_be_made_is_answered_to_the_model_and_never_shown(
    desks: Desks, shop: Shop, call: Any, says: str
) -> None:
    desk = desks(ask(call), DONE, agent=shop.agent)
    run_id = desk.start()
    assert desk.run(run_id).status == "done"
    [(text, is_error)] = desk.told(run_id)
    assert says in text
    assert is_error
    assert desk.pauses(run_id) == []


def test_an_invalid_call_does_not_keep_the_other_from_being_asked(desks: Desks, shop: Shop) -> None:
    desk = desks(ask(("transfer", {}), pay()), DONE, agent=shop.agent)
    run_id = desk.start()
    assert desk.statuses(run_id) == ["waiting"]
    desk.approve(run_id)
    desk.work()
    assert [is_error for _, is_error in desk.told(run_id)] == [True, False]


def test_what_no_rule_names_is_answered_and_nobody_is_asked(desks: Desks, shop: Shop) -> None:
    desk = desks(ask(pay()), DONE, agent=shop.agent)
    desk.policy(('action = "payment"', 'action = "purchase"'))
    run_id = desk.start()
    assert desk.texts(run_id) == [
        'Not allowed, and nobody was asked: No rule of fin-approvals-v5 names "payment", so it is forbidden until the owner of the policy adds one.'
    ]
    assert desk.pauses(run_id) == []


def test_what_nobody_may_decide_is_answered_and_nobody_is_asked(desks: Desks, shop: Shop) -> None:
    desk = desks(ask(pay(amount="5000.00")), DONE, agent=shop.agent)
    for person in ("marta", "ines"):
        rows.take_role(desk.conn, person, "finance-approver")
    run_id = desk.start()
    assert "Nobody may decide on this" in desk.texts(run_id)[0]
    assert desk.pauses(run_id) == []


def test_without_a_present_price_nobody_is_asked(desks: Desks) -> None:
    desk = desks(
        ask(
            (
                "charge_supplier",
                {
                    "supplier_id": "sup_412",
                    "amount": {"amount": "38000.00", "currency": "EUR"},
                    "order_ref": "PO-1",
                    "payment_method": "pm_card_4417",
                    "why": "Cheap.",
                },
            )
        ),
        DONE,
    )
    run_id = desk.start()
    assert desk.run(run_id).status == "done"
    assert "The present price cannot be had, so nobody was asked" in desk.texts(run_id)[0]
    assert desk.pauses(run_id) == []


def test_an_agent_that_insists_is_not_asked_for_again_and_is_ended(desks: Desks) -> None:
    desk = desks()
    run_id = desk.start(world.order() + "\nbehave: insist")
    desk.deny(run_id)
    desk.work()
    assert "asked 3 times again for what a person had refused" in desk.error(run_id)
    assert desk.statuses(run_id) == ["denied"]
    assert desk.paid() == []
    assert desk.notices(run_id)[-1] == ("run_ended", "person:priya")


def test_what_was_refused_may_be_asked_for_differently_but_each_is_a_card_of_its_own(desks: Desks, shop: Shop) -> None:
    desk = desks(ask(pay()), ask(pay(amount="19000.00"), pay()), DONE, agent=shop.agent)
    run_id = desk.start()
    desk.deny(run_id)
    desk.work()
    assert desk.statuses(run_id) == ["denied", "waiting"]
    desk.deny(run_id)
    desk.work()
    assert desk.run(run_id).status == "done"
    assert "refused exactly this before" in desk.texts(run_id)[2]


def test_the_same_action_ten_times_in_a_turn_is_asked_once(desks: Desks, shop: Shop) -> None:
    desk = desks(ask(*(pay() for _ in range(10))), DONE, agent=shop.agent)
    run_id = desk.start()
    assert desk.statuses(run_id) == ["waiting"]
    desk.approve(run_id)
    desk.work()
    assert desk.paid() == [3_800_000]
    assert [is_error for _, is_error in desk.told(run_id)] == [False, *[True] * 9]


def test_the_same_allowed_action_twice_in_a_turn_is_done_once(desks: Desks, shop: Shop) -> None:
    desk = desks(ask(pay(amount="640.00"), pay(amount="640.00")), DONE, agent=shop.agent)
    run_id = desk.start()
    assert desk.run(run_id).status == "done"
    assert desk.paid() == [64_000]


# ------------------------------------------------------------------------------------------------------------ plain tools


def test_a_tool_that_fails_is_told_and_the_run_goes_on(desks: Desks, shop: Shop) -> None:
    def fail() -> None:
        raise RuntimeError("the shelf fell")

    shop.during["look"] = fail
    desk = desks(ask(look()), DONE, agent=shop.agent)
    run_id = desk.start()
    assert desk.run(run_id).status == "done"
    assert desk.told(run_id) == [("The tool failed: RuntimeError: the shelf fell", True)]


@pytest.mark.parametrize(
    ("value", "text", "is_error"),
    [
        (None, "(no result)", False),
        ("", "(no result)", False),
        ("ok\0", "ok\ufffd", False),
        ({"unit": float("nan")}, "The tool's result cannot be written down", True),
    ],
)
def test_whatever_a_tool_returns_the_run_goes_on(
    desks: Desks, shop: Shop, value: Any, text: str, is_error: bool
) -> None:
    @shop.agent.tool
    def odd() -> Any:
        """Return something odd."""
        return value

    desk = desks(ask(("odd", {})), DONE, agent=shop.agent)
    run_id = desk.start()
    assert desk.run(run_id).status == "done"
    [told] = desk.told(run_id)
    assert told[0].startswith(text)
    assert told[1] is is_error


# -------------------------------------------------------------------------------------------------------------- its bounds


def test_turns_are_bounded_and_the_bound_survives_a_wait(desks: Desks) -> None:
    shop = Shop(max_iterations=3)
    desk = desks(ask(look()), ask(pay()), ask(look("B")), agent=shop.agent)
    run_id = desk.start()
    desk.approve(run_id)
    desk.work()
    assert desk.error(run_id) == (
        "The agent used all of its 3 turns without coming to an end. Launch it again with a smaller task. What it did before stands: pay."
    )
    assert len(desk.asked) == 3
    assert desk.paid() == [3_800_000]


def test_tokens_are_bounded(desks: Desks) -> None:
    shop = Shop(max_tokens=10)
    desk = desks(ask(look()), agent=shop.agent)
    run_id = desk.start()
    assert "of its 10 tokens" in desk.error(run_id)
    assert len(desk.asked) == 1


# --------------------------------------------------------------------------------------------------------- odd last words


@pytest.mark.parametrize("reason", ["max_tokens", "model_context_window_exceeded", "refusal"])
def test_a_cut_off_or_refused_reply_asks_and_runs_nothing(desks: Desks, shop: Shop, reason: str) -> None:
    cut = ask(look(), pay())
    desk = desks(Reply(content=cut.content, stop_reason=reason), agent=shop.agent)
    run_id = desk.start()
    assert desk.error(run_id)
    assert shop.diary == []
    assert desk.pauses(run_id) == []
    assert len(desk.asked) == 1


def test_a_refusal_after_an_effect_is_final_and_says_what_was_done(desks: Desks, shop: Shop) -> None:
    desk = desks(ask(pay()), Reply(content=(), stop_reason="refusal"), agent=shop.agent)
    run_id = desk.start()
    desk.approve(run_id)
    desk.work()
    assert desk.error(run_id).endswith("What it did before stands: pay.")
    assert desk.paid() == [3_800_000]
    assert all(message["content"] for message in desk.run(run_id).messages)


def test_a_model_that_only_paused_is_given_its_own_words_back(desks: Desks, shop: Shop) -> None:
    thinking = Reply(content=({"type": "text", "text": "Looking "},), stop_reason="pause_turn")
    desk = desks(thinking, thinking, thinking, DONE, agent=shop.agent)
    run_id = desk.start()
    assert desk.run(run_id).status == "done"
    assert desk.asked[-1]["tools"] == desk.asked[0]["tools"]
    assert [message["role"] for message in desk.asked[-1]["messages"]] == [
        "user",
        "assistant",
        "assistant",
        "assistant",
    ]


def test_a_model_that_pauses_for_ever_is_ended(desks: Desks) -> None:
    shop = Shop(max_iterations=4)
    endless = Reply(content=({"type": "text", "text": "Looking"},), stop_reason="pause_turn")
    desk = desks(*[endless] * 4, agent=shop.agent)
    run_id = desk.start()
    assert "all of its 4 turns" in desk.error(run_id)


def test_an_empty_last_word_is_an_end(desks: Desks, shop: Shop) -> None:
    desk = desks(Reply(content=()), agent=shop.agent)
    run_id = desk.start()
    run = desk.run(run_id)
    assert (run.status, run.result) == ("done", "")
    assert [message["role"] for message in run.messages] == ["user"]


def test_blocks_of_every_kind_are_kept_and_sent_back_as_they_came(desks: Desks, shop: Shop) -> None:
    odd = {"type": "something_new", "payload": {"a": [1, None]}}
    first = Reply(content=({"type": "thinking", "thinking": "Hm."}, odd, *ask(look()).content), stop_reason="tool_use")
    desk = desks(first, DONE, agent=shop.agent)
    run_id = desk.start()
    assert desk.run(run_id).status == "done"
    sent = desk.asked[1]["messages"][1]["content"]
    assert [block["type"] for block in sent] == ["thinking", "something_new", "tool_use"]
    assert sent[1] == odd


def test_a_number_that_is_none_reaches_the_tools_check_and_not_the_rows(desks: Desks, shop: Shop) -> None:
    @shop.agent.tool
    def weigh(kilos: float) -> str:
        """Weigh."""
        return f"{kilos}"

    desk = desks(ask(("weigh", {"kilos": "1e999"}), ("look", {"what": "a\0b"})), DONE, agent=shop.agent)
    run_id = desk.start()
    assert desk.run(run_id).status == "done"
    [weighed, looked] = desk.told(run_id)
    assert weighed[1]
    assert "finite" in weighed[0]
    assert looked == ("a\ufffdb is there", False)


def test_infinity_in_the_models_own_words_ends_as_an_answer_to_it(desks: Desks, shop: Shop) -> None:
    desk = desks(DONE, agent=shop.agent)
    replies = [
        {
            "content": [{"type": "tool_use", "id": "t1", "name": "look", "input": {"what": float("inf")}}],
            "stop_reason": "tool_use",
        },
        {"content": [{"type": "text", "text": "Done."}], "stop_reason": "end_turn"},
    ]
    run_id = desk.launch()
    _work_with(desk, replies)
    assert desk.run(run_id).status == "done"
    [(text, is_error)] = desk.told(run_id)
    assert is_error
    assert "what: Input should be a valid string" in text


@pytest.mark.parametrize("body", [{}, [], {"content": None, "usage": None}])
def test_an_answer_that_is_no_message_ends_the_run_visibly(desks: Desks, shop: Shop, body: Any) -> None:
    desk = desks(DONE, agent=shop.agent)
    run_id = desk.launch()
    _work_with(desk, [body])
    assert "is no message" in desk.error(run_id)


def test_a_reply_that_cannot_be_stored_ends_the_run_and_is_not_asked_for_again(desks: Desks, shop: Shop) -> None:
    twice = {
        "content": [{"type": "tool_use", "id": "t1", "name": "look", "input": {"what": "A"}}],
        "stop_reason": "tool_use",
    }
    desk = desks(DONE, agent=shop.agent)
    run_id = desk.launch()
    _work_with(desk, [twice, twice])
    assert "cannot be stored" in desk.error(run_id)
    assert shop.diary == ["look A"]


def _work_with(desk: Desk, replies: list[Any]) -> None:
    """Work with a model that answers exactly this."""
    from dataclasses import replace

    left = iter(replies)
    world.work(replace(desk.means, complete=lambda **_: next(left)))


# --------------------------------------------------------------------------------------------------- the model cannot be had


@pytest.mark.parametrize(
    ("fault", "says"),
    [
        ("404_model", "The model claude-sonnet-5 is no longer there. Nothing was swapped silently"),
        ("529", "The model's service answered 529"),
        ("429", "The model's service answered 429"),
        ("500", "The model's service answered 500"),
        ("drop_after", "The model's service could not be reached"),
    ],
)
def test_without_its_model_a_run_stops_visibly_and_what_was_done_is_not_repeated(
    desks: Desks, shop: Shop, fault: str, says: str
) -> None:
    desk = desks(ask(pay()), DONE, agent=shop.agent)
    run_id = desk.start()
    desk.approve(run_id)
    desk.model_fails(fault)
    desk.work()
    error = desk.error(run_id)
    assert says in error
    assert error.endswith("What it did before stands: pay.")
    assert desk.paid() == [3_800_000]
    assert desk.statuses(run_id) == ["executed"]


def test_a_refused_key_of_the_models_service_is_said_so(desks: Desks, shop: Shop) -> None:
    refused = Problem(status=401, kind="authentication_error", message="invalid x-api-key")
    desk = desks(refused, agent=shop.agent)
    assert "Check ANTHROPIC_API_KEY" in desk.error(desk.start())


# --------------------------------------------------------------------------------------------------- stopping between steps


def test_an_operators_wish_takes_effect_after_the_step_and_resume_goes_on_with_the_next(
    desks: Desks, shop: Shop
) -> None:
    desk = desks(ask(look(), look("B")), DONE, agent=shop.agent)
    run_id = desk.launch()
    shop.during["look"] = lambda: runs.hold(desk.conn, run_id, actor="otto", surface="tests")
    desk.work()
    shop.during.clear()
    assert desk.run(run_id).status == "paused"
    assert shop.diary == ["look A"]
    assert runs.resume(desk.conn, run_id, actor="otto", surface="tests") == "queued"
    with pytest.raises(Conflict, match="nobody has paused it"):
        runs.resume(desk.conn, run_id, actor="otto", surface="tests")
    desk.work()
    assert desk.run(run_id).status == "done"
    assert shop.diary == ["look A", "look B"]
    assert len(desk.asked) == 2


def test_an_effect_under_way_is_finished_before_an_operators_wish_takes_effect(desks: Desks, shop: Shop) -> None:
    desk = desks(ask(pay(amount="640.00"), look()), DONE, agent=shop.agent)
    run_id = desk.launch()
    shop.during["pay"] = lambda: runs.hold(desk.conn, run_id, actor="otto", surface="tests")
    desk.work()
    assert desk.run(run_id).status == "paused"
    assert desk.paid() == [64_000]
    assert shop.diary == ["pay PO-1"]


def test_a_wish_to_stop_that_comes_just_before_an_effect_keeps_it_from_being_begun(desks: Desks, shop: Shop) -> None:
    desk = desks(ask(pay(amount="640.00")), DONE, agent=shop.agent)
    run_id = desk.launch()
    held = iter([lambda: runs.hold(desk.conn, run_id, actor="otto", surface="tests")])

    def quote() -> Quote:
        next(held, lambda: None)()
        return Quote(price=Money(64_000, "EUR"))

    shop.agent.tools["pay"].quote(quote)
    desk.work()
    assert desk.run(run_id).status == "paused"
    assert desk.effects(run_id) == []
    runs.resume(desk.conn, run_id, actor="otto", surface="tests")
    desk.work()
    assert desk.run(run_id).status == "done"
    assert desk.paid() == [64_000]


def test_a_run_withdrawn_during_an_effect_ends_when_that_is_settled(desks: Desks, shop: Shop) -> None:
    desk = desks(ask(pay(amount="640.00"), look()), agent=shop.agent)
    run_id = desk.launch()
    shop.during["pay"] = lambda: runs.cancel(desk.conn, run_id, actor="priya", person="priya", surface="tests")
    desk.work()
    assert desk.run(run_id).status == "cancelled"
    assert desk.paid() == [64_000]
    assert shop.diary == ["pay PO-1"]


def test_a_worker_that_stops_lets_its_run_go_and_another_goes_on_with_the_next_step(desks: Desks, shop: Shop) -> None:
    desk = desks(ask(look(), look("B")), DONE, agent=shop.agent)
    run_id = desk.launch()
    shop.during["look"] = desk.hours.set
    claim = runs.claim(desk.conn, "w1", ["procurement"], lease_s=60)
    assert claim is not None
    loop.advance(desk.means, claim)
    assert shop.diary == ["look A"]
    assert desk.run(run_id).status == "queued"
    world.work(desk.another())
    assert desk.run(run_id).status == "done"
    assert shop.diary == ["look A", "look B"]
    assert len(desk.asked) == 2


def test_a_worker_that_lost_its_lease_touches_nothing_more(desks: Desks, shop: Shop) -> None:
    desk = desks(ask(look(), pay(amount="640.00")), DONE, agent=shop.agent)
    run_id = desk.launch()

    def taken_over() -> None:
        shop.during.clear()
        rows.lose_lease(desk.conn, run_id)
        world.work(desk.another())

    shop.during["look"] = taken_over
    claim = runs.claim(desk.conn, "w1", ["procurement"], lease_s=60)
    assert claim is not None
    loop.advance(desk.means, claim)
    assert desk.run(run_id).status == "done"
    assert shop.diary == ["look A", "look A", "pay PO-1"]
    assert desk.paid() == [64_000]
    assert len(desk.asked) == 2


def test_a_receipt_is_recorded_though_the_run_was_taken_over_meanwhile(desks: Desks, shop: Shop) -> None:
    desk = desks(ask(pay(), look()), DONE, agent=shop.agent)
    run_id = desk.start()
    desk.approve(run_id)

    def taken_over() -> None:
        rows.lose_lease(desk.conn, run_id)
        assert runs.claim(desk.conn, "w2", ["procurement"], lease_s=60) is not None

    shop.during["paid"] = taken_over
    claim = runs.claim(desk.conn, "w1", ["procurement"], lease_s=60)
    assert claim is not None
    loop.advance(desk.means, claim)
    assert desk.statuses(run_id) == ["executed"]
    assert only(desk.pauses(run_id)).receipt["result"]["status"] == "succeeded"
    assert shop.diary == ["pay PO-1"]
    assert desk.run(run_id).status == "running"
    rows.lose_lease(desk.conn, run_id)
    world.work(desk.another("w3"))
    assert desk.run(run_id).status == "done"
    assert desk.paid() == [3_800_000]


def test_calls_are_what_the_rows_say(desks: Desks, shop: Shop) -> None:
    desk = desks(ask(look(), pay()), DONE, agent=shop.agent)
    run_id = desk.start()
    first, second = runs.load(desk.conn, run_id).calls
    assert isinstance(first, Call)
    assert [first.state, second.state] == ["requested", "requested"]
    assert first.pause_id is None
    assert second.pause_id == desk.pause(run_id).id


def test_a_run_with_no_policy_in_force_ends_and_says_what_to_do(desks: Desks, shop: Shop) -> None:
    desk = desks(ask(pay()), agent=shop.agent)
    desk.conn.execute("DELETE FROM policy_version")
    run_id = desk.launch()
    desk.work()
    assert desk.run(run_id).status == "error"
    assert "placet policy apply" in desk.error(run_id)
    assert desk.paid() == []
