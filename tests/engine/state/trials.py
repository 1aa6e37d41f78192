"""Every verb that can cause an event, with the row it is to be tried on. The rows are made by the verbs; test_transitions puts them in a status.

A trial makes a stage in a fresh run; each event of a run, a pause and an effect has its trials.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any
from uuid import UUID

from engine.models import Claim, NewCard
from engine.state import again, inquiries, ledger, pauses, runs
from tests import rows


@dataclass(frozen=True)
class Stage:
    """A row to be put into a status, and a verb to be tried on it then."""

    entity_id: UUID
    run_id: UUID
    verb: Callable[[], Any]


Trial = Callable[[Any], Stage]


# ------------------------------------------------------------------------------------------------------------------ runs


def _worker(verb: Callable[[Any, Claim], Any], setting: str = "", *, calls: int = 1) -> Trial:
    """A verb of the worker that has the run; `setting` is put on the run's row before."""

    def stage(conn: Any) -> Stage:
        claim = rows.claimed(conn)
        rows.replied(conn, claim, calls)
        _set(conn, claim.id, setting)
        return Stage(claim.id, claim.id, lambda: verb(conn, claim))

    return stage


def _operator(verb: Callable[[Any, UUID], Any], *, effect: bool = False, setting: str = "") -> Trial:
    """A verb of an operator, on a run with or without an open effect."""

    def stage(conn: Any) -> Stage:
        claim = rows.begun(conn)[0] if effect else rows.claimed(conn)
        _set(conn, claim.id, setting)
        return Stage(claim.id, claim.id, lambda: verb(conn, claim.id))

    return stage


def _decider(verb: Callable[[Any, UUID], Any], *, due: bool = False) -> Trial:
    """A verb that settles the only pause of a run that waits."""

    def stage(conn: Any) -> Stage:
        [pause_id] = rows.waiting(conn)
        if due:
            rows.make_due(conn, pause_id)
        run_id = pauses.get(conn, pause_id).run_id
        return Stage(run_id, run_id, lambda: verb(conn, pause_id))

    return stage


def _settler(verdict: ledger.Verdict, *, doubted: bool = False, setting: str = "") -> Trial:
    """What came of a call is told."""

    def stage(conn: Any) -> Stage:
        claim, _, effect = rows.doubted(conn) if doubted else rows.begun(conn)
        _set(conn, claim.id, setting)
        result = None if verdict == "doubt" else rows.PAID
        return Stage(claim.id, claim.id, lambda: ledger.settle(conn, effect.attempt_id, verdict, result=result))

    return stage


def _resolver(answer: Any, setting: str = "") -> Trial:
    """A person says what happened to an effect in doubt."""

    def stage(conn: Any) -> Stage:
        claim, _, effect = rows.doubted(conn)
        _set(conn, claim.id, setting)
        return Stage(
            claim.id, claim.id, lambda: ledger.resolve(conn, effect.effect_id, answer, actor="marta", surface="tests")
        )

    return stage


def _launch_again(conn: Any) -> Stage:
    run_id = rows.launched(conn, launch_key="order-1")
    again = replace(rows.LAUNCH, launch_key="order-1")
    return Stage(run_id, run_id, lambda: runs.launch(conn, again, actor="priya", surface="tests")[1])


def _claim(conn: Any) -> Stage:
    claim = rows.claimed(conn)
    rows.lose_lease(conn, claim.id)
    return Stage(claim.id, claim.id, lambda: runs.claim(conn, "w2", ["procurement"], lease_s=60))


def _set(conn: Any, run_id: UUID, setting: str) -> None:
    if setting:
        conn.execute(f"UPDATE run SET {setting} WHERE id = %s", (run_id,))


def _save_reply(conn: Any, claim: Claim) -> None:
    runs.save_reply(conn, claim, [rows.REPLY], [], tokens=0, cost_micros=0)


def _save_results(conn: Any, claim: Claim) -> None:
    runs.save_results(conn, claim, {0: rows.PAID})


def _ask(conn: Any, claim: Claim) -> None:
    runs.ask(conn, claim, [rows.asked(conn, claim)])


def _release(conn: Any, claim: Claim) -> bool:
    return runs.release(conn, claim, "w1")


def _finish(conn: Any, claim: Claim) -> None:
    runs.finish(conn, claim, "Paid.", runs.LastWords())


def _fail(conn: Any, claim: Claim) -> None:
    runs.fail(conn, claim, "It cannot go on.")


def _void(conn: Any, claim: Claim) -> None:
    runs.void(conn, claim, [], "The grant is gone.")


def _hold(conn: Any, run_id: UUID) -> str:
    return runs.hold(conn, run_id, actor="otto", surface="tests")


def _resume(conn: Any, run_id: UUID) -> str:
    return runs.resume(conn, run_id, actor="otto", surface="tests")


def _cancel(conn: Any, run_id: UUID) -> str:
    return runs.cancel(conn, run_id, actor="priya", person="priya", surface="tests")


def _approve(conn: Any, pause_id: UUID) -> Any:
    return pauses.approve(conn, pause_id, "marta", surface="tests")


def _deny(conn: Any, pause_id: UUID) -> Any:
    return pauses.deny(conn, pause_id, "marta", surface="tests")


def _ask_back(conn: Any, pause_id: UUID) -> Any:
    return inquiries.ask(conn, pause_id, "marta", text="Which cost centre?", surface="tests")


def _reply(conn: Any, pause_id: UUID) -> Any:
    return inquiries.reply(conn, pause_id, "priya", 1, text="4711.", surface="tests")


def _answer(conn: Any, pause_id: UUID) -> Any:
    return pauses.answer(conn, pause_id, "marta", "Nordholz.", surface="tests")


def _withdraw(conn: Any, pause_id: UUID) -> Any:
    return pauses.withdraw(conn, pause_id, "priya", surface="tests")


def _expire(conn: Any, pause_id: UUID) -> Any:
    return pauses.settle_due(conn, [pauses.NextStep(pause_id=pause_id, level=0, next=None)], surface="tests")


def _escalate(conn: Any, pause_id: UUID) -> Any:
    step = pauses.NextStep(
        pause_id=pause_id,
        level=0,
        next="person:otto",
        within_s=60,
        cards=(NewCard(kind="approver", dest="person:otto"),),
    )
    return pauses.settle_due(conn, [step], surface="tests")


RUN_TRIALS: Mapping[str, tuple[Trial, ...]] = {
    "launch": (_launch_again,),
    "claim": (_claim,),
    "release": (_worker(_release),),
    "ask": (_worker(_ask),),
    "wake": (_decider(_approve), _decider(_deny), _decider(_withdraw), _decider(_expire, due=True)),
    "hold": (
        _operator(_hold), _worker(_save_reply, "hold = true"), _worker(_save_results, "hold = true"), _worker(_release, "hold = true"),
        _settler("succeed", setting="hold = true"), _settler("fail", setting="hold = true"),
    ),
    "note_hold": (_operator(_hold), _operator(_hold, effect=True)),
    "resume": (_operator(_resume, setting="hold = true"),),
    "doubt": (_settler("doubt"),),
    "resolve": (_resolver("happened"), _resolver("retry"), _settler("succeed", doubted=True), _settler("fail", doubted=True)),
    "stop": (_resolver("stop"),),
    "finish": (_worker(_finish, calls=0),),
    "fail": (_worker(_fail), _worker(_void)),
    "cancel": (
        _operator(_cancel), _settler("succeed", setting="cancel_wanted = true"), _settler("fail", setting="cancel_wanted = true"),
        _settler("succeed", doubted=True, setting="cancel_wanted = true"), _resolver("happened", "cancel_wanted = true"), _resolver("retry", "cancel_wanted = true"),
    ),
    "note_cancel": (_operator(_cancel, effect=True),),
}  # fmt: skip


# ---------------------------------------------------------------------------------------------------------------- pauses


_QUORUM: Mapping[str, Any] = {"approver": "role:finance-approver", "need": rows.QUORUM}


def _on_pause(
    verb: Callable[[Any, UUID], Any], *, due: bool = False, changes: Mapping[str, Any] = MappingProxyType({})
) -> Trial:
    """A verb on a pause of a run that waits."""

    def stage(conn: Any) -> Stage:
        [pause_id] = rows.waiting(conn, **changes)
        if due:
            rows.make_due(conn, pause_id)
        return Stage(pause_id, pauses.get(conn, pause_id).run_id, lambda: verb(conn, pause_id))

    return stage


def _with_an_inquiry(verb: Callable[[Any, UUID], Any]) -> Trial:
    """A verb on a pause whose approver has asked the requester something."""

    def stage(conn: Any) -> Stage:
        [pause_id] = rows.waiting(conn)
        _ask_back(conn, pause_id)
        return Stage(pause_id, pauses.get(conn, pause_id).run_id, lambda: verb(conn, pause_id))

    return stage


def _on_sibling(verb: Callable[[Any, UUID], Any], *, due: bool = False) -> Trial:
    """A verb on the other pause of the same turn."""

    def stage(conn: Any) -> Stage:
        mine, other = rows.waiting(conn, 2)
        if due:
            rows.make_due(conn, other)
        return Stage(mine, pauses.get(conn, mine).run_id, lambda: verb(conn, other))

    return stage


def _on_approved(verb: Callable[[Any, Claim, UUID], Any]) -> Trial:
    """A verb of the worker that has the run again, after the approval."""

    def stage(conn: Any) -> Stage:
        claim, [pause_id] = rows.approved(conn)
        return Stage(pause_id, claim.id, lambda: verb(conn, claim, pause_id))

    return stage


def _on_effect(entity: str, verb: Callable[[Any, Claim, ledger.Begun], Any], *, doubted: bool = False) -> Trial:
    """A verb on the effect of an approved pause."""

    def stage(conn: Any) -> Stage:
        claim, [pause_id], effect = rows.doubted(conn) if doubted else rows.begun(conn)
        entity_id = pause_id if entity == "pause" else effect.effect_id
        return Stage(entity_id, claim.id, lambda: verb(conn, claim, effect))

    return stage


def _lapsed(conn: Any) -> Stage:
    """Its requester, on what they withdrew; the run ended with it."""
    [pause_id] = rows.lapsed(conn)
    run_id = pauses.get(conn, pause_id).run_id
    return Stage(pause_id, run_id, lambda: again.ask(conn, pause_id, "priya", surface="tests"))


def _cancel_run_of(conn: Any, pause_id: UUID) -> str:
    return _cancel(conn, pauses.get(conn, pause_id).run_id)


def _supersede(conn: Any, claim: Claim, pause_id: UUID) -> None:
    runs.ask(conn, claim, [rows.asked(conn, claim)], superseded=[pause_id], reason="The price moved.")


def _void_it(conn: Any, claim: Claim, pause_id: UUID) -> None:
    runs.void(conn, claim, [pause_id], "The grant is gone.")


def _fail_run_of(conn: Any, claim: Claim, _: UUID) -> None:
    _fail(conn, claim)


def _settle(verdict: ledger.Verdict) -> Callable[[Any, Claim, ledger.Begun], Any]:
    result = None if verdict == "doubt" else rows.PAID
    return lambda conn, _, effect: ledger.settle(conn, effect.attempt_id, verdict, result=result)


def _resolve(answer: Any) -> Callable[[Any, Claim, ledger.Begun], Any]:
    return lambda conn, _, effect: ledger.resolve(conn, effect.effect_id, answer, actor="marta", surface="tests")


PAUSE_TRIALS: Mapping[str, tuple[Trial, ...]] = {
    "vote": (_on_pause(_approve, changes=_QUORUM),),
    "ask_back": (_on_pause(_ask_back), _on_pause(_ask_back, changes=_QUORUM)),
    "reply": (_with_an_inquiry(_reply),),
    "approve": (_on_pause(_approve),),
    "deny": (_on_pause(_deny), _on_pause(_deny, changes=_QUORUM)),
    "answer": (_on_pause(_answer, changes=rows.question()), _on_pause(_answer, changes=rows.question("Nordholz", "Brandt"))),
    "escalate": (_on_pause(_escalate, due=True),),
    "expire": (_on_pause(_expire, due=True),),
    "cancel": (
        _on_pause(_withdraw), _on_pause(_cancel_run_of), _on_sibling(_deny), _on_sibling(_withdraw), _on_sibling(_expire, due=True),
        _on_approved(_fail_run_of),
    ),
    "supersede": (_on_approved(_supersede),),
    "void": (_on_approved(_void_it),),
    "ask_again": (_lapsed,),
    "execute": (_on_effect("pause", _settle("succeed")), _on_effect("pause", _resolve("happened"), doubted=True)),
    "fail": (_on_effect("pause", _settle("fail")), _on_effect("pause", _resolve("stop"), doubted=True)),
}  # fmt: skip


# --------------------------------------------------------------------------------------------------------------- effects


def _begin_again(conn: Any, claim: Claim, _: ledger.Begun) -> Any:
    [pause_id] = runs.get(conn, claim.id).pauses
    return ledger.begin(conn, claim, rows.intent(claim.id, pause_id), lease_s=60)


def _repeat(conn: Any, claim: Claim, effect: ledger.Begun) -> str:
    return ledger.repeat(conn, claim, effect.attempt_id, within_s=60, call_s=20, lease_s=60)


def _replace(conn: Any, claim: Claim, effect: ledger.Begun) -> Any:
    rows.end_call(conn, effect.attempt_id)
    return ledger.replace(conn, claim, effect.effect_id, call_s=20, lease_s=60)


EFFECT_TRIALS: Mapping[str, tuple[Trial, ...]] = {
    "attempt": (_on_effect("effect", _begin_again),),
    "repeat": (_on_effect("effect", _repeat),),
    "reattempt": (_on_effect("effect", _replace),),
    "succeed": (_on_effect("effect", _settle("succeed")),),
    "fail": (_on_effect("effect", _settle("fail")),),
    "doubt": (_on_effect("effect", _settle("doubt")),),
    "resolve": (_on_effect("effect", _resolve("happened")),),
    "retry": (_on_effect("effect", _resolve("retry")),),
    "abandon": (_on_effect("effect", _resolve("stop")),),
}
