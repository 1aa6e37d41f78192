"""Writes a database full of unfinished business with the code of one release, to be kept for all that come after it.

    git worktree add /tmp/release COMMIT && cd /tmp/release && PYTHONPATH=. python THIS_FILE FOLDER

leaves in FOLDER `database.sql`, the journals of the provider and the suppliers as they were then, and `code.zip`, the release itself.
What is written is told by `SCENES`; the tests of releases say what has to become of each.
"""

import hashlib
import re
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final
from uuid import UUID

from psycopg.conninfo import conninfo_to_dict

from bot.sandbox.faults import Fault
from engine.rules import people as people_rules
from engine.rules.seal import Keys
from engine.state import pauses, people, policies, runs
from engine.workers.sweep import Sweeper
from examples.procurement.agent import agent
from tests import database, rows, world

KEYS: Final = Keys.parse("first:" + hashlib.sha256(b"the first release").hexdigest())
POLICY: Final = (database.EXAMPLES / "policy.toml").read_text("utf-8")
TWO_VOTES: Final = re.sub(
    r'person = "marta".*?finally = "deny"',
    'role = "finance-approver"\napprovers = 2\nanswer_within = "4h"\non_expiry = "deny"',
    POLICY.replace("fin-approvals-v4", "fin-approvals-v3"),
    flags=re.DOTALL,
)
PEOPLE: Final = (
    (database.EXAMPLES / "people.toml").read_text("utf-8").replace('"operator"]', '"operator", "finance-approver"]')
)
"""Those of the example, with Otto as a third approver: so many must there be for two to approve."""

KEPT: Final = ("sql", "engine", "bot", "examples", "pyproject.toml")
LEFT_OUT: Final = ("bot/sandbox/", "examples/procurement/card.png")


def main() -> None:
    """Write it all into the folder that is named."""
    out = Path(sys.argv[1])
    out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, database.server(Path(folder)) as server:
        url = database.migrated(server, "released")
        database.empty(url)
        with world.world(out) as outside, database.pool(url, 2, KEYS) as pool, pool.connection() as conn:
            everybody = people_rules.parse(PEOPLE)
            people.load(conn, everybody, actor="finance")
            means = world.means(pool, outside)
            for ref, (policy, write) in SCENES.items():
                policies.apply(conn, policy, everybody, actor="finance")
                launch = agent.launch(input=world.order(ref), on_behalf_of="priya", launch_key=ref)
                run_id, _ = runs.launch(conn, launch, actor="priya", surface="cli")
                world.work(means)
                write(means, outside, conn, run_id)
        _dump(server, out / "database.sql")
    _pack(out / "code.zip")


def _waits(_means: Any, _outside: world.World, conn: Any, run_id: UUID) -> None:
    """Nobody has answered yet."""
    assert runs.get(conn, run_id).status == "awaiting_approval"


def _has_a_vote(_means: Any, _outside: world.World, conn: Any, run_id: UUID) -> None:
    """Marta has given the first of two votes."""
    pauses.approve(conn, _pause(conn, run_id), "marta", surface="slack")
    assert pauses.get(conn, _pause(conn, run_id)).votes_left == 1


def _escalated(means: Any, _outside: world.World, conn: Any, run_id: UUID) -> None:
    """Marta did not answer; it is with Otto."""
    rows.make_due(conn, _pause(conn, run_id))
    Sweeper(means.pool).run()
    assert pauses.get(conn, _pause(conn, run_id)).approver == "person:otto"


def _held(_means: Any, _outside: world.World, conn: Any, run_id: UUID) -> None:
    """An operator wishes it to stop; it waits for Marta still."""
    runs.hold(conn, run_id, actor="otto", surface="cli")


def _approved(_means: Any, _outside: world.World, conn: Any, run_id: UUID) -> None:
    """Marta said yes, and no worker has gone on with it."""
    pauses.approve(conn, _pause(conn, run_id), "marta", surface="slack")
    assert runs.get(conn, run_id).status == "queued"


def _in_doubt(means: Any, outside: world.World, conn: Any, run_id: UUID) -> None:
    """The provider paid, did not say so, and could not be asked."""
    pauses.approve(conn, _pause(conn, run_id), "marta", surface="slack")
    outside.provider.faults.plan(
        Fault(kind="500_after", match={"endpoint": "create"}),
        Fault(kind="down", match={"endpoint": "list"}, times=None),
    )
    world.work(means)
    assert runs.get(conn, run_id).status == "in_doubt"
    outside.provider.faults.clear()


def _done(means: Any, _outside: world.World, conn: Any, run_id: UUID) -> None:
    """Marta said yes, it was paid, and the run is over."""
    pauses.approve(conn, _pause(conn, run_id), "marta", surface="slack")
    world.work(means)
    assert runs.get(conn, run_id).status == "done"


def _pause(conn: Any, run_id: UUID) -> UUID:
    return runs.get(conn, run_id).pauses[-1]


def _dump(server: str, out: Path) -> None:
    [pg_dump] = Path(sys.prefix).rglob("pginstall18/bin/pg_dump")
    host = str(conninfo_to_dict(server)["host"])
    command = [
        str(pg_dump),
        "--host",
        host,
        "--username",
        "postgres",
        "--inserts",
        "--no-owner",
        "--no-privileges",
        "released",
    ]
    out.write_bytes(subprocess.run(command, check=True, capture_output=True).stdout)


def _pack(out: Path) -> None:
    files = subprocess.run(["git", "ls-files", *KEPT], check=True, capture_output=True, text=True).stdout.splitlines()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as kept:
        for file in files:
            if not file.startswith(LEFT_OUT):
                kept.write(file)


SCENES: Final[Mapping[str, tuple[str, Callable[..., None]]]] = {
    "PO-voted": (TWO_VOTES, _has_a_vote),
    "PO-done": (POLICY, _done),
    "PO-waits": (POLICY, _waits),
    "PO-refused": (POLICY, _waits),
    "PO-late": (POLICY, _waits),
    "PO-withdrawn": (POLICY, _waits),
    "PO-escalated": (POLICY, _escalated),
    "PO-held": (POLICY, _held),
    "PO-doubt": (POLICY, _in_doubt),
    "PO-approved": (POLICY, _approved),  # the last: nobody works after it
}
"""By order: the policy it was asked under, and what had happened to it when the release was stopped. Each is for EUR 38,000.00."""

if __name__ == "__main__":
    main()
