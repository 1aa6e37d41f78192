"""A local Slack workspace for tests of the bot: its people, what they see, and what goes wrong."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import httpx
from starlette.applications import Starlette

from bot.cards import ids
from bot.delivery.web import Slack
from bot.sandbox.outside import SHORTCUTS
from bot.sandbox.seed import Command, Seed
from bot.sandbox.slack_api import ALL_SCOPES
from bot.sandbox.workspace_app import workspace_app
from tests.sandbox.loopback import serving

Json = dict[str, Any]
T = TypeVar("T")

TOKEN, SECRET, APP_TOKEN = "xoxb-local-token", "the-signing-secret-of-tests", "xapp-local-token"


@dataclass(frozen=True)
class Office:
    """A running workspace: as its people use it, and as a test looks at it."""

    url: str
    http: httpx.Client
    workspace: Starlette
    hurry: list[Callable[[], None]] = field(default_factory=list)
    """What to ring so that those who deliver here look at once, and not at their next second."""

    @property
    def slack(self) -> Slack:
        """The workspace as our bot reaches it."""
        return Slack(TOKEN, f"{self.url}/slack/api/")

    def deliver_to(self, url: str) -> None:
        """From now on clicks and commands go here."""
        self.workspace.state.link.url = url

    def deliver_over_sockets(self) -> None:
        """From now on they go over the sockets that the app opens."""
        self.workspace.state.link.url = None

    def read(self, path: str, **query: str) -> Json:
        answer = self.http.get(path, params=query)
        assert answer.status_code == 200, answer.text
        return dict(answer.json())

    def act(self, what: str, user: str, **body: Any) -> Json:
        return dict(self.http.post(f"/page/{what}", json={"as": user, **body}).json())

    def change(self, **what: Any) -> None:
        answer = self.http.post("/slack/change", json=what)
        assert answer.status_code == 200, answer.text

    def faults(self, *faults: Json) -> None:
        answer = self.http.post("/slack/faults", json={"faults": list(faults)})
        assert answer.status_code == 200, answer.text

    def fault(self, on: str, kind: str, **more: Any) -> None:
        self.faults({"on": on, "kind": kind, **more})

    def rates(self, **rates: tuple[int, float]) -> None:
        """From now on so many calls are taken, then none for so many seconds, by method: chat_update=(50, 60); no other limits."""
        limits = {
            name.replace("_", ".", 1): {"calls": calls, "seconds": seconds} for name, (calls, seconds) in rates.items()
        }
        answer = self.http.post("/slack/rates", json={"rates": limits})
        assert answer.status_code == 200, answer.text

    def calls(self, method: str) -> list[Json]:
        return [call for call in self.read("/slack/calls")["calls"] if call["method"] == method]

    def messages(self, channel: str) -> list[Json]:
        """Everything said in a channel, private things too, oldest first."""
        return [m for m in self.read("/slack/messages")["messages"] if m["channel"] == channel and not m["deleted"]]

    def private(self, user: str, channel: str = "C0BUY") -> list[str]:
        """What was said in the channel to this person alone."""
        return [m["text"] for m in self.messages(channel) if m["only_for"] == user]

    def press(self, user: str, message: Json, action: str) -> Json:
        """Click the button with this action id on a message, as it was at any time."""
        block = block_of(message, action)
        return self.act("click", user, channel=message["channel"], ts=message["ts"], block_id=block, action_id=action)

    def shortcut(self, user: str, message: Json, callback_id: str) -> Json:
        """Choose a shortcut from a message's menu."""
        return self.act("shortcut", user, channel=message["channel"], ts=message["ts"], callback_id=callback_id)

    def command(self, user: str, text: str = "", channel: str = "C0OPS") -> Json:
        """Type /approvals; the answer that only this person sees."""
        assert self.act("command", user, channel=channel, text=f"/approvals {text}".strip()) == {"ok": True}
        return self.messages(channel)[-1]

    def views(self, user: str) -> list[Json]:
        return list(self.read("/page/state", **{"as": user})["views"])

    def home(self, user: str) -> Json | None:
        home: Json | None = self.read("/page/state", **{"as": user})["home"]
        return home

    def await_(self, look: Callable[[], T | None], within: float = 10) -> T:
        """What `look` finds as soon as it finds something; looked again whenever something changed in the workspace."""
        revision = self.read("/slack/messages")["revision"]
        deadline = time.monotonic() + within
        while time.monotonic() < deadline:
            if found := look():
                return found
            for ring in self.hurry:
                ring()
            revision = self.read("/slack/messages", since=str(revision), within="0.5")["revision"]
        raise AssertionError(f"not seen within {within} s; the messages are {self.read('/slack/messages')['messages']}")


def block_of(message: Json, action: str) -> str:
    """The block that holds the element with this action id, in a message or in one of its former contents."""
    for body in (message, *reversed(message.get("past", []))):
        for block in body.get("blocks") or []:
            for element in (*block.get("elements", ()), block.get("accessory") or {}):
                if element.get("action_id") == action:
                    return str(block["block_id"])
    raise AssertionError(f"no {action} in {message}")


def is_card(message: Json) -> bool:
    """Whether a message shows requests, and is painted as they move; else it is something that is said once."""
    return (message["metadata"] or {}).get("event_type") not in (None, ids.EVENT_NOTICE)


def actions_of(message: Json) -> list[str]:
    """The action ids of what can be clicked on a message or view now."""
    return [
        element["action_id"]
        for block in message.get("blocks") or []
        for element in (*block.get("elements", ()), block.get("accessory") or {})
        if "action_id" in element
    ]


def text_of(shown: Any) -> str:
    """All the text of a message or view as it is now, block after block; not what it said before."""
    match shown:
        case dict():
            return "\n".join(
                part if key == "text" and isinstance(part, str) else text_of(part)
                for key, part in shown.items()
                if key != "past" and (isinstance(part, dict | list) or key == "text")
            )
        case list():
            return "\n".join(map(text_of, shown))
    return ""


@contextmanager
def open_office(
    journal: Path, patience: float = 3.0, scopes: frozenset[str] = ALL_SCOPES, seed: Seed | None = None
) -> Iterator[Office]:
    """A workspace on this journal for as long as the block runs; it delivers nowhere until told. `scopes`: those of our token."""
    workspace = workspace_app(
        journal=journal,
        app_url="http://127.0.0.1:9/",
        signing_secret=SECRET,
        bot_token=TOKEN,
        app_token=APP_TOKEN,
        commands=(Command(command="/approvals", description="What waits"),),
        shortcuts=SHORTCUTS,
        scopes=scopes,
        seed=seed,
        patience=patience,
    )
    with serving(workspace) as url, httpx.Client(base_url=url, timeout=10, verify=False) as http:
        yield Office(url=url, http=http, workspace=workspace)


def at_once(*calls: Callable[[], T]) -> list[T]:
    """Do all of these at the same moment, each in a thread; what they returned, in order."""
    start = threading.Barrier(len(calls))
    results: list[T | None] = [None] * len(calls)

    def run(place: int, call: Callable[[], T]) -> None:
        start.wait()
        results[place] = call()

    threads = [threading.Thread(target=run, args=(n, call)) for n, call in enumerate(calls)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return [r for r in results if r is not None]
