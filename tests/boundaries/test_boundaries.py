"""The ground holds: a process that is really killed, at every boundary of every flow, breaks no promise; nor when it is killed again."""

import random
from collections.abc import Sequence

import pytest

from tests.boundaries.flows import FLOWS, Flow
from tests.boundaries.ground import Ground
from tests.boundaries.numbers import EVERY, READS, TWICE, Taken, seed
from tests.boundaries.promises import End, kept
from tests.boundaries.scene import Scene


@pytest.mark.timeout(600)
@pytest.mark.parametrize("name", FLOWS)
def test_a_process_killed_at_any_boundary_breaks_no_promise(ground: Ground, taken: Taken, name: str) -> None:
    boundaries, end, crossed = undisturbed(ground, name)
    way, twice = boundaries[::EVERY], 0
    for boundary in way:
        recovery = killed(ground, FLOWS[name], (boundary,), end)
        dice = random.Random(f"{seed()} {name} {boundary}")
        if recovery and dice.randrange(TWICE) == 0:
            killed(ground, FLOWS[name], (boundary, dice.randint(1, recovery)), end)
            twice += 1
    taken(crossed, len(way), twice)


def undisturbed(ground: Ground, name: str) -> tuple[Sequence[int], End, int]:
    """At which boundaries to kill, how the flow ends when nothing happens to it, and how many it crosses. What is given before it is kept."""
    flow = FLOWS[name]
    ground.fresh(flow.script, flow.policy, sealed=flow.sealed)
    given = Scene(ground)
    flow.given(given)
    given.ours.kill()
    ground.keep()
    ground.put_back()
    scene = Scene(ground, noting=True)
    flow.happens(scene)
    crossed = scene.crossed
    boundaries = range(1, crossed + 1) if READS else scene.changed
    end = kept(scene, flow)
    ground.template.learn(scene.ours.ask("learnt"))
    scene.ours.kill()
    return boundaries, end, crossed


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
