"""The promises, checked when all is calm again: every one that is broken is a sentence with the ids needed to look.

The one rule: only what Placet promises is asked, at the provider, in the rows and in Slack; never how it came about.
"""

import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from bot.sandbox.player import Json
from engine.models import Pause
from engine.rules.money import Money
from engine.state import db, events
from tests import rows
from tests.chaos.found import PAYMENT, Found, every_run, is_copy, pause_of
from tests.chaos.people import KEYS, People, buttons

ALLOWED: Final = Money(100_000, "EUR")
"""What the policy of the example lets through without asking."""

REFUSED: Final = ("denied", "expired", "cancelled", "superseded", "voided", "failed")
RESTS: Final = ("done", "error", "cancelled", "awaiting_approval", "in_doubt")
_SAID: Final = re.compile(r"(Approved|Denied) by [^()\"]{1,60} \((\w+)\)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What there was to count, and what was broken."""

    decisions: int
    effects: int
    runs: Counter[str]
    requests: Counter[str]
    copies: int
    violations: Sequence[str]


def verdict(people: People) -> Verdict:
    """Look at everything. The place must be calm."""
    player, home = people.place.player, people.place.home
    paid = [p for p in player.get("/stripe/_payments")["payments"] if p["status"] == "succeeded"]
    said = [m for m in player.get("/slack/messages")["messages"] if m["metadata"] and not m["deleted"]]
    with db.connect(home.database_url, keys=KEYS) as conn:
        found = every_run(conn)
        copies = sum(is_copy(conn, message) for message in said)
        violations = [
            *_launched_once(people, found),
            *_rows(conn, found),
            *(
                fault
                for one in found
                for check in (_settled_once, _decided_by_those_who_may, _answered_once)
                for fault in check(one)
            ),
            *(fault for one in found for check in (_paid_once, _paid_what_was_approved) for fault in check(one, paid)),
            *_nothing_else_paid(found, paid),
            *_given_up(conn),
            *_told_truly(found, said),
        ]
    return Verdict(
        decisions=sum(
            e.event in ("approve", "deny", "vote") and e.to_status is not None for f in found for e in f.record
        ),
        effects=sum(e.status == "done" for f in found for e in f.effects),
        runs=Counter(f.run.status for f in found),
        requests=Counter(p.status for f in found for p in f.pauses),
        copies=copies,
        violations=violations,
    )


def _launched_once(people: People, found: Sequence[Found]) -> Iterator[str]:
    """An answered launch is there, and one order is one run."""
    known = {(f.run.launch_key, str(f.run.id)) for f in found}
    for ref, answered in people.acknowledged.items():
        if len(answered) != 1:
            yield f"{ref} was answered with several runs: {sorted(answered)}"
        for run_id in answered:
            if (ref, run_id) not in known:
                yield f"{ref} was answered with run {run_id}, which is not there"


def _rows(conn: db.Conn, found: Sequence[Found]) -> Iterator[str]:
    """The rows agree with each other and with the record, and every run has come to rest."""
    try:
        rows.consistent(conn)
    except AssertionError as error:
        yield f"rows do not agree: {error}"
    for run_id in (db.SYSTEM_RUN, *(f.run.id for f in found)):
        checked = events.verify(conn, run_id)
        if not isinstance(checked, events.Verified):
            yield f"the record of run {run_id} does not hold: {checked}"
    for one in found:
        if one.run.status not in RESTS:
            yield f"{one.name} is still {one.run.status}"
        doubtful = [e for e in one.effects if e.status == "in_doubt"]
        if (one.run.status == "in_doubt") != bool(doubtful):
            yield f"{one.name} is {one.run.status}, with {len(doubtful)} effects in doubt"
        for effect in doubtful:
            if not effect.error:
                yield f"{one.name} is in doubt, and effect {effect.id} does not say why"


def _paid_once(one: Found, paid: Sequence[Json]) -> Iterator[str]:
    """Done once, none lost, and never what was refused."""
    made, done = _made(one, paid), one.payments("done")
    doubtful = len(one.payments("in_doubt"))
    if len(made) > 1:
        yield f"{one.name} was paid {len(made)} times: {[p['id'] for p in made]}"
    if not len(done) <= len(made) <= len(done) + doubtful:
        told = [(e.status, e.error) for e in one.effects if e.tool == PAYMENT]
        yield f"{one.name}: {len(made)} payments at the provider, and in the ledger {told}"
    executed = [p.id for p in one.pauses if p.status == "executed"]
    if executed != [e.pause_id for e in done if e.pause_id]:
        yield f"{one.name}: executed are the requests {executed}, and done the effects of {[e.pause_id for e in done]}"
    if made and one.pauses and one.pauses[-1].status in REFUSED:
        yield f"{one.name} was paid, and its last request is {one.pauses[-1].status}"


def _paid_what_was_approved(one: Found, paid: Sequence[Json]) -> Iterator[str]:
    """Approved = executed: the same money under the same key as was shown and stored; nothing over the limit unasked."""
    by_id = {p.id: p for p in one.pauses}
    for payment, effect in zip(_made(one, paid), one.payments("done"), strict=False):
        stored = Money.from_document(json.loads(effect.action)["arguments"]["amount"])
        asked = by_id[effect.pause_id].content if effect.pause_id else None
        if payment["metadata"].get("effect_key") != effect.effect_key:
            yield f"{one.name}: payment {payment['id']} has another key than its effect {effect.id}"
        if (payment["amount"], payment["currency"].upper()) != (stored.minor, stored.currency):
            yield f"{one.name}: {payment['amount']} {payment['currency']} was paid, and {stored} stored"
        if effect.pause_id is None and (stored.minor > ALLOWED.minor or stored.currency != ALLOWED.currency):
            yield f"{one.name}: {stored} was paid, and nobody asked"
        if asked is not None and asked.amount != stored:
            yield f"{one.name}: the request {effect.pause_id} showed {asked.amount}, and {stored} was paid"


def _made(one: Found, paid: Sequence[Json]) -> list[Json]:
    return [p for p in paid if p["metadata"].get("order_ref") == one.run.launch_key]


def _nothing_else_paid(found: Sequence[Found], paid: Sequence[Json]) -> Iterator[str]:
    known = {f.run.launch_key for f in found}
    for payment in paid:
        if payment["metadata"].get("order_ref") not in known:
            yield f"payment {payment['id']} belongs to no run: {payment['metadata']}"


def _settled_once(one: Found) -> Iterator[str]:
    """One winner: one move out of `waiting` and none for what waits."""
    for pause in one.pauses:
        moves = [e for e in one.record if e.entity == "pause" and e.entity_id == str(pause.id) and e.to_status]
        settled = [e for e in moves if e.from_status == "waiting" and e.to_status != "waiting"]
        if len(settled) != (pause.status != "waiting"):
            yield f"{one.name}: the request {pause.id} is {pause.status} and was settled by {[(e.event, e.actor) for e in settled]}"
        if len([e for e in moves if e.from_status == "approved"]) > 1:
            yield f"{one.name}: the approved request {pause.id} moved more than once"
        if not pause.intact:
            yield f"{one.name}: the request {pause.id} is not what was asked"


def _decided_by_those_who_may(one: Found) -> Iterator[str]:
    """Nobody decides their own request, nor at another level than theirs."""
    by_id = {str(p.id): p for p in one.pauses}
    level: Counter[str] = Counter()
    for event in one.record:
        if event.entity != "pause" or event.to_status is None:
            continue
        level[event.entity_id] += event.event == "escalate"
        pause = by_id[event.entity_id]
        if event.event in ("approve", "deny", "vote") and event.actor not in _may(pause, level[event.entity_id]):
            yield f"{one.name}: {event.actor} may not {event.event} the request {pause.id} at level {level[event.entity_id]}"


def _may(pause: Pause, level: int) -> set[str]:
    """Who may decide it, by the policy and the people of the example."""
    assert pause.content is not None
    asked = {"marta", "ines"} if pause.content.need.role else [{"marta"}, {"otto"}][level]
    return asked - {pause.on_behalf_of}


def _given_up(conn: db.Conn) -> Iterator[str]:
    """Nothing that people had to be told is given up: whatever broke, Slack is there again."""
    for (notice,) in conn.execute("SELECT row_to_json(notice) FROM notice WHERE state = 'failed'").fetchall():
        yield f"a notice ({notice['kind']}) to {notice['dest']} was given up: {notice['error']}"
    for (card,) in conn.execute("SELECT row_to_json(card) FROM card WHERE state = 'gone'").fetchall():
        yield f"the card of request {card['pause_id']} to {card['dest']} was given up: {card['error']}"


def _answered_once(one: Found) -> Iterator[str]:
    """A resumed run cannot tell: every call has one result, none has two, and the two sides take turns."""
    blocks = [block for message in one.messages for block in message["content"] if isinstance(block, dict)]
    calls = Counter(block["id"] for block in blocks if block["type"] == "tool_use")
    results = Counter(block["tool_use_id"] for block in blocks if block["type"] == "tool_result")
    if results - calls or (one.run.status == "done" and calls != results):
        yield f"{one.name}: the calls {calls} have the results {results}"
    sides = [message["role"] for message in one.messages]
    if any(side == after for side, after in pairwise(sides)):
        yield f"{one.name}: two messages of one side follow each other: {sides}"


def _told_truly(found: Sequence[Found], said: Sequence[Json]) -> Iterator[str]:
    """No card of a settled request can be decided, and what a card ever said of a decision is on record."""
    by_id = {p.id: (one, p) for one in found for p in one.pauses}
    for message in said:
        pause_id = pause_of(message)
        if pause_id not in by_id:
            yield f"a card in {message['channel']} shows request {pause_id}, which is not there"
            continue
        one, pause = by_id[pause_id]
        decided = {(e.event, e.actor) for e in one.record if e.entity_id == str(pause_id) and e.to_status}
        if pause.status != "waiting" and buttons(message):
            yield f"{one.name}: the request {pause_id} is {pause.status}, and its card in {message['channel']} shows {buttons(message)}"
        for body in (message, *message["past"]):
            for verb, person in _SAID.findall(json.dumps([body.get("text"), body.get("blocks")], ensure_ascii=False)):
                if ({"Approved": "approve", "Denied": "deny"}[verb], person) not in decided:
                    yield f"{one.name}: a card said {verb} by {person}, and the record says {sorted(decided)}"
