"""Typed confirmation: what an approver must type, beside the click, so that nobody says yes to an amount or an account unread.

The one rule: what must be typed is worked out once, when it is asked, and stored with what is asked. Case does not count, nor blanks around it,
nor how thousands are grouped, as long as they are: what could be another amount ("38,00") is not taken for this one.
"""

import re
from collections.abc import Mapping
from typing import Any, Final

from engine.models import Confirmation
from engine.rules.money import Money, MoneyError, exponent, parse

AMOUNT: Final = "amount"
LAST: Final = 4
"""So many letters and digits of an account tell it from others, and are typed without copying."""

_GROUPED: Final = re.compile(r"[0-9]{1,3}(?P<mark>[\s,'\u2019])[0-9]{3}(?:(?P=mark)[0-9]{3})*(?P<decimals>\.[0-9]+)?")
"""An amount in groups of three, all with the same mark between them."""


def asked(of: str, amount: Money | None, arguments: Mapping[str, Any]) -> Confirmation | None:
    """What must be typed of the amount, or of the argument `of`; None if the call does not have it."""
    if of == AMOUNT:
        return Confirmation(of=of, typed=amount.decimal()) if amount else None
    value = arguments.get(of)
    letters = _letters(str(value)) if isinstance(value, str | int) and not isinstance(value, bool) else ""
    return Confirmation(of=of, typed=letters[-LAST:]) if letters else None


def read(confirm: Confirmation, text: str, currency: str) -> str:
    """What somebody typed, as it is compared with `confirm.typed`; what cannot be read is given back as it is, and is not equal."""
    if confirm.of != AMOUNT:
        return _letters(text)
    bare = re.sub(rf"^\s*{currency}|{currency}\s*$", "", text, count=1, flags=re.IGNORECASE).strip()
    try:
        return parse(_ungrouped(bare, currency), currency).decimal()
    except MoneyError:
        return text


def what(confirm: Confirmation) -> str:
    """What is to be typed: "the amount", "the last 4 letters or digits of the payment method"."""
    if confirm.of == AMOUNT:
        return "the amount"
    count = len(confirm.typed)
    last = f"last {count} letters or digits" if count > 1 else "last letter or digit"
    return f"the {last} of the {confirm.of.replace('_', ' ')}"


def _ungrouped(text: str, currency: str) -> str:
    """The amount without its marks; as it is, if they are not those of thousands or could stand before decimals."""
    found = _GROUPED.fullmatch(text)
    if found is None:
        return text
    mark, decimals = found["mark"], found["decimals"]
    is_decimal_too = mark == "," and not decimals and text.count(mark) == 1 and exponent(currency) > 2
    return text if is_decimal_too else text.replace(mark, "")


def _letters(text: str) -> str:
    return "".join(re.findall(r"[^\W_]", text)).casefold()
