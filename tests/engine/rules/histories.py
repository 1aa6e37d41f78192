"""Small true records, made move by move with the real links and marks, and the rows that agree with them; and hands that falsify them.

A hand takes a record and gives what somebody made of it who can write to the database. It mends no link, mark or row besides: whoever knows
how these are made is `rewritten`.
"""

import json
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from itertools import groupby
from typing import Any, Self

from engine.rules import digest
from engine.rules.chain import Record

Hand = Callable[[Record], Record]

ASKED = digest.canonical({"summary": "EUR 38,000.00 to Nordholz Industrial"})
ASKED_DIGEST = digest.of_canonical("placet.pause.v1", ASKED)
ACTION = digest.canonical({"tool": "pay", "arguments": {"order": "PO-1", "amount": "38000.00"}})
ACTION_DIGEST = digest.of_canonical("placet.action.v1", ACTION)
RECEIPT = json.dumps({"id": "pi_1"})


def hour(seq: int) -> str:
    """When a move of these records was made, as the chain has it."""
    return str(1_900_000_000_000_000 + seq)


@dataclass
class History:
    """A run as it goes on, one move at a time; each method makes one. Its entities bear the ids that are given."""

    run: str = "r1"
    pause: str = "p1"
    effect: str = "e1"
    entries: list[dict[str, Any]] = field(default_factory=list)
    rows: dict[str, list[dict[str, Any]]] = field(
        default_factory=lambda: {"run": [], "pause": [], "vote": [], "effect": []}
    )

    @property
    def record(self) -> Record:
        """The record as it stands, with the rows that agree with it."""
        entries, rows = [dict(e) for e in self.entries], {kind: [dict(r) for r in of] for kind, of in self.rows.items()}
        return rewritten(Record(seq=0, head="", entries=entries, rows=rows))

    def move(self, *events: tuple[str, str, str, str | None, str, str | None]) -> Self:
        """One move: of each event the entity, from_status, event, to_status, actor and detail."""
        seq = self.entries[-1]["seq"] + 1 if self.entries else 1
        for n, (entity, before, event, after, actor, detail) in enumerate(events, start=1):
            said = (
                entity,
                getattr(self, entity, "effects"),
                before,
                event,
                after,
                actor,
                "slack:card",
                detail,
                hour(seq),
            )
            self.entries.append({"seq": seq, "n": n, **dict(zip(digest.CHAIN_FIELDS, said, strict=True))})
            if after is not None and entity in self.rows:
                self._row(entity)["status"] = after
        return self

    def _row(self, entity: str) -> dict[str, Any]:
        of = getattr(self, entity)
        if not any(row["id"] == of for row in self.rows[entity]):
            self.rows[entity].append({"id": of})
        return next(row for row in self.rows[entity] if row["id"] == of)

    def launched(self) -> Self:
        """Launched, and taken by a worker: two moves."""
        return self.move(("run", "new", "launch", "queued", "priya", None)).claimed()

    def claimed(self) -> Self:
        return self.move(("run", "queued", "claim", "running", "w1", None))

    def asked(self) -> Self:
        wait = ("run", "running", "ask", "awaiting_approval", "w1", None)
        self.move(("pause", "new", "open", "waiting", "w1", ASKED_DIGEST), wait)
        content = {"digest": ASKED_DIGEST, "document": ASKED, "seal": None}
        self._row("pause").update(decided_by=None, decided_at=None, voters=[], **content)
        return self

    def answered(self, event: str, person: str, reason: str | None = None) -> Self:
        """By somebody who may: a vote, the approval that settles it, or a denial."""
        after = {"vote": "waiting", "approve": "approved", "deny": "denied"}[event]
        wake = [] if event == "vote" else [("run", "awaiting_approval", "wake", "queued", person, None)]
        self.move(("pause", "waiting", event, after, person, reason), *wake)
        at, row = self.entries[-1]["at"], self._row("pause")
        row["voters"] = [*row["voters"], person]
        if event != "vote":
            row.update(decided_by=person, decided_at=at)
        said = {"verdict": "deny" if event == "deny" else "approve", "surface": "slack:card", "reason": reason}
        self.rows["vote"].append({"pause_id": self.pause, "person": person, "at": at, "seal": None, **said})
        return self

    def refused(self, event: str, person: str) -> Self:
        """An attempt to answer that changed nothing, and stands in the record all the same."""
        return self.move(("pause", self._row("pause")["status"], event, None, person, "not_approver"))

    def withdrawn(self) -> Self:
        """An approved request that was taken back, and the run with it."""
        cancel = ("pause", "approved", "cancel", "cancelled", "priya", None)
        self.move(cancel, ("run", "queued", "cancel", "cancelled", "priya", None))
        self._row("pause").update(decided_by="priya", decided_at=self.entries[-1]["at"])
        return self

    def begun(self) -> Self:
        self.move(("effect", "new", "attempt", "attempted", "priya", ACTION_DIGEST))
        self._row("effect").update(action=ACTION, digest=ACTION_DIGEST, receipt=None)
        return self

    def in_doubt(self) -> Self:
        doubt = ("effect", "attempted", "doubt", "in_doubt", "priya", "no answer")
        return self.move(doubt, ("run", "running", "doubt", "in_doubt", "system", None))

    def settled(self) -> Self:
        """Done, with its receipt: by the provider's answer, or by that of a person where there was none."""
        before = self._row("effect")["status"]
        event = "resolve" if before == "in_doubt" else "succeed"
        executed = ("pause", "approved", "execute", "executed", "priya", None)
        self.move(("effect", before, event, "done", "priya", RECEIPT), executed)
        self._row("effect")["receipt"] = RECEIPT
        return self

    def finished(self) -> Self:
        return self.move(("run", "running", "finish", "done", "w1", None))


def approved(history: History | None = None) -> History:
    """Moves 1 to 6: launch, claim, open with ask, a vote of marta, a try of otto who may not, the approval of ines with wake."""
    asked = (history or History()).launched().asked()
    return asked.answered("vote", "marta", "Fine.").refused("approve", "otto").answered("approve", "ines")


def paid(history: History | None = None) -> History:
    """And 7 to 10: claim, attempt, succeed with execute, finish."""
    return approved(history).claimed().begun().settled().finished()


def system() -> History:
    """The chain of the system itself, whose events stand alone: halt and unhalt."""
    halt, unhalt = (("system", "new", event, "done", "otto", None) for event in ("halt", "unhalt"))
    return History().move(halt).move(unhalt)


# ----------------------------------------------------------------------------------------------------------------- hands


def rewritten(record: Record) -> Record:
    """The links, marks and count made anew, to fit the entries as they are."""
    head, entries = digest.GENESIS, list[dict[str, Any]]()
    for _, move in groupby(sorted(record.entries, key=lambda e: (e["seq"], e["n"])), key=lambda e: e["seq"]):
        events = [dict(e) for e in move]
        head = digest.link(head, [{name: e[name] for name in digest.CHAIN_FIELDS} for e in events])
        entries += [{**e, "mark": head[:16]} for e in events]
    return replace(record, entries=entries, seq=len({e["seq"] for e in entries}), head=head)


def event(seq: int, name: str, /, **changes: Any) -> Hand:
    """Change this event."""
    return lambda record: replace(record, entries=[e | changes if _is(e, seq, name) else e for e in _own(record)])


def gone(seq: int, name: str | None = None) -> Hand:
    """Take away this event, or all of the move."""
    return lambda record: replace(record, entries=[e for e in _own(record) if not _is(e, seq, name)])


def added(seq: int, name: str, /, **changes: Any) -> Hand:
    """Add an event that is like this one but for what is changed."""
    return lambda record: replace(
        record, entries=[*record.entries, *(e | changes for e in _own(record) if _is(e, seq, name))]
    )


def swapped(one: int, other: int) -> Hand:
    """Let two moves change places."""
    places = {one: other, other: one}
    return lambda record: replace(record, entries=[e | {"seq": places.get(e["seq"], e["seq"])} for e in _own(record)])


def closed_up(seq: int) -> Hand:
    """Take a move away, and count those after it and all of them one less, as if it had never been."""
    return lambda record: replace(
        record,
        entries=[e | {"seq": e["seq"] - (e["seq"] > seq)} for e in _own(record) if e["seq"] != seq],
        seq=record.seq - 1,
    )


def unmarked(*moves: int) -> Hand:
    """Take away the marks of these moves, as the release before wrote none."""
    return lambda record: replace(
        record, entries=[e | {"mark": None} if e["seq"] in moves else e for e in _own(record)]
    )


def run(**changes: Any) -> Hand:
    """Change what the run's row says of its record: `seq` or `head`."""
    return lambda record: replace(record, **changes)


def row(kind: str, at: int = 0, /, **changes: Any) -> Hand:
    """Change a row."""
    return _rows(kind, lambda rows: [one | changes if place == at else one for place, one in enumerate(rows)])


def row_gone(kind: str, at: int = 0) -> Hand:
    return _rows(kind, lambda rows: [one for place, one in enumerate(rows) if place != at])


def row_added(kind: str, /, **changes: Any) -> Hand:
    """Add a row that is like the first but for what is changed."""
    return _rows(kind, lambda rows: [*rows, rows[0] | changes])


def hands(*all_of_them: Hand) -> Hand:
    """One after the other."""

    def do(record: Record) -> Record:
        for hand in all_of_them:
            record = hand(record)
        return record

    return do


def _rows(kind: str, change: Callable[[list[Any]], list[Any]]) -> Hand:
    return lambda record: replace(record, rows={**record.rows, kind: change(list(record.rows[kind]))})


def _own(record: Record) -> list[dict[str, Any]]:
    return [dict(e) for e in record.entries]


def _is(entry: dict[str, Any], seq: int, name: str | None) -> bool:
    return entry["seq"] == seq and name in (None, entry["event"])
