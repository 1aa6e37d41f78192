"""All orders in which a few things can happen, none of them twice: a tree of choices that is walked from its root to a leaf again and again.

What may be chosen is known only on the way, since it depends on what was chosen before. Nothing is known here of what happens.
"""

import random
from collections.abc import Sequence
from dataclasses import dataclass, field


@dataclass
class _Choice:
    """A place in the tree: what could be chosen there when it was last passed, and where that led."""

    options: Sequence[str] = ()
    led: dict[str, "_Choice"] = field(default_factory=dict)
    exhausted: bool = False

    def open(self) -> list[str]:
        """What was not gone through wholly."""
        return [o for o in self.options if o not in self.led or not self.led[o].exhausted]


class Orders:
    """The orders of one case. A seed says in which sequence they come; where the seed leads first is as good as any other place."""

    def __init__(self, seed: str) -> None:
        self._chance = random.Random(seed)
        self._root = _Choice()

    @property
    def exhausted(self) -> bool:
        """Whether all of them were gone through."""
        return self._root.exhausted

    def walk(self) -> "Walk":
        """A walk to a leaf at which none has been yet."""
        assert not self.exhausted
        return Walk(self._root, self._chance)


class Walk:
    """One order: asked at every step what is next."""

    def __init__(self, root: _Choice, chance: random.Random) -> None:
        self._way = [root]
        self._chance = chance
        self.chosen: list[str] = []

    def __str__(self) -> str:
        return " ".join(self.chosen)

    def choose(self, options: Sequence[str]) -> str:
        """One of them."""
        here = self._way[-1]
        here.options = options
        chosen = self._chance.choice(here.open() or list(options))
        self._way.append(here.led.setdefault(chosen, _Choice()))
        self.chosen.append(chosen)
        return chosen

    def end(self) -> None:
        """There is nothing more to choose: this leaf is done, and every place from which nothing else can be reached."""
        for place in reversed(self._way):
            place.exhausted = not place.open()


class Given(Walk):
    """An order that is given: to see one again."""

    def __init__(self, order: str) -> None:
        super().__init__(_Choice(), random.Random(0))
        self._left = order.split()

    def choose(self, options: Sequence[str]) -> str:
        """The next as given; after the last, the first that can be."""
        chosen = self._left.pop(0) if self._left else options[0]
        assert chosen in options, f"{chosen} is not possible after {self}: {', '.join(options)}"
        self.chosen.append(chosen)
        return chosen
