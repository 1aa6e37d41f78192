"""A run's record, followed link by link from its beginning: what it says happened, or the first move at which it does not hold.

Pure. One link per move: the head is SHA-256 over the head before and every field of the move's events (digest.py). That whoever altered an
event is found out is the links' doing; that the move can be named is that of what must agree besides: every move is there, every status
is the one before it, each event bears the beginning of the head after its move, and the rows say what the record says.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from engine.rules import digest

Entry = Mapping[str, Any]
"""One event: `seq` and `n` as numbers, CHAIN_FIELDS as the chain has them, and `mark` in hex, None where it was written without one."""

YES = frozenset({"vote", "approve"})
_DECISIVE = frozenset({"approve", "deny", "answer"})
_GIVEN = YES | _DECISIVE
"""What a person gives once: a yes, a no, or the answer to a question."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """A run's record as it is stored, and the rows that must agree with it. `rows` are those of its run, pauses, votes and effects."""

    seq: int
    head: str
    entries: Sequence[Entry]
    rows: Mapping[str, Sequence[Mapping[str, Any]]]


@dataclass(frozen=True, slots=True)
class Fault:
    """The first thing that does not hold. `seq` None: which of the moves it is cannot be told; `event` None: none of its events is."""

    seq: int | None
    event: str | None
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """What a record that holds says: every move in order, and where each entity stands by it."""

    links: int
    moved: Sequence[Entry]
    status: Mapping[tuple[str, str], str]

    def approval(self, pause_id: str) -> tuple[str, frozenset[str]] | None:
        """When a pause was approved (microseconds) and who said yes to it; None unless it stands approved."""
        if self.status.get(("pause", pause_id)) != "approved":
            return None
        yes = [e for e in self.moved if e["entity"] == "pause" and e["entity_id"] == pause_id and e["event"] in YES]
        return yes[-1]["at"], frozenset(e["actor"] for e in yes)

    def answer(self, pause_id: str) -> Entry | None:
        """The event with which a question was answered: who, when, and as its detail what; None unless it stands answered."""
        if self.status.get(("pause", pause_id)) != "answered":
            return None
        return _last(self, "pause", pause_id, frozenset({"answer"}))


NOTHING: Final = Told(links=0, moved=(), status={})
"""What a record says that nobody has read: nothing is approved by it."""


def links(record: Record) -> bool:
    """Whether the links, by themselves, lead to as many moves as are counted and to the stored head."""
    moves = _moves(record)
    counted = len(moves) == record.seq and all(1 <= seq <= record.seq for seq in moves)
    return counted and _head(moves) == record.head


def follow(record: Record) -> Told | Fault:
    """Go through the record from its beginning."""
    moves, status = _moves(record), dict[tuple[str, str], str]()
    head, sure = digest.GENESIS, 0
    for seq in _numbers(record.seq, moves):
        events = moves.get(seq, ())
        if fault := _break(seq, events, status, record.seq):
            return fault
        head = _link(head, events)
        marks = {e["mark"] for e in events}
        if marks == {_mark(head)}:
            sure = seq
        elif marks != {None}:
            return _unmarked(seq, events, sure)
    if head != record.head:
        return _other_head(record.seq, moves, sure)
    moved = [e for seq in sorted(moves) for e in moves[seq] if e["to_status"] is not None]
    return Told(links=record.seq, moved=moved, status=status)


def _mark(head: str) -> str:
    """What each event of a move bears: the first 8 bytes of the head after it."""
    return head[:16]


def _unmarked(seq: int, events: Sequence[Entry], sure: int) -> Fault:
    """A move whose mark is another than the words up to it make; up to the move `sure` they are known to hold."""
    if sure == seq - 1:
        why = "Its words are not those that its mark was made of: it was altered, or moved, or an event of it is gone."
        return Fault(seq, events[0]["event"], why)
    return Fault(None, None, f"The words of one of the moves {sure + 1} to {seq} were altered.")


def _other_head(last: int, moves: Mapping[int, Sequence[Entry]], sure: int) -> Fault:
    if last and sure == last:
        why = "It is marked as the moves before it lead to, and the head that is stored is another: moves after it are gone, or the head was altered."
        return Fault(last, moves[last][0]["event"], why)
    which = f"the moves {sure + 1} to {last}" if sure else "them"
    altered = (
        f"The moves do not lead to the head that is stored: the words of one of {which} were altered, or the head was."
    )
    return Fault(None, None, altered)


def _moves(record: Record) -> dict[int, list[Entry]]:
    moves: dict[int, list[Entry]] = defaultdict(list)
    for entry in sorted(record.entries, key=lambda e: (e["seq"], e["n"])):
        moves[entry["seq"]].append(entry)
    return dict(moves)


def _numbers(last: int, moves: Mapping[int, Any]) -> Iterator[int]:
    """The number of each move that is counted, and of each other that is there, in order."""
    yield from (seq for seq in sorted(moves) if seq < 1)
    yield from range(1, last + 1)
    yield from (seq for seq in sorted(moves) if seq > last)


def _head(moves: Mapping[int, Sequence[Entry]]) -> str:
    head = digest.GENESIS
    for seq in sorted(moves):
        head = _link(head, moves[seq])
    return head


def _link(head: str, events: Sequence[Entry]) -> str:
    return digest.link(head, [{field: e[field] for field in digest.CHAIN_FIELDS} for e in events])


def _break(seq: int, events: Sequence[Entry], status: dict[tuple[str, str], str], last: int) -> Fault | None:
    """What is wrong with a move by itself; each status it changes is noted."""
    if not 1 <= seq <= last:
        return Fault(
            seq, events[0]["event"], f"The run counts {last} moves: this one was added, or the count was altered."
        )
    if not events:
        return Fault(seq, None, "It was removed.")
    for e in events:
        of = (e["entity"], e["entity_id"])
        before = "new" if e["entity"] == "system" else status.get(of, "new")
        if e["from_status"] != before:
            why = f"It goes from {e['from_status']}, and the {e['entity']} was {before}: it was altered, or one before it is gone."
            return Fault(seq, e["event"], why)
        if e["to_status"] is not None:
            status[of] = e["to_status"]
    return None


def disagreement(record: Record, told: Told) -> Fault | None:
    """The first move with which a row does not agree; None: they say the same."""
    found = [*_statuses(record, told), *_requests(record, told), *_votes(record, told), *_effects(record, told)]
    return min(found, key=lambda fault: fault.seq or 0, default=None)


def _last(told: Told, entity: str, entity_id: str, events: frozenset[str] | None = None) -> Entry | None:
    of = [e for e in told.moved if e["entity"] == entity and e["entity_id"] == entity_id]
    return next((e for e in reversed(of) if events is None or e["event"] in events), None)


def _at(entry: Entry, why: str) -> Fault:
    return Fault(entry["seq"], entry["event"], why)


def _statuses(record: Record, told: Told) -> Iterable[Fault]:
    stored = {(kind, row["id"]): row["status"] for kind in ("run", "pause", "effect") for row in record.rows[kind]}
    for (kind, entity_id), status in told.status.items():
        last = _last(told, kind, entity_id)
        assert last is not None
        if kind != "system" and (now := stored.pop((kind, entity_id), None)) != status:
            yield _at(last, f"It left the {kind} {status}, and the row says {now or 'nothing: it is gone'}.")
    for (kind, entity_id), status in stored.items():
        yield Fault(None, None, f"The {kind} {entity_id} is {status} by its row, and the record knows nothing of it.")


def _requests(record: Record, told: Told) -> Iterable[Fault]:
    for row in record.rows["pause"]:
        opened = _last(told, "pause", row["id"], frozenset({"open"}))
        if opened is None:
            continue  # said above
        if row["digest"] != opened["detail"]:
            yield _at(opened, "What is stored of the request has another digest than what was asked.")
        elif digest.of_canonical("placet.pause.v1", row["document"] or "") != row["digest"]:
            yield _at(opened, "What is stored of the request is not what was asked.")
        voted = [e for e in told.moved if e["entity_id"] == row["id"] and e["event"] in _GIVEN]
        if {e["actor"] for e in voted} != set(row["voters"]):
            yield _at(voted[-1] if voted else opened, "The row names other people as those who answered.")
        decided = _last(told, "pause", row["id"], _DECISIVE)
        stands = row["status"] in ("approved", "denied", "answered", "executed", "failed")
        if decided and stands and (row["decided_by"], row["decided_at"]) != (decided["actor"], decided["at"]):
            yield _at(decided, "The row names another person or hour for the decision.")


def _votes(record: Record, told: Told) -> Iterable[Fault]:
    given = {(e["entity_id"], e["actor"]): e for e in told.moved if e["entity"] == "pause" and e["event"] in _GIVEN}
    for row in record.rows["vote"]:
        e = given.pop((row["pause_id"], row["person"]), None)
        if e is None:
            yield Fault(None, None, f"A vote of {row['person']} is stored, and the record knows nothing of it.")
            continue
        verdict = "approve" if e["event"] in YES else e["event"]
        if (row["verdict"], row["at"], row["surface"], row["reason"]) != (verdict, e["at"], e["surface"], e["detail"]):
            yield _at(e, "The stored vote says something else.")
    for e in given.values():
        yield _at(e, f"The vote of {e['actor']} is gone.")


def _effects(record: Record, told: Told) -> Iterable[Fault]:
    for row in record.rows["effect"]:
        begun = _last(told, "effect", row["id"], frozenset({"attempt"}))
        if begun and {begun["detail"]} != {row["digest"], digest.of_canonical("placet.action.v1", row["action"])}:
            yield _at(begun, "What is stored of the action is not what was begun.")
        done = _last(told, "effect", row["id"], frozenset({"succeed", "resolve"}))
        if done and row["status"] == "done" and row["receipt"] != done["detail"]:
            yield _at(done, "The stored receipt is another.")
