"""Verifies an exported record by itself: every link of every run, and, by signed checkpoints, that no run and no move is missing.

It needs the export, the folder of checkpoints and the public key, and nothing else: no database, nothing of Placet, and of packages only
`cryptography`. Copy this file wherever you trust the Python: `python verifier.py record.jsonl checkpoints placet.pub`. Exit codes: 0 it
holds, 2 something cannot be read, 4 it was altered.
"""

import hashlib
import json
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

FIELDS: Final = ("entity", "entity_id", "from_status", "event", "to_status", "actor", "surface", "detail", "at")
"""What a link covers of an event, in order; `at` is microseconds since 1970 as text. An event's `mark` begins the head after its move."""

GENESIS: Final = "0" * 64
EXPORT: Final = "placet.export.v1"
CHECKPOINT: Final = "placet.checkpoint.v1"
Event = Mapping[str, Any]

_KINDS: Final = {"text": (str,), "text or null": (str, type(None)), "a whole number": (int,)}
_RECORDS: Final[Mapping[str, Mapping[str, str]]] = {
    "export": {"format": "text", "at": "text", "runs": "a whole number"},
    "run": {"run": "text", "seq": "a whole number", "head": "text"},
    "event": {"run": "text", "seq": "a whole number", "n": "a whole number"} | dict.fromkeys((*FIELDS, "mark"), "text or null"),
    "request": {"run": "text", "pause": "text", "document": "text or null"},
}  # fmt: skip
"""What a line of an export says, by what it is a record of."""


class Unreadable(Exception):
    """A file that is not what it should be; says which and why."""


class Altered(Exception):
    """The record does not hold; says the first run and move at which it does not."""


@dataclass(slots=True, kw_only=True)
class Run:
    """One run's chain as exported: how many moves it counts, the last link, its events by move, and its requests by line."""

    seq: int
    head: str
    moves: dict[int, list[Event]] = field(default_factory=dict)
    requests: dict[int, Mapping[str, Any]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Export:
    """An export: when it was made, and every run in it."""

    at: str
    runs: Mapping[str, Run]


@dataclass(frozen=True, slots=True, kw_only=True)
class Checkpoint:
    """One checkpoint whose signature holds. `heads`: run, links so far, and the last of them, of what moved since the one before."""

    n: int
    at: str
    runs: int
    heads: Sequence[tuple[str, int, str]]
    body: str


def link(head: str, events: Iterable[Event]) -> str:
    """The head after a move: SHA-256 over the head before and each field of its events, as `<bytes>:<value>;`, none as `-;`."""
    text = head
    for event in events:
        for name in FIELDS:
            value = event[name]
            text += "-;" if value is None else f"{len(value.encode())}:{value};"
    return hashlib.sha256(text.encode()).hexdigest()


def read_export(path: Path) -> Export:
    """Read an export of JSON lines. Raises Unreadable with the line, and Altered for a request of a run that is not there."""
    try:
        with path.open("rb") as file:
            return _collected((n, _line(n, text)) for n, text in enumerate(file, start=1))
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) else error
        raise Unreadable(f"{path} is no export that can be read: {why}. Make it again: placet audit export.") from None


def _line(n: int, text: bytes) -> dict[str, Any]:
    """One line of an export, with all that its record has to say. Raises ValueError."""
    try:
        said = json.loads(text.decode(), object_pairs_hook=_once)
        json.dumps(said, ensure_ascii=False).encode()  # half a character has no digest
    except (ValueError, RecursionError) as error:
        raise ValueError(f"line {n} is not JSON that can be read ({str(error).partition(': line ')[0]})") from None
    record = said.get("record") if isinstance(said, dict) else None
    if not isinstance(record, str) or record not in _RECORDS:
        raise ValueError(f"line {n} is none of {', '.join(_RECORDS)}")
    said = {"mark": None, **said}  # the first release wrote none
    for name, kind in _RECORDS[record].items():
        if type(said.get(name, ...)) not in _KINDS[kind]:
            raise ValueError(f"line {n} ({record}): its {name} is {f'not {kind}' if name in said else 'missing'}")
    return said


def _once(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    if len(said := dict(pairs)) < len(pairs):
        raise ValueError("a name is in it twice")
    return said


def _collected(lines: Iterator[tuple[int, dict[str, Any]]]) -> Export:
    (_, first), runs = next(lines, (0, {})), dict[str, Run]()
    if first.get("format") != EXPORT:
        raise ValueError(f"it does not begin as {EXPORT}")
    for n, line in lines:
        run = runs.get(line.get("run", ""))
        match line["record"]:
            case "run" if run is None:
                runs[line["run"]] = Run(seq=line["seq"], head=line["head"])
            case "event" if run:
                run.moves.setdefault(line["seq"], []).append(line)
            case "request" if run:
                run.requests[n] = line
            case "request":
                raise Altered(f"Run {line['run']}: line {n} is a request of it, and no line before it begins it.")
            case "event":
                raise ValueError(f"line {n} is of run {line['run']}, which no line before it begins")
            case record:
                raise ValueError(f"line {n} begins its {record} a second time")
    if len(runs) != first["runs"]:
        raise ValueError(f"it says {first['runs']} runs and has {len(runs)}; it is cut short, or was altered")
    return Export(at=first["at"], runs=runs)


def read_checkpoints(folder: Path, public_key: bytes) -> list[Checkpoint]:
    """Read a folder of checkpoints, the first first, and check each signature and that none is missing between them.

    Raises Unreadable for a key that is none, and Altered naming the first checkpoint that does not hold.
    """
    found, previous = list[Checkpoint](), GENESIS
    for n, path in enumerate(in_order(folder), start=1):
        body = _signed(path, public_key)
        said = json.loads(body)
        if said["format"] != CHECKPOINT or said["n"] != n:
            raise Altered(f"Checkpoint {n} is missing, or another took its place: {path.name} is number {said['n']}.")
        if said["previous"] != previous:
            raise Altered(f"Checkpoint {n} does not follow from the one before it: one of them was replaced.")
        found.append(Checkpoint(n=n, at=said["at"], runs=said["runs"], heads=said["heads"], body=body))
        previous = hashlib.sha256(body.encode()).hexdigest()
    return found


def in_order(folder: Path) -> list[Path]:
    """The checkpoints of a folder by their number, however many digits it is written with; one without a number is the last."""

    def number(path: Path) -> tuple[float, str]:
        digits = path.stem.removeprefix("checkpoint-")
        return (int(digits) if digits.isdecimal() and digits.isascii() else float("inf"), path.name)

    return sorted(folder.glob("checkpoint-*.json"), key=number)


def checkpoints_of(folder: Path, public_key: Path) -> list[Checkpoint]:
    """The same, for whoever has some: none at all is Unreadable."""
    if found := read_checkpoints(folder, public_key.read_bytes()):
        return found
    raise Unreadable(f"{folder} holds no checkpoint. Give the folder in which placet audit checkpoint writes them.")


def _signed(path: Path, public_key: bytes) -> str:
    from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm  # noqa: PLC0415  only for checkpoints
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey  # noqa: PLC0415
    from cryptography.hazmat.primitives.serialization import load_pem_public_key  # noqa: PLC0415

    try:
        key = load_pem_public_key(public_key)
    except (ValueError, UnsupportedAlgorithm):
        key = None
    if not isinstance(key, Ed25519PublicKey):
        raise Unreadable("The public key is no Ed25519 key in PEM. Give the .pub file that placet audit keygen made.")
    try:
        file = json.loads(path.read_text("utf-8"))
        key.verify(bytes.fromhex(file["signature"]), signed_bytes(file["body"]))
    except (ValueError, KeyError, TypeError, RecursionError, InvalidSignature):
        raise Altered(f"{path.name} does not bear the signature of this key: altered, or another's.") from None
    return str(file["body"])


def signed_bytes(body: str) -> bytes:
    """What a checkpoint's signature covers."""
    return f"{CHECKPOINT}\0{body}".encode()


def verify(export: Export, checkpoints: Sequence[Checkpoint]) -> str:
    """Go through the whole record; what was found, in a sentence. Raises Altered at the first run and move that does not hold.

    Unreadable: the export was made before the last checkpoint, and says nothing of what that signed.
    """
    last = checkpoints[-1] if checkpoints else None
    older = last is not None and export.at < last.at
    signed: dict[str, list[tuple[int, str, int]]] = {}
    for checkpoint in () if older else checkpoints:
        for run_id, seq, head in checkpoint.heads:
            signed.setdefault(run_id, []).append((seq, head, checkpoint.n))
    for run_id, said in signed.items():
        if run_id not in export.runs:
            raise Altered(f"Run {run_id} is missing: checkpoint {said[-1][2]} has {said[-1][0]} moves of it.")
    withheld = 0
    for run_id, run in export.runs.items():
        try:
            _verify_run(run, signed.get(run_id, []))
            withheld += _asked(run)
        except Altered as altered:
            raise Altered(f"Run {run_id}: {altered}") from None
    if last is not None and older:
        why = f"The export of {export.at} is older than checkpoint {last.n} of {last.at}, so it cannot be held against what that signed."
        raise Unreadable(f"{why} By itself it holds. Export anew: placet audit export.")
    if last is not None and len(export.runs) < last.runs:
        raise Altered(f"Checkpoint {last.n} counts {last.runs} runs, and the export has {len(export.runs)}.")
    moves = sum(run.seq for run in export.runs.values())
    whole = f"The record holds: {moves} moves of {len(export.runs)} runs.{_not_compared(withheld)}"
    if last is None:
        return f"{whole} No checkpoint was given, so that a run that is gone as a whole was not looked for."
    newer = moves - sum(max(seq for seq, _, _ in said) for said in signed.values())
    return f"{whole} No run is missing as of checkpoint {last.n}, {last.at}; {newer} moves are newer."


def _verify_run(run: Run, signed: Sequence[tuple[int, str, int]]) -> None:
    head, heads, status, marked = GENESIS, [GENESIS], dict[tuple[str, str], str](), 0
    if (first := min(run.moves, default=1)) < 1:
        raise Altered(f"move {first} ({run.moves[first][0]['event']}) was added before the first.")
    for seq in range(1, max([run.seq, *run.moves]) + 1):
        if seq not in run.moves:
            raise Altered(f"move {seq} is missing.")
        events = sorted(run.moves[seq], key=lambda event: event["n"])
        move = f"move {seq} ({events[0]['event']})"
        if seq > run.seq:
            raise Altered(f"{move} was added after the {run.seq} that are counted.")
        _continues(seq, events, status)
        head = link(head, events)
        heads.append(head)
        if (marks := {event["mark"] for event in events}) == {head[:16]}:
            marked = seq
        elif marks != {None}:
            which = move if marked == seq - 1 else f"one of the moves {marked + 1} to {seq}"
            raise Altered(f"{which} is not as it was marked when it was written.")
    sure = _as_signed(run, signed, heads)
    if head != run.head:
        if run.seq and marked == run.seq:
            raise Altered(f"moves after {run.seq} are gone, or the head was altered.")
        raise Altered(f"one of the moves {max(sure, marked) + 1} to {run.seq} was altered, or the head was.")


def _as_signed(run: Run, signed: Sequence[tuple[int, str, int]], heads: Sequence[str]) -> int:
    """Up to which move the record is as checkpoints signed it; 0 if none did."""
    sure = 0
    for seq, said, n in signed:
        if seq > run.seq:
            raise Altered(f"move {run.seq + 1} is missing, and all up to {seq} that checkpoint {n} has.")
        if heads[seq] != said:
            raise Altered(f"one of the moves {sure + 1} to {seq} is not as checkpoint {n} signed it.")
        sure = seq
    return sure


def _continues(seq: int, events: Sequence[Event], status: dict[tuple[str, str], str]) -> None:
    """Each status begins where the one before it ended; the system's own events stand alone."""
    for event in events:
        of = (event["entity"], event["entity_id"])
        before = "new" if event["entity"] == "system" else status.get(of, "new")
        if event["from_status"] != before:
            what = f"{event['event']} goes from {event['from_status']}, and the {of[0]} was {before}"
            raise Altered(f"move {seq} was altered, or one before it is gone: {what}.")
        if event["to_status"] is not None:
            status[of] = event["to_status"]


def _not_compared(withheld: int) -> str:
    """What is said of requests whose text was left out of the export."""
    if not withheld:
        return ""
    they = (
        "1 request holds a secret, so its text is"
        if withheld == 1
        else f"{withheld} requests hold secrets, so their texts are"
    )
    return f" {they} not in the export and could not be compared; placet audit export --secrets gives out all."


def _asked(run: Run) -> int:
    """Each request is there once, and word for word what was asked: its digest is in the event that opened it. How many could not be compared."""
    every = [(seq, event) for seq, events in sorted(run.moves.items()) for event in events]
    opened = {e["entity_id"]: (seq, e["detail"]) for seq, e in every if (e["entity"], e["event"]) == ("pause", "open")}
    stored, withheld = dict[str, tuple[int, str | None]](), set[str]()
    for n, request in run.requests.items():
        pause = request["pause"]
        if pause not in opened:
            raise Altered(f"line {n} is a request {pause} that no move opened: it was added.")
        if pause in stored:
            raise Altered(f"line {n} is a second request {pause}, as line {stored[pause][0]} is: one was added.")
        stored[pause] = (n, request["document"])
        if request["document"] is None and isinstance(request.get("withheld"), str):
            withheld.add(pause)
    for pause, (seq, digest) in opened.items():
        if pause in withheld:
            continue
        _, text = stored.get(pause, (0, None))
        if text is None or hashlib.sha256(f"placet.pause.v1\0{text}".encode()).hexdigest() != digest:
            raise Altered(f"what move {seq} (open) asked for is not what is stored of it.")
    return len(withheld)


def main(arguments: Sequence[str]) -> int:
    """The command line; the exit code."""
    if len(arguments) not in {1, 3}:
        sys.stderr.write("Give the export; and, to look for missing runs, the checkpoints' folder and public key.\n")
        return 2
    export, *signing = map(Path, arguments)
    try:
        checkpoints = checkpoints_of(*signing) if signing else []
        sys.stdout.write(f"{verify(read_export(export), checkpoints)}\n")
    except ImportError:
        sys.stderr.write("To read checkpoints takes the package cryptography: pip install cryptography\n")
        return 2
    except (OSError, Unreadable, Altered) as error:
        sys.stderr.write("".join(c if c.isprintable() else ascii(c)[1:-1] for c in str(error)) + "\n")
        return 4 if isinstance(error, Altered) else 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
