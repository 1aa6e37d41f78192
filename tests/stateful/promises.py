"""The promises, when all is calm: counted at the provider, in the rows, in what the model was told, and in Slack."""

import re
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from typing import Any, Final, cast
from uuid import UUID

from bot.cards import blocks
from engine.models import Event
from engine.state import cards, events, pauses, runs
from engine.state.db import SYSTEM_RUN
from tests import rows
from tests.bot.office import actions_of, text_of
from tests.boundaries import hours
from tests.boundaries.promises import _steady
from tests.stateful.ground import ENV, Ground
from tests.stateful.held import ENDED, Run
from tests.stateful.model import Model
from tests.stateful.rules import POLICIES

Json = dict[str, Any]

TOLD: Final = {
    "done": r'\{.*"payment_id"',
    "late": r"paid$",
    "confirmed": r"Done, as \w+ confirmed by hand",
    "not done": r"(It was refused and not done|Not done): ",
    "denied": r"Denied by ",
    "expired": r"(Nobody|\d of \d approved, and nobody else) answered by .* No person refused it\.$",
    "withdrawn": r"Withdrawn; nothing was done",
    "not run": r"Not run, because another call",
    "refused before": r".* refused exactly this before",
    "forbidden": r"Not allowed, and nobody was asked",
    "nobody": r"Nobody may decide on this",
    "no price": r"The present price cannot be had",
    "no grant": r"Not (done|possible, and nobody was asked): ",
}
"""What each word of the model's is to the agent."""


def kept(ground: Ground, model: Model, ids: Sequence[UUID], *, in_slack: bool) -> None:
    """Everything that is promised; `in_slack`: there too."""
    assert all(run.status in ENDED | {"in_doubt"} for run in model.runs)
    for run_id in (SYSTEM_RUN, *ids):
        verified = events.verify(ground.conn, run_id)
        assert isinstance(verified, events.Verified), verified
    for run_id, run in zip(ids, model.runs, strict=True):
        record = events.of_run(ground.conn, run_id)
        _one_winner(run, record)
        _paid_what_was_approved(ground, run_id, run, record)
        _cannot_tell(ground, run_id, run)
    if in_slack:
        _delivered(ground)
        messages = [m for m in ground.office.read("/slack/messages")["messages"] if m["metadata"] and not m["deleted"]]
        for run_id in ids:
            _cards_are_true(ground, run_id, {(m["channel"], m["ts"]): m for m in messages})


def _delivered(ground: Ground) -> None:
    """Slack is there again, and everything reaches it."""
    ground.office.faults()
    ground.courier.slack._limits.until.clear()
    for _ in range(20):
        hours.pass_time(ground.conn)
        ground.deliver()
        if not cards.undelivered(ground.conn):
            break
    given_up = "SELECT kind, dest, error FROM notice WHERE state = 'failed' UNION ALL SELECT kind, dest, error FROM card WHERE state = 'gone'"
    assert ground.conn.execute(given_up).fetchall() == []
    assert cards.undelivered(ground.conn) == 0
    rows.consistent(ground.conn)


def _one_winner(run: Run, record: Sequence[Event]) -> None:
    """Each request left `waiting` once, by its one winner; nobody decided their own, and nobody twice."""
    moves = [e for e in record if e.entity == "pause" and e.to_status]
    settled = Counter(e.entity_id for e in moves if e.from_status == "waiting" and e.to_status != "waiting")
    assert len(settled) == len(run.pauses)
    assert set(settled.values()) <= {1}
    answered = Counter((e.entity_id, e.actor) for e in moves if e.event in ("vote", "approve", "deny"))
    assert set(answered.values()) <= {1}
    assert run.requester not in {actor for _, actor in answered}


def _paid_what_was_approved(ground: Ground, run_id: UUID, run: Run, record: Sequence[Event]) -> None:
    """At the provider: what was approved by as many as it needed, or needs nobody; to the cent, and once."""
    allowed = max(up_to for bands in POLICIES.values() for up_to, need in bands if need.kind == "allow" and up_to)
    made = [
        p
        for p in ground.outside.provider.payments()
        if p["metadata"]["run_id"] == str(run_id) and p["status"] == "succeeded"
    ]
    keys = Counter(p["metadata"]["effect_key"] for p in made)
    assert set(keys.values()) <= {1}, keys
    assert len(made) == sum(len(effect.paid) for effect in run.effects)
    for payment in made:
        pause_id = payment["metadata"].get("pause_id")
        if pause_id is None:
            assert payment["amount"] <= allowed
            continue
        content = pauses.get(ground.conn, UUID(pause_id)).content
        assert content is not None
        assert content.amount is not None
        assert payment["amount"] == content.amount.minor
        said = {e.actor for e in record if e.entity_id == pause_id and e.to_status and e.event in ("vote", "approve")}
        assert len(said - {run.requester}) >= content.need.approvers
        assert any(e.entity_id == pause_id and e.to_status == "approved" for e in record)


def _cannot_tell(ground: Ground, run_id: UUID, run: Run) -> None:
    """The agent was told of every call once, in turn, exactly what became of it; and no budget began anew."""
    found = runs.load(ground.conn, run_id)
    sides = [message["role"] for message in found.messages]
    assert all(side != after for side, after in pairwise(sides)), sides
    parts = [part for message in found.messages if isinstance(message["content"], list) for part in message["content"]]
    results = {p["tool_use_id"]: p["content"] for p in parts if p["type"] == "tool_result"}
    assert len(results) == sum(p["type"] == "tool_result" for p in parts)
    assert set(results) <= {p["id"] for p in parts if p["type"] == "tool_use"}
    results |= {call.tool_use_id: call.result["text"] for call in found.calls if call.result}
    if found.status == "done":
        assert len(results) == sum(p["type"] == "tool_use" for p in parts)
    told = {(int(use.split("_")[2]) + 1, int(use.split("_")[3])): text for use, text in results.items()}
    assert told.keys() == {(step, n) for step, n, _ in run.told}
    for step, n, what in run.told:
        assert re.match(TOLD[what], told[step, n]), (what, told[step, n])
    assert (found.iterations, found.tokens) == (run.iterations, run.iterations * 15)


def _cards_are_true(ground: Ground, run_id: UUID, known: dict[tuple[str, str], Json]) -> None:
    """Every card shows its request as it is, on a message that stands."""
    for pause_id in runs.get(ground.conn, run_id).pauses:
        pause = pauses.get(ground.conn, pause_id)
        for card in cards.of_pause(ground.conn, pause_id):
            assert card.channel is not None
            assert card.ts is not None
            message = known.get((card.channel, card.ts))
            if message is None:
                continue  # deleted after its last word: nobody looks for it any more
            wanted = blocks.card(
                pause, kind=cast("blocks.Kind", card.kind), level=card.level, env=ENV, dest=card.dest
            ).payload()
            assert _read(message) == _read(wanted), f"shown {_read(message)}\nwanted {_read(wanted)}"
            assert actions_of(message) == actions_of(wanted)


def _read(message: Json) -> tuple[str, str]:
    """What it says, but for the hours: a clock that jumped moved those of the row, and not those that were painted."""
    said = (_steady(part) for part in (message["text"], text_of(message["blocks"])))
    text, shown = (re.sub(r"\w{3} \d{1,2} \w{3} \d{4}, \d\d:\d\d UTC", "<a moment>", part) for part in said)
    return text, shown
