"""The suppliers over HTTP: a quote fixes a price and sets goods aside; the world may move before it is used."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx
import pytest
from starlette.applications import Starlette
from starlette.routing import Mount

from bot.sandbox.journal import Journal
from bot.sandbox.suppliers import Suppliers, suppliers_app
from tests.sandbox.loopback import serving

NOON = datetime(2026, 7, 16, 12, 0, tzinfo=UTC)
ORDER = {
    "supplier_id": "sup_412",
    "order_ref": "PO-2026-0193",
    "item": "hydraulic pumps",
    "quantity": 40,
    "listed": {"amount": "38000.00", "currency": "EUR"},
}
AGAIN = {"supplier_id": "sup_412", "order_ref": "PO-2026-0193"}


def open_suppliers(journal: Path) -> Suppliers:
    return Suppliers(Journal(journal), names={"sup_412": "Nordholz Industrial"}, clock=lambda: NOON)


@pytest.fixture
def suppliers(tmp_path: Path) -> Iterator[httpx.Client]:
    app = suppliers_app(open_suppliers(tmp_path / "suppliers.jsonl"))
    with (
        serving(Starlette(routes=[Mount("/suppliers", app)])) as base,
        httpx.Client(base_url=f"{base}/suppliers", timeout=20) as http,
    ):
        yield http


def price_now(suppliers: httpx.Client, asked: dict[str, Any] | None = None) -> Any:
    answer = suppliers.post("/quotes", json=asked or AGAIN)
    answer.raise_for_status()
    return answer.json()["price"]


def release(suppliers: httpx.Client, order_ref: str = "PO-2026-0193", key: str = "k1") -> httpx.Response:
    return suppliers.delete(f"/allocations/{order_ref}", headers={"Idempotency-Key": key})


def refusal(answer: httpx.Response) -> tuple[int, str, str]:
    error = answer.json()["error"]
    return answer.status_code, error["type"], error["field"]


def test_the_first_quote_fixes_the_listed_price_and_sets_the_goods_aside(suppliers: httpx.Client) -> None:
    assert suppliers.post("/quotes", json=ORDER).json() == {
        "quote_id": "quote_PO-2026-0193_1",
        "supplier_id": "sup_412",
        "supplier_name": "Nordholz Industrial",
        "order_ref": "PO-2026-0193",
        "price": {"amount": "38000.00", "currency": "EUR"},
        "valid_until": "2026-07-21T12:00:00+00:00",
        "allocated": True,
    }
    (held,) = suppliers.get("/allocations").json()["allocations"]
    assert (held["order_ref"], held["quantity"]) == ("PO-2026-0193", 40)


def test_a_quote_can_be_read_again_by_supplier_and_order_alone(suppliers: httpx.Client) -> None:
    first = suppliers.post("/quotes", json=ORDER).json()
    assert suppliers.post("/quotes", json=AGAIN).json() == first


def test_the_listed_price_counts_only_once(suppliers: httpx.Client) -> None:
    price_now(suppliers, ORDER)
    listed = {"amount": "1.00", "currency": "EUR"}
    assert price_now(suppliers, ORDER | {"listed": listed}) == ORDER["listed"]


@pytest.mark.parametrize(
    ("listed", "currency", "factor", "moved"),
    [
        ("38000.00", "EUR", "1.05", "39900.00"),
        ("38000", "EUR", "1.02", "38760.00"),
        ("0.10", "EUR", "1.05", "0.11"),
        ("5800", "JPY", "1.0201", "5917"),
        ("1.234", "KWD", "1.5", "1.851"),
    ],
)
def test_a_price_moves_by_a_factor_and_keeps_its_currencys_decimals(
    suppliers: httpx.Client, listed: str, currency: str, factor: str, moved: str
) -> None:
    price_now(suppliers, ORDER | {"listed": {"amount": listed, "currency": currency}})
    suppliers.post("/_move", json={"order_ref": "PO-2026-0193", "factor": factor}).raise_for_status()
    assert price_now(suppliers) == {"amount": moved, "currency": currency}


def test_a_price_moves_to_a_price_even_in_another_currency_under_a_new_quote(suppliers: httpx.Client) -> None:
    price_now(suppliers, ORDER)
    moved = {"amount": "41000.00", "currency": "USD"}
    suppliers.post("/_move", json={"order_ref": "PO-2026-0193", "price": moved}).raise_for_status()
    quote = suppliers.post("/quotes", json=AGAIN).json()
    assert (quote["price"], quote["quote_id"]) == (moved, "quote_PO-2026-0193_2")


def test_goods_that_sell_out_are_lost_and_can_come_back(suppliers: httpx.Client) -> None:
    price_now(suppliers, ORDER)
    suppliers.post("/_move", json={"order_ref": "PO-2026-0193", "sold_out": True}).raise_for_status()
    assert refusal(suppliers.post("/quotes", json=AGAIN)) == (409, "sold_out", "item")
    assert suppliers.get("/allocations").json() == {"allocations": []}
    suppliers.post("/_move", json={"order_ref": "PO-2026-0193", "sold_out": False}).raise_for_status()
    assert price_now(suppliers) == ORDER["listed"]


def test_suppliers_that_are_down_neither_quote_nor_release(suppliers: httpx.Client) -> None:
    price_now(suppliers, ORDER)
    suppliers.post("/_move", json={"down": True}).raise_for_status()
    assert refusal(suppliers.post("/quotes", json=AGAIN)) == (503, "unavailable", "service")
    assert refusal(release(suppliers)) == (503, "unavailable", "service")
    suppliers.post("/_move", json={"down": False}).raise_for_status()
    assert price_now(suppliers) == ORDER["listed"]


def test_releasing_twice_with_one_key_answers_the_same_and_releases_once(suppliers: httpx.Client) -> None:
    price_now(suppliers, ORDER)
    first = release(suppliers)
    assert first.json() == {"order_ref": "PO-2026-0193", "released": True}
    assert suppliers.get("/allocations").json() == {"allocations": []}
    price_now(suppliers)  # asks for the goods anew
    assert release(suppliers).json() == first.json()
    assert len(suppliers.get("/allocations").json()["allocations"]) == 1
    release(suppliers, key="k2").raise_for_status()
    assert suppliers.get("/allocations").json() == {"allocations": []}


def test_a_release_needs_a_key_and_a_key_belongs_to_one_order(suppliers: httpx.Client) -> None:
    price_now(suppliers, ORDER)
    price_now(suppliers, ORDER | {"order_ref": "PO-2"})
    assert refusal(suppliers.delete("/allocations/PO-2")) == (400, "invalid_request", "Idempotency-Key")
    release(suppliers).raise_for_status()
    assert refusal(release(suppliers, "PO-2")) == (409, "conflict", "Idempotency-Key")
    assert refusal(release(suppliers, "PO-9", "k9")) == (404, "not_found", "order_ref")


def test_an_order_belongs_to_the_supplier_that_quoted_it(suppliers: httpx.Client) -> None:
    price_now(suppliers, ORDER)
    answer = suppliers.post("/quotes", json=ORDER | {"supplier_id": "sup_9"})
    assert refusal(answer) == (409, "conflict", "supplier_id")


def test_only_a_supplier_called_unknown_is_unknown(suppliers: httpx.Client) -> None:
    answer = suppliers.post("/quotes", json=ORDER | {"supplier_id": "unknown_7"})
    assert refusal(answer) == (404, "not_found", "supplier_id")
    nameless = suppliers.post("/quotes", json=ORDER | {"supplier_id": "sup_7"}).json()
    assert nameless["supplier_name"] == "sup_7"


@pytest.mark.parametrize(
    ("changed", "field"),
    [
        ({"quantity": 0}, "quantity"),
        ({"quantity": "40"}, "quantity"),
        ({"item": " "}, "item"),
        ({"order_ref": 193}, "order_ref"),
        ({"listed": {"amount": 38000.0, "currency": "EUR"}}, "listed.amount"),
        ({"listed": {"amount": "38,000.00", "currency": "EUR"}}, "listed.amount"),
        ({"listed": {"amount": "38000.00", "currency": "XXX"}}, "listed.currency"),
        ({"colour": "red"}, "colour"),
    ],
)
def test_a_bad_request_for_a_quote_is_refused_whole_with_the_field_named(
    suppliers: httpx.Client, changed: dict[str, Any], field: str
) -> None:
    assert refusal(suppliers.post("/quotes", json=ORDER | changed)) == (400, "invalid_request", field)
    assert suppliers.get("/allocations").json() == {"allocations": []}


def test_a_first_quote_needs_the_whole_order(suppliers: httpx.Client) -> None:
    assert refusal(suppliers.post("/quotes", json=AGAIN)) == (400, "invalid_request", "item")


@pytest.mark.parametrize(
    ("move", "field"),
    [
        ({"order_ref": "PO-2026-0193"}, "body"),
        ({"order_ref": "PO-2026-0193", "factor": 1.05}, "factor"),
        ({"order_ref": "PO-2026-0193", "factor": "-1"}, "factor"),
        ({"order_ref": "PO-2026-0193", "factor": "1.05", "sold_out": True}, "body"),
        ({"order_ref": "PO-2026-0193", "price": {"amount": "x", "currency": "EUR"}}, "price.amount"),
        ({"order_ref": "PO-2026-0193", "sold_out": "false"}, "sold_out"),
        ({"down": "false"}, "down"),
    ],
)
def test_a_move_that_is_not_understood_moves_nothing(suppliers: httpx.Client, move: Any, field: str) -> None:
    price_now(suppliers, ORDER)
    assert refusal(suppliers.post("/_move", json=move)) == (400, "invalid_request", field)
    assert price_now(suppliers) == ORDER["listed"]


def test_a_move_of_an_order_without_a_quote_is_not_found(suppliers: httpx.Client) -> None:
    answer = suppliers.post("/_move", json={"order_ref": "PO-9", "factor": "1.05"})
    assert refusal(answer) == (404, "not_found", "order_ref")


def test_offers_and_releases_outlive_the_process(tmp_path: Path) -> None:
    journal = tmp_path / "suppliers.jsonl"
    before = open_suppliers(journal)
    before.quote(ORDER)
    before.quote(ORDER | {"order_ref": "PO-2"})
    before.move({"order_ref": "PO-2026-0193", "factor": "1.05"})
    before.release("PO-2", "k1")
    after = open_suppliers(journal)
    assert after.allocations() == before.allocations()
    assert after.quote(AGAIN)["price"] == {"amount": "39900.00", "currency": "EUR"}
    after.quote({"supplier_id": "sup_412", "order_ref": "PO-2"})
    after.release("PO-2", "k1")
    assert [held["order_ref"] for held in after.allocations()] == ["PO-2026-0193", "PO-2"]


def test_many_first_quotes_at_once_set_the_goods_aside_once(suppliers: httpx.Client) -> None:
    with ThreadPoolExecutor(10) as crowd:
        quotes = list(crowd.map(lambda _: suppliers.post("/quotes", json=ORDER).json(), range(10)))
    assert all(quote == quotes[0] for quote in quotes)
    assert len(suppliers.get("/allocations").json()["allocations"]) == 1
