"""What an identity server answered: a statement, a refusal, or nothing that can be used. What is said of it is fit to be shown."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from engine.rules.digest import visible

_PASSING: Final = ("temporarily_unavailable", "server_error", "slow_down")
"""Errors that say: try again."""


@dataclass(frozen=True, slots=True)
class Said:
    """Its answer, which may hold a token."""

    data: Mapping[str, Any] = field(repr=False)


@dataclass(frozen=True, slots=True)
class Refused:
    """It understood, and says no: the code of RFC 6749, and its own words, fit to be shown ("": none)."""

    error: str
    words: str


@dataclass(frozen=True, slots=True)
class Nothing:
    """No answer; `passing`: it may come when asked again."""

    why: str
    passing: bool = False


def read(status: int, body: bytes) -> Said | Refused | Nothing:
    """What a status and a body say."""
    if status == 429 or status >= 500:
        return Nothing(f"answered {status}", passing=True)
    if 300 <= status < 400:
        return Nothing(f"sent us elsewhere ({status}), where nobody is followed")
    try:
        data = json.loads(body or b"{}")  # a revocation says nothing more (RFC 7009)
    except (ValueError, RecursionError):
        data = None
    if not isinstance(data, dict):
        return Nothing(f"answered {status} with something that no identity server says")
    return Said(data) if status == 200 else _error(status, data)


def _error(status: int, data: Mapping[str, Any]) -> Refused | Nothing:
    """RFC 6749, 5.2."""
    error = data.get("error")
    if not isinstance(error, str) or not re.fullmatch("[a-z_]{1,40}", error):
        return Nothing(f"answered {status} without saying why")
    if error in _PASSING:
        return Nothing(f"answered {status} ({error})", passing=True)
    return Refused(error, shown(data.get("error_description")))


def shown(words: object) -> str:
    """A server's words as they may be shown and stored: one short line, without anything that could be a token."""
    if not isinstance(words, str):
        return ""
    line = " ".join(re.sub(r"\S{20,}", "…", visible(words)[:1000]).split())
    return line[:200].rstrip(" .")
