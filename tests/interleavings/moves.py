"""What an actor does, as a script: it gives one move after the other, and is told what came of each before it goes on.

A script is a generator of moves, so that the same one can be stepped among others and played alone. A worker's next move depends on what
it was told; a click has only one. Who they are is in scenes.py.
"""

from collections.abc import Callable, Generator
from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID

from engine.errors import Conflict, LeaseLost
from engine.models import Claim
from engine.state import db, ledger

STAGE: Final = "stage"
"""The surface on which actors act; the scenes are made on another."""


@dataclass(frozen=True)
class Move:
    """One verb. `skips`: it takes only what nobody holds, and waits for nobody. `reads`: it looks, and holds nothing afterwards.

    `claim`: what it carries, if it may only be made by whoever has the run.
    """

    name: str
    verb: Callable[[db.Conn], Any]
    skips: bool = False
    reads: bool = False
    claim: Claim | None = None

    def made(self, conn: db.Conn) -> Any:
        """What it says, or the refusal it raises."""
        try:
            return self.verb(conn)
        except (Conflict, LeaseLost) as refusal:
            return refusal


@dataclass(frozen=True, kw_only=True)
class Scene:
    """Where actors meet: runs and their pauses, the claim of the worker that is there already, and the effect that it began."""

    runs: tuple[UUID, ...]
    pauses: tuple[UUID, ...]
    claim: Claim
    effect: ledger.Begun | None = None

    @property
    def begun(self) -> ledger.Begun:
        """The effect, in a scene that has one."""
        assert self.effect is not None
        return self.effect


Script = Generator[Move, Any, None]


@dataclass(frozen=True)
class Actor:
    """Somebody, and what they do. `alone`: there is one of them at most (a worker is never there twice with one claim)."""

    name: str
    script: Callable[[Scene], Script]
    alone: bool = False
