"""The ground holds: a process that is really killed, at every boundary of every flow, breaks no promise; nor when it is killed again.

A flow is gone through in parts, so that several workers have a share of it: every part takes each PARTS-th boundary. That the parts are
the whole is checked where all workers' numbers come together (numbers.py).
"""

import random
from collections.abc import Sequence

import pytest

from tests.boundaries.flows import FLOWS, Flow
from tests.boundaries.ground import Ground
from tests.boundaries.numbers import PARTS, Taken, seed, way
from tests.boundaries.promises import End, kept
from tests.boundaries.scene import Scene

TWICE = 8
"""At one boundary in so many, chosen by the seed, the process is killed once more, somewhere in its recovery if it had anything to recover."""


@pytest.mark.timeout(300)
@pytest.mark.parametrize("part", range(PARTS))
@pytest.mark.parametrize("name", FLOWS)
def test_a_process_killed_at_any_boundary_breaks_no_promise(ground: Ground, taken: Taken, name: str, part: int) -> None:
    boundaries, end = undisturbed(ground, name)
    twice = 0
    for boundary in way(part, boundaries):
        recovery = killed(ground, FLOWS[name], (boundary,), end)
        dice = random.Random(f"{seed()} {name} {boundary}")
        if recovery and dice.randrange(TWICE) == 0:
            killed(ground, FLOWS[name], (boundary, dice.randint(1, recovery)), end)
            twice += 1
    taken(name, boundaries, len(way(part, boundaries)), twice)


def undisturbed(ground: Ground, name: str) -> tuple[int, End]:
    """How many boundaries the flow has, and how it ends, when nothing happens to it. What is given before it is kept."""
    if ground.laid == name:
        known: tuple[int, End] = ground.undisturbed
        return known
    flow = FLOWS[name]
    ground.fresh(flow.script, flow.policy, sealed=flow.sealed)
    given = Scene(ground)
    flow.given(given)
    given.ours.kill()
    ground.keep(name)
    ground.put_back()
    scene = Scene(ground)
    flow.happens(scene)
    boundaries = scene.crossed
    end = kept(scene, flow)
    ground.template.learn(scene.ours.ask("learnt"))
    scene.ours.kill()
    ground.undisturbed = boundaries, end
    return boundaries, end


def killed(ground: Ground, flow: Flow, dies_at: Sequence[int], undisturbed: End) -> int:
    """Go through the flow with these kills; how many boundaries the last of its processes then crossed to the end of it."""
    ground.put_back()
    scene = Scene(ground, dies_at)
    try:
        flow.happens(scene)
        assert scene.deaths == len(dies_at), "it lived through it"
        recovery = scene.crossed
        kept(scene, flow, undisturbed)
    except Exception as error:
        error.add_note(f"killed at {' and '.join(map(str, dies_at))}; PLACET_BOUNDARIES_SEED={seed()}")
        raise
    finally:
        scene.ours.kill()
    return recovery


def test_the_parts_together_are_the_whole() -> None:
    for boundaries in range(200):
        assert sorted(b for part in range(PARTS) for b in way(part, boundaries)) == sorted(way(None, boundaries))
