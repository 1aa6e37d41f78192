"""What an error of the database says about the statement that met it: surely nothing was done, or nobody can tell.

For those who must answer a person within seconds. A statement is a transaction, so an error that the server reports has undone it;
only a connection that breaks while the answer is awaited leaves the question open.
"""

from typing import Final

import psycopg
from psycopg_pool import PoolClosed, PoolTimeout, TooManyRequests

import sql as queries
from engine.state import db

NO_TABLES: Final = "The database holds no tables of Placet yet. Make them: placet migrate"
"""What to say of a database that answers, and was never migrated."""

_LOST: Final = ("08", "57P")
"""SQLSTATEs of a connection that broke or was broken off: the statement may have been committed before."""

Error: Final = (psycopg.Error, PoolTimeout, PoolClosed, TooManyRequests)
"""What a verb raises when the database is the matter."""
Away: Final = (psycopg.OperationalError, PoolTimeout, PoolClosed, TooManyRequests)
"""Those of them that are nobody's fault and pass by themselves: it cannot be reached, is overrun, or took too long."""

Unstorable: Final = psycopg.DataError
"""Those of them that are about a value, such as a NUL in a text, and not about the database: nothing was recorded."""


def surely_nothing(error: BaseException) -> bool:
    """Whether nothing can have been recorded; False: it may have been."""
    if isinstance(error, PoolTimeout | PoolClosed | TooManyRequests):
        return True
    if not isinstance(error, psycopg.Error):
        return False
    if isinstance(error, Unstorable):
        return True
    never_connected = error.pgconn is not None  # psycopg sets it on what met an attempt to connect, and on nothing else
    return never_connected or (error.sqlstate is not None and not error.sqlstate.startswith(_LOST))


def unfit(pool: db.Pool) -> str | None:
    """Why the database cannot be worked with now; None: it takes writes. One that only reads, as a former primary does, is not fit.

    A connection to such a one is closed, so that the next may find the new primary.
    """
    try:
        with pool.connection() as conn:
            try:
                db.execute(conn, "writes")
            except psycopg.errors.ReadOnlySqlTransaction:
                return "The database only reads. If it was the primary once, send connections to the new one."
    except psycopg.errors.UndefinedTable:
        return NO_TABLES
    except Error as error:
        why = " ".join(str(error).split()).rstrip(".") or type(error).__name__
        if getattr(error, "sqlstate", None) is not None:  # the server itself said so, and so was reached
            return f"The database failed: {why}."
        return f"The database cannot be reached: {why}. Check that PostgreSQL runs and that DATABASE_URL names it."
    return None


def behind(conn: db.Conn) -> str | None:
    """Which migration is missing; None: none that this release knows, for one after it takes nothing away. Raises one of Error."""
    newest = queries.migrations()[-1][0]
    row = db.one(conn, "schema_version", dict)
    has = row["name"] if row else None
    return (
        None
        if has and has >= newest
        else f"The database is at {has or 'nothing'}, and this version needs {newest}. Run: placet migrate"
    )
