"""Actors stepped among each other, one statement boundary at a time, on real connections; no sleeping, no guessing.

A move has two steps: its statement, made in an open transaction, and its end. `a` starts the statement of the first actor's next move, `A`
commits it, `a!` rolls it back, which is that actor's death, if one of them is to die (`die` first); likewise `b` and `c`. A statement that meets a lock is seen to wait, by
pg_blocking_pids, before anything else happens; it goes on when whoever holds the lock ends. What may be stepped next is whoever does not wait.

Or the actors are let go (`go` first): each move commits by itself, as it does in a pool, so that what db.py tries again is tried again. They
line up behind a gate that holds all runs of the scene until `open`.
"""

from collections.abc import Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from dataclasses import dataclass, field
from typing import Any, Final
from uuid import UUID

from engine.errors import LeaseLost
from tests.interleavings.moves import Actor, Move, Scene, Script
from tests.interleavings.orders import Walk
from tests.interleavings.place import Place, Seat

STEPPED: Final = "step"
DEADLY: Final = "die"
LET_GO: Final = "go"
WAYS: Final = (STEPPED, STEPPED, DEADLY, LET_GO)
"""How an order may be gone through; half of those that chance takes are simply stepped."""
_STUCK_S: Final = 30


@dataclass
class Made:
    """A move that was made: by which actor, what it came to, and which runs others held when a move that skips such began.

    `began`, `returned` and `ended` count steps: its statement was begun, it came back, it was committed. None as `ended`: it was rolled back.
    """

    by: int
    move: Move
    began: int
    held: frozenset[UUID] = frozenset()
    waited: bool = False
    outcome: Any = None
    returned: int = 0
    ended: int | None = None

    @property
    def at(self) -> tuple[int, bool]:
        """When it took effect: when it was committed, or, if it found nothing to do and holds nothing, when it had looked."""
        assert self.ended is not None
        nothing = self.move.reads or self.outcome in (None, False, []) or isinstance(self.outcome, LeaseLost)
        return (self.returned, True) if nothing else (self.ended, False)


@dataclass
class _Player:
    """An actor on the stage. It is to begin `next`, or it is at `running`, whose statement may have returned, or its script is over."""

    letter: str
    script: Script
    seat: Seat
    next: Move | None
    running: Made | None = None
    future: Future[Any] | None = None

    @property
    def waits(self) -> bool:
        """Whether its statement is under way."""
        return self.future is not None and not self.future.done()

    def hears(self, outcome: Any) -> None:
        """Go on with the script."""
        try:
            self.next = self.script.send(outcome)
        except StopIteration:
            self.next = None


@dataclass
class Played:
    """What happened in one order: every move that was committed, in the order in which they took effect, and those that were rolled back."""

    order: str
    let_go: bool
    made: list[Made] = field(default_factory=list)
    lost: list[Made] = field(default_factory=list)


def play(place: Place, scene: Scene, actors: Sequence[Actor], walk: Walk) -> Played:
    """Take the actors through one order."""
    return _Stage(place, scene, actors, walk).play()


class _Stage:
    def __init__(self, place: Place, scene: Scene, actors: Sequence[Actor], walk: Walk) -> None:
        place.touched()
        self._place, self._scene, self._walk = place, scene, walk
        self._deaths = 0
        self._players = [
            _Player(letter=letter, script=(script := actor.script(scene)), seat=seat, next=next(script))
            for letter, actor, seat in zip("abc", actors, place.seats, strict=False)
        ]
        self._steps = 0
        self._gate_shut = False

    def play(self) -> Played:
        """Until every script is over."""
        way = self._walk.choose(WAYS)
        self._played, self._deaths = Played("", way == LET_GO), int(way == DEADLY)
        try:
            if self._played.let_go:
                self._shut()
            while options := self._options():
                self._step(self._walk.choose(options))
                self._settle()
            self._walk.end()
        finally:
            self._played.order = str(self._walk)
            self._clear()
        self._played.made.sort(key=lambda made: made.at)
        return self._played

    def _options(self) -> list[str]:
        found = ["open"] if self._gate_shut else []
        for player in self._players:
            if player.running is None:
                found += [player.letter] if player.next else []
            elif not player.waits:
                found.append(player.letter.upper())
                if self._deaths:
                    found.append(player.letter + "!")
        return found

    def _step(self, chosen: str) -> None:
        self._steps += 1
        if chosen == "open":
            self._open()
            return
        player = next(p for p in self._players if p.letter == chosen[0].lower())
        if player.running is None:
            self._start(player)
        else:
            self._end(player, commits=chosen.isupper())

    def _start(self, player: _Player) -> None:
        move = player.next
        assert move is not None
        made = Made(
            by=self._players.index(player),
            move=move,
            began=self._steps,
            held=self._held() if move.skips else frozenset(),
        )
        conn, alone = player.seat.conn, self._played.let_go or move.reads
        player.running = made

        def statement() -> Any:
            if not alone:
                conn.execute("BEGIN")
            return move.made(conn)

        player.future = player.seat.thread.submit(statement)

    def _end(self, player: _Player, *, commits: bool) -> None:
        assert player.running is not None
        player.seat.conn.execute("COMMIT" if commits else "ROLLBACK")
        if commits:
            self._done(player)
        else:
            self._deaths -= 1
            self._played.lost.append(player.running)
            player.running = player.future = player.next = None

    def _done(self, player: _Player) -> None:
        made = player.running
        assert made is not None
        made.ended = self._steps
        player.running = player.future = None
        player.hears(made.outcome)
        if made.move.skips and made.held.issuperset(self._scene.runs):
            assert made.outcome in (None, []), "it took what others hold"  # then it is as if it had never been made
        else:
            self._played.made.append(made)

    # ------------------------------------------------------------------------------------------------- who waits for whom

    def _settle(self) -> None:
        """Return when every statement under way has returned, or is seen to wait for one of the actors or the gate."""
        while under_way := [p for p in self._players if p.waits]:
            done = wait([p.future for p in under_way if p.future], timeout=0.001, return_when=FIRST_COMPLETED).done
            if not done and self._all_wait(under_way):
                break
        for player in self._players:
            if player.running and player.future and player.future.done() and not player.running.returned:
                player.running.outcome = player.future.result()  # no error of the database reaches anybody
                player.running.returned = self._steps
                if self._played.let_go or player.running.move.reads:
                    self._done(player)

    def _all_wait(self, under_way: Sequence[_Player]) -> bool:
        ours = {p.seat.pid for p in self._players} | {self._place.gate.info.backend_pid}
        seen = self._place.conn.execute(
            "SELECT pid, pg_blocking_pids(pid) FROM unnest(%s::integer[]) AS pid", ([p.seat.pid for p in under_way],)
        ).fetchall()
        blockers = {pid: set(found) & ours for pid, found in seen}
        if not all(blockers.values()):
            return False
        if not self._gate_shut and not any(p.running and not p.waits for p in self._players):
            wait([p.future for p in under_way if p.future], timeout=_STUCK_S, return_when=FIRST_COMPLETED)
            return False  # they wait for each other: PostgreSQL ends one of them
        for player in under_way:
            assert player.running is not None
            player.running.waited = True
            self._may_wait(player, blockers[player.seat.pid])
        return True

    def _may_wait(self, player: _Player, blockers: set[int]) -> None:
        """What takes only what nobody holds waits for nobody, unless it is a lease that is being renewed."""
        assert player.running is not None
        if player.running.move.skips:
            names = {p.running.move.name for p in self._players if p.running and p.seat.pid in blockers}
            assert names == {"renew"}, f"{player.running.move.name} waits for {names or 'the gate'}"

    def _held(self) -> frozenset[UUID]:
        """The runs of the scene that somebody holds."""
        free = self._place.conn.execute(
            "SELECT id FROM run WHERE id = ANY(%s) FOR UPDATE SKIP LOCKED", (list(self._scene.runs),)
        ).fetchall()
        return frozenset(self._scene.runs) - {run_id for (run_id,) in free}

    # ----------------------------------------------------------------------------------------------------------- the gate

    def _shut(self) -> None:
        self._place.gate.execute("BEGIN")
        self._place.gate.execute("SELECT FROM run WHERE id = ANY(%s) ORDER BY id FOR UPDATE", (list(self._scene.runs),))
        self._gate_shut = True

    def _open(self) -> None:
        self._place.gate.execute("ROLLBACK")
        self._gate_shut = False

    def _clear(self) -> None:
        """Whatever happened, leave no transaction and no statement behind."""
        if self._gate_shut:
            self._open()
        for _ in self._players:
            for player in self._players:
                if player.running is not None and not player.waits:
                    player.seat.conn.execute("ROLLBACK")
                    player.running = None
            wait([p.future for p in self._players if p.future], timeout=_STUCK_S, return_when=FIRST_COMPLETED)
