"""Payments to one payee that count together: whoever is about to make one locks the payee first, and counts what all others began."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

from engine.models import Claim
from engine.state import halts, ledger, runs
from engine.state.ledger import Begun, Intent, NotBegun, Spend
from tests import database, rows
from tests.engine.state.meeting import until_it_waits

LIMIT = 100_000
DAY = 86_400


def allowed(claim: Claim, minor: int, up_to: int | None = LIMIT, **changes: Any) -> Intent:
    """A payment that policy allows without asking, up to so much within a day."""
    spend = Spend(action="payment", payee="sup_9", currency="EUR", minor=minor, window_s=DAY, up_to=up_to)
    return replace(rows.intent(claim.id, None), spend=replace(spend, **changes))


def ready(conn: Any) -> Claim:
    """A running run with a call that nobody has to be asked about."""
    claim = rows.claimed(conn)
    rows.replied(conn, claim)
    return claim


def begin(conn: Any, minor: int, up_to: int | None = LIMIT, /, **changes: Any) -> Begun | NotBegun:
    claim = ready(conn)
    return ledger.begin(conn, claim, allowed(claim, minor, up_to, **changes), lease_s=60)


def spent(conn: Any, payee: str = "sup_9", currency: str = "EUR", action: str = "payment", window_s: int = DAY) -> int:
    return ledger.spent(conn, action, payee, currency, window_s)


def test_what_was_begun_counts_to_the_minor_unit(conn: Any) -> None:
    assert spent(conn) == 0
    assert isinstance(begin(conn, 60_000), Begun)
    assert spent(conn) == 60_000
    assert begin(conn, 40_001) == NotBegun("spent")
    assert spent(conn) == 60_000
    assert isinstance(begin(conn, 40_000), Begun)
    assert spent(conn) == 100_000
    assert begin(conn, 1) == NotBegun("spent")


def test_a_rule_without_end_lets_every_sum_pass_and_counts_it_all_the_same(conn: Any) -> None:
    assert isinstance(begin(conn, 99_000), Begun)
    assert isinstance(begin(conn, 99_000, None), Begun)
    assert spent(conn) == 198_000


def test_another_payee_currency_or_action_counts_by_itself(conn: Any) -> None:
    assert isinstance(begin(conn, LIMIT), Begun)
    for change in ({"payee": "sup_8"}, {"currency": "USD"}, {"action": "refund"}):
        assert isinstance(begin(conn, LIMIT, LIMIT, **change), Begun)
    assert [spent(conn), spent(conn, "sup_8"), spent(conn, currency="USD"), spent(conn, action="refund")] == [LIMIT] * 4


def test_what_is_older_than_the_window_counts_no_more(conn: Any) -> None:
    assert isinstance(begin(conn, LIMIT), Begun)
    conn.execute("UPDATE spending SET at = at - interval '23 hours'")
    assert begin(conn, 1) == NotBegun("spent")
    conn.execute("UPDATE spending SET at = at - interval '61 minutes'")
    assert spent(conn) == 0
    assert isinstance(begin(conn, LIMIT), Begun)


def test_what_surely_was_not_paid_counts_no_more_and_what_nobody_knows_does(conn: Any) -> None:
    failed, doubted = begin(conn, 50_000), begin(conn, 50_000)
    assert isinstance(failed, Begun)
    assert isinstance(doubted, Begun)
    ledger.settle(conn, failed.attempt_id, "fail", error="declined", result=rows.PAID)
    ledger.settle(conn, doubted.attempt_id, "doubt", error="no answer")
    assert spent(conn) == 50_000
    assert ledger.resolve(conn, doubted.effect_id, "stop", actor="marta", surface="cli") == "stop"
    assert spent(conn) == 50_000


def test_what_is_not_begun_for_another_reason_leaves_nothing_behind(conn: Any) -> None:
    halts.halt(conn, actor="otto", surface="cli")
    assert begin(conn, 10) == NotBegun("halted")
    assert spent(conn) == 0


def test_a_call_without_a_window_locks_no_payee_and_is_not_counted(conn: Any) -> None:
    claim = ready(conn)
    assert isinstance(ledger.begin(conn, claim, rows.intent(claim.id, None), lease_s=60), Begun)
    assert conn.execute("SELECT (SELECT count(*) FROM spending), (SELECT count(*) FROM spending_lock)").fetchone() == (
        0,
        0,
    )


def test_an_approved_payment_counts_with_the_others_and_meets_the_limit_of_its_own_rule(conn: Any) -> None:
    assert isinstance(begin(conn, LIMIT), Begun)
    claim, [pause_id] = rows.approved(conn)
    intent = rows.intent(claim.id, pause_id)
    of_38_000 = Spend(action="payment", payee="sup_9", currency="EUR", minor=3_800_000, window_s=DAY, up_to=3_899_999)
    assert ledger.begin(conn, claim, replace(intent, spend=of_38_000), lease_s=60) == NotBegun("spent")
    assert isinstance(
        ledger.begin(conn, claim, replace(intent, spend=replace(of_38_000, up_to=3_900_000)), lease_s=60), Begun
    )
    assert spent(conn) == 3_900_000


def test_of_two_at_the_same_moment_the_second_sees_what_the_first_began(conn: Any, db_url: str) -> None:
    first, second = ready(conn), ready(conn)
    with database.connect(db_url) as one, database.connect(db_url) as other, ThreadPoolExecutor(1) as hand:
        with one.transaction():
            assert isinstance(ledger.begin(one, first, allowed(first, 60_000), lease_s=60), Begun)
            begun = hand.submit(ledger.begin, other, second, allowed(second, 60_000), lease_s=60)
            until_it_waits(conn, other, begun)
        assert begun.result() == NotBegun("spent")
    assert spent(conn) == 60_000


def test_however_many_begin_at_once_the_limit_holds(conn: Any, db_url: str) -> None:
    claims = [ready(conn) for _ in range(8)]

    def one(claim: Claim) -> bool:
        with database.connect(db_url) as own:
            return isinstance(ledger.begin(own, claim, allowed(claim, 30_000), lease_s=60), Begun)

    with ThreadPoolExecutor(8) as threads:
        assert sorted(threads.map(one, claims)) == [False] * 5 + [True] * 3
    assert spent(conn) == 90_000


def test_a_lost_worker_s_payment_goes_on_counting_once(conn: Any) -> None:
    claim = ready(conn)
    assert isinstance(ledger.begin(conn, claim, allowed(claim, 60_000), lease_s=60), Begun)
    rows.lose_lease(conn, claim.id)
    again = runs.claim(conn, "w2", ["procurement"], lease_s=60)
    assert again is not None
    assert ledger.begin(conn, again, allowed(again, 60_000), lease_s=60) == NotBegun("exists")
    assert spent(conn) == 60_000
