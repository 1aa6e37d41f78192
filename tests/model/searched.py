"""placet.pml, read and searched: what it lists, and what spin finds in it. Where there is no spin the tests say so loudly; in CI they fail."""

import os
import re
import shutil
import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import pytest

MODEL: Final = Path(__file__).with_name("placet.pml")
TEXT: Final = MODEL.read_text("utf-8")
LINES: Final = TEXT.splitlines()

_PROPERTY: Final = re.compile(r"^#define ([A-Z_]+) +(\d+) /\* (?![A-Z]+:)(.+) \*/$", re.MULTILINE)
_GUARD: Final = re.compile(
    r"^#define ([A-Z_]+) +(\d+) /\* ([A-Z]+): (.+) \| (.+?)(?: \[([A-Z]+)\])? \*/$", re.MULTILINE
)
_SEARCH: Final = re.compile(r"^ \*   ([A-Z]+) +((?:-D\w+=\d+ )+) +(\S.+)$", re.MULTILINE)

MISSING: Final = "There is no spin or no gcc on this machine, so the model of the rules was NOT searched. Install spin and gcc to search it."
MOST_MB: Final = 2000


@dataclass(frozen=True, slots=True, kw_only=True)
class Guard:
    """A line of the model's list: the property that breaks without it, what it says, where it stands in the code, and the search that shows it."""

    name: str
    number: int
    keeps: str
    says: str
    stands: str
    shown_by: str


SEARCHES: Final[dict[str, tuple[str, ...]]] = {name: tuple(bounds.split()) for name, bounds, _ in _SEARCH.findall(TEXT)}
"""What spin is given for each search of the model's list."""

PROPERTIES: Final[dict[str, int]] = {name: int(number) for name, number, _ in _PROPERTY.findall(TEXT)}
GUARDS: Final = tuple(
    Guard(name=name, number=int(number), keeps=keeps, says=says, stands=stands, shown_by=shown_by or "CRASHES")
    for name, number, keeps, says, stands, shown_by in _GUARD.findall(TEXT)
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Search:
    """What a search came to; `seconds` is the search without the compiling."""

    output: str
    seconds: float

    @property
    def errors(self) -> int:
        return int(self._number(r"errors: (\d+)"))

    @property
    def states(self) -> int:
        return int(float(self._number(r"([\d.e+]+) states, stored")))

    @property
    def whole(self) -> bool:
        """Every state there is was looked at: kept exactly, and given up for no depth, memory or error."""
        given_up = ("not completed", "too small", "out of memory", "MEMLIM", "Bit statespace", "aborting")
        return "Full statespace search" in self.output and not [words for words in given_up if words in self.output]

    @property
    def broken(self) -> str:
        """The property that an assertion found broken: its number is in what the model's `hold` is expanded to."""
        [number] = re.findall(r"assertion violated \(\(\(\d!=0\)&&\(\d!=(\d)\)\)", self.output)
        [name] = [name for name, each in PROPERTIES.items() if each == int(number)]
        return name

    def unreached(self) -> Iterator[str]:
        """The lines of the model that no order leads to, but for the ends of processes that never end."""
        for line, what in re.findall(r'placet\.pml:(\d+), state \d+, "(.*)"', self.output):
            if what != "-end-":
                yield LINES[int(line) - 1].strip()

    def _number(self, pattern: str) -> str:
        found = re.search(pattern, self.output)
        assert found, self.output
        return str(found[1])


def search(folder: Path, name: str, *, only: str = "0", without: str = "0", ends: bool = True) -> Search:
    """Look at every state of this search for `only` this property ("0": for all), with one guard taken away. `ends`: a process stuck is an error too.

    Compiled without optimising, which would take longer than it saves.
    """
    if not (shutil.which("spin") and shutil.which("gcc")):
        if os.environ.get("CI") != "true":
            pytest.skip(MISSING)
        pytest.fail(MISSING)
    shutil.copy(MODEL, folder)
    _run(folder, "spin", "-a", f"-DONLY={only}", f"-DWITHOUT={without}", *SEARCHES[name], MODEL.name)
    _run(folder, "gcc", "-DSAFETY", f"-DMEMLIM={MOST_MB}", "-o", "pan", "pan.c")
    began = time.monotonic()
    output = _run(folder, "./pan", "-w21", *(() if ends else ("-E",)))
    return Search(output=output, seconds=time.monotonic() - began)


def _run(folder: Path, *words: str) -> str:
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr
