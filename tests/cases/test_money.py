"""Money: what the card shows, what is sent and what the provider takes are one amount, whatever the currency's decimals."""

import pytest

from tests import world
from tests.engine.workers.conftest import Desks


@pytest.mark.parametrize(
    ("amount", "currency", "shown", "minor"),
    [("500", "JPY", "JPY 500", 500), ("5800", "JPY", "JPY 5,800", 5_800), ("1.230", "KWD", "KWD 1.230", 1_230)],
)
def test_a_currency_without_cents_or_with_mills_is_paid_as_it_is_shown(
    desks: Desks, amount: str, currency: str, shown: str, minor: int
) -> None:
    """M4: from the order to the provider's own smallest unit."""
    desk = desks()
    run_id = desk.start(world.order(amount=amount).replace("currency: EUR", f"currency: {currency}"))
    held = desk.pause(run_id).content
    assert held is not None
    assert held.summary.startswith(f"Pay {shown} to ")
    assert shown in [line.value for line in held.lines]
    desk.approve(run_id)
    desk.work()
    [payment] = desk.outside.payments("PO-1")
    assert (payment["amount"], payment["currency"]) == (minor, currency.lower())
    assert desk.run(run_id).status == "done"


def test_what_the_provider_cannot_take_exactly_is_refused_and_not_rounded(desks: Desks) -> None:
    """M4: KWD 1.234, where the provider takes tens of fils only."""
    desk = desks()
    run_id = desk.start(world.order(amount="1.234").replace("currency: EUR", "currency: KWD"))
    desk.approve(run_id)
    desk.work()
    assert desk.statuses(run_id) == ["failed"]
    assert desk.paid() == []
