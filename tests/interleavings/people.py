"""What people and sweeps do, as scripts: answer, ask back, withdraw, hold, resume, resolve a doubt; settle what is due."""

from collections.abc import Callable
from typing import Literal
from uuid import UUID

from engine.models import Answer, DuePause, NewCard
from engine.state import inquiries, ledger, pauses, runs, together
from tests.interleavings.moves import STAGE, Move, Scene, Script


def click(
    verdict: Literal["approve", "deny", "withdraw"], person: str, *pauses_in_order: int
) -> Callable[[Scene], Script]:
    """A person answers pauses one after the other."""

    def script(scene: Scene) -> Script:
        for n in pauses_in_order:
            yield _answer(verdict, person, scene.pauses[n])

    return script


def together_of(verdict: Literal["approve", "deny"], person: str) -> Callable[[Scene], Script]:
    """A person answers all pauses of the scene in one form."""

    def script(scene: Scene) -> Script:
        answers = [Answer(pause_id=one, shown="") for one in scene.pauses]
        yield Move(
            verdict,
            lambda conn: [*together.decide(conn, answers, person, verdict, surface=STAGE, reason="Words.").values()],
        )

    return script


def answer_the_newest(verdict: Literal["approve", "deny"], person: str) -> Callable[[Scene], Script]:
    """A person looks at what waits now, and answers the first of it: a request that replaced another, it may be."""

    def script(scene: Scene) -> Script:
        for line in (yield Move("look", pauses.waiting, reads=True))[:1]:
            yield _answer(verdict, person, line.id)

    return script


def _answer(verdict: Literal["approve", "deny", "withdraw"], person: str, pause_id: UUID) -> Move:
    verb = {"approve": pauses.approve, "deny": pauses.deny, "withdraw": pauses.withdraw}[verdict]
    return Move(verdict, lambda conn: verb(conn, pause_id, person, surface=STAGE, reason="Words."))


def ask_back(person: str, inquiry: str) -> Callable[[Scene], Script]:
    """Somebody who may decide the first pause asks the requester something."""

    def script(scene: Scene) -> Script:
        pause_id = scene.pauses[0]
        yield Move("ask_back", lambda conn: inquiries.ask(conn, pause_id, person, text=inquiry, surface=STAGE))

    return script


def reply(n: int, answer: str) -> Callable[[Scene], Script]:
    """The requester answers an inquiry about the first pause."""

    def script(scene: Scene) -> Script:
        pause_id = scene.pauses[0]
        yield Move("reply", lambda conn: inquiries.reply(conn, pause_id, "priya", n, text=answer, surface=STAGE))

    return script


def withdraw_run(*runs_in_order: int) -> Callable[[Scene], Script]:
    """The requester withdraws whole runs."""

    def script(scene: Scene) -> Script:
        for n in runs_in_order:
            yield _cancelled(scene.runs[n])

    return script


def hold(scene: Scene) -> Script:
    """An operator has the runs stop."""
    for run_id in scene.runs:
        yield _held(run_id)


def resume(scene: Scene) -> Script:
    """An operator lets the runs go on."""
    for run_id in scene.runs:
        yield _resumed(run_id)


def hold_and_resume(scene: Scene) -> Script:
    """An operator thinks better of it."""
    yield from hold(scene)
    yield from resume(scene)


def _cancelled(run_id: UUID) -> Move:
    return Move("cancel", lambda conn: runs.cancel(conn, run_id, actor="priya", person="priya", surface=STAGE))


def _held(run_id: UUID) -> Move:
    return Move("hold", lambda conn: runs.hold(conn, run_id, actor="otto", surface=STAGE))


def _resumed(run_id: UUID) -> Move:
    return Move("resume", lambda conn: runs.resume(conn, run_id, actor="otto", surface=STAGE))


def resolve(answer: Literal["happened", "retry", "stop"]) -> Callable[[Scene], Script]:
    """A person says what became of an effect in doubt."""

    def script(scene: Scene) -> Script:
        effect_id = scene.begun.effect_id
        yield Move(
            "resolve",
            lambda conn: ledger.resolve(conn, effect_id, answer, actor="ines", surface=STAGE, reference="pi_7"),
        )

    return script


def sweep(*, asks_next: bool, backwards: bool = False) -> Callable[[Scene], Script]:
    """A sweep looks at what is due and settles it. `asks_next`: what nobody was asked a second time goes to Otto; else all expires."""

    def script(scene: Scene) -> Script:
        due: list[DuePause] = yield Move("due", lambda conn: pauses.due(conn, limit=50), reads=True)
        steps = [_next_step(one, asks_next=asks_next) for one in (reversed(due) if backwards else due)]
        if steps:
            yield Move("sweep", lambda conn: pauses.settle_due(conn, steps, surface="sweep"), skips=True)

    return script


def _next_step(due: DuePause, *, asks_next: bool) -> pauses.NextStep:
    goes = asks_next and due.level == 0
    return pauses.NextStep(
        pause_id=due.id,
        level=due.level,
        next="person:otto" if goes else None,
        within_s=600,
        cards=(NewCard(kind="approver", dest="person:otto"),) if goes else (),
    )
