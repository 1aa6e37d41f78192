"""How far one database carries: the same approved runs brought to their end by one worker process, by two, and by four.

    python -m tests.bench.processes URL

is one such worker: it says `ready`, waits for a line, works until nothing is left to do, and says how many runs it claimed.
"""

import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Final

from engine.state import db, pauses
from tests.bench import moves
from tests.bench.paper import Row
from tests.bench.timing import interleaved

COUNTS: Final = (2, 4)


def throughput(url: str, jobs: int) -> list[Row]:
    """Runs a second, from approved to done, of several processes against one."""
    one, *more = interleaved(*(partial(_drained, url, count, jobs) for count in (1, *COUNTS)))
    return [
        Row(
            what=f"{count} worker processes against one",
            value=one / took,
            bar=None,
            least=True,
            seen=f"{1 / took:,.0f} and {1 / one:,.0f} runs a second",
            unit=" x",
        )
        for count, took in zip(COUNTS, more, strict=True)
    ]


def _drained(url: str, workers: int, jobs: int) -> float:
    """Seconds a run, when so many processes share the work; every run is claimed by exactly one of them."""
    with db.pool(url, size=2) as pool:
        means = moves.means_on(pool)
        waiting = [moves.launched_and_parked(means) for _ in range(jobs)]
        with db.connect(url) as conn:
            for pause_id in waiting:
                pauses.approve(conn, pause_id, "marta", surface="bench")
    with _started(url, workers) as processes:
        began = time.perf_counter()
        for process in processes:
            _tell(process, "go")
        claimed = sum(int(_said(process)) for process in processes)
        took = time.perf_counter() - began
    if claimed != jobs:
        raise AssertionError(f"{jobs} runs were approved, and {claimed} claimed")
    return took / jobs


@contextmanager
def _started(url: str, workers: int) -> Iterator[Sequence[subprocess.Popen[str]]]:
    command = [sys.executable, "-m", "tests.bench.processes", url]
    processes = [
        subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) for _ in range(workers)
    ]
    try:
        for process in processes:
            if _said(process) != "ready":
                raise AssertionError("a worker did not start")
        yield processes
    finally:
        for process in processes:
            process.communicate()


def _tell(process: subprocess.Popen[str], word: str) -> None:
    assert process.stdin is not None
    process.stdin.write(f"{word}\n")
    process.stdin.flush()


def _said(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    return process.stdout.readline().strip()


def main(arguments: Sequence[str]) -> None:
    """Be one worker."""
    [url] = arguments
    with db.pool(url, size=2) as pool:
        means = moves.means_on(pool)
        sys.stdout.write("ready\n")
        sys.stdout.flush()
        sys.stdin.readline()
        claimed = 0
        while moves.advance(means):
            claimed += 1
        sys.stdout.write(f"{claimed}\n")


if __name__ == "__main__":
    main(sys.argv[1:])
