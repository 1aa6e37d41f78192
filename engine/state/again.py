"""The one verb of asking again for what lapsed: a new run, and nothing of the old request in it but what the model had said."""

from uuid import UUID

from engine.models import AskedAgain, NotAskedAgain
from engine.rules import digest
from engine.state import db, pauses


def ask(conn: db.Conn, pause_id: UUID, actor: str, *, surface: str) -> AskedAgain | NotAskedAgain:
    """Its requester has a request asked again that expired, was withdrawn by them, or was voided. A second time it says which run does.

    Raises NotFound for an unknown pause.
    """
    altered = not pauses.get(conn, pause_id).intact
    row = db.move(
        conn, "ask_again", f"pause {pause_id}", id=db.new_id(), pause_id=pause_id, actor=actor, surface=surface, altered=altered,
        genesis=digest.GENESIS,
    )  # fmt: skip
    if row["outcome"] in ("asked", "already"):
        return AskedAgain(pause_id=pause_id, again_run=row["again_run"], new=row["outcome"] == "asked")
    return NotAskedAgain(
        pause_id=pause_id, run_id=row["run_id"], status=row["status"], why=row["outcome"], other=row["other"]
    )
