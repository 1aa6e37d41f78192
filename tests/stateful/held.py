"""What the reference model holds: runs with their calls, requests and effects, and the two ways in which those end. Pure."""

from dataclasses import dataclass, field

from tests.stateful.rules import Need

ENDED = frozenset({"done", "error", "cancelled"})
LIVE = frozenset({"waiting", "approved"})


@dataclass(frozen=True)
class Item:
    """A payment that the agent asks for: what it is for, the amount in cents, and whether the card takes it."""

    ref: str
    cents: int
    good: bool = True


@dataclass(kw_only=True)
class Pause:
    """A request. `quote` is the price it was asked at, None if there was none; `votes` who said yes, and as whom they were asked.

    `asked` what the requester was asked: by whom, in which words, and the answer, where there is one.
    """

    n: int
    step: int
    cents: int
    quote: int | None
    need: Need
    approver: str
    due: int
    votes_left: int
    level: int = 0
    status: str = "waiting"
    by: str | None = None
    decided: int | None = None
    voters: list[str] = field(default_factory=list)
    votes: list[tuple[str, str]] = field(default_factory=list)
    asked: list[list[str]] = field(default_factory=list)


@dataclass(kw_only=True)
class Effect:
    """A payment that was begun. `paid`: what the provider took; `known`: what it answers to the present key, None if it does not know it."""

    step: int
    n: int
    cents: int
    began: int
    status: str = "attempted"
    attempts: int = 1
    tries: int = 1
    absent: bool = False
    known: str | None = None
    paid: list[int] = field(default_factory=list)


@dataclass(kw_only=True)
class Call:
    """A call of the present turn; `told` is what the model is told of it, None as long as it is open."""

    n: int
    item: Item
    pause: Pause | None = None
    effect: Effect | None = None
    told: str | None = None


@dataclass(kw_only=True)
class Run:
    """A run and everything that ever belonged to it. `plan` are the turns that its model will ask for; `leased`: a worker has it."""

    requester: str
    plan: tuple[tuple[Item, ...], ...]
    status: str = "queued"
    hold: bool = False
    cancel_wanted: bool = False
    leased: bool = False
    iterations: int = 0
    epoch: int = 0
    calls: list[Call] = field(default_factory=list)
    pauses: list[Pause] = field(default_factory=list)
    effects: list[Effect] = field(default_factory=list)
    told: list[tuple[int, int, str]] = field(default_factory=list)
    refused: set[tuple[str, int]] = field(default_factory=set)

    @property
    def open_effects(self) -> list[Effect]:
        return [e for e in self.effects if e.status in ("attempted", "in_doubt")]

    @property
    def shown(self) -> str:
        return "pausing" if self.hold and self.status == "running" else self.status


def call_off(run: Run, by: str | None = None) -> None:
    """Nothing more of what was asked is done."""
    for pause in run.pauses:
        if pause.status in LIVE:
            pause.status, pause.by = "cancelled", by


def conclude(run: Run, effect: Effect, status: str, told: str = "") -> None:
    """It is known what became of an effect, and the run goes on, or stops as somebody wished meanwhile."""
    effect.status = status
    for call in run.calls:
        if call.effect is effect:
            if told:
                tell(run, call, told)
            if call.pause:
                call.pause.status = "executed" if status == "done" else "failed"
    if run.cancel_wanted:
        run.status = "cancelled"
        call_off(run)
    elif run.status == "in_doubt":
        run.status = "paused" if run.hold else "queued"
    elif run.status == "running" and run.hold:
        run.status = "paused"


def tell(run: Run, call: Call, what: str) -> None:
    """The model is told this of a call, once."""
    assert call.told is None, call
    call.told = what
    run.told.append((run.iterations, call.n, what))
