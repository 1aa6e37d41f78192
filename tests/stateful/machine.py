"""The machine: every move there is, in any order, and an end of each example at which everything comes to rest and is counted."""

from engine.workers.sweep import Sweeper
from tests.boundaries import hours
from tests.stateful import promises
from tests.stateful.held import ENDED
from tests.stateful.moves_people import ACTORS, People
from tests.stateful.moves_work import Work
from tests.stateful.moves_world import World
from tests.stateful.seen import by_model


class Machine(Work, People, World):
    """One example: a ground on which nothing has happened, and the model of it."""

    def teardown(self) -> None:
        """When nothing breaks any more everything comes to its end, and all promises hold; unless something is broken already."""
        if not self.settled:
            return
        self._mood("fine", None, lists=True)
        for ref in self.model.prices:
            self._price(ref, 100)  # who approves what cannot be had is asked again, for ever
        for _ in range(40):
            if not self._calmer():
                break
            self.as_the_model_says()
        else:
            raise AssertionError(f"it never comes to rest: {by_model(self.model)}")
        promises.kept(self.ground, self.model, self.ids, in_slack=self.in_slack)

    def _calmer(self) -> bool:
        """Do something that is left to do; whether there was anything."""
        hours.pass_time(self.ground.conn)
        for run in self.model.runs:
            run.leased = False
        if self.model.claimable():
            self._work()
            return True
        for place, run in enumerate(self.model.runs):
            if run.status not in ENDED and run.hold:
                self._operate(place, "resume")
                return True
            for e, effect in enumerate(run.effects):
                if effect.status == "in_doubt" and (
                    able := [a for a in ACTORS if a != run.requester and self.model.may(a, "role:finance-approver")]
                ):
                    return self._resolve(place, e, able[0], "truth") != ""
        waits = [pair for pair in self.model.every_pause() if pair[1].status == "waiting"]
        if not waits:
            return False
        run, pause = waits[0]
        able = [name for name in ("marta", "otto", "ines") if self._could(name, run, pause)]
        if able and pause.due > self.model.now and (pause.n + pause.step) % 3:
            self._answer(able[0], 0, "approve", slack=False)
        else:
            self._pass(5)
            for one in self.model.runs:
                self.model.silence(one)
            Sweeper(self.ground.lines.pool).run()
        return True
