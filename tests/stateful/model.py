"""The reference model: what a run, its requests and its effects must come to, by DESIGN 1, 4.2, 7 and 8. Pure; it knows no rows.

A move of a person, an operator or the clock is a method that says what must be answered. Time is in hours. What a worker does is in
working.py.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from tests.stateful.held import ENDED, LIVE, Effect, Item, Pause, Run, call_off, conclude
from tests.stateful.rules import MANAGERS, POLICIES, Need, Person, everybody, stricter_why

KNOWN_H = 24
"""How long the provider knows a key; a key nearly so old is not used any more."""


@dataclass
class Model:
    """Everything. `mood` is how the provider takes calls, `moods` for how many (None: all), `lists`: whether it can be asked afterwards."""

    now: int = 0
    policy: str = "plain"
    people: dict[str, Person] = field(default_factory=everybody)
    runs: list[Run] = field(default_factory=list)
    prices: dict[str, int | None] = field(default_factory=dict)
    mood: str = "fine"
    moods: int | None = None
    lists: bool = True

    # -------------------------------------------------------------------------------------------------------- who may, who is next

    def may(self, actor: str, approver: str) -> bool:
        """Whether somebody is the approver, or one of the role."""
        kind, _, name = approver.partition(":")
        person = self.people.get(actor)
        return bool(person and person.active and (actor == name if kind == "person" else name in person.roles))

    def holders(self, role: str, but: str = "") -> list[str]:
        """Who can be asked for a role."""
        return [name for name, p in self.people.items() if p.active and role in p.roles and name != but]

    def first(self, need: Need, requester: str) -> str | None:
        """Whom a new request asks; None: nobody is left."""
        kind, _, name = need.who.partition(":")
        if kind == "role":
            return need.who if len(self.holders(name, but=requester)) >= need.approvers else None
        if self.people[name].active and name != requester:
            return need.who
        found = self.next(need, 0, need.who, requester)
        return found[0] if found else None

    def next(
        self, need: Need, level: int, approver: str, requester: str, voters: Sequence[str] = ()
    ) -> tuple[str, int] | None:
        """Whom silence moves a request to, and the level that is; None: the answer decided in advance holds. `voters` said yes already."""
        for index, step in enumerate(need.steps[level:], start=level + 1):
            found = self._manager(approver, (requester, *voters)) if step == "manager" else step
            if found and found.startswith("role:") and not {*self.holders(found[5:], but=requester)}.difference(voters):
                found = None
            if found and found != approver:
                return found, index
        return None

    def _manager(self, approver: str, barred: Sequence[str]) -> str | None:
        above = MANAGERS.get(approver.removeprefix("person:"))
        while above and (not self.people[above].active or above in barred):
            above = MANAGERS.get(above)
        return f"person:{above}" if above else None

    # ----------------------------------------------------------------------------------------------------------------- people

    def launch(self, requester: str, plan: tuple[tuple[Item, ...], ...]) -> str:
        if not self.people[requester].active:
            return "refused"
        self.runs.append(Run(requester=requester, plan=plan))
        for item in (item for turn in plan for item in turn):
            self.prices.setdefault(item.ref, item.cents)
        return "queued"

    def decide(self, run: Run, pause: Pause, actor: str, verdict: str) -> str:
        """One person's yes or no."""
        if why := self._may_not(run, pause, actor):
            return why
        pause.voters.append(actor)
        if verdict == "deny":
            run.refused.add((self._item(run, pause).ref, pause.cents))
            self._settle(run, pause, "denied", actor)
            return "deny"
        pause.votes.append((actor, pause.approver))
        pause.votes_left -= 1
        if pause.votes_left:
            left = self.people.keys() - {run.requester, *pause.voters}
            if len(pause.need.steps) > pause.level and not any(self.may(one, pause.approver) for one in left):
                pause.due = self.now  # nobody is left here to give the next
            return "vote"
        pause.status, pause.by, pause.decided = "approved", actor, self.now
        self._wake(run)
        return "approve"

    def _may_not(self, run: Run, pause: Pause, actor: str) -> str | None:
        """Why an answer does not count, the first that holds."""
        why = {
            "settled": pause.status != "waiting",
            "own": actor == run.requester,
            "voted": actor in pause.voters,
            "not_yours": not self.may(actor, pause.approver),
            "due": pause.due <= self.now,
        }
        return next((name for name, holds in why.items() if holds), None)

    def ask_back(self, run: Run, pause: Pause, actor: str, words: str) -> str:
        """Whoever may decide asks the requester."""
        if why := self._may_not(run, pause, actor):
            return why
        if any(one[:2] == [actor, words] for one in pause.asked):
            return "asked"
        pause.asked.append([actor, words])
        return "ask_back"

    def reply(self, run: Run, pause: Pause, actor: str, n: int, words: str) -> str:
        """The requester answers the inquiry of this number."""
        why = {
            "settled": pause.status != "waiting",
            "not_to_reply": actor != run.requester,
            "no_inquiry": n > len(pause.asked),
            "replied": n <= len(pause.asked) and len(pause.asked[n - 1]) > 2,
            "due": pause.due <= self.now,
        }
        if refused := next((name for name, holds in why.items() if holds), None):
            return refused
        pause.asked[n - 1].append(words)
        return "reply"

    def withdraw(self, run: Run, pause: Pause, actor: str) -> str:
        """The requester takes it back."""
        if pause.status not in LIVE:
            return "settled"
        if actor != run.requester:
            return "not_requester"
        if run.open_effects:
            return "open"
        call_off(run, by=actor)
        self._wake(run)
        return "cancel"

    def silence(self, run: Run, *only: Pause) -> None:
        """What is due goes to the next approver, or gets its answer; what expires takes its turn with it."""
        due = [p for p in only or run.pauses if p.status == "waiting" and p.due <= self.now]
        found = [(p, self.next(p.need, p.level, p.approver, run.requester, p.voters)) for p in due]
        lost = [p for p, step in found if step is None]
        if lost:
            for pause in lost:
                pause.status = "expired"
            self._settle(run, lost[0], "expired", None)
            return
        for pause, step in found:
            assert step is not None
            (pause.approver, pause.level), pause.due = step, self.now + pause.need.answer_h

    @staticmethod
    def _item(run: Run, pause: Pause) -> Item:
        return run.plan[pause.step - 1][pause.n]

    def _settle(self, run: Run, pause: Pause, status: str, by: str | None) -> None:
        """A request that is not let through; what was asked in the same turn falls with it."""
        pause.status, pause.by = status, by
        call_off(run)
        self._wake(run)

    @staticmethod
    def _wake(run: Run) -> None:
        if run.status == "awaiting_approval" and not any(p.status == "waiting" for p in run.pauses):
            run.status = "paused" if run.hold else "queued"

    def resolve(self, run: Run, effect: Effect, answer: str, actor: str) -> str:
        """A person's word on what nobody can tell."""
        if effect.status != "in_doubt":
            return "settled"
        if actor == run.requester:
            return "own"
        if not self.may(actor, "role:finance-approver"):
            return "not_yours"
        if answer == "stop":
            conclude(run, effect, "abandoned")
            run.status = "error"
            call_off(run)
        elif answer == "happened":
            conclude(run, effect, "done", "confirmed")
        elif run.cancel_wanted:
            conclude(run, effect, "failed", "not done")
        else:
            effect.status, effect.absent = "attempted", True
            run.status = "paused" if run.hold else "queued"
        return answer

    # -------------------------------------------------------------------------------------------------------------- operators

    def hold(self, run: Run) -> str:
        if run.status in ENDED or run.hold:
            return f"conflict: {run.shown}"
        run.hold = True
        if run.status == "queued":
            run.status = "paused"
        return run.shown

    def resume(self, run: Run) -> str:
        if run.status in ENDED or not run.hold:
            return f"conflict: {run.shown}"
        run.hold = False
        if run.status == "paused":
            run.status = "queued"
        return run.shown

    def cancel(self, run: Run) -> str:
        if run.status in ENDED or run.cancel_wanted:
            return f"conflict: {run.status}"
        if run.open_effects:
            run.cancel_wanted = True
            return "cancelling"
        run.status = "cancelled"
        call_off(run, by="otto")
        return "cancelled"

    # ------------------------------------------------------------------------------------------------------ the world around it

    def apply(self, policy: str) -> str:
        """A policy is put in force, unless the people there are could not answer it."""
        for need in (need for _, need in POLICIES[policy] if need.kind == "ask"):
            for who, least in ((need.who, need.approvers), *((step, 1) for step in need.steps)):
                kind, _, name = who.partition(":")
                fit = {"person": kind != "person" or self.people[name].active, "manager": True}.get(kind)
                if not (fit if fit is not None else len(self.holders(name)) > least):
                    return "refused"
        if len(self.holders("finance-approver")) < 2:  # who is asked in doubt
            return "refused"
        self.policy = policy
        return "applied"

    def need(self, cents: int) -> Need:
        """What the policy in force says to an amount."""
        return next(need for up_to, need in POLICIES[self.policy] if up_to is None or cents <= up_to)

    def granted(self, run: Run) -> bool:
        """Whether the authority that the run was launched with still holds."""
        return self.people[run.requester].active and self.people[run.requester].pays

    def lapsed(self, pause: Pause) -> bool:
        """Whether one of those who said yes may no longer."""
        return any(not self.may(person, asked) for person, asked in pause.votes)

    def stale(self, pause: Pause, present: Need) -> bool:
        return stricter_why(pause.need, present, pause.voters)

    def claimable(self) -> list[Run]:
        """What a worker may take: those that were lost first."""
        lost = [run for run in self.runs if run.status == "running" and not run.leased]
        return lost or [run for run in self.runs if run.status == "queued"]

    def pass_hours(self, hours: int) -> None:
        self.now += hours
        for run in self.runs:
            run.leased = False
            for effect in run.effects:
                if self.now - effect.began >= KNOWN_H:
                    effect.known = None

    def every_pause(self) -> Iterator[tuple[Run, Pause]]:
        """All requests, those that wait first, the newest first."""
        found = [(run, pause) for run in self.runs[::-1] for pause in run.pauses[::-1]]
        yield from sorted(found, key=lambda pair: pair[1].status != "waiting")
