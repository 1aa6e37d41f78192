"""One chaos from its beginning to its last line: the steps when they are due, then calm, then the promises.

The one rule: a step that fails because something is broken is chaos; one that fails otherwise is a mistake of ours, and is said.
"""

import http.client
import json
import math
import threading
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import httpx
import psycopg

from engine.state import cards, db, runs
from tests.chaos.crowd import Crowd
from tests.chaos.found import known_cards
from tests.chaos.people import KEYS, People
from tests.chaos.place import NO_SLACK, Place, dense, ordinary, place
from tests.chaos.promises import LIVE, Verdict, verdict
from tests.chaos.schedule import ACTIONS, BESIDE, FAULTS, Step, schedule
from tests.chaos.seen import Seen, read_whole
from tests.chaos.signed import Card, Hand, pressed
from tests.chaos.weather import Weather

HANDS: Final = 24
"""How many steps may be under way at once; a step that finds no hand free is late, as people are."""

CALM_S: Final = 300.0
"""Within which less and less must be left to do once nothing breaks any more: leases lapse, waits between tries end, and the machine is busy."""


DECIDED: Final = ("approved", "answered", "executed", "failed", "denied", "expired")

MOST_PRESSES: Final = 5
"""How often a copy of a card is pressed until it tells the truth."""

FELL_IN_GOOD_ORDER: Final = {"exit code 1", f"exit code 2{NO_SLACK}"}
"""How a process ends that finds no database, or no Slack, when it starts: with a sentence, for its supervisor to start it again."""

SAY_S: Final = 10.0
"""Between two lines that say how far it has come."""

SHOWN: Final = "SELECT p.status, c.digest FROM run_pause p JOIN pause_content c ON c.pause_id = p.id WHERE p.id = %s"


@dataclass(slots=True)
class Tally:
    """What was done, by kind, and what went wrong in doing it; `say` tells people how far it has come, `enough` decisions end it."""

    say: Callable[[str], None]
    enough: float
    seconds: float = 0
    done: Counter[str] = field(default_factory=Counter)
    failed: Counter[str] = field(default_factory=Counter)
    mistakes: list[str] = field(default_factory=list)
    fell: Counter[str] = field(default_factory=Counter)
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
    folder: Path,
    *,
    seed: int,
    seconds: float,
    crowded: bool = False,
    enough: float = math.inf,
    say: Callable[[str], None] = print,
) -> Sequence[str]:
    """Let it happen; the violations. The last thing said is `decisions N, effects N, faults N, violations N (seed S; R decisions a second)`.

    `crowded` is the dense form: as many decisions as the machine takes. It ends before its time with `enough` of them.
    """
    say(f"chaos with seed {seed} for {seconds:g} s{', dense' if crowded else ''}")
    with place(folder, dense() if crowded else ordinary()) as here:
        people, tally = People(here), Tally(say, enough)
        crowd = Crowd(people, seed) if crowded else None
        weather = Weather(here, crowd.misfortunes if crowd else None)
        with crowd.busy() if crowd else nullcontext():
            steps = schedule(seed, seconds, BESIDE if crowd else ACTIONS)
            _happen([*steps, Step(seconds, "end", 0)], people, weather, tally)
        weather.clear()
        people.effects_go_on()
        people.back()
        tries: Counter[tuple[str, str]] = Counter()
        restless = _rest(here, say)
        while not restless and _press_copies(here, tries, say):
            restless = _rest(here, say)
        say("  looking at everything")
        with db.connect(here.home.database_url, keys=KEYS) as conn:
            paid = [p for p in here.player.get("/stripe/_payments")["payments"] if p["status"] == "succeeded"]
            seen = verdict(conn, acknowledged=people.acknowledged, paid=paid, cards=_cards(here))
    fallen = [f"a process of ours died, {how}" for how in tally.fell if how not in FELL_IN_GOOD_ORDER]
    violations = [*tally.mistakes, *fallen, *(crowd.mistakes if crowd else ()), *restless, *seen.violations]
    _report(seen, tally, violations, seed)
    return violations


def _happen(steps: Sequence[Step], people: People, weather: Weather, tally: Tally) -> None:
    """Take each step when it is due, until the last of them, or until there are enough decisions."""
    began, told = time.monotonic(), 0.0
    with ThreadPoolExecutor(HANDS) as hands:
        for step in steps:
            while (ahead := began + step.at - time.monotonic()) > 0:
                tally.seconds = time.monotonic() - began
                if tally.seconds > told + SAY_S:
                    told = tally.seconds
                    if _progress(people.place, tally) >= tally.enough:
                        return
                tally.fell.update(weather.supervise())
                time.sleep(min(ahead, 0.5))
            if step.what != "end":
                act = getattr(weather if step.what in FAULTS else people, step.what)
                hands.submit(tally.take, step, act)


def _progress(here: Place, tally: Tally) -> int:
    """Say how far it has come; how many requests were decided on, as far as their present state tells."""
    so_far = f"  {tally.seconds:4.0f} s: {tally.count(ACTIONS)} actions, {tally.count(FAULTS)} faults"
    try:
        with db.connect(here.home.database_url) as conn:
            found = Counter(dict(conn.execute("SELECT status, count(*) FROM run_pause GROUP BY status").fetchall()))
    except psycopg.OperationalError:
        tally.say(f"{so_far}, and no database at this moment")
        return 0
    tally.say(f"{so_far}, requests: {_listed(found)}")
    return sum(found[status] for status in DECIDED)


def _rest(here: Place, say: Callable[[str], None]) -> list[str]:
    """Wait until nothing moves any more; what still does although for long nothing became less."""
    began, told, since, least = time.monotonic(), 0.0, time.monotonic(), math.inf
    here.ready()
    with db.connect(here.home.database_url) as conn:
        while time.monotonic() - since < CALM_S:
            for held in runs.listed(conn, status="paused", limit=200):
                with suppress(httpx.HTTPError):
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


def _press_copies(here: Place, tries: Counter[tuple[str, str]], say: Callable[[str], None]) -> int:
    """Press a button of every copy of a settled request's card of which no row knows: it tells the truth, and shows no button any more.

    How many there were; a press may be in vain, as any may on a busy machine, so the caller looks again.
    """
    hand, there = Hand(here.front.port, here.home.token), 0
    with db.connect(here.home.database_url) as conn:
        known = known_cards(conn)
        for copy in _cards(here):
            if not copy.buttons or (copy.channel, copy.ts) in known or tries[copy.channel, copy.ts] >= MOST_PRESSES:
                continue
            status, digest = conn.execute(SHOWN, (copy.pause_id,)).fetchone() or ("waiting", "")
            if not copy.buttons - LIVE.get(status, set()):
                continue
            there += 1
            tries[copy.channel, copy.ts] += 1
            user = "U0MARTA" if copy.channel == "C0BUY" else f"U0{copy.channel[2:]}"
            with suppress(OSError, http.client.HTTPException):
                hand.deliver(pressed(Card.of_copy(copy, digest), user, min(copy.buttons)))
    hand.close()
    if there:
        say(f"  pressed {there} copies of cards of which no row knows")
    return there


def _report(seen: Verdict, tally: Tally, violations: Sequence[str], seed: int) -> None:
    decisions = seen.decisions.total()
    tally.say(f"  steps: {_listed(tally.done)}")
    tally.say(f"  steps that found nobody there: {_listed(tally.failed)}; processes that fell: {_listed(tally.fell)}")
    tally.say(
        f"  runs: {_listed(seen.runs)}; requests: {_listed(seen.requests)}; second copies of a card in Slack: {seen.copies}"
    )
    tally.say(f"  decisions: {_listed(seen.decisions)}")
    for violation in violations:
        tally.say(f"VIOLATION: {violation}")
    counts = (
        f"decisions {decisions}, effects {seen.effects}, faults {tally.count(FAULTS)}, violations {len(violations)}"
    )
    tally.say(f"{counts} (seed {seed}; {decisions / tally.seconds:.1f} decisions a second)")


def _listed(counted: Counter[str]) -> str:
    return ", ".join(f"{what} {number}" for what, number in counted.most_common()) or "none"
