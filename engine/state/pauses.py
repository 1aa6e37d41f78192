"""The verbs of a pause: approve, deny, answer, withdraw, and what a sweep does. Each is one statement with exactly one winner.

What is returned is true after the lock, for winner and loser alike. Who is asked next is worked out in rules/escalation.py.
"""

import json
import logging
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any, Final
from uuid import UUID

from engine.errors import BadInput, Conflict
from engine.models import (
    AlreadySettled,
    Broken,
    Content,
    Decided,
    Due,
    DuePause,
    Moved,
    NewCard,
    NotYours,
    Outcome,
    Pause,
    StandIn,
    Standing,
    Unconfirmed,
    Vote,
    Voted,
    Waiting,
)
from engine.rules import confirmations, inquiries, questions
from engine.rules.digest import visible
from engine.rules.turn import UNSEEN
from engine.state import cards, db, seals

_log = logging.getLogger(__name__)

ASKED_BEFORE: Final = timedelta(days=60)
"""How long before a time what was settled since then is looked for among what was asked."""


def approve(
    conn: db.Conn, pause_id: UUID, actor: str, *, surface: str, shown: str = "", reason: str = "", confirm: str = ""
) -> Outcome:
    """One person's yes. `shown` is the start of the digest that the person saw ("" if no card was clicked).

    `confirm` is what the person typed, where the rule asks for that. Raises NotFound for an unknown pause.
    """
    typed = as_typed(conn, pause_id, confirm)
    return _decide(conn, pause_id, actor, "approve", surface=surface, shown=shown, reason=reason, typed=typed)


def deny(conn: db.Conn, pause_id: UUID, actor: str, *, surface: str, shown: str = "", reason: str = "") -> Outcome:
    """One person's no: it settles the pause and cancels what was asked in the same turn. `reason` reaches the agent."""
    return _decide(conn, pause_id, actor, "deny", surface=surface, shown=shown, reason=reason)


def answer(conn: db.Conn, pause_id: UUID, actor: str, text: str, *, surface: str, shown: str = "") -> Outcome:
    """One person's answer to a question, in their own words or as one of its choices: it reaches the agent, and approves nothing.

    Raises BadInput for one that is blank or too long.
    """
    words = visible(text).strip()
    if why := questions.unfit(words):
        raise BadInput("answer", why)
    return _decide(conn, pause_id, actor, "answer", surface=surface, shown=shown, reason=words)


def withdraw(conn: db.Conn, pause_id: UUID, actor: str, *, surface: str, reason: str = "") -> Outcome:
    """The requester takes the request back, waiting or approved, as long as nothing of the run is being carried out."""
    row = db.move(
        conn,
        "withdraw_pause",
        f"pause {pause_id}",
        pause_id=pause_id,
        actor=actor,
        surface=surface,
        reason=visible(reason),
    )
    return _outcome(conn, row)


def as_typed(conn: db.Conn, pause_id: UUID, text: str) -> str:
    """What was typed, as the statement compares it with what is asked for; by the content, which the statement checks. "" for nothing."""
    content = get(conn, pause_id).content if text else None
    if content is None or content.confirm is None:
        return ""
    return confirmations.read(content.confirm, text, content.amount.currency if content.amount else "")


def _decide(
    conn: db.Conn, pause_id: UUID, actor: str, verdict: str, *, surface: str, shown: str, reason: str, typed: str = ""
) -> Outcome:
    words = visible(reason).strip()
    vote = seals.vote(conn, pause_id, person=actor, verdict=verdict, surface=surface, shown=shown, reason=words)
    row = db.move(conn, "decide_pause", f"pause {pause_id}", pause_id=pause_id, actor=actor, verdict=verdict, surface=surface,
                  shown=vote.shown, reason=words, seal=vote.seal, altered=vote.altered, typed=typed)  # fmt: skip
    return answered(conn, row)


def answered(conn: db.Conn, row: dict[str, Any]) -> Outcome:
    """What came of an answer, by the row of the statement that it was given to. Raises Conflict if it could not be sealed here."""
    if row["outcome"] == "keyless":
        raise Conflict("This request is sealed, and there is no key here to seal an answer with, so nothing was recorded. "
                       "Set PLACET_SEAL_KEY here as it is elsewhere.", stands=row["status"])  # fmt: skip
    return _outcome(conn, row)


def _outcome(conn: db.Conn, row: dict[str, Any]) -> Outcome:
    outcome = row.pop("outcome")
    now = Standing(**row)
    match outcome:
        case "approve" | "deny" | "answer" | "cancel":
            return Decided(now)
        case "vote":
            return Voted(now)
        case "unconfirmed":
            return Unconfirmed(now)
        case _:
            return refused(conn, outcome, now)


def refused(conn: db.Conn, outcome: str, now: Standing) -> AlreadySettled | Due | Broken | NotYours:
    """What keeps somebody from deciding, by the word of the statement."""
    match outcome:
        case "settled":
            return AlreadySettled(now)
        case "due":
            return Due(now)
        case "broken" | "stale":
            if outcome == "broken":  # a card that still offers to decide is not left to do so
                cards.repaint(conn, now.pause_id)
            return Broken(now, outcome)
        case "own" | "voted" | "not_yours" | "not_requester" | "open" | "question" | "no_question":
            return NotYours(now, outcome)
    raise ValueError(f"no statement answers {outcome}")


# ----------------------------------------------------------------------------------------------------------------- sweep


@dataclass(frozen=True, slots=True, kw_only=True)
class NextStep:
    """What becomes of a due pause: `next` is its next approver ("person:otto"), or None when nobody is left to ask.

    `unseen`: it goes before it is due, if no card of its level stands. `to_level` is the level it goes to; None is one more. `cards` are where it is shown then; `remind_after_s` None: nobody is reminded.
    """

    pause_id: UUID
    level: int
    next: str | None
    unseen: bool = False
    to_level: int | None = None
    within_s: float = 0
    remind_after_s: int | None = None
    cards: tuple[NewCard, ...] = ()


def due(conn: db.Conn, *, limit: int, back_s: float | None = None) -> list[DuePause]:
    """What has to be settled now, oldest first. `back_s` looks only at what fell due in so many seconds; None at all."""
    return [_due(conn, row) for row in db.many(conn, "due_pauses", dict, limit=limit, back_s=back_s)]


def due_one(conn: db.Conn, pause_id: UUID) -> DuePause | None:
    """The same for one pause; None if it no longer waits."""
    row = db.one(conn, "due_pause", dict, pause_id=pause_id)
    return _due(conn, row) if row else None


def _due(conn: db.Conn, row: dict[str, Any]) -> DuePause:
    intact = row["intact"] and seals.content_holds(conn, row["id"], row)
    line = {name: value for name, value in row.items() if name not in ("digest", "seal")}
    return DuePause(**{**line, "voters": tuple(row["voters"]), "intact": intact})


def settle_due(conn: db.Conn, steps: Sequence[NextStep], *, surface: str) -> list[Moved]:
    """Escalate or expire what is still due; runs that somebody else is moving are left for the next sweep."""
    asked = [
        {
            "id": str(s.pause_id),
            "level": s.level,
            "unseen": s.unseen,
            "next": s.next,
            "to_level": s.level + 1 if s.to_level is None else s.to_level,
            "within_s": s.within_s,
            "remind_after_s": s.remind_after_s,
            "cards": [cards.to_make(card) for card in s.cards],
        }
        for s in steps
    ]
    return db.many(conn, "settle_due", Moved, asked=json.dumps(asked), unseen=UNSEEN, surface=surface)


def lock(conn: db.Conn, pause_id: UUID) -> None:
    """Let nobody else move it, or make its cards disappear, until this transaction ends. Raises NotFound."""
    db.must(conn, "lock_of_pause", dict, f"pause {pause_id}", pause_id=pause_id)


def mark_stuck(conn: db.Conn, pause_id: UUID) -> None:
    """Put a pause whose move fails by itself out of the sweep's way for an hour."""
    db.execute(conn, "mark_stuck", pause_id=pause_id)


# --------------------------------------------------------------------------------------------------------------- reading


def get(conn: db.Conn, pause_id: UUID) -> Pause:
    """A pause with everything around it. Raises NotFound."""
    row = db.must(conn, "pause_record", dict, f"pause {pause_id}", pause_id=pause_id, unseen=UNSEEN)
    asked = inquiries.read(row.pop("said"))
    opened, standing = row.pop("opened"), seals.content(conn, pause_id, row)
    intact = row["intact"] and opened == row["digest"] and standing not in seals.BROKEN
    if not intact:
        _log.error(
            "pause %s was altered after it was asked: nothing can be decided on it, and nothing is done", pause_id
        )
    votes = tuple(_vote(conn, row, vote) for vote in row["votes"])
    content = Content.from_document(json.loads(row["document"])) if intact else None
    approval = seals.approval(conn, votes, content) if content else "off"
    stand_ins = tuple(StandIn(**one) for one in row["stand_ins"])
    held = {
        "votes": votes,
        "inquiries": asked,
        "stand_ins": stand_ins,
        "content": content,
        "voters": tuple(row["voters"]),
        "intact": intact,
        "step_names": row["step_names"] or {},
        "unseen": bool(row["unseen"]),
    }
    return _readable(Pause(**{**row, **held, "seal": standing, "approval": approval}))


def _readable(pause: Pause) -> Pause:
    """The same, where somebody who knows a secret of it wrote it into a reason: its seals were looked at as it is stored."""
    held = pause.content
    if held is None or not held.secrets:
        return pause
    votes = tuple(replace(vote, reason=held.readable(vote.reason)) for vote in pause.votes)
    asked = tuple(replace(one, text=held.readable(one.text), reply=held.readable(one.reply)) for one in pause.inquiries)
    said = {name: held.readable(getattr(pause, name)) for name in ("reason", "receipt", "effect_error", "put_off_why")}
    return replace(pause, votes=votes, inquiries=asked, **said)


def _vote(conn: db.Conn, row: dict[str, Any], vote: dict[str, Any]) -> Vote:
    at, worth = datetime.fromisoformat(vote["at"]), seals.worth(conn, row["id"], row["digest"], vote)
    return Vote(**{**vote, "at": at, "seal": worth})


def find(conn: db.Conn, tail: str) -> list[UUID]:
    """The pauses whose id ends in these hex digits, at most two."""
    return [row["id"] for row in db.many(conn, "find_pauses", dict, tail=tail)]


def decided(
    conn: db.Conn, *, by: str | None = None, text: str | None = None, since: datetime | None = None, limit: int = 20
) -> list[UUID]:
    """What was settled, the newest request first: by a person's decision or vote, with a text in what was asked, and since then; None: any."""
    return [row["id"] for row in db.many(conn, "decided_pauses", dict, by=by, text=text, since=since, limit=limit)]


def settled_of(conn: db.Conn, person: str, *, since: datetime, limit: int) -> list[UUID]:
    """What a person decided or voted on, and what was asked for them, settled since then, the latest first; of what was asked at most 60 days before."""
    earliest = UUID(int=int((since - ASKED_BEFORE).timestamp() * 1000) << 80)
    found = db.many(conn, "settled_of_person", dict, person=person, asked_after=earliest, since=since, limit=limit)
    return [row["id"] for row in found]


def waiting(
    conn: db.Conn,
    *,
    person: str | None = None,
    role: str | None = None,
    asked_by: str | None = None,
    limit: int = 20,
    offset: int = 0,
) -> list[Waiting]:
    """What waits, soonest answer first: for a person (by name or role), for a role, or asked by somebody; all if all are None."""
    found = db.many(
        conn, "waiting_pauses", dict, person=person, role=role, asked_by=asked_by, limit=limit, offset=offset
    )
    return [_waiting(conn, row) for row in found]


def contents(conn: db.Conn, lines: Sequence[Waiting]) -> dict[UUID, Content]:
    """What these lines are about, by the pause's id; one that is not intact is left out."""
    digests = {line.id: line.digest for line in lines if line.intact}
    found = db.many(conn, "contents", dict, pause_ids=list(digests)) if digests else []
    return {
        row["pause_id"]: Content.from_document(json.loads(row["document"]))
        for row in found
        if row["digest"] == digests[row["pause_id"]]
    }


def _waiting(conn: db.Conn, row: dict[str, Any]) -> Waiting:
    intact = row["intact"] and seals.content_holds(conn, row["id"], row)
    line = {name: value for name, value in row.items() if name != "seal"}
    return Waiting(
        **{**line, "stand_ins": tuple(row["stand_ins"]), "intact": intact, "summary": row["summary"] if intact else ""}
    )
