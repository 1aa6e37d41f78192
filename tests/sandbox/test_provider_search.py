"""The provider's search, which is behind, and its list, which is when a fault says so: as the real Stripe SDK meets them."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import stripe

from bot.sandbox.faults import Fault
from bot.sandbox.payments import SEARCH_LAG
from tests.sandbox.till import Till, opened

BY_KEY = "metadata['effect_key']:'run:3:1'"


def found(till: Till, query: str) -> list[str]:
    """The ids of what a query finds, page by page."""
    result = till.stripe.v1.payment_intents.search({"query": query})
    return [intent.id for intent in result.auto_paging_iter()]


def listed(till: Till) -> list[str]:
    return [intent.id for intent in till.stripe.v1.payment_intents.list().data]


def said(till: Till, query: str, page: str | None = None) -> str:
    """What a query is refused with."""
    params: stripe.params.PaymentIntentSearchParams = {"query": query}
    if page is not None:
        params["page"] = page
    with pytest.raises(stripe.InvalidRequestError) as refused:
        till.stripe.v1.payment_intents.search(params)
    assert refused.value.http_status == 400
    return str(refused.value.user_message)


@pytest.fixture(scope="module")
def three(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Till]:
    """A till with a payment, one of another customer and currency, and one that was declined, all of which are searchable."""
    with opened(tmp_path_factory.mktemp("till") / "provider.jsonl") as till:
        till.pay()
        till.pay(
            customer="cus_other", currency="usd", amount=500, metadata={"order_ref": 'A "B"', "effect_key": "run:4:1"}
        )
        with pytest.raises(stripe.CardError):
            till.pay(payment_method="pm_card_declined", metadata={})
        till.provider.advance(SEARCH_LAG)
        yield till


# ----------------------------------------------------------------------------------------------------------------- behind


def test_a_payment_is_listed_at_once_and_searchable_only_a_minute_later(till: Till) -> None:
    paid = till.pay()
    assert listed(till) == [paid.id]
    assert found(till, BY_KEY) == []
    till.provider.advance(SEARCH_LAG - 2)
    assert found(till, BY_KEY) == []
    till.provider.advance(2)
    assert found(till, BY_KEY) == [paid.id]


def test_in_an_outage_search_is_an_hour_behind(till: Till) -> None:
    till.surface.post("/_search", json={"lag_seconds": 3600}).raise_for_status()
    paid = till.pay()
    till.provider.advance(3590)
    assert found(till, BY_KEY) == []
    till.provider.advance(10)
    assert found(till, BY_KEY) == [paid.id]


def test_what_changed_is_searchable_later_too_and_stands_there_as_it_was(till: Till) -> None:
    waiting = till.pay(confirm=False)
    till.provider.advance(SEARCH_LAG)
    till.stripe.v1.payment_intents.cancel(waiting.id)
    assert found(till, "status:'requires_confirmation'") == [waiting.id]
    till.provider.advance(SEARCH_LAG)
    assert found(till, "status:'requires_confirmation'") == []
    assert found(till, "status:'canceled'") == [waiting.id]


def test_a_list_that_lags_shows_a_new_payment_only_when_the_providers_clock_has_moved(till: Till) -> None:
    before = till.pay()
    till.provider.advance(45)
    till.provider.faults.plan(Fault(kind="list_lags", match={"endpoint": "list"}, times=None, seconds=45))
    paid = till.pay()
    assert listed(till) == [before.id]
    assert till.stripe.v1.payment_intents.retrieve(paid.id).status == "succeeded"
    till.provider.advance(45)
    assert listed(till) == [paid.id, before.id]


def test_a_list_lags_only_for_as_long_as_it_was_said(till: Till) -> None:
    paid = till.pay()
    till.surface.post("/_faults", json=[{"fault": "list_lags", "match": {"endpoint": "list"}}]).raise_for_status()
    assert listed(till) == []
    assert listed(till) == [paid.id]


def test_how_far_search_is_behind_outlives_the_process(tmp_path: Path) -> None:
    journal = tmp_path / "provider.jsonl"
    with opened(journal) as till:
        till.provider.lag_search(3600)
        paid = till.pay()
    with opened(journal) as till:
        till.provider.advance(SEARCH_LAG)
        assert found(till, BY_KEY) == []
        till.provider.advance(3600)
        assert found(till, BY_KEY) == [paid.id]


# ------------------------------------------------------------------------------------------------------------- the language


@pytest.mark.parametrize(
    ("query", "places"),
    [
        (BY_KEY, [0]),
        ('metadata["effect_key"]:"run:3:1"', [0]),
        ("metadata['effect_key']:'RUN:3:1'", [0]),  # without regard to case
        ("metadata['effect_key']:'run:3'", []),  # all of it, not a part
        ("metadata['order_ref']:'A \\\"B\\\"'", [1]),
        ('metadata["order_ref"]:"A \\"B\\""', [1]),
        ("-metadata['effect_key']:null", [0, 1]),
        ("metadata['effect_key']:NULL", [2]),
        ("-metadata['effect_key']:'run:3:1'", [1, 2]),
        ("status:'succeeded'", [0, 1]),
        ("currency:'USD'", [1]),
        ("customer:'cus_412'", [0, 2]),
        ("amount:500", [1]),
        ('amount>="500"', [0, 1, 2]),
        ("amount>500", [0, 2]),
        ("amount<500", []),
        ("amount<=500", [1]),
        ("-amount<=500", [0, 2]),
        ("created>1620310503", [0, 1, 2]),
        ("status:'succeeded' amount>500", [0]),
        ("status:'succeeded' and amount>500", [0]),
        ("amount:500 OR metadata['effect_key']:null", [1, 2]),
        (" AND ".join(["amount:500"] * 10), [1]),
    ],
)
def test_a_query_finds(three: Till, query: str, places: list[int]) -> None:
    made = [payment["id"] for payment in three.provider.payments()]
    assert found(three, query) == [made[place] for place in reversed(places)]  # newest first


@pytest.mark.parametrize(
    "query",
    [
        "PO-2026-0193",
        "status:",
        "status:succeeded",
        "status='succeeded'",
        "status:'succeeded",
        "status:'succeeded'AND amount:5",
        "status:'succeeded' AND",
        "AND status:'succeeded'",
        "(status:'succeeded')",
        "metadata:'x'",
        "metadata[effect_key]:'x'",
        "status['x']:'x'",
        "amount>null",
        "amount:five",
        "amount:500 OR status:'succeeded' AND amount:500",
        "amount:500 OR status:'succeeded' amount:500",
    ],
)
def test_a_query_that_cannot_be_read_is_refused(three: Till, query: str) -> None:
    assert said(three, query).startswith("We were unable to parse your search query.")


@pytest.mark.parametrize(
    ("query", "says"),
    [
        ("description:'pumps'", "Field `description` is an unsupported search field for resource `payment_intents`."),
        ("status~'succ'", "Operator `~` is not supported for field `status`."),
        ("currency>'eur'", "Operator `>` is not supported for field `currency`."),
        ("amount~500", "Operator `~` is not supported for field `amount`."),
        ("amount>'many'", "Field `amount` is numeric, and cannot be compared with `many`."),
        (" ".join(["amount:500"] * 11), "You can combine up to 10 query clauses in a search, but you passed 11."),
    ],
)
def test_a_query_that_asks_for_what_there_is_not_is_refused(three: Till, query: str, says: str) -> None:
    assert said(three, query).startswith(says)


@pytest.mark.parametrize(
    ("params", "param", "code"),
    [
        ({}, "query", "parameter_missing"),
        ({"query": " "}, "query", "parameter_missing"),
        ({"query": "amount:1", "limit": 0}, "limit", "parameter_invalid_integer"),
        ({"query": "amount:1", "limit": 101}, "limit", "parameter_invalid_integer"),
        ({"query": "amount:1", "customer": "cus_412"}, "customer", "parameter_unknown"),
    ],
)
def test_a_search_with_a_wrong_parameter_names_it(three: Till, params: Any, param: str, code: str) -> None:
    with pytest.raises(stripe.InvalidRequestError) as refused:
        three.stripe.v1.payment_intents.search(params)
    assert (refused.value.param, refused.value.code) == (param, code)


# ------------------------------------------------------------------------------------------------------------------- pages


def test_an_empty_result_has_stripes_shape(till: Till) -> None:
    assert till.stripe.v1.payment_intents.search({"query": BY_KEY}).to_dict() == {
        "object": "search_result",
        "url": "/v1/payment_intents/search",
        "has_more": False,
        "next_page": None,
        "data": [],
    }


def test_pages_follow_one_another_and_nothing_that_is_made_meanwhile_moves_them(till: Till) -> None:
    made = [till.pay().id for _ in range(5)][::-1]
    till.provider.advance(SEARCH_LAG)
    first = till.stripe.v1.payment_intents.search({"query": BY_KEY, "limit": 2})
    assert ([intent.id for intent in first.data], first.has_more) == (made[:2], True)
    till.pay()
    till.provider.advance(SEARCH_LAG)
    assert [intent.id for intent in first.auto_paging_iter()] == made
    last = till.stripe.v1.payment_intents.search({"query": BY_KEY, "limit": 6})
    assert (len(last.data), last.has_more, last.to_dict()["next_page"]) == (6, False, None)


def test_a_page_that_nobody_was_given_is_refused(till: Till) -> None:
    till.pay()
    till.provider.advance(SEARCH_LAG)
    assert said(till, BY_KEY, page="2") == "2 is an invalid page."


# ------------------------------------------------------------------------------------------------------------------ faults


@pytest.mark.parametrize("kind", ["down", "drop_before", "drop_after"])
def test_a_search_fails_as_every_other_request(till: Till, kind: str) -> None:
    till.fail(kind, endpoint="search")
    with pytest.raises(stripe.APIConnectionError if kind.startswith("drop") else stripe.APIError):
        found(till, BY_KEY)
    assert found(till, BY_KEY) == []


def test_a_search_without_a_key_of_ours_is_401(till: Till) -> None:
    assert till.surface.get("/v1/payment_intents/search", params={"query": BY_KEY}).status_code == 401
