"""Moves of operators, the clock, and the world around: prices, policies, people, the provider, and Slack."""

from typing import Any, Final

from hypothesis import strategies as st
from hypothesis.stateful import precondition

from engine.errors import Conflict
from engine.rules.documents import DocumentFaults
from engine.rules.policy_file import check
from engine.state import ledger, people, policies, runs
from engine.workers.sweep import Sweeper
from tests import rows
from tests.bot.office import TOKEN
from tests.stateful.compared import LOSSES, MOODS, SURFACE, WHICH, Compared, Move, step
from tests.stateful.held import Effect, conclude
from tests.stateful.model import Model
from tests.stateful.rules import POLICIES, USERS, policy_document
from tests.stateful.seen import Rows

Json = dict[str, Any]

SLACK_FAULTS: Final[tuple[Json | None, ...]] = (
    None,
    None,
    {"on": "chat.postMessage", "kind": "drop"},
    {"on": "chat.postMessage", "kind": "drop", "stored": False},
    {"on": "chat.postMessage", "kind": "status", "status": 500, "stored": True, "times": 2},
    {"on": "chat.update", "kind": "drop"},
    {"on": "chat.update", "kind": "error", "error": "internal_error", "times": 2},
    {"on": "*", "kind": "rate_limited", "seconds": 1},
)


class World(Compared):
    """What happens to what waits and to what is under way."""

    # ------------------------------------------------------------------------------------------------ operators, and the clock

    @precondition(lambda self: bool(self.model.runs))
    @step(which=WHICH, verb=st.sampled_from(("hold", "resume", "resume", "cancel")), loss=st.sampled_from(LOSSES))
    def operate(self, which: int, verb: str, loss: Any) -> None:
        """An operator stops a run, lets it go on, or calls it off."""
        place = len(self.model.runs) - 1 - which % len(self.model.runs)
        self._operate(place, verb, loss)

    def _operate(self, place: int, verb: str, loss: Any = None) -> None:
        by: dict[str, Any] = {"actor": "otto", "surface": SURFACE} | ({"person": "otto"} if verb == "cancel" else {})

        def really() -> str:
            try:
                return str(self.ground.means.do(getattr(runs, verb), self.ids[place], **by))
            except Conflict as conflict:
                return f"conflict: {conflict.stands}"

        self.make(Move(really, lambda model: getattr(model, verb)(model.runs[place])), loss)

    @step(jump=st.sampled_from((5, 3, 30)))
    def time_passes(self, jump: int) -> None:
        """The clock jumps: leases are over, requests fall due, keys grow old."""
        self._pass(jump)

    @step(loss=st.sampled_from(LOSSES))
    def sweep(self, loss: Any) -> None:
        """Whatever is due is settled."""

        def really() -> str:
            return str(len(Sweeper(self.ground.lines.pool).run()) > 0)

        def by_model(model: Model) -> str:
            due = [run for run in model.runs if any(p.status == "waiting" and p.due <= model.now for p in run.pauses)]
            for run in due:
                model.silence(run)
            return str(bool(due))

        self.make(Move(really, by_model), loss)

    # ---------------------------------------------------------------------------------------------------- the world around it

    @precondition(lambda self: bool(self.model.prices))
    @step(which=st.integers(0, 11), percent=st.sampled_from((101, 110, 90, 0, 100)))
    def a_price_moves(self, which: int, percent: int) -> None:
        """Within what is tolerated, beyond it, or out of sight (0); 100 is the price there was."""
        ref = list(self.model.prices)[::-1][which % len(self.model.prices)]
        self._price(ref, percent)

    def _price(self, ref: str, percent: int) -> None:
        first = next(item.cents for run in self.model.runs for turn in run.plan for item in turn if item.ref == ref)
        price = first * percent // 100 or None
        self.model.prices[ref] = self.ground.outside.prices[ref] = price

    @step(name=st.sampled_from(tuple(POLICIES)))
    def a_policy_is_applied(self, name: str) -> None:
        """Stricter, looser, or as it was: nothing that waits is stranded."""
        self.versions += 1
        text, conn = policy_document(name, f"v{self.versions}"), self.ground.conn
        try:
            check(text, everyone := people.everybody(conn))
            policies.apply(conn, text, everyone, actor="otto")
        except DocumentFaults:
            assert self.model.apply(name) == "refused"
        else:
            assert self.model.apply(name) == "applied"

    @step(who=st.sampled_from(("marta", "ines", "otto", "priya")),
          what=st.sampled_from(("comes back", "leaves", "loses the role", "has the role", "pays no more", "pays", "guest", "member")))  # fmt: skip
    def a_person_changes(self, who: str, what: str) -> None:
        """Somebody leaves or comes back, loses a role or has it again, may no longer be paid for, or is only a guest in Slack."""
        conn, person, role = self.ground.conn, self.model.people[who], "finance-approver"
        match what:
            case "leaves" | "comes back":
                person.active = what == "comes back"
                rows.change_person(conn, who, active=person.active)
            case "loses the role":
                person.roles.discard(role)
                rows.take_role(conn, who, role)
            case "has the role" if who != "priya":
                person.roles.add(role)
                rows.give_role(conn, who, role)
            case "pays" | "pays no more":
                person.pays = what == "pays"
                rows.change_person(conn, who, scopes=("payments:write",) if person.pays else ())
            case "guest" | "member":
                person.slack = what
                self.ground.office.change(user=USERS[who], set={"is_restricted": what == "guest"})

    @step(mood=st.sampled_from(("fine", *MOODS)), times=st.sampled_from((1, 1, 2, None)),
          lists=st.sampled_from((True, True, False)))  # fmt: skip
    def the_provider_changes(self, mood: str, times: int | None, lists: bool) -> None:
        """How it takes the next calls, and whether it can be asked what it did."""
        self._mood(mood, None if mood == "fine" else times, lists)

    @precondition(lambda self: self.any_effect(_receipt_may_come))
    @step(which=WHICH)
    def a_receipt_comes_late(self, which: int) -> None:
        """What a lost worker was told of a payment is recorded, whoever has the run by now."""
        r, e = self._effect(which, wanted=_receipt_may_come)
        attempt = Rows(self.ground).effect(r, e, "newest")
        self.ground.means.do(
            ledger.settle, attempt, "succeed", receipt={"result": "late", "quoted": None}, result=rows.PAID
        )
        run = self.model.runs[r]
        conclude(run, run.effects[e], "done", "late")

    # ------------------------------------------------------------------------------------------------------------------- Slack

    @precondition(lambda self: self.in_slack and self.asked)
    @step(fault=st.sampled_from(SLACK_FAULTS))
    def deliver(self, fault: dict[str, Any] | None) -> None:
        """Cards and notices are carried, whatever Slack does with them."""
        self.ground.office.faults(*([fault] if fault else []))
        self.ground.deliver()
        self.ground.office.faults()

    @precondition(lambda self: self.in_slack and self.asked)
    @step(which=WHICH)
    def a_message_is_deleted(self, which: int) -> None:
        """Somebody deletes a card."""
        found = self.ground.conn.execute(
            "SELECT channel, ts FROM card WHERE ts IS NOT NULL ORDER BY id DESC"
        ).fetchall()
        if found:
            channel, ts = found[which % len(found)]
            headers = {"Authorization": f"Bearer {TOKEN}"}
            self.ground.http.post("/slack/api/chat.delete", json={"channel": channel, "ts": ts}, headers=headers)


def _receipt_may_come(effect: Effect) -> bool:
    return (
        effect.status in ("attempted", "in_doubt") and bool(effect.paid) and not effect.absent and effect.attempts == 1
    )
