"""Where actors meet, and who may come there. A new move joins by being named here, in every scene in which it is possible.

A scene is made by the verbs themselves, once, and put back before every order (place.py). Leases and deadlines are far away or past, so
that it does not matter when that is.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, Final

from engine.models import Claim
from engine.state import inquiries, pauses, runs
from tests import rows
from tests.interleavings import people, workers
from tests.interleavings.moves import Actor, Scene
from tests.interleavings.people import click, sweep, together_of
from tests.interleavings.workers import of_the_worker, worker

ROLE: Final = "role:finance-approver"


def _waiting(conn: Any, calls: int = 1, **changes: Any) -> Scene:
    asked = rows.waiting(conn, calls, **changes)
    run_id = pauses.get(conn, asked[0]).run_id
    return Scene(runs=(run_id,), pauses=tuple(asked), claim=Claim(id=run_id, epoch=1, agent="procurement"))


def one(conn: Any) -> Scene:
    """A pause waits, and there is time."""
    return _waiting(conn)


def in_line(conn: Any) -> Scene:
    """Two runs are in line for a worker."""
    first, second = rows.launched(conn), rows.launched(conn)
    return Scene(runs=(first, second), pauses=(), claim=Claim(id=first, epoch=0, agent="procurement"))


def asking(conn: Any) -> Scene:
    """A worker that may be lost is about to ask for the first time."""
    claim = rows.claimed(conn)
    rows.replied(conn, claim)
    rows.lose_lease(conn, claim.id)
    return Scene(runs=(claim.id,), pauses=(), claim=claim)


def due(conn: Any) -> Scene:
    """Two pauses wait, the second of which is due."""
    scene = _waiting(conn, 2)
    rows.make_due(conn, scene.pauses[1])
    return scene


def asked_back(conn: Any) -> Scene:
    """Two pauses wait, the second of which is due; about the first the requester is asked something."""
    scene = due(conn)
    inquiries.ask(conn, scene.pauses[0], "marta", text="Which cost centre?", surface="tests")
    return scene


def siblings(conn: Any) -> Scene:
    """Two pauses wait, and there is time for both."""
    return _waiting(conn, 2)


def two_votes(conn: Any) -> Scene:
    """A pause needs two of the role; it has a sibling that needs one."""
    return _quorum(conn, 2)


def three_votes(conn: Any) -> Scene:
    """A pause needs three of the role."""
    return _quorum(conn, 3)


def _quorum(conn: Any, approvers: int) -> Scene:
    rows.give_role(conn, "jonas", "finance-approver")
    return _waiting(conn, approver=ROLE, need=replace(rows.QUORUM, approvers=approvers))


def two_runs(conn: Any) -> Scene:
    """Two runs with two pauses each, the second of each due."""
    here, there = due(conn), due(conn)
    return Scene(runs=here.runs + there.runs, pauses=here.pauses + there.pauses, claim=here.claim)


def queued(conn: Any) -> Scene:
    """Both pauses of a run are approved, and no worker has it yet."""
    claim, pause_ids = rows.approved(conn, 2)
    assert runs.release(conn, claim, "w1")
    return Scene(runs=(claim.id,), pauses=tuple(pause_ids), claim=claim)


def approved(conn: Any) -> Scene:
    """A worker that may be lost has the run again; both pauses are approved."""
    claim, pause_ids = rows.approved(conn, 2)
    rows.lose_lease(conn, claim.id)
    return Scene(runs=(claim.id,), pauses=tuple(pause_ids), claim=claim)


def begun(conn: Any) -> Scene:
    """A call is under way, past its deadline, by a worker that may be lost."""
    claim, pause_ids, effect = rows.begun(conn, 2)
    rows.lose_lease(conn, claim.id)
    rows.end_call(conn, effect.attempt_id)
    return Scene(runs=(claim.id,), pauses=tuple(pause_ids), claim=claim, effect=effect)


def doubted(conn: Any) -> Scene:
    """Nobody can tell whether the first call happened, and the run stands still."""
    claim, pause_ids, effect = rows.doubted(conn, 2)
    return Scene(runs=(claim.id,), pauses=tuple(pause_ids), claim=claim, effect=effect)


CANCELS: Final = Actor("cancels", people.withdraw_run(0))
WITHDRAWS: Final = Actor("withdraws", click("withdraw", "priya", 0))
WITHDRAWS_OTHER: Final = Actor("withdraws_other", click("withdraw", "priya", 1))
HOLDS: Final = Actor("holds", people.hold)
RESUMES: Final = Actor("resumes", people.resume)
HOLDS_AND_RESUMES: Final = Actor("holds_and_resumes", people.hold_and_resume)
APPROVES: Final = Actor("approves", click("approve", "marta", 0))
APPROVES_OTHER: Final = Actor("approves_other", click("approve", "marta", 1))
DENIES: Final = Actor("denies", click("deny", "marta", 0))
DENIES_OTHER: Final = Actor("denies_other", click("deny", "marta", 1))
ASKS_BACK: Final = Actor("asks_back", people.ask_back("marta", "Since when?"))
REPLIES: Final = Actor("replies", people.reply(1, "4711."))
EXPIRES: Final = Actor("expires", sweep(asks_next=False))
ESCALATES: Final = Actor("escalates", sweep(asks_next=True))
WORKS: Final = Actor("works", worker("w2"))
WORKS_TOO: Final = Actor("works_too", worker("w3"))
RENEWS: Final = Actor("renews", of_the_worker("renew", lambda conn, at: runs.renew(conn, at.claim, lease_s=60)))
RELEASES: Final = Actor("releases", of_the_worker("release", lambda conn, at: runs.release(conn, at.claim, "w1")))
SAVES: Final = Actor("saves", of_the_worker("save", lambda conn, at: runs.save_results(conn, at.claim, {1: rows.PAID})))
VOIDS: Final = Actor(
    "voids", of_the_worker("void", lambda conn, at: runs.void(conn, at.claim, [at.pauses[0]], "The grant is gone."))
)
FAILS: Final = Actor("fails", of_the_worker("fail", lambda conn, at: runs.fail(conn, at.claim, "It cannot go on.")))
APPROVES_TOGETHER: Final = Actor("approves_together", together_of("approve", "marta"))
DENIES_TOGETHER: Final = Actor("denies_together", together_of("deny", "marta"))

Made = Callable[[Any], Scene]
SCENES: Final[Mapping[str, tuple[Made, tuple[Actor, ...]]]] = {
    "in_line": (in_line, (
        Actor("claims", workers.claims("w2")), Actor("claims_too", workers.claims("w3")), Actor("cancels_both", people.withdraw_run(0, 1)),
        Actor("cancels_both_backwards", people.withdraw_run(1, 0)), HOLDS_AND_RESUMES,
    )),
    "asking": (asking, (
        Actor("asks", workers.ask, alone=True), RENEWS, RELEASES, FAILS, WORKS, Actor("answers_the_newest", people.answer_the_newest("approve", "marta")),
        CANCELS, HOLDS, HOLDS_AND_RESUMES,
    )),
    "one": (one, (APPROVES, DENIES, WITHDRAWS, CANCELS, HOLDS, RESUMES, WORKS)),
    "due": (due, (
        APPROVES, APPROVES_OTHER, Actor("otto_approves", click("approve", "otto", 1)), DENIES, WITHDRAWS, EXPIRES, ESCALATES, CANCELS,
        HOLDS_AND_RESUMES, WORKS, APPROVES_TOGETHER,
    )),
    "asked_back": (asked_back, (
        ASKS_BACK, Actor("asks_the_same", people.ask_back("marta", "Which cost centre?")), REPLIES, Actor("replies_otherwise", people.reply(1, "4712.")),
        Actor("replies_to_the_next", people.reply(2, "Since May.")), APPROVES, WITHDRAWS, EXPIRES, ESCALATES, CANCELS,
    )),
    "siblings": (siblings, (
        APPROVES, APPROVES_OTHER, DENIES, DENIES_OTHER, WITHDRAWS, WITHDRAWS_OTHER, CANCELS, HOLDS,
        Actor("approves_both", click("approve", "marta", 0, 1)), Actor("approves_both_backwards", click("approve", "marta", 1, 0)),
        APPROVES_TOGETHER, DENIES_TOGETHER,
    )),
    "two_votes": (two_votes, (
        APPROVES, Actor("ines_approves", click("approve", "ines", 0)), Actor("jonas_approves", click("approve", "jonas", 0)),
        Actor("ines_denies", click("deny", "ines", 0)), WITHDRAWS, WORKS,
    )),
    "three_votes": (three_votes, (
        Actor("clicks_twice", click("approve", "marta", 0, 0)), Actor("ines_approves", click("approve", "ines", 0)),
        Actor("jonas_approves", click("approve", "jonas", 0)), Actor("jonas_denies", click("deny", "jonas", 0)), CANCELS,
    )),
    "two_runs": (two_runs, (
        EXPIRES, ESCALATES, Actor("expires_backwards", sweep(asks_next=False, backwards=True)),
        Actor("escalates_backwards", sweep(asks_next=True, backwards=True)),
        Actor("approves_both", click("approve", "marta", 0, 2)), Actor("denies_both_backwards", click("deny", "marta", 2, 0)),
        Actor("cancels_both", people.withdraw_run(0, 1)), Actor("cancels_both_backwards", people.withdraw_run(1, 0)), HOLDS, WORKS,
    )),
    "queued": (queued, (
        WORKS, WORKS_TOO, Actor("works_on_both", worker("w4", calls=2)), Actor("doubts", worker("w5", "doubt")), WITHDRAWS, WITHDRAWS_OTHER,
        CANCELS, HOLDS, HOLDS_AND_RESUMES,
    )),
    "approved": (approved, (
        WORKS, WORKS_TOO, Actor("begins", workers.begin, alone=True), RENEWS, RELEASES, SAVES, VOIDS, FAILS,
        Actor("asks_again", workers.ask_again, alone=True), Actor("answers_the_newest", people.answer_the_newest("deny", "marta")),
        WITHDRAWS, WITHDRAWS_OTHER, CANCELS, HOLDS,
    )),
    "begun": (begun, (
        WORKS, Actor("claims", workers.claims("w3")), Actor("succeeds", workers.told_late("succeed")), Actor("fails", workers.told_late("fail")),
        Actor("doubts", workers.told_late("doubt")), Actor("repeats", workers.repeat, alone=True), Actor("replaces", workers.replace, alone=True),
        RENEWS, WITHDRAWS, CANCELS, HOLDS_AND_RESUMES, Actor("resolves", people.resolve("retry")),
    )),
    "doubted": (doubted, (
        Actor("it_happened", people.resolve("happened")), Actor("try_again", people.resolve("retry")), Actor("stop", people.resolve("stop")),
        Actor("succeeds", workers.told_late("succeed")), Actor("fails", workers.told_late("fail")), WORKS, WITHDRAWS, CANCELS,
        HOLDS_AND_RESUMES,
    )),
}  # fmt: skip
