"""One passing of a flow: what people and operators do, and our process, which may be killed on the way, and killed again while it recovers.

Whoever meets a death does what anyone would: launches again with the same key, clicks again if the button is still there, says it
again. Everything else has to come right by itself.
"""

import os
import signal
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final, Literal
from uuid import UUID

from bot.cards import ids
from bot.sandbox.workspace import direct_id
from tests import rows
from tests.bot.command_line import Said
from tests.bot.office import TOKEN, Json, actions_of, block_of, is_card
from tests.boundaries import hours
from tests.boundaries.ground import Ground
from tests.boundaries.template import Killed, Life

_USERS: Final = {name: f"U0{name.upper()}" for name in ("priya", "marta", "otto", "ines", "jonas")}
_OPS: Final = "C0OPS"
"""Where people type commands."""

Gesture = Callable[[], Json]


def _typed(text: str) -> Json:
    return {"type": "plain_text_input", "value": text}


class Scene:
    """The stage, with our process on it.

    It dies at the boundaries `dies_at`, each counted in a life of its own; another takes its place each time. `deaths`: how many there
    were. `crossed`: the boundaries of the life that goes on, with those of lives that ended in good order before it. `noting`: they note
    at which of these something had `changed` since the one before.
    """

    def __init__(self, ground: Ground, dies_at: Sequence[int] = (), *, noting: bool = False) -> None:
        self.ground, self.conn, self.office = ground, ground.conn, ground.office()
        assert ground.outside is not None
        self.provider, self.suppliers = ground.outside.provider, ground.outside.suppliers
        self.deaths, self.warned = 0, False
        self._dies_at, self._noting, self._before, self._changed = dies_at, noting, 0, list[int]()
        self.ours = self._another()
        ground.door = lambda body, headers: self._ask("deliver", body, headers)

    @property
    def crossed(self) -> int:
        return self._before + self.ours.crossed

    @property
    def changed(self) -> list[int]:
        return [*self._changed, *(self._before + boundary for boundary in self.ours.changed)]

    # ------------------------------------------------------------------------------------------------- what our process does

    def launch(self, order: str, key: str = "order-1", agent: str = "procurement") -> UUID:
        """Somebody launches a run."""
        made = self._insist("launch", order, key, agent)
        assert isinstance(made, UUID)
        return made

    def operate(self, verb: Literal["hold", "resume", "cancel"]) -> None:
        """An operator acts on the run."""
        self._insist("operate", verb, self.run_id)

    def halt(self) -> None:
        """An operator stops all effects, for as long as a worker takes to look again."""
        self.type("halt", "--as", "otto", "--reason", "Odd payments.")

    def resolve(self) -> None:
        """A person says of the effect in doubt that it happened."""
        [(effect_id,)] = self.conn.execute("SELECT id FROM effect WHERE status = 'in_doubt'").fetchall()
        self._insist("resolve", effect_id)

    def call(self, path: str, document: Json) -> Any:
        """Something calls the HTTP API; what stands already is no error to who has to ask twice."""
        before = self.deaths
        status, answer = self._insist("call", "POST", path, document)
        assert status in (200, 201) or (status == 409 and self.deaths > before), answer
        return answer

    def type(self, *words: str, lost: bool = False) -> None:
        """Somebody types a `placet` command, and it has lost against what stands, or not; who has to type it twice may find it done."""
        before = self.deaths
        said = self._insist("command", *words)
        assert isinstance(said, Said)
        assert said.code == (3 if lost else 0) or (said.code == 3 and self.deaths > before), said

    def written(self, name: str, text: str) -> Path:
        """A document that somebody wrote, for a command that takes one."""
        path = self.ground.folder / name
        path.write_text(text, "utf-8")
        return path

    def rest(self, by: Literal["round", "tick"] = "round") -> None:
        """Until nothing is left to be done."""
        for _ in range(20):
            hours.pass_time(self.conn)
            if not hours.something_due(self.conn):
                return
            self._ask(by)
        raise AssertionError("it never comes to rest")

    def stop_while_the_model_thinks(self) -> None:
        """Our process is told to stop in the middle of a turn: it gives the run back and ends, and the next one needs to wait for nothing."""
        before, self.ground.meanwhile = self.deaths, lambda: os.kill(self.ours.pid, signal.SIGTERM)
        self._ask("round")
        self.ground.meanwhile = None
        if self.deaths > before:
            return
        self.ours.ended()
        self._changed, self._before = self.changed, self.crossed
        self.ours = self._another()
        [(status,)] = self.conn.execute("SELECT status FROM run WHERE id = %s", (self.run_id,)).fetchall()
        assert status == "queued"

    # ------------------------------------------------------------------------------------------------------ what people do

    def press(self, who: str, action: str, message: Json | None = None) -> None:
        """Somebody clicks the button on the newest card that has it, or on a given one, as it was."""
        on = message or self.cards(who, action)[-1]
        self._do(
            lambda: self.office.press(_USERS[who], on, action),
            lambda: on["ts"] in [card["ts"] for card in self.cards(who, action)],
        )

    def deny(self, who: str, reason: str) -> None:
        """Deny with a reason, in the form that opens."""
        self._fill_in(who, ids.ACTION_DENY, {ids.BLOCK_REASON: {ids.ACTION_REASON: _typed(reason)}})

    def decide_together(self, who: str, verdict: str) -> None:
        """Decide all that waits of the turn, in the form that shows all of it."""
        chosen = {"type": "radio_buttons", "selected_option": {"value": verdict}}
        self._fill_in(who, ids.ACTION_TOGETHER, {ids.BLOCK_ALL: {ids.ACTION_CHOICE: chosen}})

    def approve_in_details(self, who: str) -> None:
        """Open Details from the first line of a digest, and approve below the whole of it."""
        message = self.cards(who, ids.ACTION_DETAILS)[-1]
        self.press(who, ids.ACTION_DETAILS, message)
        view, left = self.office.views(_USERS[who])[-1], len(actions_of(message))
        button = {
            "view_id": view["id"],
            "block_id": block_of(view, ids.ACTION_APPROVE),
            "action_id": ids.ACTION_APPROVE,
        }
        self._do(
            lambda: self.office.act("click", _USERS[who], **button),
            lambda: (
                left in [len(actions_of(m)) for m in self.cards(who, ids.ACTION_DETAILS) if m["ts"] == message["ts"]]
            ),
        )

    def say_happened(self, who: str, reference: str) -> None:
        """Say of an action in doubt that it happened, in the form that opens."""
        self._fill_in(who, ids.ACTION_HAPPENED, {ids.BLOCK_REFERENCE: {ids.ACTION_REFERENCE: _typed(reference)}})

    def confirm(self, who: str, typed: str) -> None:
        """Approve by typing what the rule asks for, in the form that opens."""
        self._fill_in(who, ids.ACTION_CONFIRM, {ids.BLOCK_TYPED: {ids.ACTION_TYPED: _typed(typed)}})

    def ask(self, who: str, inquiry: str) -> None:
        """Ask the requester something, in the form that opens; whoever then sees it on the requester's card does not ask again."""
        words = {ids.BLOCK_WORDS: {ids.ACTION_WORDS: _typed(inquiry)}}
        self._fill_in(who, ids.ACTION_ASK, words, lambda: not self.cards("priya", ids.ACTION_REPLY))

    def answer(self, who: str, answer: str) -> None:
        """Answer what was asked, in the form that opens."""
        self._fill_in(who, ids.ACTION_REPLY, {ids.BLOCK_WORDS: {ids.ACTION_WORDS: _typed(answer)}})

    def press_in_list(self, who: str, action: str) -> None:
        """Somebody types /approvals, and clicks a button in the answer."""
        user, listed = _USERS[who], list[Json]()

        def there() -> bool:
            self._do(lambda: self.office.act("command", user, channel=_OPS, text="/approvals"), lambda: True)
            listed.append([m for m in self.messages() if m["channel"] == _OPS and m["only_for"] == user][-1])
            return action in actions_of(listed[-1])

        assert there()
        self._do(lambda: self.office.press(user, listed[-1], action), there)

    def press_at_home(self, who: str, action: str) -> None:
        """Somebody opens their Home tab, and clicks a button there."""
        user, homes = _USERS[who], list[Json]()

        def there() -> bool:
            homes.append(self._home(user))
            return action in actions_of(homes[-1])

        def pressed() -> Json:
            button = {"view_id": homes[-1]["id"], "block_id": block_of(homes[-1], action), "action_id": action}
            return self.office.act("click", user, **button)

        assert there()
        self._do(pressed, there)

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
        return [m for m in self.messages() if is_card(m) and m["channel"] in places and action in actions_of(m)]

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

    # -------------------------------------------------------------------------------------------------------- lives and deaths

    def _another(self) -> Life:
        """The next life; it ends where it was told to, or goes on."""
        left = self._dies_at[self.deaths :]
        dies_at = left[0] - self._before if left else None
        return self.ground.template.live(dies_at, sealed=self.ground.sealed, noting=self._noting)

    def _ask(self, verb: str, *args: Any) -> Any:
        """Have our process do something; None if it died of it. Then another is there."""
        try:
            return self.ours.ask(verb, *args)
        except Killed:
            assert self.deaths < len(self._dies_at), "it died, and nobody had told it to"
            self.deaths, self._before = self.deaths + 1, 0
            self.ours = self._another()
            return None

    def _insist(self, verb: str, *args: Any) -> Any:
        """Have our process do something, until it has answered."""
        while (answer := self._ask(verb, *args)) is None:
            pass
        return answer

    def _do(self, gesture: Gesture, there: Callable[[], bool]) -> None:
        """Whoever is warned by Slack that it was not taken looks again a little later, and does it again if it can still be done."""
        while not self._taken(gesture):
            self.rest()
            if not there():
                return

    def _taken(self, gesture: Gesture) -> bool:
        """Whether we answered Slack in time; what we do after our answer is done then, if we live."""
        before = self.deaths
        answer = gesture()
        died_of_it = self.deaths > before
        self._ask("afterwards")
        assert (answer == {"ok": True}) != died_of_it, answer
        self.warned |= died_of_it
        return not died_of_it

    def _fill_in(self, who: str, action: str, values: Json, there: Callable[[], bool] | None = None) -> None:
        """Press a button that opens a form, and submit it with these values; again if that is still `there` to be done: the button, if None."""
        self.press(who, action)
        user = _USERS[who]
        form = self.office.views(user)[-1]["id"]
        self._do(
            lambda: self.office.act("submit", user, view_id=form, values=values),
            there or (lambda: bool(self.cards(who, action))),
        )

    def _home(self, user: str) -> Json:
        """Somebody's Home tab when they open it, and again if nothing comes. Slack repeats once at once what nobody took."""
        for _ in range(len(self._dies_at) + 1):
            while self.ground.heard.acquire(blocking=False):
                pass
            before = self.deaths
            assert self.office.act("home", user) == {"ok": True}
            for _ in range(2):
                deaths = self.deaths
                assert self.ground.heard.acquire(timeout=30)
                if self.deaths == deaths:
                    break
            self._ask("afterwards")
            if self.deaths == before:
                break
        home = self.office.home(user)
        assert home is not None
        return home
