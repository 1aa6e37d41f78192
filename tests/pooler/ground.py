"""What a deployment may stand on besides one server of ours: Debian's PostgreSQL 15, and Debian's PgBouncer in transaction mode.

Neither runs as root, so that a test that is root starts them as the owner of their folder. A missing package is an error in CI, and
elsewhere a skip that names it.
"""

import os
import pwd
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import psycopg
import pytest
from psycopg.conninfo import conninfo_to_dict, make_conninfo

POSTGRESQL_15: Final = Path("/usr/lib/postgresql/15/bin")
PORT: Final = 6432
SHARED: Final = 4
"""Server connections behind the pooler for each database: fewer than there are clients, so that they are really shared."""


@contextmanager
def postgresql_15(folder: Path) -> Iterator[str]:
    """A server of its own on a fresh folder, reached by a socket in it; how to connect as its superuser."""
    _needs("postgresql-15", POSTGRESQL_15 / "initdb")
    _give(folder, "postgres")
    data, log = folder / "data", folder / "log"
    _as_owner(
        folder,
        POSTGRESQL_15 / "initdb",
        "-D",
        data,
        "-U",
        "postgres",
        "--auth=trust",
        "--no-sync",
        "-E",
        "UTF8",
        "--locale=C.UTF-8",
    )
    _as_owner(folder, POSTGRESQL_15 / "pg_ctl", "-D", data, "-w", "-l", log, "-o", f"-h '' -k {folder} -F", "start")
    try:
        yield make_conninfo(host=str(folder), user="postgres", dbname="postgres")
    finally:
        _as_owner(folder, POSTGRESQL_15 / "pg_ctl", "-D", data, "-m", "immediate", "stop")


@contextmanager
def pgbouncer(folder: Path, server: str) -> Iterator[str]:
    """PgBouncer in transaction mode before a server that is reached by a socket; what of a connection string to change to go through it."""
    found = shutil.which("pgbouncer", path="/usr/sbin:/usr/local/bin:/usr/bin")
    _needs("pgbouncer", Path(found or "/usr/sbin/pgbouncer"))
    behind = conninfo_to_dict(server)
    owner = pwd.getpwuid(Path(str(behind["host"])).stat().st_uid).pw_name
    folder.mkdir()
    _give(folder, owner)
    settings = folder / "pgbouncer.ini"
    settings.write_text(
        f"[databases]\n* = host={behind['host']} user={behind.get('user', 'postgres')}\n"
        f"[pgbouncer]\nlisten_port = {PORT}\nunix_socket_dir = {folder}\nauth_type = any\n"
        f"pool_mode = transaction\ndefault_pool_size = {SHARED}\n"
        "log_connections = 0\nlog_disconnections = 0\nlog_stats = 0\n"  # nobody reads on: a full pipe would hold it up
    )
    settings.chmod(0o644)
    through = make_conninfo(host=str(folder), port=PORT)
    with subprocess.Popen(
        [str(found), str(settings)], user=_switch(owner), stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stderr is not None
        try:
            heard = next(
                (line for line in process.stderr if "process up" in line or "fatal" in line.lower()), "it ended"
            )
            assert "process up" in heard, heard
            yield through
        finally:
            process.terminate()


def version_of(through: str) -> tuple[int, ...]:
    """Which PgBouncer answers there, as in (1, 18, 0)."""
    with psycopg.connect(make_conninfo(through, dbname="pgbouncer", user="pgbouncer"), autocommit=True) as console:
        [words] = psycopg.ClientCursor(console).execute("SHOW VERSION").fetchall()
    return tuple(int(part) for part in words[0].split()[1].split("."))


def _needs(package: str, program: Path) -> None:
    if not program.exists():
        assert os.environ.get("CI") != "true", f"{program} is missing. Install it: apt-get install {package}"
        pytest.skip(f"{program} is missing, so this was NOT TESTED. Install it: apt-get install {package}")


def _switch(owner: str) -> str | None:
    """As whom a process is started: itself, unless we are root."""
    return owner if os.geteuid() == 0 else None


def _give(folder: Path, owner: str) -> None:
    """Make the folder the owner's, and let them through to it."""
    if os.geteuid() == 0:
        shutil.chown(folder, owner)
        for above in folder.parents:
            if above.stat().st_uid == 0 and above != Path(above.anchor):
                above.chmod(above.stat().st_mode | 0o011)


def _as_owner(folder: Path, program: Path, *arguments: object) -> None:
    words: Sequence[str] = [str(program), *map(str, arguments)]
    done = subprocess.run(
        words, user=_switch(folder.owner()), cwd=folder, capture_output=True, text=True, check=False, timeout=60
    )
    assert done.returncode == 0, done.stdout + done.stderr
