"""A pause as a row, what came of a decision on it, and what a sweep moved.

An expected loss is a value: exactly one of the outcomes is returned, to winner and loser alike.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, Literal
from uuid import UUID

from engine.models.asking import Content
from engine.models.statuses import EffectStatus, PauseStatus, RunStatus
from engine.rules.seal import Worth


@dataclass(frozen=True, slots=True, kw_only=True)
class Vote:
    """What one person answered, where and when; `seal` is what its seal is worth here."""

    person: str
    name: str
    verdict: Literal["approve", "deny", "answer"]
    level: int
    surface: str
    at: datetime
    reason: str | None
    seal: Worth = "off"


@dataclass(frozen=True, slots=True, kw_only=True)
class Inquiry:
    """What somebody who may decide asked the requester, the `n`th of its pause, from 1; `reply` and what follows None: not answered yet."""

    n: int
    person: str
    name: str
    at: datetime
    surface: str
    text: str
    reply: str | None = None
    replied_at: datetime | None = None
    replied_in: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class StandIn:
    """Somebody who may answer now in place of the person asked, who is away."""

    id: str
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Pause:
    """A pause with its content and what is around it: enough to paint a card or to audit it, and nothing else needed.

    `approver` is "person:marta" or "role:finance-approver"; `approver_name` is the person's name, None for a role.
    `intact` is False when the stored content no longer has its digest, or is not what its seal or the record says; then `content` is None
    and nothing may be decided. `seal` is what the content's seal is worth here, `approval` what the seals of those who said yes are.
    `superseded_by` is the pause that asks the same call anew, None if none does. `halted_by_name`: who stopped every effect, None if nobody.
    `stand_ins`: who answers for the person asked while that person is away. `put_off_why`: why the run waits for another try, and
    `put_off_to` until when; None: it does not. `step_names`: what the people are called whom the rule's further steps name, by id.
    `unseen`: it came to this level, or expired, since nobody asked before could be shown it. `lapsed`: its requester may ask again for it, and
    `again_run` is the run that does; None: none does. `nth` and `of_turn`: it is the nth of so many calls that were asked about in its turn;
    `together` of them wait now with its approver, it included if it waits.
    """

    id: UUID
    run_id: UUID
    step: int
    n: int
    status: PauseStatus
    version: int
    created_at: datetime
    fire_at: datetime
    approver: str
    approver_name: str | None
    level: int
    votes_left: int
    voters: tuple[str, ...]
    decided_by: str | None
    decided_by_name: str | None
    decided_at: datetime | None
    reason: str | None
    digest: str
    document: str
    intact: bool
    content: Content | None
    agent: str
    on_behalf_of: str
    requester_name: str | None
    run_status: RunStatus
    open_effects: int
    votes: tuple[Vote, ...]
    effect_status: EffectStatus | None
    receipt: Any
    effect_error: str | None
    settled_at: datetime | None
    superseded_by: UUID | None
    halted_by_name: str | None = None
    stand_ins: tuple[StandIn, ...] = ()
    put_off_why: str | None = None
    put_off_to: datetime | None = None
    unseen: bool = False
    lapsed: bool = False
    again_run: UUID | None = None
    seal: Worth = "off"
    approval: Worth = "off"
    inquiries: tuple[Inquiry, ...] = ()
    step_names: Mapping[str, str] = field(default_factory=dict)
    nth: int = 1
    of_turn: int = 1
    together: int = 1

    @property
    def is_question(self) -> bool:
        """Whether an answer is asked for, and not a yes; of an altered one that cannot be told, and nothing is decided on it."""
        return self.content is not None and self.content.need.is_question

    def voted_for(self, person: str) -> str | None:
        """In whose place somebody answered who was away, by id. None: in their own; or they did not answer while it was with who is asked now."""
        kind, _, asked = self.approver.partition(":")
        answered = any(vote.person == person and vote.level == self.level for vote in self.votes)
        return asked if kind == "person" and answered and person != asked else None

    def inquiry(self, n: int | None) -> Inquiry | None:
        """The inquiry of that number; None: there is none."""
        return next((one for one in self.inquiries if one.n == n), None)

    @property
    def answer(self) -> Vote | None:
        """Who answered the question, what and when; None: nobody has, or it is no question."""
        return next((vote for vote in self.votes if vote.verdict == "answer"), None)

    @property
    def execute_by(self) -> datetime | None:
        """Until when what was approved may be, or might have been, begun; None for what is not approved, or no longer, and if altered."""
        if self.status not in {"approved", "executed", "failed"} or self.decided_at is None or self.content is None:
            return None
        return self.decided_at + timedelta(seconds=self.content.need.execute_within_s)


@dataclass(frozen=True, slots=True, kw_only=True)
class Waiting:
    """A line in a list of what waits. `total` is the length of the whole list.

    `typed`: something must be typed to approve it. `stand_ins` are the ids of who answers while the person asked is away. `stuck_at` is when a
    sweep put it aside, since its time is over and it could not be settled; None: it did not.
    """

    id: UUID
    run_id: UUID
    approver: str
    approver_name: str | None
    level: int
    created_at: datetime
    fire_at: datetime
    votes_left: int
    agent: str
    on_behalf_of: str
    requester_name: str | None
    digest: str
    summary: str
    intact: bool
    total: int
    typed: bool = False
    stand_ins: tuple[str, ...] = ()
    stuck_at: datetime | None = None

    @property
    def is_question(self) -> bool:
        """Whether an answer is asked for, and not a yes: no approval of it is missing."""
        return self.votes_left == 0


# What came of a decision. Expected, so values: exactly one of these is returned, to winner and loser alike.


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """What holds after a decision was tried, won or lost; `at` is the moment it was looked at, after the lock.

    `effect_status` is where what was approved stands; None: nothing was begun, or the status of the pause says it already.
    """

    pause_id: UUID
    run_id: UUID
    status: PauseStatus
    votes_left: int
    approver: str
    level: int
    fire_at: datetime
    decided_by: str | None
    decided_at: datetime | None
    reason: str | None
    at: datetime
    run_status: RunStatus
    effect_status: EffectStatus | None = None


@dataclass(frozen=True, slots=True)
class Decided:
    """The decision moved the pause: approved, denied, answered, or withdrawn."""

    now: Standing


@dataclass(frozen=True, slots=True)
class Voted:
    """One approval of several was counted; `now.votes_left` are missing."""

    now: Standing


@dataclass(frozen=True, slots=True)
class AlreadySettled:
    """Somebody or something was quicker; `now` says who, what and when."""

    now: Standing


@dataclass(frozen=True, slots=True)
class NotYours:
    """Somebody who may not do it.

    why: own (their own request), voted (they have already), not_yours (to decide), not_requester (so not to withdraw), open (it is
    being carried out), not_to_reply (an inquiry to the requester), question (it asks for an answer, and not for a yes), no_question (it asks
    for a yes, and not for an answer).
    """

    now: Standing
    why: Literal["own", "voted", "not_yours", "not_requester", "open", "not_to_reply", "question", "no_question"]


@dataclass(frozen=True, slots=True)
class Due:
    """Its time is up and no sweep has been here yet: settle it, then look again."""

    now: Standing


@dataclass(frozen=True, slots=True)
class Broken:
    """The stored content was altered or its seal does not hold, or the card showed another: nothing can be decided on it."""

    now: Standing
    why: Literal["broken", "stale"]


@dataclass(frozen=True, slots=True)
class Unconfirmed:
    """It can only be approved with what its rule has the approver type, and that was not typed, or not right."""

    now: Standing


@dataclass(frozen=True, slots=True)
class Kept:
    """Nothing speaks against the answer, and nothing was done: it was given together with another that could not be taken."""

    now: Standing


Outcome = Decided | Voted | AlreadySettled | NotYours | Due | Broken | Unconfirmed


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """An answer to one pause of several: `shown` is the start of the digest that the person saw, `confirm` what they typed where that is asked."""

    pause_id: UUID
    shown: str
    confirm: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Moved:
    """A pause that a sweep moved."""

    pause_id: UUID
    run_id: UUID
    event: Literal["expire", "escalate", "cancel"]
    status: PauseStatus
    approver: str
    level: int
    fire_at: datetime
    wakes: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class DuePause:
    """A pause that a sweep has to settle. `need` is what was asked for, as JSON that `Need.from_document` reads; None unless it is intact.

    `now` is the database's clock when it was looked at. `voters` approved already.
    """

    id: UUID
    run_id: UUID
    level: int
    approver: str
    fire_at: datetime
    voters: tuple[str, ...]
    on_behalf_of: str
    need: str | None
    intact: bool
    now: datetime
