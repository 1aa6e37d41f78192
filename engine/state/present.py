"""What holds at the moment a turn is looked at: the policy, everybody, what was refused before, and the standing of those who asked and approved.

One look for all of it: it is read before every effect, and each look costs a round trip.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from engine.rules.people import People
from engine.rules.policy import Policy
from engine.state import db, ledger, people, policies


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """A person's earlier no to an action of this run."""

    fingerprint: str
    decided_by: str | None
    decided_at: Any
    reason: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """What holds. `refused`: what a person refused in this run, by fingerprint."""

    policy: Policy
    people: People
    refused: Mapping[str, Refusal]
    standing: ledger.StandingNow

    def name(self, person: str) -> str:
        """What a person is called; the id, if nobody has it."""
        found = self.people.get(person)
        return found.name if found else person


def rules(conn: db.Conn, run_id: UUID) -> Rules:
    """Look. Raises NotFound, or Misconfigured if no policy is in force, or PolicyUnreadable: then nothing with an effect may be done."""
    row = db.must(conn, "what_holds", dict, f"run {run_id}", run_id=run_id)
    return Rules(
        policy=policies.in_force(row if row["version"] is not None else None),
        people=people.of_rows(row["people"]),
        refused={one["fingerprint"]: Refusal(**one) for one in row["refused"]},
        standing=ledger.standing_by(row),
    )
