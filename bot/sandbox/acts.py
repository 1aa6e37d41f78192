"""What people do in the story of `placet demo --auto`, order by order.

A demo that was killed and is started again goes on where it was: what somebody did is in the rows, and is not done twice. The hours of a
request go on meanwhile; one that nobody could answer in time is ordered again, and that is said.
"""

import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final
from uuid import UUID

from bot.cards.ids import ACTION_APPROVE, ACTION_DENY, ACTION_WITHDRAW
from bot.sandbox.house import House
from bot.sandbox.player import NotSeen, Player, Seen
from engine.models import Pause
from engine.state import db, pauses, runs

PRIYA, MARTA, OTTO, INES = "U0PRIYA", "U0MARTA", "U0OTTO", "U0INES"
ENDED: Final = ("done", "error", "cancelled", "in_doubt")
_MANAGER_AT: Final = 1
"""The level of a request that went to the manager."""


class Missed(Exception):
    """The hour of a request passed while the demo was stopped, before anybody could answer as the story says."""


@dataclass(slots=True, kw_only=True)
class Stage:
    """What an act needs. `runs` are the runs' ids by order; `resumed`: the demo was stopped before it had come to its end."""

    home: House
    player: Player
    conn: db.Conn
    say: Callable[[str], None]
    runs: dict[str, str]
    resumed: bool
    others_done: threading.Event = field(default_factory=threading.Event)

    def asked(self, ref: str) -> list[Pause]:
        """The requests of an order, oldest first."""
        return [pauses.get(self.conn, pause_id) for pause_id in runs.get(self.conn, UUID(self.runs[ref])).pauses]

    def is_decided(self, ref: str, *, nth: int = 0, level: int = 0) -> bool:
        """Whether the nth request of an order is settled. Raises Missed if one went further up than `level`, or to its end, meanwhile."""
        asked = self.asked(ref)
        if self.resumed and any(pause.status == "expired" or pause.level > level for pause in asked):
            raise Missed
        return len(asked) > nth and asked[nth].status != "waiting"

    def card(self, user: str, ref: str, action: str, *, level: int = 0) -> Seen | None:
        """The card of an order with this button, once there is one; None if the order's first request is settled already."""

        def look() -> Seen | bool | None:
            return self.player.find(user, ref, action=action) or self.is_decided(ref, level=level) or None

        found = self.player.until(f"the card of {ref}", look)
        return found if isinstance(found, Seen) else None

    def press(
        self,
        user: str,
        ref: str,
        action: str,
        *,
        nth: int = 0,
        level: int = 0,
        text: str = "",
        channel: str | None = None,
    ) -> bool:
        """Press a button on the card that says the text ("": the order's number) until the app has answered; False: it is settled already."""

        def pressed() -> bool | None:
            seen = self.player.find(user, text or ref, action=action, channel=channel)
            if seen is not None and self.player.click(user, seen, action):
                return True
            return False if self.is_decided(ref, nth=nth, level=level) else None

        return self.player.until(f"{user} can press {action} on {text or ref}", pressed)


def nothing(_stage: Stage, _ref: str) -> None:
    """Nobody does anything."""


def approve(stage: Stage, ref: str) -> None:
    """Marta says yes."""
    if stage.press(MARTA, ref, ACTION_APPROVE):
        stage.say(f"{ref}: Marta presses Approve")


def deny(stage: Stage, ref: str) -> None:
    """Marta says no, and why."""

    def denied() -> bool | None:
        if not stage.player.views(MARTA):
            seen = stage.player.find(MARTA, ref, action=ACTION_DENY)
            if seen is None:
                return False if stage.is_decided(ref) else None
            stage.player.click(MARTA, seen, ACTION_DENY)
        form = next(iter(stage.player.views(MARTA)), None)
        reason = "We bought torque tools in May. Ask me again in autumn."
        return (form is not None and bool(stage.player.submit(MARTA, form, reason).get("ok"))) or None

    if stage.player.until(f"Marta can deny {ref}", denied):
        stage.say(f"{ref}: Marta denies it, with a reason")


def race(stage: Stage, ref: str) -> None:
    """Marta and Ines press Approve in the same moment; one wins, and the other is told so, privately."""
    card = stage.card(MARTA, ref, ACTION_APPROVE)
    if card is None:  # one had pressed when the demo was stopped; the other does now
        first = stage.asked(ref)[0].decided_by
        stage.player.press_former(MARTA if first == "ines" else INES, "C0BUY", ref, ACTION_APPROVE)
    else:
        _at_once(lambda user: stage.player.click(user, card, ACTION_APPROVE), MARTA, INES)

    def told() -> str | None:
        return next((u for u in (MARTA, INES) if stage.player.private_answer(u, "C0BUY", "lready approved")), None)

    loser = stage.player.until("the loser of the race is told", told)
    stage.say(
        f"{ref}: Marta and Ines press Approve at once; {'Marta' if loser == MARTA else 'Ines'} is told that it was approved already"
    )


def _at_once(press: Callable[[str], object], *users: str) -> None:
    ready = threading.Barrier(len(users))

    def one(user: str) -> None:
        ready.wait()
        press(user)

    threads = [threading.Thread(target=one, args=(user,)) for user in users]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def escalate_and_approve(stage: Stage, ref: str) -> None:
    """Marta is silent, and her manager is asked."""
    if stage.press(OTTO, ref, ACTION_APPROVE, level=_MANAGER_AT, channel="D0OTTO"):
        stage.say(f"{ref}: Marta does not answer; Otto is asked by DM, and approves there")


def price_as_listed(stage: Stage, ref: str) -> None:
    """The price is again what it was before it rose."""
    stage.player.post("/suppliers/_move", {"order_ref": ref, "price": {"amount": "15000.00", "currency": "EUR"}})


def quote_moves(stage: Stage, ref: str) -> None:
    """The price rises while it waits, so that it is asked again."""
    if stage.card(MARTA, ref, ACTION_APPROVE) and not stage.asked(ref)[1:]:
        stage.player.post("/suppliers/_move", {"order_ref": ref, "price": {"amount": "15750.00", "currency": "EUR"}})
        stage.press(MARTA, ref, ACTION_APPROVE)
        stage.say(f"{ref}: the price rises by 5 % while it waits, and Marta approves the old one")

    def again() -> Seen | bool | None:
        return stage.player.find(MARTA, "Asked again", action=ACTION_APPROVE) or stage.is_decided(ref, nth=1) or None

    asked = stage.player.until("it is asked again", again)
    if isinstance(asked, Seen) and ("15,000.00" not in asked.words or "15,750.00" not in asked.words):
        raise NotSeen(f"the new card of {ref} does not say both prices")
    if stage.press(MARTA, ref, ACTION_APPROVE, nth=1, text="Asked again"):
        stage.say(f"{ref}: the new card says was EUR 15,000.00, now EUR 15,750.00; Marta approves that")


def withdraw(stage: Stage, ref: str) -> None:
    """Priya does not want it any more."""
    if stage.press(PRIYA, ref, ACTION_WITHDRAW, level=_MANAGER_AT):  # she may as long as it waits, with whomever
        stage.say(f"{ref}: Priya takes it back")


def crash(stage: Stage, ref: str) -> None:
    """The process is killed after the provider's yes and before our record of it."""
    if stage.card(MARTA, ref, ACTION_APPROVE) is None:
        stage.say(f"{ref}: it was approved when the demo itself was killed")
        return
    stage.player.post(
        "/stripe/_faults", [{"fault": "hang_after", "match": {"order_ref": ref, "endpoint": "create"}, "times": 1}]
    )
    stage.press(MARTA, ref, ACTION_APPROVE)
    stage.player.get("/stripe/_wait", order_ref=ref, timeout=60)
    stage.others_done.wait(60)
    stage.home.kill_bot()
    stage.say(f"{ref}: the provider has paid, and the bot is killed (SIGKILL) before it could write that down")
    stage.home.start_bot()
    stage.say(f"{ref}: the bot is started again")
