"""Where moves meet: runs in five situations, and the moves that can be made on them there. What comes of it is in test_races."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from engine.models import Claim
from engine.state import ledger, pauses, runs
from tests import rows


@dataclass(frozen=True, kw_only=True)
class Scene:
    """A run where several moves may meet."""

    run_id: UUID
    pauses: tuple[UUID, ...]
    claim: Claim
    effect: ledger.Begun | None = None


Move = Callable[[Any, Scene], Any]
SKIPS = {"expire", "escalate", "claim"}  # these take what nobody holds


def waiting(conn: Any) -> Scene:
    """Two pauses wait, the second of which is due."""
    first, second = rows.waiting(conn, 2)
    rows.make_due(conn, second)
    run_id = pauses.get(conn, first).run_id
    return Scene(run_id=run_id, pauses=(first, second), claim=Claim(id=run_id, epoch=1, agent="procurement"))


def siblings(conn: Any) -> Scene:
    """Two pauses wait, and there is time for both."""
    first, second = rows.waiting(conn, 2)
    run_id = pauses.get(conn, first).run_id
    return Scene(run_id=run_id, pauses=(first, second), claim=Claim(id=run_id, epoch=1, agent="procurement"))


def quorum(conn: Any) -> Scene:
    """A pause needs two of the role."""
    [only] = rows.waiting(conn, approver="role:finance-approver", need=rows.QUORUM)
    run_id = pauses.get(conn, only).run_id
    return Scene(run_id=run_id, pauses=(only,), claim=Claim(id=run_id, epoch=1, agent="procurement"))


def approved(conn: Any) -> Scene:
    """A worker that may be lost has the run again; both pauses are approved."""
    claim, pause_ids = rows.approved(conn, 2)
    rows.lose_lease(conn, claim.id)
    return Scene(run_id=claim.id, pauses=tuple(pause_ids), claim=claim)


def begun(conn: Any) -> Scene:
    """A call is under way, past its deadline, by a worker that may be lost."""
    claim, pause_ids, effect = rows.begun(conn, 2)
    rows.lose_lease(conn, claim.id)
    rows.end_call(conn, effect.attempt_id)
    return Scene(run_id=claim.id, pauses=tuple(pause_ids), claim=claim, effect=effect)


def approve(conn: Any, scene: Scene) -> Any:
    return pauses.approve(conn, scene.pauses[0], "marta", surface="tests")


def approve_other(conn: Any, scene: Scene) -> Any:
    return pauses.approve(conn, scene.pauses[1], "marta", surface="tests")


def deny_other(conn: Any, scene: Scene) -> Any:
    return pauses.deny(conn, scene.pauses[1], "marta", surface="tests")


def approve_too(conn: Any, scene: Scene) -> Any:
    return pauses.approve(conn, scene.pauses[0], "ines", surface="tests")


def deny_too(conn: Any, scene: Scene) -> Any:
    return pauses.deny(conn, scene.pauses[0], "ines", surface="tests")


def deny(conn: Any, scene: Scene) -> Any:
    return pauses.deny(conn, scene.pauses[0], "marta", surface="tests", reason="Too dear.")


def withdraw(conn: Any, scene: Scene) -> Any:
    return pauses.withdraw(conn, scene.pauses[0], "priya", surface="tests")


def withdraw_other(conn: Any, scene: Scene) -> Any:
    return pauses.withdraw(conn, scene.pauses[1], "priya", surface="tests")


def expire(conn: Any, scene: Scene) -> Any:
    return pauses.settle_due(conn, [pauses.NextStep(pause_id=scene.pauses[1], level=0, next=None)], surface="tests")


def escalate(conn: Any, scene: Scene) -> Any:
    step = pauses.NextStep(pause_id=scene.pauses[1], level=0, next="person:otto", within_s=60, dests=("person:otto",))
    return pauses.settle_due(conn, [step], surface="tests")


def cancel(conn: Any, scene: Scene) -> Any:
    return runs.cancel(conn, scene.run_id, actor="priya", person="priya", surface="tests")


def hold(conn: Any, scene: Scene) -> Any:
    return runs.hold(conn, scene.run_id, actor="otto", surface="tests")


def resume(conn: Any, scene: Scene) -> Any:
    return runs.resume(conn, scene.run_id, actor="otto", surface="tests")


def claim(conn: Any, scene: Scene) -> Any:
    return runs.claim(conn, "w2", ["procurement"], lease_s=60)


def begin(conn: Any, scene: Scene) -> Any:
    return ledger.begin(conn, scene.claim, rows.intent(scene.run_id, scene.pauses[0]), lease_s=60)


def release(conn: Any, scene: Scene) -> Any:
    return runs.release(conn, scene.claim, "w1")


def save(conn: Any, scene: Scene) -> Any:
    return runs.save_results(conn, scene.claim, {1: rows.PAID})


def ask(conn: Any, scene: Scene) -> Any:
    return runs.ask(
        conn, scene.claim, [rows.asked(conn, scene.claim)], superseded=[scene.pauses[0]], reason="The price moved."
    )


def void(conn: Any, scene: Scene) -> Any:
    return runs.void(conn, scene.claim, [scene.pauses[0]], "The grant is gone.")


def fail(conn: Any, scene: Scene) -> Any:
    return runs.fail(conn, scene.claim, "It cannot go on.")


def settle(verdict: ledger.Verdict) -> Move:
    def move(conn: Any, scene: Scene) -> Any:
        assert scene.effect is not None
        result = None if verdict == "doubt" else rows.PAID
        return ledger.settle(conn, scene.effect.attempt_id, verdict, receipt={"id": verdict}, result=result)

    return move


def repeat(conn: Any, scene: Scene) -> Any:
    assert scene.effect is not None
    return ledger.repeat(conn, scene.claim, scene.effect.attempt_id, call_s=20, lease_s=60)


def replace(conn: Any, scene: Scene) -> Any:
    assert scene.effect is not None
    return ledger.replace(conn, scene.claim, scene.effect.effect_id, call_s=20, lease_s=60)


def resolve(answer: Any) -> Move:
    def move(conn: Any, scene: Scene) -> Any:
        assert scene.effect is not None
        return ledger.resolve(conn, scene.effect.effect_id, answer, actor="ines", surface="tests", reference="pi_7")

    return move


SCENES: Mapping[str, tuple[Callable[[Any], Scene], Mapping[str, Move]]] = {
    "waiting": (waiting, {
        "approve": approve, "approve_due": approve_other, "deny": deny, "withdraw": withdraw, "expire": expire,
        "escalate": escalate, "cancel": cancel, "hold": hold, "resume": resume,
    }),
    "siblings": (siblings, {
        "approve": approve, "approve_other": approve_other, "deny": deny, "deny_other": deny_other, "withdraw": withdraw,
    }),
    "quorum": (quorum, {"marta": approve, "ines": approve_too, "ines_denies": deny_too, "withdraw": withdraw}),
    "approved": (approved, {
        "claim": claim, "begin": begin, "withdraw": withdraw, "withdraw_other": withdraw_other, "cancel": cancel, "hold": hold, "release": release,
        "save": save, "ask": ask, "void": void, "fail": fail,
    }),
    "begun": (begun, {
        "claim": claim, "succeed": settle("succeed"), "doubt": settle("doubt"), "cancel": cancel, "hold": hold,
        "withdraw": withdraw, "repeat": repeat, "replace": replace, "retry": resolve("retry"), "happened": resolve("happened"),
    }),
}  # fmt: skip
