"""What is found when all is calm again: run by run, with its messages, requests, effects and record; what was paid; and the cards in Slack."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from bot.sandbox.player import Json
from engine.models import EffectLine, Event, Pause, RunLine
from engine.state import db, events, ledger, pauses, runs
from tests.chaos.seen import Seen

PAYMENTS: Final = ("charge_supplier", "pay")
"""The tools that pay."""
PAGE: Final = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """All that is known of one run. `payments` are those at the provider that name it, `cards` those in Slack that show its requests."""

    run: RunLine
    messages: Sequence[Json]
    pauses: Sequence[Pause]
    effects: Sequence[EffectLine]
    record: Sequence[Event]
    payments: Sequence[Json]
    cards: Sequence[Seen]

    @property
    def name(self) -> str:
        """The order, and the run."""
        return f"{self.run.launch_key} (run {self.run.id})"

    def paying(self, status: str) -> list[EffectLine]:
        """The payments in the ledger that have this status."""
        return [e for e in self.effects if e.tool in PAYMENTS and e.status == status]


@dataclass(frozen=True, slots=True)
class World:
    """What is known outside, to be looked up run by run: payments by run, cards by request."""

    payments: Mapping[str, Sequence[Json]]
    cards: Mapping[UUID, Sequence[Seen]]


def world(paid: Sequence[Json], cards: Sequence[Seen]) -> World:
    """Put in order what the provider and Slack know."""
    by_run: defaultdict[str, list[Json]] = defaultdict(list)
    by_pause: defaultdict[UUID, list[Seen]] = defaultdict(list)
    for payment in paid:
        by_run[payment["metadata"].get("run_id", "")].append(payment)
    for card in cards:
        by_pause[card.pause_id].append(card)
    return World(by_run, by_pause)


def every_run(conn: db.Conn, outside: World) -> Iterator[Found]:
    """All runs, newest first, one at a time: a hundred thousand requests are too much to hold at once."""
    offset = 0
    while page := runs.listed(conn, limit=PAGE, offset=offset):
        for line in page:
            yield _found(conn, line, outside)
        offset += len(page)


def _found(conn: db.Conn, line: RunLine, outside: World) -> Found:
    told = runs.get(conn, line.id)
    return Found(
        run=line,
        messages=told.messages,
        pauses=[pauses.get(conn, pause_id) for pause_id in told.pauses],
        effects=ledger.of_run(conn, line.id),
        record=events.of_run(conn, line.id),
        payments=outside.payments.get(str(line.id), ()),
        cards=[card for pause_id in told.pauses for card in outside.cards.get(pause_id, ())],
    )


def known_cards(conn: db.Conn) -> set[tuple[str, str]]:
    """Where the rows believe cards to be. A message that is not among these is a copy: Slack took it, and the answer was lost."""
    return {
        (channel, ts) for channel, ts in conn.execute("SELECT channel, ts FROM card WHERE ts IS NOT NULL").fetchall()
    }
