"""A move made twice, on the real thing and in the model, and compared: what was answered, and how everything stands afterwards.

A move whose connection is lost may have been made or not, and a worker that is lost may have come to any of its steps: the model allows
each, and the rows say which it was.
"""

import copy
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import wraps
from typing import Any, Final
from uuid import UUID

import psycopg
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from engine.models import Claim
from tests import rows
from tests.stateful.ground import Ground
from tests.stateful.held import Effect
from tests.stateful.lines import How
from tests.stateful.model import Model
from tests.stateful.seen import Rows, by_model, differences
from tests.stateful.working import WINDOW_H

SURFACE: Final = "tests"
LOSSES: Final[tuple[tuple[int, How] | None, ...]] = (
    *(None,) * 18, *((at, how) for at in (1, 2, 3) for how in ("cut before", "cut after"))
)  # fmt: skip
"""Mostly none; else at which statement of a move its connection is cut, and when."""
MOODS: Final = ("drop_after", "drop_before", "500_after", "down")
"""How the provider does not answer, having taken the money or not."""
WHICH: Final = st.integers(0, 5)
"""One of those there are, counted round; 0 is the likeliest to matter."""


@dataclass(frozen=True)
class Move:
    """The same move twice: on the real thing, and in a model. Both say what was answered."""

    really: Callable[[], str]
    by_model: Callable[[Model], str]


def step(**given: Any) -> Callable[[Callable[..., None]], Any]:
    """A rule; while it goes on, nothing is settled."""

    def decorate(function: Callable[..., None]) -> Any:
        @wraps(function)
        def made(self: "Compared", **drawn: Any) -> None:
            self.settled = False
            function(self, **drawn)

        decorated: Any = rule(**given)(made)  # type: ignore[no-untyped-call]
        return decorated

    return decorate


class Compared(RuleBasedStateMachine):
    """One example: a ground on which nothing has happened, and the model of it. `settled`: the last move was compared."""

    def __init__(self, ground: Ground) -> None:
        super().__init__()
        self.ground, self.model = ground, Model()
        ground.fresh()
        self.ids: list[UUID] = []
        self.claims: list[tuple[int, Claim]] = []
        self.versions = self.orders = 0
        self.in_slack = False
        self.settled = True

    @initialize(in_slack=st.sampled_from((False, False, True)))
    def begin(self, in_slack: bool) -> None:
        """Whether this example is looked at in Slack, which costs more than all else."""
        self.in_slack = in_slack

    # ------------------------------------------------------------------------------------------------------------- comparing

    @invariant()
    def as_the_model_says(self) -> None:
        """Every run, request, effect and payment is as the model has it; and the rows agree with each other."""
        found, expected = Rows(self.ground).look(), by_model(self.model)
        assert found == expected, differences(found, expected)
        rows.consistent(self.ground.conn)
        self.settled = True

    def make(self, move: Move, loss: tuple[int, How] | None = None) -> str:
        """Make a move. With a loss its caller may hear nothing, and then it was made whole or not at all."""
        self.ground.fate.plan(*(loss or ()))
        try:
            answer = move.really()
        except psycopg.OperationalError:
            assert self.ground.fate.met
            made = copy.deepcopy(self.model)
            move.by_model(made)
            self._whichever(iter((self.model, made)))
            return "lost"
        finally:
            self.ground.fate.plan()
        expected = move.by_model(self.model)
        assert answer == expected, f"the answer was {answer!r}, and by the model {expected!r}"
        return answer

    def _whichever(self, possible: Iterator[Model]) -> None:
        """It went one of these ways: the rows say which."""
        found, seen = Rows(self.ground).look(), []
        for model in possible:
            seen.append(by_model(model))
            if seen[-1] == found:
                self.model = copy.deepcopy(model)
                return
        raise AssertionError("It is as none of these:\n" + "\n".join(differences(found, one) for one in seen))

    def _pause(self, which: int) -> tuple[int, int]:
        """A request by its place: those that wait come first."""
        found = [(r, p) for r, run in enumerate(self.model.runs) for p in range(len(run.pauses))]
        found.sort(key=lambda at: (self.model.runs[at[0]].pauses[at[1]].status != "waiting", -at[0], -at[1]))
        return found[which % len(found)]

    def _effect(self, which: int, *, wanted: Callable[[Effect], bool]) -> tuple[int, int]:
        found = [
            (r, e) for r, run in enumerate(self.model.runs) for e, effect in enumerate(run.effects) if wanted(effect)
        ]
        return found[which % len(found)]

    def _mood(self, mood: str, times: int | None, lists: bool) -> None:
        """How the provider takes so many of the next calls (None: all of them), and whether it can be asked afterwards."""
        for place in (self.model, self.ground.outside):
            place.mood, place.moods, place.lists = mood, times, lists

    def _pass(self, jump: int) -> None:
        ages = [self.model.now - e.began for run in self.model.runs for e in run.open_effects]
        if any(WINDOW_H - 1 < age + jump < 25 for age in ages):
            jump = 30  # between the end of our window and the provider's nothing is promised
        self.ground.pass_hours(jump)
        self.model.pass_hours(jump)

    def any_effect(self, wanted: Callable[[Effect], bool]) -> bool:
        return any(wanted(effect) for run in self.model.runs for effect in run.effects)

    @property
    def asked(self) -> bool:
        return any(run.pauses for run in self.model.runs)
