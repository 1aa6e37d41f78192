"""The database role that the application works as: it may add to the record, and neither change nor remove what is on it.

Granted by whoever owns the tables, with `placet migrate --app-role`; what is granted stands in sql/system.sql.
"""

import psycopg

from engine.errors import BadInput
from engine.state import db, events


def grant(conn: db.Conn, role: str, *, actor: str = "system", surface: str = "cli") -> None:
    """Give a role what the application needs, and take from it what it does not. Raises BadInput, and then nothing was changed."""
    try:
        with conn.transaction():
            found = db.one(conn, "app_role", dict, role=role)
            if found is None:
                make = f"CREATE ROLE {role} LOGIN PASSWORD '...'"
                raise BadInput(
                    "--app-role", f"there is no role {role!r} in this database. Make it first, in psql: {make}"
                )
            if found["cannot_be_bound"]:
                can = "is a superuser, may make roles, or owns the tables"
                raise BadInput(
                    "--app-role", f"{role} {can}, so that nothing can be kept from it. Use a role of its own."
                )
            if not found["may_grant"]:
                raise BadInput(
                    "--app-role", "the role of DATABASE_URL does not own the tables. Migrate as their owner."
                )
            db.execute(conn, "grant_app_role")
            events.record(conn, "migrate", subject="app role", detail=role, actor=actor, surface=surface)
    except psycopg.errors.InsufficientPrivilege as refused:
        why = f"the role of DATABASE_URL may not give it its rights ({refused.diag.message_primary})."
        raise BadInput(
            "--app-role", f"{why} Migrate as the owner of the tables who may also alter that role."
        ) from None
