"""The ground holds: a process that is really killed, at every moment of every flow, breaks no promise."""

import os
from collections import Counter
from typing import Final

import pytest

from tests.boundaries.flows import FLOWS
from tests.boundaries.ground import Ground
from tests.boundaries.promises import kept
from tests.boundaries.scene import Scene

EVERY: Final = int(os.environ.get("PLACET_BOUNDARIES_EVERY", "1"))
"""1: all boundaries; more: only each so manieth, for a quick look."""


@pytest.mark.timeout(600)
@pytest.mark.parametrize("name", FLOWS)
def test_a_process_killed_at_any_moment_breaks_no_promise(the_ground: Ground, name: str, passed: Counter[str]) -> None:
    flow = FLOWS[name]
    the_ground.fresh(flow.script, flow.policy)
    given = Scene(the_ground)
    flow.given(given)
    given.ours.kill()
    the_ground.keep()

    the_ground.put_back(flow.script)
    whole = Scene(the_ground)
    flow.happens(whole)
    boundaries = whole.ours.passed
    undisturbed = kept(whole, flow)
    print("N", name, boundaries)
    whole.ours.kill()

    for boundary in range(1, boundaries + 1, EVERY):
        the_ground.put_back(flow.script)
        scene = Scene(the_ground, dies_at=boundary)
        try:
            flow.happens(scene)
            assert scene.died, "it lived through it"
            kept(scene, flow, undisturbed)
        except BaseException as error:
            error.add_note(f"{name}: killed at boundary {boundary} of {boundaries}")
            raise
        finally:
            scene.ours.kill()
        passed[name] += 1
    assert passed[name] == len(range(1, boundaries + 1, EVERY))
