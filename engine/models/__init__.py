"""The rows as values: what the state's verbs return, and what the rules and the cards are given. No behaviour but reading.

A field is named as its column is. Times are aware datetimes by the database's clock; ids are UUIDs; people are ids ("marta").
"""

from engine.models.again import AskedAgain, NotAskedAgain
from engine.models.asking import Confirmation, Content, Line, NewCard, Quote, Superseded, with_amount
from engine.models.cards import Card, Digest, Notice
from engine.models.effects import Doubt, DoubtfulEffect, EffectLine, Halt, OpenEffect
from engine.models.inquiries import AskOutcome, Blank, InquiryMade, InquiryReplied, NoInquiry
from engine.models.pauses import (
    AlreadySettled,
    Answer,
    Broken,
    Decided,
    Due,
    DuePause,
    Inquiry,
    Kept,
    Moved,
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
from engine.models.people import Actor
from engine.models.runs import Call, Claim, Event, Passage, Run, RunLine, RunRecord
from engine.models.statuses import ENDED, EffectStatus, PauseStatus, RunStatus

__all__ = [
    "ENDED",
    "Actor",
    "AlreadySettled",
    "Answer",
    "AskOutcome",
    "AskedAgain",
    "Blank",
    "Broken",
    "Call",
    "Card",
    "Claim",
    "Confirmation",
    "Content",
    "Decided",
    "Digest",
    "Doubt",
    "DoubtfulEffect",
    "Due",
    "DuePause",
    "EffectLine",
    "EffectStatus",
    "Event",
    "Halt",
    "Inquiry",
    "InquiryMade",
    "InquiryReplied",
    "Kept",
    "Line",
    "Moved",
    "NewCard",
    "NoInquiry",
    "NotAskedAgain",
    "NotYours",
    "Notice",
    "OpenEffect",
    "Outcome",
    "Passage",
    "Pause",
    "PauseStatus",
    "Quote",
    "Run",
    "RunLine",
    "RunRecord",
    "RunStatus",
    "StandIn",
    "Standing",
    "Superseded",
    "Unconfirmed",
    "Vote",
    "Voted",
    "Waiting",
    "with_amount",
]
