"""Slack's way to the app: signed HTTP requests to its one URL, or its sockets, and three seconds for an answer.

Source: docs.slack.dev/authentication/verifying-requests-from-slack and docs.slack.dev/interactivity. What is never
answered is told to the person, not tried again; only events are.
"""

import asyncio
import hashlib
import hmac
import json
import urllib.error
import urllib.request
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, Final, Literal, TypeVar
from urllib.parse import urlencode

from bot.sandbox.answers import Answer, NoAnswer
from bot.sandbox.slack_faults import SlackFault, SlackFaults
from bot.sandbox.sockets import Sockets

Json = dict[str, Any]
T = TypeVar("T")

SOCKET_SECONDS = 30  # past this nobody waits for an answer any more
_FORM: Final = "application/x-www-form-urlencoded"
RETRIES = (0, 60, 300)  # seconds before an event is sent again


Kind = Literal["interactive", "slash_commands", "events_api"]


@dataclass(frozen=True, slots=True)
class Parcel:
    """Something to deliver, by what Slack calls its kind."""

    kind: Kind
    payload: Json

    def over_http(self) -> tuple[bytes, str]:
        """The body of the request that carries it, and its content type."""
        match self.kind:
            case "interactive":
                return urlencode({"payload": json.dumps(self.payload)}).encode(), _FORM
            case "slash_commands":
                return urlencode(self.payload).encode(), _FORM
        return json.dumps(self.payload).encode(), "application/json"


@dataclass(frozen=True, slots=True)
class Again:
    """Which try of an event this is, and why there is one."""

    number: int
    reason: str


class AppLink:
    """The link to the app at `url`, or over the sockets that it opened if that is None; it may be changed while nothing is on its way."""

    def __init__(
        self, url: str | None, sockets: Sockets, *, secret: str, faults: SlackFaults, clock: Callable[[], float], patience: float
    ) -> None:  # fmt: skip
        self.url = url
        self._sockets = sockets
        self._secret = secret
        self._faults = faults
        self._clock = clock
        self._patience = patience
        self._threads = ThreadPoolExecutor(max_workers=32, thread_name_prefix="to-the-app")
        self._under_way: set[asyncio.Task[Any]] = set()

    async def interaction(self, what: str, payload: Json) -> Answer | NoAnswer:
        """Deliver a click or a modal's submit or close; `what` is the name faults know it by."""
        return await self._in_time(what, Parcel("interactive", payload))

    async def command(self, fields: Json) -> Answer | NoAnswer:
        """Deliver a slash command."""
        return await self._in_time("command", Parcel("slash_commands", fields))

    def event(self, body: Json) -> None:
        """Deliver an event, and again after a while if it is not taken; nobody waits for it."""
        self._start(self._deliver_event(body))

    async def close(self) -> None:
        """Drop everything that is still on its way."""
        for task in self._under_way:
            task.cancel()
        await asyncio.gather(*self._under_way, return_exceptions=True)
        await self._sockets.close()
        self._threads.shutdown(wait=False, cancel_futures=True)

    async def _in_time(self, what: str, parcel: Parcel) -> Answer | NoAnswer:
        delivery = self._start(self._deliver(self._faults.take(what), parcel))
        done, _ = await asyncio.wait({delivery}, timeout=self._patience)
        if not done:
            return self._silence()
        return delivery.result()

    async def _deliver(self, fault: SlackFault | None, parcel: Parcel) -> Answer | NoAnswer:
        match fault:
            case SlackFault(kind="lost"):
                await asyncio.sleep(self._patience)
                return self._silence()
            case SlackFault(kind="late"):
                await asyncio.sleep(fault.seconds)
            case SlackFault(kind="disconnect"):
                await self._sockets.disconnect(fault.error)
            case SlackFault(kind="duplicate"):
                twice = await asyncio.gather(self._send(parcel), self._send(parcel))
                return twice[0]
        return await self._send(parcel)

    async def _deliver_event(self, body: Json) -> None:
        parcel = Parcel("events_api", body)
        answer = await self._deliver(self._faults.take("event"), parcel)
        for number, pause in enumerate(RETRIES, start=1):
            if isinstance(answer, Answer) and answer.status // 100 == 2:
                return
            await asyncio.sleep(pause)
            answer = await self._send(
                parcel, Again(number, "http_error" if isinstance(answer, Answer) else "http_timeout")
            )

    async def _send(self, parcel: Parcel, again: Again | None = None) -> Answer | NoAnswer:
        if self.url is None:
            more = {"retry_attempt": again.number, "retry_reason": again.reason} if again else {}
            return await self._sockets.deliver(parcel.kind, parcel.payload, more)
        body, content_type = parcel.over_http()
        stamp = str(int(self._clock()))
        headers = {
            "Content-Type": content_type,
            "X-Slack-Request-Timestamp": stamp,
            "X-Slack-Signature": signature(self._secret, stamp, body),
        }
        if again:
            headers |= {"X-Slack-Retry-Num": str(again.number), "X-Slack-Retry-Reason": again.reason}
        request = urllib.request.Request(self.url, body, headers, method="POST")  # noqa: S310  http, ours
        return await asyncio.get_running_loop().run_in_executor(self._threads, _exchange, request)

    def _silence(self) -> NoAnswer:
        return NoAnswer(f"{self._patience:g} seconds passed without an answer")

    def _start(self, work: Coroutine[Any, Any, T]) -> asyncio.Task[T]:
        task = asyncio.get_running_loop().create_task(work)
        self._under_way.add(task)
        task.add_done_callback(self._under_way.discard)
        return task


def signature(secret: str, timestamp: str, body: bytes) -> str:
    """Slack's `X-Slack-Signature` over a raw body."""
    return "v0=" + hmac.new(secret.encode(), f"v0:{timestamp}:".encode() + body, hashlib.sha256).hexdigest()


def _exchange(request: urllib.request.Request) -> Answer | NoAnswer:
    try:
        with urllib.request.urlopen(request, timeout=SOCKET_SECONDS) as response:  # noqa: S310  http, ours
            return Answer(response.status, response.read().decode(), response.headers.get_content_type())
    except urllib.error.HTTPError as error:
        with error:
            return Answer(error.code, error.read().decode(errors="replace"), error.headers.get_content_type())
    except (OSError, ValueError) as error:
        return NoAnswer(f"it cannot be reached ({error})")
