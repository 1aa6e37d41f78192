"""Moves of people: anybody answers anything, or asks the requester first, the requester answers or withdraws, and somebody says what nobody else can tell."""

from typing import Any, Final
from uuid import UUID

from hypothesis import strategies as st
from hypothesis.stateful import precondition

from bot.delivery.who import Turned
from engine.models import (
    AlreadySettled,
    AskOutcome,
    Blank,
    Broken,
    Decided,
    Due,
    InquiryMade,
    InquiryReplied,
    NoInquiry,
    NotYours,
    Outcome,
    Unconfirmed,
    Voted,
)
from engine.state import inquiries, ledger, pauses
from tests.stateful.compared import LOSSES, SURFACE, WHICH, Compared, Move, step
from tests.stateful.ground import Verb
from tests.stateful.held import Pause, Run
from tests.stateful.model import Model
from tests.stateful.seen import Rows

ACTORS: Final = ("marta", "ines", "otto", "priya", "jonas", "lena", "gero")
ANSWERS: Final = {"approved": "approve", "denied": "deny", "cancelled": "cancel"}


class People(Compared):
    """What people answer, in Slack and past it."""

    @precondition(lambda self: self.asked)
    @step(actor=st.sampled_from(ACTORS), which=WHICH, verb=st.sampled_from(("approve", "deny", "withdraw")),
          slack=st.booleans(), loss=st.sampled_from(LOSSES))  # fmt: skip
    def click(self, actor: str, which: int, verb: Verb, slack: bool, loss: Any) -> None:
        """Anybody answers anything, in Slack or past it."""
        if verb == "withdraw" and not slack and not self._is_active(actor):
            actor = "jonas"  # who has no Slack to be turned away by asks as somebody else
        self._answer(actor, which, verb, slack=slack, loss=None if slack else loss)

    @precondition(lambda self: self.asked)
    @step(which=WHICH, slack=st.booleans(), loss=st.sampled_from(LOSSES))
    def nod(self, which: int, slack: bool, loss: Any) -> None:
        """Somebody who may says yes."""
        self._nod(which, slack=slack, loss=None if slack else loss)

    @precondition(lambda self: self.asked)
    @step(which=WHICH, slack=st.booleans())
    def nod_too_late(self, which: int, slack: bool) -> None:
        """Somebody who may says yes when its time is over, before any sweep."""
        self._pass(5)
        self._nod(which, slack=slack)

    def _nod(self, which: int, *, slack: bool, loss: Any = None) -> None:
        r, p = self._pause(which)
        run = self.model.runs[r]
        able = [name for name in ("marta", "otto", "ines") if self._could(name, run, run.pauses[p])]
        self._answer(able[0] if able else "marta", which, "approve", slack=slack, loss=loss)

    @precondition(lambda self: self.asked)
    @step(which=WHICH, loss=st.sampled_from(LOSSES))
    def take_back(self, which: int, loss: Any) -> None:
        """The requester withdraws."""
        r, _ = self._pause(which)
        if self._is_active(self.model.runs[r].requester):
            self._answer(self.model.runs[r].requester, which, "withdraw", slack=False, loss=loss)

    def _is_active(self, actor: str) -> bool:
        return actor in self.model.people and self.model.people[actor].active

    def _could(self, actor: str, run: Run, pause: Pause) -> bool:
        return actor != run.requester and actor not in pause.voters and self.model.may(actor, pause.approver)

    def _answer(self, actor: str, which: int, verb: Verb, *, slack: bool, loss: Any = None) -> str:
        r, p = self._pause(which)
        pause_id = Rows(self.ground).pause(r, p)
        outcomes: list[Outcome] = []

        def really() -> str:
            outcome = self._really(actor, verb, pause_id, slack=slack)
            if isinstance(outcome, Turned):
                return f"turned: {outcome.why}"
            outcomes.append(outcome)
            return _told(outcome)

        def by_model(model: Model) -> str:
            run = model.runs[r]
            pause = run.pauses[p]
            if slack and (turned := _turned(model, actor)):
                return turned
            answer = _said(model, run, pause, actor, verb)
            if slack and answer != "vote" and pause.status == "waiting" and pause.due <= model.now:
                model.silence(run, pause)
                answer = _said(model, run, pause, actor, verb)
            return answer

        answer = self.make(Move(really, by_model), loss)
        if outcomes and answer != "lost":
            now, run = outcomes[0].now, self.model.runs[r]
            pause = run.pauses[p]
            expected = (pause.status, pause.approver, pause.level, pause.by, run.status)
            assert (now.status, now.approver, now.level, now.decided_by, now.run_status) == expected
        return answer

    def _really(self, actor: str, verb: Verb, pause_id: UUID, *, slack: bool) -> Outcome | Turned:
        if slack:
            return self.ground.click(actor, verb, pause_id, "")
        with self.ground.lines.connection() as conn:
            return getattr(pauses, verb)(conn, pause_id, actor, surface=SURFACE)  # type: ignore[no-any-return]

    @precondition(lambda self: self.asked)
    @step(
        actor=st.sampled_from(ACTORS),
        which=WHICH,
        words=st.sampled_from(("Why?", "Why now?")),
        loss=st.sampled_from(LOSSES),
    )
    def ask_back(self, actor: str, which: int, words: str, loss: Any) -> None:
        """Anybody asks the requester something."""
        r, p = self._pause(which)
        pause_id = Rows(self.ground).pause(r, p)

        def really() -> str:
            with self.ground.lines.connection() as conn:
                return _heard(inquiries.ask(conn, pause_id, actor, text=words, surface=SURFACE))

        self.make(
            Move(really, lambda model: model.ask_back(model.runs[r], model.runs[r].pauses[p], actor, words)), loss
        )

    @precondition(lambda self: self.asked)
    @step(
        actor=st.sampled_from(("requester", "requester", *ACTORS)),
        which=WHICH,
        n=st.integers(1, 3),
        loss=st.sampled_from(LOSSES),
    )
    def reply(self, actor: str, which: int, n: int, loss: Any) -> None:
        """The requester answers, or somebody else tries to."""
        r, p = self._pause(which)
        pause_id, who = Rows(self.ground).pause(r, p), self.model.runs[r].requester if actor == "requester" else actor

        def really() -> str:
            with self.ground.lines.connection() as conn:
                return _heard(inquiries.reply(conn, pause_id, who, n, text="So.", surface=SURFACE))

        self.make(Move(really, lambda model: model.reply(model.runs[r], model.runs[r].pauses[p], who, n, "So.")), loss)

    @precondition(lambda self: self.any_effect(lambda e: e.status == "in_doubt"))
    @step(
        which=WHICH,
        actor=st.sampled_from(ACTORS),
        answer=st.sampled_from(("truth", "truth", "happened", "stop")),
        loss=st.sampled_from(LOSSES),
    )
    def resolve(self, which: int, actor: str, answer: str, loss: Any) -> None:
        """Somebody says of what nobody can tell whether it happened; as far as it is worth a lie, the truth."""
        r, e = self._effect(which, wanted=lambda effect: effect.status == "in_doubt")
        self._resolve(r, e, actor, answer, loss)

    def _resolve(self, r: int, e: int, actor: str, answer: str, loss: Any = None) -> str:
        effect_id = Rows(self.ground).effect(r, e)
        if answer == "truth":
            answer = "happened" if self.model.runs[r].effects[e].paid else "retry"

        def really() -> str:
            with self.ground.lines.connection() as conn:
                return ledger.resolve(conn, effect_id, answer, actor=actor, surface=SURFACE, reference="seen")  # type: ignore[arg-type]

        def by_model(model: Model) -> str:
            return model.resolve(model.runs[r], model.runs[r].effects[e], answer, actor)

        return self.make(Move(really, by_model), loss)


def _said(model: Model, run: Run, pause: Pause, actor: str, verb: Verb) -> str:
    return model.withdraw(run, pause, actor) if verb == "withdraw" else model.decide(run, pause, actor, verb)


def _turned(model: Model, actor: str) -> str | None:
    """Who is not let in at all, by what we and Slack know of them; Slack is asked unless it said it within this hour."""
    person = model.people.get(actor)
    if person is None:
        return "turned: stranger"
    if not person.active:
        return "turned: deactivated"
    if person.seen is None or person.seen[1] != model.now:
        person.seen = (person.slack, model.now)
    return "turned: guest" if person.seen[0] == "guest" else None


def _heard(outcome: AskOutcome) -> str:
    match outcome:
        case InquiryMade():
            return "ask_back"
        case InquiryReplied():
            return "reply"
        case NoInquiry(_, why):
            return why
        case Blank():
            return "blank"
        case _:
            return _told(outcome)


def _told(outcome: Outcome) -> str:
    match outcome:
        case Decided(now):
            return ANSWERS[now.status]
        case Voted():
            return "vote"
        case AlreadySettled():
            return "settled"
        case Due():
            return "due"
        case Unconfirmed():
            return "unconfirmed"
        case NotYours(_, why) | Broken(_, why):
            return why
