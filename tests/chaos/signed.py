"""What Slack sends when somebody presses a button or submits a form, made from the row behind the card and signed, and the sending of it."""

import http.client
import json
import time
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import urlencode
from uuid import UUID

from bot.cards import ids
from bot.sandbox.app_link import signature
from bot.sandbox.outside import SIGNING_SECRET
from tests.chaos.relay import HOST
from tests.chaos.seen import Seen

Json = dict[str, Any]

TEAM: Final = "T0ACME"
ENV: Final = "demo"
PATIENCE_S: Final = 5.0
USES: Final = 40
"""How many requests go over one connection: then another process may get the next ones."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Card:
    """A card as people see it, from its rows."""

    pause_id: UUID
    digest: str
    channel: str
    ts: str
    kind: str
    level: int

    @classmethod
    def of_copy(cls, copy: Seen, digest: str) -> "Card":
        """A copy of which no row knows, as it stands in Slack."""
        kind = "requester" if ids.ACTION_WITHDRAW in copy.buttons else "approver"
        return cls(pause_id=copy.pause_id, digest=digest, channel=copy.channel, ts=copy.ts, kind=kind, level=copy.level)

    @property
    def button(self) -> ids.Button:
        """What its buttons stand for."""
        return ids.Button(env=ENV, about=self.pause_id, shown=self.digest[: ids.SHOWN])


def pressed(card: Card, user: str, action: str) -> Json:
    """block_actions."""
    said = {"kind": card.kind, "level": card.level, "pause_id": str(card.pause_id)}
    return {
        **_by(user, "block_actions"),
        "container": {"type": "message", "message_ts": card.ts, "channel_id": card.channel, "is_ephemeral": False},
        "channel": {"id": card.channel, "name": "there"},
        "message": {"ts": card.ts, "metadata": {"event_type": ids.EVENT_CARD, "event_payload": said}},
        "response_url": f"http://{HOST}/nowhere",
        "actions": [{"type": "button", "action_id": action, "block_id": "decide", "value": ids.encode(card.button)}],
    }


def refused(card: Card, user: str, reason: str) -> Json:
    """view_submission of the form for a denial."""
    value = {"type": "plain_text_input", "value": reason}
    view = {
        "id": f"V{card.pause_id.hex[-10:].upper()}", "type": "modal", "callback_id": ids.CALLBACK_DENY,
        "private_metadata": ids.encode_carried(ids.Carried(card.button, card.channel)),
        "state": {"values": {ids.BLOCK_REASON: {ids.ACTION_REASON: value}}},
    }  # fmt: skip
    return {**_by(user, "view_submission"), "view": view, "response_urls": []}


def _by(user: str, kind: str) -> Json:
    return {
        "type": kind, "trigger_id": f"1.{time.monotonic_ns()}", "user": {"id": user, "username": user, "name": user, "team_id": TEAM},
        "team": {"id": TEAM, "domain": "acme"}, "api_app_id": "A0", "token": "", "enterprise": None, "is_enterprise_install": False,
    }  # fmt: skip


class Hand:
    """One connection to the processes that take requests, made anew when it breaks; for one thread. Raises OSError or HTTPException."""

    def __init__(self, port: int, token: str) -> None:
        self._port, self._token = port, token
        self._line: http.client.HTTPConnection | None = None
        self._uses = 0

    def deliver(self, payload: Json) -> int:
        """Send what Slack sends; the status of the answer."""
        body, stamp = urlencode({"payload": json.dumps(payload)}).encode(), str(int(time.time()))
        headers = {
            "Content-Type": "application/x-www-form-urlencoded", "X-Slack-Request-Timestamp": stamp,
            "X-Slack-Signature": signature(SIGNING_SECRET, stamp, body),
        }  # fmt: skip
        return self._post("/slack/events", body, headers)[0]

    def ask(self, path: str, document: Json) -> tuple[int, Json]:
        """Ask the HTTP API; the status and the answer."""
        headers = {"Content-Type": "application/json", "Authorization": f"Bearer {self._token}"}
        status, body = self._post(path, json.dumps(document).encode(), headers)
        answer: Json = json.loads(body)
        return status, answer

    def close(self) -> None:
        """Let the connection go."""
        if self._line is not None:
            self._line.close()
            self._line = None

    def _post(self, path: str, body: bytes, headers: dict[str, str]) -> tuple[int, bytes]:
        if self._line is None or self._uses >= USES:
            self.close()
            self._line, self._uses = http.client.HTTPConnection(HOST, self._port, timeout=PATIENCE_S), 0
        self._uses += 1
        try:
            self._line.request("POST", path, body, headers)
            answer = self._line.getresponse()
            return answer.status, answer.read()
        except (OSError, http.client.HTTPException):
            self.close()
            raise
