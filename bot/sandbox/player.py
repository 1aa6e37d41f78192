"""Acts in the local workspace as its people do: reads what they see, and clicks what they could click. Used by the story and by tests."""

import json
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Self, TypeVar

import httpx

T = TypeVar("T")
Json = dict[str, Any]


_FIRST_REST_S, _LONGEST_REST_S = 0.1, 0.5
"""Between two looks: whoever looks keeps the workspace, the provider and the model busy, which are one process."""


class NotSeen(AssertionError):
    """What should have appeared did not, in the time given."""


@dataclass(frozen=True, slots=True)
class Seen:
    """A message as somebody sees it, with its channel."""

    channel: str
    message: Mapping[str, Any]

    @property
    def ts(self) -> str:
        """Its address in the channel."""
        return str(self.message["ts"])

    @property
    def words(self) -> str:
        """All that it says, as one text to look in."""
        return json.dumps([self.message["text"], self.message["blocks"]], ensure_ascii=False)

    def button(self, action_id: str) -> Json | None:
        """Its button with this action; None if it has none."""
        for block in self.message["blocks"]:
            for element in [*block.get("elements", []), block.get("accessory") or {}]:
                if element.get("action_id") == action_id:
                    return {"block_id": block["block_id"], "action_id": action_id, "value": element.get("value")}
        return None


class Player:
    """Everybody at once; `user` is a Slack id. Waits are bounded by `patience_s`."""

    def __init__(self, page_url: str, *, patience_s: float = 60) -> None:
        self._http = httpx.Client(base_url=page_url, timeout=15)
        self._patience_s = patience_s

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._http.close()

    def messages(self, user: str, channel: str) -> list[Seen]:
        """What this person sees in a channel or DM, oldest first."""
        answer = self._http.get("/page/messages", params={"as": user, "channel": channel})
        return [Seen(channel, m) for m in answer.json()["messages"]] if answer.is_success else []

    def channels(self, user: str) -> list[str]:
        """The channels and DMs this person has."""
        state = self._http.get("/page/state", params={"as": user}).raise_for_status().json()
        return [c["id"] for c in state["channels"]]

    def until(self, what: str, look: Callable[[], T | None]) -> T:
        """Look until there is something, less and less often. Raises NotSeen, saying what was awaited."""
        deadline, rest_s = time.monotonic() + self._patience_s, _FIRST_REST_S
        while (found := look()) is None:
            if time.monotonic() > deadline:
                raise NotSeen(f"not seen within {self._patience_s:.0f} s: {what}")
            time.sleep(rest_s)
            rest_s = min(rest_s * 1.2, _LONGEST_REST_S)
        return found

    def find(self, user: str, text: str, *, action: str | None = None, channel: str | None = None) -> Seen | None:
        """The newest message this person sees that says the text and has the button, in one channel or any; None if there is none."""
        for place in [channel] if channel else self.channels(user):
            for seen in reversed(self.messages(user, place)):
                if text in seen.words and (action is None or seen.button(action)):
                    return seen
        return None

    def click(self, user: str, seen: Seen, action: str) -> bool:
        """Press a button; whether the app answered."""
        button = seen.button(action)
        if button is None:
            raise NotSeen(f"{user} sees no button {action}")
        answer = self._http.post("/page/click", json={"as": user, "channel": seen.channel, "ts": seen.ts, **button})
        return bool(answer.json().get("ok"))

    def press(self, user: str, text: str, action: str, *, channel: str | None = None) -> Seen:
        """Find the card that says the text, and press its button until the app has answered; the card."""

        def pressed() -> Seen | None:
            seen = self.find(user, text, action=action, channel=channel)
            return seen if seen and self.click(user, seen, action) else None

        return self.until(f"{user} can press {action} on {text}", pressed)

    def press_former(self, user: str, channel: str, text: str, action: str) -> None:
        """Press a button that is on the card no more, as a finger does that was on its way. Raises NotSeen if there never was one."""
        for message in self.get("/slack/messages")["messages"]:
            if message["channel"] == channel and text in json.dumps(message, ensure_ascii=False):
                for body in message["past"]:
                    former = Seen(channel, {**message, **body})
                    if former.button(action):
                        self.click(user, former, action)
                        return
        raise NotSeen(f"no card in {channel} that says {text} ever had a button {action}")

    def views(self, user: str) -> list[Json]:
        """The modals open before this person, newest last."""
        views: list[Json] = self._http.get("/page/state", params={"as": user}).raise_for_status().json()["views"]
        return views

    def submit(self, user: str, view: Json, text: str) -> Json:
        """Fill in a modal's one text input, and submit it; the page's answer."""
        values = {}
        for block in view["blocks"]:
            if block["type"] == "input":
                values[block["block_id"]] = {block["element"]["action_id"]: {"type": "plain_text_input", "value": text}}
        return self.choose(user, view, values)

    def choose(self, user: str, view: Json, values: Json) -> Json:
        """Fill in a modal with these values, by block and action, and submit it; the page's answer."""
        answer: Json = self._http.post(
            "/page/submit", json={"as": user, "view_id": view["id"], "values": values}
        ).json()
        return answer

    def deny(self, user: str, text: str, reason: str) -> None:
        """Press Deny on the card that says the text, give a reason, and submit."""

        def submitted() -> bool | None:
            if not self.views(user):
                self.press(user, text, "placet:deny")
            view = self.until(f"{user} is asked for a reason", lambda: next(iter(self.views(user)), None))
            return self.submit(user, view, reason).get("ok") or None

        self.until(f"{user} can deny {text}", submitted)

    def private_answer(self, user: str, channel: str, text: str) -> Seen | None:
        """A message only this person sees that says the text; None if there is none."""
        found = (s for s in self.messages(user, channel) if s.message["ephemeral"] and text in s.words)
        return next(found, None)

    def command(self, user: str, channel: str, text: str) -> Json:
        """Send a slash command; the page's answer."""
        answer: Json = self._http.post("/page/command", json={"as": user, "channel": channel, "text": text}).json()
        return answer

    def post(self, path: str, document: Any) -> Json:
        """Change the outside world: `/suppliers/_move`, `/stripe/_faults`."""
        answer: Json = self._http.post(path, json=document).raise_for_status().json()
        return answer

    def get(self, path: str, **params: Any) -> Json:
        """Read the outside world: `/stripe/_payments`, `/suppliers/allocations`."""
        answer: Json = self._http.get(path, params=params, timeout=self._patience_s + 5).raise_for_status().json()
        return answer
