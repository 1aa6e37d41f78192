"""A question that an agent asks a person: its limits, and what the model is told of what came of it.

Pure. The one rule: an answer is a person's words about what was asked, and approves nothing; silence is nobody's word.
"""

from datetime import UTC, datetime
from typing import Final

from engine.rules.turn import UNSEEN

QUESTION_MOST: Final = 2_000
"""How many characters a question may have: with its choices it always fits on a card, whole."""

CHOICES_MOST: Final = 20
CHOICE_MOST: Final = 75
"""How many choices a question may have, and how many characters each: as many as Slack shows of one."""

ANSWER_MOST: Final = 2_000
"""How many characters an answer may have."""

BLANK: Final = "An answer has at least one character that can be seen. Nothing was recorded."
TOO_LONG: Final = (
    f"This is too long to be passed on, so nothing was recorded; please say it in {ANSWER_MOST:,} characters."
)


def unfit(answer: str) -> str | None:
    """Why this cannot be the answer to a question, for who gave it; None if it can."""
    if not answer.strip():
        return BLANK
    return TOO_LONG if len(answer.strip()) > ANSWER_MOST else None


def answered(answer: str, *, by: str, at: datetime) -> str:
    """What the model is told of an answer."""
    return f"{by} answered on {at.astimezone(UTC):%d %b %H:%M} UTC: {answer}"


def unanswered(status: str, *, reason: str | None, fire_at: datetime) -> str:
    """What the model is told of a question that nobody answered; a time-out is never told as a person's refusal."""
    match status:
        case "expired" if reason == UNSEEN:
            return f"{UNSEEN[0].upper()}{UNSEEN[1:]}, so there is no answer."
        case "expired":
            return f"Nobody answered by {fire_at.astimezone(UTC):%d %b %H:%M} UTC. Go on without an answer where you can, and say what you could not find out."
        case "cancelled":
            return f"Withdrawn; nobody answers. {reason or 'The requester took the question back.'}"
        case _:
            return f"There is no answer: the question is {status}. {reason or ''}".strip()
