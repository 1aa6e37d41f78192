"""`placet audit`: check the record here, give it out, and sign where it stands, so that others can check it without trusting this database.

What a check means is in engine/rules/chain.py and engine/verifier.py; here it is said. Whatever was altered is an alarm.
"""

import csv
import json
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, Final, TextIO
from uuid import UUID

import typer

from bot.cards.ids import screen_id
from bot.commands.terminal import Exit, complain, database, plain, say
from engine import checkpoints, verifier
from engine.errors import BadInput
from engine.rules import secrecy
from engine.state import db, events, runs
from engine.state.events import Altered

app = typer.Typer()
audit = typer.Typer(no_args_is_help=True)
app.add_typer(audit, name="audit", help="Check the record, give it out, sign it.")

_STOP: Final = "Stop and find out who could write to the database."
_COLUMNS: Final = ("record", "run", "seq", "n", *verifier.FIELDS, "head", "pause", "document", "at_utc")
_FORMULA: Final = ("=", "+", "-", "@", "\t", "\r")


class Format(StrEnum):
    """As what the record is given out: JSON lines, which can be verified, or CSV, to be read in a spreadsheet."""

    JSONL = "jsonl"
    CSV = "csv"


Folder = Annotated[
    Path,
    typer.Argument(metavar="FOLDER", help="Where checkpoints are: a place that the database's owner cannot write to."),
]


@audit.callback()
def _group() -> None:
    """Check the record, give it out, sign it."""


@audit.command()
def verify(
    run: Annotated[
        str | None, typer.Argument(help="One run: run_5d21ab, or the last digits of its id. Else all.")
    ] = None,
) -> None:
    """Recompute the record's chain, link by link, and compare the rows; the exit code is 4 if anything does not hold."""
    with database() as conn:
        asked = [runs.named(conn, run)] if run else [head.run_id for head in events.heads(conn)]
        found = {run_id: events.verify(conn, run_id) for run_id in asked}
        lost = [] if run else events.lost(conn)
    altered = {run_id: one for run_id, one in found.items() if isinstance(one, Altered)}
    links = sum(one.links for one in found.values() if not isinstance(one, Altered))
    for run_id, one in altered.items():
        complain(f"{_name(run_id)} was altered{_move(one)}. {plain(one.why)}")
    for run_id in lost:
        complain(f"{_name(run_id)} is gone, and some of what it left is still there.")
    if altered or lost:
        complain(_STOP)
        raise typer.Exit(Exit.ALARM)
    chains = "chain" if len(found) == 1 else "chains"
    say(f"The record holds: {links} links of {len(found)} {chains} recomputed, none altered.")


@audit.command()
def export(
    out: Annotated[Path, typer.Argument(metavar="FILE", help="The file to write, or - for stdout.")],
    as_: Annotated[Format, typer.Option("--format", help="What to write.")] = Format.JSONL,
    clear: Annotated[
        bool,
        typer.Option("--secrets", help="Give out secret arguments, too: only so their requests' texts can be checked."),
    ] = False,
) -> None:
    """Write the whole record to a file: every run, every event, and what every request asked for."""
    with ExitStack() as kept:
        conn = kept.enter_context(database())
        file = sys.stdout if str(out) == "-" else kept.enter_context(_new(out))
        write = _csv(file) if as_ is Format.CSV else lambda line: print(json.dumps(line), file=file)
        at = datetime.now(UTC).isoformat()  # before the look at what there is: what is signed later may be missing
        heads = events.heads(conn)
        write({"record": "export", "format": verifier.EXPORT, "at": at, "runs": len(heads)})
        lines = 0
        for head in heads:
            for line in _lines(conn, head.run_id, clear=clear):
                write(line)
                lines += line["record"] == "event"
    if file is not sys.stdout:
        say(f"{plain(str(out))}: {lines} events of {len(heads)} runs.")


@audit.command()
def keygen(
    path: Annotated[
        Path,
        typer.Argument(metavar="FILE", help="Where the key is to be; its public half goes beside it, ending in .pub."),
    ],
) -> None:
    """Make a key that signs checkpoints (Ed25519)."""
    public = checkpoints.keygen(path)
    say(f"The key is in {plain(str(path))}: keep it where the database's owner cannot read it.")
    say(f"Give {plain(str(public))} to whoever is to check the record.")


@audit.command()
def checkpoint(
    folder: Folder,
    key: Annotated[Path, typer.Option("--key", help="The key that `placet audit keygen` made.")],
) -> None:
    """Sign where every run stands, into the next file of a folder. Run it every few minutes, and keep the files elsewhere."""
    signing = checkpoints.read_key(key)
    with database() as conn:
        heads = events.heads(conn)
    _alarmed(lambda: say(f"{plain(str(checkpoints.write(folder, signing, heads)))} signs {len(heads)} runs."))


@audit.command()
def check(
    exported: Annotated[Path, typer.Argument(metavar="FILE", help="An export of JSON lines.")],
    signed: Annotated[
        Path | None, typer.Option("--checkpoints", metavar="FOLDER", help="The folder of checkpoints.")
    ] = None,
    key: Annotated[
        Path | None, typer.Option("--public-key", metavar="FILE", help="The public key of the checkpoints.")
    ] = None,
) -> None:
    """Check an export, and by signed checkpoints that nothing of it is missing; no database is asked.

    The same without Placet: copy the one file engine/verifier.py and run it with Python.
    """
    if (signed is None) != (key is None):
        raise BadInput("--checkpoints", "it goes with --public-key, and neither without the other.")
    _alarmed(lambda: _check(exported, signed, key))


def _check(exported: Path, signed: Path | None, key: Path | None) -> None:
    try:
        covered = verifier.checkpoints_of(signed, key) if signed and key else []
        say(verifier.verify(verifier.read_export(exported), covered))
    except (OSError, verifier.Unreadable) as error:
        raise BadInput("check", plain(str(error))) from None


def _alarmed(work: Callable[[], None]) -> None:
    try:
        work()
    except verifier.Altered as altered:
        complain(plain(str(altered)), _STOP)
        raise typer.Exit(Exit.ALARM) from None


def _lines(conn: db.Conn, run_id: UUID, *, clear: bool) -> Iterator[dict[str, Any]]:
    """A run's lines in an export, as they stood at one moment."""
    record, run = events.read(conn, run_id), str(run_id)
    yield {"record": "run", "run": run, "seq": record.seq, "head": record.head}
    yield from ({"record": "event", "run": run, **entry} for entry in record.entries)
    yield from (
        {"record": "request", "run": run, "pause": row["id"], **_text(row["document"], clear=clear)}
        for row in record.rows["pause"]
    )


def _text(document: str | None, *, clear: bool) -> dict[str, Any]:
    """A request's text as it is stored; one with secrets as it may be read, under another name: no digest is over that."""
    shown = secrecy.document(document) if document and not clear else document
    return {"document": document} if shown == document else {"document": None, "withheld": shown}


def _csv(file: TextIO) -> Callable[[dict[str, Any]], object]:
    writer = csv.DictWriter(file, _COLUMNS, extrasaction="ignore")
    writer.writeheader()

    def write(line: dict[str, Any]) -> None:
        if line["record"] == "event":
            at = datetime.fromtimestamp(int(line["at"]) / 1_000_000, UTC).isoformat()
            line = {**line, "at_utc": at}
        if "withheld" in line:
            line = {**line, "document": line["withheld"]}
        if line["record"] != "export":
            writer.writerow({name: _harmless(value) for name, value in line.items()})

    return write


def _harmless(value: Any) -> Any:
    """Text that no spreadsheet takes for a formula."""
    return f"'{value}" if isinstance(value, str) and value.startswith(_FORMULA) else value


def _new(path: Path) -> TextIO:
    try:
        return path.open("x", encoding="utf-8", newline="\n")
    except FileExistsError:
        raise BadInput(plain(str(path)), "it is there already, and is not overwritten. Name another file.") from None
    except OSError as error:
        raise BadInput(plain(str(path)), f"it cannot be written ({error.strerror}).") from None


def _move(one: Altered) -> str:
    if one.seq is None:
        return ""
    return f" at move {one.seq} ({plain(one.event)})" if one.event else f" at move {one.seq}"


def _name(run_id: UUID) -> str:
    return "The system's own record" if run_id == db.SYSTEM_RUN else screen_id("run", run_id)
