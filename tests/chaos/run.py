"""One chaos from its beginning to its last line: the steps when they are due, then calm, then the promises.

The one rule: a step that fails because something is broken is chaos; one that fails otherwise is a mistake of ours, and is said.
"""

import threading
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import httpx
import psycopg

from engine.state import cards, db, runs
from tests.chaos.people import People
from tests.chaos.place import Place, place
from tests.chaos.promises import Verdict, verdict
from tests.chaos.schedule import ACTIONS, FAULTS, Step, schedule
from tests.chaos.weather import Weather

HANDS: Final = 24
"""How many steps may be under way at once; a step that finds no hand free is late, as people are."""

CALM_S: Final = 150.0
"""Within which all must be at rest once nothing breaks any more."""


@dataclass(slots=True)
class Tally:
    """What was done, by kind, and what went wrong in doing it."""

    done: Counter[str] = field(default_factory=Counter)
    failed: Counter[str] = field(default_factory=Counter)
    mistakes: list[str] = field(default_factory=list)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def take(self, step: Step, act: Callable[[Step], None]) -> None:
        """Do it, and count it."""
        try:
            act(step)
        except (httpx.HTTPError, psycopg.OperationalError) as error:
            with self.lock:
                self.failed[type(error).__name__] += 1
        except Exception as error:  # noqa: BLE001  said at the end, as a violation
            with self.lock:
                self.mistakes.append(f"the step {step} could not be done: {type(error).__name__}: {error}")
        with self.lock:
            self.done[step.what] += 1

    def count(self, kinds: Mapping[str, float]) -> int:
        """How many of these there were."""
        with self.lock:
            return sum(number for what, number in self.done.items() if what in kinds)


def chaos(folder: Path, *, seed: int, seconds: float, say: Callable[[str], None] = print) -> Sequence[str]:
    """Let it happen; the violations. The last thing said is `decisions N, effects N, faults N, violations N (seed S)`."""
    say(f"chaos with seed {seed} for {seconds:g} s")
    with place(folder) as here:
        people, weather, tally = People(here), Weather(here), Tally()
        _happen(schedule(seed, seconds), people, weather, tally, say)
        weather.clear()
        restless = _rest(here, say)
        seen = verdict(people)
    violations = [*tally.mistakes, *restless, *seen.violations]
    _report(seen, tally, violations, seed, say)
    return violations


def _happen(steps: Sequence[Step], people: People, weather: Weather, tally: Tally, say: Callable[[str], None]) -> None:
    began, told = time.monotonic(), 10.0
    with ThreadPoolExecutor(HANDS) as hands:
        for step in steps:
            while (ahead := began + step.at - time.monotonic()) > 0:
                if time.monotonic() - began > told:
                    say(f"  {told:4.0f} s: {tally.count(ACTIONS)} actions, {tally.count(FAULTS)} faults")
                    told += 10
                time.sleep(min(ahead, 0.5))
            act = getattr(weather if step.what in FAULTS else people, step.what)
            hands.submit(tally.take, step, act)


def _rest(here: Place, say: Callable[[str], None]) -> list[str]:
    """Wait until nothing moves any more; what still does after a while."""
    began = time.monotonic()
    here.ready()
    with db.connect(here.home.database_url) as conn:
        while time.monotonic() - began < CALM_S:
            for held in runs.listed(conn, status="paused", limit=200):
                here.ask("/agent/resume", {"run_id": str(held.id)})
            unended, unsaid = runs.unended(conn), cards.undelivered(conn)
            if not unended.working and not unsaid and not runs.listed(conn, status="paused", limit=1):
                say(f"  at rest after {time.monotonic() - began:.0f} s")
                return []
            time.sleep(0.5)
    return [f"not at rest after {CALM_S:.0f} s of calm: {unended}, {unsaid} cards and notices not delivered"]


def _report(seen: Verdict, tally: Tally, violations: Sequence[str], seed: int, say: Callable[[str], None]) -> None:
    say(f"  steps: {_listed(tally.done)}")
    say(f"  steps that found nobody there: {_listed(tally.failed)}")
    say(
        f"  runs: {_listed(seen.runs)}; requests: {_listed(seen.requests)}; second copies of a card in Slack: {seen.copies}"
    )
    for violation in violations:
        say(f"VIOLATION: {violation}")
    say(
        f"decisions {seen.decisions}, effects {seen.effects}, faults {tally.count(FAULTS)}, violations {len(violations)} (seed {seed})"
    )


def _listed(counted: Counter[str]) -> str:
    return ", ".join(f"{what} {number}" for what, number in counted.most_common()) or "none"
