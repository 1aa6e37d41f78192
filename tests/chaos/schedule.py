"""What is to happen and when, drawn from the seed alone: the same seed gives the same schedule. Pure.

What comes of a step depends on the moment too, because the processes, the threads and the clicks are real; the promises do not.
"""

import random
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

ACTIONS: Final[Mapping[str, float]] = {
    "launch": 0.7, "click": 2.2, "click_twice": 0.3, "race": 0.4, "deny": 0.5, "ask_back": 0.2, "reply": 0.2, "answer": 0.6, "decide_together": 0.2,
    "ask_again": 0.2, "withdraw": 0.15, "hours_pass": 0.25, "price_moves": 0.25,
    "hold": 0.08, "resume": 0.1, "cancel": 0.06, "halt": 0.04, "leave": 0.04,
}  # fmt: skip
"""What people and the market do: how often a second."""

BESIDE: Final[Mapping[str, float]] = {
    "launch": 0.2,
    "price_moves": 0.25,
    "hold": 0.08,
    "resume": 0.1,
    "cancel": 0.06,
    "halt": 0.01,
    "leave": 0.01,
}
"""What happens beside a crowd, which launches and presses by itself."""

FAULTS: Final[Mapping[str, float]] = {
    "cut_all": 0.06, "cut_answers": 0.2, "cut_requests": 0.1, "crash_database": 0.035, "kill": 0.05, "freeze": 0.03, "deploy": 0.02,
    "provider": 0.25, "suppliers_down": 0.02, "slack_call": 0.3, "slack_delivery": 0.15,
}  # fmt: skip
"""What breaks: how often a second."""


@dataclass(frozen=True, slots=True, order=True)
class Step:
    """`what` happens `at` so many seconds; `n` seeds all that is still to be chosen in it."""

    at: float
    what: str
    n: int

    def chance(self) -> random.Random:
        """The dice of this step alone."""
        return random.Random(self.n)


def schedule(seed: int, seconds: float, actions: Mapping[str, float] = ACTIONS) -> list[Step]:
    """The steps, in order. Every kind has dice of its own, so that a longer chaos begins as a shorter one does."""
    steps = []
    for what, often in {**actions, **FAULTS}.items():
        dice = random.Random(f"{seed} {what}")
        at = dice.expovariate(often)
        while at < seconds:
            steps.append(Step(at, what, dice.getrandbits(48)))
            at += dice.expovariate(often)
    return sorted(steps)
