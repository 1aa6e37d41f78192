"""What the second of two is told, and what no serial order could say: in a word each."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any
from uuid import UUID

import psycopg
import pytest

from engine.models import AlreadySettled, Claim, Decided, NotYours
from engine.state import ledger, pauses, runs
from tests import rows
from tests.interleavings import workers
from tests.interleavings.moves import Actor, Move, Scene, Script
from tests.interleavings.orders import Given
from tests.interleavings.place import Place
from tests.interleavings.scenes import SCENES
from tests.interleavings.stage import Made, play

FIRST_HOLDS = "step a b A B"
FIRST_DIES = "die a b a! B"


def met(place: Place, scene: str, names: Sequence[str], order: str) -> tuple[Scene, list[Made]]:
    """What was made in a scene by those who are named, in this order."""
    here = place.scene(scene, SCENES[scene][0])
    cast = {actor.name: actor for actor in SCENES[scene][1]}
    return here, play(place, here, [cast[name] for name in names], Given(order)).made


def test_a_click_that_waited_for_another_click_names_the_winner(place: Place) -> None:
    _, [_, late] = met(place, "siblings", ("denies", "approves"), FIRST_HOLDS)
    assert late.waited
    assert isinstance(late.outcome, AlreadySettled)
    now = late.outcome.now
    assert (now.status, now.decided_by, now.reason) == ("denied", "marta", "Words.")
    assert now.decided_at is not None
    assert now.decided_at < now.at


def test_a_click_that_waited_for_an_escalation_names_the_new_approver(place: Place) -> None:
    _, made = met(place, "due", ("escalates", "approves_other"), "step a a b A B")
    late = made[-1]
    assert late.waited
    assert isinstance(late.outcome, NotYours)
    assert (late.outcome.now.approver, late.outcome.now.level) == ("person:otto", 1)


def test_a_click_that_waited_for_an_escalation_takes_the_buttons_off_the_card_it_made(place: Place) -> None:
    here, made = met(place, "due", ("escalates", "denies"), "step a a b A B")
    assert made[-1].waited
    [wanted] = place.conn.execute(
        "SELECT wanted FROM card WHERE pause_id = %s AND level = 1", (here.pauses[1],)
    ).fetchall()
    assert wanted == (2,)


def test_a_click_wins_when_the_one_before_it_is_rolled_back(place: Place) -> None:
    here, [won] = met(place, "siblings", ("denies", "approves"), FIRST_DIES)
    assert won.waited
    assert isinstance(won.outcome, Decided)
    assert (won.outcome.now.status, pauses.get(place.conn, here.pauses[0]).version) == ("approved", 2)


def test_a_withdrawal_of_a_run_takes_along_what_it_asked_at_that_moment(place: Place) -> None:
    here, [_, late] = met(place, "asking", ("asks", "cancels"), FIRST_HOLDS)
    assert (late.waited, late.outcome) == (True, "cancelled")
    [asked] = runs.get(place.conn, here.runs[0]).pauses
    assert pauses.get(place.conn, asked).status == "cancelled"


def test_a_hold_that_meets_the_first_inquiry_is_noted(place: Place) -> None:
    _, [_, late] = met(place, "asking", ("asks", "holds"), FIRST_HOLDS)
    assert (late.waited, late.outcome) == (True, "awaiting_approval")


def test_a_sweep_takes_the_runs_that_nobody_holds(place: Place) -> None:
    here, made = met(place, "two_runs", ("approves_both", "expires"), "step a b b B A a A")
    [swept] = [m for m in made if m.move.name == "sweep"]
    assert {moved.run_id for moved in swept.outcome} == {here.runs[1]}


def test_two_workers_never_get_the_same_run(place: Place) -> None:
    here, made = met(place, "in_line", ("claims", "claims_too", "claims"), "step a b c A B")
    assert [m.outcome.id for m in made if isinstance(m.outcome, Claim)] == list(here.runs)


@pytest.mark.parametrize(("scene", "verb"), [("approved", workers.begin), ("begun", workers.replace)])
def test_a_worker_that_raced_itself_would_still_call_once(
    place: Place, scene: str, verb: Callable[[Scene], Script]
) -> None:
    here = place.scene(scene, SCENES[scene][0])
    itself = Actor("itself", verb)
    with pytest.raises(psycopg.errors.UniqueViolation):
        play(place, here, [itself, itself], Given("step a b A"))
    under_way = place.conn.execute("SELECT count(*) FROM effect_attempt WHERE status = 'open'").fetchone()
    assert under_way == (1,)


# --------------------------------------------------------------------------------------------------------------- launches


def launches(scene: Scene) -> Script:
    """Somebody launches what must be launched once."""
    what = replace(rows.LAUNCH, launch_key="order-1")
    yield Move("launch", lambda conn: runs.launch(conn, what, actor="priya", surface="tests"))


def launched_twice(place: Place, order: str) -> list[tuple[UUID, bool]]:
    """What two launches with one key are told."""
    place.scene("in_line", SCENES["in_line"][0])
    nowhere = Scene(runs=(), pauses=(), claim=Claim(id=UUID(int=1), epoch=0, agent=""))
    made = play(place, nowhere, [Actor("launches", launches)] * 2, Given(order)).made
    assert made[-1].waited
    return [m.outcome for m in made]


def _of_the_key(conn: Any) -> list[UUID]:
    return [line.id for line in runs.listed(conn) if line.launch_key]


def test_two_launches_with_one_key_launch_once(place: Place) -> None:
    [(first, new), (second, again)] = launched_twice(place, FIRST_HOLDS)
    assert (new, again, second) == (True, False, first)
    assert _of_the_key(place.conn) == [first]


def test_a_launch_whose_rival_is_rolled_back_launches(place: Place) -> None:
    [(only, new)] = launched_twice(place, FIRST_DIES)
    assert new
    assert _of_the_key(place.conn) == [only]


def test_a_receipt_counts_whoever_has_the_run_by_then(place: Place) -> None:
    here, made = met(place, "begun", ("claims", "succeeds"), "step a A b B")
    assert isinstance(made[0].outcome, Claim)
    assert isinstance(made[1].outcome, ledger.Settled)
    assert (made[1].outcome.outcome, made[1].outcome.epoch) == ("succeed", made[0].outcome.epoch)
    assert pauses.get(place.conn, here.pauses[0]).status == "executed"
