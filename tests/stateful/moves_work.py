"""Moves of runs and workers: launched, worked on, lost on the way, and taken up by a worker that believes it still has them."""

import copy
from collections.abc import Iterator
from typing import Any, Final
from uuid import UUID

import psycopg
from hypothesis import strategies as st
from hypothesis.stateful import precondition

from engine.errors import BadInput, LeaseLost
from engine.models import Claim
from engine.state import ledger, runs
from engine.workers import loop
from tests import rows
from tests.stateful import working
from tests.stateful.compared import LOSSES, MOODS, SURFACE, WHICH, Compared, Move, step
from tests.stateful.held import Item, Run
from tests.stateful.lines import Died, How
from tests.stateful.model import Model
from tests.stateful.outside import order
from tests.stateful.rules import AMOUNTS
from tests.stateful.seen import Rows

MOST_RUNS: Final = 4
GHOST_DOES: Final = ("results", "begin", "reply", "finish", "fail", "renew", "release", "advance")
TURN: Final = st.lists(
    st.tuples(st.sampled_from(AMOUNTS[::-1]), st.sampled_from((True,) * 5 + (False,))), min_size=1, max_size=3
)


class Work(Compared):
    """What workers do, and what becomes of them."""

    @precondition(lambda self: len(self.model.runs) < MOST_RUNS)
    @step(
        requester=st.sampled_from(("priya", "priya", "ines", "otto")), turns=st.lists(TURN, min_size=1, max_size=3),
        again=st.sampled_from((False, False, True)), loss=st.sampled_from(LOSSES), works=st.sampled_from((True, True, False)),
    )  # fmt: skip
    def launch(self, requester: str, turns: Any, again: bool, loss: Any, works: bool) -> None:
        """Somebody orders something; whoever hears nothing orders it again, and it is the same order."""
        self.orders += 1
        name = f"R{self.orders}"
        plan = tuple(
            tuple(Item(f"PO-{name}-{t}-{n}", *item) for n, item in enumerate(turn)) for t, turn in enumerate(turns)
        )
        plan = (*plan[:1], *plan[:1]) if again else plan

        def really() -> str:
            what = self.ground.means.agents["buyer"].launch(
                input=order(name, plan), on_behalf_of=requester, launch_key=name
            )
            try:
                run_id, _ = self.ground.means.do(runs.launch, what, actor=requester, surface=SURFACE)
            except BadInput:
                return "refused"
            self.ids = [*(one for one in self.ids if one != run_id), run_id]
            return "queued"

        for item in (item for turn in plan for item in turn):
            self.ground.outside.prices.setdefault(item.ref, item.cents)
        move = Move(really, lambda model: model.launch(requester, plan))
        answer = self.make(move, loss)
        if answer == "lost":
            known = len(self.model.runs)
            again_there = really()
            if len(Rows(self.ground).runs) > known:
                assert move.by_model(self.model) == again_there
        if works:
            self._work()

    @step(mood=st.sampled_from((None, None, *MOODS)))
    def work(self, mood: str | None) -> None:
        """A worker takes a run as far as it goes; the next call of the provider may go wrong."""
        if mood:
            self._mood(mood, 1, lists=self.model.lists)
        self._work()

    @precondition(lambda self: bool(self.model.claimable()))
    @step(does=st.sampled_from(GHOST_DOES))
    def a_worker_is_overtaken(self, does: str) -> None:
        """Its lease is over while it stands still, another takes the run, and then it wakes: nothing of it counts."""
        means = self.ground.means
        first = means.do(runs.claim, "slow", list(means.agents), lease_s=means.lease_s)
        assert first is not None
        place = self.ids.index(first.id)
        run = self.model.runs[place]
        next(working.work(self.model, run))
        rows.lose_lease(self.ground.conn, first.id)
        second = means.do(runs.claim, means.name, list(means.agents), lease_s=means.lease_s)
        assert second is not None
        assert second.id == first.id, "what was lost comes first"
        next(working.work(self.model, run))
        self._nothing_counts(first, run, does)
        loop.advance(means, second)
        for _ in working.go_on(self.model, run):
            pass

    def _work(self) -> None:
        run = self._claimed()
        for _ in working.work(self.model, run) if run else ():
            pass

    def _claimed(self) -> Run | None:
        """Claim a run and advance it, really; which it was."""
        means = self.ground.means
        claim, able = (
            means.do(runs.claim, means.name, list(means.agents), lease_s=means.lease_s),
            self.model.claimable(),
        )
        if claim is None:
            assert not able
            return None
        place = self.ids.index(claim.id)
        self.claims.append((place, claim))
        assert any(run is self.model.runs[place] for run in able), "nobody should have this run now"
        loop.advance(means, claim)
        return self.model.runs[place]

    @precondition(lambda self: bool(self.model.claimable()))
    @step(at=st.integers(1, 40), how=st.sampled_from(("dies after", "dies before", "cut after", "cut before")))
    def work_and_be_lost(self, at: int, how: How) -> None:
        """A worker is lost on the way: at a statement or a call of the world outside."""
        self.ground.fate.plan(at, how)
        try:
            run = self._claimed()
        except (Died, psycopg.OperationalError):
            assert self.ground.fate.met
            self._whichever(self._ways())
        else:
            for _ in working.work(self.model, run) if run else ():
                pass
        finally:
            self.ground.fate.plan()

    def _ways(self) -> Iterator[Model]:
        """Everything that a worker which was lost may have come to."""
        yield self.model
        able = [place for place, run in enumerate(self.model.runs) if any(run is one for one in self.model.claimable())]
        for place in able:
            model = copy.deepcopy(self.model)
            for _ in working.work(model, model.runs[place]):
                yield model

    @precondition(lambda self: bool(self.claims))
    @step(which=WHICH, does=st.sampled_from(GHOST_DOES))
    def a_lost_worker_comes_back(self, which: int, does: str) -> None:
        """It still believes that it has the run. If another took it over, or it is not to be worked on now, nothing of it counts."""
        place, claim = self.claims[::-1][which % len(self.claims)]
        run = self.model.runs[place]
        means = self.ground.means
        if run.status == "running" and run.epoch == claim.epoch:
            loop.advance(means, claim)
            for _ in working.go_on(self.model, run):
                pass
        else:
            self._nothing_counts(claim, run, does)

    def _nothing_counts(self, claim: Claim, run: Run, does: str) -> None:
        means = self.ground.means
        if does == "advance":
            loop.advance(means, claim)
        elif does == "release":
            assert not means.do(runs.release, claim, "ghost")
        else:
            try:
                self._as_if_it_were_ours(claim, does)
            except LeaseLost:
                return
            raise AssertionError(f"a worker of epoch {claim.epoch} could {does} in epoch {run.epoch}, {run.status}")

    def _as_if_it_were_ours(self, claim: Claim, does: str) -> None:
        means = self.ground.means
        match does:
            case "begin":
                found = next(
                    (run["pauses"] for run in Rows(self.ground).runs if run["id"] == claim.id and run["pauses"]), None
                )
                intent = rows.intent(claim.id, UUID(found[-1]["id"]) if found else None)
                means.do(ledger.begin, claim, intent, lease_s=60)
            case "results":
                means.do(runs.save_results, claim, {0: rows.PAID})
            case "reply":
                means.do(runs.save_reply, claim, [rows.REPLY], [], tokens=15, cost_micros=0)
            case "finish":
                means.do(runs.finish, claim, "Paid.", runs.LastWords())
            case "fail":
                means.do(runs.fail, claim, "It fell.")
            case "renew":
                means.do(runs.renew, claim, lease_s=60)
