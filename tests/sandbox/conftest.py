"""A running local workspace, an app that listens to it, and the hands to use both: for the tests of the sandbox."""

import json
import queue
import threading
from collections import deque
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from email.message import Message
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl

import httpx
import pytest
from slack_bolt import App, BoltRequest
from slack_sdk import WebClient
from slack_sdk.signature import SignatureVerifier

from bot.sandbox.seed import Command
from bot.sandbox.workspace_app import workspace_app
from tests.sandbox.loopback import serving
from tests.sandbox.till import Till, opened

Json = dict[str, Any]

TOKEN, SECRET = "xoxb-local", "signing-secret"
HANG = 0


@dataclass(frozen=True)
class Heard:
    """One request that reached the app, and what it carried."""

    headers: Message
    payload: Json
    signed: bool


@dataclass
class ListeningApp:
    """An app that keeps what it hears and answers as it was told, else with an empty 200."""

    heard: "queue.Queue[Heard]" = field(default_factory=queue.Queue)
    answers: "deque[tuple[int, Json | None]]" = field(default_factory=deque)
    released: "queue.Queue[None]" = field(default_factory=queue.Queue)
    bolt: App | None = None
    """A real Bolt app that answers in its place; None: it answers as told."""

    def next(self) -> Heard:
        return self.heard.get(timeout=5)

    def will_answer(self, body: Json) -> None:
        self.answers.append((200, body))

    def will_fail(self, status: int) -> None:
        self.answers.append((status, None))

    def will_hang(self) -> None:
        """Answer only after `released` got something."""
        self.answers.append((HANG, None))

    def answer(self, body: bytes, headers: Message) -> tuple[int, str, bytes]:
        """Status, content type and body of the answer to one request."""
        if self.bolt is not None:
            said = self.bolt.dispatch(BoltRequest(body=body.decode(), headers=dict(headers)))
            return said.status, said.first_headers().get("content-type", "text/plain"), said.body.encode()
        status, content = self.answers.popleft() if self.answers else (200, None)
        if status == HANG:
            self.released.get(timeout=5)
        return status or 200, "application/json", b"" if content is None else json.dumps(content).encode()

    @contextmanager
    def serving(self) -> Iterator[str]:
        """Listen for as long as the block runs; the URL to deliver to."""
        listening, verifier = self, SignatureVerifier(SECRET)

        class Events(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                signed = verifier.is_valid_request(body, dict(self.headers))
                listening.heard.put(Heard(self.headers, _payload(body, self.headers), signed))
                status, kind, content = listening.answer(body, self.headers)
                self.send_response(status)
                self.send_header("Content-Type", kind)
                self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)

            def log_message(self, *_: Any) -> None:
                pass

        server = ThreadingHTTPServer(("127.0.0.1", 0), Events)
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}/slack/events"
        server.shutdown()
        thread.join()
        server.server_close()


def _payload(body: bytes, headers: Message) -> Json:
    if headers.get_content_type() == "application/json":
        return dict(json.loads(body))
    fields = dict(parse_qsl(body.decode(), keep_blank_values=True))
    return dict(json.loads(fields["payload"])) if "payload" in fields else fields


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


@contextmanager
def running_slack(journal: Path, **options: Any) -> Iterator[Slack]:
    """A workspace on this journal and an app beside it, for as long as the block runs."""
    listening = ListeningApp()
    with ExitStack() as stack:
        app_url = stack.enter_context(listening.serving())
        workspace = workspace_app(
            journal=journal,
            app_url=app_url,
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
    with running_slack(tmp_path / "slack.jsonl") as running:
        yield running


@pytest.fixture
def hasty(tmp_path: Path) -> Iterator[Slack]:
    """A workspace that waits a fifth of a second for the app: for those tests in which no answer comes in time."""
    with running_slack(tmp_path / "slack.jsonl", patience=0.2) as running:
        yield running


@pytest.fixture
def till(tmp_path: Path) -> Iterator[Till]:
    with opened(tmp_path / "provider.jsonl") as made:
        yield made
