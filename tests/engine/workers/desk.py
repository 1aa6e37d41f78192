"""A worker with everything around it, as a test drives it: the agent, the people who decide, the rows, the provider, and the hours."""

import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from engine.models import Decided, Pause, RunRecord
from engine.rules import chain
from engine.state import events, halts, ledger, pauses, people, policies, runs
from engine.tools import Agent
from engine.workers.means import Means
from tests import database, rows, world


class Hours(threading.Event):
    """A worker's wish to stop, on which waiting takes no time: the calls under way grow older by that much, and the wait is noted."""

    def __init__(self, conn: Any) -> None:
        super().__init__()
        self._conn = conn
        self.waited: list[float] = []
        self.meanwhile: list[Any] = []

    def wait(self, timeout: float | None = None) -> bool:
        assert timeout is not None
        if not self.is_set():
            self.waited.append(timeout)
            self._conn.execute(
                "UPDATE effect_attempt SET call_deadline = call_deadline - %s * interval '1 second' WHERE status = 'open'",
                (timeout,),
            )
            if timeout and self.meanwhile:
                self.meanwhile.pop(0)()
        return self.is_set()


@dataclass(kw_only=True)
class Desk:
    """One worker and its world. `asked` are the requests that the model was sent."""

    means: Means
    outside: world.World
    conn: Any
    hours: Hours
    agent: Agent
    asked: list[Mapping[str, Any]] = field(default_factory=list)

    def launch(self, text: str = "Buy this order.", **changes: Any) -> UUID:
        what = self.agent.launch(input=text, on_behalf_of=changes.get("on_behalf_of", "priya"))
        return runs.launch(self.conn, what, actor="priya", surface="tests")[0]

    def work(self) -> int:
        return world.work(self.means)

    def start(self, text: str = "Buy this order.") -> UUID:
        """A new run, as far as it goes by itself."""
        run_id = self.launch(text)
        self.work()
        return run_id

    def run(self, run_id: UUID) -> RunRecord:
        """A run with its chain checked, and all rows with it."""
        assert isinstance(chain.follow(events.read(self.conn, run_id)), chain.Told)
        rows.consistent(self.conn)
        return runs.get(self.conn, run_id)

    def error(self, run_id: UUID) -> str:
        """Why a run ended in error."""
        run = self.run(run_id)
        assert run.status == "error", run
        assert run.error is not None
        return run.error

    def pauses(self, run_id: UUID) -> list[Pause]:
        return [pauses.get(self.conn, pause_id) for pause_id in runs.get(self.conn, run_id).pauses]

    def statuses(self, run_id: UUID) -> list[str]:
        return [pause.status for pause in self.pauses(run_id)]

    def pause(self, run_id: UUID) -> Pause:
        """The pause that waits, or the newest."""
        found = self.pauses(run_id)
        return next((pause for pause in found if pause.status == "waiting"), found[-1])

    def approve(self, run_id: UUID, *by: str) -> Pause:
        """What waits longest in the run is approved, by Marta if by nobody else."""
        pause = self.pause(run_id)
        for person in by or ("marta",):
            outcome = pauses.approve(self.conn, pause.id, person, surface="tests")
        assert isinstance(outcome, Decided)
        return pause

    def deny(self, run_id: UUID, reason: str = "Too dear.") -> Pause:
        pause = self.pause(run_id)
        assert isinstance(pauses.deny(self.conn, pause.id, "marta", surface="tests", reason=reason), Decided)
        return pause

    def told(self, run_id: UUID) -> list[tuple[str, bool]]:
        """What the model is told of its calls, in order: text, and whether it is an error."""
        run = runs.load(self.conn, run_id)
        sent = [b for m in run.messages if m["role"] == "user" and isinstance(m["content"], list) for b in m["content"]]
        unsent = [call.result for call in run.calls if call.result]
        return [(b["content"], b.get("is_error", False)) for b in sent] + [(r["text"], r["is_error"]) for r in unsent]

    def texts(self, run_id: UUID) -> list[str]:
        return [text for text, _ in self.told(run_id)]

    def effects(self, run_id: UUID) -> list[str]:
        return [line.status for line in ledger.of_run(self.conn, run_id)]

    def attempts(self) -> list[tuple[str, int]]:
        """(status, tries) of every attempt, oldest first."""
        return list(self.conn.execute("SELECT status, tries FROM effect_attempt ORDER BY started_at, id").fetchall())

    def notices(self, run_id: UUID) -> list[tuple[str, str]]:
        """(kind, dest) of what is said once."""
        found = self.conn.execute("SELECT kind, dest FROM notice WHERE run_id = %s ORDER BY id", (run_id,)).fetchall()
        return list(found)

    def paid(self, order_ref: str = "PO-1") -> list[int]:
        """What the provider has taken for an order: what counts, whatever our rows say."""
        return [payment["amount"] for payment in self.outside.payments(order_ref)]

    def faults(self, *kinds: str, times: int | None = 1, match: Mapping[str, str] | None = None) -> None:
        """The provider's next calls fail so."""
        from bot.sandbox.faults import Fault

        self.outside.provider.faults.plan(*(Fault(kind=kind, match=match or {}, times=times) for kind in kinds))

    def model_fails(self, kind: str, times: int | None = 1) -> None:
        """The model's next calls fail so."""
        import httpx

        plan: list[dict[str, Any]] = [{"fault": kind, "match": {}, "times": times}]
        assert httpx.post(f"{self.outside.address}/anthropic/_faults", json=plan).is_success

    def policy(self, *changes: tuple[str, str], version: str = "fin-approvals-v5") -> None:
        """A new version of the example's policy, with these texts replaced."""
        text = (database.EXAMPLES / "policy.toml").read_text()
        for before, after in (("fin-approvals-v4", version), *changes):
            assert before in text
            text = text.replace(before, after)
        self.apply(text)

    def apply(self, policy: str) -> None:
        """This policy is in force, checked against the people there are."""
        policies.apply(self.conn, policy, people.everybody(self.conn), actor="tests")

    def give_role(self, person: str, role: str) -> None:
        rows.give_role(self.conn, person, role)

    def halt(self) -> None:
        assert halts.halt(self.conn, actor="otto", surface="tests") == "halt"

    def unhalt(self) -> None:
        assert halts.lift(self.conn, actor="otto", surface="tests") == "unhalt"

    def another(self, name: str = "w2") -> Means:
        """Another worker of the same world."""
        own = self.means
        return Means(
            pool=own.pool, agents=own.agents, complete=own.complete, name=name, lease_s=own.lease_s, stop=Hours(self.conn)
        )  # fmt: skip

    def age(self, run_id: UUID, hours: float) -> None:
        """Let everything that was begun in a run be so many hours older, at our end and at the provider's."""
        self.outside.provider.advance(int(hours * 3600))
        self.conn.execute(
            "UPDATE effect_attempt SET started_at = started_at - %s * interval '1 hour', call_deadline = call_deadline - %s * interval '1 hour'",
            (hours, hours),
        )
        self.conn.execute(
            "UPDATE effect SET created_at = created_at - %s * interval '1 hour' WHERE run_id = %s", (hours, run_id)
        )


def only(found: Sequence[Any]) -> Any:
    """The one that there is."""
    assert len(found) == 1, found
    return found[0]
