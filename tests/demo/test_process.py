"""The demo as people start and stop it: as a process, with ^C, with kill -9, twice at once, and on what a crash left behind."""

import os
import queue
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import httpx
import psutil
import pytest

from bot.sandbox.house import CannotStart, clear
from bot.sandbox.player import Player
from engine.errors import Conflict
from engine.state import db, runs


class Demo:
    """`placet demo` on a folder, with what it prints as it prints it."""

    def __init__(self, folder: Path, *options: str) -> None:
        self.started = time.monotonic()
        self.process = subprocess.Popen(
            [sys.executable, "-m", "bot.cli", "demo", "--folder", str(folder), *options],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=os.environ | {"COLUMNS": "200"},
        )  # fmt: skip
        self._lines: queue.Queue[str] = queue.Queue()
        self.said: list[str] = []
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self._lines.put(line)

    def until(self, text: str, patience_s: float = 60) -> str:
        """The line that says the text."""
        deadline = time.monotonic() + patience_s
        while time.monotonic() < deadline:
            try:
                self.said.append(self._lines.get(timeout=0.5))
            except queue.Empty:
                assert self.process.poll() is None, "".join(self.said)
                continue
            if text in self.said[-1]:
                return self.said[-1]
        raise AssertionError(f"never said {text!r}: {''.join(self.said)}")

    def rest(self) -> list[str]:
        """All that it said, once it has ended."""
        while not self._lines.empty():
            self.said.append(self._lines.get())
        return self.said

    def ended(self) -> int:
        """Wait for its own end; its exit code."""
        return self._ended()

    def page(self) -> str:
        """Where the workspace is, as it was printed for Marta."""
        line = self.until("as=U0MARTA")
        self.address = "http://" + line.split("http://", 1)[1].split("/?", 1)[0]
        return self.address

    def end(self, number: int = signal.SIGINT) -> int:
        self.process.send_signal(number)
        return self._ended()

    def kill(self) -> None:
        self.process.kill()
        self._ended()

    def _ended(self) -> int:
        code = self.process.wait(40)
        self._reader.join()
        assert self.process.stdout is not None
        self.process.stdout.close()
        return code


def ours(folder: Path) -> list[psutil.Process]:
    """Every process that belongs to a demo on this folder."""
    found = []
    for process in psutil.process_iter(["cmdline"]):
        try:
            words = " ".join(process.info["cmdline"] or [])
            if str(folder) in words or str(folder) in process.environ().get("OUTSIDE_FOLDER", ""):
                found.append(process)
        except psutil.Error:
            continue
    return [p for p in found if p.pid != os.getpid()]


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    where = tmp_path / "demo"
    yield where
    for process in ours(where):
        process.kill()


def first_card_after(demo: Demo) -> float:
    with Player(demo.page(), patience_s=30) as player:
        player.until("Marta sees a card", lambda: player.find("U0MARTA", "PO-2026-0193"))
    return time.monotonic() - demo.started


def approved(player: Player) -> bool | None:
    """Press Approve once, unless the card says that it was; None while it does not, since a busy machine may have asked to try again."""
    card = player.find("U0MARTA", "PO-2026-0193", action="placet:approve")
    if card is not None:
        player.click("U0MARTA", card, "placet:approve")
    return None if card is not None else True


def gone(processes: list[psutil.Process], within_s: float = 20) -> bool:
    return psutil.wait_procs(processes, timeout=within_s)[1] == []


@pytest.mark.timeout(240)
def test_it_starts_shows_a_card_stops_on_interrupt_and_goes_on_where_it_was_even_after_kill_9(folder: Path) -> None:
    demo = Demo(folder)
    first_card_after(demo)
    everything = ours(folder)
    assert len(everything) > 3
    assert demo.end() == 0
    assert gone(everything)

    again = Demo(folder)
    warm = first_card_after(again)
    assert warm < 15, f"the first card came {warm:.1f} s after a warm start"
    with Player(again.address) as player:
        player.until("Marta has approved it", lambda: approved(player))
    children = [p for p in ours(folder) if p.pid != again.process.pid and "postgres" not in p.name()]
    again.kill()
    assert gone(children), "a killed demo leaves nothing on its ports"

    third = Demo(folder)
    with Player(third.page(), patience_s=60) as player:

        def paid() -> int | None:
            made = [
                p for p in player.get("/stripe/_payments")["payments"] if p["metadata"]["order_ref"] == "PO-2026-0193"
            ]
            return len(made) or None

        assert player.until("PO-2026-0193 is paid", paid) == 1
        player.until("its card says so", lambda: player.find("U0MARTA", "pi_"))
    assert third.end(signal.SIGTERM) == 0


@pytest.mark.timeout(240)
def test_when_all_is_settled_it_says_so_last_and_how_to_begin_anew_also_after_the_next_start(folder: Path) -> None:
    anew = "orders are settled, and nothing waits any more. To begin anew: ^C, then placet demo --fresh"
    demo = Demo(folder)
    first_card_after(demo)
    url = demo.until("export DATABASE_URL=").split("DATABASE_URL='")[1].split("'")[0]
    with db.connect(url) as conn:
        for run in runs.listed(conn, status="live", limit=100):
            with suppress(Conflict):  # the small ones are paid meanwhile
                runs.cancel(conn, run.id, actor="priya", person="priya", surface="tests")
    demo.until(anew)
    assert demo.end() == 0

    again = Demo(folder)
    assert "Ready after" in again.until("All 9 orders are settled, and nothing waits any more.")
    again.until(anew)
    assert not any("under way" in line or "Approve, deny or withdraw" in line for line in again.said)
    assert again.end() == 0


@pytest.mark.timeout(120)
def test_what_the_bot_works_with_outlives_it_when_the_demo_is_killed(folder: Path) -> None:
    demo = Demo(folder)
    demo.page()
    bot, outside = (
        next(p for p in ours(folder) if module in p.cmdline() and p.pid != demo.process.pid)
        for module in ("bot.cli", "bot.sandbox.outside")
    )
    bot.suspend()
    demo.kill()
    assert not gone([outside], within_s=3), "it would have told the bot's runs that no price can be had"
    bot.kill()
    assert gone([bot, outside])


@pytest.mark.timeout(120)
def test_an_outside_world_that_ends_is_started_again_where_it_was(folder: Path) -> None:
    demo = Demo(folder)
    first_card_after(demo)
    next(p for p in ours(folder) if "bot.sandbox.outside" in p.cmdline()).kill()
    demo.until("The outside world ended; it is started again.")
    with Player(demo.address, patience_s=30) as player:

        def card() -> object:
            try:
                return player.find("U0MARTA", "PO-2026-0193")
            except httpx.ConnectError:
                return None

        player.until("Marta sees a card again", card)
    assert demo.end() == 0


@pytest.mark.timeout(120)
def test_a_second_demo_on_the_folder_is_refused_with_what_to_do(folder: Path) -> None:
    demo = Demo(folder)
    demo.page()
    second = subprocess.run(
        [sys.executable, "-m", "bot.cli", "demo", "--folder", str(folder)],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert second.returncode == 1
    assert "Another placet demo" in second.stdout + second.stderr
    assert f"process {demo.process.pid}" in second.stdout + second.stderr
    assert demo.end() == 0


@pytest.mark.timeout(120)
def test_a_pid_file_that_names_somebody_elses_process_does_not_keep_it_from_starting(folder: Path) -> None:
    demo = Demo(folder)
    demo.page()
    assert demo.end() == 0
    pid_file = folder / "postgres" / "data" / "postmaster.pid"
    pid_file.write_text(f"{os.getpid()}\n{folder}/postgres/data\n1712346200\n5432\n/tmp\n\n  0 0\nready\n")
    again = Demo(folder)
    again.page()
    assert again.end() == 0


def test_a_port_that_is_taken_is_named(folder: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        ended = subprocess.run(
            [sys.executable, "-m", "bot.cli", "demo", "--folder", str(folder), "--port", port],
            capture_output=True, text=True, timeout=60, check=False,
        )  # fmt: skip
    assert ended.returncode == 1
    assert f"Port {port} is taken" in ended.stdout + ended.stderr


def test_only_a_folder_of_the_demo_is_ever_deleted(tmp_path: Path) -> None:
    (tmp_path / "precious.txt").write_text("keep me")
    with pytest.raises(CannotStart, match="not a folder of the demo"):
        clear(tmp_path)
    assert (tmp_path / "precious.txt").exists()


@pytest.mark.parametrize("fresh", [(), ("--fresh",)], ids=["goes on", "fresh"])
@pytest.mark.parametrize("place", ["/dev/null/x", "/proc/x", "/sys/kernel", "l" * 300], ids=lambda place: place[:12])
def test_a_folder_that_cannot_be_written_is_refused_with_a_sentence(
    place: str, fresh: tuple[str, ...], tmp_path: Path
) -> None:
    said = refused(str(tmp_path / place), *fresh)
    assert re.search("The demo cannot start. .*(Choose another place|Name another one)", said)


def test_files_that_are_no_database_are_left_alone_and_said_to_be_none(tmp_path: Path) -> None:
    data = tmp_path / "a [red] folder" / "postgres" / "data"
    data.mkdir(parents=True)
    (data / "PG_VERSION").write_text("hello")
    assert f"{data} holds files that are no PostgreSQL database." in refused(str(tmp_path / "a [red] folder"))
    assert [file.name for file in data.iterdir()] == ["PG_VERSION"]


def refused(folder: str, *more: str) -> str:
    """What a demo says that does not start on a folder."""
    command = [sys.executable, "-m", "bot.cli", "demo", "--no-browser", "--folder", folder, *more]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert ended.returncode == 1, ended
    assert "Traceback" not in ended.stderr
    return ended.stdout
