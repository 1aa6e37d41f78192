"""What a new policy changes is found by asking both: what is only said differently changes nothing, and a cent does."""

from itertools import product
from typing import Any

import pytest

from engine.rules import policy_diff
from engine.rules.documents import DocumentFaults
from engine.rules.money import Money
from engine.rules.policy import Facts, Policy, evaluate
from tests.engine.rules.policy_texts import ALLOW, ASK, band, example, policy_of, rule

KNOWN = 'when = { supplier = ["sup_1"] }\n'


def told(old: Policy, new: Policy) -> list[tuple[str, str, str | None, str | None]]:
    return [
        (c.action, c.extent, c.was.kind if c.was else None, c.now.kind if c.now else None)
        for c in policy_diff.changes(old, new)
    ]


def test_a_policy_changes_nothing_against_itself() -> None:
    assert policy_diff.changes(example(), example()) == ()


def test_names_order_and_a_split_band_change_nothing() -> None:
    old = policy_of(band("a", ALLOW, up_to="10"), band("b", ASK, over="10"))
    new = policy_of(
        band("high", ASK, over="20"), band("middle", ASK, over="10", up_to="20"), band("low", ALLOW, up_to="10")
    )
    assert policy_diff.changes(old, new) == ()


def test_a_cent_is_a_change_and_named_exactly() -> None:
    old = policy_of(band("a", ALLOW, up_to="10"), band("b", ASK, over="10"))
    new = policy_of(band("a", ALLOW, up_to="10.01"), band("b", ASK, over="10.01"))
    assert told(old, new) == [("payment", "over EUR 10.00 up to EUR 10.01", "ask", "allow")]


@pytest.mark.parametrize(
    ("old", "new", "changes"),
    [
        ([rule("a", ASK)], [rule("a", ALLOW)], [("payment", "", "ask", "allow")]),
        ([rule("a", ASK)], [rule("a", ASK), rule("b", ASK, action="gift")], [("gift", "", None, "ask")]),
        ([rule("a", ASK), rule("b", ASK, action="gift")], [rule("a", ASK)], [("gift", "", "ask", None)]),
        ([band("a", ASK)], [band("a", ASK), band("b", ALLOW, currency="USD")],
         [("payment", "any amount in USD", None, "allow")]),
        ([band("a", ASK, currency="any other")], [band("b", ALLOW, currency="USD"), band("a", ASK, currency="any other")],
         [("payment", "any amount in USD", "ask", "allow")]),
        ([band("a", ASK)], [band("k", ALLOW + KNOWN, up_to="5"), band("a", ASK)],
         [("payment", "up to EUR 5.00, where supplier is sup_1", "ask", "allow")]),
        ([rule("a", ASK)], [rule("a", ASK.replace("4h", "8h"))], [("payment", "", "ask", "ask")]),
    ],
)  # fmt: skip
def test_each_change_is_told_with_whom_it_is_about(old: list[str], new: list[str], changes: list[Any]) -> None:
    assert told(policy_of(*old), policy_of(*new)) == changes


def test_what_holds_where_no_condition_does_is_told_as_that() -> None:
    old = policy_of(band("k", ALLOW + KNOWN), band("a", ASK))
    new = policy_of(band("k", ALLOW + KNOWN), band("a", ASK.replace("4h", "8h")))
    assert told(old, new) == [("payment", "any amount in EUR, where no rule's condition holds", "ask", "ask")]


def _many(first: int, *last: str) -> Policy:
    """Conditions on five arguments, which by themselves are few enough."""
    apart = [f'when = {{ argument_{n} = ["a", "b"] }}\n' for n in range(first, first + 5)]
    known = (band(f"k{n}", ALLOW + when) for n, when in enumerate(apart))
    return policy_of(*known, band("a", ASK), *last)


def test_where_there_are_too_many_kinds_of_calls_it_says_so_and_never_that_nothing_changed() -> None:
    old, new = _many(0), _many(5, rule("b", ASK, "gift"))
    assert told(old, new) == [("gift", "", None, "ask")]
    assert policy_diff.unclear(old, new) == (("payment", "any amount in EUR"),)
    assert policy_diff.unclear(old, _many(0)) == ()
    assert policy_diff.unclear(example(), policy_of(rule("a", ASK))) == ()


def test_a_window_that_changes_is_told() -> None:
    alone, day = policy_of(band("a", ASK)), policy_of(band("a", ASK), '[spend_window]\npayment = "1d"\n')
    assert policy_diff.windows(alone, day) == (("payment", 0, 86_400),)
    assert policy_diff.windows(day, alone) == (("payment", 86_400, 0),)
    assert policy_diff.windows(day, day) == ()


WHEN = ['country = "DE"', 'country = ["DE", "FR"]', 'country = { not = "DE" }', "quantity = { over = 10 }"]
CALLS = [
    Facts(action="payment", amount=Money(minor, "EUR"), arguments={"country": country, "quantity": quantity})
    for minor in (0, 1_000, 1_001, 2_000, 2_001)
    for country in ("DE", "FR", "US")
    for quantity in (10, 11)
]


def _some() -> list[Policy]:
    """Policies that differ in one thing or another, or only seem to."""
    found = []
    for low, when, need in product((ALLOW, ASK), (None, *WHEN), (ALLOW, ASK)):
        special = [] if when is None else [band("special", f"{need}when = {{ {when} }}\n", up_to="10")]
        try:
            found.append(policy_of(*special, band("low", low, up_to="20"), band("high", ASK, over="20")))
        except DocumentFaults:  # a need that would fall as the amount rises
            continue
    return found


def test_there_is_a_change_exactly_where_a_call_needs_something_else() -> None:
    some = _some()
    assert len(some) > 10
    for old, new in product(some, some):
        differ = any((evaluate(old, call).kind) != (evaluate(new, call).kind) for call in CALLS)
        assert bool(policy_diff.changes(old, new)) == differ
