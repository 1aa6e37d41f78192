"""The ground holds: a process that is really killed, at every boundary of every flow, breaks no promise."""

import os
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Final

import pytest

from tests.boundaries.flows import FLOWS, Flow
from tests.boundaries.ground import Ground
from tests.boundaries.promises import End, kept
from tests.boundaries.scene import Scene

EVERY: Final = int(os.environ.get("PLACET_BOUNDARIES_EVERY", "1"))
"""1: a kill at every boundary; 10: at each tenth, for a quick look."""


@pytest.mark.timeout(600)
@pytest.mark.parametrize("name", FLOWS)
def test_a_process_killed_at_any_boundary_breaks_no_promise(
    lanes: Sequence[Ground], passed: Counter[str], name: str
) -> None:
    flow = FLOWS[name]
    with ThreadPoolExecutor(len(lanes)) as at_once:
        whole = list(at_once.map(lambda ground: undisturbed(ground, flow), lanes))
        assert len({boundaries for boundaries, _ in whole}) == 1
        [boundaries, end] = whole[0]
        ways = [range(1 + EVERY * n, boundaries + 1, EVERY * len(lanes)) for n in range(len(lanes))]
        passed[name] = sum(at_once.map(lambda ground, way: killed(ground, flow, way, end), lanes, ways))
    assert passed[name] == len(range(1, boundaries + 1, EVERY))


def undisturbed(ground: Ground, flow: Flow) -> tuple[int, End]:
    """How many boundaries the flow has, and how it ends, when nothing happens to it. What is given before it is kept."""
    ground.fresh(flow.script, flow.policy)
    given = Scene(ground)
    flow.given(given)
    given.ours.kill()
    ground.keep()
    ground.put_back(flow.script)
    scene = Scene(ground)
    flow.happens(scene)
    boundaries = scene.ours.crossed
    end = kept(scene, flow)
    scene.ours.kill()
    return boundaries, end


def killed(ground: Ground, flow: Flow, way: range, undisturbed: End) -> int:
    """Go through the flow again and again, with one kill each time; how many there were."""
    for boundary in way:
        ground.put_back(flow.script)
        scene = Scene(ground, dies_at=boundary)
        try:
            flow.happens(scene)
            assert scene.died, "it lived through it"
            kept(scene, flow, undisturbed)
        except Exception as error:
            error.add_note(f"killed at boundary {boundary}")
            raise
        finally:
            scene.ours.kill()
    return len(way)
