"""The check at the end sees what it is there for: each kind of broken promise, made by hand, is said; a run that kept them all is not."""

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import pytest

from bot.cards.ids import ACTION_APPROVE, ACTION_WITHDRAW
from engine.models import Decided
from engine.state import absences, halts, ledger, pauses, runs
from engine.state.ledger import Spend
from tests import rows
from tests.chaos.promises import verdict
from tests.chaos.seen import Seen

Json = dict[str, Any]


@pytest.fixture
def paid(conn: Any) -> tuple[UUID, list[Json], list[Seen]]:
    """A request that was approved and paid, what the provider knows of it, and its card."""
    claim, [pause_id], effect = rows.begun(conn)
    settled = ledger.settle(conn, effect.attempt_id, "succeed", receipt={"id": "pi_1"}, result=rows.PAID)
    assert settled.run_status == "running"
    runs.finish(conn, claim, "Paid.", runs.LastWords())
    metadata = {"effect_key": f"{claim.id}:1:0", "run_id": str(claim.id), "order_ref": "PO-0"}
    payment = {"id": "pi_1", "amount": 3_800_000, "currency": "eur", "metadata": metadata}
    told = frozenset({("approve", "marta")})
    return (
        pause_id,
        [payment],
        [Seen(channel="C0BUY", ts="1.1", pause_id=pause_id, level=0, buttons=frozenset(), told=told)],
    )


def said(conn: Any, payments: list[Json], cards: list[Seen], acknowledged: dict[str, set[str]] | None = None) -> str:
    """What is said to be broken, but for the messages, which nobody wrote here."""
    found = verdict(conn, acknowledged=acknowledged or {}, paid=payments, cards=cards)
    return "\n".join(line for line in found.violations if "have the results" not in line)


def test_a_run_that_kept_every_promise_is_counted_and_not_blamed(
    conn: Any, paid: tuple[UUID, list[Json], list[Seen]]
) -> None:
    _, payments, cards = paid
    assert said(conn, payments, cards) == ""
    found = verdict(conn, acknowledged={}, paid=payments, cards=cards)
    assert (dict(found.decisions), found.effects, found.copies) == ({"approve": 1}, 1, 1)


def test_only_clicks_and_timers_are_decisions(conn: Any) -> None:
    pause_ids = rows.waiting(conn, calls=2)
    pauses.withdraw(conn, pause_ids[0], "priya", surface="tests")
    assert verdict(conn, acknowledged={}, paid=[], cards=[]).decisions.total() == 0


def other_key(payment: Json, key: str) -> Json:
    return {**payment, "metadata": {**payment["metadata"], "effect_key": key}}


@pytest.mark.parametrize(
    ("broken", "sentence"),
    [
        (lambda payments: [*payments, payments[0]], "was paid 2 times"),
        (lambda _payments: [], "at the provider are payments []"),
        (lambda payments: [other_key(payments[0], "another")], "belongs to no effect"),
        (lambda payments: [{**payments[0], "amount": 3_800_001}], "3800001 eur was paid"),
    ],
)
def test_what_the_provider_knows_otherwise_is_said(
    conn: Any, paid: tuple[UUID, list[Json], list[Seen]], broken: Callable[[list[Json]], list[Json]], sentence: str
) -> None:
    _, payments, cards = paid
    assert sentence in said(conn, broken(payments), cards)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"buttons": frozenset({ACTION_APPROVE})}, "shows ['placet:approve']"),
        ({"buttons": frozenset({ACTION_WITHDRAW})}, "shows ['placet:withdraw']"),
        ({"told": frozenset({("approve", "otto")})}, "a card told of approve by otto"),
        ({"pause_id": UUID(int=7)}, "which is not there"),
    ],
)
def test_a_card_that_is_not_true_is_said(
    conn: Any, paid: tuple[UUID, list[Json], list[Seen]], change: dict[str, Any], sentence: str
) -> None:
    _, payments, [card] = paid
    assert sentence in said(conn, payments, [replace(card, **change)])


@pytest.mark.parametrize(
    ("altered", "sentence"),
    [
        ("UPDATE run_pause SET status = 'denied', votes_left = 1", "does not hold"),
        ("UPDATE run_event SET actor = 'otto' WHERE event = 'approve'", "otto may not approve"),
        ("UPDATE effect SET status = 'failed'", "at the provider are payments"),
        ("UPDATE run SET status = 'queued', queued_at = now()", "is still queued"),
        ("DELETE FROM run_event WHERE event = 'approve'", "was settled by []"),
        ("UPDATE pause_content SET document = replace(document, 'Nordholz', 'Nordholtz')", "is not what was asked"),
        ("UPDATE card SET state = 'gone'", "was given up"),
        ("UPDATE notice SET state = 'failed'", "was given up"),
    ],
)
def test_rows_that_were_altered_are_said(
    conn: Any, paid: tuple[UUID, list[Json], list[Seen]], altered: str, sentence: str
) -> None:
    _, payments, cards = paid
    conn.execute(altered)
    assert sentence in said(conn, payments, cards)


def test_a_call_that_begins_while_every_effect_is_stopped_is_said(
    conn: Any, paid: tuple[UUID, list[Json], list[Seen]]
) -> None:
    _, payments, cards = paid
    assert halts.halt(conn, actor="otto", surface="cli") == "halt"
    assert halts.lift(conn, actor="otto", surface="cli") == "unhalt"
    assert said(conn, payments, cards) == ""
    for event, moved in (("halt", "-"), ("unhalt", "+")):
        conn.execute(f"UPDATE run_event SET at = at {moved} interval '1 hour' WHERE event = %s", (event,))
    assert "and effects were stopped from" in said(conn, payments, cards)


def test_an_answer_in_place_of_somebody_who_is_here_is_said(conn: Any) -> None:
    [pause_id] = rows.waiting(conn)
    until = datetime.now(UTC) + timedelta(hours=1)
    absences.leave(conn, "marta", "ines", starts_at=None, ends_at=until, actor="marta", surface="cli")
    assert isinstance(pauses.approve(conn, pause_id, "ines", surface="tests"), Decided)
    absences.back(conn, "marta", actor="marta", surface="cli")
    assert "who was not away" not in said(conn, [], [])
    conn.execute("UPDATE away SET starts_at = starts_at - interval '2 days', ends_at = ends_at - interval '1 day'")
    assert f"ines answered the request {pause_id} for marta, who was not away" in said(conn, [], [])


def test_payments_let_through_that_come_to_more_than_their_rule_are_said(conn: Any) -> None:
    for minor in (60_000, 40_000):
        claim = rows.claimed(conn)
        rows.replied(conn, claim)
        spend = Spend(action="payment", payee="sup_412", currency="EUR", minor=minor, window_s=10, up_to=100_000)
        intent = replace(rows.intent(claim.id, None), spend=spend)
        assert isinstance(ledger.begin(conn, claim, intent, lease_s=60), ledger.Begun)
    assert "was let through" not in said(conn, [], [])
    conn.execute("UPDATE spending SET minor = minor + 1 WHERE minor = 40000")
    assert "was let through, and with those before it comes to 100001" in said(conn, [], [])


def test_a_launch_that_was_answered_and_is_lost_or_doubled_is_said(conn: Any) -> None:
    run_id = str(rows.launched(conn, launch_key="PO-9"))
    assert "answered with several runs" in said(conn, [], [], {"PO-9": {run_id, "another"}})
    assert "is not there" in said(conn, [], [], {"PO-8": {run_id}})
