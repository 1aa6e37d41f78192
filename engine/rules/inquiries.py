"""How a reply on record names its inquiry: "to inquiry 2: Yes, until May.". Pure.

The one rule: an inquiry's number is its place among those of its pause, from 1, and never changes.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any, Final

from engine.models.pauses import Inquiry

WORDS_MOST: Final = 1_000
"""How many characters an inquiry has at most, and a reply; whoever takes one from outside sees to it."""

_MARKED: Final = re.compile(r"to inquiry ([0-9]+): (.*)", re.DOTALL)


def mark(n: int) -> str:
    """What stands before the reply to this inquiry, on record."""
    return f"to inquiry {n}: "


def words(detail: str) -> str:
    """The reply itself, of what is on record for it."""
    found = _MARKED.fullmatch(detail)
    return found[2] if found else detail


def read(said: Iterable[Mapping[str, Any]]) -> tuple[Inquiry, ...]:
    """The inquiries of a pause in order, each with its reply; `said` are their events: event, person, name, at, surface, detail."""
    asked: dict[int, Inquiry] = {}
    for one in said:
        at = datetime.fromisoformat(one["at"])
        if one["event"] == "ask_back":
            n = len(asked) + 1
            asked[n] = Inquiry(
                n=n, person=one["person"], name=one["name"] or one["person"], at=at, surface=one["surface"], text=one["detail"]
            )  # fmt: skip
        elif (found := _MARKED.fullmatch(one["detail"])) and (n := int(found[1])) in asked:
            asked[n] = replace(asked[n], reply=found[2], replied_at=at, replied_in=one["surface"])
    return tuple(asked.values())
