"""A TCP relay that can break what passes through it: at once, in the middle of a request, or in the middle of a commit's answer.

The one rule: it never alters a byte; it passes on what came, or it cuts, or it falls silent. It is a process of its own, so that nobody waits for ours.
"""

import asyncio
import multiprocessing
import random
import re
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from multiprocessing.connection import Connection
from typing import Any, Final

Goal = str | int
"""Where it leads: the path of a Unix socket, or a port on this machine."""

HOST: Final = "127.0.0.1"
START_S: Final = 60
_SOMETHING_DONE: Final = re.compile(rb"C\0\0\0.(?:SELECT|INSERT 0|UPDATE|DELETE) [1-9]\d*\0", re.DOTALL)
"""PostgreSQL's CommandComplete of a statement that touched a row. In autocommit mode the commit lies behind it, so whoever loses this
answer cannot know what holds. https://www.postgresql.org/docs/current/protocol-message-formats.html"""


class End(asyncio.Protocol):
    """One end of a connection: what comes here goes to the other end, unless it is cut there."""

    def __init__(self, cut_at: Callable[[bytes], int | None], came: Callable[["End"], None]) -> None:
        self.other: End | None = None
        self.line: asyncio.Transport | None = None
        self.silent = False
        self._cut_at, self._came = cut_at, came
        self._early: list[bytes] = []

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """It stands."""
        assert isinstance(transport, asyncio.Transport)
        self.line = transport
        self._came(self)

    def data_received(self, data: bytes) -> None:
        """Pass on what came, or a part of it before both ends are cut."""
        if self.silent:
            return
        if self.other is None:
            self._early.append(data)
            return
        assert self.other.line is not None
        place = self._cut_at(data)
        if place is None:
            self.other.line.write(data)
            return
        self.other.line.write(data[:place])
        self.other.line.close()  # what was passed on arrives first
        self.cut()

    def connection_lost(self, exc: Exception | None) -> None:
        """The other end hears of it."""
        if self.other is not None and self.other.line is not None:
            self.other.line.close()

    def pause_writing(self) -> None:
        """Whoever sends to this end waits until it has taken what there is."""
        if self.other is not None and self.other.line is not None:
            self.other.line.pause_reading()

    def resume_writing(self) -> None:
        """They may go on."""
        if self.other is not None and self.other.line is not None:
            self.other.line.resume_reading()

    def join(self, other: "End") -> None:
        """From now on what comes goes there."""
        self.other = other
        for data in self._early:
            self.data_received(data)

    def cut(self) -> None:
        """Break this end."""
        if self.line is not None:
            self.line.abort()


class Passage:
    """The relay itself, on the event loop of its process: each connection goes to the next of `goals` that answers; with none it hangs up."""

    def __init__(self) -> None:
        self.goals: Sequence[Goal] = ()
        self._turn = 0
        self._open: set[End] = set()
        self._tasks: set[asyncio.Task[None]] = set()
        self._answers: list[random.Random] = []
        self._requests: list[random.Random] = []

    def lead_to(self, goals: Sequence[Goal]) -> None:
        """Where connections go from now on."""
        self.goals = goals

    def cut_all(self) -> None:
        """Break every connection now."""
        for end in self._open:
            end.cut()
        self._open.clear()

    def fall_silent(self) -> None:
        """Pass on nothing any more over the connections that stand, and break none: as a firewall that has forgotten them."""
        for end in self._open:
            end.silent = True

    def cut_answers(self, chance: random.Random, times: int) -> None:
        """Break the next so many that are told that something was done."""
        self._answers += [chance] * times

    def cut_requests(self, chance: random.Random, times: int) -> None:
        """Break the next so many in the middle of what is asked."""
        self._requests += [chance] * times

    def calm(self) -> None:
        """Break nothing any more."""
        self._answers.clear()
        self._requests.clear()

    def taken(self) -> End:
        """An end for somebody who connects."""
        return End(self._in_a_request, self._lead)

    def _lead(self, near: End) -> None:
        task = asyncio.get_running_loop().create_task(self._join(near))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _join(self, near: End) -> None:
        far = await self._next()
        if far is None:
            near.cut()
            return
        self._open = {end for end in (*self._open, near, far) if end.line is not None and not end.line.is_closing()}
        far.join(near)
        near.join(far)

    async def _next(self) -> End | None:
        goals, loop = self.goals, asyncio.get_running_loop()
        self._turn += 1
        for n in range(len(goals)):
            goal = goals[(self._turn + n) % len(goals)]
            far = End(self._in_an_answer, lambda _end: None)
            with suppress(OSError):
                if isinstance(goal, int):
                    await loop.create_connection(lambda far=far: far, HOST, goal)  # type: ignore[misc]
                else:
                    await loop.create_unix_connection(lambda far=far: far, goal)  # type: ignore[misc]
                return far
        return None

    def _in_an_answer(self, chunk: bytes) -> int | None:
        if self._answers and _SOMETHING_DONE.search(chunk):
            return self._answers.pop().randrange(len(chunk))
        return None

    def _in_a_request(self, chunk: bytes) -> int | None:
        if self._requests and len(chunk) > 200:  # a move; the rest are greetings and looks
            return self._requests.pop().randrange(len(chunk))
        return None


async def _relay(orders: Connection) -> None:
    """Relay until nobody gives orders any more."""
    passage, loop, over = Passage(), asyncio.get_running_loop(), asyncio.Event()

    def obey() -> None:
        try:
            name, given = orders.recv()
        except (EOFError, OSError):
            loop.remove_reader(orders.fileno())
            over.set()
            return
        getattr(passage, name)(*given)
        orders.send(None)

    server = await loop.create_server(passage.taken, HOST, 0)
    orders.send(server.sockets[0].getsockname()[1])
    loop.add_reader(orders.fileno(), obey)
    await over.wait()
    server.close()
    passage.cut_all()


def _run(orders: Connection) -> None:
    asyncio.run(_relay(orders))


class Relay:
    """A relay on `port`. Every order is carried out when the call returns."""

    def __init__(self, port: int, orders: Connection) -> None:
        self.port = port
        self._orders = orders
        self._lock = threading.Lock()

    def lead_to(self, *goals: Goal) -> None:
        """Where connections go from now on: each to the next of these that answers; with none it hangs up."""
        self._order("lead_to", goals)

    def cut_all(self) -> None:
        """Break every connection now."""
        self._order("cut_all")

    def fall_silent(self) -> None:
        """Pass on nothing any more over the connections that stand, and break none."""
        self._order("fall_silent")

    def cut_answers(self, chance: random.Random, times: int) -> None:
        """Break the next so many connections while they are told that something was done: the answer arrives in part, or not at all."""
        self._order("cut_answers", chance, times)

    def cut_requests(self, chance: random.Random, times: int) -> None:
        """Break the next so many connections in the middle of what is asked: it is never carried out."""
        self._order("cut_requests", chance, times)

    def calm(self) -> None:
        """Break nothing any more."""
        self._order("calm")

    def _order(self, name: str, *given: Any) -> None:
        with self._lock:
            self._orders.send((name, given))
            self._orders.recv()


@contextmanager
def relay(*goals: Goal) -> Iterator[Relay]:
    """A relay in a process of its own, which is stopped at the end with all its connections."""
    ours, theirs = multiprocessing.get_context("spawn").Pipe()
    process = multiprocessing.get_context("spawn").Process(target=_run, args=(theirs,), name="relay", daemon=True)
    process.start()
    theirs.close()
    try:
        assert ours.poll(START_S), "the relay does not start"
        made = Relay(ours.recv(), ours)
        made.lead_to(*goals)
        yield made
    finally:
        ours.close()
        process.join(10)
        if process.is_alive():
            process.kill()
            process.join()
