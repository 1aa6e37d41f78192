"""From a row of an orders file to an order: our own columns, or an award as governments publish it (Open Contracting Data Standard).

A row is an award if it has an `award` or an `ocid` and no `order_ref`. The one rule: what cannot be read exactly is refused with its field, and never becomes a payment. A missing title is no reason to refuse;
a missing amount, currency, payee or reference is.
"""

import unicodedata
from collections.abc import Mapping
from decimal import Decimal
from typing import Any, Final

from engine import Money, Order, Refused
from engine.rules.money import MoneyError, parse

_IN_AWARDS: Final = {"order_ref": ("award",), "supplier_id": ("supplier_id", "supplier"), "item": ("title",)}
"""Where an award has what our own columns say. Its payee may be known by name alone; in an order of our own a name is no id."""

_LONGEST: Final = {"order_ref": 200, "supplier_id": 300, "item": 400, "payment_method": 60}
_NOTHING: Final = {"none", "null", "nan", "n/a"}
"""What a program writes where it had no value: such a text names nothing."""

_LOST: Final = "\N{REPLACEMENT CHARACTER}"


def read(row: Mapping[str, Any]) -> Order:
    """The order of a row. Raises Refused naming the field, and with its reference if that can be read."""
    ref = _ref(row)
    try:
        return _order(row, ref)
    except Refused as refused:
        raise Refused(refused.field, refused.why, ref) from refused


def _order(row: Mapping[str, Any], ref: str) -> Order:
    supplier_id = _text(row, "supplier_id", required=True)
    amount = _amount(row)
    arguments = {
        "supplier_id": supplier_id,
        "amount": amount.to_document(),
        "order_ref": ref,
        "payment_method": _text(row, "payment_method") or "pm_invoice",
        "item": _text(row, "item") or "(no title)",
        "quantity": _quantity(row),
    }
    lines = [
        "Buy this order.",
        f"order_ref: {ref}",
        f"supplier_id: {supplier_id}",
        f"supplier: {_plain(row.get('supplier')) or supplier_id}",
        f"item: {arguments['item']}",
        f"quantity: {arguments['quantity']}",
        f"amount: {amount.decimal()}",
        f"currency: {amount.currency}",
        f"payment_method: {arguments['payment_method']}",
    ]
    return Order(ref=ref, text="\n".join(lines), tool="charge_supplier", arguments=arguments)


def _is_award(row: Mapping[str, Any]) -> bool:
    return "order_ref" not in row and ("award" in row or "ocid" in row)


def _ref(row: Mapping[str, Any]) -> str:
    """Our own reference; an award's needs its publisher and process too: the standard makes its id unique only within an `ocid`."""
    ref = _text(row, "order_ref", required=True)
    within = (_plain(row.get("publisher")).replace("/", "-"), _plain(row.get("ocid")))
    return "-".join(part for part in (*within, ref) if part)


def _amount(row: Mapping[str, Any]) -> Money:
    amount, currency = row.get("amount"), row.get("currency")
    if amount is None or amount == "":
        raise Refused("amount", "it is missing. Write what is to be paid, as in 38000.00.")
    if not isinstance(amount, str | int | Decimal) or isinstance(amount, bool):
        raise Refused("amount", "it is no number. Write what is to be paid, as in 38000.00.")
    if not isinstance(currency, str) or not currency.strip():
        raise Refused("currency", "it is missing. Write an ISO 4217 code, as in EUR.")
    try:
        money = parse(amount.strip() if isinstance(amount, str) else amount, currency.strip())
    except MoneyError as error:
        raise Refused(error.field, error.why) from error
    if money.minor == 0:
        raise Refused("amount", "it is zero: there is nothing to pay.")
    return money


def _quantity(row: Mapping[str, Any]) -> int:
    given = row.get("quantity")
    if given is None or given == "":
        return 1
    if (
        isinstance(given, bool)
        or not str(given).isascii()
        or not str(given).isdigit()
        or not 0 < int(str(given)) <= 1_000_000
    ):
        raise Refused("quantity", "it is no whole number from 1 to 1000000.")
    return int(str(given))


def _text(row: Mapping[str, Any], field: str, *, required: bool = False) -> str:
    names = _IN_AWARDS.get(field, (field,)) if _is_award(row) else (field,)
    found = next((row[name] for name in names if row.get(name) not in (None, "")), "")
    if not isinstance(found, str):
        raise Refused(field, "it is not text.")
    text = _plain(found)
    if text.casefold() in _NOTHING:
        text = ""
    if required and not text:
        raise Refused(field, f"it is missing. Give {' or '.join(names)}.")
    if required and _LOST in text:
        raise Refused(field, "characters of it were lost before it came here, shown as U+FFFD. Write it in full.")
    if len(text) > _LONGEST[field]:
        if required:
            raise Refused(field, f"it is longer than {_LONGEST[field]} characters.")
        text = f"{text[: _LONGEST[field] - 1]}…"
    return text


def _plain(value: Any) -> str:
    """One line of text, in one Unicode form, so that the same payee is the same everywhere."""
    return " ".join(unicodedata.normalize("NFC", value).split()) if isinstance(value, str) else ""
