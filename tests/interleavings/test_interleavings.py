"""Two and three actors on the same runs, stepped through their orders: it always ends as if they had come one after the other.

Each test takes two actors of a scene through orders of their statement boundaries, and each third actor with them. Of the orders of one
case at most so many are gone through as PLACET_INTERLEAVINGS says, of a pair and of three ("4,1"; 0: all there are). Which these are is up
to a seed, another one in every run, which stands in the name of every test. To see the same again:

    PLACET_INTERLEAVINGS_SEED=7f3a2c pytest tests/interleavings -k siblings

All orders of all cases; nobody waits for that, so name a scene (and see how many there are at the end):

    PLACET_INTERLEAVINGS=0,1 pytest tests/interleavings -k one- --timeout 0       every order of two
    PLACET_INTERLEAVINGS=0 pytest tests/interleavings -k one- --timeout 0         and of three

One order of one case, as a failure names it:

    PLACET_INTERLEAVINGS_ORDER="siblings: approves, denies, cancels: step a b A c B C" pytest tests/interleavings -k given

A move joins by being named in scenes.py.
"""

import os
from collections.abc import Iterator, Sequence
from itertools import combinations_with_replacement

import pytest

from tests.interleavings.facts import facts
from tests.interleavings.moves import Actor
from tests.interleavings.numbers import GoneThrough, seed
from tests.interleavings.orders import Given, Orders, Walk
from tests.interleavings.promises import kept
from tests.interleavings.scenes import SCENES
from tests.interleavings.serial import End, Serial, difference, heard, orders
from tests.interleavings.stage import play

PAIR, TRIO = (int(n) or 10**9 for n in (os.environ.get("PLACET_INTERLEAVINGS", "4,1").split(",") * 2)[:2])
"""How many orders of a case are gone through, of two actors and of three."""


def cast_of(scene: str, size: int) -> Iterator[Sequence[Actor]]:
    """All who may meet there, `size` at a time."""
    for actors in combinations_with_replacement(SCENES[scene][1], size):
        if not any(actor.alone and actors.count(actor) > 1 for actor in actors):
            yield actors


def passed(serial: Serial, scene: str, actors: Sequence[Actor], walk: Walk) -> None:
    """Go through one order; it ends as one after the other, and keeps every promise."""
    make, place = SCENES[scene][0], serial.place
    here = place.scene(scene, make)
    try:
        played = play(place, here, actors, walk)
        found = facts(place.conn, here)
        kept(place, here, played, found)
        measured = [
            (End(found, heard(here, order)), serial.end(scene, make, actors, order)) for order in orders(played)
        ]
        assert any(met == one for met, one in measured), min((difference(*each) for each in measured), key=len)
    except BaseException as error:
        error.add_note(f'order: "{scene}: {", ".join(a.name for a in actors)}: {walk}"')
        raise


def taken_through(serial: Serial, scene: str, actors: Sequence[Actor], most: int) -> int:
    """Take a cast through at most so many orders; how many there were."""
    names = ", ".join(actor.name for actor in actors)
    ways, count = Orders(f"{seed()} {scene} {names}"), 0
    while count < most and not ways.exhausted:
        passed(serial, scene, actors, ways.walk())
        count += 1
    return count


@pytest.mark.parametrize("seed", [seed()])
@pytest.mark.parametrize(
    ("scene", "pair"),
    [
        pytest.param(scene, pair, id=f"{scene}-{pair[0].name}-{pair[1].name}")
        for scene in SCENES
        for pair in cast_of(scene, 2)
    ],
)
def test_whoever_meets_it_ends_as_if_they_had_come_one_after_the_other(
    serial: Serial, gone_through: GoneThrough, scene: str, pair: Sequence[Actor], seed: str
) -> None:
    count = taken_through(serial, scene, pair, PAIR)
    for actors in cast_of(scene, 3):
        if actors[:2] == pair:
            count += taken_through(serial, scene, actors, TRIO)
    assert count
    gone_through(scene, count)


if "PLACET_INTERLEAVINGS_ORDER" in os.environ:

    def test_the_given_order(serial: Serial) -> None:
        scene, names, order = os.environ["PLACET_INTERLEAVINGS_ORDER"].split(": ")
        cast = {actor.name: actor for actor in SCENES[scene][1]}
        passed(serial, scene, [cast[name] for name in names.split(", ")], Given(order))
