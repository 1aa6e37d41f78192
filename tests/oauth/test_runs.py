"""What becomes of a run whose call needs a token: done once with exactly the token it needs, or not at all, with a reason."""

import logging
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from bot.cards import outcomes
from bot.sandbox.model import ask, say
from engine import ProviderRefused
from engine.state import events, ledger, runs
from engine.workers import loop, standstill
from engine.workers.credentials import Minted
from engine.workers.exchange import Exchange
from engine.workers.revalidate import LATE
from tests import rows
from tests.engine.workers.desk import Desk, only
from tests.engine.workers.shop import Shop, pay
from tests.engine.workers.test_effects import lost, resolve
from tests.oauth.identity import AUDIENCE, Identity
from tests.oauth.provider import Guarded

DONE = say("Done.")
BIG, SMALL = 3_800_000, 64_000
Desks = Callable[..., Desk]
NO_CONSENT = (
    "The identity server does not grant this: the consent is missing, was withdrawn or has run out "
    "(invalid_grant: grant request is invalid)."
)


def approved(desk: Desk) -> Any:
    """A run with its payment approved and not done yet."""
    run_id = desk.start()
    desk.approve(run_id)
    return run_id


def voided(desk: Desk, run_id: Any, shop: Shop, why: str) -> None:
    """Nothing was begun; the reason is on the pause and on the run; the requester is told once."""
    assert desk.error(run_id) == why
    assert [(p.status, p.reason) for p in desk.pauses(run_id)] == [("voided", why)]
    assert (desk.effects(run_id), desk.paid(), shop.diary) == ([], [], [])
    assert desk.notices(run_id) == [("run_ended", "person:priya")]


# ------------------------------------------------------------------------------------------------------------ it goes well


def test_what_was_approved_is_done_with_a_token_that_the_provider_can_look_at_and_that_ends_with_it(
    desks: Desks, shop: Shop, identity: Identity, guarded: Guarded
) -> None:
    identity.grant("payments:write", "payments:refund")
    desk = desks(ask(pay()), DONE)
    run_id = approved(desk)
    assert identity.asked() == 0  # nothing is minted for what may never be done
    desk.work()
    assert desk.run(run_id).status == "done"
    assert desk.paid() == [BIG]
    said = only(guarded.told)
    assert (said["sub"], said["act"]["sub"]) == ("priya", "agent:procurement")
    assert (said["scope"], said["aud"]) == ("payments:write", AUDIENCE)
    assert identity.opaque() == guarded.tokens
    assert identity.live() == []


def test_an_allowed_payment_has_a_token_too(desks: Desks, shop: Shop, identity: Identity, guarded: Guarded) -> None:
    identity.grant("payments:write")
    desk = desks(ask(pay(amount="640.00")), DONE)
    run_id = desk.start()
    assert desk.run(run_id).status == "done"
    assert desk.paid() == [SMALL]
    assert only(guarded.told)["act"] == {"sub": "agent:procurement"}
    assert identity.live() == []


def test_nothing_is_minted_for_what_is_asked_again_or_has_lost_its_authority(
    desks: Desks, shop: Shop, identity: Identity
) -> None:
    identity.grant("payments:write")
    desk = desks(ask(pay(amount="5000.00")))
    run_id = approved(desk)
    rows.take_role(desk.conn, "marta", "finance-approver")
    desk.work()
    assert desk.statuses(run_id) == ["superseded", "waiting"]
    desk.approve(run_id, "ines")
    rows.take_scopes(desk.conn, "priya")
    desk.work()
    assert "does not hold what this needs" in desk.error(run_id)
    assert identity.asked() == 0


def test_each_of_two_calls_has_its_own_token_before_the_first_is_made(
    desks: Desks, shop: Shop, identity: Identity, guarded: Guarded
) -> None:
    identity.grant("payments:write")
    desk = desks(ask(pay(), pay("PO-2")), DONE)
    run_id = desk.start()
    desk.approve(run_id)
    desk.approve(run_id)
    minted: list[int] = []
    shop.during["pay"] = lambda: minted.append(identity.asked())
    desk.work()
    assert desk.run(run_id).status == "done"
    assert (desk.paid(), desk.paid("PO-2")) == ([BIG], [BIG])
    assert minted == [2, 2]
    assert len(set(guarded.tokens)) == 2
    assert identity.live() == []


# -------------------------------------------------------------------------------------------------------- the grant is gone


def test_a_consent_withdrawn_between_the_yes_and_the_deed_voids_it(
    desks: Desks, shop: Shop, identity: Identity
) -> None:
    identity.grant("payments:write")
    desk = desks(ask(pay()))
    run_id = approved(desk)
    identity.withdraw()
    desk.work()
    voided(desk, run_id, shop, f"{NO_CONSENT} Nothing was done. Have it given there, then launch again.")


@pytest.mark.parametrize(
    ("odd", "said"),
    [
        ({"scope": "payments:read"}, "without payments:write"),
        ({"audience": "https://books.example"}, "for another audience"),
        ({"act": None}, "that does not name the agent as the one who acts"),
        ({"expires_in": 3600}, "that is good for 3600 seconds, and more than 300 are too many for one call"),
    ],
)
def test_a_token_that_is_not_the_one_that_was_asked_for_voids_it(
    desks: Desks, shop: Shop, identity: Identity, odd: dict[str, Any], said: str
) -> None:
    identity.grant("payments:write")
    desk = desks(ask(pay()))
    run_id = approved(desk)
    identity.plan("issue", **odd)
    desk.work()
    mend = "Have the identity server set up for this, then launch again."
    voided(desk, run_id, shop, f"The identity server gave a token {said}. Nothing was done. {mend}")
    assert identity.live() == []


def test_a_consent_that_was_narrowed_voids_it(desks: Desks, shop: Shop, identity: Identity) -> None:
    identity.grant("payments:write")
    desk = desks(ask(pay()))
    run_id = approved(desk)
    identity.grant("payments:read")
    desk.work()
    assert "The identity server gave a token without payments:write." in desk.error(run_id)
    assert desk.statuses(run_id) == ["voided"]
    assert shop.diary == []


def test_of_two_approved_calls_none_is_made_when_the_second_can_have_no_token(
    desks: Desks, shop: Shop, identity: Identity
) -> None:
    identity.grant("payments:write")
    shop.agent.tools["pay_blindly"].audience = "https://books.example"
    _, given = pay("PO-2")
    desk = desks(ask(pay(), ("pay_blindly", given)))
    run_id = desk.start()
    desk.approve(run_id)
    desk.approve(run_id)
    desk.work()
    assert "nothing is given for the tool's audience (invalid_target" in desk.error(run_id)
    assert desk.statuses(run_id) == ["cancelled", "voided"]
    assert (shop.diary, desk.paid(), identity.live()) == ([], [], [])


def test_an_allowed_payment_whose_consent_is_gone_is_not_made_and_the_agent_is_told(
    desks: Desks, shop: Shop, identity: Identity
) -> None:
    desk = desks(ask(pay(amount="640.00")), DONE)
    run_id = desk.start()
    assert desk.run(run_id).status == "done"
    mend = "Have it given there, then launch again."
    assert desk.told(run_id) == [(f"Not done: {NO_CONSENT} Nothing was done. {mend}", True)]
    assert (desk.effects(run_id), shop.diary) == ([], [])


def test_a_consent_withdrawn_on_the_way_to_the_provider_is_a_sure_no(
    desks: Desks, shop: Shop, identity: Identity
) -> None:
    identity.grant("payments:write")
    desk = desks(ask(pay()), DONE)
    run_id = approved(desk)
    shop.during["pay"] = identity.withdraw
    desk.work()
    assert desk.run(run_id).status == "done"
    assert desk.statuses(run_id) == ["failed"]
    assert desk.paid() == []
    [(text, is_error)] = desk.told(run_id)
    assert is_error
    assert text == f"It was refused and not done: {NO_CONSENT}"


def test_a_token_that_was_taken_away_on_the_way_to_the_provider_is_replaced_by_another(
    desks: Desks, shop: Shop, identity: Identity, exchange: Exchange
) -> None:
    """As another process of ours does with servers that revoke every token of a consent with one."""
    identity.grant("payments:write")
    desk = desks(ask(pay()), DONE)
    run_id = approved(desk)

    def taken_away() -> None:
        shop.during.clear()
        exchange._revoke([Minted(one) for one in identity.live()])

    shop.during["pay"] = taken_away
    desk.work()
    assert desk.run(run_id).status == "done"
    assert desk.paid() == [BIG]
    assert shop.diary == ["pay PO-1", "pay PO-1"]
    assert desk.attempts() == [("done", 2)]
    assert identity.live() == []


def test_a_token_that_was_taken_away_before_a_repeat_is_no_doubt(
    desks: Desks, shop: Shop, identity: Identity, exchange: Exchange
) -> None:
    """The first answer was lost, the repeat is refused for its token; the look that follows has another one, and finds the payment."""
    identity.grant("payments:write")
    desk = desks(ask(pay()), DONE)
    run_id = approved(desk)
    desk.faults("drop_after")

    def taken_away_the_second_time() -> None:
        if len(shop.diary) == 2:
            exchange._revoke([Minted(one) for one in identity.live()])

    shop.during["pay"] = taken_away_the_second_time
    desk.work()
    assert desk.run(run_id).status == "done"
    assert desk.paid() == [BIG]
    assert shop.diary == ["pay PO-1", "pay PO-1", "find PO-1", "find PO-1"]
    assert identity.live() == []


def test_a_refusal_of_a_token_that_is_good_is_the_providers_own(desks: Desks, shop: Shop, identity: Identity) -> None:
    identity.grant("payments:write")
    desk = desks(ask(pay(method="pm_card_declined")), DONE)
    run_id = approved(desk)
    desk.work()
    assert desk.told(run_id) == [("It was refused and not done: Your card was declined.", True)]
    assert shop.diary == ["pay PO-1"]


# ------------------------------------------------------------------------------------------------- nobody can tell for a while


def test_a_server_that_is_away_and_back_again_means_exactly_one_payment_and_nothing_written_meanwhile(
    desks: Desks, shop: Shop, identity: Identity, caplog: pytest.LogCaptureFixture
) -> None:
    identity.grant("payments:write")
    desk = desks(ask(pay()), DONE)
    run_id = approved(desk)
    identity.plan("down")
    written: list[Any] = []

    def look() -> None:
        written.append((len(events.of_run(desk.conn, run_id)), desk.statuses(run_id), desk.run(run_id).status))

    desk.hours.meanwhile += [look, look, look, lambda: identity.control("clear")]
    desk.work()
    assert set(map(str, written)) == {str((written[0][0], ["approved"], "running"))}
    assert desk.hours.waited == [2.0, 4.0, 8.0, 16.0]
    assert desk.run(run_id).status == "done"
    assert desk.paid() == [BIG]
    assert shop.diary == ["pay PO-1"]
    assert identity.live() == []
    assert f"run {run_id} stands still, with a call not done: The identity server" in caplog.text


@pytest.mark.parametrize("kind", ["down", "hang", "redirect", "rubbish", "busy", "cut"])
def test_while_nothing_is_known_of_the_grant_it_is_not_done_and_past_its_time_it_is_voided(
    desks: Desks, shop: Shop, identity: Identity, kind: str
) -> None:
    identity.grant("payments:write")
    desk = desks(ask(pay()))
    run_id = approved(desk)
    identity.plan(kind)

    def days_later() -> None:
        assert desk.statuses(run_id) == ["approved"]
        desk.conn.execute("UPDATE run_pause SET decided_at = decided_at - %s", (timedelta(days=3, seconds=1),))

    desk.hours.meanwhile += [lambda: None, days_later]
    desk.work()
    assert desk.hours.waited == [2.0, 4.0]
    voided(desk, run_id, shop, LATE)


def test_a_run_that_stands_still_for_it_can_be_paused_and_withdrawn(
    desks: Desks, shop: Shop, identity: Identity
) -> None:
    desk = desks(ask(pay()))
    run_id = approved(desk)
    identity.plan("down")
    desk.hours.meanwhile.append(lambda: runs.hold(desk.conn, run_id, actor="otto", surface="tests"))
    desk.work()
    assert desk.run(run_id).status == "paused"
    runs.cancel(desk.conn, run_id, actor="priya", person="priya", surface="tests")
    assert desk.run(run_id).status == "cancelled"
    assert (desk.paid(), shop.diary) == ([], [])


def test_a_run_that_is_withdrawn_or_taken_over_while_it_stands_still_is_left_alone(
    desks: Desks, shop: Shop, identity: Identity
) -> None:
    desk = desks(ask(pay()))
    run_id = approved(desk)
    identity.plan("down")
    desk.hours.meanwhile.append(lambda: runs.cancel(desk.conn, run_id, actor="priya", person="priya", surface="tests"))
    desk.work()
    assert desk.run(run_id).status == "cancelled"
    assert desk.hours.waited == [2.0]


def test_a_worker_that_is_to_end_lets_the_run_go_and_the_next_one_does_it(
    desks: Desks, shop: Shop, identity: Identity
) -> None:
    identity.grant("payments:write")
    desk = desks(ask(pay()), DONE)
    run_id = approved(desk)
    identity.plan("down")
    desk.hours.meanwhile.append(desk.hours.set)
    claim = desk.means.do(runs.claim, "w1", ["procurement"], lease_s=60)
    assert claim is not None
    loop.advance(desk.means, claim)
    assert desk.run(run_id).status == "queued"
    desk.hours.clear()
    identity.control("clear")
    desk.work()
    assert desk.run(run_id).status == "done"
    assert desk.paid() == [BIG]


def later(desk: Desk) -> None:
    """Let the time for which runs were put off be over."""
    desk.conn.execute("UPDATE run SET queued_at = queued_at - interval '1 minute' WHERE status = 'queued'")


def test_what_is_not_over_soon_puts_the_run_off_and_nothing_runs_meanwhile(
    desks: Desks, shop: Shop, identity: Identity
) -> None:
    identity.grant("payments:write")
    desk = desks(ask(pay()), DONE)
    run_id = approved(desk)
    identity.plan("down")
    desk.work()
    assert desk.hours.waited == [2.0, 4.0, 8.0, 16.0]
    assert (desk.run(run_id).status, desk.statuses(run_id)) == ("queued", ["approved"])
    asked = desk.pause(run_id)
    assert asked.put_off_why is not None
    assert asked.put_off_why.startswith("The identity server")
    assert asked.put_off_to is not None
    assert "Nothing is done yet: The identity server" in outcomes.told(asked).text
    assert desk.work() == 0  # it is nobody's turn before the minute is over
    desk.conn.execute("UPDATE run_pause SET decided_at = decided_at - interval '2 minutes'")
    later(desk)
    desk.hours.waited.clear()
    assert desk.work() == 1
    assert desk.hours.waited == []  # an outage of minutes keeps no thread
    assert desk.run(run_id).status == "queued"
    identity.control("clear")
    later(desk)
    desk.work()
    assert desk.run(run_id).status == "done"
    assert desk.paid() == [BIG]
    assert identity.live() == []


def test_a_run_that_is_put_off_can_be_paused_resumed_and_withdrawn(
    desks: Desks, shop: Shop, identity: Identity
) -> None:
    desk = desks(ask(pay()))
    run_id = approved(desk)
    identity.plan("down")
    desk.work()
    assert runs.hold(desk.conn, run_id, actor="otto", surface="tests") == "paused"
    assert runs.resume(desk.conn, run_id, actor="otto", surface="tests") == "queued"
    assert desk.work() == 1  # at once
    assert runs.cancel(desk.conn, run_id, actor="priya", person="priya", surface="tests") == "cancelled"
    assert desk.statuses(run_id) == ["cancelled"]
    assert desk.paid() == []


def test_an_allowed_payment_stands_still_and_is_put_off_too_and_is_then_made_once(
    desks: Desks, shop: Shop, identity: Identity
) -> None:
    identity.grant("payments:write")
    desk = desks(ask(pay(amount="640.00")), DONE)
    identity.plan("down")
    run_id = desk.start()
    assert desk.run(run_id).status == "queued"
    assert desk.hours.waited == [2.0, 4.0, 8.0, 16.0]
    identity.control("clear")
    later(desk)
    desk.work()
    assert desk.run(run_id).status == "done"
    assert desk.paid() == [SMALL]


def test_an_allowed_payment_that_no_token_is_had_for_in_an_hour_is_told_to_the_model_and_the_operator(
    desks: Desks, shop: Shop, identity: Identity, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk = desks(ask(pay(amount="640.00")), DONE)
    identity.plan("change", path="/token", status=400, **{"with": {"error": "invalid_client"}})
    run_id = desk.start()
    assert desk.hours.waited == [2.0, 4.0, 8.0, 16.0]
    assert "NOTHING THAT NEEDS A TOKEN IS DONE: the identity server" in caplog.text
    later(desk)
    desk.work()
    assert (desk.run(run_id).status, len(desk.hours.waited)) == ("queued", 4)
    monkeypatch.setattr(standstill, "GIVE_UP_S", 0)
    later(desk)
    desk.work()
    assert desk.run(run_id).status == "done"
    [(told, is_error)] = desk.told(run_id)
    assert is_error
    assert "invalid_client" in told
    assert told.endswith("It was tried for an hour. Nothing was done; say so in your answer.")
    assert (desk.paid(), desk.effects(run_id)) == ([], [])


def test_an_allowed_payment_that_surely_did_not_happen_ends_after_an_hour_without_a_token(
    desks: Desks, shop: Shop, identity: Identity, monkeypatch: pytest.MonkeyPatch
) -> None:
    identity.grant("payments:write")
    desk = desks(ask(pay(amount="640.00")), DONE)
    run_id = desk.launch()
    lost(desk, run_id, shop, "pay")
    desk.age(run_id, hours=26)
    identity.plan("down")  # the provider's list cannot be looked at either
    desk.work()
    assert resolve(desk, "retry") == "retry"
    desk.work()
    assert (desk.run(run_id).status, desk.effects(run_id)) == ("queued", ["attempted"])
    later(desk)
    desk.work()
    assert (desk.run(run_id).status, desk.effects(run_id)) == ("queued", ["attempted"])
    monkeypatch.setattr(standstill, "GIVE_UP_S", 0)
    later(desk)
    desk.work()
    assert (desk.run(run_id).status, desk.effects(run_id), desk.paid()) == ("done", ["failed"], [])
    [(told, is_error)] = desk.told(run_id)
    assert is_error
    assert told.startswith("Not done: The identity server")
    assert told.endswith("It was tried for an hour.")


def test_while_a_halt_stands_no_token_is_held(desks: Desks, shop: Shop, identity: Identity) -> None:
    identity.grant("payments:write")
    desk = desks(ask(pay(), pay("PO-2")), DONE)
    run_id = desk.start()
    desk.approve(run_id)
    desk.approve(run_id)
    desk.halt()
    desk.hours.meanwhile += [lambda: held.extend(identity.live()), desk.unhalt]
    held: list[str] = []
    desk.work()
    assert held == []
    assert desk.run(run_id).status == "done"
    assert len(identity.opaque()) == 4


# -------------------------------------------------------------------------------------------------------------- looking it up


@pytest.mark.parametrize("moment", ["pay", "paid"])
def test_a_worker_lost_around_its_call_pays_once_and_asks_with_a_token_of_its_own(
    desks: Desks, shop: Shop, identity: Identity, guarded: Guarded, moment: str
) -> None:
    identity.grant("payments:write")
    desk = desks(ask(pay()), DONE)
    run_id = approved(desk)
    lost(desk, run_id, shop, moment)
    desk.age(run_id, hours=26)  # the provider has forgotten the key: it is looked for
    desk.work()
    assert desk.run(run_id).status == "done"
    assert desk.paid() == [BIG]
    assert "find PO-1" in shop.diary
    assert len(set(guarded.tokens)) == (2 if moment == "paid" else 1)
    assert identity.live() == []


def test_what_was_begun_and_cannot_be_asked_about_without_a_consent_is_put_before_a_person(
    desks: Desks, shop: Shop, identity: Identity
) -> None:
    identity.grant("payments:write")
    desk = desks(ask(pay()))
    run_id = approved(desk)
    lost(desk, run_id, shop, "paid")
    identity.withdraw()
    desk.work()
    assert desk.run(run_id).status == "in_doubt"
    assert desk.paid() == [BIG]
    assert shop.diary == ["pay PO-1"]
    said = str(only(ledger.in_doubt(desk.conn)).error)
    assert said.endswith(f"it cannot be asked without a credential. {NO_CONSENT}")


def test_what_was_begun_and_cannot_be_asked_about_for_an_outage_is_put_before_a_person(
    desks: Desks, shop: Shop, identity: Identity
) -> None:
    identity.grant("payments:write")
    desk = desks(ask(pay()))
    run_id = approved(desk)
    lost(desk, run_id, shop, "paid")
    identity.plan("down")
    desk.work()
    assert desk.run(run_id).status == "in_doubt"
    assert desk.hours.waited == [0.0, 1.0, 3.0, 9.0]
    assert desk.notices(run_id) == [("in_doubt", "person:priya")]
    identity.control("clear")
    doubt = only(ledger.in_doubt(desk.conn))
    assert ledger.resolve(desk.conn, doubt.id, "stop", actor="ines", surface="tests") == "stop"


def test_what_surely_did_not_happen_waits_for_the_server_and_is_then_tried_anew(
    desks: Desks, shop: Shop, identity: Identity
) -> None:
    identity.grant("payments:write")
    desk = desks(ask(pay()), DONE)
    run_id = approved(desk)
    desk.faults("down", times=None)
    desk.work()
    assert desk.run(run_id).status == "in_doubt"
    desk.outside.provider.faults.clear()
    doubt = only(ledger.in_doubt(desk.conn))
    assert ledger.resolve(desk.conn, doubt.id, "retry", actor="ines", surface="tests") == "retry"
    identity.plan("down")
    desk.hours.waited.clear()
    desk.hours.meanwhile += [*[lambda: None] * 3, lambda: None, lambda: identity.control("clear")]
    desk.work()
    assert desk.hours.waited == [1.0, 3.0, 9.0, 2.0, 4.0]
    assert desk.run(run_id).status == "done"
    assert desk.paid() == [BIG]


def test_a_find_that_needs_no_credential_is_asked_without_one(desks: Desks, shop: Shop, identity: Identity) -> None:
    identity.grant("payments:write")
    tool = shop.agent.tools["pay"]
    tool.companions = {"find": lambda order_ref: {"payment_id": f"found for {order_ref}"}}
    desk = desks(ask(pay()), DONE)
    run_id = approved(desk)
    lost(desk, run_id, shop, "paid")
    identity.withdraw()
    desk.work()
    assert desk.run(run_id).status == "done"
    assert only(desk.pauses(run_id)).receipt["result"] == {"payment_id": "found for PO-1"}


# --------------------------------------------------------------------------------------------------------- nobody is told them


def _says(kind: type[Exception], identity: Identity) -> Callable[[], object]:
    def says() -> None:
        raise kind(f"no, not with {identity.opaque()[-1]}")

    return says


def test_a_tool_that_says_its_credential_back_is_kept_without_it(
    desks: Desks, shop: Shop, identity: Identity, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    identity.grant("payments:write")
    original = shop.agent.tools["pay"].function

    def pay_and_tell(effect: Any, **given: Any) -> Any:
        original(effect, **given)
        assert effect.credential not in repr(effect)
        return {"with": [effect.credential], effect.credential: f"Bearer {effect.credential}"}

    shop.agent.tools["pay"].function = pay_and_tell
    desk = desks(ask(pay()), ask(pay("PO-2", "640.00")), ask(pay("PO-3", "640.00")))
    run_id = approved(desk)
    desk.work()
    kept = {"with": ["[credential]"], "[credential]": "Bearer [credential]"}
    assert only([p.receipt["result"] for p in desk.pauses(run_id)]) == kept
    assert [one for one in identity.tokens() if one in str(desk.told(run_id)) + caplog.text] == []


@pytest.mark.parametrize("kind", [ProviderRefused, TimeoutError])
def test_an_exception_that_holds_the_credential_is_kept_without_it(
    desks: Desks,
    shop: Shop,
    identity: Identity,
    kind: type[Exception],
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.DEBUG)
    identity.grant("payments:write")
    shop.during |= {"pay": _says(kind, identity), "find": _says(kind, identity)}
    desk = desks(ask(pay()), DONE)
    run_id = approved(desk)
    desk.work()
    everything = str(desk.told(run_id)) + caplog.text + str(desk.conn.execute("SELECT * FROM effect").fetchall())
    assert "no, not with [credential]" in everything
    assert [one for one in identity.tokens() if one in everything] == []
