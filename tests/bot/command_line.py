"""The real command line for tests: in this process, against the real database; and a look at whether anything was written."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

from psycopg.conninfo import conninfo_to_dict
from typer.testing import CliRunner

from bot.cli import app

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples" / "procurement"
NOT_OURS = dict.fromkeys(("DATABASE_URL", "PLACET_AGENTS", "SLACK_BOT_TOKEN", "ANTHROPIC_API_KEY", "COLUMNS"))
NOWHERE = "postgresql://placet@127.0.0.1:1/placet"


@dataclass(frozen=True, slots=True)
class Said:
    """How a command ended and what it wrote, with the blanks of tables taken for one."""

    code: int
    out: str
    err: str


def placet(database: str | None, *args: str, **environ: str) -> Said:
    """Run a command; `database` is any conninfo, None for no DATABASE_URL at all."""
    given = {"PLACET_AGENTS": "examples.procurement.agent", **environ}
    if database is not None:
        given["DATABASE_URL"] = as_url(database)
    result = CliRunner(env={**NOT_OURS, **given}).invoke(app, args, prog_name="placet")
    if result.exception and not isinstance(result.exception, SystemExit):
        raise result.exception
    return Said(result.exit_code, _one_blank(result.stdout), _one_blank(result.stderr))


def process(database: str | None, *args: str) -> Said:
    """The same as a process of its own, as a shell starts it."""
    kept = {name: value for name, value in os.environ.items() if name not in NOT_OURS}
    given = {"DATABASE_URL": as_url(database)} if database is not None else {}
    done = subprocess.run(
        [sys.executable, "-m", "bot.cli", *args], cwd=ROOT, env={**kept, **given}, capture_output=True, text=True, check=False, timeout=60
    )  # fmt: skip
    return Said(done.returncode, _one_blank(done.stdout), _one_blank(done.stderr))


def as_url(conninfo: str) -> str:
    """The same address as people write it in DATABASE_URL."""
    if conninfo.startswith("postgres"):
        return conninfo
    parts = conninfo_to_dict(conninfo)
    where = f"?host={quote(str(parts['host']), safe='')}" + (f"&port={parts['port']}" if "port" in parts else "")
    password = f":{quote(str(parts['password']), safe='')}" if "password" in parts else ""
    return f"postgresql://{parts['user']}{password}@/{parts['dbname']}{where}"


@contextmanager
def untouched(conn: Any) -> Iterator[None]:
    """Nothing in any table is another after than before."""
    before = everything(conn)
    yield
    assert everything(conn) == before


def everything(conn: Any) -> dict[str, list[Any]]:
    """All rows of all tables."""
    tables = conn.execute("SELECT relname FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace")
    return {
        name: conn.execute(f'SELECT t::text FROM "{name}" t ORDER BY 1').fetchall() for (name,) in tables.fetchall()
    }


def _one_blank(text: str) -> str:
    return "\n".join(" ".join(line.split()) for line in text.splitlines() if line.strip())
