"""What a tool returned, as it is stored, as the model is given it, and a value as a person reads it.

The one rule: whatever an author's tool returns, what came of a call can be recorded; a price that is no number is never passed on.
"""

import json
from dataclasses import asdict, is_dataclass
from typing import Any, Final

from pydantic import BaseModel

from engine.rules import digest, turn
from engine.rules.money import Money, format_money

LONGEST_RESULT: Final = 100_000
"""Characters of a tool's result that the model is given; more is cut with a visible mark."""

SHORTEST_SECRET: Final = 8
"""Characters; what is shorter is no secret, and might be part of any word."""


class Unwritable(Exception):
    """A result that JSON cannot hold; the message is for the model."""


def plain(value: Any) -> Any:
    """The value as JSON that can be stored and sent. Raises Unwritable for NaN, infinity, a circle, or an object that has no text."""
    try:
        return turn.storable(json.loads(json.dumps(value, allow_nan=False, default=_plain)))
    except Exception as error:
        raise Unwritable(f"The tool's result cannot be written down: {type(error).__name__}: {error}.") from error


def result_text(value: Any) -> str:
    """A tool's result as the model is given it: never empty, never too long. Raises Unwritable as `plain` does."""
    kept = plain(value)
    text = kept if isinstance(kept, str) else "" if kept is None else json.dumps(kept, ensure_ascii=False)
    if len(text) > LONGEST_RESULT:
        text = f"{text[:LONGEST_RESULT]}\n[cut here: {len(text) - LONGEST_RESULT} more characters]"
    return text if text.strip() else "(no result)"


def without(secret: str, value: Any) -> Any:
    """A JSON value, or text, in which this secret is nowhere: a provider or a tool may say it back, and what they say is stored."""
    match value:
        case _ if len(secret) < SHORTEST_SECRET:
            return value
        case str():
            return value.replace(secret, "[credential]")
        case list():
            return [without(secret, one) for one in value]
        case dict():
            return {without(secret, name): without(secret, one) for name, one in value.items()}
        case _:
            return value


def shown(value: Any) -> str:
    """An argument as an approver reads it: money with its currency, text as it is, anything else as JSON."""
    if isinstance(value, Money):
        return format_money(value)
    return digest.visible(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=_plain))


def _plain(value: Any) -> Any:
    match value:
        case Money():
            return value.to_document()
        case BaseModel():
            return value.model_dump(mode="json")
        case bytes():
            return value.decode(errors="replace")
        case _ if is_dataclass(value) and not isinstance(value, type):
            return asdict(value)
        case _:
            return str(value)
