"""What breaks: connections, processes, PostgreSQL, the provider, the suppliers, Slack. Each fault by its name in the schedule."""

import signal
import time
from collections import deque
from dataclasses import dataclass
from typing import Any, Final

from tests.chaos.place import LEASE_S, Place
from tests.chaos.schedule import Step

Fault = dict[str, Any]

PROVIDER: Final = ("drop_before", "drop_after", "500_after", "down", "hang_after")
CALLS: Final[tuple[Fault, ...]] = (
    {"kind": "rate_limited", "seconds": 2, "times": 2},
    {"kind": "drop"},
    {"kind": "drop", "stored": False},
    {"kind": "slow", "seconds": 3},
    {"kind": "status", "status": 500},
    {"kind": "status", "status": 500, "stored": True},
    {"kind": "html"},
    {"kind": "error", "error": "internal_error"},
)
METHODS: Final = ("chat.postMessage", "chat.update", "views.open", "users.info", "*")
DELIVERIES: Final[tuple[Fault, ...]] = (
    {"kind": "duplicate", "times": 3},
    {"kind": "lost"},
    {"kind": "late", "seconds": 2},
)


@dataclass(frozen=True, slots=True)
class Weather:
    """All that can go wrong in this place."""

    place: Place
    misfortunes: deque[Fault] | None = None
    """Where what befalls deliveries is put if people deliver by themselves; None: Slack is told."""

    def cut_all(self, _step: Step) -> None:
        """Every connection to the database breaks."""
        self.place.line.cut_all()

    def cut_answers(self, step: Step) -> None:
        """Commits whose answer does not arrive."""
        dice = step.chance()
        self.place.line.cut_answers(dice, dice.randint(1, 3))

    def cut_requests(self, step: Step) -> None:
        """Statements that do not arrive."""
        dice = step.chance()
        self.place.line.cut_requests(dice, dice.randint(1, 3))

    def crash_database(self, step: Step) -> None:
        """PostgreSQL dies and recovers."""
        self.place.crash_database(step.chance().choice((signal.SIGKILL, signal.SIGQUIT)))

    def kill(self, step: Step) -> None:
        """A process dies, and comes back."""
        life = step.chance().choice(self.place.lives)
        with life.busy:
            life.kill()
            life.start()

    def freeze(self, step: Step) -> None:
        """A process stands still for longer than its lease, and goes on."""
        life = step.chance().choice(self.place.lives)
        with life.busy:
            life.freeze(LEASE_S + 2)

    def deploy(self, step: Step) -> None:
        """A process is ended in good order, and started again."""
        life = step.chance().choice(self.place.lives)
        with life.busy:
            life.end()
            life.start()

    def provider(self, step: Step) -> None:
        """The provider does not answer the next calls, having paid or not."""
        dice = step.chance()
        fault: Fault = {"fault": dice.choice(PROVIDER), "match": {}, "times": dice.randint(1, 3)}
        self.place.player.post("/stripe/_faults", [fault])

    def suppliers_down(self, step: Step) -> None:
        """No supplier answers for some seconds."""
        self.place.player.post("/suppliers/_move", {"down": True})
        time.sleep(step.chance().uniform(1, 4))
        self.place.player.post("/suppliers/_move", {"down": False})

    def slack_call(self, step: Step) -> None:
        """Slack does not take the next calls, or takes them and does not say so."""
        dice = step.chance()
        self._slack({"on": dice.choice(METHODS), **dice.choice(CALLS)})

    def slack_delivery(self, step: Step) -> None:
        """A click comes twice, late, or never."""
        dice = step.chance()
        fault = {"on": dice.choice(("click", "submit")), **dice.choice(DELIVERIES)}
        if self.misfortunes is None:
            self._slack(fault)
        else:
            self.misfortunes.extend([fault] * fault.get("times", 1))

    def clear(self) -> None:
        """Nothing breaks any more, and every process runs."""
        self.place.line.calm()
        self._slack()
        self.place.player._http.delete("/stripe/_faults").raise_for_status()
        self.place.player.post("/suppliers/_move", {"down": False})
        for life in self.place.lives:
            with life.busy:
                life.mend()

    def supervise(self) -> list[str]:
        """Start again what ended by itself, as a supervisor does; how each had ended. What is being broken on purpose is left alone."""
        ends = []
        for life in self.place.lives:
            if life.busy.acquire(blocking=False):
                try:
                    ends += [how for how in [life.mend()] if how is not None]
                finally:
                    life.busy.release()
        return ends

    def _slack(self, *more: Fault) -> None:
        self.place.player.post("/slack/faults", {"faults": list(more)})
