"""The embedded PostgreSQL comes up after anything: odd paths, a start that was cut off, a pid file that names somebody else."""

import os
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import psutil
import psycopg
import pytest

from bot.sandbox.postgres import postgres, start

START = "import sys; from pathlib import Path; from bot.sandbox.postgres import postgres; postgres(Path(sys.argv[1])).__enter__()"


def works(folder: Path) -> None:
    with postgres(folder) as url, psycopg.connect(url) as conn:
        assert conn.execute("SELECT 1").fetchone() == (1,)


@pytest.mark.parametrize("name", ["with a space", "quo'te", "l" * 110])
def test_a_folder_may_be_called_anything(tmp_path: Path, name: str) -> None:
    works(tmp_path / name)
    works(tmp_path / name)


@pytest.mark.parametrize("after", ["the first file", "the first folder of tables", "the version"])
def test_a_first_start_that_was_killed_leaves_nothing_in_the_way(tmp_path: Path, after: str) -> None:
    made = {"the first file": "", "the first folder of tables": "base", "the version": "PG_VERSION"}[after]
    starting = subprocess.Popen([sys.executable, "-W", "ignore", "-c", START, str(tmp_path)], start_new_session=True)
    while not any(tmp_path.glob(f"data.making.*/{made}")):
        assert starting.poll() is None, "it was over before it could be killed"
    for child in psutil.Process(starting.pid).children(recursive=True):
        with suppress(psutil.NoSuchProcess):  # each is over when its work is done
            child.kill()
    starting.kill()
    starting.wait()
    works(tmp_path)


@pytest.mark.parametrize("lock", ["postmaster.pid", ".s.PGSQL.5432.lock"])
def test_a_lock_that_names_another_process_is_set_aside(tmp_path: Path, lock: str) -> None:
    works(tmp_path)
    (tmp_path / "data" / lock).write_text(f"{os.getpid()}\n{tmp_path}/data\n1\n5432\n/tmp\n\n  0 0\nready\n")
    works(tmp_path)


def postmaster(folder: Path) -> psutil.Process:
    return psutil.Process(int((folder / "data" / "postmaster.pid").read_text().split("\n", 1)[0]))


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGQUIT])
def test_one_that_was_killed_is_started_again_with_what_it_had_and_one_that_runs_is_left_alone(
    tmp_path: Path, how: signal.Signals
) -> None:
    with postgres(tmp_path) as url:
        with psycopg.connect(url) as conn:
            conn.execute("CREATE TABLE kept AS SELECT 1 AS one")
        before = postmaster(tmp_path)
        family = [before, *before.children()]
        before.send_signal(how)
        psutil.wait_procs(family, timeout=30)
        place = start(tmp_path / "data")
        again = postmaster(tmp_path)
        assert again != before
        assert start(tmp_path / "data") == place
        assert postmaster(tmp_path) == again
        with psycopg.connect(url) as conn:
            assert conn.execute("SELECT one FROM kept").fetchone() == (1,)


@pytest.mark.parametrize("folder", ["/proc/x/y", "/dev/null/x"])
def test_where_nothing_can_be_written_it_says_so(folder: str) -> None:
    with (
        pytest.raises(RuntimeError, match=r"nothing can be written there .* Name another folder"),
        postgres(Path(folder)),
    ):
        pass


def test_what_is_somebody_elses_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "precious.txt").write_text("keep me")
    with pytest.raises(RuntimeError, match="something else"), postgres(tmp_path):
        pass
    assert (tmp_path / "data" / "precious.txt").read_text() == "keep me"
