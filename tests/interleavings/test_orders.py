"""The tree of orders: each is gone through, and none twice, in whatever sequence a seed has them come."""

from collections.abc import Callable, Sequence
from math import factorial

import pytest

from tests.interleavings.orders import Given, Orders, Walk


def steps(walk: Walk, each: Sequence[int]) -> str:
    """Several, of whom each has so many steps to go, one at a time."""
    left = dict(zip("abc", each, strict=False))
    while options := [who for who, more in left.items() if more]:
        left[walk.choose(options)] -= 1
    walk.end()
    return str(walk)


def all_of(orders: Orders, live: Callable[[Walk], str]) -> list[str]:
    """Every order until there is no other."""
    found = []
    while not orders.exhausted:
        found.append(live(orders.walk()))
    return found


@pytest.mark.parametrize("each", [(2, 2), (2, 2, 2), (1, 3, 2)])
def test_every_order_comes_once(each: Sequence[int]) -> None:
    found = all_of(Orders("seed"), lambda walk: steps(walk, each))
    expected = factorial(sum(each))
    for own in each:
        expected //= factorial(own)
    assert len(found) == len(set(found)) == expected


def test_a_seed_has_them_come_in_the_same_sequence_again_and_another_seed_in_another() -> None:
    once, again, otherwise = (all_of(Orders(seed), lambda walk: steps(walk, (2, 2))) for seed in ("a", "a", "b"))
    assert once == again != otherwise
    assert set(once) == set(otherwise)


def test_an_order_that_is_given_is_gone_through() -> None:
    assert steps(Given("b a b a"), (2, 2)) == "b a b a"
    with pytest.raises(AssertionError, match="a is not possible after a a: b"):
        steps(Given("a a a"), (2, 2))
