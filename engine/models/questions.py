"""What came of asking the requester something before a decision, or of answering it. Expected, so values: exactly one is returned."""

from dataclasses import dataclass
from typing import Literal

from engine.models.pauses import AlreadySettled, Broken, Due, NotYours, Standing


@dataclass(frozen=True, slots=True)
class QuestionAsked:
    """The question is on record, as number `n` of its pause, and is said to the requester; nothing is decided by it."""

    now: Standing
    n: int


@dataclass(frozen=True, slots=True)
class QuestionAnswered:
    """The answer is on record, and is said to those who decide."""

    now: Standing


@dataclass(frozen=True, slots=True)
class NoQuestion:
    """There is none to ask or to answer. why: asked (by this person, in these words), answered (it has its answer), no_question (of that number)."""

    now: Standing
    why: Literal["asked", "answered", "no_question"]


@dataclass(frozen=True, slots=True)
class Blank:
    """Nothing was written."""

    now: Standing


AskOutcome = QuestionAsked | QuestionAnswered | NoQuestion | Blank | AlreadySettled | NotYours | Due | Broken
