"""A record given out and signed, and how an auditor looks at it: what the verifier's tests share."""

import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from engine import checkpoints, verifier
from engine.state import events, pauses
from tests import rows
from tests.bot.command_line import placet

Lines = list[dict[str, Any]]


def give_out(conn: Any, db_url: str, folder: Path) -> Path:
    """Into a folder the export of three runs, a checkpoint from before and one from after the last decision, and the keys."""
    key = folder / "signing"
    checkpoints.keygen(key)
    [pause_id] = rows.waiting(conn)
    rows.launched(conn)
    checkpoints.write(folder / "signed", checkpoints.read_key(key), events.heads(conn))
    pauses.approve(conn, pause_id, "jonas", surface="tests")
    pauses.approve(conn, pause_id, "marta", surface="tests", reason="Fine.")
    checkpoints.write(folder / "signed", checkpoints.read_key(key), events.heads(conn))
    assert placet(db_url, "audit", "export", str(folder / "record.jsonl")).code == 0
    return folder


def check(folder: Path, *more: str) -> tuple[int, str]:
    """As an auditor runs it: the one file, on another machine, where nothing of Placet is."""
    alone = folder / "alone"
    alone.mkdir(exist_ok=True)
    shutil.copy(verifier.__file__, alone / "verifier.py")
    given = more or ("../record.jsonl", "../signed", "../signing.pub")
    ran = subprocess.run(
        [sys.executable, "-I", "verifier.py", *given], cwd=alone, capture_output=True, text=True, check=False
    )
    return ran.returncode, ran.stdout + ran.stderr


def altered(folder: Path, change: Callable[[Lines], object]) -> tuple[int, str]:
    """The answer to an export that was changed by hand."""
    path = folder / "record.jsonl"
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    change(lines)
    path.write_text("\n".join(json.dumps(line) for line in lines))
    return check(folder)


def pick(lines: Lines, event: str) -> dict[str, Any]:
    """The accepted event of this name, in the run that was decided."""
    return next(line for line in lines if line.get("event") == event and line["to_status"])


def run_of(lines: Lines) -> str:
    return str(pick(lines, "approve")["run"])


def checkpoint(folder: Path, n: int) -> Path:
    return folder / "signed" / f"checkpoint-{n:06d}.json"


def forged(lines: Lines, **other: str) -> dict[str, Any]:
    """What was asked, as somebody would like to have been asked it."""
    request = next(line for line in lines if line["record"] == "request")
    return {**request, "document": request["document"].replace("38,000.00", "380,000.00"), **other}
