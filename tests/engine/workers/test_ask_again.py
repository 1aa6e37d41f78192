"""A run that asks again what lapsed: it proposes the model's call at the price of now, is judged by the policy and people of now, and is done once."""

from uuid import UUID

import pytest

from bot.sandbox.model import ask, say
from engine import Money, Quote, QuoteUnavailable
from engine.models import AskedAgain, Content, NotAskedAgain, Pause
from engine.state import again, pauses
from engine.workers.sweep import Sweeper
from tests import rows, world
from tests.engine.workers.conftest import Desks
from tests.engine.workers.desk import Desk, only
from tests.engine.workers.shop import Shop, look, pay

DONE = say("Done.")
BIG = 3_800_000


def silence(desk: Desk, run_id: UUID) -> Pause:
    """Nobody answers, whoever is asked; the run comes to its end."""
    pause = desk.pause(run_id)
    while pauses.get(desk.conn, pause.id).status == "waiting":
        rows.make_due(desk.conn, pause.id)
        assert Sweeper(desk.means.pool).run()
    desk.work()
    return pauses.get(desk.conn, pause.id)


def asked_again(desk: Desk, pause: Pause) -> UUID:
    """The run that asks again, as far as it goes by itself."""
    outcome = again.ask(desk.conn, pause.id, "priya", surface="tests")
    assert isinstance(outcome, AskedAgain)
    assert outcome.new
    desk.work()
    return outcome.again_run


def held(desk: Desk, run_id: UUID) -> Content:
    """What the one request of a run holds, which waits."""
    pause: Pause = only(desk.pauses(run_id))
    assert (pause.status, pause.voters) == ("waiting", ())
    assert pause.content is not None
    return pause.content


def pays_once_approved(desk: Desk, run_id: UUID, minor: int) -> None:
    desk.approve(run_id)
    desk.work()
    assert desk.run(run_id).status == "done"
    assert desk.paid() == [minor]


def test_what_expired_is_asked_again_at_the_price_of_now_and_by_the_policy_of_now(desks: Desks) -> None:
    """U10: one press, and the new request is of today."""
    desk = desks()
    old = desk.start(world.order())
    before = silence(desk, old)
    assert (before.status, desk.run(old).status) == ("expired", "done")
    desk.outside.suppliers.move({"order_ref": "PO-1", "factor": "1.05"})
    desk.policy(('execute_within = "3d"', 'execute_within = "2d"'))
    asked_before = len(desk.asked)
    new = asked_again(desk, before)
    assert len(desk.asked) == asked_before, "the model was called for what it had said already"
    content = held(desk, new)
    assert (str(content.amount), str(content.quote and content.quote.price)) == ("EUR 39,900.00", "EUR 39,900.00")
    assert (content.need.policy_version, content.need.execute_within_s) == ("fin-approvals-v5", 2 * 86_400)
    assert content.supersedes is not None
    assert (content.supersedes.pause_id, content.supersedes.why, str(content.supersedes.was)) == (
        str(before.id), "for Priya Nair, since nobody had answered in time", "EUR 38,000.00",
    )  # fmt: skip
    assert (content.run_id, content.effect_key) == (str(new), f"{new}:2:0")
    pays_once_approved(desk, new, 3_990_000)
    text = only([text for text in desk.texts(new) if "Done as it was approved" in text])
    assert "which differs from what you asked for" in text
    assert "39900.00" in text
    assert pauses.get(desk.conn, before.id).status == "expired"
    assert desk.effects(old) == ["done"], "the goods were given back, and nothing else was done"


def test_what_was_withdrawn_is_asked_again_as_it_was_while_the_price_stands(desks: Desks) -> None:
    desk = desks()
    old = desk.start(world.order())
    pause = desk.pause(old)
    pauses.withdraw(desk.conn, pause.id, "priya", surface="tests", reason="Wait for the budget.")
    desk.work()
    new = asked_again(desk, pauses.get(desk.conn, pause.id))
    content = held(desk, new)
    assert pause.content is not None
    assert (content.arguments, content.fingerprint) == (pause.content.arguments, pause.content.fingerprint)
    assert content.supersedes is not None
    assert content.supersedes.why == "for Priya Nair, who had withdrawn it"
    assert content.effect_key != pause.content.effect_key
    pays_once_approved(desk, new, BIG)


def test_a_stricter_policy_asks_as_it_says_now(desks: Desks, shop: Shop) -> None:
    desk = desks(ask(pay(amount="5000.00")), DONE, DONE, agent=shop.agent)
    before = silence(desk, desk.start())
    assert before.approver == "role:finance-approver"
    desk.policy(('up_to = "10000.00"', 'up_to = "4000.00"'), ('over = "10000.00"', 'over = "4000.00"'))
    new = asked_again(desk, before)
    content = held(desk, new)
    assert (content.need.rule, content.need.policy_version) == ("large payment", "fin-approvals-v5")
    assert desk.pause(new).approver == "person:marta"
    pays_once_approved(desk, new, 500_000)


def test_a_policy_that_allows_it_by_now_asks_nobody(desks: Desks, shop: Shop) -> None:
    _quoting(shop, 500_000, 510_000)
    desk = desks(ask(pay(amount="5000.00")), DONE, DONE, agent=shop.agent)
    before = silence(desk, desk.start())
    desk.policy(('up_to = "1000.00"', 'up_to = "6000.00"'), ('over = "1000.00"', 'over = "6000.00"'))
    new = asked_again(desk, before)
    assert (desk.run(new).status, desk.pauses(new), desk.effects(new), desk.paid()) == ("done", [], ["done"], [510_000])
    assert "Done at the price of now, which differs from what you asked for" in desk.texts(new)[0]


def test_what_is_forbidden_by_now_is_not_asked_and_the_model_is_told(desks: Desks, shop: Shop) -> None:
    desk = desks(ask(pay()), DONE, DONE, agent=shop.agent)
    before = silence(desk, desk.start())
    rows.take_scopes(desk.conn, "priya")
    new = asked_again(desk, before)
    assert (desk.run(new).status, desk.pauses(new), desk.paid()) == ("done", [], [])
    assert "Not possible, and nobody was asked" in desk.texts(new)[0]


def _quoting(shop: Shop, *prices: int | Exception, of: str = "PO-1") -> None:
    """Payments for an order have a price, which moves with each look, and the last one stays; those for others have one of EUR 38,000.00."""
    left = list(prices)

    @shop.agent.tools["pay"].quote
    def _(order_ref: str) -> Quote:
        if order_ref != of:
            return Quote(price=Money(BIG, "EUR"))
        price = left.pop(0) if len(left) > 1 else left[0]
        if isinstance(price, Exception):
            raise price
        return Quote(price=Money(price, "EUR"), reference=order_ref)


def test_a_price_that_cannot_be_had_now_is_not_that_of_then(desks: Desks, shop: Shop) -> None:
    _quoting(shop, BIG, QuoteUnavailable("sold out"))
    desk = desks(ask(pay()), DONE, DONE, agent=shop.agent)
    new = asked_again(desk, silence(desk, desk.start()))
    assert (desk.pauses(new), desk.paid()) == ([], [])
    assert desk.texts(new)[0] == "The present price cannot be had, so nobody was asked: sold out"


def test_an_amount_that_is_not_the_price_is_kept_while_the_price_stands(desks: Desks, shop: Shop) -> None:
    _quoting(shop, 3_850_000)
    desk = desks(ask(pay()), DONE, DONE, agent=shop.agent)
    new = asked_again(desk, silence(desk, desk.start()))
    assert str(held(desk, new).amount) == "EUR 38,000.00"


def test_what_nobody_was_asked_about_in_that_turn_is_done_at_the_price_of_now_too(desks: Desks, shop: Shop) -> None:
    _quoting(shop, 64_000, 65_000, of="PO-2")
    desk = desks(ask(pay(), pay("PO-2", "640.00")), DONE, DONE, agent=shop.agent)
    new = asked_again(desk, silence(desk, desk.start()))
    assert held(desk, new).supersedes is not None
    pays_once_approved(desk, new, BIG)
    assert desk.paid("PO-2") == [65_000]


def test_what_was_asked_at_a_new_price_already_keeps_it_while_it_stands(desks: Desks, shop: Shop) -> None:
    """Approved at 38,000, replaced at 39,900, which nobody answered: asked again it is 39,900, though the model said 38,000."""
    _quoting(shop, BIG, 3_990_000)
    desk = desks(ask(pay()), DONE, DONE, agent=shop.agent)
    old = desk.start()
    desk.approve(old)
    desk.work()
    before = silence(desk, old)
    assert desk.statuses(old) == ["superseded", "expired"]
    new = asked_again(desk, before)
    content = held(desk, new)
    assert str(content.amount) == "EUR 39,900.00"
    assert content.supersedes is not None
    assert content.supersedes.pause_id == str(before.id)
    pays_once_approved(desk, new, 3_990_000)


def test_a_turn_of_two_is_asked_again_whole_and_each_is_decided_for_itself(desks: Desks, shop: Shop) -> None:
    desk = desks(ask(look(), pay(), pay("PO-2")), DONE, DONE, agent=shop.agent)
    before = silence(desk, desk.start())
    assert shop.diary == []
    new = asked_again(desk, before)
    assert [p.content and p.content.supersedes and p.content.supersedes.why for p in desk.pauses(new)] == [
        "for Priya Nair, since nobody had answered in time",
        "for Priya Nair, since it had lapsed with another of the same turn",
    ]
    desk.approve(new)
    desk.approve(new)
    desk.work()
    assert (desk.run(new).status, desk.paid("PO-1"), desk.paid("PO-2")) == ("done", [BIG], [BIG])
    assert shop.diary == ["look A", "pay PO-1", "pay PO-2"]


def test_what_was_approved_and_then_too_late_is_asked_again(desks: Desks, shop: Shop) -> None:
    desk = desks(ask(pay()), DONE, agent=shop.agent)
    old = desk.start()
    pause = desk.approve(old)
    desk.conn.execute("UPDATE run_pause SET decided_at = decided_at - interval '30 days' WHERE id = %s", (pause.id,))
    desk.work()
    voided = pauses.get(desk.conn, pause.id)
    assert (voided.status, voided.run_status) == ("voided", "error")
    new = asked_again(desk, voided)
    content = held(desk, new)
    assert content.supersedes is not None
    assert content.supersedes.why == "for Priya Nair, since it was approved and then not carried out"


@pytest.mark.parametrize("price", ["640.00", "650.00"])
def test_what_the_old_run_did_after_that_reply_is_not_done_again(desks: Desks, shop: Shop, price: str) -> None:
    """Its model knows nothing of it, and would pay the small order once more; whatever it costs by now."""
    small = pay("PO-2", "640.00")
    replies = (ask(pay()), ask(small), DONE, ask(pay("PO-2", price)), DONE)
    desk = desks(*replies, agent=shop.agent)
    old = desk.start()
    before = silence(desk, old)
    assert desk.paid("PO-2") == [64_000]
    new = asked_again(desk, before)
    pays_once_approved(desk, new, BIG)
    assert desk.paid("PO-2") == [64_000]
    assert desk.texts(new)[-1] == (
        f"This was done already, in run {old} of the same task, and is not done twice. Say so in your answer."
    )


def test_what_was_done_before_that_reply_is_known_to_the_model_and_for_it_to_repeat(desks: Desks, shop: Shop) -> None:
    small = pay("PO-2", "640.00")
    desk = desks(ask(small), ask(pay()), DONE, ask(small), DONE, agent=shop.agent)
    new = asked_again(desk, silence(desk, desk.start()))
    pays_once_approved(desk, new, BIG)
    assert desk.paid("PO-2") == [64_000, 64_000]


def test_a_small_payment_of_the_same_turn_that_was_made_since_is_not_made_again(desks: Desks, shop: Shop) -> None:
    small = pay("PO-2", "640.00")
    desk = desks(ask(pay(), small), ask(small), DONE, DONE, agent=shop.agent)
    new = asked_again(desk, silence(desk, desk.start()))
    assert desk.paid("PO-2") == [64_000]
    pays_once_approved(desk, new, BIG)
    assert desk.paid("PO-2") == [64_000]


def test_of_two_that_lapsed_in_one_run_each_is_paid_once_whoever_asks_for_it(desks: Desks, shop: Shop) -> None:
    """Asked again for the first, the model goes on to ask for the second too; that one's own card then pays nothing more."""
    second = pay("PO-2", "5000.00")
    desk = desks(ask(pay()), ask(second), DONE, ask(second), DONE, DONE, agent=shop.agent)
    old = desk.start()
    first_lapsed = desk.pause(old)
    silence(desk, old)
    second_lapsed = silence(desk, old)
    new = asked_again(desk, pauses.get(desk.conn, first_lapsed.id))
    outcome = again.ask(desk.conn, second_lapsed.id, "priya", surface="tests")
    assert isinstance(outcome, NotAskedAgain)
    assert (outcome.why, outcome.run_id, outcome.other) == ("live", new, None)
    desk.approve(new)
    desk.work()
    outcome = again.ask(desk.conn, second_lapsed.id, "priya", surface="tests")
    assert isinstance(outcome, NotAskedAgain)
    assert (outcome.why, outcome.run_id, outcome.other) == ("live", new, desk.pause(new).id)
    desk.approve(new)
    desk.work()
    assert (desk.paid("PO-1"), desk.paid("PO-2")) == ([BIG], [500_000])
    outcome = again.ask(desk.conn, second_lapsed.id, "priya", surface="tests")
    assert isinstance(outcome, NotAskedAgain)
    assert outcome.why == "done"


def test_what_another_that_goes_on_from_the_same_run_did_is_not_done_again(desks: Desks, shop: Shop) -> None:
    """Two orders lapsed; the run for the first pays a third order, and the one for the second would pay it too."""
    second, third = pay("PO-2", "5000.00"), pay("PO-3", "640.00")
    desk = desks(ask(pay()), ask(second), DONE, ask(third), DONE, ask(third), DONE, agent=shop.agent)
    old = desk.start()
    first_lapsed = desk.pause(old)
    silence(desk, old)
    second_lapsed = silence(desk, old)
    pays_once_approved(desk, asked_again(desk, pauses.get(desk.conn, first_lapsed.id)), BIG)
    assert desk.paid("PO-3") == [64_000]
    other = asked_again(desk, second_lapsed)
    desk.approve(other)
    desk.work()
    assert (desk.run(other).status, desk.paid("PO-2"), desk.paid("PO-3")) == ("done", [500_000], [64_000])
    assert "done already" in desk.texts(other)[-1]


def test_what_a_person_refused_before_stays_refused(desks: Desks, shop: Shop) -> None:
    other = pay("PO-2", "5000.00")
    desk = desks(ask(other), ask(pay()), DONE, ask(other), DONE, agent=shop.agent)
    old = desk.start()
    desk.deny(old)
    desk.work()
    new = asked_again(desk, silence(desk, old))
    pays_once_approved(desk, new, BIG)
    assert len(desk.pauses(new)) == 1
    assert "Marta Keller refused exactly this before" in desk.texts(new)[-1]


def test_a_worker_lost_before_it_asked_is_followed_by_one_that_asks_once(desks: Desks, shop: Shop) -> None:
    desk = desks(ask(pay()), DONE, DONE, agent=shop.agent)
    before = silence(desk, desk.start())
    outcome = again.ask(desk.conn, before.id, "priya", surface="tests")
    assert isinstance(outcome, AskedAgain)
    rows.claimed(desk.conn, outcome.again_run)
    rows.lose_lease(desk.conn, outcome.again_run)
    desk.work()
    held(desk, outcome.again_run)
    pays_once_approved(desk, outcome.again_run, BIG)
