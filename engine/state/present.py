"""What holds at the moment a turn is looked at: the policy, everybody, what was refused before, and the standing of those who asked and approved.

One look for all of it: it is read before every effect, and each look costs a round trip.
"""

import json
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
class DoneBefore:
    """What another run at the same task did, of which this one's messages do not tell."""

    run_id: UUID
    tool: str
    arguments: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class AsksAgain:
    """The turn with which a run begins that asks again what lapsed in another: its step, and the requests it was there, oldest first."""

    step: int
    pauses: tuple[UUID, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """What holds. `refused`: what a person refused in this run, by fingerprint, or in another at the same task: one that it goes on from, or that does too.

    `done`: what those did. `asks_again` None: there are none.
    """

    policy: Policy
    people: People
    refused: Mapping[str, Refusal]
    standing: ledger.StandingNow
    done: tuple[DoneBefore, ...] = ()
    asks_again: AsksAgain | None = None

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
        done=tuple(_done(one) for one in row["done"]),
        asks_again=_asks_again(row["asks_again"]) if row["asks_again"] else None,
    )


def _done(row: dict[str, Any]) -> DoneBefore:
    action = json.loads(row["action"])
    return DoneBefore(run_id=UUID(row["run_id"]), tool=action["tool"], arguments=action["arguments"])


def _asks_again(row: dict[str, Any]) -> AsksAgain:
    return AsksAgain(step=row["step"], pauses=tuple(UUID(pause_id) for pause_id in row["pauses"]))
