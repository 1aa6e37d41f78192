"""What comes of the same moves one after the other: the measure of every interleaving.

The order is that in which they were committed. Moves that were let go ended when they liked, so that for those that were under way at
the same time every order counts. A move that skips what others hold is measured against itself with the same runs held by a third.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Final
from uuid import UUID

from tests.interleavings.facts import facts, told
from tests.interleavings.moves import Actor, Scene, Script
from tests.interleavings.place import Place
from tests.interleavings.stage import Made, Played

Key = tuple[tuple[str, int, frozenset[UUID]], ...]


@dataclass(frozen=True)
class End:
    """How everything stands at the end, and what was told, move by move."""

    facts: dict[str, Any]
    told: Sequence[Any]


def heard(scene: Scene, made: Sequence[Made]) -> Sequence[Any]:
    """What was told, move by move; the looks of a script count by what is done upon them."""
    return [(m.move.name, told(m.outcome, scene)) for m in made if not m.move.reads]


def difference(met: End, expected: End) -> str:
    """What is otherwise, line by line."""
    lines = [
        f"{sign} {name}: {row}"
        for name in expected.facts
        for sign, has, lacks in (("+", met, expected), ("-", expected, met))
        for row in has.facts[name]
        if row not in lacks.facts[name]
    ]
    lines += [f"+ told: {each}" for each in met.told if each not in expected.told]
    lines += [f"- told: {each}" for each in expected.told if each not in met.told]
    return "\n".join(lines) or "the same, otherwise ordered"


def orders(played: Played) -> Iterator[Sequence[Made]]:
    """The serial orders that one interleaving may be equal to."""
    if played.let_go:
        yield from _extensions([], played.made)
    else:
        yield played.made


def _extensions(order: Sequence[Made], left: Sequence[Made]) -> Iterator[Sequence[Made]]:
    """Every order that goes on so, with nothing before what had ended when it began."""
    if not left:
        yield order
    for one in left:
        others = [other for other in left if other is not one]
        if all(_may_precede(one, other) for other in others):
            yield from _extensions([*order, one], others)


def _may_precede(first: Made, later: Made) -> bool:
    """Whether neither had ended when the other began, or this one had; of two moves of one actor, the earlier."""
    assert later.ended is not None
    if first.by == later.by:
        return first.began < later.began
    return later.ended >= first.began


@dataclass
class Serial:
    """The ends of serial orders, kept, since many interleavings have the same."""

    place: Place
    _kept: dict[tuple[str, Key], End] = field(default_factory=dict)

    def end(self, name: str, make: Any, actors: Sequence[Actor], order: Sequence[Made]) -> End:
        """How it ends if these moves are made one after the other."""
        key = (name, _key(actors, order))
        if key not in self._kept:
            scene = self.place.scene(name, make)
            self._kept[key] = _replayed(self.place, scene, actors, order)
        return self._kept[key]


def _key(actors: Sequence[Actor], order: Sequence[Made]) -> Key:
    """The moves by whose they are, two of one name told apart by who came first."""
    seen: dict[int, tuple[str, int]] = {}
    for made in order:
        name = actors[made.by].name
        seen.setdefault(made.by, (name, sum(n == name for n, _ in seen.values())))
    return tuple((*seen[made.by], made.held) for made in order)


_OVER: Final = object()


def _replayed(place: Place, scene: Scene, actors: Sequence[Actor], order: Sequence[Made]) -> End:
    scripts = [actor.script(scene) for actor in actors]
    again: list[Made] = []
    outcomes: dict[int, Any] = {}
    stays = any(made.held for made in order)
    with _in_transaction(place, stays=stays):
        for made in order:
            move = _sent(scripts[made.by], outcomes.get(made.by))
            if move is _OVER or move.name != made.move.name:
                break  # it would not have come to this one after the other: what is told is too short, then
            with _held(place, made.held):
                outcomes[made.by] = move.made(place.conn)
            again.append(Made(by=made.by, move=move, began=0, outcome=outcomes[made.by]))
        return End(facts(place.conn, scene), heard(scene, again))


def _sent(script: Script, outcome: Any) -> Any:
    try:
        return script.send(outcome)
    except StopIteration:
        return _OVER


@contextmanager
def _in_transaction(place: Place, *, stays: bool) -> Iterator[None]:
    """What is rolled back need not be put back; but what somebody is to hold must be committed."""
    if stays:
        place.touched()
        yield
    else:
        with place.conn.transaction(force_rollback=True):
            yield


@contextmanager
def _held(place: Place, runs: frozenset[UUID]) -> Iterator[None]:
    """Somebody holds these runs."""
    if not runs:
        yield
        return
    with place.gate.transaction(force_rollback=True):
        place.gate.execute("SELECT FROM run WHERE id = ANY(%s) ORDER BY id FOR UPDATE", (list(runs),))
        yield
