"""The verbs of asking back: who may decide asks the requester something first, and the requester answers. Each is one statement.

Neither decides anything: votes and the hour stay as they are, and what was asked and answered is on the run's record.
"""

from typing import Any
from uuid import UUID

from engine.models import AskOutcome, Blank, InquiryMade, InquiryReplied, NoInquiry, NotYours, Standing
from engine.rules import inquiries
from engine.rules.digest import visible
from engine.state import db, pauses, seals


def ask(conn: db.Conn, pause_id: UUID, actor: str, *, text: str, surface: str, shown: str = "") -> AskOutcome:
    """Somebody who may decide it now asks the requester. `shown` is the start of the digest they saw ("" if no card was clicked).

    Raises NotFound for an unknown pause.
    """
    row = db.move(conn, "ask_requester", f"pause {pause_id}", pause_id=pause_id, actor=actor, surface=surface, shown=shown,
                  inquiry=_said(text), altered=seals.altered(conn, pause_id))  # fmt: skip
    return _outcome(conn, row)


def reply(conn: db.Conn, pause_id: UUID, actor: str, n: int, *, text: str, surface: str) -> AskOutcome:
    """The requester replies to inquiry `n`, once, while the pause waits. Raises NotFound for an unknown pause."""
    row = db.move(conn, "reply_inquiry", f"pause {pause_id}", pause_id=pause_id, actor=actor, surface=surface, n=n,
                  mark=inquiries.mark(n), reply=_said(text), altered=seals.altered(conn, pause_id))  # fmt: skip
    return _outcome(conn, row)


def _said(text: str) -> str:
    return visible(text).strip()


def _outcome(conn: db.Conn, row: dict[str, Any]) -> AskOutcome:
    outcome, n = row.pop("outcome"), row.pop("n", None)
    now = Standing(**row)
    match outcome:
        case "ask_back":
            assert n is not None
            return InquiryMade(now, n)
        case "reply":
            return InquiryReplied(now)
        case "asked" | "replied" | "no_inquiry":
            return NoInquiry(now, outcome)
        case "blank":
            return Blank(now)
        case "not_to_reply":
            return NotYours(now, outcome)
    return pauses.refused(conn, outcome, now)
