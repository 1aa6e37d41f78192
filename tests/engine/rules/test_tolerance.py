"""A price that moved is still what was approved up to the tolerance, exactly, and not by a cent more."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.rules.money import LARGEST_MINOR, Money, parse
from engine.rules.needs import Direction, within_tolerance


@pytest.mark.parametrize(
    ("now", "direction", "within"),
    [
        ("1000.00", "both", True), ("1019.99", "both", True), ("1020.00", "both", True), ("1020.01", "both", False),
        ("980.00", "both", True), ("979.99", "both", False), ("900.00", "both", False),
        ("1020.00", "up", True), ("1020.01", "up", False), ("999.99", "up", False), ("1000.00", "up", True),
        ("980.00", "down", True), ("979.99", "down", False), ("1000.01", "down", False), ("1000.00", "down", True),
    ],
)  # fmt: skip
def test_a_price_may_move_by_two_percent_and_not_by_a_cent_more(now: str, direction: Direction, within: bool) -> None:
    assert within_tolerance(parse("1000.00", "EUR"), parse(now, "EUR"), 200, direction) is within


def test_another_currency_is_never_within_tolerance() -> None:
    assert not within_tolerance(parse("1000", "EUR"), parse("1000", "USD"), 2_500, "both")


def test_without_a_tolerance_only_the_same_price_goes_through() -> None:
    assert within_tolerance(Money(100, "EUR"), Money(100, "EUR"), 0, "both")
    assert not within_tolerance(Money(100, "EUR"), Money(101, "EUR"), 0, "both")
    assert not within_tolerance(Money(0, "EUR"), Money(1, "EUR"), 2_500, "both")


@given(st.integers(0, LARGEST_MINOR), st.integers(0, LARGEST_MINOR), st.integers(0, 2_500))
def test_the_tolerance_is_exact_at_any_size(approved: int, now: int, bp: int) -> None:
    bound = Decimal(approved) * bp / 10_000
    expected = abs(Decimal(now) - approved) <= bound
    assert within_tolerance(Money(approved, "EUR"), Money(now, "EUR"), bp, "both") is expected
