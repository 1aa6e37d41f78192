"""A running local workspace, an app that listens to it, and the hands to use both: for the tests of the sandbox."""

import json
import queue
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl

import httpx
import pytest
from slack_sdk import WebClient
from slack_sdk.signature import SignatureVerifier
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from bot.sandbox.seed import Command
from bot.sandbox.workspace_app import workspace_app
from tests.sandbox.loopback import serving

Json = dict[str, Any]

TOKEN, SECRET = "xoxb-local", "signing-secret"


@dataclass(frozen=True)
class Heard:
    """One request that reached the app, and what it carried."""

    headers: dict[str, str]
    payload: Json
    signed: bool


@dataclass
class ListeningApp:
    """An app that keeps what it hears and answers as it was told, else with an empty 200."""

    heard: "queue.Queue[Heard]" = field(default_factory=queue.Queue)
    answers: deque[Callable[[], Response]] = field(default_factory=deque)
    released: queue.Queue[None] = field(default_factory=queue.Queue)

    def next(self) -> Heard:
        return self.heard.get(timeout=5)

    def will_answer(self, body: Json) -> None:
        self.answers.append(lambda: JSONResponse(body))

    def will_fail(self, status: int) -> None:
        self.answers.append(lambda: Response("broken", status_code=status))

    def will_hang(self) -> None:
        """Answer only after `released` got something."""

        def hang() -> Response:
            self.released.get(timeout=5)
            return Response()

        self.answers.append(hang)

    def asgi(self) -> Starlette:
        verifier = SignatureVerifier(SECRET)

        async def events(request: Request) -> Response:
            body = await request.body()
            headers = dict(request.headers)
            fields = dict(parse_qsl(body.decode(), keep_blank_values=True)) if b"=" in body[:40] else {}
            payload = json.loads(fields.get("payload") or (body if not fields else json.dumps(fields)))
            self.heard.put(Heard(headers, payload, verifier.is_valid_request(body, headers)))
            answer = self.answers.popleft() if self.answers else Response
            return await _in_thread(answer)

        return Starlette(routes=[Route("/slack/events", events, methods=["POST"])])


async def _in_thread(answer: Callable[[], Response]) -> Response:
    from starlette.concurrency import run_in_threadpool

    return await run_in_threadpool(answer)


@dataclass
class Clock:
    """A clock that a test moves."""

    now: float

    def __call__(self) -> float:
        return self.now


@dataclass(frozen=True)
class Slack:
    """A running workspace as the app, the page and a test see it."""

    url: str
    web: WebClient
    http: httpx.Client
    app: ListeningApp

    def client(self, token: str) -> WebClient:
        return WebClient(token=token, base_url=f"{self.url}/slack/api/", retry_handlers=[])

    def read(self, path: str, **query: str) -> Json:
        answer = self.http.get(path, params=query)
        assert answer.status_code == 200, answer.text
        return dict(answer.json())

    def do(self, path: str, **body: Any) -> Json:
        return dict(self.http.post(path, json=body).json())

    def act(self, what: str, user: str, **body: Any) -> Json:
        return self.do(f"/page/{what}", **{"as": user, **body})

    def fault(self, on: str, kind: str, **more: Any) -> None:
        assert self.http.post("/slack/faults", json={"faults": [{"on": on, "kind": kind, **more}]}).status_code == 200

    def messages(self, channel: str) -> list[Json]:
        return [m for m in self.read("/slack/messages")["messages"] if m["channel"] == channel]

    def wait_for_message(self, channel: str) -> Json:
        """The next message in the channel, or the one that is there."""
        while True:
            state = self.read("/slack/messages")
            if found := [m for m in state["messages"] if m["channel"] == channel]:
                return dict(found[-1])
            self.read("/slack/messages", since=str(state["revision"]), within="5")


@contextmanager
def running_slack(journal: Path, **options: Any) -> Iterator[Slack]:
    """A workspace on this journal and an app beside it, for as long as the block runs."""
    listening = ListeningApp()
    with ExitStack() as stack:
        app_url = stack.enter_context(serving(listening.asgi()))
        workspace = workspace_app(
            journal=journal,
            app_url=f"{app_url}/slack/events",
            signing_secret=SECRET,
            bot_token=TOKEN,
            commands=(Command(command="/approvals", description="What waits", usage_hint="[mine | all]"),),
            **options,
        )
        url = stack.enter_context(serving(workspace))
        http = stack.enter_context(httpx.Client(base_url=url, timeout=10))
        web = WebClient(token=TOKEN, base_url=f"{url}/slack/api/", retry_handlers=[])
        yield Slack(url=url, web=web, http=http, app=listening)


@pytest.fixture
def slack(tmp_path: Path) -> Iterator[Slack]:
    with running_slack(tmp_path / "slack.jsonl", patience=0.3) as running:
        yield running
