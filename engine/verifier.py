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


class Unreadable(Exception):
    """A file that is not what it should be; says which and why."""


class Altered(Exception):
    """The record does not hold; says the first run and move at which it does not."""


@dataclass(slots=True, kw_only=True)
class Run:
    """One run's chain as exported: how many moves it counts, the last link, and its events by move."""

    seq: int
    head: str
    moves: dict[int, list[Event]] = field(default_factory=dict)
    requests: list[Mapping[str, Any]] = field(default_factory=list)


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


# --------------------------------------------------------------------------------------------------------------- reading


def read_export(path: Path) -> Export:
    """Read an export of JSON lines. Raises Unreadable."""
    try:
        with path.open(encoding="utf-8") as file:
            return _collected(json.loads(line) for line in file)
    except (OSError, ValueError, KeyError, TypeError, StopIteration) as error:
        again = "Make it again: placet audit export."
        raise Unreadable(f"{path} is no export that can be read: {error!r}. {again}") from None


def _collected(lines: Iterator[dict[str, Any]]) -> Export:
    first, runs = next(lines), dict[str, Run]()
    if first.get("format") != EXPORT:
        raise ValueError(f"it does not begin as {EXPORT}")
    for line in lines:
        match line["record"]:
            case "run":
                if line["run"] in runs:
                    raise ValueError(f"run {line['run']} is in it twice")
                runs[line["run"]] = Run(seq=line["seq"], head=line["head"])
            case "event":
                runs[line["run"]].moves.setdefault(line["seq"], []).append(line)
            case "request":
                runs[line["run"]].requests.append(line)
    if len(runs) != first["runs"]:
        raise ValueError(f"it says {first['runs']} runs and has {len(runs)}; it is cut short, or was altered")
    return Export(at=first["at"], runs=runs)


def read_checkpoints(folder: Path, public_key: bytes) -> list[Checkpoint]:
    """Read a folder of checkpoints, the first first, and check each signature and that none is missing between them.

    Raises Unreadable for a key that is none, and Altered naming the first checkpoint that does not hold.
    """
    found, previous = list[Checkpoint](), GENESIS
    for n, path in enumerate(sorted(folder.glob("checkpoint-*.json")), start=1):
        body = _signed(path, public_key)
        said = json.loads(body)
        if said["format"] != CHECKPOINT or said["n"] != n:
            raise Altered(f"Checkpoint {n} is missing, or another took its place: {path.name} is number {said['n']}.")
        if said["previous"] != previous:
            raise Altered(f"Checkpoint {n} does not follow from the one before it: one of them was replaced.")
        heads = [(run, seq, head) for run, seq, head in said["heads"]]
        found.append(Checkpoint(n=n, at=said["at"], runs=said["runs"], heads=heads, body=body))
        previous = hashlib.sha256(body.encode()).hexdigest()
    return found


def checkpoints_of(folder: Path, public_key: Path) -> list[Checkpoint]:
    """The same, for whoever has some: none at all is Unreadable."""
    if found := read_checkpoints(folder, public_key.read_bytes()):
        return found
    raise Unreadable(f"{folder} holds no checkpoint. Give the folder in which placet audit checkpoint writes them.")


def _signed(path: Path, public_key: bytes) -> str:
    from cryptography.exceptions import InvalidSignature  # noqa: PLC0415  only who has checkpoints needs it
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey  # noqa: PLC0415
    from cryptography.hazmat.primitives.serialization import load_pem_public_key  # noqa: PLC0415

    try:
        key = load_pem_public_key(public_key)
    except ValueError:
        key = None
    if not isinstance(key, Ed25519PublicKey):
        raise Unreadable(
            "The public key is no Ed25519 key in PEM. It is the file ending in .pub that placet audit keygen made."
        )
    try:
        file = json.loads(path.read_text("utf-8"))
        key.verify(bytes.fromhex(file["signature"]), signed_bytes(file["body"]))
    except (ValueError, KeyError, TypeError, InvalidSignature):
        raise Altered(
            f"{path.name} does not bear the signature of this key: it was altered, or signed by another."
        ) from None
    return str(file["body"])


def signed_bytes(body: str) -> bytes:
    """What a checkpoint's signature covers."""
    return f"{CHECKPOINT}\0{body}".encode()


# -------------------------------------------------------------------------------------------------------------- checking


@dataclass(frozen=True, slots=True, kw_only=True)
class Holds:
    """A record that holds. `unsigned`: moves that no checkpoint covers yet. `checkpoint` None: there is none."""

    runs: int
    moves: int
    unsigned: int
    checkpoint: Checkpoint | None


def verify(export: Export, checkpoints: Sequence[Checkpoint]) -> Holds:
    """Go through the whole record. Raises Altered at the first run and move that does not hold."""
    last = checkpoints[-1] if checkpoints else None
    if last is not None and export.at < last.at:
        raise Altered(f"The export of {export.at} is older than checkpoint {last.n} of {last.at}. Export anew.")
    signed: dict[str, list[tuple[int, str, int]]] = {}
    for checkpoint in checkpoints:
        for run_id, seq, head in checkpoint.heads:
            signed.setdefault(run_id, []).append((seq, head, checkpoint.n))
    for run_id, said in signed.items():
        if run_id not in export.runs:
            raise Altered(f"Run {run_id} is missing: checkpoint {said[-1][2]} has {said[-1][0]} moves of it.")
    for run_id, run in export.runs.items():
        _verify_run(run_id, run, signed.get(run_id, []))
    if last is not None and len(export.runs) < last.runs:
        raise Altered(f"Checkpoint {last.n} counts {last.runs} runs, and the export has {len(export.runs)}.")
    moves = sum(run.seq for run in export.runs.values())
    covered = sum(max(seq for seq, _, _ in said) for said in signed.values())
    return Holds(runs=len(export.runs), moves=moves, unsigned=moves - covered, checkpoint=last)


def _verify_run(run_id: str, run: Run, signed: Sequence[tuple[int, str, int]]) -> None:
    head, heads, status, marked = GENESIS, [GENESIS], dict[tuple[str, str], str](), 0
    if (first := min(run.moves, default=1)) < 1:
        raise Altered(f"Run {run_id}: move {first} ({run.moves[first][0]['event']}) was added before the first.")
    for seq in range(1, max([run.seq, *run.moves]) + 1):
        if seq not in run.moves:
            raise Altered(f"Run {run_id}: move {seq} is missing.")
        events = sorted(run.moves[seq], key=lambda event: event["n"])
        if seq > run.seq:
            raise Altered(
                f"Run {run_id}: move {seq} ({events[0]['event']}) was added after the {run.seq} that are counted."
            )
        _continues(run_id, seq, events, status)
        head = link(head, events)
        heads.append(head)
        if (marks := {event.get("mark") for event in events}) == {head[:16]}:
            marked = seq
        elif marks != {None}:
            which = (
                f"move {seq} ({events[0]['event']})" if marked == seq - 1 else f"one of the moves {marked + 1} to {seq}"
            )
            raise Altered(f"Run {run_id}: {which} is not as it was marked when it was written.")
    sure = _as_signed(run_id, run, signed, heads)
    if head != run.head:
        if run.seq and marked == run.seq:
            raise Altered(f"Run {run_id}: moves after {run.seq} are gone, or the head was altered.")
        sure = max(sure, marked)
        raise Altered(f"Run {run_id}: one of the moves {sure + 1} to {run.seq} was altered, or the head was.")
    _asked(run_id, run)


def _as_signed(run_id: str, run: Run, signed: Sequence[tuple[int, str, int]], heads: Sequence[str]) -> int:
    """Up to which move the record is as checkpoints signed it; 0 if none did."""
    sure = 0
    for seq, said, n in signed:
        if seq > run.seq:
            raise Altered(f"Run {run_id}: move {run.seq + 1} is missing, and all up to {seq} that checkpoint {n} has.")
        if heads[seq] != said:
            raise Altered(f"Run {run_id}: one of the moves {sure + 1} to {seq} is not as checkpoint {n} signed it.")
        sure = seq
    return sure


def _continues(run_id: str, seq: int, events: Sequence[Event], status: dict[tuple[str, str], str]) -> None:
    """Each status begins where the one before it ended; the system's own events stand alone."""
    for event in events:
        of = (event["entity"], event["entity_id"])
        before = "new" if event["entity"] == "system" else status.get(of, "new")
        if event["from_status"] != before:
            what = f"{event['event']} goes from {event['from_status']}, and the {of[0]} was {before}"
            raise Altered(f"Run {run_id}: move {seq} was altered, or one before it is gone: {what}.")
        if event["to_status"] is not None:
            status[of] = event["to_status"]


def _asked(run_id: str, run: Run) -> None:
    """Each request is word for word what was asked: its digest is in the event that opened it."""
    stored = {request["pause"]: request["document"] for request in run.requests}
    for seq, events in sorted(run.moves.items()):
        for event in events:
            if (event["entity"], event["event"]) == ("pause", "open"):
                text = stored.get(event["entity_id"])
                if text is None or hashlib.sha256(f"placet.pause.v1\0{text}".encode()).hexdigest() != event["detail"]:
                    raise Altered(f"Run {run_id}: what move {seq} (open) asked for is not what is stored of it.")


def told(holds: Holds) -> str:
    """What was found, in a sentence."""
    whole = f"The record holds: {holds.moves} moves of {holds.runs} runs."
    if holds.checkpoint is None:
        return f"{whole} No checkpoint was given, so that a run that is gone as a whole was not looked for."
    return f"{whole} No run is missing as of checkpoint {holds.checkpoint.n}, {holds.checkpoint.at}; {holds.unsigned} moves are newer."


def main(arguments: Sequence[str]) -> int:
    """The command line; the exit code."""
    match [Path(argument) for argument in arguments]:
        case [export] | [export, _, _]:
            look_in = [Path(argument) for argument in arguments[1:]]
        case _:
            sys.stderr.write(
                "Give the export; and, to look for missing runs, the checkpoints' folder and the public key.\n"
            )
            return 2
    try:
        checkpoints = checkpoints_of(*look_in) if look_in else []
        sys.stdout.write(f"{told(verify(read_export(export), checkpoints))}\n")
    except (OSError, Unreadable) as error:
        sys.stderr.write(f"{error}\n")
        return 2
    except Altered as altered:
        sys.stderr.write(f"{altered}\n")
        return 4
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
