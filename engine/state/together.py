"""Several pauses of one turn, decided together: one statement, all of them or none. What a deny does to the rest of the turn it does here too."""

import json
from collections.abc import Mapping, Sequence
from typing import Any, Literal
from uuid import UUID

from engine.errors import NotFound
from engine.models import Answer, Kept, Outcome, Standing
from engine.rules.digest import visible
from engine.state import db, pauses, seals


def waiting(conn: db.Conn, pause_id: UUID, *, after: int = -1) -> list[UUID]:
    """What waits of its turn with the same approver, itself included, in the order of the turn, behind the call in this place of it."""
    return [row["id"] for row in db.many(conn, "turn_of_pause", dict, pause_id=pause_id, after=after)]


def decide(
    conn: db.Conn, answers: Sequence[Answer], actor: str, verdict: Literal["approve", "deny"], *, surface: str, reason: str = ""
) -> Mapping[UUID, Outcome | Kept]:  # fmt: skip
    """One person's yes or no to each of these pauses of one turn, each named once, as it was shown. What came of each, in the order of the turn.

    Either each was taken (Decided, Voted), or none: then at least one says what speaks against it, and the others are Kept. Raises NotFound
    if one of them is not of that turn.
    """
    words = visible(reason).strip()
    by = {"person": actor, "verdict": verdict, "surface": surface, "reason": words}
    asked = json.dumps([_asked(conn, one, **by) for one in answers])
    while True:
        found = db.many(
            conn, "decide_together", dict, asked=asked, actor=actor, verdict=verdict, reason=words, surface=surface
        )
        if all(row["outcome"] != "again" for row in found):
            break
    if len(found) != len(answers):
        raise NotFound("One of these requests is not of that turn, so nothing was changed. Check the ids.")
    return {row["pause_id"]: _outcome(conn, row) for row in found}


def _asked(conn: db.Conn, answer: Answer, **vote_of: str) -> dict[str, Any]:
    vote = seals.vote(conn, answer.pause_id, shown=answer.shown, **vote_of)
    typed = pauses.as_typed(conn, answer.pause_id, answer.confirm)
    return {"id": str(answer.pause_id), "shown": vote.shown, "seal": vote.seal, "altered": vote.altered, "typed": typed}


def _outcome(conn: db.Conn, row: dict[str, Any]) -> Outcome | Kept:
    if row["outcome"] != "kept":
        return pauses.answered(conn, row)
    return Kept(Standing(**{name: value for name, value in row.items() if name != "outcome"}))
