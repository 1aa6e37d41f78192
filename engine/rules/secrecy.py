"""Arguments that a tool's author declared secret: kept in the rows for the call, and hidden from whoever reads.

The one rule: what is done is done with the value itself, and what is read has its mark. A mark tells two values apart, and whoever knows a
value knows its mark; of a value short enough to be guessed it says nothing but that it is one. Text that names a value by chance, an agent's
reason or a provider's answer, has the mark in its place too, from `SHORTEST` characters on: what is shorter might be part of any word.
"""

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from engine.rules.digest import canonical

HIDDEN: Final = "⟨secret, hidden⟩"
"""What stands in place of a secret of which nothing is said."""

SHORTEST: Final = 8
"""Characters from which a secret is looked for in other texts."""

_TOLD_FROM: Final = 16
"""Characters from which a mark says how long it is and how its SHA-256 begins: sixteen bits of what nobody guesses are of no use."""


def mark(value: Any) -> str:
    """What stands in place of a secret: "⟨secret, hidden: 24 characters, sha 9f3c⟩", of `printf %s VALUE | sha256sum`; of a short one less."""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    if len(text) < _TOLD_FROM:
        return HIDDEN
    begins = hashlib.sha256(text.encode(errors="surrogatepass")).hexdigest()[:4]
    return f"{HIDDEN[:-1]}: {len(text):,} characters, sha {begins}{HIDDEN[-1]}"


def masked(arguments: Mapping[str, Any], names: Sequence[str]) -> dict[str, Any]:
    """The arguments as they may be read: a mark in place of each of these that is given, and wherever another one says it."""
    found, hidden = values(arguments, names), _given(arguments, names)
    return {name: mark(value) if name in hidden else without(found, value) for name, value in arguments.items()}


def values(arguments: Mapping[str, Any], names: Sequence[str]) -> tuple[str, ...]:
    """The secrets among the arguments that other texts are searched for."""
    found = [arguments[name] for name in _given(arguments, names)]
    return tuple(value for value in found if isinstance(value, str) and len(value) >= SHORTEST)


def without(values: Sequence[str], value: Any) -> Any:
    """A JSON value, or text, in which each of these secrets has its mark in its place, also where it stands in text that is itself JSON."""
    match value:
        case _ if not values:
            return value
        case str():
            for secret in sorted(values, key=len, reverse=True):
                for written in dict.fromkeys((secret, _inside(secret, plain=True), _inside(secret, plain=False))):
                    value = value.replace(written, mark(secret))
            return value
        case list() | tuple():
            return [without(values, one) for one in value]
        case dict():
            return {without(values, name): without(values, one) for name, one in value.items()}
        case _:
            return value


def _given(arguments: Mapping[str, Any], names: Sequence[str]) -> list[str]:
    return [name for name in names if arguments.get(name) not in (None, "")]


def _inside(secret: str, *, plain: bool) -> str:
    """As it stands in JSON."""
    return json.dumps(secret, ensure_ascii=not plain)[1:-1]


def document(text: str) -> str:
    """What a request holds, as canonical text, with a mark in place of each of its secrets; the same text if it has none, or is no document any more."""
    try:
        held = json.loads(text)
        names, action = held["secrets"], held["proposed_action"]
        shown = {**action, "arguments": masked(action["arguments"], names)}
        return canonical(without(values(action["arguments"], names), held | {"proposed_action": shown}))
    except (ValueError, KeyError, TypeError, AttributeError):
        return text


def of_calls(calls: Iterable[Mapping[str, Any]] | None) -> tuple[str, ...]:
    """The secrets of calls, as `kept_secret` has them; None: there are none."""
    return tuple(one for call in calls or () for one in values(call["arguments"], call["secrets"]))


def run(row: Mapping[str, Any]) -> dict[str, Any]:
    """A run's row, or a line of it, as it may be read: what its calls keep secret (`kept_secret`) is in none of its texts.

    `called` are the ids of the calls that are on record: what a reply asked for and was cut off is none, so nobody can say what of it is secret.
    """
    held = row["kept_secret"] or ()
    found = of_calls(held)
    shown = {name: value for name, value in row.items() if name not in ("kept_secret", "called", "messages")}
    shown |= {name: without(found, shown[name]) for name in ("input", "result", "error")}
    if "messages" in row:
        inputs = {call["id"]: masked(call["arguments"], call["secrets"]) for call in held}
        shown["messages"] = [_message(found, one, inputs, set(row["called"])) for one in row["messages"]]
    return shown


def _message(found: Sequence[str], message: Any, inputs: Mapping[str, Any], called: set[str]) -> Any:
    """A message in which the inputs of calls are as these, and those of no call on record are hidden whole."""
    if isinstance(message.get("content"), list):
        message = {**message, "content": [_block(block, inputs, called) for block in message["content"]]}
    return without(found, message)


def _block(block: Any, inputs: Mapping[str, Any], called: set[str]) -> Any:
    if not isinstance(block, dict) or block.get("type") != "tool_use":
        return block
    given = block.get("input")
    if block.get("id") in called:
        return {**block, "input": inputs.get(block["id"], given)}
    return {**block, "input": dict.fromkeys(given, HIDDEN) if isinstance(given, dict) else HIDDEN}
