"""The demo's processes: PostgreSQL, the outside world, and the real bot, each started, waited for, watched and stopped.

The one rule: everything that was started is stopped, whatever happens to us, and nothing that people or agents did is lost with it.
"""

import fcntl
import os
import secrets
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import httpx

from bot.sandbox import outside
from bot.sandbox.postgres import postgres

HOST: Final = "127.0.0.1"
PAGE_PORT: Final = 8477
START_S: Final = 60.0
MARK: Final = "placet-demo"
"""A file in every folder of the demo; only a folder that has it is ever deleted."""

EXAMPLE: Final = Path(__file__).resolve().parents[2] / "examples" / "procurement"


class CannotStart(RuntimeError):
    """The demo cannot run; the message says why and what to do."""


@dataclass(slots=True, kw_only=True)
class House:
    """The running demo. `token` opens the bot's HTTP API; `resumed`: there was a database already, and things may have happened in it."""

    folder: Path
    database_url: str
    page_url: str
    bot_url: str
    token: str
    env: Mapping[str, str]
    resumed: bool
    _page: socket.socket
    _bot: subprocess.Popen[bytes] | None = field(default=None)
    _outside: subprocess.Popen[bytes] | None = field(default=None)

    def start_outside(self, module: str = "bot.sandbox.outside") -> None:
        """Start the workspace, the provider, the suppliers and the model; back when they answer."""
        handed_on = self._page.fileno() < 0
        # Bound by us and handed on, so that nobody can take the port in between and answer in their place.
        with _listening(int(self.page_url.rpartition(":")[2])) if handed_on else self._page as page:
            self._outside = self._spawn("outside", [module], page.fileno(), OUTSIDE_SOCKET=str(page.fileno()))
        self._await("outside", self._outside, f"{self.page_url}/_ready")

    def start_bot(self, *parts: str) -> None:
        """Start the real bot, all of it in one process, or these parts of it; back when it is ready."""
        only = [word for part in parts for word in ("--only", part)]
        # The bot holds the outside's lifeline too, so that the outside outlives it.
        lifeline = self._outside.stdin if self._outside else None
        self._bot = self._spawn("bot", ["bot.cli", "serve", *only], *([lifeline.fileno()] if lifeline else []))
        self._await("bot", self._bot, f"{self.bot_url}/readyz")

    def kill_bot(self) -> None:
        """SIGKILL: as a power cut would, with no chance to say goodbye."""
        assert self._bot is not None
        self._bot.kill()
        _reap(self._bot)

    def fallen(self) -> str | None:
        """Which process has ended by itself; None if all run."""
        for name, process in (("bot", self._bot), ("outside", self._outside)):
            if process is not None and process.poll() is not None:
                return name
        return None

    def log(self, name: str) -> Path:
        """Where a process writes what it has to say."""
        return self.folder / "logs" / f"{name}.log"

    def stop(self) -> None:
        """Stop the bot first, so that it can still tell Slack what it did."""
        for process in filter(None, (self._bot, self._outside)):
            process.terminate()
            try:
                process.wait(15)
            except subprocess.TimeoutExpired:
                process.kill()
            _reap(process)

    def _spawn(self, name: str, command: list[str], *handed: int, **env: str) -> subprocess.Popen[bytes]:
        log = self.log(name)
        log.parent.mkdir(parents=True, exist_ok=True)
        with log.open("ab") as sink:
            return subprocess.Popen(
                [sys.executable, "-W", "ignore", "-m", "bot.sandbox.child", *command],
                stdin=subprocess.PIPE,
                stdout=sink,
                stderr=sink,
                pass_fds=handed,
                env={**self.env, **env},
                start_new_session=True,  # ^C is ours to handle, in the right order
            )

    def _await(self, name: str, process: subprocess.Popen[bytes], url: str) -> None:
        deadline = time.monotonic() + START_S
        while time.monotonic() < deadline:
            if process.poll() is not None:
                raise CannotStart(f"The {name} ended while it was starting. Its last words:\n{_tail(self.log(name))}")
            try:
                if httpx.get(url, timeout=2).is_success:
                    return
            except httpx.HTTPError:
                pass
            time.sleep(0.05)
        raise CannotStart(f"The {name} did not answer within {START_S:.0f} seconds. Its log is {self.log(name)}.")


@contextmanager
def house(folder: Path, *, port: int | None, env: Mapping[str, str], say: Callable[[str], Any]) -> Iterator[House]:
    """PostgreSQL started and a House made on the folder; start_outside and start_bot are the caller's. All is stopped at the end.

    `port` is the page's; None takes 8477, or any free one if that is taken; 0 any free one. Raises CannotStart.
    """
    resumed = _prepare(folder)
    with ExitStack() as stack:
        stack.enter_context(_only_one(folder))
        page = stack.enter_context(_page(port))
        page_port, bot_port = page.getsockname()[1], _free_port()
        say("Starting PostgreSQL")
        try:
            url = stack.enter_context(postgres(folder / "postgres"))
        except (RuntimeError, OSError) as error:
            raise CannotStart(str(error)) from error
        token = secrets.token_hex(32)
        made = House(
            folder=folder,
            database_url=url,
            page_url=f"http://{HOST}:{page_port}",
            bot_url=f"http://{HOST}:{bot_port}",
            token=token,
            env={**_environment(folder, url, page_port, bot_port, token), **env},
            resumed=resumed,
            _page=page,
        )
        stack.callback(made.stop)
        yield made


def _prepare(folder: Path) -> bool:
    """Make the folder, and see that it can be written in and that its database is one; whether there is one."""
    with _on_disk(folder, "cannot be used"):
        folder.mkdir(parents=True, exist_ok=True)
        (folder / MARK).touch()
        data = folder / "postgres" / "data"
        version = data / "PG_VERSION"
        if data.exists() and any(data.iterdir()) and not (version.exists() and version.read_bytes().strip().isdigit()):
            raise CannotStart(
                f"{data} holds files that are no PostgreSQL database. Move them away, or choose another place with --folder."
            )
        return data.exists()


def clear(folder: Path) -> None:
    """Delete a demo's folder, so that the next start begins anew. Raises CannotStart for one that is not a demo's, or cannot be deleted."""
    with _on_disk(folder, "cannot be deleted"):
        if not folder.exists():
            return
        if not (folder / MARK).exists():
            raise CannotStart(
                f"{folder} is not a folder of the demo, so it is not deleted. Name another one with --folder."
            )
        with _only_one(folder):
            shutil.rmtree(folder)


@contextmanager
def _on_disk(folder: Path, what: str) -> Iterator[None]:
    """What the operating system refuses is said in a sentence."""
    try:
        yield
    except OSError as error:
        raise CannotStart(
            f"The folder {folder} {what}: {error.strerror}. Choose another place, as in --folder ~/placet-demo"
        ) from None


def _environment(folder: Path, url: str, page_port: int, bot_port: int, token: str) -> dict[str, str]:
    page = f"http://{HOST}:{page_port}"
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("SLACK_", "PLACET_", "ANTHROPIC_", "STRIPE_"))
    }
    return kept | {
        "DATABASE_URL": url,
        "SLACK_BOT_TOKEN": outside.BOT_TOKEN,
        "SLACK_SIGNING_SECRET": outside.SIGNING_SECRET,
        "SLACK_API_URL": f"{page}/slack/api/",
        "ANTHROPIC_API_KEY": "sk-ant-local",
        "ANTHROPIC_BASE_URL": f"{page}/anthropic",
        "STRIPE_API_KEY": outside.PROVIDER_KEY,
        "STRIPE_API_BASE": f"{page}/stripe",
        "SUPPLIERS_URL": f"{page}/suppliers",
        "PLACET_API_TOKEN": token,
        "PLACET_AGENTS": "examples.procurement.agent",
        "PLACET_ENV": "demo",
        "PLACET_LEASE": "5",
        "HOST": HOST,
        "PORT": str(bot_port),
        "OUTSIDE_FOLDER": str(folder / "outside"),
        "OUTSIDE_APP_URL": f"http://{HOST}:{bot_port}/slack/events",
        "OUTSIDE_ORDERS": str(EXAMPLE / "orders.csv"),
        "PYTHONUNBUFFERED": "1",
    }


@contextmanager
def _only_one(folder: Path) -> Iterator[None]:
    """One demo per folder: two would run two servers over the same files."""
    with (folder / MARK).open("a+") as mark:
        try:
            fcntl.flock(mark, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            mark.seek(0)
            raise CannotStart(
                f"Another placet demo (process {mark.read().strip() or 'unknown'}) runs on {folder}. Use its page, stop it with ^C, "
                "or start a second one with --folder."
            ) from None
        mark.truncate(0)
        mark.write(str(os.getpid()))
        mark.flush()
        yield


def _page(wanted: int | None) -> socket.socket:
    """A listening socket for the page."""
    try:
        return _listening(PAGE_PORT if wanted is None else wanted)
    except OSError:
        if wanted is None:
            return _listening(0)
        raise CannotStart(
            f"Port {wanted} is taken by another program. Choose one with --port, or leave --port out."
        ) from None


def _listening(port: int) -> socket.socket:
    return socket.create_server((HOST, port))


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        port: int = probe.getsockname()[1]
        return port


def _reap(process: subprocess.Popen[bytes]) -> None:
    process.wait()
    if process.stdin is not None:
        process.stdin.close()


def _tail(log: Path, lines: int = 15) -> str:
    return "\n".join(log.read_text(errors="replace").splitlines()[-lines:]) if log.exists() else "(it said nothing)"
