"""A file of events, one JSON object a line, from which the sandbox is as it was after any crash.

A line is written whole, in one call, before its event counts; a last line that a crash cut short is dropped when the
file is opened. Appending does not force the disk: what was appended outlives the process, not a power cut.
"""

import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any


class JournalBroken(ValueError):
    """A line before the last one is not a JSON object."""


class Journal:
    """Events of one sandbox, oldest first, in the file at `path`, which is made if it is not there."""

    def __init__(self, path: Path) -> None:
        self.path = path
        path.parent.mkdir(parents=True, exist_ok=True)
        self._file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o600)
        os.ftruncate(self._file, path.read_bytes().rfind(b"\n") + 1)

    def replay(self) -> Iterator[dict[str, Any]]:
        """Every event that was appended, in order.

        Raises `JournalBroken` at a line that no crash of ours could have left.
        """
        with self.path.open("rb") as lines:
            for number, line in enumerate(lines, start=1):
                try:
                    event = json.loads(line)
                except ValueError:
                    event = None
                if not isinstance(event, dict):
                    raise JournalBroken(
                        f"{self.path}, line {number}, is not a JSON object, so what came after it cannot be trusted. "
                        "Someone edited the file, or the disk failed: move it away to start with an empty sandbox."
                    )
                yield event

    def append(self, event: Mapping[str, Any]) -> None:
        """Keep one event; once this returns, a killed process does not lose it."""
        line = json.dumps(event, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"
        while line:
            line = line[os.write(self._file, line) :]

    def close(self) -> None:
        """Give the file back; appending afterwards is a bug."""
        os.close(self._file)
