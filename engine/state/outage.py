"""What an error of the database says about the statement that met it: surely nothing was done, or nobody can tell.

For those who must answer a person within seconds. A statement is a transaction, so an error that the server reports has undone it;
only a connection that breaks while the answer is awaited leaves the question open.
"""

from typing import Final

import psycopg
from psycopg_pool import PoolClosed, PoolTimeout, TooManyRequests

_LOST: Final = ("08", "57P")
"""SQLSTATEs of a connection that broke or was broken off: the statement may have been committed before."""

Error: Final = (psycopg.Error, PoolTimeout, PoolClosed, TooManyRequests)
"""What a verb raises when the database is the matter."""


def surely_nothing(error: BaseException) -> bool:
    """Whether nothing can have been recorded; False: it may have been."""
    if isinstance(error, PoolTimeout | PoolClosed | TooManyRequests):
        return True
    return isinstance(error, psycopg.Error) and error.sqlstate is not None and not error.sqlstate.startswith(_LOST)
