"""The verbs of the halt: an operator stops every effect at once, and lets them go on. Waits and decisions go on meanwhile.

What has begun is finished: a call that is under way is not cut, and its receipt is kept.
"""

from typing import Literal, cast

from engine.models import Halt
from engine.state import db


def halt(conn: db.Conn, *, actor: str, surface: str, reason: str = "") -> Literal["halt", "already", "not_yours"]:
    """Stop every effect; or why not: it is stopped already, or the person holds no role of an operator. On record either way."""
    row = db.system_move(
        conn,
        "halt_effects",
        actor=actor,
        surface=surface,
        reason=reason,
    )
    return cast("Literal['halt', 'already', 'not_yours']", row["outcome"])


def lift(conn: db.Conn, *, actor: str, surface: str) -> Literal["unhalt", "not_halted", "not_yours"]:
    """Let effects go on; or why not: nothing stops them, or the person holds no role of an operator. On record either way."""
    row = db.system_move(conn, "lift_halt", actor=actor, surface=surface)
    return cast("Literal['unhalt', 'not_halted', 'not_yours']", row["outcome"])


def standing(conn: db.Conn) -> Halt | None:
    """The halt there is; None: effects may go on."""
    return db.one(conn, "halted", Halt)
