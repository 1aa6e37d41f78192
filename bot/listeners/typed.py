"""What somebody typed after /approvals, as the subcommands take it."""

from dataclasses import dataclass
from typing import Final

from bot.listeners.desk import Desk
from engine.models import Actor

COMMAND: Final = "/approvals"
SURFACE: Final = "slack:command"
"""As the record has it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Typed:
    """Who typed, and what: the words after the subcommand, as they were typed. `key` is new with every command; `known`: all subcommands."""

    desk: Desk
    actor: Actor
    words: str
    key: str
    known: frozenset[str] = frozenset()
