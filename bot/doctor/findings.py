"""What the doctor finds: a thing that was looked at, and how it is."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, TypeVar

from engine.errors import Misconfigured
from engine.settings import AgentModules, Database, SlackAccess

P = TypeVar("P", Database, SlackAccess, AgentModules)

Verdict = Literal["well", "look", "wrong"]


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked at: well; or to be looked at by a person; or wrong. `told` says what and, unless it is well, what to do."""

    what: str
    verdict: Verdict
    told: str


def part_of(part: type[P], environ: Mapping[str, str]) -> P | None:
    """A part of the settings; None if it cannot be used, which is a finding of the settings as a whole."""
    try:
        return part.from_env(environ)
    except Misconfigured:
        return None
