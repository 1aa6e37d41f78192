"""What came of asking the requester something before a decision, or of answering it. Expected, so values: exactly one is returned."""

from dataclasses import dataclass
from typing import Literal

from engine.models.pauses import AlreadySettled, Broken, Due, NotYours, Standing


@dataclass(frozen=True, slots=True)
class InquiryMade:
    """The inquiry is on record, as number `n` of its pause, and is said to the requester; nothing is decided by it."""

    now: Standing
    n: int


@dataclass(frozen=True, slots=True)
class InquiryReplied:
    """The reply is on record, and is said to those who decide."""

    now: Standing


@dataclass(frozen=True, slots=True)
class NoInquiry:
    """There is none to make or to reply to. why: asked (by this person, in these words), replied (it has its reply), no_inquiry (of that number)."""

    now: Standing
    why: Literal["asked", "replied", "no_inquiry"]


@dataclass(frozen=True, slots=True)
class Blank:
    """Nothing was written."""

    now: Standing


AskOutcome = InquiryMade | InquiryReplied | NoInquiry | Blank | AlreadySettled | NotYours | Due | Broken
