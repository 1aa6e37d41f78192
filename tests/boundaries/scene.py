"""One passing of a flow: what people and operators do, and our process, which may be killed once on the way.

Whoever meets the death does what anyone would: launches again with the same key, clicks again if the button is still there, says it
again. Everything else has to come right by itself.
"""

from collections.abc import Callable
from typing import Any, Final, Literal
from uuid import UUID

from bot.cards import ids
from bot.sandbox.workspace import direct_id
from tests import rows
from tests.bot.office import TOKEN, Json, actions_of
from tests.boundaries import hours
from tests.boundaries.ground import Ground
from tests.boundaries.template import Killed

_USERS: Final = {name: f"U0{name.upper()}" for name in ("priya", "marta", "otto", "ines", "jonas")}


class Scene:
    """The stage, with our process on it. `died`: it was killed, and another took its place."""

    def __init__(self, ground: Ground, dies_at: int | None = None) -> None:
        self.ground, self.conn, self.office = ground, ground.conn, ground.office()
        assert ground.outside is not None
        self.provider, self.suppliers = ground.outside.provider, ground.outside.suppliers
        self.died = self.warned = False
        self.ours = ground.template.live(dies_at)
        ground.door = lambda body, headers: self._ask("deliver", body, headers)

    # ------------------------------------------------------------------------------------------------- what our process does

    def launch(self, order: str, key: str = "order-1") -> UUID:
        """Somebody launches a run; who gets no answer does it again."""
        made = self._ask("launch", order, key) or self._ask("launch", order, key)
        assert isinstance(made, UUID)
        return made

    def operate(self, verb: Literal["hold", "resume", "cancel"]) -> None:
        """An operator acts on the run; who gets no answer does it again."""
        assert self._ask("operate", verb, self.run_id) or self._ask("operate", verb, self.run_id)

    def resolve(self) -> None:
        """A person says of the effect in doubt that it happened; who gets no answer says it again."""
        [(effect_id,)] = self.conn.execute("SELECT id FROM effect WHERE status = 'in_doubt'").fetchall()
        assert self._ask("resolve", effect_id) or self._ask("resolve", effect_id)

    def rest(self) -> None:
        """Until nothing is left to be done."""
        for _ in range(20):
            hours.pass_time(self.conn)
            if not hours.something_due(self.conn):
                return
            self._ask("round")
        raise AssertionError("it never comes to rest")

    # ------------------------------------------------------------------------------------------------------ what people do

    def press(self, who: str, action: str, message: Json | None = None) -> None:
        """Somebody clicks the button on the newest card that has it, or on a given one, as it was.

        Whoever is warned by Slack that it was not taken looks again a little later, and clicks again if the button is still there.
        """
        on = message or self.cards(who, action)[-1]
        if not self._taken(lambda: self.office.press(_USERS[who], on, action)):
            self.rest()
            if on["ts"] in [card["ts"] for card in self.cards(who, action)]:
                assert self._taken(lambda: self.office.press(_USERS[who], on, action))

    def deny(self, who: str, reason: str) -> None:
        """Deny with a reason, in the form that opens; whoever is warned submits it again if the button is still there."""
        self.press(who, ids.ACTION_DENY)
        user = _USERS[who]
        form = self.office.views(user)[-1]["id"]
        values = {ids.BLOCK_REASON: {ids.ACTION_REASON: {"type": "plain_text_input", "value": reason}}}
        if not self._taken(lambda: self.office.act("submit", user, view_id=form, values=values)):
            self.rest()
            if self.cards(who, ids.ACTION_DENY):
                assert self._taken(lambda: self.office.act("submit", user, view_id=form, values=values))

    def silence(self) -> None:
        """Nobody answers until the hour has come."""
        rows.make_due(self.conn, self.pause_id)

    def delete(self, message: Json) -> None:
        """Somebody deletes a message of ours."""
        what = {"channel": message["channel"], "ts": message["ts"]}
        answer = self.office.http.post(
            "/slack/api/chat.delete", json=what, headers={"Authorization": f"Bearer {TOKEN}"}
        )
        assert answer.json()["ok"], answer.text

    # ------------------------------------------------------------------------------------------------------- what there is

    def cards(self, who: str, action: str) -> list[Json]:
        """The cards that this person sees with this button on them now, oldest first."""
        places = ("C0BUY", direct_id(_USERS[who]))
        return [m for m in self.messages() if m["metadata"] and m["channel"] in places and action in actions_of(m)]

    def messages(self) -> list[Json]:
        """Everything that stands in Slack."""
        return [m for m in self.office.read("/slack/messages")["messages"] if not m["deleted"]]

    @property
    def run_id(self) -> UUID:
        """The one run there is."""
        [(run_id,)] = self.conn.execute("SELECT id FROM run WHERE kind = 'agent'").fetchall()
        assert isinstance(run_id, UUID)
        return run_id

    @property
    def pause_id(self) -> UUID:
        """The one pause that waits."""
        [(pause_id,)] = self.conn.execute("SELECT id FROM run_pause WHERE status = 'waiting'").fetchall()
        assert isinstance(pause_id, UUID)
        return pause_id

    def _ask(self, verb: str, *args: Any) -> Any:
        """Have our process do something; None if it died of it. Then another is there, and the leases of the dead one are over."""
        try:
            return self.ours.ask(verb, *args)
        except Killed:
            assert not self.died
            self.died = True
            self.ours = self.ground.template.live()
            return None

    def _taken(self, gesture: Callable[[], Json]) -> bool:
        """Whether we answered Slack in time; what we do after our answer is done then, if we live."""
        before = self.died
        answer = gesture()
        self._ask("afterwards")
        if answer == {"ok": True}:
            return True
        assert self.died
        assert not before, answer
        self.warned = True
        return False
