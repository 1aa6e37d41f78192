"""The promises, checked when all is calm again: every one that is broken is a sentence with the ids needed to look.

The one rule: only what Placet promises is asked, at the provider, in the rows and in Slack; never how it came about. Runs are looked at one
by one, so that a hundred thousand decisions can be.
"""

import json
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from itertools import pairwise
from typing import Final
from uuid import UUID

from bot.cards.ids import ACTION_WITHDRAW
from bot.sandbox.player import Json
from engine.models import Event, Pause
from engine.rules.money import Money
from engine.state import cards, db, events
from tests import rows
from tests.chaos.found import PAYMENTS, Found, every_run, known_cards, world
from tests.chaos.seen import BUTTONS, Seen

ALLOWED: Final = Money(100_000, "EUR")
"""What the policy of the example lets through without asking."""

REFUSED: Final = ("denied", "expired", "cancelled", "superseded", "voided", "failed")
RESTS: Final = ("done", "error", "cancelled", "awaiting_approval", "in_doubt")
BY_A_CLICK: Final = ("approve", "deny", "answer")
DECISIONS: Final = (*BY_A_CLICK, "expire")
"""What settles a request: somebody's click, or its timer. What is withdrawn, cancelled or asked again is none."""

CALLS: Final = ("attempt", "repeat", "reattempt")
A_STATEMENT: Final = timedelta(seconds=0.5)
"""How long a statement may be under way that looked whether effects are stopped."""

LIVE: Final = {"waiting": set(BUTTONS), "approved": {ACTION_WITHDRAW}}
"""Which buttons a card may show; one that is approved, and whose siblings still wait, can be withdrawn."""

ROLES: Final = {"finance-approver": {"marta", "ines"}, "board": {"marta", "ines", "otto"}}


@dataclass(slots=True, kw_only=True)
class Verdict:
    """What there was to count, and what was broken."""

    decisions: Counter[str] = field(default_factory=Counter)
    effects: int = 0
    runs: Counter[str] = field(default_factory=Counter)
    requests: Counter[str] = field(default_factory=Counter)
    copies: int = 0
    violations: list[str] = field(default_factory=list)

    def count(self, one: Found) -> None:
        """Count what one run adds."""
        self.runs[one.run.status] += 1
        self.requests.update(pause.status for pause in one.pauses)
        self.decisions.update(e.event for e in one.record if e.event in DECISIONS and e.to_status is not None)
        self.effects += sum(effect.status == "done" for effect in one.effects)


def verdict(
    conn: db.Conn, *, acknowledged: Mapping[str, AbstractSet[str]], paid: Sequence[Json], cards: Sequence[Seen]
) -> Verdict:
    """Look at everything. The place must be calm; `conn` knows the keys."""
    said, known = Verdict(), known_cards(conn)
    said.copies = sum((card.channel, card.ts) not in known for card in cards)
    there: defaultdict[str, set[str]] = defaultdict(set)
    halted, away = _halted(conn), _away(conn)
    keys: set[str] = set()
    asked: set[UUID] = set()
    for one in every_run(conn, world(paid, cards)):
        said.count(one)
        there[one.run.launch_key or ""].add(str(one.run.id))
        keys.update(effect.effect_key for effect in one.effects)
        asked.update(pause.id for pause in one.pauses)
        said.violations += [fault for check in CHECKS for fault in check(one)]
        said.violations += _on_record(conn, one)
        said.violations += _nothing_begun(one, halted)
        said.violations += _stood_in(one, away)
    said.violations += [
        *_launched_once(acknowledged, there), *_ordered_once(paid), *_rows(conn), *_together(conn), *_nothing_else_paid(keys, paid), *_given_up(conn),
        *(f"a card in {card.channel} shows request {card.pause_id}, which is not there" for card in cards if card.pause_id not in asked),
    ]  # fmt: skip
    return said


def _launched_once(
    acknowledged: Mapping[str, AbstractSet[str]], there: Mapping[str, AbstractSet[str]]
) -> Iterator[str]:
    """An answered launch is there, and one order is one run."""
    for ref, answered in acknowledged.items():
        if len(answered) > 1:
            yield f"{ref} was answered with several runs: {sorted(answered)}"
        for run_id in answered - there.get(ref, set()):
            yield f"{ref} was answered with run {run_id}, which is not there"


def _ordered_once(paid: Sequence[Json]) -> Iterator[str]:
    """Whatever is asked again, by another run too, is paid once."""
    for ref, times in Counter(payment["metadata"].get("order_ref") for payment in paid).items():
        if times > 1:
            yield f"{ref} was paid {times} times"


def _rows(conn: db.Conn) -> Iterator[str]:
    """The rows agree with each other, and the system's own record holds."""
    try:
        rows.consistent(conn)
    except AssertionError as error:
        yield f"rows do not agree: {error}"
    checked = events.verify(conn, db.SYSTEM_RUN)
    if not isinstance(checked, events.Verified):
        yield f"the record of the system does not hold: {checked}"


def _on_record(conn: db.Conn, one: Found) -> Iterator[str]:
    """Everything is on record, and the record agrees with the rows."""
    checked = events.verify(conn, one.run.id)
    if not isinstance(checked, events.Verified):
        yield f"the record of {one.name} does not hold: {checked}"


def _halted(conn: db.Conn) -> list[tuple[datetime, datetime]]:
    """From when until when every effect was stopped."""
    told = [e for e in events.of_run(conn, db.SYSTEM_RUN) if e.event in ("halt", "unhalt") and e.to_status]
    return [(halt.at, lifted.at) for halt, lifted in pairwise(told) if halt.event == "halt"]


def _nothing_begun(one: Found, halted: Sequence[tuple[datetime, datetime]]) -> Iterator[str]:
    """While every effect is stopped no call begins; one whose statement had begun may."""
    for event in one.record:
        if event.entity == "effect" and event.event in CALLS and event.to_status:
            for since, until in halted:
                if since + A_STATEMENT < event.at < until:
                    yield f"{one.name}: {event.event} of {event.entity_id} at {event.at}, and effects were stopped from {since} to {until}"


def _together(conn: db.Conn) -> Iterator[str]:
    """What was let through without asking never comes to more than its rule allows, with what went to the same payee within the window."""
    query = """
        SELECT s.effect_id, s.minor + coalesce((SELECT sum(o.minor) FROM spending o JOIN effect f ON f.id = o.effect_id
                                                 WHERE (o.action, o.payee, o.currency) = (s.action, s.payee, s.currency) AND f.status <> 'failed'
                                                   AND o.at < s.at AND o.at > s.at - interval '10 seconds'), 0)
          FROM spending s JOIN effect e ON e.id = s.effect_id WHERE e.pause_id IS NULL AND s.currency = 'EUR'"""
    for effect_id, minor in conn.execute(query).fetchall():
        if minor > ALLOWED.minor:
            yield f"the payment {effect_id} was let through, and with those before it comes to {minor}"


def _away(conn: db.Conn) -> list[tuple[datetime, datetime]]:
    """From when until when Marta was away, and Ines answered for her."""
    return list(conn.execute("SELECT starts_at, ends_at FROM away").fetchall())


def _stood_in(one: Found, away: Sequence[tuple[datetime, datetime]]) -> Iterator[str]:
    """Ines answers what is asked of Marta by name only while Marta is away."""
    for pause in one.pauses:
        for vote in pause.votes:
            by_name = pause.content is not None and pause.content.need.role is None and vote.level == 0
            if by_name and vote.person == "ines" and not any(since <= vote.at < until for since, until in away):
                yield f"{one.name}: ines answered the request {pause.id} for marta, who was not away at {vote.at}"


def _nothing_else_paid(keys: AbstractSet[str], paid: Sequence[Json]) -> Iterator[str]:
    for payment in paid:
        if payment["metadata"].get("effect_key") not in keys:
            yield f"payment {payment['id']} belongs to no effect: {payment['metadata']}"


def _given_up(conn: db.Conn) -> Iterator[str]:
    """Nothing that people had to be told is given up: whatever broke, Slack is there again.

    A card that was let go because nobody is asked where it was to be shown, and that nobody saw, is nothing they had to be told.
    """
    for (notice,) in conn.execute("SELECT row_to_json(notice) FROM notice WHERE state = 'failed'").fetchall():
        yield f"a notice ({notice['kind']}) to {notice['dest']} was given up: {notice['error']}"
    for (card,) in conn.execute(
        "SELECT row_to_json(card) FROM card WHERE state = 'gone' AND (error IS DISTINCT FROM %s OR ts IS NOT NULL)",
        (cards.NOT_SHOWN,),
    ).fetchall():
        yield f"the card of request {card['pause_id']} to {card['dest']} was given up: {card['error']}"


def _at_rest(one: Found) -> Iterator[str]:
    """Every run has come to rest, and one that is in doubt says why."""
    if one.run.status not in RESTS:
        yield f"{one.name} is still {one.run.status}"
    doubtful = [e for e in one.effects if e.status == "in_doubt"]
    if (one.run.status == "in_doubt") != bool(doubtful):
        yield f"{one.name} is {one.run.status}, with {len(doubtful)} effects in doubt"
    for effect in doubtful:
        if not effect.error:
            yield f"{one.name} is in doubt, and effect {effect.id} does not say why"


def _paid_once(one: Found) -> Iterator[str]:
    """Done once, none lost, and never what was refused: at the provider, by what is paid and by the effect's key."""
    for name in ("order_ref", "effect_key"):
        for what, times in Counter(p["metadata"].get(name) for p in one.payments).items():
            if times > 1:
                yield f"{one.name}: {what} was paid {times} times"
    made = {p["metadata"].get("effect_key") for p in one.payments}
    done, doubtful = ({e.effect_key for e in one.paying(status)} for status in ("done", "in_doubt"))
    if not done <= made <= done | doubtful:
        told = [(e.effect_key, e.status, e.error) for e in one.effects if e.tool in PAYMENTS]
        yield f"{one.name}: at the provider are payments {sorted(map(str, made))}, and in the ledger {told}"
    executed = {p.id for p in one.pauses if p.status == "executed"}
    by_ledger = {e.pause_id for e in one.paying("done") if e.pause_id}
    if executed != by_ledger:
        yield f"{one.name}: executed are the requests {executed}, and done the effects of {by_ledger}"
    last = {f"{one.run.id}:{p.step}:{p.n}": p.status for p in one.pauses}
    for key in made:
        if last.get(str(key)) in REFUSED:
            yield f"{one.name}: {key} was paid, and its last request is {last[str(key)]}"


def _paid_what_was_approved(one: Found) -> Iterator[str]:
    """Approved = executed: the same money under the same key as was shown and stored; nothing over the limit unasked."""
    by_id = {p.id: p for p in one.pauses}
    paid = {p["metadata"].get("effect_key"): p for p in one.payments}
    for effect in one.paying("done"):
        stored = Money.from_document(json.loads(effect.action)["arguments"]["amount"])
        payment = paid.get(effect.effect_key)
        if payment and (payment["amount"], payment["currency"].upper()) != (stored.minor, stored.currency):
            yield f"{one.name}: {payment['amount']} {payment['currency']} was paid, and {stored} stored"
        if effect.pause_id is None:
            if stored.minor > ALLOWED.minor or stored.currency != ALLOWED.currency:
                yield f"{one.name}: {stored} was paid, and nobody asked"
            continue
        asked = by_id[effect.pause_id]
        if asked.content is None or asked.content.amount != stored:
            yield f"{one.name}: the request {asked.id} showed something else than {stored}, which was paid"
        if asked.content and len(asked.voters) < asked.content.need.approvers:
            yield f"{one.name}: {stored} was paid, and {asked.voters} approved it where {asked.content.need.approvers} had to"


def _settled_once(one: Found) -> Iterator[str]:
    """One winner: one move out of `waiting` and none for what waits."""
    moves: defaultdict[str, list[Event]] = defaultdict(list)
    for event in one.record:
        if event.entity == "pause" and event.to_status:
            moves[event.entity_id].append(event)
    for pause in one.pauses:
        settled = [e for e in moves[str(pause.id)] if e.from_status == "waiting" and e.to_status != "waiting"]
        if len(settled) != (pause.status != "waiting"):
            yield f"{one.name}: the request {pause.id} is {pause.status} and was settled by {[(e.event, e.actor) for e in settled]}"
        if sum(e.from_status == "approved" for e in moves[str(pause.id)]) > 1:
            yield f"{one.name}: the approved request {pause.id} moved more than once"
        if not pause.intact:
            yield f"{one.name}: the request {pause.id} is not what was asked"


def _decided_by_those_who_may(one: Found) -> Iterator[str]:
    """Nobody decides their own request, or asks about it, nor at another level than theirs; and nobody but the requester answers."""
    by_id = {str(p.id): p for p in one.pauses}
    level: Counter[str] = Counter()
    for event in one.record:
        if event.entity != "pause" or event.to_status is None:
            continue
        level[event.entity_id] += event.event == "escalate"
        pause = by_id[event.entity_id]
        if pause.content is None:
            continue  # said above: it is not what was asked
        if event.event == "reply" and event.actor != pause.on_behalf_of:
            yield f"{one.name}: {event.actor} answered for {pause.on_behalf_of} about the request {pause.id}"
        if event.event in (*BY_A_CLICK, "vote", "ask_back") and event.actor not in _may(pause, level[event.entity_id]):
            yield f"{one.name}: {event.actor} may not {event.event} the request {pause.id} at level {level[event.entity_id]}"


def _may(pause: Pause, level: int) -> set[str]:
    """Who may decide it, by the policy and the people of the example."""
    assert pause.content is not None, "whoever calls this has looked"
    role = pause.content.need.role
    asked = ROLES[role] if role else [{"marta", "ines"}, {"otto"}][level]  # when Ines may for Marta: _stood_in
    return asked - {pause.on_behalf_of}


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


def _told_truly(one: Found) -> Iterator[str]:
    """No card of a settled request can be decided, and what a card ever said of a decision is on record."""
    status = {p.id: p.status for p in one.pauses}
    decided = {(e.entity_id, e.event, e.actor) for e in one.record if e.entity == "pause" and e.to_status}
    for card in one.cards:
        if card.buttons - LIVE.get(status[card.pause_id], set()):
            yield f"{one.name}: the request {card.pause_id} is {status[card.pause_id]}, and its card in {card.channel} shows {sorted(card.buttons)}"
        for event, actor in card.told:
            if (str(card.pause_id), event, actor) not in decided:
                yield f"{one.name}: a card told of {event} by {actor}, and the record of {card.pause_id} does not"


CHECKS: Final = (
    _at_rest, _paid_once, _paid_what_was_approved, _settled_once, _decided_by_those_who_may, _answered_once, _told_truly,
)  # fmt: skip
"""What is asked of every run by itself."""
