"""A condition holds, does not, or cannot be judged; and the kinds of calls that conditions tell apart are all found, and no others."""

from decimal import Decimal
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from engine.rules.conditions import MOST_WORLDS, Condition, all_of, holds, plain, worlds

SUPPLIERS = Condition(path=("supplier_id",), one_of=("sup_1", "sup_2"))
NOT_GERMAN = Condition(path=("address", "country"), none_of=("DE",))
MANY = Condition(path=("quantity",), over=Decimal(100), up_to=Decimal("200.5"))
URGENT = Condition(path=("urgent",), one_of=(True,))


@pytest.mark.parametrize(
    ("condition", "arguments", "verdict"),
    [
        (SUPPLIERS, {"supplier_id": "sup_2"}, True),
        (SUPPLIERS, {"supplier_id": "sup_3"}, False),
        (SUPPLIERS, {"supplier_id": "SUP_1"}, False),
        (SUPPLIERS, {"supplier_id": None}, None),
        (SUPPLIERS, {}, None),
        (SUPPLIERS, {"supplier_id": 1}, None),
        (NOT_GERMAN, {"address": {"country": "FR"}}, True),
        (NOT_GERMAN, {"address": {"country": "DE"}}, False),
        (NOT_GERMAN, {"address": {}}, None),
        (NOT_GERMAN, {"address": "DE"}, None),
        (MANY, {"quantity": 100}, False),
        (MANY, {"quantity": 101}, True),
        (MANY, {"quantity": 200.5}, True),
        (MANY, {"quantity": 200.51}, False),
        (MANY, {"quantity": "150"}, None),
        (MANY, {"quantity": True}, None),
        (URGENT, {"urgent": True}, True),
        (URGENT, {"urgent": False}, False),
        (URGENT, {"urgent": 1}, None),
    ],
)
def test_a_condition_is_judged_by_the_argument_as_it_is(
    condition: Condition, arguments: Any, verdict: bool | None
) -> None:
    assert holds([condition], arguments) is verdict


@pytest.mark.parametrize(
    ("judged", "verdict"),
    [((), True), ((True, True), True), ((True, None), None), ((None, False), False), ((True, False), False)],
)
def test_one_that_is_false_settles_it_and_one_that_is_not_known_leaves_it_open(
    judged: Any, verdict: bool | None
) -> None:
    assert all_of(judged) is verdict


def test_it_reads_as_a_sentence_does() -> None:
    assert [str(one) for one in (SUPPLIERS, NOT_GERMAN, MANY, URGENT)] == [
        "supplier id is sup_1 or sup_2",
        "address country is not DE",
        "quantity is over 100 and is up to 200.5",
        "urgent is true",
    ]


def test_conditions_that_exclude_each_other_never_hold_at_once() -> None:
    german, french = (Condition(path=("country",), one_of=(code,)) for code in ("DE", "FR"))
    found = worlds([[german], [french]])
    assert found is not None
    assert sorted(found) == [(False, False), (False, True), (True, False)]


def test_a_condition_that_follows_from_another_holds_with_it() -> None:
    more, most = (Condition(path=("quantity",), over=Decimal(least)) for least in (100, 200))
    found = worlds([[more], [most]])
    assert found is not None
    assert sorted(found) == [(False, False), (True, False), (True, True)]


def test_true_is_not_the_number_one() -> None:
    flag, number = Condition(path=("a",), one_of=(True,)), Condition(path=("a",), one_of=(Decimal(1),))
    found = worlds([[flag], [number]])
    assert found is not None
    assert sorted(found) == [(False, False), (False, True), (True, False)]


def test_beyond_a_bound_the_kinds_of_calls_are_not_told_apart() -> None:
    many = [Condition(path=(f"a{n}",), one_of=("x",)) for n in range(13)]
    assert 2 ** len(many) > MOST_WORLDS
    assert worlds([[one] for one in many]) is None
    assert worlds([[one] for one in many[:12]]) is not None


VALUES = st.sampled_from(["DE", "FR", "x", "", True, False, 0, 1, 2, 3, 1.5, -1, None])
CONDITIONS = st.builds(
    Condition,
    path=st.sampled_from([("a",), ("b",)]),
    one_of=st.sampled_from([(), ("DE",), ("DE", "FR"), (True,), (Decimal(1), Decimal(2))]),
    none_of=st.sampled_from([(), ("DE",), (Decimal(2),)]),
    over=st.sampled_from([None, Decimal(0), Decimal("1.5")]),
    up_to=st.sampled_from([None, Decimal(2), Decimal(3)]),
).filter(lambda one: str(one).split(" ", 1)[1] != "")


@given(
    st.lists(st.lists(CONDITIONS, min_size=1, max_size=2), min_size=1, max_size=3),
    st.fixed_dictionaries({"a": VALUES, "b": VALUES}),
)
@example(
    [[Condition(path=("a",), up_to=Decimal(2))], [Condition(path=("a",), over=Decimal(0))]], {"a": "DE", "b": "DE"}
)
def test_every_call_is_of_a_kind_that_is_found(groups: list[list[Condition]], call: dict[str, Any]) -> None:
    found = worlds(groups)
    assert found is not None
    assert tuple(holds(group, call) is True for group in groups) in set(found)


def test_a_number_is_what_it_is_worth() -> None:
    assert plain(0.1) == Decimal("0.1")
    assert plain(7) == plain(7.0)
    assert plain([1]) is None
