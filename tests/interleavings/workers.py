"""What workers do, as scripts: claim a run and go on with it, or one verb of a worker that may have lost it."""

from collections.abc import Callable, Generator
from typing import Any
from uuid import UUID

from engine.models import Claim
from engine.state import db, ledger, runs
from tests import rows
from tests.interleavings.moves import Move, Scene, Script


def worker(name: str, verdict: ledger.Verdict = "succeed", calls: int = 1) -> Callable[[Scene], Script]:
    """A worker claims a run, looks where it stands, and does `calls` of what was approved, or goes on with what was begun."""

    def script(scene: Scene) -> Script:
        claim: Claim | None = yield Move(
            "claim", lambda conn: runs.claim(conn, name, ["procurement"], lease_s=60), skips=True
        )
        if claim is None:
            return
        stands = yield Move("load", lambda conn: [_stands(conn, claim, n) for n in range(calls)], reads=True)
        for n, (pause_id, opened) in enumerate(stands):
            if pause_id is None:
                return
            attempt_id = yield from (_begins(claim, pause_id, n) if opened is None else _goes_on(claim, opened))
            if attempt_id is None or (yield _settled(attempt_id, verdict)).run_status != "running":
                return

    return script


def _stands(conn: db.Conn, claim: Claim, n: int) -> tuple[UUID | None, Any]:
    run = runs.load(conn, claim.id)
    return run.calls[n].pause_id, ledger.opened(conn, claim.id, run.iterations, n)


def _begins(claim: Claim, pause_id: UUID, n: int) -> Generator[Move, Any, UUID | None]:
    told = yield _begun(claim, pause_id, n)
    return told.attempt_id if isinstance(told, ledger.Begun) else None


def _goes_on(claim: Claim, opened: Any) -> Generator[Move, Any, UUID | None]:
    if opened.status != "attempted":
        return None
    if opened.attempt_status == "open":
        told = yield _repeated(claim, opened.attempt_id)
        return opened.attempt_id if told == "repeat" else None
    told = yield _replaced(claim, opened.effect_id)
    return told if isinstance(told, UUID) else None


def _begun(claim: Claim, pause_id: UUID, n: int = 0) -> Move:
    return Move(
        "begin", lambda conn: ledger.begin(conn, claim, rows.intent(claim.id, pause_id, n), lease_s=60), claim=claim
    )


def _repeated(claim: Claim, attempt_id: UUID) -> Move:
    return Move(
        "repeat", lambda conn: ledger.repeat(conn, claim, attempt_id, within_s=60, call_s=20, lease_s=60), claim=claim
    )


def _replaced(claim: Claim, effect_id: UUID) -> Move:
    return Move("replace", lambda conn: ledger.replace(conn, claim, effect_id, call_s=20, lease_s=60), claim=claim)


def _settled(attempt_id: UUID, verdict: ledger.Verdict) -> Move:
    result = None if verdict == "doubt" else rows.PAID
    return Move("settle", lambda conn: ledger.settle(conn, attempt_id, verdict, receipt={"id": verdict}, result=result))


def claims(name: str) -> Callable[[Scene], Script]:
    """A worker takes a run, and is not heard of again."""

    def script(scene: Scene) -> Script:
        yield Move("claim", lambda conn: runs.claim(conn, name, ["procurement"], lease_s=60), skips=True)

    return script


def told_late(verdict: ledger.Verdict) -> Callable[[Scene], Script]:
    """A worker that may have lost the run says what came of its call."""

    def script(scene: Scene) -> Script:
        yield _settled(scene.begun.attempt_id, verdict)

    return script


def begin(scene: Scene) -> Script:
    """The worker that is there begins the first call, and records its receipt."""
    told = yield _begun(scene.claim, scene.pauses[0])
    if isinstance(told, ledger.Begun):
        yield _settled(told.attempt_id, "succeed")


def repeat(scene: Scene) -> Script:
    """It calls once more with the same key, and then records the receipt."""
    attempt_id = scene.begun.attempt_id
    if (yield _repeated(scene.claim, attempt_id)) == "repeat":
        yield _settled(attempt_id, "succeed")


def replace(scene: Scene) -> Script:
    """It calls with a fresh key, and then records the receipt."""
    told = yield _replaced(scene.claim, scene.begun.effect_id)
    if isinstance(told, UUID):
        yield _settled(told, "succeed")


def ask(scene: Scene) -> Script:
    """It asks for the first time."""
    claim = scene.claim
    yield Move("ask", lambda conn: runs.ask(conn, claim, [rows.asked(conn, claim)]), claim=claim)


def ask_again(scene: Scene) -> Script:
    """It asks the first call anew, at another price."""
    claim = scene.claim
    yield Move(
        "ask",
        lambda conn: runs.ask(
            conn, claim, [rows.asked(conn, claim)], superseded=[scene.pauses[0]], reason="The price moved."
        ),
        claim=claim,
    )


def of_the_worker(name: str, verb: Callable[[db.Conn, Scene], Any]) -> Callable[[Scene], Script]:
    """One verb of the worker that is there."""

    def script(scene: Scene) -> Script:
        yield Move(name, lambda conn: verb(conn, scene), claim=scene.claim)

    return script
