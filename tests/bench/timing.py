"""Rounds on the clock: every client on a thread and a connection of its own, all beginning at once."""

import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from statistics import median
from typing import Final, TypeVar

from engine.state import db

T = TypeVar("T")
ROUNDS: Final = 3
WARM: Final = 8
"""Jobs that each connection does before the clock starts: until then its statements are not prepared, or still planned at each call."""


def seconds_each(conns: Sequence[db.Conn], jobs: Sequence[Callable[[db.Conn], object]]) -> float:
    """The time of a round in which the clients share these jobs, divided by the number on the clock: the inverse of the throughput.

    Of each client's jobs the first WARM are not on the clock.
    """
    start, clients = threading.Barrier(len(conns) + 1), len(conns)

    def client(n: int) -> None:
        own = jobs[n::clients]
        for job in own[:WARM]:
            job(conns[n])
        start.wait()
        for job in own[WARM:]:
            job(conns[n])

    with ThreadPoolExecutor(clients) as threads:
        running = [threads.submit(client, n) for n in range(clients)]
        start.wait()
        began = time.perf_counter()
        for one in running:
            one.result()
        return (time.perf_counter() - began) / (len(jobs) - WARM * clients)


def seconds(work: Callable[[], object], times: int = 1) -> float:
    """The median time of a piece of work done so many times."""
    taken = []
    for _ in range(times):
        began = time.perf_counter()
        work()
        taken.append(time.perf_counter() - began)
    return median(taken)


def interleaved(*rounds: Callable[[], float]) -> list[float]:
    """The medians of three rounds, taken in turns, so that what else the machine does meets all alike."""
    taken = [[one() for one in rounds] for _ in range(ROUNDS)]
    return [median(column) for column in zip(*taken, strict=True)]
