"""What an action needs before it may be done: nothing, somebody's yes, or that it is never done; and which of two needs asks for more.

The one rule: a `Need` is complete. Stored with a pause, it says who is asked, for how long, what silence means and how far the world may
move, without the policy it came from. Which need an action has is decided in policy.
"""

from collections.abc import Collection, Mapping
from dataclasses import MISSING, asdict, dataclass, fields, replace
from datetime import datetime
from typing import Any, Final, Literal, Self

from engine.rules import calendar
from engine.rules.calendar import Calendar
from engine.rules.money import Money

Kind = Literal["allow", "ask", "forbid"]

QUESTION: Final = "question"
"""The action of a question that an agent asks (its tool ask_human): its rule says whom, and nothing of it is approved or done."""

REQUESTER: Final = "requester"
"""As the person of a rule for questions: whoever the run is for."""
Direction = Literal["both", "up", "down"]

_STRICTNESS: Mapping[Kind, int] = {"allow": 0, "ask": 1, "forbid": 2}

_SINCE_V1: Final = ("in_business_hours", "calendar", "confirm", "window_s", "up_to", "digest_at")
"""Fields that a document has only where they say something: the release before reads no key that it does not know."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """Where a pause goes when nobody answered: exactly one of a person, a role, or somebody's manager at that time."""

    person: str | None = None
    role: str | None = None
    manager_of: Literal["approver", "requester"] | None = None
    answer_within_s: int
    in_business_hours: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Need:
    """What one action needs. Times are in seconds; a tolerance is in hundredths of a percent.

    Exactly one of `person` and `role` is set if `kind` is "ask"; otherwise neither is, and the times of asking are
    zero. No `approvers` are needed where an answer is asked for, and not a yes; then `person` may be REQUESTER. `in_business_hours`: answer_within_s counts those of `calendar` alone. `remind_after_s` counts every hour, and is None for no
    reminder. `execute_within_s` counts from the approval. `confirm` is the argument of which the approver must type the last
    characters, or "amount"; None if a click is enough. `why` is a sentence for a person. `doubt_role` is whom to ask when nobody can tell
    whether the effect happened; only a forbidden action and a question have none. `digest_at` is when on a business day, in minutes after midnight, those who
    are asked first are shown all that came in since; None: each request at once. Where payments to one payee count together, `window_s` says for how
    long, and `up_to` up to which sum, in minor units, this need holds (None: without end).
    """

    kind: Kind
    policy_version: str
    rule: str
    why: str
    person: str | None = None
    role: str | None = None
    approvers: int = 0
    answer_within_s: int = 0
    on_expiry: Literal["deny", "escalate"] = "deny"
    steps: tuple[Step, ...] = ()
    final: Literal["deny"] = "deny"
    tolerance_bp: int = 0
    direction: Direction = "both"
    execute_within_s: int = 0
    remind_after_s: int | None = None
    channel: str | None = None
    doubt_role: str | None = None
    in_business_hours: bool = False
    calendar: Calendar | None = None
    confirm: str | None = None
    window_s: int = 0
    up_to: int | None = None
    digest_at: int | None = None

    @property
    def is_question(self) -> bool:
        """Whether an answer is asked for, and not a yes."""
        return self.kind == "ask" and self.approvers == 0

    def to_document(self) -> dict[str, Any]:
        """A JSON-safe document that `from_document` reads back to an equal need."""
        document = {one.name: getattr(self, one.name) for one in fields(self) if _is_told(self, one.name)}
        document["steps"] = [_step_document(step) for step in self.steps]
        return document | ({"calendar": _calendar_document(self.calendar)} if self.calendar else {})

    @classmethod
    def from_document(cls, document: Mapping[str, Any]) -> Self:
        """Read what `to_document` wrote. Raises TypeError for a key it does not know or misses."""
        steps = tuple(Step(**step) for step in document.get("steps", ()))
        hours = document.get("calendar")
        return cls(**{**document, "steps": steps, "calendar": Calendar.from_document(hours) if hours else None})


def within_s(counted: Need | Step, start: datetime, hours: Calendar | None) -> float:
    """How long the one who is asked at `start` has, in seconds by every clock; business hours are counted by the calendar."""
    if not counted.in_business_hours or hours is None:
        return counted.answer_within_s
    return (calendar.due(start, counted.answer_within_s, hours) - start).total_seconds()


def shown_from(need: Need, start: datetime) -> datetime | None:
    """When those who are asked first, at `start`, are shown the request; None: at once."""
    if need.digest_at is None or need.calendar is None:
        return None
    return calendar.next_at(start, need.digest_at, need.calendar)


def _is_told(said: Any, name: str) -> bool:
    default = next(one.default for one in fields(said) if one.name == name)
    return name not in _SINCE_V1 or default is MISSING or getattr(said, name) != default


def _step_document(step: Step) -> dict[str, Any]:
    return {name: value for name, value in asdict(step).items() if _is_told(step, name)}


def _calendar_document(hours: Calendar) -> dict[str, Any]:
    return asdict(hours) | {"days": list(hours.days), "closed": list(hours.closed)}


def stricter(recorded: Need, present: Need) -> Need:
    """The need that holds at execution: the recorded one, unless the present policy asks for more.

    More is: a kind further from "allow"; another person or role; more approvers; a confirmation to be typed. Where both ask, its tolerance is
    what both leave open.
    """
    holds = recorded if needs_asking_again(recorded, present) is None else present
    if holds.kind != "ask" or recorded.kind != present.kind:
        return holds
    tolerance_bp, direction = _tighter(recorded, present)
    same = (holds.tolerance_bp, holds.direction) == (tolerance_bp, direction)
    return holds if same else replace(holds, tolerance_bp=tolerance_bp, direction=direction)


def _tighter(one: Need, other: Need) -> tuple[int, Direction]:
    """The price moves that both leave open; none if one allows a rise alone and the other a fall."""
    ways = {one.direction, other.direction} - {"both"}
    if len(ways) == 2:
        return 0, "both"
    return min(one.tolerance_bp, other.tolerance_bp), next(iter(ways), "both")


def needs_asking_again(recorded: Need, present: Need, voters: Collection[str] = ()) -> str | None:
    """A sentence saying why what was approved is no longer enough; None if it is.

    `voters` are the ids of those who said yes: a person the present policy names need not be asked what they answered.
    """
    by = f'rule "{present.rule}" of {present.policy_version}'
    if _STRICTNESS[present.kind] > _STRICTNESS[recorded.kind]:
        return f"The policy is stricter now: {present.why}"
    if present.kind != "ask" or recorded.kind != "ask":
        return None
    same = (present.person, present.role) == (recorded.person, recorded.role)
    if not same and present.person not in voters:
        return f"The policy asks {who(present)} now, not {who(recorded)} ({by})."
    if present.approvers > recorded.approvers:
        return f"The policy asks for {present.approvers} approvers now, not {recorded.approvers} ({by})."
    if present.confirm and present.confirm != recorded.confirm:
        return f"The policy asks for a typed confirmation of the {present.confirm.replace('_', ' ')} now ({by})."
    return None


def within_tolerance(approved: Money, now: Money, tolerance_bp: int, direction: Direction) -> bool:
    """Whether a price that moved is still what was approved, exactly, with the bound itself inside.

    `direction` says which way it may move at all: with "up", a fall of any size is outside. Another currency always is.
    """
    if now.currency != approved.currency:
        return False
    moved = now.minor - approved.minor
    if (direction == "up" and moved < 0) or (direction == "down" and moved > 0):
        return False
    return abs(moved) * 10_000 <= approved.minor * tolerance_bp


def who(need: Need) -> str:
    """Who is asked, for a sentence: "marta", "the requester", or "one person with the role finance-approver"."""
    if need.person:
        return "the requester" if need.is_question and need.person == REQUESTER else need.person
    count = "one person" if need.approvers < 2 else f"{need.approvers} people"
    return f"{count} with the role {need.role}"


def strictness(need: Need) -> tuple[int, int, bool]:
    """Orders needs: allow, then ask with ever more approvers, and of those with as many one that must be typed, then forbid."""
    return (_STRICTNESS[need.kind], need.approvers, need.confirm is not None)
