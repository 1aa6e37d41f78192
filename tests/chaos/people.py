"""What people and the market do: launch orders, press every button they see, hurry, hesitate, change their minds.

The one rule: they do nothing that they could not do, and whatever they are answered is fine with them. That something could not be done
in the moment (no process answered, no such card) is a part of chaos and no fault.
"""

import random
import threading
import time
from collections import defaultdict, deque
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Final

import httpx
import psycopg

from bot.cards import ids
from bot.cards.ids import (
    ACTION_APPROVE,
    ACTION_ASK,
    ACTION_ASK_AGAIN,
    ACTION_DENY,
    ACTION_REPLY,
    ACTION_TOGETHER,
    ACTION_WITHDRAW,
)
from bot.sandbox.player import Json, Seen
from engine.rules.seal import Keys
from engine.state import absences, db, halts, pauses
from examples.procurement.agent import agent
from tests import rows
from tests.boundaries import asking
from tests.chaos import bulk
from tests.chaos.place import SEAL_KEY, Place
from tests.chaos.schedule import Step

CROWD: Final = ("U0MARTA", "U0INES", "U0OTTO", "U0JONAS", "U0GUEST", "U0PRIYA")
"""Who presses, those who may and those who may not."""

AMOUNTS: Final = (
    ("640.00", "EUR"),
    ("999.99", "EUR"),
    ("7200.00", "EUR"),
    ("9999.99", "EUR"),
    ("38000.00", "EUR"),
    ("12500.00", "USD"),
)
"""Below the limit, at both edges of it, above it, and in money that is asked about always."""

KEYS: Final = Keys.parse(SEAL_KEY)


@dataclass(slots=True)
class People:
    """Everybody. `acknowledged`: the run that was answered for an order, for those that were answered; `sent`: all that were tried."""

    place: Place
    sent: set[str] = field(default_factory=set)
    acknowledged: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    _remembered: deque[Seen] = field(default_factory=lambda: deque(maxlen=200))
    _hands: dict[str, threading.Lock] = field(default_factory=lambda: defaultdict(threading.Lock))

    def launch(self, step: Step) -> None:
        """Order something, or have a list paid; without an answer the same order is sent again a few times, and launches one run."""
        dice = step.chance()
        ref = f"PO-{step.n:012x}"
        amount, currency = dice.choice(AMOUNTS)
        what = dice.choices(("order", "list", "asking"), (70, 15, 15))[0]
        row = {"order_ref": ref, "supplier_id": "sup_412", "supplier": "Nordholz Industrial", "item": "hydraulic pumps",
               "quantity": "40", "amount": amount, "currency": currency, "payment_method": "pm_card_4417"}  # fmt: skip
        requester = "ines" if amount in ("7200.00", "9999.99") and dice.random() < 0.3 else "priya"
        asked = {"agent": agent.name, "input": agent.read_order(row).text, "for": requester, "launch_key": ref}
        if what == "list":
            amounts = [f"{dice.randint(1_200, 45_000)}.00" for _ in range(dice.randint(2, 4))]
            asked |= {"agent": bulk.agent.name, "input": bulk.task(ref, amounts)}
        elif what == "asking":
            asked |= {"agent": asking.agent.name}
        self.sent.add(ref)
        for _ in range(6):
            with suppress(httpx.HTTPError):
                answer = self.place.ask("/agent/launch", asked)
                if answer.is_success:
                    self.acknowledged[ref].add(answer.json()["run_id"])
                    if dice.random() < 0.8:
                        return
            time.sleep(1)

    def click(self, step: Step) -> None:
        """Somebody presses Approve on something; now and then on what they saw a while ago."""
        dice = step.chance()
        user = dice.choice(CROWD[:3] if dice.random() < 0.8 else CROWD)
        if seen := self._card(dice, user, ACTION_APPROVE):
            self._press(user, seen, ACTION_APPROVE)

    def click_twice(self, step: Step) -> None:
        """One person presses Approve twice in the same moment."""
        dice = step.chance()
        user = dice.choice(CROWD[:3])
        self._together(dice, user, user)

    def race(self, step: Step) -> None:
        """Two people press in the same moment."""
        dice = step.chance()
        self._together(dice, *dice.sample(CROWD[:3], 2))

    def deny(self, step: Step) -> None:
        """Somebody presses Deny, and submits the form, or closes it."""
        dice = step.chance()
        user = dice.choice(CROWD[:3])
        seen = self._card(dice, user, ACTION_DENY)
        if seen is None:
            return
        with self._hands[user]:
            if not self._press(user, seen, ACTION_DENY):
                return
            for view in self._forms(user):
                if dice.random() < 0.8:
                    self.place.player.submit(user, view, "Not this month.")
                else:
                    self.place.player._http.post("/page/close", json={"as": user, "view_id": view["id"]})

    def ask_back(self, step: Step) -> None:
        """Somebody asks the requester something first, now and then in words that were used before."""
        dice = step.chance()
        self._write(dice, dice.choice(CROWD[:3]), ACTION_ASK, f"What about {dice.randrange(5)}?")

    def reply(self, step: Step) -> None:
        """A requester answers what they are asked."""
        self._write(step.chance(), "U0PRIYA", ACTION_REPLY, "As every year.")

    def answer(self, step: Step) -> None:
        """Somebody answers a question of an agent."""
        dice = step.chance()
        user, action = dice.choice(("U0MARTA", *CROWD[:3])), ids.choose(dice.randrange(2))
        if seen := self._card(dice, user, action):
            self._press(user, seen, action)

    def decide_together(self, step: Step) -> None:
        """Somebody decides all that a turn asks for, in one form."""
        dice = step.chance()
        user = dice.choice(CROWD[:3])
        verdict = {"type": "radio_buttons", "selected_option": {"value": dice.choice(("approve", "approve", "deny"))}}
        if seen := self._card(dice, user, ACTION_TOGETHER):
            with self._hands[user]:
                if self._press(user, seen, ACTION_TOGETHER):
                    for view in self._forms(user):
                        self.place.player.choose(user, view, {ids.BLOCK_ALL: {ids.ACTION_CHOICE: verdict}})

    def ask_again(self, step: Step) -> None:
        """A requester asks again for what nobody answered, or what they took back."""
        if seen := self._card(step.chance(), "U0PRIYA", ACTION_ASK_AGAIN):
            self._press("U0PRIYA", seen, ACTION_ASK_AGAIN)

    def withdraw(self, step: Step) -> None:
        """A requester takes back what they asked for."""
        if seen := self._card(step.chance(), "U0PRIYA", ACTION_WITHDRAW):
            self._press("U0PRIYA", seen, ACTION_WITHDRAW)

    def hours_pass(self, step: Step) -> None:
        """What waits is due: its hour is moved into the past."""
        with db.connect(self.place.home.database_url, keys=KEYS) as conn:
            if waiting := pauses.waiting(conn, limit=200):
                rows.make_due(conn, step.chance().choice(waiting).id)

    def price_moves(self, step: Step) -> None:
        """A supplier asks for more, or less, within the tolerance or beyond it."""
        dice = step.chance()
        moved = {
            "order_ref": dice.choice(sorted(self.sent) or ["none"]),
            "factor": dice.choice(("1.01", "1.05", "0.99", "0.9")),
        }
        self.place.player._http.post("/suppliers/_move", json=moved)

    def hold(self, step: Step) -> None:
        """An operator stops a run."""
        self._operate(step, "pause")

    def resume(self, step: Step) -> None:
        """An operator lets a run go on."""
        self._operate(step, "resume")

    def cancel(self, step: Step) -> None:
        """An operator withdraws a run."""
        self._operate(step, "cancel")

    def halt(self, step: Step) -> None:
        """An operator stops every effect, and lets them go on a few seconds later."""
        self._about_the_halt(halts.halt)
        time.sleep(step.chance().uniform(1, 4))  # nothing may begin meanwhile
        self.effects_go_on()

    def leave(self, step: Step) -> None:
        """Marta is away for a few seconds, and Ines answers for her."""
        until = datetime.now(UTC) + timedelta(hours=1)
        with suppress(psycopg.OperationalError), db.connect(self.place.home.database_url, keys=KEYS) as conn:
            absences.leave(conn, "marta", "ines", starts_at=None, ends_at=until, actor="otto", surface="chaos")
        time.sleep(step.chance().uniform(1, 6))
        self.back()

    def back(self) -> None:
        """Marta is here, however often the database has to be asked."""
        for _ in range(30):
            with suppress(psycopg.OperationalError), db.connect(self.place.home.database_url, keys=KEYS) as conn:
                absences.back(conn, "marta", actor="otto", surface="chaos")
                return
            time.sleep(1)

    def effects_go_on(self) -> None:
        """Lift the halt, if there is one, however often the database has to be asked."""
        for _ in range(30):
            with suppress(psycopg.OperationalError):
                self._about_the_halt(halts.lift)
                return
            time.sleep(1)

    def _about_the_halt(self, move: Callable[..., str]) -> None:
        with db.connect(self.place.home.database_url, keys=KEYS) as conn:
            move(conn, actor="otto", surface="chaos")

    def _operate(self, step: Step, verb: str) -> None:
        known = sorted(run for answered in list(self.acknowledged.values()) for run in answered)
        if known:
            self.place.ask(f"/agent/{verb}", {"run_id": step.chance().choice(known[-30:])})

    def _together(self, dice: random.Random, *users: str) -> None:
        seen = self._card(dice, "U0MARTA", ACTION_APPROVE)
        if seen is None:
            return
        with ThreadPoolExecutor(len(users)) as hands:
            for user in users:
                hands.submit(self._press, user, seen, ACTION_APPROVE)

    def _write(self, dice: random.Random, user: str, action: str, text: str) -> None:
        """Press a button that opens a form, and submit it."""
        if seen := self._card(dice, user, action):
            with self._hands[user]:
                if self._press(user, seen, action):
                    for view in self._forms(user):
                        self.place.player.submit(user, view, text)

    def _card(self, dice: random.Random, user: str, action: str) -> Seen | None:
        """A card with the button: as a rule one of the newest that this person sees, sometimes one from memory."""
        if self._remembered and dice.random() < 0.15:
            seen = dice.choice(list(self._remembered))
            return seen if seen.button(action) else None
        own = action in (ACTION_WITHDRAW, ACTION_REPLY, ACTION_ASK_AGAIN, *map(ids.choose, range(2)))
        channel = f"D0{user[2:]}" if own or dice.random() >= 0.75 else "C0BUY"
        there = [seen for seen in self.place.player.messages(user, channel)[-40:] if seen.button(action)]
        if not there:
            return None
        seen = dice.choice(there)
        self._remembered.append(seen)
        return seen

    def _forms(self, user: str) -> list[Json]:
        """The form that opens after the click, if it does within two seconds."""
        for _ in range(20):
            if views := self.place.player.views(user):
                return views
            time.sleep(0.1)
        return []

    def _press(self, user: str, seen: Seen, action: str) -> bool:
        return self.place.player.click(user, seen, action)
