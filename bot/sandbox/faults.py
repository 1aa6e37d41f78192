"""How a stand-in goes wrong on purpose: the script of planned faults, and two ways of failing to answer.

A fault is met by the first request whose facts it matches, and is used up after so many times.
"""

import threading
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from bot.sandbox.wire import Refused, object_with, read_json


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """What goes wrong, for which requests, and how often; `times` None is until it is cleared."""

    kind: str
    match: Mapping[str, str]
    times: int | None = 1
    retry_after: int = 0
    """Seconds asked for in the answer's `retry-after` header, where the kind of fault sends one."""
    seconds: int = 60
    """By how much an answer is behind, where the kind of fault has it lag."""

    def matches(self, facts: Mapping[str, str]) -> bool:
        """Whether every fact the fault names is so; a fault that names none matches everything."""
        return all(facts.get(name) == value for name, value in self.match.items())


class FaultScript:
    """The faults still to come, oldest first; safe to use from several threads. They do not outlive the process."""

    def __init__(self, kinds: Collection[str]) -> None:
        self._kinds = kinds
        self._lock = threading.Lock()
        self._ahead: list[tuple[Fault, int | None]] = []

    def plan(self, *faults: Fault) -> None:
        """Add faults behind those already planned; Refused names a kind that this stand-in does not know."""
        for fault in faults:
            if fault.kind not in self._kinds:
                raise Refused("fault", f"{fault.kind!r} is none of {', '.join(sorted(self._kinds))}.")
        with self._lock:
            self._ahead.extend((fault, fault.times) for fault in faults)

    def take(self, facts: Mapping[str, str]) -> Fault | None:
        """Use up one time of the first fault that matches; None if the request is to go well."""
        with self._lock:
            for place, (fault, left) in enumerate(self._ahead):
                if fault.matches(facts):
                    self._ahead[place : place + 1] = [(fault, left and left - 1)] if left != 1 else []
                    return fault
        return None

    def clear(self) -> None:
        """Forget every fault still planned."""
        with self._lock:
            self._ahead.clear()

    def routes(self) -> list[Route]:
        """The test surface: `POST /_faults` with a list of faults plans them, `DELETE /_faults` forgets them."""

        async def plan(request: Request) -> JSONResponse:
            document = await read_json(request)
            if not isinstance(document, list):
                raise Refused("body", 'send a list of faults, as in [{"match": {}, "fault": "down", "times": 1}].')
            self.plan(*map(_read, document))
            return JSONResponse({"planned": len(document)})

        async def clear(_request: Request) -> JSONResponse:
            self.clear()
            return JSONResponse({"planned": 0})

        return [Route("/_faults", plan, methods=["POST"]), Route("/_faults", clear, methods=["DELETE"])]


class Cut(Response):
    """Breaks the connection in place of an answer.

    ASGI knows no bare hang-up, so a head is sent that promises a body and the connection is closed before it: every
    client reports a broken connection, and none has an answer to read.
    """

    async def __call__(self, _scope: Scope, _receive: Receive, send: Send) -> None:
        """Promise a body, and end without it."""
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"1")]})


class Held(Response):
    """Answers nothing and keeps the connection open until the client goes away; then calls `afterwards`."""

    def __init__(self, afterwards: Callable[[], None]) -> None:
        super().__init__()
        self._afterwards = afterwards

    async def __call__(self, _scope: Scope, receive: Receive, _send: Send) -> None:
        """Wait for the client to go."""
        try:
            while (await receive())["type"] != "http.disconnect":
                pass
        finally:
            self._afterwards()


def _read(document: Any) -> Fault:
    """One planned fault; Refused names the field that is wrong."""
    given = object_with(document, required={"fault"}, optional={"match", "times", "retry_after", "seconds"})
    match, times, retry_after = given.get("match", {}), given.get("times", 1), given.get("retry_after", 0)
    seconds = given.get("seconds", 60)
    if not isinstance(match, dict) or not all(isinstance(value, str) for value in match.values()):
        raise Refused("match", 'name the facts to match as text, as in {"order_ref": "PO-2026-0193"}, or none: {}.')
    if times is not None and (type(times) is not int or times < 1):
        raise Refused("times", "a whole number from 1, or null for until it is cleared.")
    for name, value in (("retry_after", retry_after), ("seconds", seconds)):
        if type(value) is not int or value < 0:
            raise Refused(name, "a whole number of seconds, 0 or more.")
    return Fault(kind=str(given["fault"]), match=match, times=times, retry_after=retry_after, seconds=seconds)
