"""What is found when all is calm again: every run with its messages, requests, effects and record, and the cards in Slack."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from bot.sandbox.player import Json
from engine.models import EffectLine, Event, Pause, RunLine
from engine.state import cards, db, events, ledger, pauses, runs

PAYMENT: Final = "charge_supplier"


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """All that is known of one run."""

    run: RunLine
    messages: Sequence[Json]
    pauses: Sequence[Pause]
    effects: Sequence[EffectLine]
    record: Sequence[Event]

    @property
    def name(self) -> str:
        """The order, and the run."""
        return f"{self.run.launch_key} (run {self.run.id})"

    def payments(self, status: str) -> list[EffectLine]:
        """The payments in the ledger that have this status."""
        return [e for e in self.effects if e.tool == PAYMENT and e.status == status]


def every_run(conn: db.Conn) -> list[Found]:
    """All runs, newest first."""
    return [_found(conn, line) for line in _lines(conn)]


def _lines(conn: db.Conn) -> Iterator[RunLine]:
    offset = 0
    while page := runs.listed(conn, limit=200, offset=offset):
        yield from page
        offset += len(page)


def _found(conn: db.Conn, line: RunLine) -> Found:
    told = runs.get(conn, line.id)
    return Found(
        run=line,
        messages=told.messages,
        pauses=[pauses.get(conn, pause_id) for pause_id in told.pauses],
        effects=ledger.of_run(conn, line.id),
        record=events.of_run(conn, line.id),
    )


def is_copy(conn: db.Conn, message: Json) -> bool:
    """Whether no row knows of this card: Slack took it, and the answer was lost. A click on it makes it known, or repairs it."""
    return all(
        (c.channel, c.ts) != (message["channel"], message["ts"]) for c in cards.of_pause(conn, pause_of(message))
    )


def pause_of(message: Json) -> UUID:
    """The request that a card shows."""
    return UUID(message["metadata"]["event_payload"]["pause_id"])
