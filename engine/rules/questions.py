"""How an answer on record names its question: "to question 2: Yes, until May.". Pure.

The one rule: a question's number is its place among those of its pause, from 1, and never changes.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any, Final

from engine.models.pauses import Question

WORDS_MOST: Final = 1_000
"""How many characters a question has at most, and an answer; whoever takes one from outside sees to it."""

_MARKED: Final = re.compile(r"to question ([0-9]+): (.*)", re.DOTALL)


def mark(n: int) -> str:
    """What stands before the answer to this question, on record."""
    return f"to question {n}: "


def words(detail: str) -> str:
    """The answer itself, of what is on record for it."""
    found = _MARKED.fullmatch(detail)
    return found[2] if found else detail


def read(said: Iterable[Mapping[str, Any]]) -> tuple[Question, ...]:
    """The questions of a pause in order, each with its answer; `said` are their events: event, person, name, at, surface, detail."""
    asked: dict[int, Question] = {}
    for one in said:
        at = datetime.fromisoformat(one["at"])
        if one["event"] == "ask":
            n = len(asked) + 1
            asked[n] = Question(
                n=n, person=one["person"], name=one["name"] or one["person"], at=at, surface=one["surface"], text=one["detail"]
            )  # fmt: skip
        elif (found := _MARKED.fullmatch(one["detail"])) and (n := int(found[1])) in asked:
            asked[n] = replace(asked[n], answer=found[2], answered_at=at, answered_in=one["surface"])
    return tuple(asked.values())
