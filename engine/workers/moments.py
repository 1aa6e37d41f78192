"""How long ago something was, by the clocks of this machine: for what must happen soon or not at all. Rows are judged by the database's clock."""

import time
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Moment:
    """A moment by two clocks, in seconds: the one nobody can set, and the one that goes on while the machine sleeps."""

    steady: float
    wall: float

    @classmethod
    def now(cls) -> "Moment":
        """The present one."""
        return cls(time.monotonic(), time.time())

    def age_s(self) -> float:
        """How long ago it was, at the most."""
        now = Moment.now()
        return max(now.steady - self.steady, now.wall - self.wall)
