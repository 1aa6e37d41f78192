"""A TCP relay that can break what passes through it: at once, in the middle of a request, or in the middle of a commit's answer.

The one rule: it never alters a byte; it passes on what came, or it cuts.
"""

import asyncio
import random
import re
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Final

Goal = str | int
"""Where it leads: the path of a Unix socket, or a port on this machine."""

HOST: Final = "127.0.0.1"
_SOMETHING_DONE: Final = re.compile(rb"C\0\0\0.(?:SELECT|INSERT 0|UPDATE|DELETE) [1-9]\d*\0", re.DOTALL)
"""PostgreSQL's CommandComplete of a statement that touched a row. In autocommit mode the commit lies behind it, so whoever loses this
answer cannot know what holds. https://www.postgresql.org/docs/current/protocol-message-formats.html"""


class Relay:
    """Takes connections on `port`, and leads each to the next of `goals()` that answers; with none it hangs up."""

    def __init__(self, goals: Callable[[], Sequence[Goal]]) -> None:
        self.port = 0
        self._goals = goals
        self._turn = 0
        self._loop = asyncio.new_event_loop()
        self._open: set[asyncio.StreamWriter] = set()
        self._tasks: set[asyncio.Task[None]] = set()
        self._answers: list[random.Random] = []
        self._requests: list[random.Random] = []

    def cut_all(self) -> None:
        """Break every connection now."""
        self._loop.call_soon_threadsafe(self._cut, *self._open)

    def cut_answers(self, chance: random.Random, times: int) -> None:
        """Break the next so many connections while they are told that something was done: the answer arrives in part, or not at all."""
        self._answers += [chance] * times

    def cut_requests(self, chance: random.Random, times: int) -> None:
        """Break the next so many connections in the middle of what is asked: it is never carried out."""
        self._requests += [chance] * times

    def calm(self) -> None:
        """Break nothing any more."""
        self._answers.clear()
        self._requests.clear()

    def _cut(self, *ends: asyncio.StreamWriter) -> None:
        for end in ends:
            end.transport.abort()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._open.add(writer)
        try:
            there = await self._next()
            if there is None:
                return
            far_reader, far_writer = there
            self._open.add(far_writer)
            ends = (writer, far_writer)
            try:
                await asyncio.gather(
                    self._pass(reader, far_writer, ends, self._in_a_request),
                    self._pass(far_reader, writer, ends, self._in_an_answer),
                )
            finally:
                self._open.discard(far_writer)
                self._cut(far_writer)
        finally:
            self._open.discard(writer)
            self._cut(writer)

    async def _next(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter] | None:
        goals = self._goals()
        self._turn += 1
        for n in range(len(goals)):
            goal = goals[(self._turn + n) % len(goals)]
            with suppress(OSError):
                if isinstance(goal, int):
                    return await asyncio.open_connection(HOST, goal)
                return await asyncio.open_unix_connection(goal)
        return None

    async def _pass(
        self,
        source: asyncio.StreamReader,
        sink: asyncio.StreamWriter,
        ends: tuple[asyncio.StreamWriter, asyncio.StreamWriter],
        cut_at: Callable[[bytes], int | None],
    ) -> None:
        with suppress(OSError):
            while chunk := await source.read(65536):
                place = cut_at(chunk)
                sink.write(chunk if place is None else chunk[:place])
                await sink.drain()
                if place is not None:
                    self._cut(*(end for end in ends if end is not sink))
                    break
            sink.close()  # what was passed on arrives first

    def _in_an_answer(self, chunk: bytes) -> int | None:
        if self._answers and _SOMETHING_DONE.search(chunk):
            return self._answers.pop().randrange(len(chunk))
        return None

    def _in_a_request(self, chunk: bytes) -> int | None:
        if self._requests and len(chunk) > 200:  # a move; the rest are greetings and looks
            return self._requests.pop().randrange(len(chunk))
        return None

    async def _start(self) -> asyncio.Server:
        server = await asyncio.start_server(self._take, HOST, 0)
        self.port = server.sockets[0].getsockname()[1]
        return server

    def _take(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = self._loop.create_task(self._serve(reader, writer))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _stop(self, server: asyncio.Server) -> None:
        server.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)


@contextmanager
def relay(goals: Callable[[], Sequence[Goal]]) -> Iterator[Relay]:
    """A relay that runs in a thread of its own, and is stopped at the end with all its connections."""
    made = Relay(goals)
    loop = made._loop
    server = loop.run_until_complete(made._start())
    thread = threading.Thread(target=loop.run_forever, name="relay")
    thread.start()
    try:
        yield made
    finally:
        asyncio.run_coroutine_threadsafe(made._stop(server), loop).result(10)
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()
