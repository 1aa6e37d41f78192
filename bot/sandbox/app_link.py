"""Slack's way to the app: signed HTTP requests to its one URL, and three seconds for an answer.

Source: docs.slack.dev/authentication/verifying-requests-from-slack and docs.slack.dev/interactivity. What is never
answered is told to the person, not tried again; only events are.
"""

import asyncio
import hashlib
import hmac
import json
import urllib.error
import urllib.request
from collections.abc import Callable, Coroutine, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, TypeVar
from urllib.parse import urlencode

from bot.sandbox.slack_faults import SlackFault, SlackFaults

Json = dict[str, Any]
T = TypeVar("T")

SOCKET_SECONDS = 30  # past this nobody waits for an answer any more
RETRIES = (0, 60, 300)  # seconds before an event is sent again


@dataclass(frozen=True, slots=True)
class Answer:
    """What the app said in time."""

    status: int
    body: str
    content_type: str

    def json(self) -> Json | None:
        """The body as a JSON object; None: it is none."""
        try:
            value = json.loads(self.body)
        except ValueError:
            return None
        return value if isinstance(value, dict) else None


@dataclass(frozen=True, slots=True)
class NoAnswer:
    """Why the app gave none: a sentence for the person who waits."""

    reason: str


class AppLink:
    """The link to the app at `url`, which may be changed while nothing is on its way."""

    def __init__(self, url: str, secret: str, faults: SlackFaults, clock: Callable[[], float], patience: float) -> None:
        self.url = url
        self._secret = secret
        self._faults = faults
        self._clock = clock
        self._patience = patience
        self._threads = ThreadPoolExecutor(max_workers=32, thread_name_prefix="to-the-app")
        self._under_way: set[asyncio.Task[Any]] = set()

    async def interaction(self, what: str, payload: Json) -> Answer | NoAnswer:
        """Deliver a click or a modal's submit or close, as a form with one field `payload`."""
        return await self.form(what, {"payload": json.dumps(payload)})

    async def form(self, what: str, fields: Mapping[str, str]) -> Answer | NoAnswer:
        """Deliver a form, as a slash command is; `what` is the name faults know it by."""
        body = urlencode(fields).encode()
        headers = {"Content-Type": "application/x-www-form-urlencoded"}
        delivery = self._start(self._deliver(self._faults.take(what), body, headers))
        done, _ = await asyncio.wait({delivery}, timeout=self._patience)
        if not done:
            return self._silence()
        return delivery.result()

    def event(self, body: Json) -> None:
        """Deliver an event, and again after a while if it is not taken; nobody waits for it."""
        self._start(self._deliver_event(body))

    async def close(self) -> None:
        """Drop everything that is still on its way."""
        for task in self._under_way:
            task.cancel()
        await asyncio.gather(*self._under_way, return_exceptions=True)
        self._threads.shutdown(wait=False, cancel_futures=True)

    async def _deliver(self, fault: SlackFault | None, body: bytes, headers: Mapping[str, str]) -> Answer | NoAnswer:
        match fault:
            case SlackFault(kind="lost"):
                await asyncio.sleep(self._patience)
                return self._silence()
            case SlackFault(kind="late"):
                await asyncio.sleep(fault.seconds)
            case SlackFault(kind="duplicate"):
                twice = await asyncio.gather(self._send(body, headers), self._send(body, headers))
                return twice[0]
        return await self._send(body, headers)

    async def _deliver_event(self, body: Json) -> None:
        raw = json.dumps(body).encode()
        headers = {"Content-Type": "application/json"}
        fault = self._faults.take("event")
        answer = await self._deliver(fault, raw, headers)
        for number, pause in enumerate(RETRIES, start=1):
            if isinstance(answer, Answer) and answer.status // 100 == 2:
                return
            await asyncio.sleep(pause)
            reason = "http_error" if isinstance(answer, Answer) else "http_timeout"
            again = {"X-Slack-Retry-Num": str(number), "X-Slack-Retry-Reason": reason}
            answer = await self._send(raw, headers | again)

    async def _send(self, body: bytes, headers: Mapping[str, str]) -> Answer | NoAnswer:
        stamp = str(int(self._clock()))
        signed = {"X-Slack-Request-Timestamp": stamp, "X-Slack-Signature": signature(self._secret, stamp, body)}
        request = urllib.request.Request(self.url, body, {**headers, **signed}, method="POST")  # noqa: S310  http, ours
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
