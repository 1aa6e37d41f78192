"""The cells of the matrix, and the one rule that says how each of them must end. Pure."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from typing import Final, Literal

FAULTS: Final = (
    "none", "drop_before", "drop_after", "500_after", "hang_after", "key_forgotten", "list_lags", "search_lags", "down",
)  # fmt: skip
"""What the provider does, to whoever calls it first; `down` for good.

`hang_after`: it takes the money and answers nothing, for longer than the lease. `key_forgotten`: the answer is lost, and it is 25 hours later
when somebody asks again. `list_lags`: it takes the money and answers 500, and its list is 45 seconds behind.
`search_lags`: it takes the money and answers 500, and the tool looks in its search, which is a minute behind.
"""

WINDOWS: Final = ("inside", "outside", "keyless")
"""When the next worker goes on: 21 hours later, while the key may be used again; 22 hours later, too late for that though the provider still
knows it; or at once, but the provider takes no keys."""

HOURS: Final = {"inside": 21, "outside": 22, "keyless": 0}
FORGOTTEN_H: Final = 25

CRASHES: Final = ("none", "unbegun", "begun", "called", "answered", "recorded", "froze_begun", "froze_called")
"""Where the first worker is killed: before the attempt is committed, after that and before the call, during the call when the provider has
done with it, after the answer and before it is recorded, after it is recorded. Or where it stands still instead, before its call or during it,
until another has taken over and come to its end; then it goes on."""

_ALONE: Final = ("none", "unbegun", "recorded")
"""Where one worker does it all, from the first call to the last: the other has nothing of it to know, or nothing more to do."""

_NEVER_CALLED: Final = ("begun", "froze_begun")
"""Where the first worker makes no call, and the second does not know that."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """One combination. `looks`: whether the tool has a `find`."""

    fault: str
    window: str
    looks: bool
    crash: str

    @property
    def row(self) -> tuple[str, str, str]:
        """The row it is printed in: fault, window, find."""
        return self.fault, self.window, "find" if self.looks else "no find"

    def __str__(self) -> str:
        return "-".join((*self.row, self.crash)).replace(" ", "_")


@dataclass(frozen=True, slots=True)
class End:
    """How many payments there are at the provider, and what the ledger says."""

    paid: int
    effect: Literal["done", "failed", "in_doubt"]

    def __str__(self) -> str:
        return f"{self.paid} {self.effect.replace('_', ' ')}"


def must_end(cell: Cell) -> End:
    """The rule, in words.

    Of a provider that is down for good nobody can tell anything: a person is asked. An answer that arrives at a worker that lives to record
    it is the end of it, however late. Otherwise the key is used again as long as that is allowed, and settles it, unless the provider answers
    that key with nothing of use: then it is looked for. What is found is recorded; what is surely absent is paid anew, once; should that
    call's answer be lost too, and there be no key to ask with, it has failed. Who cannot look asks a person.
    """
    if cell.fault == "down":
        return End(0, "in_doubt")
    if cell.fault == "none" and cell.crash in (*_ALONE, "froze_called"):
        return End(1, "done")
    may_repeat = cell.window == "inside" or (cell.window == "outside" and cell.crash in _ALONE)
    key_is_of_no_use = cell.fault in ("500_after", "list_lags", "search_lags")
    held_by_who_stands_still = cell.fault == "hang_after" and cell.crash == "froze_called"
    if may_repeat and not key_is_of_no_use and not held_by_who_stands_still:
        return End(1, "done")
    if cell.looks:
        lost_twice = cell.fault == "drop_before" and cell.window == "keyless" and cell.crash in _NEVER_CALLED
        return End(0, "failed") if lost_twice else End(1, "done")
    was_called = may_repeat or cell.crash not in _NEVER_CALLED
    return End(1 if was_called and cell.fault != "drop_before" else 0, "in_doubt")


def _possible() -> Iterator[Cell]:
    for fault, window, looks, crash in product(FAULTS, WINDOWS, (True, False), CRASHES):
        if crash == "none" and window == "outside":
            continue  # nobody goes on later; with a key of no use it is `keyless`
        if fault == "key_forgotten" and (window != "outside" or crash == "none"):
            continue  # a key that may be used again is not forgotten, and where there is none, or nobody goes on later, there is nothing to forget
        if fault == "search_lags" and not looks:
            continue  # who cannot look does not search
        yield Cell(fault=fault, window=window, looks=looks, crash=crash)


CELLS: Final = tuple(_possible())
"""Every combination that can be."""
