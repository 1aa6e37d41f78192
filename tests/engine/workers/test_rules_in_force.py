"""What a policy's rules come to in a worker's hands: conditions, payments that count together, what is typed, business hours."""

from datetime import UTC, datetime, timedelta
from types import SimpleNamespace
from typing import Any
from uuid import UUID
from zoneinfo import ZoneInfo

import pytest

from bot.sandbox.model import ask, say
from engine import Agent, Effect, Money
from engine.models import Decided, Unconfirmed
from engine.rules import calendar, policy_file
from engine.state import absences, ledger, pauses
from examples.procurement import payments
from tests import database, rows
from tests.engine.rules.policy_texts import ALLOW, ASK, band
from tests.engine.workers.conftest import Desks
from tests.engine.workers.desk import Desk

DONE = say("Done.")
LIMIT = (
    band("small", ALLOW, up_to="10000"),
    band("large", ASK, over="10000"),
)


@pytest.fixture
def buyer() -> Agent:
    """An agent that pays suppliers, who are its payees."""
    agent = Agent("procurement", model="claude-sonnet-5", system="Buy.")

    @agent.tool(
        action="payment", amount="amount", payee="supplier", scopes=["payments:write"], credential="STRIPE_API_KEY", timeout="1s",
        key_window="24h",
    )  # fmt: skip
    def pay(
        effect: Effect, supplier: str, amount: Money, order_ref: str, account: str = "DE89 3704 0044 0532 4417"
    ) -> dict[str, object]:
        """Pay a supplier."""
        return payments.charge(
            effect,
            amount,
            supplier_id=supplier,
            payment_method="pm_invoice",
            order_ref=order_ref,
            description=order_ref,
        )

    @pay.find
    def _(effect: Effect, order_ref: str) -> dict[str, object] | None:
        return payments.find(effect, order_ref)

    return agent


def pay(order_ref: str, amount: str = "9999.00", supplier: str = "sup_1", **more: str) -> tuple[str, dict[str, object]]:
    money = {"amount": amount, "currency": "EUR"}
    return "pay", {"supplier": supplier, "amount": money, "order_ref": order_ref, "why": "It was ordered.", **more}


def in_force(conn: Any, *rules: str, also: str = "") -> None:
    database.apply_policy(conn, 'version = "v-test"\n' + "".join(rules) + also)


WINDOW = '[spend_window]\npayment = "24h"\n'


def refs(desk: Desk) -> list[str]:
    return [payment["metadata"]["order_ref"] for payment in desk.outside.provider.payments()]


def test_three_payments_just_below_the_limit_meet_the_rule_above_it(desks: Desks, buyer: Agent) -> None:
    desk = desks(ask(pay("PO-1")), DONE, ask(pay("PO-2")), ask(pay("PO-3", supplier="sup_2")), DONE, agent=buyer)
    in_force(desk.conn, *LIMIT, also=WINDOW)
    assert desk.run(desk.start()).status == "done"
    second = desk.start()
    assert desk.run(second).status == "awaiting_approval"
    held = desk.pause(second).content
    assert held is not None
    assert held.need.rule == "large"
    assert held.need.why.endswith(
        "With EUR 9,999.00 paid or begun to sup_1 within 1 day before, it counts as EUR 19,998.00."
    )
    assert desk.run(desk.start()).status == "done"
    assert refs(desk) == ["PO-1", "PO-3"]


def test_a_payee_that_is_written_otherwise_counts_as_the_same(desks: Desks, buyer: Agent) -> None:
    written = ("Nordholz GmbH", "NORDHOLZ  GMBH")
    one, other = (pay(f"PO-{n}", supplier=name) for n, name in enumerate(written))
    desk = desks(ask(one), DONE, ask(other), agent=buyer)
    in_force(desk.conn, *LIMIT, also=WINDOW)
    assert [desk.run(desk.start()).status for _ in range(2)] == ["done", "awaiting_approval"]


def test_what_the_release_before_counted_by_its_text_counts_on(desks: Desks, buyer: Agent) -> None:
    desk = desks(ask(pay("PO-1", supplier="Nordholz")), DONE, ask(pay("PO-2", supplier="Nordholz")), agent=buyer)
    in_force(desk.conn, *LIMIT, also=WINDOW)
    assert desk.run(desk.start()).status == "done"
    desk.conn.execute("UPDATE spending SET payee = 'Nordholz'")
    assert desk.run(desk.start()).status == "awaiting_approval"


def test_two_in_one_turn_to_a_payee_written_otherwise_count_together(desks: Desks, buyer: Agent) -> None:
    desk = desks(ask(pay("PO-1", supplier="Nordholz"), pay("PO-2", supplier="NORDHOLZ")), DONE, agent=buyer)
    in_force(desk.conn, *LIMIT, also=WINDOW)
    [asked] = desk.pauses(desk.start())
    assert asked.content is not None
    assert asked.content.arguments["order_ref"] == "PO-2"


def test_without_a_window_each_counts_by_itself(desks: Desks, buyer: Agent) -> None:
    desk = desks(ask(pay("PO-1")), DONE, ask(pay("PO-2")), DONE, agent=buyer)
    in_force(desk.conn, *LIMIT)
    assert [desk.run(desk.start()).status for _ in range(2)] == ["done", "done"]


def test_two_in_one_turn_count_together_too(desks: Desks, buyer: Agent) -> None:
    desk = desks(ask(pay("PO-1"), pay("PO-2")), DONE, agent=buyer)
    in_force(desk.conn, *LIMIT, also=WINDOW)
    run_id = desk.start()
    [asked] = desk.pauses(run_id)  # nothing in the turn runs until the one that is asked about is settled
    assert asked.content is not None
    assert asked.content.arguments["order_ref"] == "PO-2"
    assert refs(desk) == []
    desk.approve(run_id)
    desk.work()
    assert desk.run(run_id).status == "done"
    assert refs(desk) == ["PO-1", "PO-2"]


def test_what_another_run_pays_between_the_look_and_the_payment_counts(
    desks: Desks, buyer: Agent, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk = desks(ask(pay("PO-1")), DONE, agent=buyer)
    in_force(desk.conn, *LIMIT, also=WINDOW)
    begin = ledger.begin

    def late(conn: Any, claim: Any, intent: ledger.Intent, **more: Any) -> Any:
        monkeypatch.setattr(ledger, "begin", begin)
        desk.conn.execute(
            "INSERT INTO spending (effect_id, at, minor, action, payee, currency)"
            " VALUES (gen_random_uuid(), clock_timestamp(), 100000, 'payment', 'sup_1', 'EUR')"
        )
        desk.conn.execute(
            "INSERT INTO effect (id, run_id, created_at, step, n, tool, effect_key, action, digest, policy_version, rule, doubt_role, status,"
            " settled_at, receipt) SELECT effect_id, %s, at, 99, 0, 'pay', 'other', '{}', '', '', '', '', 'done', at, '{}' FROM spending",
            (claim.id,),
        )
        return begin(conn, claim, intent, **more)

    monkeypatch.setattr(ledger, "begin", late)
    run_id = desk.start()
    assert refs(desk) == []
    held = desk.pause(run_id).content
    assert held is not None
    assert held.need.rule == "large"


def test_a_condition_on_an_argument_decides_who_is_asked(desks: Desks, buyer: Agent) -> None:
    desk = desks(ask(pay("PO-1")), DONE, ask(pay("PO-2", supplier="sup_9")), DONE, agent=buyer)
    in_force(desk.conn, band("new suppliers", ASK + 'when = { supplier = { not = ["sup_1", "sup_2"] } }\n'), *LIMIT)
    assert desk.run(desk.start()).status == "done"
    second = desk.start()
    assert desk.run(second).status == "awaiting_approval"
    held = desk.pause(second).content
    assert held is not None
    assert held.need.why.startswith("Payment in EUR, where supplier is not sup_1 or sup_2, needs the yes of ")


def test_what_must_be_typed_is_of_the_call_itself(desks: Desks, buyer: Agent) -> None:
    desk = desks(ask(pay("PO-1")), DONE, agent=buyer)
    in_force(desk.conn, band("all", ASK + 'confirm = "account"\n'))
    run_id = desk.start()
    pause = desk.pause(run_id)
    assert isinstance(pauses.approve(desk.conn, pause.id, "marta", surface="tests"), Unconfirmed)
    assert isinstance(pauses.approve(desk.conn, pause.id, "marta", surface="tests", confirm="4417"), Decided)
    desk.work()
    assert refs(desk) == ["PO-1"]


def test_nobody_is_asked_to_type_what_the_call_does_not_have(desks: Desks, buyer: Agent) -> None:
    desk = desks(ask(pay("PO-1", account="-")), DONE, agent=buyer)
    in_force(desk.conn, band("all", ASK + 'confirm = "account"\n'))
    run_id = desk.start()
    assert desk.run(run_id).status == "done"
    assert desk.pauses(run_id) == []
    assert "has the approver type the account, and this call has none" in desk.texts(run_id)[0]


def test_business_hours_are_counted_from_when_it_is_asked(desks: Desks, buyer: Agent) -> None:
    desk = desks(ask(pay("PO-1")), DONE, agent=buyer)
    hours = '[calendar]\ntime_zone = "Europe/Berlin"\nhours = "09:00-17:00"\nholidays = "DE-BE"\n'
    in_force(desk.conn, band("all", ASK.replace("4h", "2 business days")), also=hours)
    pause = desk.pause(desk.start())
    assert pause.content is not None
    opening = pause.content.need.calendar
    assert opening is not None
    due = calendar.due(pause.created_at, 16 * 3600, opening)
    assert abs(pause.fire_at - due) < timedelta(seconds=5)
    assert 9 <= pause.fire_at.astimezone(ZoneInfo("Europe/Berlin")).hour <= 17


def test_what_waits_for_a_digest_is_shown_to_who_is_asked_only_then(desks: Desks, buyer: Agent) -> None:
    desk = desks(ask(pay("PO-1")), DONE, agent=buyer)
    hours = '[calendar]\ntime_zone = "Europe/Berlin"\nhours = "09:00-17:00"\n'
    in_force(desk.conn, band("all", ASK.replace("4h", "2 business days") + 'digest = "08:30"\n'), also=hours)
    pause = desk.pause(desk.start())
    assert pause.content is not None
    opening = pause.content.need.calendar
    assert opening is not None
    shown = dict(desk.conn.execute("SELECT kind, max(not_before) FROM card GROUP BY kind").fetchall())
    assert abs(shown["approver"] - calendar.next_at(pause.created_at, 510, opening)) < timedelta(seconds=5)
    assert shown["approver"].astimezone(ZoneInfo("Europe/Berlin")).strftime("%H:%M") == "08:30"
    assert shown["requester"] is None
    assert pause.content.shown_at == shown["approver"]
    together = desk.conn.execute("SELECT DISTINCT kind, digest_at FROM card ORDER BY kind").fetchall()
    assert together == [("approver", shown["approver"]), ("requester", None)]
    assert shown["approver"].microsecond == shown["approver"].second == 0, (
        "an hour that all requests of that digest have"
    )
    assert pause.fire_at > shown["approver"] + timedelta(hours=8)


TO_MARTA = 'need = "ask"\nperson = "marta"\nanswer_within = "4h"\non_expiry = "deny"\ndoubt_role = "finance-approver"\n'


def test_who_stands_in_for_two_absences_of_one_person_is_shown_it_once(desks: Desks, buyer: Agent) -> None:
    desk = desks(ask(pay("PO-1")), DONE, agent=buyer)
    in_force(desk.conn, band("all", TO_MARTA))
    now = datetime.now(UTC)
    for first, last in ((0, 1), (1.5, 2)):
        starts_at, ends_at = (now + timedelta(hours=hours) for hours in (first, last))
        absences.leave(desk.conn, "marta", "otto", starts_at=starts_at, ends_at=ends_at, actor="marta", surface="cli")
    run_id = desk.start()
    assert desk.run(run_id).status == "awaiting_approval"
    shown = desk.conn.execute("SELECT not_before FROM card WHERE dest = 'person:otto'").fetchall()
    assert shown == [(None,)]


def stood_in(desks: Desks, buyer: Agent) -> tuple[Desk, UUID]:
    """A run whose one payment was for Marta to approve, and Otto did in her place; it is not done yet."""
    desk = desks(ask(pay("PO-1")), DONE, agent=buyer)
    in_force(desk.conn, band("all", TO_MARTA))
    run_id = desk.start()
    tomorrow = datetime.now(UTC) + timedelta(days=1)
    absences.leave(desk.conn, "marta", "otto", starts_at=None, ends_at=tomorrow, actor="marta", surface="cli")
    desk.approve(run_id, "otto")
    return desk, run_id


def test_what_a_delegate_approved_is_done_also_when_the_absence_is_over(desks: Desks, buyer: Agent) -> None:
    desk, run_id = stood_in(desks, buyer)
    absences.back(desk.conn, "marta", actor="marta", surface="cli")
    desk.work()
    assert desk.run(run_id).status == "done"
    assert refs(desk) == ["PO-1"]


def test_what_no_delegate_of_that_hour_approved_is_asked_again(desks: Desks, buyer: Agent) -> None:
    desk, run_id = stood_in(desks, buyer)
    desk.conn.execute("DELETE FROM away")
    desk.work()
    assert desk.statuses(run_id) == ["superseded", "waiting"]
    assert refs(desk) == []


def test_a_policy_of_another_release_puts_what_was_approved_off_and_says_why(
    desks: Desks, buyer: Agent, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk = desks(ask(pay("PO-1")), DONE, agent=buyer)
    in_force(desk.conn, band("all", ASK))
    run_id = desk.start()
    desk.approve(run_id)
    with monkeypatch.context() as lenient:
        lenient.setattr(policy_file, "check", lambda _text, _people, _tools: SimpleNamespace(version="v-later"))
        database.apply_policy(desk.conn, 'version = "v-later"\n' + band("all", ASK + "witnesses = 2\n"))
    desk.work()
    assert desk.run(run_id).status == "queued"
    assert (desk.pause(run_id).put_off_why or "").startswith("The policy v-later cannot be read by this release")
    assert refs(desk) == []
    database.apply_policy(desk.conn, 'version = "v-readable"\n' + band("all", ASK))
    desk.conn.execute("UPDATE run SET queued_at = clock_timestamp() WHERE status = 'queued'")
    desk.work()
    assert desk.run(run_id).status == "done"
    assert refs(desk) == ["PO-1"]


def test_what_the_delegate_of_somebody_who_has_left_since_approved_is_not_done(desks: Desks, buyer: Agent) -> None:
    desk, run_id = stood_in(desks, buyer)
    rows.deactivate(desk.conn, "marta")
    desk.work()
    assert refs(desk) == []
    assert desk.statuses(run_id)[0] != "executed"


# ----------------------------------------------------------------------------------------------------------- tried again


def _said_to_try_again(desk: Desk) -> bool:
    [doubt] = ledger.in_doubt(desk.conn)
    return ledger.resolve(desk.conn, doubt.id, "retry", actor="marta", surface="tests") == "retry"


def test_a_retried_payment_counts_from_when_it_is_tried_again_and_never_twice(desks: Desks, buyer: Agent) -> None:
    desk = desks(ask(pay("PO-1", "6000.00")), DONE, ask(pay("PO-2", "6000.00")), agent=buyer)
    in_force(desk.conn, *LIMIT, also=WINDOW)
    run_id = desk.launch()
    desk.faults("down", times=None)
    desk.work()
    desk.outside.provider.faults.clear()
    desk.conn.execute("UPDATE spending SET at = at - interval '25 hours'")
    desk.conn.execute("UPDATE effect_attempt SET started_at = started_at - interval '25 hours'")
    assert ledger.spent(desk.conn, "payment", "sup_1", "EUR", 86_400) == 0
    assert _said_to_try_again(desk)
    desk.work()
    assert (desk.paid(), desk.run(run_id).status) == ([600_000], "done")
    assert ledger.spent(desk.conn, "payment", "sup_1", "EUR", 86_400) == 600_000
    assert desk.run(desk.start()).status == "awaiting_approval"


def test_a_retry_of_what_counts_already_does_not_count_beside_itself(desks: Desks, buyer: Agent) -> None:
    desk = desks(ask(pay("PO-1", "6000.00")), DONE, agent=buyer)
    in_force(desk.conn, *LIMIT, also=WINDOW)
    run_id = desk.launch()
    desk.faults("down", times=None)
    desk.work()
    desk.outside.provider.faults.clear()
    assert _said_to_try_again(desk)
    desk.work()
    assert (desk.paid(), desk.run(run_id).status) == ([600_000], "done")
    assert ledger.spent(desk.conn, "payment", "sup_1", "EUR", 86_400) == 600_000


def test_a_retried_payment_meets_the_limit_with_what_was_paid_since(desks: Desks, buyer: Agent) -> None:
    desk = desks(ask(pay("PO-1", "6000.00")), ask(pay("PO-2", "6000.00")), DONE, DONE, agent=buyer)
    in_force(desk.conn, *LIMIT, also=WINDOW)
    run_id = desk.launch()
    desk.faults("down", times=None)
    desk.work()
    desk.outside.provider.faults.clear()
    desk.conn.execute("UPDATE spending SET at = at - interval '25 hours'")
    other = desk.launch()
    desk.work()
    assert (desk.paid("PO-2"), desk.run(other).status) == ([600_000], "done")
    assert _said_to_try_again(desk)
    desk.work()
    assert (desk.paid("PO-1"), desk.run(run_id).status) == ([], "done")
    assert "somebody has to be asked now" in desk.texts(run_id)[0]


def test_what_is_to_be_tried_again_under_a_policy_that_cannot_be_read_is_put_off_and_not_given_up(
    desks: Desks, buyer: Agent, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk = desks(ask(pay("PO-1")), DONE, agent=buyer)
    in_force(desk.conn, *LIMIT)
    run_id = desk.launch()
    desk.faults("down", times=None)
    desk.work()
    desk.outside.provider.faults.clear()
    with monkeypatch.context() as lenient:
        lenient.setattr(policy_file, "check", lambda *_: SimpleNamespace(version="v-later"))
        database.apply_policy(desk.conn, 'version = "v-later"\n' + band("all", ASK + "witnesses = 2\n"))
    assert _said_to_try_again(desk)
    desk.work()
    assert (desk.run(run_id).status, desk.effects(run_id), desk.paid()) == ("queued", ["attempted"], [])
