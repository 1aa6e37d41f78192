"""Many people at once, in a dense chaos: lists of payments are launched as fast as they are settled, and every card is pressed once it is seen.

Nobody looks at a page: cards are taken from their rows, as soon as Slack has them, and what Slack would send is made and signed here. What
becomes of a run (its fate) hangs on the seed and on its name alone. The one rule: people do nothing that they could not do.
"""

import http.client
import itertools
import queue
import random
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any, Final
from uuid import UUID

import psycopg

from bot.cards.ids import ACTION_APPROVE, ACTION_WITHDRAW
from tests.chaos import bulk
from tests.chaos.people import CROWD, People
from tests.chaos.signed import Hand, Json, pressed, refused
from tests.chaos.waiting import Waiting, let_hours_pass, look, standing

OPEN: Final = 1_200
"""How many requests are open before no more lists are launched."""
BEHIND: Final = 300
"""How many cards and notices are to be delivered before no more are: what Slack did not take comes after all that is new."""
LIST: Final = 12
"""Payments on a list."""
PRESSERS: Final = 6
AGAIN_S: Final = 6.0
"""After which a request that still waits is pressed again: the click may have been lost."""
LOOK_S: Final = 0.3

KINDS: Final = {(1_200, 9_500): 75, (12_000, 45_000): 15, (60_000, 90_000): 10}
"""Between which euros the payments of a list lie, and how often: a role is asked, a person with a manager, two of a role."""

FATES: Final = {"approved": 52, "late": 40, "fought over": 4, "denied": 2, "taken back": 2}
"""What becomes of a list. late: nobody answers, and its hours run out."""


@dataclass(slots=True)
class Crowd:
    """Everybody. `misfortunes` is what befalls the next deliveries, as Slack's faults have it."""

    people: People
    seed: int
    misfortunes: deque[Json] = field(default_factory=deque)
    mistakes: list[str] = field(default_factory=list)
    _seen: queue.Queue[Waiting] = field(default_factory=queue.Queue)
    _handed: dict[tuple[UUID, int, int], float] = field(default_factory=dict)
    _remembered: deque[Waiting] = field(default_factory=lambda: deque(maxlen=300))
    _room: threading.Event = field(default_factory=threading.Event)
    _over: threading.Event = field(default_factory=threading.Event)
    _fates: dict[str, str] = field(default_factory=dict)
    _numbers: Iterator[int] = field(default_factory=itertools.count)

    @contextmanager
    def busy(self) -> Iterator[None]:
        """Everybody is at work meanwhile."""
        work = [self._look, self._launch, *[self._press] * PRESSERS]
        threads = [threading.Thread(target=self._guarded, args=(one,), name=f"crowd-{n}") for n, one in enumerate(work)]
        for thread in threads:
            thread.start()
        try:
            yield
        finally:
            self._over.set()
            for thread in threads:
                thread.join()

    def _guarded(self, work: Callable[[Hand], None]) -> None:
        """Go on whenever something is broken: that is chaos; anything else is a mistake of ours, and is said."""
        hand = Hand(self.people.place.front.port, self.people.place.home.token)
        while not self._over.is_set():
            try:
                work(hand)
            except (OSError, http.client.HTTPException, psycopg.OperationalError):
                self._over.wait(0.2)
            except Exception as error:  # noqa: BLE001  said at the end, as a violation
                self.mistakes.append(f"the crowd made a mistake: {type(error).__name__}: {error}")
        hand.close()

    def _look(self, _hand: Hand) -> None:
        """See what waits, hand it to whoever presses, and let the hours of the late ones run out."""
        with psycopg.connect(self.people.place.home.database_url, autocommit=True) as conn:
            while not self._over.wait(LOOK_S):
                requests, behind = standing(conn, LIST)
                (self._room.set if requests < OPEN and behind < BEHIND else self._room.clear)()
                late = set()
                for one in look(conn):
                    if self._fate(one.ref) == "late":
                        late.add(one.pause_id)
                    else:
                        self._hand_out(one)
                let_hours_pass(conn, late)

    def _hand_out(self, one: Waiting) -> None:
        fit = "requester" if self._fate(one.ref) == "taken back" else "approver"
        what, now = (one.pause_id, one.votes_left, one.level), time.monotonic()
        if one.ts is not None and one.kind == fit and now - self._handed.get(what, 0) > AGAIN_S:
            self._handed[what] = now
            self._seen.put(one)

    def _press(self, hand: Hand) -> None:
        """Press the button of one card."""
        try:
            one = self._seen.get(timeout=0.5)
        except queue.Empty:
            return
        self._remembered.append(one)
        dice = random.Random(f"{self.seed} {one.ref} {one.votes_left} {one.level} {one.card.ts}")
        may = one.those_who_may
        match self._fate(one.ref):
            case "taken back":
                self._deliver(hand, pressed(one.card, "U0PRIYA", ACTION_WITHDRAW))
            case "denied" if may:
                self._deliver(hand, refused(one.card, dice.choice(may), "Not this month."))
            case "fought over":
                users = dice.sample(CROWD[:4], 2)
                self._at_once([pressed(one.card, users[0], ACTION_APPROVE), refused(one.card, users[1], "No.")])
            case _ if may:
                self._approve(hand, one, dice, dice.choice(may))

    def _approve(self, hand: Hand, one: Waiting, dice: random.Random, user: str) -> None:
        """As a rule once; now and then twice, beside somebody else, after somebody who may not, or on what was settled long ago."""
        yes = pressed(one.card, user, ACTION_APPROVE)
        match dice.choices(("once", "twice", "race", "before", "long ago"), (88, 3, 3, 3, 3))[0]:
            case "once":
                self._deliver(hand, yes)
            case "twice":
                self._at_once([yes, yes])
            case "race":
                self._at_once([yes, pressed(one.card, dice.choice(CROWD[:3]), ACTION_APPROVE)])
            case "before":
                self._deliver(hand, pressed(one.card, dice.choice(CROWD[3:]), ACTION_APPROVE))
                self._deliver(hand, yes)
            case _:
                self._deliver(hand, pressed(dice.choice(list(self._remembered)).card, user, ACTION_APPROVE))
                self._deliver(hand, yes)

    def _deliver(self, hand: Hand, payload: Json) -> None:
        misfortune = None
        with suppress(IndexError):
            misfortune = self.misfortunes.popleft()
        match misfortune and misfortune["kind"]:
            case "lost":
                return
            case "duplicate":
                self._at_once([payload, payload])
                return
            case "late":
                self._over.wait(misfortune["seconds"] if misfortune else 0)
        hand.deliver(payload)

    def _at_once(self, payloads: Sequence[Json]) -> None:
        """Deliver these in the same moment, each over a connection of its own."""

        def send(payload: Json) -> None:
            hand = Hand(self.people.place.front.port, "")
            try:
                hand.deliver(payload)
            finally:
                hand.close()

        with ThreadPoolExecutor(len(payloads)) as hands:
            sent: list[Any] = [hands.submit(send, payload) for payload in payloads]
        for one in sent:
            one.result()

    def _launch(self, hand: Hand) -> None:
        """Launch lists while there is room; without an answer the same one again, which launches one run."""
        while not self._over.is_set():
            if self._room.wait(0.2):
                self._send(hand, f"LIST-{self.seed}-{next(self._numbers)}")

    def _send(self, hand: Hand, ref: str) -> None:
        dice = random.Random(f"{self.seed} {ref}")
        least, most = dice.choices(list(KINDS), list(KINDS.values()))[0]
        amounts = [f"{dice.randint(least, most)}.{dice.randint(0, 99):02d}" for _ in range(LIST)]
        asked = {"agent": bulk.agent.name, "input": bulk.task(ref, amounts), "for": "priya", "launch_key": ref}
        for _ in range(6):
            with suppress(OSError, http.client.HTTPException):
                status, answer = hand.ask("/agent/launch", asked)
                if status in (200, 201):
                    self.people.acknowledged[ref].add(answer["run_id"])
                    return
            if self._over.wait(1):
                return

    def _fate(self, ref: str) -> str:
        if ref not in self._fates:
            dice = random.Random(f"{self.seed} fate of {ref}")
            self._fates[ref] = dice.choices(list(FATES), list(FATES.values()))[0]
        return self._fates[ref]
