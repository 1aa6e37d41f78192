"""One chaos from its beginning to its last line: the steps when they are due, then calm, then the promises.

The one rule: a step that fails because something is broken is chaos; one that fails otherwise is a mistake of ours, and is said.
"""

import json
import math
import threading
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import httpx
import psycopg

from engine.state import cards, db, runs
from tests.chaos.crowd import Crowd
from tests.chaos.found import known_cards
from tests.chaos.people import KEYS, People
from tests.chaos.place import Place, dense, ordinary, place
from tests.chaos.promises import Verdict, verdict
from tests.chaos.schedule import ACTIONS, BESIDE, FAULTS, Step, schedule
from tests.chaos.seen import Seen, read_whole
from tests.chaos.signed import Card, Hand, pressed
from tests.chaos.weather import Weather

HANDS: Final = 24
"""How many steps may be under way at once; a step that finds no hand free is late, as people are."""

CALM_S: Final = 300.0
"""Within which less and less must be left to do once nothing breaks any more: leases lapse, waits between tries end, and the machine is busy."""


SAY_S: Final = 10.0
"""Between two lines that say how far it has come."""

SHOWN: Final = "SELECT p.status, c.digest FROM run_pause p JOIN pause_content c ON c.pause_id = p.id WHERE p.id = %s"


@dataclass(slots=True)
class Tally:
    """What was done, by kind, and what went wrong in doing it; `say` tells people how far it has come."""

    say: Callable[[str], None]
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


def chaos(
    folder: Path, *, seed: int, seconds: float, crowded: bool = False, say: Callable[[str], None] = print
) -> Sequence[str]:
    """Let it happen; the violations. The last thing said is `decisions N, effects N, faults N, violations N (seed S)`.

    `crowded` is the dense form: as many decisions as the machine takes.
    """
    say(f"chaos with seed {seed} for {seconds:g} s{', dense' if crowded else ''}")
    with place(folder, dense() if crowded else ordinary()) as here:
        people, tally = People(here), Tally(say)
        crowd = Crowd(people, seed) if crowded else None
        weather = Weather(here, crowd.misfortunes if crowd else None)
        with crowd.busy() if crowd else nullcontext():
            _happen(schedule(seed, seconds, BESIDE if crowd else ACTIONS), seconds, people, weather, tally)
        weather.clear()
        restless = _rest(here, say)
        _press_copies(here)
        restless += _rest(here, say)
        say("  looking at everything")
        with db.connect(here.home.database_url, keys=KEYS) as conn:
            paid = [p for p in here.player.get("/stripe/_payments")["payments"] if p["status"] == "succeeded"]
            seen = verdict(conn, acknowledged=people.acknowledged, paid=paid, cards=_cards(here))
    violations = [*tally.mistakes, *(crowd.mistakes if crowd else ()), *restless, *seen.violations]
    _report(seen, tally, violations, seed, seconds)
    return violations


def _happen(steps: Sequence[Step], seconds: float, people: People, weather: Weather, tally: Tally) -> None:
    began, told = time.monotonic(), 0.0
    last = Step(seconds, "", 0)
    with ThreadPoolExecutor(HANDS) as hands:
        for step in [*steps, last]:
            while (ahead := began + step.at - time.monotonic()) > 0:
                if (passed := time.monotonic() - began) > told + SAY_S:
                    told = passed
                    tally.say(
                        f"  {passed:4.0f} s: {tally.count(ACTIONS)} actions, {tally.count(FAULTS)} faults, {_settled(people.place)}"
                    )
                tally.fell += weather.supervise()
                time.sleep(min(ahead, 0.5))
            if step is not last:
                act = getattr(weather if step.what in FAULTS else people, step.what)
                hands.submit(tally.take, step, act)


def _settled(here: Place) -> str:
    """How far it has come."""
    try:
        with db.connect(here.home.database_url) as conn:
            by_status = dict(
                conn.execute("SELECT status, count(*) FROM run_pause GROUP BY 1 ORDER BY 2 DESC").fetchall()
            )
    except psycopg.OperationalError:
        return "and no database at this moment"
    return "requests: " + (_listed(Counter(by_status)))


def _rest(here: Place, say: Callable[[str], None]) -> list[str]:
    """Wait until nothing moves any more; what still does although for long nothing became less."""
    began, told, since, least = time.monotonic(), 0.0, time.monotonic(), math.inf
    here.ready()
    with db.connect(here.home.database_url) as conn:
        while time.monotonic() - since < CALM_S:
            for held in runs.listed(conn, status="paused", limit=200):
                here.ask("/agent/resume", {"run_id": str(held.id)})
            moving, passed = _moving(conn), time.monotonic() - began
            if not moving:
                say(f"  at rest after {passed:.0f} s of calm")
                return []
            if passed >= told:
                say(f"  calm for {passed:.0f} s: {_listed(moving)}")
                told += SAY_S
            if moving.total() < least:
                since, least = time.monotonic(), moving.total()
            time.sleep(0.5)
    return [f"not at rest, and for {CALM_S:.0f} s of calm nothing became less: {_listed(moving)}"]


def _moving(conn: db.Conn) -> Counter[str]:
    """What has not come to rest yet."""
    counts = {
        "runs to be worked on": runs.unended(conn).working,
        "cards and notices to be delivered": cards.undelivered(conn),
        "runs held": len(runs.listed(conn, status="paused", limit=200)),
    }
    return Counter({what: number for what, number in counts.items() if number})


def _cards(here: Place) -> list[Seen]:
    """Every card there is in Slack."""
    told = here.player._http.get("/slack/seen", timeout=CALM_S)
    if told.is_success:
        return [Seen.from_document(json.loads(line)) for line in told.text.splitlines()]
    return [card for message in here.player.get("/slack/messages")["messages"] if (card := read_whole(message))]


def _press_copies(here: Place) -> None:
    """Press a button of every copy of a settled request's card of which no row knows: it tells the truth, and shows no button any more."""
    hand = Hand(here.front.port, here.home.token)
    with db.connect(here.home.database_url) as conn:
        known = known_cards(conn)
        for copy in _cards(here):
            if not copy.buttons or (copy.channel, copy.ts) in known:
                continue
            status, digest = conn.execute(SHOWN, (copy.pause_id,)).fetchone() or ("waiting", "")
            if status != "waiting":
                user = "U0MARTA" if copy.channel == "C0BUY" else f"U0{copy.channel[2:]}"
                hand.deliver(pressed(Card.of_copy(copy, digest), user, min(copy.buttons)))
    hand.close()


def _report(seen: Verdict, tally: Tally, violations: Sequence[str], seed: int, seconds: float) -> None:
    decisions = seen.decisions.total()
    tally.say(f"  steps: {_listed(tally.done)}")
    tally.say(f"  steps that found nobody there: {_listed(tally.failed)}; processes that fell: {tally.fell}")
    tally.say(
        f"  runs: {_listed(seen.runs)}; requests: {_listed(seen.requests)}; second copies of a card in Slack: {seen.copies}"
    )
    tally.say(f"  decisions: {_listed(seen.decisions)}; {decisions / seconds:.1f} a second")
    for violation in violations:
        tally.say(f"VIOLATION: {violation}")
    tally.say(
        f"decisions {decisions}, effects {seen.effects}, faults {tally.count(FAULTS)}, violations {len(violations)} (seed {seed})"
    )


def _listed(counted: Counter[str]) -> str:
    return ", ".join(f"{what} {number}" for what, number in counted.most_common()) or "none"
