"""The suppliers beyond our process: they quote a price, set the goods aside, and may change their mind meanwhile.

Mounted at `/suppliers`. The first quote for an order fixes its price at the listed one and allocates the stock; reading
it again gives the present price, which a test or the demo can move. State is what the journal says. Paths that begin
with `_` are the test surface.
"""

import re
import threading
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime, timedelta
from decimal import ROUND_HALF_UP, Decimal
from http import HTTPStatus
from typing import Any

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

from bot.sandbox.journal import Journal
from bot.sandbox.wire import Json, Refused, object_with, read_json, refused, text_in
from engine.rules.money import Money, MoneyError

QUOTE_VALID_FOR = timedelta(days=5)

_FIRST_QUOTE = {"supplier_id", "order_ref", "item", "quantity", "listed"}
_READ_AGAIN = {"supplier_id", "order_ref"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Offer:
    """What a supplier offers for one order at present; `revision` counts the prices it has had."""

    supplier_id: str
    order_ref: str
    item: str
    quantity: int
    price: Json
    revision: int = 1
    allocated: bool = True
    sold_out: bool = False


class Suppliers:
    """All suppliers at once. `names` says what each is called; one that is not in it goes by its id."""

    def __init__(
        self,
        journal: Journal,
        *,
        names: Mapping[str, str] | None = None,
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self._journal = journal
        self._names = names or {}
        self._clock = clock
        self._offers: dict[str, Offer] = {}
        self._released: dict[str, str] = {}
        self._down = False
        self._lock = threading.RLock()
        for event in journal.replay():
            self._apply(event)

    def quote(self, document: Any) -> Json:
        """The present price for an order, with the goods set aside; Refused says why there is none."""
        given = object_with(document, required=_READ_AGAIN, optional=_FIRST_QUOTE)
        supplier_id, order_ref = text_in(given, "supplier_id"), text_in(given, "order_ref")
        with self._lock:
            self._check_open()
            if supplier_id.startswith("unknown"):
                raise _not_found("supplier_id", f"no supplier is called {supplier_id}.")
            offer = self._offers.get(order_ref) or _first_offer(given)
            if offer.supplier_id != supplier_id:
                message = f"{order_ref} was quoted by {offer.supplier_id}; release that allocation first."
                raise Refused("supplier_id", message, status=HTTPStatus.CONFLICT, kind="conflict")
            if offer.sold_out:
                message = f"{self._name(supplier_id)} has sold out of {offer.item} and cannot supply {order_ref}."
                raise Refused("item", message, status=HTTPStatus.CONFLICT, kind="sold_out")
            offer = replace(offer, allocated=True)
            if offer != self._offers.get(order_ref):
                self._record({"offer": asdict(offer)})
        return {
            "quote_id": f"quote_{order_ref}_{offer.revision}",
            "supplier_id": supplier_id,
            "supplier_name": self._name(supplier_id),
            "order_ref": order_ref,
            "price": offer.price,
            "valid_until": (self._clock() + QUOTE_VALID_FOR).isoformat(timespec="seconds"),
            "allocated": True,
        }

    def release(self, order_ref: str, key: str | None) -> Json:
        """Give the goods of an order back; the same key again is answered the same and releases nothing more."""
        if not key:
            raise Refused("Idempotency-Key", "send this header, so that a repeat can be told from a second release.")
        with self._lock:
            self._check_open()
            if order_ref not in self._offers:
                raise _not_found("order_ref", f"nothing was ever allocated to {order_ref}.")
            if key not in self._released:
                self._record({"released": order_ref, "key": key})
            elif self._released[key] != order_ref:
                message = f"this key released {self._released[key]}; use another for {order_ref}."
                raise Refused("Idempotency-Key", message, status=HTTPStatus.CONFLICT, kind="conflict")
        return {"order_ref": order_ref, "released": True}

    def allocations(self) -> list[Json]:
        """What is set aside at present, in the order in which it was first quoted."""
        with self._lock:
            held = [offer for offer in self._offers.values() if offer.allocated]
        return [
            {
                "order_ref": offer.order_ref,
                "supplier_id": offer.supplier_id,
                "item": offer.item,
                "quantity": offer.quantity,
                "price": offer.price,
            }
            for offer in held
        ]

    def move(self, document: Any) -> Json:
        """Change the world: an order's price by a factor or to a price, its stock to sold out, or all suppliers down."""
        if isinstance(document, dict) and document.keys() == {"down"}:
            self._record({"down": _truth(document, "down")})
            return {"down": self._down}
        given = object_with(document, required={"order_ref"}, optional={"factor", "price", "sold_out"})
        if len(given) != 2:
            raise Refused("body", "give an order_ref and one of factor, price and sold_out.")
        with self._lock:
            offer = self._offers.get(text_in(given, "order_ref"))
            if offer is None:
                raise _not_found("order_ref", f"{given['order_ref']} has no quote yet.")
            moved = _moved(offer, given)
            self._record({"offer": asdict(moved)})
        return {"order_ref": moved.order_ref, "price": moved.price, "sold_out": moved.sold_out}

    def _name(self, supplier_id: str) -> str:
        return self._names.get(supplier_id, supplier_id)

    def _check_open(self) -> None:
        if self._down:
            message = "the suppliers' system is down; try again later."
            raise Refused("service", message, status=HTTPStatus.SERVICE_UNAVAILABLE, kind="unavailable")

    def _record(self, event: Json) -> None:
        with self._lock:
            self._journal.append(event)
            self._apply(event)

    def _apply(self, event: Mapping[str, Any]) -> None:
        """The only place where the state changes: for an event that happens, and for one read back from the journal."""
        match event:
            case {"offer": offer}:
                self._offers[offer["order_ref"]] = Offer(**offer)
            case {"released": order_ref, "key": key}:
                self._released[key] = order_ref
                self._offers[order_ref] = replace(self._offers[order_ref], allocated=False)
            case {"down": down}:
                self._down = down
            case _:
                raise ValueError(f"the suppliers' journal has a line it does not know: {event!r}")


def suppliers_app(suppliers: Suppliers) -> Starlette:
    """The suppliers' HTTP API and the surface that moves their prices."""

    async def quote(request: Request) -> JSONResponse:
        return JSONResponse(await run_in_threadpool(suppliers.quote, await read_json(request)))

    def release(request: Request) -> JSONResponse:
        order_ref, key = request.path_params["order_ref"], request.headers.get("idempotency-key")
        return JSONResponse(suppliers.release(order_ref, key))

    def allocations(_request: Request) -> JSONResponse:
        return JSONResponse({"allocations": suppliers.allocations()})

    async def move(request: Request) -> JSONResponse:
        return JSONResponse(await run_in_threadpool(suppliers.move, await read_json(request)))

    return Starlette(
        routes=[
            Route("/quotes", quote, methods=["POST"]),
            Route("/allocations/{order_ref}", release, methods=["DELETE"]),
            Route("/allocations", allocations, methods=["GET"]),
            Route("/_move", move, methods=["POST"]),
        ],
        exception_handlers={Refused: refused},
    )


def _first_offer(given: Json) -> Offer:
    given = object_with(given, required=_FIRST_QUOTE)
    quantity = given["quantity"]
    if type(quantity) is not int or quantity < 1:
        raise Refused("quantity", "a whole number from 1.")
    return Offer(
        supplier_id=given["supplier_id"],
        order_ref=given["order_ref"],
        item=text_in(given, "item"),
        quantity=quantity,
        price=_price("listed", given["listed"]).to_document(),
    )


def _moved(offer: Offer, given: Json) -> Offer:
    if "sold_out" in given:
        sold_out = _truth(given, "sold_out")
        return replace(offer, sold_out=sold_out, allocated=offer.allocated and not sold_out)
    price = _price("price", given["price"]) if "price" in given else _times(offer.price, given["factor"])
    return replace(offer, price=price.to_document(), revision=offer.revision + 1)


def _truth(given: Json, field: str) -> bool:
    value = given[field]
    if not isinstance(value, bool):
        raise Refused(field, "write true or false.")
    return value


def _times(price: Json, factor: Any) -> Money:
    """The price times the factor, rounded half up to the currency's smallest unit."""
    if not isinstance(factor, str) or not re.fullmatch(r"[0-9]{1,3}(\.[0-9]{1,6})?", factor):
        raise Refused("factor", 'a decimal number below 1000 as text, as in "1.05".')
    now = Money.from_document(price)
    return Money(int((now.minor * Decimal(factor)).to_integral_value(ROUND_HALF_UP)), now.currency)


def _not_found(field: str, message: str) -> Refused:
    return Refused(field, message, status=HTTPStatus.NOT_FOUND, kind="not_found")


def _price(field: str, document: Any) -> Money:
    try:
        return Money.from_document(document)
    except MoneyError as error:
        raise Refused(f"{field}.{error.field}", error.why) from None
