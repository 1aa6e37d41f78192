"""`python -m tests.guards`: take away one guard at a time, and see that a test fails. An hour or two of one core for all of them.

Each is taken from a copy of the whole tree, and the tests of behaviour that run its query and little else are run on that copy until the
first one fails; tests that only read the text or the plan of a query are left out. Which test runs which query is seen first, in one run of them all.
Exit code 1 if a guard that is not in survivors.toml survived, or one that is did not.
"""

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from queue import SimpleQueue
from typing import Final

from rich.console import Console
from rich.table import Table

import sql
from tests import database
from tests.guards import reach, survivors
from tests.guards.found import Guard, guards

ROOT: Final = Path(__file__).parents[2]
TREE: Final = ("sql", "engine", "bot", "examples", "tests", "pyproject.toml", "README.md", "manifest.yml", ".ci")
STATE: Final = ("tests/engine/state", "tests/engine/workers")
REST: Final = ("tests/interleavings", "tests/bot", "tests/cases", "tests/stateful")
FIRST: Final[Mapping[str, tuple[str, ...]]] = {
    "lock": ("tests/engine/state/test_halts.py", "tests/interleavings"), "run-first lock": ("tests/interleavings",),
    "SKIP LOCKED": ("tests/interleavings/test_told.py", "tests/interleavings"),
}  # fmt: skip
"""What is likeliest to notice, by the kind of a guard."""

QUICK: Final = ("tests/engine/state/",)
SLOW: Final = (
    "tests/interleavings/",
    "tests/stateful/",
    "tests/cases/",
    "tests/engine/workers/test_crash",
    "tests/engine/state/test_stress",
)
"""Where a test takes a hundredth of a second, and where one."""

ORDERS: Final = {"PLACET_INTERLEAVINGS_SEED": "38a721", "PLACET_INTERLEAVINGS": "8,1"}
"""The same interleavings each time, for the seed stands in their names; twice as many as in every run."""

FEW: Final = 12
"""So many of the likeliest are run first, by themselves: to collect all tests takes longer than most of them."""

MOST: Final = 500
"""So many are run in all: a guard that none of them misses needs a test nearer to it, whatever a far-off one would say."""

NOTHING_RUN: Final = 5
"""What pytest ends with when no test was chosen."""

_FAILED: Final = re.compile(r"^(?:FAILED|ERROR) (\S+)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Tried:
    """One guard taken away: the first test that failed, None if none did, and the seconds it took."""

    guard: Guard
    noticed: str | None
    seconds: float


class Lane:
    """A copy of the tree with a PostgreSQL of its own."""

    def __init__(self, folder: Path, server: str, ran: Mapping[str, list[str]]) -> None:
        self._folder, self._server, self._ran = folder, server, ran
        for name in TREE:
            copy = shutil.copytree if (ROOT / name).is_dir() else shutil.copy
            copy(ROOT / name, folder / name)

    def try_without(self, guard: Guard) -> Tried:
        """Run the tests without this guard until one fails."""
        began = time.monotonic()
        file = self._folder / "sql" / guard.file
        body = file.read_text("utf-8")
        file.write_text(guard.taken_from(body), "utf-8")
        try:
            noticed = next(filter(None, (self._run(guard, tests) for tests in self._tests(guard))), None)
        finally:
            file.write_text(body, "utf-8")
        return Tried(guard, noticed, time.monotonic() - began)

    def _tests(self, guard: Guard) -> list[list[str]]:
        """The tests to be run, in parts: a few that are likeliest to miss it, of few files, and the next; nothing named is everything."""
        if guard.query == "schema":
            return [[]]
        chosen = likeliest_first(guard.kind, queries_with(guard.query), self._ran)
        return [part for part in (chosen[:FEW], chosen[FEW:MOST]) if part]

    def _run(self, guard: Guard, tests: Sequence[str]) -> str | None:
        """The first of these tests that fails; None if none does."""
        env = {**os.environ, **ORDERS, "PYTHONPATH": str(self._folder), "PLACET_TEST_DATABASE": self._server}
        if tests:
            chosen = self._folder / "chosen.json"
            chosen.write_text(json.dumps(tests))
            env[reach.ONLY] = str(chosen)
        files = dict.fromkeys(test.split("::")[0] for test in tests) or (*STATE, *REST)
        done = _pytest("-x", "-p", "no:xdist", *files, cwd=self._folder, env=env)
        if done.returncode not in (0, 1, NOTHING_RUN):
            raise AssertionError(
                f"the tests could not be run without {guard.name}:\n{done.stdout[-3000:]}{done.stderr[-3000:]}"
            )
        failed = _FAILED.search(done.stdout)
        return None if done.returncode in (0, NOTHING_RUN) else failed[1] if failed else "?"


def likeliest_first(kind: str, queries: Sequence[str], ran: Mapping[str, list[str]]) -> list[str]:
    """The tests that run one of these queries: those that are likeliest to miss a guard of this kind, then the quick, and those that run few others."""
    runs = Counter(test for tests in ran.values() for test in tests)
    first = FIRST.get(kind, ())

    def place(test: str) -> tuple[bool, int, int, str]:
        slow = 2 if test.startswith(SLOW) else 0 if test.startswith(QUICK) else 1
        return (not (first and test.startswith(first)), slow, runs[test], test)

    return sorted({test for query in queries for test in ran.get(query, [])}, key=place)


def _pytest(*arguments: str, cwd: Path, env: Mapping[str, str]) -> subprocess.CompletedProcess[str]:
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-p",
        "no:cacheprovider",
        "-p",
        "tests.guards.reach",
        "-o",
        "addopts=-ra",
    ]
    return subprocess.run([*command, *arguments], cwd=cwd, env=env, capture_output=True, text=True, check=False)


def _seen(lanes: int, kept: Path | None) -> dict[str, list[str]]:
    """Which tests run which query; from a file of an earlier run, if there is one."""
    if kept and kept.exists():
        return dict(json.loads(kept.read_text()))
    seen = _looked_for(lanes)
    if kept:
        kept.write_text(json.dumps(seen))
    return seen


def _looked_for(lanes: int) -> dict[str, list[str]]:
    print("every guard is there: the tests that each can be missed by are looked for", flush=True)
    with tempfile.TemporaryDirectory(prefix="placet-guards-") as folder:
        done = _pytest("-n", str(lanes), *STATE, *REST, cwd=ROOT, env={**os.environ, **ORDERS, reach.NOTED: folder})
        failed = set(_FAILED.findall(done.stdout))
        if failed:  # it could not tell whether a guard is missed
            print(f"left out, since they fail with every guard in its place: {', '.join(sorted(failed))}", flush=True)
        return {query: [test for test in ran if test not in failed] for query, ran in reach.noted(Path(folder)).items()}


def queries_with(name: str) -> list[str]:
    """The query of this name, or all that take in the fragment of this name."""
    bodies = {
        query.name: query.text
        for file, body in files().items()
        if "-- name:" in body
        for query in sql.parse(file, body)
    }
    taken_in = [other for other, text in bodies.items() if f"{{{name}}}" in text]
    return [name, *(query for other in taken_in for query in queries_with(other))]


def files() -> dict[str, str]:
    """The text of the queries and migrations, by name below sql/."""
    there = sorted((ROOT / "sql").rglob("*.sql"))
    return {str(path.relative_to(ROOT / "sql")): path.read_text("utf-8") for path in there if path.name != "schema.sql"}


def main() -> int:
    """Read the command line, try, tell."""
    say = argparse.ArgumentParser(prog="python -m tests.guards", description=__doc__)
    say.add_argument("--only", default="", help="only guards whose name contains this")
    say.add_argument(
        "--from", dest="begin", type=int, default=0, help="leave out so many of them, to go on where a run was stopped"
    )
    say.add_argument("--lanes", type=int, default=2, help="how many are tried at once")
    say.add_argument("--seen", type=Path, help="keep in this file which tests run which query, or take it from there")
    say.add_argument("--list", action="store_true", help="name the guards, and try none")
    asked = say.parse_args()
    chosen = [guard for guard in guards(files()) if asked.only in guard.name][asked.begin :]
    if asked.list:
        for guard in chosen:
            print(guard.name)
        return 0
    return _told(_tried(chosen, asked.lanes, _seen(asked.lanes, asked.seen)))


def _tried(chosen: Sequence[Guard], count: int, ran: Mapping[str, list[str]]) -> list[Tried]:
    lanes: SimpleQueue[Lane] = SimpleQueue()

    def one(guard: Guard) -> Tried:
        lane = lanes.get()
        try:
            tried = lane.try_without(guard)
        finally:
            lanes.put(lane)
        print(f"{tried.seconds:5.0f} s  {guard.name[:110]}: {tried.noticed or 'NOBODY NOTICED'}", flush=True)
        return tried

    with (
        tempfile.TemporaryDirectory(prefix="placet-guards-", ignore_cleanup_errors=True) as folder,
        ExitStack() as servers,
    ):
        for n in range(count):
            place = Path(folder) / str(n)
            place.mkdir()
            lanes.put(Lane(place, servers.enter_context(database.server(place / "postgres")), ran))
        with ThreadPoolExecutor(count) as hands:
            return list(hands.map(one, chosen))


def _told(tried: Sequence[Tried]) -> int:
    known = survivors.reasons()
    table = Table("guard", "without it", title="Guards that no test misses")
    wrong = 0
    for one in tried:
        reason = known.get(one.guard.name)
        if one.noticed is None:
            table.add_row(one.guard.name, reason or "NO REASON IS GIVEN")
        elif reason:
            table.add_row(one.guard.name, f"not true any more, it is missed by {one.noticed}: {reason}")
        wrong += (one.noticed is None) != (reason is not None)
    Console().print(table)
    lived = sum(one.noticed is None for one in tried)
    print(
        f"guards {len(tried)}, missed {len(tried) - lived}, survived {lived}, of them without a reason or wrongly listed {wrong}"
    )
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
