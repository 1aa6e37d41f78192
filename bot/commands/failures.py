"""What goes wrong, as a person reads it: what happened, why, and what to do next, with the exit code that scripts see.

The one rule: whatever is expected to go wrong ends in sentences here, in one place; what is left is a fault of ours and stays one.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from bot.commands.terminal import Exit
from engine.errors import BadInput, Conflict, EngineError, Misconfigured, NotFound
from engine.rules.documents import DocumentFaults
from engine.state import outage

_NO_TABLE: Final = "42P01"
_REFUSED_TO_WRITE: Final = "25006"


@dataclass(frozen=True, slots=True)
class Failure:
    """How a command failed: its exit code, and lines for stderr."""

    code: Exit
    lines: tuple[str, ...]


_LOOK: Final = frozenset({
    "manifest", "doctor", "runs", "show", "pending", "doubt", "version", "people check", "policy check", "policy diff", "policy test",
    "policy explain", "audit verify", "audit check",
})  # fmt: skip
"""Commands that never change anything, of which it would be no news that nothing was changed."""


def told(error: Exception, words: Sequence[str]) -> Failure | None:
    """What to say of an error of the command with these words; None for one that nobody foresaw."""
    looks = "--dry-run" in words or not _LOOK.isdisjoint((words[0], " ".join(words[:2])))
    refused = "refused" if looks else "refused, and nothing was changed"
    if isinstance(error, outage.Error):
        return _database(error)
    code, lines = Exit.BAD_INPUT, [str(error)]
    match error:
        case Misconfigured():
            lines = ["This cannot start:", *(f"- {fault}" for fault in error.faults)]
        case DocumentFaults():
            lines = [f"The document is {refused}:", *(f"- {fault}" for fault in error.faults)]
        case BadInput():
            lines = [f"{refused.capitalize()}. {error}"]
        case NotFound():
            pass
        case Conflict():
            code = Exit.LOST
        case EngineError():
            code = Exit.OUTAGE
        case _:
            return None
    return Failure(code, tuple(lines))


def _database(error: Exception) -> Failure:
    state = getattr(error, "sqlstate", None)
    why = " ".join(str(error).split())
    if state == _NO_TABLE:
        return Failure(Exit.BAD_INPUT, (outage.NO_TABLES,))
    if state == _REFUSED_TO_WRITE:
        return Failure(Exit.OUTAGE, (f"The database only reads at present, so nothing was changed ({why}).",))
    if state is None:
        check = "Check that PostgreSQL runs and that DATABASE_URL names it; then try again."
        return Failure(Exit.OUTAGE, (f"The database cannot be reached: {why}", check))
    known = "Nothing was changed." if outage.surely_nothing(error) else "Look whether it was done before you try again."
    return Failure(Exit.OUTAGE, (f"The database failed: {why}", known))
