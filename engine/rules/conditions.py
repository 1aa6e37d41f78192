"""Conditions of a rule on the arguments of a call, as in `when = { supplier_id = ["sup_1", "sup_2"], quantity = { over = 100 } }`.

The one rule: a condition holds, does not, or cannot be judged, when its argument is missing or is of another kind; what cannot be judged
never makes a need smaller (see policy.evaluate).
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import pairwise, product
from math import prod
from typing import Any, Final

Plain = str | bool | Decimal
"""What an argument can be compared as."""

Path = tuple[str, ...]

MOST_WORLDS: Final = 4_096
"""Beyond so many kinds of calls it is no longer checked that exactly one rule applies to each; who reads the policy could not, either."""

_OTHER: Final = "\x00any other"
"""A text that no argument is, as it holds a NUL."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Condition:
    """What one argument must be: one of some values, none of some, or a number above `over` and up to `up_to`. Only what is set counts."""

    path: Path
    one_of: tuple[Plain, ...] = ()
    none_of: tuple[Plain, ...] = ()
    over: Decimal | None = None
    up_to: Decimal | None = None

    def judge(self, value: Plain | None) -> bool | None:
        """Whether it holds for this value; None if that cannot be told."""
        kinds = {type(known) for known in (*self.one_of, *self.none_of)}
        if self.over is not None or self.up_to is not None:
            kinds.add(Decimal)
        if value is None or type(value) not in kinds:
            return None
        if self.one_of and not _among(value, self.one_of):
            return False
        if self.none_of and _among(value, self.none_of):
            return False
        if isinstance(value, Decimal):
            return (self.over is None or value > self.over) and (self.up_to is None or value <= self.up_to)
        return True

    def __str__(self) -> str:
        name = " ".join(self.path).replace("_", " ")
        said = []
        if self.one_of:
            said.append(f"is {' or '.join(map(_shown, self.one_of))}")
        if self.none_of:
            said.append(f"is not {' or '.join(map(_shown, self.none_of))}")
        if self.over is not None:
            said.append(f"is over {self.over}")
        if self.up_to is not None:
            said.append(f"is up to {self.up_to}")
        return f"{name} {' and '.join(said)}"


def holds(conditions: Sequence[Condition], arguments: Mapping[str, Any]) -> bool | None:
    """Whether all hold for a call's arguments in their JSON form; None if one cannot be judged and none is false."""
    return all_of(condition.judge(plain(look(arguments, condition.path))) for condition in conditions)


def all_of(judged: Iterable[bool | None]) -> bool | None:
    """True, false, or None if one is not known and none is false."""
    seen = set(judged)
    return False if False in seen else None if None in seen else True


def look(arguments: Mapping[str, Any], path: Path) -> Any:
    """The argument at the path; None if it is missing."""
    found: Any = arguments
    for name in path:
        found = found.get(name) if isinstance(found, Mapping) else None
    return found


def plain(value: Any) -> Plain | None:
    """A JSON value as it is compared: numbers by what they are worth, exactly; None for what cannot be compared."""
    if isinstance(value, str | bool):
        return value
    return Decimal(str(value)) if isinstance(value, int | float | Decimal) else None


def worlds(given: Sequence[Sequence[Condition]]) -> Iterator[tuple[bool, ...]] | None:
    """Every way in which these groups of conditions can hold together for one call: for each group whether it does, in one tuple.

    Each argument has one value, so that "is DE" and "is FR" never hold at once. None if there are more than MOST_WORLDS kinds of calls.
    """
    values = {path: _representatives(cs) for path, cs in _by_path(given).items()}
    if prod(map(len, values.values())) > MOST_WORLDS:
        return None
    paths = list(values)
    called = (dict(zip(paths, one, strict=True)) for one in product(*values.values()))
    found = {tuple(all_of(c.judge(call[c.path]) for c in group) is True for group in given) for call in called}
    return iter(sorted(found, reverse=True))


def _by_path(given: Iterable[Sequence[Condition]]) -> dict[Path, list[Condition]]:
    by_path: dict[Path, list[Condition]] = {}
    for condition in (condition for group in given for condition in group):
        by_path.setdefault(condition.path, []).append(condition)
    return by_path


def _representatives(conditions: Iterable[Condition]) -> list[Plain]:
    """One value for each way in which these conditions, all on one argument, can tell values apart; one that none knows is among them."""
    known: dict[tuple[type, Plain], Plain] = {}  # by its kind too: true is not the number 1
    for condition in conditions:
        ends = (end for end in (condition.over, condition.up_to) if end is not None)
        known |= {(type(one), one): one for one in (*condition.one_of, *condition.none_of, *ends)}
    texts = sorted(one for one in known.values() if isinstance(one, str))
    flags = any(isinstance(one, bool) for one in known.values())
    numbers = sorted(one for one in known.values() if isinstance(one, Decimal))
    between = [(low + high) / 2 for low, high in pairwise(numbers)]
    beyond = [numbers[0] - 1, numbers[-1] + 1] if numbers else []
    return [*texts, _OTHER, *([True, False] if flags else []), *numbers, *between, *beyond]


def _among(value: Plain, known: Iterable[Plain]) -> bool:
    """Whether it is one of them; true is not the number 1."""
    return any(type(one) is type(value) and one == value for one in known)


def _shown(value: Plain) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
