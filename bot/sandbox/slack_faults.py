"""How the local workspace goes wrong on purpose: a script of faults for calls of its API and for what it delivers.

A fault waits for the next call of its method (or the next delivery), is used as often as it says, and is gone. Faults
do not outlive the process.
"""

import asyncio
import math
import time
from collections.abc import Sequence
from dataclasses import dataclass
from types import UnionType
from typing import Any

from starlette.responses import HTMLResponse, JSONResponse, PlainTextResponse, Response
from starlette.types import Receive, Scope, Send

from bot.sandbox.wire import Refused, object_with

Json = dict[str, Any]

DELIVERY = ("click", "command", "submit", "close", "event")
DELIVERY_KINDS = frozenset({"duplicate", "lost", "late", "disconnect"})
DISCONNECT_REASONS = frozenset({"warning", "refresh_requested", "too_many_websockets", "link_disabled"})
CALL_KINDS = frozenset({"rate_limited", "drop", "status", "slow", "html", "error"})


@dataclass(slots=True, kw_only=True)
class SlackFault:
    """One thing that goes wrong `times` times."""

    on: str
    """A method (`chat.postMessage`), `*` for any method, or what is delivered: one of `DELIVERY`."""
    kind: str
    """For a call: `rate_limited`, `drop`, `status`, `slow`, `html`, `error`; for a delivery: `duplicate`, `lost`, `late`, `disconnect`."""
    times: int = 1
    stored: bool = False
    """Whether the call is carried out before it goes wrong. `drop` and `slow` carry it out unless told otherwise."""
    seconds: float = 0
    """`Retry-After` of rate_limited; how long slow and late wait."""
    status: int = 500
    error: str = "internal_error"
    """What error answers, or the reason of disconnect, which all open sockets are told before the delivery."""
    early: bool = False
    """Of a method that was limited: that it was called again before its time, though that was told."""


IN_FLIGHT_S = 0.25
"""A call that comes so soon after the answer that limits its method may have been on its way before."""


@dataclass(slots=True, kw_only=True)
class Rate:
    """How a method is limited: `calls` are taken, then none for `seconds`, and so on; and how it stands, by the monotonic clock."""

    calls: int
    seconds: float
    made: int = 0
    told_at: float = 0
    until: float = 0

    def over(self) -> SlackFault | None:
        """Count a call; the answer that it is one too many, or that the time named before is not over yet. None: it may be."""
        now = time.monotonic()
        early = now < self.until and now - self.told_at > IN_FLIGHT_S
        if now >= self.until:
            if self.made < self.calls:
                self.made += 1
                return None
            self.made, self.told_at, self.until = 0, now, now + math.ceil(self.seconds)
        return SlackFault(on="*", kind="rate_limited", seconds=math.ceil(max(self.until - now, 0.001)), early=early)


class SlackFaults:
    """The faults still to come, oldest first."""

    def __init__(self) -> None:
        self.ahead: list[SlackFault] = []
        self.rates: dict[str, Rate] = {}

    def limit(self, rates: object) -> None:
        """Limit these methods, in place of all limits before: {"chat.update": {"calls": 50, "seconds": 60}}."""
        if not isinstance(rates, dict):
            raise Refused("rates", 'name methods, as in {"chat.update": {"calls": 50, "seconds": 60}}.')
        self.rates = {method: _read_rate(rate) for method, rate in rates.items()}

    def over(self, method: str) -> SlackFault | None:
        """The answer to one call too many of a method; None: it may be called."""
        return self.rates[method].over() if method in self.rates else None

    def plan(self, documents: object) -> None:
        """Put these faults in place of all that were planned; `Refused` names what is wrong with one, and none counts."""
        if not isinstance(documents, list):
            raise Refused("faults", 'send a list, as in [{"on": "chat.postMessage", "kind": "drop"}].')
        self.ahead = [_read(document) for document in documents]

    def take(self, *names: str) -> SlackFault | None:
        """Use up one time of the first fault on one of these names; None: all goes well."""
        for fault in self.ahead:
            if fault.on in names:
                fault.times -= 1
                if not fault.times:
                    self.ahead.remove(fault)
                return fault
        return None


async def broken(fault: SlackFault, answer: Json | None) -> Response:
    """What the caller gets under this fault; `answer` is what it would have got, None if nothing was carried out."""
    match fault.kind:
        case "rate_limited":
            headers = {"Retry-After": str(max(int(fault.seconds), 1))}
            return JSONResponse({"ok": False, "error": "ratelimited"}, status_code=429, headers=headers)
        case "drop":
            return Cut()
        case "status":
            return PlainTextResponse("upstream error", status_code=fault.status)
        case "html":
            return HTMLResponse("<!DOCTYPE html><title>Slack</title><p>We will be back soon.</p>")
        case "slow":
            await asyncio.sleep(fault.seconds)
            return JSONResponse(answer or {"ok": False, "error": "request_timeout"})
    return JSONResponse({"ok": False, "error": fault.error})


class Cut(Response):
    """No answer at all: the connection is closed before a byte of one.

    ASGI has no word for that, so the connection is found behind uvicorn's `receive`; under another server this fails.
    """

    async def __call__(self, _scope: Scope, receive: Receive, _send: Send) -> None:
        """Close, and wait until the server has noticed, so that it does not answer in our place."""
        receive.__self__.transport.abort()  # type: ignore[attr-defined]
        while (await receive())["type"] != "http.disconnect":
            pass


def _read(document: object) -> SlackFault:
    fields: dict[str, type | UnionType] = {
        "times": int,
        "stored": bool,
        "seconds": int | float,
        "status": int,
        "error": str,
    }
    given = object_with(document, required={"on", "kind"}, optional=set(fields))
    for name, kind in fields.items():
        if name in given and (not isinstance(given[name], kind) or isinstance(given[name], bool) != (kind is bool)):
            raise Refused(name, f"{given[name]!r} is not what it holds; see the fields of SlackFault.")
    kinds: frozenset[str] = DELIVERY_KINDS if given["on"] in DELIVERY else CALL_KINDS
    if given["kind"] not in kinds:
        raise Refused(
            "kind", f"{given['kind']!r} cannot happen on {given['on']!r}; what can: {_listed(sorted(kinds))}."
        )
    if given["kind"] == "disconnect" and given.get("error") not in DISCONNECT_REASONS:
        raise Refused("error", f"why Slack disconnects: one of {_listed(sorted(DISCONNECT_REASONS))}.")
    if given.get("times", 1) < 1:
        raise Refused("times", "a whole number from 1.")
    return SlackFault(**{"stored": given["kind"] in {"drop", "slow"}, **given})


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names)


def _read_rate(document: object) -> Rate:
    given = object_with(document, required={"calls", "seconds"}, optional=set())
    if not all(isinstance(value, int | float) and value > 0 for value in given.values()):
        raise Refused("rates", "calls and seconds, each above 0.")
    return Rate(calls=given["calls"], seconds=given["seconds"])
