"""What makes two documents the same, and what shows that a record was altered.

Canonical text is RFC 8785 (JCS); digests are SHA-256 over a domain tag and that text, so that a digest made for one
purpose never passes for another. The one rule: what has no single exact JSON form is refused, never approximated.
Seals made with a key are not here.
"""

import hashlib
import json
import math
import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

import rfc8785

CHAIN_FIELDS = ("entity", "entity_id", "from_status", "event", "to_status", "actor", "surface", "detail", "at")
"""The fields of an event that its link covers, in order. `at` is UTC microseconds as text."""

GENESIS = "0" * 64
"""The head of a chain before its first link."""

_SAFE_INTEGER = 2**53 - 1
_DEEPEST = 64
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")
_PLAIN_TEXT: Final = json.JSONEncoder(
    ensure_ascii=False, separators=(",", ":"), sort_keys=True, check_circular=False
).encode


class DigestError(ValueError):
    """A value that has no exact canonical form; `path` names it ("arguments.lines[2].qty"), `why` is a sentence."""

    def __init__(self, path: str, why: str) -> None:
        super().__init__(f"{path or 'the document'}: {why}")
        self.path = path
        self.why = why


def canonical(value: Any) -> str:
    """The RFC 8785 text of a JSON value: equal values give equal text, and PostgreSQL's jsonb can read it.

    Raises DigestError, naming the path, for what JSON cannot hold exactly: Decimal and any type that is not JSON's;
    NaN, infinity and negative zero (RFC 8785 erratum 7920 is open on it); integers beyond 2^53 - 1, which other
    readers round (write them as strings); keys that are no strings; lone surrogates. Also for NUL, which RFC 8785
    allows and jsonb refuses, and for nesting beyond 64.
    """
    if _is_plain(value, 0):
        text = _PLAIN_TEXT(value)
        if "\\u0000" not in text and not _LONE_SURROGATE.search(text):
            return text
    _check(value, "", 0)
    return rfc8785.dumps(value).decode()


def _is_plain(value: Any, depth: int) -> bool:
    """Whether Python's own writer, ten times as fast, makes the same text: no fractions, and keys that any order of characters sorts alike."""
    kind = type(value)
    if kind is dict:
        for key in value:
            if type(key) is not str or not key.isascii():
                return False
        inner = value.values()
    elif kind is list or kind is tuple:
        inner = value
    else:
        return (
            kind is str
            or kind is bool
            or value is None
            or (kind is int and bool(-_SAFE_INTEGER <= value <= _SAFE_INTEGER))
        )
    if depth >= _DEEPEST:
        return False  # _check knows exactly how deep is too deep
    for one in inner:  # noqa: SIM110  a generator would take longer than all the rest
        if type(one) is not str and not _is_plain(one, depth + 1):
            return False
    return True


def digest(domain: str, document: Any) -> str:
    """SHA-256, in hex, over the domain tag, a NUL and the canonical document. Raises DigestError."""
    return of_canonical(domain, canonical(document))


def of_canonical(domain: str, text: str) -> str:
    """The same digest, of a document whose canonical text is at hand."""
    if not domain or "\0" in domain:
        raise ValueError("a domain tag is text without NUL")
    return _sha256(f"{domain}\0{text}")


def fingerprint(tool: str, arguments: Mapping[str, Any]) -> str:
    """What makes two actions the same: the tool and its arguments, validated, with defaults, without `why`."""
    return digest("placet.fingerprint.v1", {"tool": tool, "arguments": dict(arguments)})


def short(full: str) -> str:
    """The first 32 bits of a digest as people compare them: "9f3c a1d2". For reading only, never for a check."""
    return f"{full[:4]} {full[4:8]}"


def link(head: str, events: Sequence[Mapping[str, str | None]]) -> str:
    """The new head of a chain after one move: SHA-256, in hex, of a text in UTF-8.

    The text is the old head, and then for each event and each of CHAIN_FIELDS, in order: `-;` for None, else
    `<bytes>:<value>;` where <bytes> is the decimal length of the value in UTF-8. So None differs from "", and no
    value can pass for the start of the next. In SQL: sha256(convert_to(text, 'UTF8')) with octet_length(convert_to(value, 'UTF8')).
    Raises ValueError for a head that is no digest, a move without events, or an event with other fields.
    """
    if not re.fullmatch("[0-9a-f]{64}", head):
        raise ValueError("the head of a chain is 64 lower-case hex digits")
    if not events:
        raise ValueError("a move writes at least one event")
    return _sha256(head + "".join(_event_text(event) for event in events))


def visible(text: str) -> str:
    """The text with every NUL and lone surrogate, which PostgreSQL cannot store, shown as U+FFFD instead."""
    return _LONE_SURROGATE.sub("\ufffd", text.replace("\0", "\ufffd"))


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _event_text(event: Mapping[str, str | None]) -> str:
    if set(event) != set(CHAIN_FIELDS):
        raise ValueError(f"an event in a chain has exactly the fields {', '.join(CHAIN_FIELDS)}")
    values = (event[field] for field in CHAIN_FIELDS)
    return "".join("-;" if value is None else f"{len(value.encode())}:{value};" for value in values)


def _check(value: Any, path: str, depth: int) -> None:
    if depth > _DEEPEST:
        raise DigestError(path, f"it is nested deeper than {_DEEPEST}.")
    match value:
        case None | bool():
            pass
        case str():
            _check_text(value, path)
        case int() | float():
            _check_number(value, path)
        case list() | tuple():
            for index, item in enumerate(value):
                _check(item, f"{path}[{index}]", depth + 1)
        case dict():
            for key, item in value.items():
                _check(item, _check_key(key, path), depth + 1)
        case _:
            raise DigestError(path, f"{type(value).__name__} is no JSON type; turn it into text first.")


def _check_number(number: float, path: str) -> None:
    if isinstance(number, int):
        if abs(number) > _SAFE_INTEGER:
            raise DigestError(path, "an integer beyond 2^53 - 1 is rounded by some readers; write it as a string.")
    elif not math.isfinite(number):
        raise DigestError(path, "NaN and infinity are no JSON numbers.")
    elif number == 0 and math.copysign(1, number) < 0:
        raise DigestError(path, "negative zero has no agreed text; write 0.")


def _check_key(key: object, path: str) -> str:
    """The path of the value under this key."""
    if not isinstance(key, str):
        raise DigestError(path, f"a key is {type(key).__name__}; JSON keys are strings.")
    inner = f"{path}.{visible(key)}" if path else visible(key)
    _check_text(key, inner)
    return inner


def _check_text(text: str, path: str) -> None:
    if "\0" in text:
        raise DigestError(path, "it holds a NUL character, which cannot be stored.")
    if _LONE_SURROGATE.search(text):
        raise DigestError(path, "it holds half of a surrogate pair, which is no character.")
