"""The suppliers' service: present prices, and what was set aside for an order. Short time limits; a price that cannot be had is said so."""

import csv
import os
import ssl
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Any

import httpx

from engine import Money, ProviderRefused, Quote, QuoteUnavailable


def quote(supplier_id: str, order_ref: str, *, item: str, quantity: int, listed: Money) -> dict[str, Any]:
    """A quote for an order, as the model is told it. Raises QuoteUnavailable."""
    asked = {
        "supplier_id": supplier_id,
        "order_ref": order_ref,
        "item": item,
        "quantity": quantity,
        "listed": listed.to_document(),
    }
    return _quote(asked)


def present_quote(supplier_id: str, order_ref: str) -> Quote:
    """The price of an order now. Raises QuoteUnavailable: sold out, no such quote, or no answer."""
    found = _quote({"supplier_id": supplier_id, "order_ref": order_ref})
    return Quote(
        price=Money.from_document(found["price"]),
        valid_until=datetime.fromisoformat(found["valid_until"]),
        reference=found["quote_id"],
    )


def release(supplier_id: str, order_ref: str, *, key: str) -> dict[str, Any]:
    """Give back what was set aside. Raises ProviderRefused when there surely was nothing to give back."""
    with _client() as client:
        answer = client.delete(f"/allocations/{order_ref}", headers={"Idempotency-Key": key})
    if answer.status_code in (400, 404, 409):
        raise ProviderRefused(answer.json()["error"]["message"])
    answer.raise_for_status()
    return {"released": True, "supplier_id": supplier_id, "order_ref": order_ref}


def released(order_ref: str) -> dict[str, Any] | None:
    """Whether it was given back; None if it is still set aside."""
    with _client() as client:
        answer = client.get("/allocations").raise_for_status().json()
    held = [a for a in answer["allocations"] if a["order_ref"] == order_ref and not a.get("released")]
    return None if held else {"released": True, "order_ref": order_ref}


@cache
def _names() -> dict[str, str]:
    with (Path(__file__).parent / "orders.csv").open(encoding="utf-8", newline="") as file:
        return {row["supplier_id"]: row["supplier"] for row in csv.DictReader(file)}


def name_of(supplier_id: str) -> str:
    """The supplier's name from our own books, never from the model; the id itself for one that is not in them."""
    return _names().get(supplier_id, supplier_id)


def _quote(asked: dict[str, Any]) -> dict[str, Any]:
    try:
        with _client() as client:
            answer = client.post("/quotes", json=asked)
        if answer.is_error:
            raise QuoteUnavailable(answer.json()["error"]["message"])
        found: dict[str, Any] = answer.json()
    except (httpx.HTTPError, ValueError) as error:
        raise QuoteUnavailable(f"The suppliers' service did not answer: {type(error).__name__}.") from error
    return found


def _client() -> httpx.Client:
    again = httpx.HTTPTransport(
        verify=_trusted(), retries=3
    )  # of connecting: while they restart is no reason to ask a person again
    address = os.environ.get("SUPPLIERS_URL", "http://127.0.0.1:8090/suppliers")
    return httpx.Client(base_url=address, timeout=5, transport=again)


@cache
def _trusted() -> ssl.SSLContext:
    """Whose certificates are believed: read once, since it takes as long as a hundred requests."""
    return httpx.create_ssl_context()
