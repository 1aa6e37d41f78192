"""The rows as values: what the state's verbs return, and what the rules and the cards are given. No behaviour but reading.

A field is named as its column is. Times are aware datetimes by the database's clock; ids are UUIDs; people are ids ("marta").
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from datetime import datetime, timedelta
from typing import Any, Literal, Self
from uuid import UUID

from engine.rules.money import Money
from engine.rules.policy import Need

RunStatus = Literal[
    "queued", "running", "awaiting_approval", "awaiting_child", "paused", "in_doubt", "done", "error", "cancelled"
]
PauseStatus = Literal[
    "waiting", "approved", "denied", "expired", "cancelled", "superseded", "voided", "executed", "failed"
]
EffectStatus = Literal["attempted", "in_doubt", "done", "failed", "abandoned"]
ENDED: frozenset[str] = frozenset({"done", "error", "cancelled"})


# ---------------------------------------------------------------------------------------------------------------- asking


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One argument as the approver reads it. `detail`: it may leave the card for Details."""

    label: str
    value: str
    detail: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Quote:
    """What something costs now, by its seller. `valid_until` None: it does not lapse."""

    price: Money
    valid_until: datetime | None = None
    reference: str | None = None

    def to_document(self) -> dict[str, Any]:
        """The JSON form, which `from_document` reads back to an equal value."""
        until = self.valid_until.isoformat() if self.valid_until else None
        return {"price": self.price.to_document(), "valid_until": until, "reference": self.reference}

    @classmethod
    def from_document(cls, document: Mapping[str, Any]) -> Self:
        """Read what `to_document` wrote."""
        until = document["valid_until"]
        return cls(
            price=Money.from_document(document["price"]),
            valid_until=datetime.fromisoformat(until) if until else None,
            reference=document["reference"],
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Superseded:
    """What a request replaces: which pause, why it is asked again, and the price that was approved then."""

    pause_id: str
    why: str
    was: Money | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Content:
    """What a pause holds, once and for all: the exact action, what the approver reads, the authority, the answer in advance.

    Its canonical text is stored, and `digest` is made over that text; nothing of it is ever recomputed.
    """

    run_id: str
    step: int
    n: int
    agent: str
    tool: str
    tool_version: str
    tool_use_id: str
    title: str
    arguments: Mapping[str, Any]
    action_digest: str
    fingerprint: str
    effect_key: str
    summary: str
    lines: tuple[Line, ...]
    explanation: str
    amount: Money | None
    acts_as: str
    on_behalf_of: str
    scopes: tuple[str, ...]
    need: Need
    quote: Quote | None
    supersedes: Superseded | None

    def to_document(self) -> dict[str, Any]:
        """The one document of the pause, JSON-safe, as its digest covers it."""
        need = self.need
        return {
            "run_id": self.run_id,
            "step": self.step,
            "n": self.n,
            "agent": self.agent,
            "tool_version": self.tool_version,
            "tool_use_id": self.tool_use_id,
            "title": self.title,
            "proposed_action": {"tool": self.tool, "arguments": dict(self.arguments)},
            "action_digest": self.action_digest,
            "fingerprint": self.fingerprint,
            "effect_key": self.effect_key,
            "summary": self.summary,
            "lines": [asdict(line) for line in self.lines],
            "explanation": self.explanation,
            "amount": self.amount.to_document() if self.amount else None,
            "authorisation": {
                "acts_as": self.acts_as,
                "on_behalf_of": self.on_behalf_of,
                "scopes": list(self.scopes),
                "policy_version": need.policy_version,
                "rule": need.rule,
                "requires_role": need.role,
                "requires_person": need.person,
                "approvals_needed": need.approvers,
            },
            "need": need.to_document(),
            "execute_within_s": need.execute_within_s,
            "on_expiry": need.on_expiry,
            "quote": self.quote.to_document() if self.quote else None,
            "supersedes": (
                {
                    "pause_id": self.supersedes.pause_id,
                    "why": self.supersedes.why,
                    "was": self.supersedes.was.to_document() if self.supersedes.was else None,
                }
                if self.supersedes
                else None
            ),
        }

    @classmethod
    def from_document(cls, doc: Mapping[str, Any]) -> Self:
        """Read what `to_document` wrote. Raises KeyError or ValueError for anything else."""
        grant, before = doc["authorisation"], doc["supersedes"]
        return cls(
            **{
                k: doc[k]
                for k in (
                    "run_id",
                    "step",
                    "n",
                    "agent",
                    "tool_version",
                    "tool_use_id",
                    "title",
                    "action_digest",
                    "fingerprint",
                    "effect_key",
                    "summary",
                    "explanation",
                )
            },
            tool=doc["proposed_action"]["tool"],
            arguments=doc["proposed_action"]["arguments"],
            lines=tuple(Line(**line) for line in doc["lines"]),
            amount=Money.from_document(doc["amount"]) if doc["amount"] else None,
            acts_as=grant["acts_as"],
            on_behalf_of=grant["on_behalf_of"],
            scopes=tuple(grant["scopes"]),
            need=Need.from_document(doc["need"]),
            quote=Quote.from_document(doc["quote"]) if doc["quote"] else None,
            supersedes=(
                Superseded(
                    pause_id=before["pause_id"],
                    why=before["why"],
                    was=Money.from_document(before["was"]) if before["was"] else None,
                )
                if before
                else None
            ),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class NewCard:
    """Where a pause is to be shown: dest is "channel:C0BUY" or "person:marta" (a DM)."""

    kind: Literal["approver", "requester"]
    dest: str


# ---------------------------------------------------------------------------------------------------------------- pauses


@dataclass(frozen=True, slots=True, kw_only=True)
class Vote:
    """What one person answered, where and when."""

    person: str
    name: str
    verdict: Literal["approve", "deny"]
    level: int
    surface: str
    at: datetime
    reason: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Pause:
    """A pause with its content and what is around it: enough to paint a card or to audit it, and nothing else needed.

    `approver` is "person:marta" or "role:finance-approver"; `approver_name` is the person's name, None for a role.
    `intact` is False when the stored content no longer has its digest; then `content` is None and nothing may be decided.
    `superseded_by` is the pause that asks the same call anew, None if none does.
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

    @property
    def execute_by(self) -> datetime | None:
        """Until when an approved action may be carried out; None while it waits."""
        if self.decided_at is None or self.content is None:
            return None
        return self.decided_at + timedelta(seconds=self.content.need.execute_within_s)


@dataclass(frozen=True, slots=True, kw_only=True)
class Waiting:
    """A line in a list of what waits. `total` is the length of the whole list."""

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


# What came of a decision. Expected, so values: exactly one of these is returned, to winner and loser alike.


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """What holds after a decision was tried, won or lost; `at` is the moment it was looked at, after the lock."""

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


@dataclass(frozen=True, slots=True)
class Decided:
    """The decision moved the pause: approved, denied, or withdrawn."""

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
    """This person may not do it. why: own (their own request), voted (they have), not_yours, open (it is being carried out)."""

    now: Standing
    why: Literal["own", "voted", "not_yours", "open"]


@dataclass(frozen=True, slots=True)
class Due:
    """Its time is up and no sweep has been here yet: settle it, then look again."""

    now: Standing


@dataclass(frozen=True, slots=True)
class Broken:
    """The stored content was altered, or the card showed another: nothing can be decided on it."""

    now: Standing
    why: Literal["broken", "stale"]


Outcome = Decided | Voted | AlreadySettled | NotYours | Due | Broken


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
    """A pause that a sweep has to settle."""

    id: UUID
    run_id: UUID
    level: int
    approver: str
    fire_at: datetime
    on_behalf_of: str
    document: str
    intact: bool


# ------------------------------------------------------------------------------------------------------------------ runs


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """A run that this worker has now, and the epoch that says so."""

    id: UUID
    epoch: int
    agent: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """A tool call of the current turn. `arguments` as the model sent them; `result` {"text", "is_error"} or None."""

    n: int
    state: Literal["requested", "settled"]
    tool_use_id: str
    tool: str
    arguments: dict[str, Any]
    result: dict[str, Any] | None
    pause_id: UUID | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """All that a worker needs to go on with a run."""

    id: UUID
    agent: str
    status: RunStatus
    epoch: int
    hold: bool
    on_behalf_of: str
    acts_as: str
    iterations: int
    max_iterations: int
    tokens: int
    max_tokens: int | None
    cost_micros: int
    max_cost_micros: int | None
    refusals: int
    open_effects: int
    model: str
    scopes: list[str]
    messages: list[dict[str, Any]]
    calls: tuple[Call, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class RunLine:
    """A line in a list of runs."""

    id: UUID
    agent: str
    status: RunStatus
    hold: bool
    on_behalf_of: str
    requester_name: str | None
    created_at: datetime
    waiting_pauses: int
    error: str | None
    result: str | None
    launch_key: str | None
    total: int


@dataclass(frozen=True, slots=True, kw_only=True)
class RunRecord:
    """A run as people see it."""

    id: UUID
    agent: str
    kind: str
    status: RunStatus
    hold: bool
    cancel_wanted: bool
    on_behalf_of: str
    requester_name: str | None
    acts_as: str
    created_at: datetime
    iterations: int
    max_iterations: int
    tokens: int
    cost_micros: int
    waiting_pauses: int
    seq: int
    launch_key: str | None
    model: str
    scopes: list[str]
    input: str
    result: str | None
    error: str | None
    messages: list[dict[str, Any]]
    pauses: list[UUID]


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """One line of the record. `to_status` None: a refused attempt, and `detail` says why."""

    seq: int
    n: int
    at: datetime
    entity: str
    entity_id: str
    from_status: str
    event: str
    to_status: str | None
    actor: str
    surface: str
    detail: str | None


# --------------------------------------------------------------------------------------------------------------- effects


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenEffect:
    """The effect of a call with its newest attempt, and the database's clock at that moment."""

    effect_id: UUID
    pause_id: UUID | None
    status: EffectStatus
    effect_key: str
    action: str
    tool: str
    created_at: datetime
    policy_version: str
    rule: str
    attempt_id: UUID
    attempt_status: Literal["open", "done", "failed", "absent", "unknown"]
    started_at: datetime
    call_deadline: datetime
    tries: int
    now: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class DoubtfulEffect:
    """An effect of which nobody can tell whether it happened."""

    id: UUID
    run_id: UUID
    pause_id: UUID | None
    tool: str
    action: str
    effect_key: str
    error: str | None
    created_at: datetime
    doubt_role: str
    agent: str
    on_behalf_of: str


@dataclass(frozen=True, slots=True, kw_only=True)
class EffectLine:
    """A line of the ledger."""

    id: UUID
    step: int
    n: int
    pause_id: UUID | None
    status: EffectStatus
    tool: str
    effect_key: str
    action: str
    digest: str
    policy_version: str
    rule: str
    receipt: Any
    error: str | None
    created_at: datetime
    settled_at: datetime | None
    attempts: int


# ---------------------------------------------------------------------------------------------------------------- people


@dataclass(frozen=True, slots=True, kw_only=True)
class Actor:
    """A person behind a Slack identity. `refusal`: why Slack's last answer bars them from deciding; None: a full member.

    `checked_s_ago` is how old that answer is, None if Slack was never asked.
    """

    id: str
    name: str
    active: bool
    team: str
    slack_user: str
    refusal: str | None
    checked_s_ago: float | None
    roles: tuple[str, ...] = field(default=())


# ------------------------------------------------------------------------------------------------------- what people see


@dataclass(frozen=True, slots=True, kw_only=True)
class Card:
    """A card to paint, claimed by one painter. `channel` and `ts` None: it was never posted, as far as we know."""

    id: UUID
    pause_id: UUID
    kind: Literal["approver", "requester"]
    dest: str
    level: int
    wanted: int
    tries: int
    channel: str | None
    ts: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Notice:
    """Something to say once, claimed by one sender. dest: "channel:C..", "person:marta" or "private:C..:U..".

    `state` is "lapsed" when it came too late to be of use.
    """

    id: UUID
    run_id: UUID
    pause_id: UUID | None
    kind: str
    dest: str
    detail: dict[str, Any] | None
    tries: int
    state: Literal["due", "sent", "lapsed", "failed"]
