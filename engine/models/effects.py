"""The ledger as rows: an effect with its newest attempt, one in doubt, and a line to read."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal
from uuid import UUID

from engine.models.asking import Line
from engine.models.statuses import EffectStatus, RunStatus


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenEffect:
    """The effect of a call with its newest attempt, and the database's clock at that moment.

    `quoted` is what its receipt will say of a price that was looked at again before it was begun; None: none was.
    """

    effect_id: UUID
    pause_id: UUID | None
    status: EffectStatus
    effect_key: str
    action: str
    tool: str
    created_at: datetime
    policy_version: str
    rule: str
    doubt_role: str
    on_behalf_of: str
    quoted: Any
    attempt_id: UUID
    attempt_status: Literal["open", "done", "failed", "absent", "unknown"]
    started_at: datetime
    call_deadline: datetime
    tries: int
    now: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class DoubtfulEffect:
    """An effect of which nobody can tell whether it happened. `attempts` have a key each; `attempted_at`: the newest.

    `lines` are its arguments as whoever approved it read them; None: nobody was asked, or what they read is not stored as it was.
    """

    id: UUID
    run_id: UUID
    pause_id: UUID | None
    tool: str
    action: str
    digest: str
    effect_key: str
    error: str | None
    created_at: datetime
    doubt_role: str
    agent: str
    on_behalf_of: str
    attempts: int
    attempted_at: datetime
    lines: tuple[Line, ...] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Doubt:
    """An effect that is or was in doubt, as who must say what happened reads it.

    `attempts` have a key each, and `tries` are all calls; `attempt_id` is the last key, `attempted_at` when it was first used, `call_deadline`
    until when its last call could last.
    `said` is how the doubt was settled ("resolve", "retry", "abandon" by a person, "succeed" or "fail" also by a late answer), with by whom,
    when and where; all None while it stands. `lines` as in `DoubtfulEffect`. `now` is the database's clock when it was looked at.
    """

    id: UUID
    run_id: UUID
    pause_id: UUID | None
    status: EffectStatus
    tool: str
    action: str
    digest: str
    effect_key: str
    error: str | None
    receipt: Any
    created_at: datetime
    doubt_role: str
    agent: str
    on_behalf_of: str
    requester_name: str | None
    run_status: RunStatus
    cancel_wanted: bool
    attempts: int
    tries: int
    attempt_id: UUID
    attempted_at: datetime
    call_deadline: datetime
    said: Literal["resolve", "retry", "abandon", "succeed", "fail"] | None
    said_at: datetime | None
    said_in: str | None
    said_by: str | None
    now: datetime
    lines: tuple[Line, ...] | None = None


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Halt:
    """Every effect is stopped. `name` is the person's, `reason` may be empty."""

    halted_by: str
    name: str
    halted_at: datetime
    reason: str
