"""Three hundred requests within seconds, at a Slack that takes so many calls and no more: all are shown, none twice, and clicks are answered."""

import threading
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from typing import Any, Final, TypeVar
from uuid import UUID

import pytest

from bot.cards import blocks, ids
from engine.state import cards, pauses
from tests import rows
from tests.bot.house import Home, living, settings
from tests.bot.office import Json, Office, actions_of, text_of

T = TypeVar("T")

MANY: Final = 300
PRESSED: Final = 12
RUN_OUT: Final = 40
ANSWERED_WITHIN_S: Final = 3.0
SHOWN_WITHIN_S: Final = 90


@pytest.mark.timeout(180)
def test_three_hundred_at_once_are_all_shown_none_twice_and_clicks_are_answered(
    office: Office, db_url: str, conn: Any
) -> None:
    to_deny = replace(rows.NEED, on_expiry="deny", steps=())
    office.rates(chat_postMessage=(75, 1), chat_update=(20, 1), conversations_open=(1, 1))
    with living(office, settings(office, db_url), frozenset({"web", "sweep"})) as home:
        asked = [rows.waiting(conn, need=to_deny)[0] for _ in range(MANY)]
        home.house.bell.ring()
        with ThreadPoolExecutor(4) as people:
            took = list(people.map(partial(_press, home), asked[:PRESSED]))
        for one in asked[-RUN_OUT:]:
            rows.make_due(conn, one)
        _until(lambda: pauses.get(conn, asked[-1]).status == "expired" and cards.undelivered(conn) == 0)
    assert max(took) < ANSWERED_WITHIN_S
    statuses = Counter(pauses.get(conn, one).status for one in asked)
    assert statuses == {"approved": PRESSED, "expired": RUN_OUT, "waiting": MANY - PRESSED - RUN_OUT}
    _agree(conn, office, asked)
    calls = office.read("/slack/calls")["calls"]
    limited = Counter(call["method"] for call in calls if call["fault"] == "rate_limited")
    assert limited["chat.postMessage"] > 0
    assert [call["method"] for call in calls if call["early"]] == []
    edited = Counter((c["args"]["channel"], c["args"]["ts"]) for c in calls if c["method"] == "chat.update" and c["ok"])
    assert max(edited.values()) <= 2  # the newest state, and not each that there was


def _press(home: Home, pause_id: UUID) -> float:
    """Marta approves it as soon as its card is there: how long she waited for an answer."""

    def card() -> Json | None:
        with home.house.pool.connection() as conn:
            [theirs] = [c for c in cards.of_pause(conn, pause_id) if c.kind == "approver"]
        if theirs.ts is None:
            return None
        return next(m for m in home.office.messages("C0BUY") if m["ts"] == theirs.ts)

    shown = _until(card)
    began = time.monotonic()
    assert home.office.press("U0MARTA", shown, ids.ACTION_APPROVE) == {"ok": True}
    return time.monotonic() - began


def _until(look: Callable[[], T | None]) -> T:
    """What it finds, looked for a few times a second: with so many messages every look at them all would take the time that they need."""
    until, pause = time.monotonic() + SHOWN_WITHIN_S, threading.Event()
    while time.monotonic() < until:
        if found := look():
            return found
        pause.wait(0.3)
    raise AssertionError(f"not within {SHOWN_WITHIN_S} s")


def _agree(conn: Any, office: Office, asked: list[UUID]) -> None:
    """Every card shows its request as it is, and each stands once."""
    messages: dict[tuple[str, str], Json] = {
        (m["channel"], m["ts"]): m for m in office.read("/slack/messages")["messages"] if m["metadata"]
    }
    known = [(pauses.get(conn, one), card) for one in asked for card in cards.of_pause(conn, one)]
    assert {(card.channel, card.ts) for _, card in known} == messages.keys()
    assert len(known) == len(messages) == 2 * MANY
    for pause, card in known:
        kind: Any = card.kind
        wanted = blocks.card(pause, kind=kind, level=card.level, env="test", dest=card.dest)
        message = messages[card.channel or "", card.ts or ""]
        assert text_of(message["blocks"]) == text_of(wanted.blocks)
        assert actions_of(message) == actions_of({"blocks": wanted.blocks})
