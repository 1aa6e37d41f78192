"""Done once: whatever the provider does, what it took is counted, and what nobody can tell is put before a person."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from bot.sandbox.model import ask, say
from engine import Effect, Money, ProviderRefused, Unknown
from engine.state import events, ledger, runs
from engine.workers import loop, perform
from tests import rows, world
from tests.engine.workers.conftest import Desks
from tests.engine.workers.desk import Desk, only
from tests.engine.workers.shop import Shop, charge, pay

DONE = say("Done.")
BIG, SMALL = 3_800_000, 64_000


def approved(desk: Desk) -> Any:
    """A run with its payment approved and not done yet."""
    run_id = desk.start()
    desk.approve(run_id)
    return run_id


def lost(desk: Desk, run_id: Any, shop: Shop, moment: str) -> None:
    """The worker is lost at this moment of the payment, and its lease is over."""

    class Gone(BaseException):
        """Not caught by anything: as a killed process catches nothing."""

    def die() -> None:
        raise Gone

    shop.during[moment] = die
    with pytest.raises(Gone):
        desk.work()
    shop.during.clear()
    rows.lose_lease(desk.conn, run_id)


# ------------------------------------------------------------------------------------------------------ the provider fails


@pytest.mark.parametrize(
    ("faults", "tries"),
    [
        (["drop_before"], 2),
        (["drop_after"], 2),
        (["down"], 2),
        (["drop_before", "drop_before", "drop_after"], 4),
        (["down", "drop_after", "down"], 4),
        (["hang_after"], 2),
    ],
)
def test_a_lost_answer_is_asked_for_again_with_the_same_key_and_paid_once(
    desks: Desks, shop: Shop, faults: list[str], tries: int
) -> None:
    desk = desks(ask(pay()), DONE, agent=shop.agent)
    run_id = approved(desk)
    desk.faults(*faults, match={"order_ref": "PO-1"})
    if faults == ["hang_after"]:  # the key stays in use until the provider sees that we have hung up
        shop.during["pay"] = _free(desk)
    desk.work()
    assert desk.run(run_id).status == "done"
    assert desk.paid() == [BIG]
    assert desk.attempts() == [("done", tries)]
    assert desk.statuses(run_id) == ["executed"]


def _free(desk: Desk) -> Callable[[], object]:
    def wait() -> None:
        found = desk.conn.execute("SELECT id FROM effect_attempt").fetchall()
        assert all(desk.outside.provider.wait_until_free(str(key), seconds=10) for (key,) in found)

    return wait


def test_a_failure_that_the_key_replays_for_ever_is_looked_up_in_the_list(desks: Desks, shop: Shop) -> None:
    desk = desks(ask(pay()), DONE, agent=shop.agent)
    run_id = approved(desk)
    desk.faults("500_after")
    desk.work()
    assert desk.run(run_id).status == "done"
    assert desk.paid() == [BIG]
    assert shop.diary == ["pay PO-1"] * 4 + ["find PO-1"]
    assert only(desk.pauses(run_id)).receipt["result"]["status"] == "succeeded"
    assert desk.hours.waited == [0.0, 0.5, 2.0]


def test_what_surely_did_not_happen_is_begun_anew_with_a_fresh_key_after_the_call_has_ended(
    desks: Desks, shop: Shop
) -> None:
    desk = desks(ask(pay()), DONE, agent=shop.agent)
    run_id = approved(desk)
    desk.faults("down", times=4, match={"endpoint": "create"})
    desk.work()
    assert desk.run(run_id).status == "done"
    assert desk.paid() == [BIG]
    assert desk.attempts() == [("absent", 4), ("done", 1)]
    assert 5 < desk.hours.waited[-1] <= 1 + 5 + 5  # the call's own second, the margin, and the provider's settling
    assert shop.diary[4:6] == ["find PO-1", "find PO-1"]


def test_a_provider_that_never_answers_and_has_nothing_is_a_sure_no_in_the_end(desks: Desks, shop: Shop) -> None:
    desk = desks(ask(pay()), DONE, agent=shop.agent)
    run_id = approved(desk)
    desk.faults("down", times=None, match={"endpoint": "create"})
    desk.work()
    assert desk.run(run_id).status == "done"
    assert desk.paid() == []
    assert desk.statuses(run_id) == ["failed"]
    [(text, is_error)] = desk.told(run_id)
    assert is_error
    assert text.startswith("It was refused and not done: it did not answer, twice (")
    assert desk.attempts() == [("absent", 4), ("failed", 4)]


def test_a_provider_that_is_down_altogether_leaves_a_doubt_and_nothing_is_sent_again(desks: Desks, shop: Shop) -> None:
    desk = desks(ask(pay()), agent=shop.agent)
    run_id = approved(desk)
    desk.faults("down", times=None)
    desk.work()
    assert desk.run(run_id).status == "in_doubt"
    assert desk.effects(run_id) == ["in_doubt"]
    assert desk.paid() == []
    assert desk.notices(run_id) == [("in_doubt", "person:priya")]
    before = list(shop.diary)
    desk.outside.provider.faults.clear()
    desk.work()
    assert shop.diary == before
    assert len(desk.asked) == 1


def test_a_list_that_cannot_be_had_leaves_a_doubt(desks: Desks, shop: Shop) -> None:
    desk = desks(ask(pay()), agent=shop.agent)
    run_id = approved(desk)
    desk.faults("500_after")
    desk.faults("down", times=4, match={"endpoint": "list"})
    desk.work()
    assert desk.run(run_id).status == "in_doubt"
    assert desk.paid() == [BIG]
    doubt = only(ledger.in_doubt(desk.conn))
    assert "could not say whether it happened" in str(doubt.error)
    assert doubt.doubt_role == "finance-approver"


def test_a_tool_that_cannot_look_leaves_a_doubt(desks: Desks, shop: Shop) -> None:
    name, given = pay()
    desk = desks(ask((f"{name}_blindly", given)), agent=shop.agent)
    run_id = approved(desk)
    desk.faults("500_after")
    desk.work()
    assert desk.run(run_id).status == "in_doubt"
    assert desk.paid() == [BIG]
    assert shop.diary == ["pay PO-1"] * 4
    said = "The provider's answer was lost, and this tool has no way to look it up. Our bank has no list."
    assert only(ledger.in_doubt(desk.conn)).error == said


def _fails(error: Exception) -> Callable[..., Any]:
    def fails() -> None:
        raise error

    return fails


def test_a_refusal_with_a_nul_in_it_is_a_sure_no_all_the_same(desks: Desks, shop: Shop) -> None:
    shop.during["pay"] = _fails(ProviderRefused("no\0pe\ud800"))
    desk = desks(ask(pay()), DONE, agent=shop.agent)
    run_id = approved(desk)
    desk.work()
    assert desk.run(run_id).status == "done"
    assert desk.told(run_id) == [("It was refused and not done: no\ufffdpe\ufffd", True)]


def test_a_doubt_with_a_nul_in_it_is_asked_about_all_the_same(desks: Desks, shop: Shop) -> None:
    shop.during |= {"pay": _fails(TimeoutError("lost\0")), "find": _fails(Unknown("cannot\0say"))}
    desk = desks(ask(pay()), agent=shop.agent)
    run_id = approved(desk)
    desk.work()
    assert desk.run(run_id).status == "in_doubt"
    [(error,)] = desk.conn.execute("SELECT error FROM effect").fetchall()
    assert "cannot\ufffdsay" in error


def test_where_the_provider_honours_no_key_a_call_whose_answer_is_lost_is_never_made_again(
    desks: Desks, shop: Shop
) -> None:
    name, given = pay()
    shop.agent.tools["pay_blindly"].key_window_s = 0
    desk = desks(ask((f"{name}_blindly", given)), agent=shop.agent)
    run_id = approved(desk)
    desk.faults("500_after")
    desk.work()
    assert desk.run(run_id).status == "in_doubt"
    assert (desk.paid(), shop.diary) == ([BIG], ["pay PO-1"])


def test_without_a_key_it_is_looked_for_at_once(desks: Desks, shop: Shop) -> None:
    shop.agent.tools["pay"].key_window_s = 0
    desk = desks(ask(pay()), DONE, agent=shop.agent)
    run_id = approved(desk)
    desk.faults("500_after")
    desk.work()
    assert desk.run(run_id).status == "done"
    assert (desk.paid(), shop.diary) == ([BIG], ["pay PO-1", "find PO-1"])


def test_no_wait_between_two_tries_leads_out_of_the_time_in_which_the_key_is_remembered(
    desks: Desks, shop: Shop
) -> None:
    shop.agent.tools["pay"].key_window_s = 2
    desk = desks(ask(pay()), DONE, agent=shop.agent)
    run_id = approved(desk)
    desk.faults("500_after", times=4)
    desk.work()
    assert desk.run(run_id).status == "done"
    assert 2.0 not in desk.hours.waited
    assert shop.diary[-1] == "find PO-1"


def test_a_sure_no_is_told_and_nothing_is_paid(desks: Desks, shop: Shop) -> None:
    desk = desks(ask(pay(method="pm_card_declined")), DONE, agent=shop.agent)
    run_id = approved(desk)
    desk.work()
    assert desk.run(run_id).status == "done"
    assert desk.told(run_id) == [("It was refused and not done: Your card was declined.", True)]
    assert desk.statuses(run_id) == ["failed"]
    assert desk.effects(run_id) == ["failed"]
    assert desk.paid() == []
    assert shop.diary == ["pay PO-1"]


def test_a_refusal_of_a_repeat_is_no_refusal_of_the_call_whose_answer_was_lost(desks: Desks, shop: Shop) -> None:
    """The provider takes the money, the answer is lost, and the repeat is refused because the key was revoked meanwhile."""
    desk = desks(ask(pay()), agent=shop.agent)
    run_id = approved(desk)
    desk.faults("drop_after")

    def revoked_before_the_repeat() -> None:
        if len(shop.diary) == 2:
            desk.outside.provider.revoke("sk_test_placet")

    shop.during["pay"] = revoked_before_the_repeat
    desk.work()
    assert desk.paid() == [BIG]
    assert desk.run(run_id).status == "in_doubt"


def test_a_refusal_is_no_answer_to_the_call_that_another_worker_made_since(desks: Desks, shop: Shop) -> None:
    desk = desks(ask(pay()), DONE, agent=shop.agent)
    run_id = approved(desk)

    def taken_over() -> None:
        shop.during.clear()
        rows.lose_lease(desk.conn, run_id)
        claim = runs.claim(desk.conn, "w2", ["procurement"], lease_s=60)
        [(key,)] = desk.conn.execute("SELECT id FROM effect_attempt").fetchall()
        assert claim is not None
        assert ledger.repeat(desk.conn, claim, key, within_s=60, call_s=6, lease_s=60) == "repeat"
        raise ProviderRefused("This API key was revoked.")

    shop.during["pay"] = taken_over
    desk.work()
    assert desk.effects(run_id) == ["attempted"]
    rows.lose_lease(desk.conn, run_id)
    desk.work()
    assert desk.run(run_id).status == "done"
    assert (desk.paid(), desk.effects(run_id), desk.attempts()) == ([BIG], ["done"], [("done", 3)])


def test_a_refused_repeat_of_what_never_happened_is_a_no_once_the_list_says_so(desks: Desks, shop: Shop) -> None:
    desk = desks(ask(pay(method="pm_card_declined")), DONE, agent=shop.agent)
    run_id = approved(desk)
    desk.faults("drop_before")
    desk.work()
    assert desk.run(run_id).status == "done"
    assert desk.told(run_id) == [("It was refused and not done: Your card was declined.", True)]
    assert desk.paid() == []
    assert desk.attempts() == [("failed", 2)]


@pytest.mark.parametrize(
    "value", [float("nan"), {1, 2}, object(), b"\xff", {("a", 1): 2}, None, "ok\0", {"a": {"b\0": "\ud800"}}]
)
def test_a_receipt_is_kept_whatever_the_tool_returns(desks: Desks, shop: Shop, value: Any) -> None:
    @shop.agent.tool(action="release")
    def give_back(effect: Effect, what: str) -> Any:
        """Give back."""
        return value

    desk = desks(ask(("give_back", {"what": "A", "why": "Not needed."})), DONE, agent=shop.agent)
    run_id = desk.start()
    assert desk.run(run_id).status == "done"
    assert desk.effects(run_id) == ["done"]
    [(text, is_error)] = desk.told(run_id)
    assert text
    assert not is_error


# ------------------------------------------------------------------------------------------------------- a worker is lost


@pytest.mark.parametrize("moment", ["pay", "paid"])
@pytest.mark.parametrize("amount", ["38000.00", "640.00"])
def test_a_worker_lost_around_its_call_pays_once(desks: Desks, shop: Shop, moment: str, amount: str) -> None:
    desk = desks(ask(pay(amount=amount)), DONE, agent=shop.agent)
    run_id = desk.launch() if amount == "640.00" else approved(desk)
    lost(desk, run_id, shop, moment)
    assert desk.effects(run_id) == ["attempted"]
    desk.work()
    assert desk.run(run_id).status == "done"
    assert desk.effects(run_id) == ["done"]
    assert desk.paid() == [SMALL if amount == "640.00" else BIG]
    assert desk.attempts() == [("done", 2)]
    assert len(desk.asked) == 2


@pytest.mark.parametrize(("window_s", "remembered_s"), [(86_400, 77_760), (60, 54), (30, 24), (0, -6)])
def test_a_key_is_not_used_again_when_the_call_might_end_after_it_is_forgotten(
    shop: Shop, window_s: int, remembered_s: float
) -> None:
    tool = shop.agent.tools["pay"]
    tool.key_window_s = window_s
    assert perform.remembered_s(tool) == pytest.approx(remembered_s)


def test_a_key_that_was_forgotten_while_its_worker_stood_still_is_not_used_again(
    desks: Desks, shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk = desks(ask(pay()), DONE, agent=shop.agent)
    run_id = approved(desk)
    repeat = ledger.repeat

    def late(conn: Any, *words: Any, **more: Any) -> str:
        desk.age(run_id, hours=26)
        return repeat(conn, *words, **more)

    monkeypatch.setattr(ledger, "repeat", late)
    desk.faults("drop_after", match={"order_ref": "PO-1"})
    desk.work()
    assert desk.run(run_id).status == "done"
    assert (desk.paid(), shop.diary) == ([BIG], ["pay PO-1", "find PO-1"])


def test_a_key_that_the_provider_forgot_is_not_used_again_and_the_payment_is_found(desks: Desks, shop: Shop) -> None:
    desk = desks(ask(pay()), DONE, agent=shop.agent)
    run_id = approved(desk)
    lost(desk, run_id, shop, "paid")
    desk.age(run_id, hours=26)
    desk.work()
    assert desk.run(run_id).status == "done"
    assert desk.paid() == [BIG]
    assert shop.diary == ["pay PO-1", "find PO-1"]
    assert desk.hours.waited == []


def test_a_forgotten_key_without_a_payment_is_replaced_and_paid_once(desks: Desks, shop: Shop) -> None:
    desk = desks(ask(pay()), DONE, agent=shop.agent)
    run_id = approved(desk)
    lost(desk, run_id, shop, "pay")
    desk.age(run_id, hours=26)
    desk.work()
    assert desk.run(run_id).status == "done"
    assert desk.paid() == [BIG]
    assert desk.attempts() == [("absent", 1), ("done", 1)]
    assert shop.diary == ["pay PO-1", "find PO-1", "pay PO-1"]


def test_a_forgotten_key_of_a_tool_that_cannot_look_leaves_a_doubt(desks: Desks, shop: Shop) -> None:
    name, given = pay()
    desk = desks(ask((f"{name}_blindly", given)), agent=shop.agent)
    run_id = approved(desk)
    lost(desk, run_id, shop, "pay")
    desk.age(run_id, hours=26)
    desk.work()
    assert desk.run(run_id).status == "in_doubt"
    assert shop.diary == ["pay PO-1"]


def test_a_worker_that_is_lost_again_and_again_stops_repeating_and_looks(desks: Desks, shop: Shop) -> None:
    desk = desks(ask(pay()), DONE, agent=shop.agent)
    run_id = approved(desk)
    for _ in range(4):
        lost(desk, run_id, shop, "paid")
    desk.work()
    assert desk.run(run_id).status == "done"
    assert desk.paid() == [BIG]
    assert shop.diary == ["pay PO-1"] * 4 + ["find PO-1"]


def test_what_was_begun_is_settled_before_anything_else_of_the_turn_is_looked_at(desks: Desks, shop: Shop) -> None:
    """Meanwhile finance wants to be asked about the very payment, and about the one beside it."""
    desk = desks(ask(pay(amount="640.00"), pay("PO-2", amount="650.00")), DONE, agent=shop.agent)
    run_id = desk.launch()
    lost(desk, run_id, shop, "paid")
    desk.policy(('up_to = "1000.00"', 'up_to = "100.00"'), ('over = "1000.00"', 'over = "100.00"'))
    desk.work()
    assert desk.paid("PO-1") == [SMALL]
    assert desk.paid("PO-2") == []
    assert desk.run(run_id).status == "awaiting_approval"
    assert desk.pause(run_id).content is not None
    desk.approve(run_id)
    desk.work()
    assert desk.run(run_id).status == "done"
    assert desk.paid("PO-2") == [65_000]


@pytest.mark.parametrize("moment", ["pay", "paid"])
def test_without_its_grant_what_was_begun_is_only_looked_up(desks: Desks, shop: Shop, moment: str) -> None:
    desk = desks(ask(pay()), DONE, agent=shop.agent)
    run_id = approved(desk)
    lost(desk, run_id, shop, moment)
    rows.deactivate(desk.conn, "priya")
    desk.work()
    assert shop.diary[1:3] == ["find PO-1"] * (1 if moment == "paid" else 2)
    assert desk.paid() == ([BIG] if moment == "paid" else [])
    assert desk.statuses(run_id) == ["executed" if moment == "paid" else "failed"]
    assert desk.run(run_id).status == "done"


def test_a_tool_that_changed_under_an_open_call_leaves_a_doubt(desks: Desks, shop: Shop) -> None:
    desk = desks(ask(pay()), agent=shop.agent)
    run_id = approved(desk)
    lost(desk, run_id, shop, "paid")
    del shop.agent.tools["pay"]
    desk.work()
    assert desk.run(run_id).status == "in_doubt"
    assert "changed after it was begun" in str(only(ledger.in_doubt(desk.conn)).error)
    assert desk.paid() == [BIG]


def test_a_stop_while_a_lost_answer_is_awaited_lets_the_run_go_and_another_worker_finds_out(
    desks: Desks, shop: Shop
) -> None:
    desk = desks(ask(pay(), pay("PO-2")), DONE, agent=shop.agent)
    run_id = desk.start()
    desk.approve(run_id)
    desk.approve(run_id)
    desk.faults("down", times=2, match={"endpoint": "create"})
    desk.hours.meanwhile.append(desk.hours.set)
    claim = runs.claim(desk.conn, "w1", ["procurement"], lease_s=60)
    assert claim is not None
    loop.advance(desk.means, claim)
    assert desk.run(run_id).status == "queued"
    assert desk.effects(run_id) == ["attempted"]
    assert set(shop.diary) == {"pay PO-1"}
    world.work(desk.another())
    assert desk.run(run_id).status == "done"
    assert (desk.paid(), desk.paid("PO-2")) == ([BIG], [BIG])


# --------------------------------------------------------------------------------------------------------- a doubt resolved


def in_doubt(desk: Desk) -> Any:
    """A run stopped by a doubt: its payment was made, and nobody can tell."""
    run_id = approved(desk)
    desk.faults("500_after")
    desk.faults("down", times=4, match={"endpoint": "list"})
    desk.work()
    assert desk.run(run_id).status == "in_doubt"
    return run_id


def resolve(desk: Desk, answer: Any, reference: str = "") -> str:
    effect = only(ledger.in_doubt(desk.conn))
    return ledger.resolve(desk.conn, effect.id, answer, actor="marta", surface="tests", reference=reference)


def test_it_did_happen_is_recorded_with_its_reference_and_told(desks: Desks, shop: Shop) -> None:
    desk = desks(ask(pay()), DONE, agent=shop.agent)
    run_id = in_doubt(desk)
    assert resolve(desk, "happened", "pi_from_the_dashboard") == "happened"
    desk.work()
    assert desk.run(run_id).status == "done"
    assert desk.statuses(run_id) == ["executed"]
    assert desk.texts(run_id) == ["Done, as marta confirmed by hand, reference pi_from_the_dashboard."]
    assert desk.paid() == [BIG]


def test_it_did_not_happen_is_tried_anew_exactly_once(desks: Desks, shop: Shop) -> None:
    desk = desks(ask(pay()), DONE, agent=shop.agent)
    run_id = approved(desk)
    desk.faults("down", times=None)
    desk.work()
    desk.outside.provider.faults.clear()
    assert resolve(desk, "retry") == "retry"
    desk.work()
    assert desk.run(run_id).status == "done"
    assert desk.paid() == [BIG]
    assert desk.statuses(run_id) == ["executed"]
    assert [status for status, _ in desk.attempts()] == ["absent", "done"]


def test_a_retry_of_what_did_happen_finds_it_and_pays_nothing_more(desks: Desks, shop: Shop) -> None:
    desk = desks(ask(pay()), DONE, agent=shop.agent)
    run_id = in_doubt(desk)
    assert resolve(desk, "retry") == "retry"
    desk.work()
    assert desk.run(run_id).status == "done"
    assert desk.statuses(run_id) == ["executed"]
    assert desk.paid() == [BIG]


def test_a_call_that_lands_after_a_person_said_that_it_did_not_is_found_and_not_made_again(
    desks: Desks, shop: Shop
) -> None:
    """Somebody answers while the last call may still be under way: it is waited out before anything is called anew."""
    desk = desks(ask(pay()), DONE, agent=shop.agent)
    run_id = approved(desk)
    desk.faults("down", times=None)
    desk.work()
    desk.outside.provider.faults.clear()
    desk.conn.execute("UPDATE effect_attempt SET call_deadline = clock_timestamp() + interval '20 seconds'")
    assert resolve(desk, "retry") == "retry"
    [(key,)] = desk.conn.execute("SELECT id FROM effect_attempt").fetchall()
    effect_key = f"{run_id}:1:0"
    late = Effect(
        attempt_key=str(key), effect_key=effect_key, metadata={"effect_key": effect_key, "run_id": str(run_id)},
        credential="sk_test_placet", timeout_s=5, since=0,
    )  # fmt: skip
    desk.hours.waited.clear()
    desk.hours.meanwhile.append(lambda: charge(late, "PO-1", Money(BIG, "EUR"), "pm_card_4417"))
    desk.work()
    assert desk.hours.waited[0] > 20
    assert (desk.paid(), desk.run(run_id).status) == ([BIG], "done")


def test_a_retry_of_what_cannot_be_looked_up_waits_for_no_list(desks: Desks, shop: Shop) -> None:
    name, given = pay()
    desk = desks(ask((f"{name}_blindly", given)), DONE, agent=shop.agent)
    run_id = approved(desk)
    desk.faults("down", times=None)
    desk.work()
    desk.outside.provider.faults.clear()
    assert resolve(desk, "retry") == "retry"
    desk.hours.waited.clear()
    desk.work()
    assert (desk.paid(), desk.run(run_id).status) == ([BIG], "done")
    [until_the_call_is_over] = desk.hours.waited
    assert 5 < until_the_call_is_over <= 6


def test_a_worker_that_is_to_end_while_it_looks_makes_no_call_and_the_next_one_does(desks: Desks, shop: Shop) -> None:
    desk = desks(ask(pay()), DONE, agent=shop.agent)
    run_id = approved(desk)
    desk.faults("down", times=None)
    desk.work()
    assert resolve(desk, "retry") == "retry"
    shop.diary.clear()
    desk.hours.meanwhile.append(desk.hours.set)
    claim = desk.means.do(runs.claim, "w1", ["procurement"], lease_s=60)
    assert claim is not None
    loop.advance(desk.means, claim)
    assert (desk.run(run_id).status, shop.diary) == ("queued", ["find PO-1"])
    desk.outside.provider.faults.clear()
    desk.hours.clear()
    desk.work()
    assert (desk.paid(), desk.run(run_id).status) == ([BIG], "done")


def test_a_list_that_is_away_for_a_moment_is_asked_again_before_any_person(desks: Desks, shop: Shop) -> None:
    desk = desks(ask(pay()), DONE, agent=shop.agent)
    run_id = approved(desk)
    desk.faults("500_after")
    desk.faults("down", times=3, match={"endpoint": "list"})
    desk.work()
    assert desk.run(run_id).status == "done"
    assert desk.paid() == [BIG]


def test_a_retry_without_its_grant_is_not_called_and_told_so(desks: Desks, shop: Shop) -> None:
    desk = desks(ask(pay()), DONE, agent=shop.agent)
    run_id = approved(desk)
    desk.faults("down", times=None)
    desk.work()
    desk.outside.provider.faults.clear()
    resolve(desk, "retry")
    rows.deactivate(desk.conn, "priya")
    desk.work()
    assert desk.run(run_id).status == "done"
    assert "no longer active" in desk.texts(run_id)[0]
    assert desk.statuses(run_id) == ["failed"]
    assert desk.paid() == []


def test_stopped_by_a_person_it_ends_and_nothing_is_sent(desks: Desks, shop: Shop) -> None:
    desk = desks(ask(pay()), agent=shop.agent)
    run_id = in_doubt(desk)
    before = list(shop.diary)
    assert resolve(desk, "stop") == "stop"
    desk.work()
    assert desk.error(run_id) == "ended in doubt by marta"
    assert shop.diary == before
    assert desk.notices(run_id)[-1] == ("run_ended", "person:priya")


# -------------------------------------------------------------------------------------------------------------------- halt


def test_while_halted_nothing_is_begun_and_nothing_is_written_until_it_is_over(desks: Desks, shop: Shop) -> None:
    desk = desks(ask(pay()), DONE, agent=shop.agent)
    run_id = approved(desk)
    desk.halt()
    written: list[int] = []

    def counted() -> None:
        written.append(len(events.of_run(desk.conn, run_id)))

    desk.hours.meanwhile += [counted, counted, counted, desk.unhalt]
    desk.work()
    assert desk.run(run_id).status == "done"
    assert desk.paid() == [BIG]
    assert len(set(written)) == 1
    assert shop.diary == ["pay PO-1"]


def test_after_a_halt_everything_is_looked_at_again(desks: Desks, shop: Shop) -> None:
    desk = desks(ask(pay()), agent=shop.agent)
    run_id = approved(desk)
    desk.halt()
    desk.hours.meanwhile += [lambda: rows.deactivate(desk.conn, "priya"), desk.unhalt]
    desk.work()
    assert "no longer active" in desk.error(run_id)
    assert desk.paid() == []


def test_a_halted_run_can_be_paused_and_withdrawn(desks: Desks, shop: Shop) -> None:
    desk = desks(ask(pay()), agent=shop.agent)
    run_id = approved(desk)
    desk.halt()
    desk.hours.meanwhile.append(lambda: runs.hold(desk.conn, run_id, actor="otto", surface="tests"))
    desk.work()
    assert desk.run(run_id).status == "paused"
    runs.cancel(desk.conn, run_id, actor="priya", person="priya", surface="tests")
    assert desk.run(run_id).status == "cancelled"
    assert desk.paid() == []


def test_a_halt_stops_the_repeating_of_a_call_too(desks: Desks, shop: Shop) -> None:
    desk = desks(ask(pay()), DONE, agent=shop.agent)
    run_id = approved(desk)
    lost(desk, run_id, shop, "pay")
    desk.halt()
    desk.hours.meanwhile += [lambda: None, desk.unhalt]
    desk.work()
    assert desk.run(run_id).status == "done"
    assert desk.paid() == [BIG]


# ----------------------------------------------------------------------------------------------------- before it is begun


def test_what_may_only_be_done_until_a_time_is_not_done_after_it(desks: Desks, shop: Shop) -> None:
    desk = desks(ask(pay()), agent=shop.agent)
    run_id = approved(desk)
    desk.conn.execute("UPDATE run_pause SET decided_at = decided_at - %s", (timedelta(days=3, seconds=1),))
    desk.work()
    assert desk.error(run_id) == "The time in which it had to be done has passed, so it was not done."
    assert desk.statuses(run_id) == ["voided"]
    assert desk.paid() == []
    assert desk.notices(run_id) == [("run_ended", "person:priya")]


def test_a_request_altered_after_its_approval_is_not_done(desks: Desks, shop: Shop) -> None:
    desk = desks(ask(pay()), agent=shop.agent)
    run_id = approved(desk)
    desk.conn.execute("UPDATE pause_content SET document = replace(document, '38000.00', '380000.00')")
    desk.work()
    assert "altered after it was approved" in desk.error(run_id)
    assert desk.effects(run_id) == []
    assert desk.paid() == []


LACKS = (
    "Not possible, and nobody was asked: Priya Nair does not hold what this needs (payments:write). Nothing was done. "
    "Add it to the scopes of Priya Nair where people are kept, import or sync that, and launch again."
)


def test_nobody_is_asked_for_what_could_not_be_done_for_want_of_a_scope(desks: Desks, shop: Shop) -> None:
    desk = desks(ask(pay()), DONE, agent=shop.agent)
    rows.take_scopes(desk.conn, "priya")
    run_id = desk.start()
    assert (desk.run(run_id).status, desk.texts(run_id), desk.statuses(run_id)) == ("done", [LACKS], [])


@pytest.mark.parametrize("amount", ["640.00", "38000.00"], ids=["allowed", "asked about"])
def test_what_the_run_was_not_launched_with_is_not_done_though_the_requester_holds_it(
    desks: Desks, shop: Shop, amount: str
) -> None:
    desk = desks(ask(pay(amount=amount)), DONE, agent=shop.agent)
    run_id = desk.launch()
    desk.conn.execute("UPDATE run_content SET scopes = '{}'")  # the agent's tools needed less when it was launched
    desk.work()
    [told] = desk.texts(run_id)
    assert "This run was launched without what this needs (payments:write). Nothing was done. Launch it again." in told
    assert (desk.statuses(run_id), desk.paid()) == ([], [])


def test_a_scope_that_only_another_tool_of_the_run_needs_voids_nothing(desks: Desks, shop: Shop) -> None:
    desk = desks(ask(pay()), DONE, agent=shop.agent)
    run_id = approved(desk)
    desk.conn.execute("UPDATE run_content SET scopes = scopes || '{refunds:write}'")
    desk.work()
    assert desk.statuses(run_id) == ["executed"]


def test_an_allowed_effect_without_its_grant_is_told_to_the_model(desks: Desks, shop: Shop) -> None:
    desk = desks(ask(pay(amount="640.00")), DONE, agent=shop.agent)
    rows.take_scopes(desk.conn, "priya")
    run_id = desk.start()
    assert desk.run(run_id).status == "done"
    assert desk.texts(run_id) == [LACKS]
    assert desk.effects(run_id) == []
