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

from bot.sandbox.player import Seen
from engine.state import cards, db, pauses, runs
from tests.chaos.found import is_copy, pause_of
from tests.chaos.people import People, buttons
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
    fell: int = 0
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
        _press_copies(here)
        restless += _rest(here, say)
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
                tally.fell += weather.supervise()
                time.sleep(min(ahead, 0.5))
            act = getattr(weather if step.what in FAULTS else people, step.what)
            hands.submit(tally.take, step, act)


def _rest(here: Place, say: Callable[[str], None]) -> list[str]:
    """Wait until nothing moves any more; what still does after a while."""
    began, told, moving = time.monotonic(), 0.0, ""
    here.ready()
    with db.connect(here.home.database_url) as conn:
        while (passed := time.monotonic() - began) < CALM_S:
            for held in runs.listed(conn, status="paused", limit=200):
                here.ask("/agent/resume", {"run_id": str(held.id)})
            moving = _moving(conn)
            if not moving:
                say(f"  at rest after {passed:.0f} s of calm")
                return []
            if passed >= told:
                say(f"  calm for {passed:.0f} s: {moving}")
                told += 10
            time.sleep(0.5)
    return [f"not at rest after {CALM_S:.0f} s of calm: {moving}"]


def _press_copies(here: Place) -> None:
    """Press a button of every copy of a settled request's card of which no row knows: it tells the truth, and shows no button any more."""
    with db.connect(here.home.database_url) as conn:
        for message in here.player.get("/slack/messages")["messages"]:
            if not message["metadata"] or not buttons(message) or not is_copy(conn, message):
                continue
            user = "U0MARTA" if message["channel"] == "C0BUY" else f"U0{message['channel'][2:]}"
            if pauses.get(conn, pause_of(message)).status != "waiting":
                here.player.click(user, Seen(message["channel"], message), min(buttons(message)))


def _moving(conn: db.Conn) -> str:
    """What has not come to rest yet; empty if all has."""
    counts = {
        "runs to be worked on": runs.unended(conn).working,
        "cards and notices to be delivered": cards.undelivered(conn),
    }
    counts["runs held"] = len(runs.listed(conn, status="paused", limit=200))
    return ", ".join(f"{number} {what}" for what, number in counts.items() if number)


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
