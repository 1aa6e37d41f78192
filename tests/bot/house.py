"""The whole bot for a test: assembled as in production, served on a socket, and Slack's deliveries sent to it."""

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode
from uuid import UUID

import httpx
import psycopg

from bot.main import House, assemble
from engine.models import Pause
from engine.settings import Settings
from engine.state import cards, pauses
from tests import database
from tests.bot.office import SECRET, TOKEN, Json, Office, is_card
from tests.sandbox.loopback import serving

API_TOKEN = "token-of-the-tests-" + "x" * 32


@dataclass(frozen=True)
class Home:
    """A running bot and the workspace it works in."""

    house: House
    office: Office
    url: str
    http: httpx.Client

    def pause(self, pause_id: UUID) -> Pause:
        with self.house.pool.connection() as conn:
            return pauses.get(conn, pause_id)

    def card(self, channel: str = "C0BUY") -> Json:
        """The newest card of the channel, once it is there."""
        return self.office.await_(lambda: next(iter(self._cards(channel)[::-1]), None))

    def calm(self) -> None:
        """Until everything is shown and said, so that a fault that is planned now meets what comes next."""

        def shown() -> bool:
            with self.house.pool.connection() as conn:
                return cards.undelivered(conn) == 0

        self.office.await_(shown)

    def _cards(self, channel: str) -> list[Json]:
        return [m for m in self.office.messages(channel) if is_card(m)]

    def private(self, user: str, channel: str = "C0BUY", nth: int = 1) -> str:
        """The nth thing said to this person alone, once it is there."""
        return self.office.await_(lambda: self.office.private(user, channel)[nth - 1 :])[0]


def as_url(conninfo: str) -> str:
    """A connection string as the URL that settings take."""
    given = psycopg.conninfo.conninfo_to_dict(conninfo)
    return f"postgresql:///{given.pop('dbname')}?{urlencode(given)}"


def settings(office: Office, db_url: str, **changes: Any) -> Settings:
    """Settings for a test."""
    given: dict[str, Any] = {
        "database_url": as_url(db_url),
        "slack_bot_token": TOKEN,
        "slack_signing_secret": SECRET,
        "slack_api_url": f"{office.url}/slack/api/",
        "anthropic_api_key": "sk-ant-test",
        "api_token": API_TOKEN,
        "agents": ("examples.procurement.agent",),
        "env": "test",
        "sweep_s": 0.2,
        **database.HOLDS,
    }
    return Settings(**given | changes)


def environment(office: Office, db_url: str, **changes: str) -> dict[str, str]:
    """The same as the environment of a process of its own."""
    kept = {
        name: value for name, value in os.environ.items() if not name.startswith(("SLACK_", "PLACET_", "ANTHROPIC_"))
    }
    return {
        **kept,
        "DATABASE_URL": as_url(db_url),
        "SLACK_BOT_TOKEN": TOKEN,
        "SLACK_SIGNING_SECRET": SECRET,
        "SLACK_API_URL": f"{office.url}/slack/api/",
        "ANTHROPIC_API_KEY": "sk-ant-test",
        "PLACET_API_TOKEN": API_TOKEN,
        "PLACET_AGENTS": "examples.procurement.agent",
        "STRIPE_API_KEY": "sk_test_placet",
        **changes,
    }


@contextmanager
def living(office: Office, given: Settings, parts: frozenset[str] = frozenset({"web"})) -> Iterator[Home]:
    """Assemble it and let it run for as long as the block does; clicks in the office reach it."""
    house = assemble(given)
    office.hurry.append(house.bell.ring)
    try:
        house.start(parts)
        with serving(house.web) as url, httpx.Client(base_url=url, timeout=10, verify=False) as http:
            office.deliver_to(f"{url}/slack/events")
            yield Home(house=house, office=office, url=url, http=http)
    finally:
        office.hurry.remove(house.bell.ring)
        house.close()


def send(home: Home, action_id: str, value: str) -> Json:
    """A message with one button of ours, clicked by Marta: as it may come from another version or another installation."""
    button = {"type": "button", "action_id": action_id, "value": value, "text": {"type": "plain_text", "text": "Press"}}
    blocks = json.dumps([{"type": "actions", "elements": [button]}])
    posted = home.office.http.post(
        "/slack/api/chat.postMessage",
        json={"channel": "C0OPS", "text": "x", "blocks": blocks},
        headers={"Authorization": "Bearer xoxb-local-token"},
    ).json()
    [message] = [m for m in home.office.messages("C0OPS") if m["ts"] == posted["ts"]]
    return home.office.press("U0MARTA", message, action_id)
