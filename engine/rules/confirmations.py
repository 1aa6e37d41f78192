"""Typed confirmation: what an approver must type, beside the click, so that nobody says yes to an amount or an account unread.

The one rule: what must be typed is worked out once, when it is asked, and stored with what is asked. Blanks, grouping and case do not count.
"""

import re
from collections.abc import Mapping
from typing import Any, Final

from engine.models import Confirmation
from engine.rules.money import Money, MoneyError, parse

AMOUNT: Final = "amount"
LAST: Final = 4
"""So many letters and digits of an account tell it from others, and are typed without copying."""


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
    bare = re.sub(rf"[\s,']|{currency}", "", text, flags=re.IGNORECASE)
    try:
        return parse(bare, currency).decimal()
    except MoneyError:
        return bare


def prompt(confirm: Confirmation) -> str:
    """What the approver is asked for, as a label: "Type the amount", "Type the last 4 characters of the payment method"."""
    if confirm.of == AMOUNT:
        return "Type the amount"
    count = len(confirm.typed)
    return (
        f"Type the last {count} letters or digits of the {confirm.of.replace('_', ' ')}"
        if count > 1
        else f"Type the last letter or digit of the {confirm.of.replace('_', ' ')}"
    )


def _letters(text: str) -> str:
    return "".join(re.findall(r"[^\W_]", text)).casefold()
