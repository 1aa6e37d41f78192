"""`placet demo --auto`, killed at ten random moments and started again each time with the same command: it ends as the story says."""

import os
import random
import signal
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import psutil
import pytest

from bot.sandbox import story
from bot.sandbox.journal import Journal
from bot.sandbox.provider import Provider
from tests.demo.test_process import Demo, ours

WHILE_STARTING_S, WHILE_PLAYING_S = (0.1, 4.0), (0.0, 5.0)
"""When it is killed: so long after its start three times, and so long after it is ready seven times, in any order."""


@pytest.fixture
def folder() -> Iterator[Path]:
    """A place for a demo; whatever is left on it is ended with the test."""
    with tempfile.TemporaryDirectory(prefix="placet-tests-", ignore_cleanup_errors=True) as made:
        yield (where := Path(made) / "demo")
        for process in ours(where):
            process.kill()


def kill(demo: Demo, folder: Path, what: str) -> None:
    """End it with SIGKILL, alone as `kill -9` does, or with all that it started but PostgreSQL."""
    started = [
        p for p in ours(folder) if what == "everything" and p.pid != demo.process.pid and "postgres" not in p.name()
    ]
    demo.kill()
    for process in started:
        try:
            process.kill()
        except psutil.NoSuchProcess:
            continue


@pytest.mark.timeout(900)
def test_the_story_ends_as_it_must_after_ten_kills(folder: Path) -> None:
    seed = os.environ.get("PLACET_DEMO_SEED") or str(random.randrange(1_000_000))
    dice, said = random.Random(seed), [f"PLACET_DEMO_SEED={seed}\n"]
    moments = dice.sample([WHILE_STARTING_S] * 3 + [WHILE_PLAYING_S] * 7, 10)
    try:
        for moment in moments:
            lives, what = dice.uniform(*moment), dice.choice(("the demo alone", "everything"))
            demo = Demo(folder, "--auto")
            if moment == WHILE_PLAYING_S:
                demo.until("Ready after", 120)
            time.sleep(lives)  # no signal would do: the moment is to be any
            kill(demo, folder, what)
            assert demo.process.returncode in (-signal.SIGKILL, 0), (
                demo.rest()
            )  # 0: it came to its end before that moment
            said += [*demo.rest(), f"-- killed after {lives:.2f} s: {what}\n"]
        demo = Demo(folder, "--auto")
        demo.until("Every line is as the story says.", 400)
        assert demo.ended() == 0, demo.rest()
    except AssertionError as error:
        log = folder / "logs" / "bot.log"
        error.add_note("".join(said) + "\n".join(log.read_text().splitlines()[-80:] if log.exists() else ()))
        raise
    assert paid(folder) == Counter({(line.ref, line.paid_minor): 1 for line in story.STORY if line.paid_minor})


def paid(folder: Path) -> Counter[tuple[str, int]]:
    """The payments that the provider made, by order and amount."""
    with closing(Journal(folder / "outside" / "provider.jsonl")) as journal:
        made = Provider(journal).payments()
    return Counter((p["metadata"]["order_ref"], p["amount"]) for p in made if p["status"] == "succeeded")
