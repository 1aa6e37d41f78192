"""Where a process may be lost: a connection that counts its statements, and dies or is cut off at one of them, before it or after.

A move whose connection is cut is unknown to its caller: it may have been committed.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Literal, cast

import psycopg

from engine.rules.seal import Keys
from engine.state import db

How = Literal["dies before", "dies after", "cut before", "cut after"]


class Died(BaseException):
    """Our process is gone, as if somebody had pulled the plug: nothing of ours may catch it."""


@dataclass(slots=True)
class Fate:
    """What happens at the statement or outside call with this number; 0: nothing does. `met`: it has happened."""

    at: int = 0
    how: How = "dies before"
    crossed: int = 0
    met: bool = False

    def plan(self, at: int = 0, how: How = "dies before") -> None:
        self.at, self.how, self.crossed, self.met = at, how, 0, False

    @contextmanager
    def outside(self) -> Iterator[None]:
        """A call that leaves the process and is no statement."""
        here = self.comes()
        if here and self.how.endswith("before"):
            raise Died
        yield
        if here:
            raise Died

    def comes(self) -> bool:
        """Whether this is the one."""
        self.crossed += 1
        self.met = self.met or self.crossed == self.at
        return self.crossed == self.at


class Line(db.Conn):
    """A connection on which that happens."""

    fate: Fate
    control: psycopg.Connection[Any]

    def wait(self, *args: Any, **kwargs: Any) -> Any:
        """Every statement passes here, and nothing else does."""
        if not self.fate.comes():
            return super().wait(*args, **kwargs)
        if self.fate.how == "dies before":
            raise Died
        if self.fate.how == "cut before":
            self._cut()
        done = super().wait(*args, **kwargs)
        if self.fate.how == "dies after":
            raise Died
        self._cut()
        self.close()
        raise psycopg.OperationalError("the connection is lost: its answer did not arrive")
        return done

    def _cut(self) -> None:
        gone = self.control.execute("SELECT pg_terminate_backend(%s, 10000)", (self.info.backend_pid,)).fetchone()
        assert gone == (True,)


class Lines:
    """A pool of one such connection, made anew when it is lost."""

    def __init__(self, url: str, keys: Keys, fate: Fate, control: psycopg.Connection[Any]) -> None:
        self._url, self._keys, self._fate, self._control = url, keys, fate, control
        self._line: Line | None = None

    @property
    def pool(self) -> db.Pool:
        """As those take it who work with a pool."""
        return cast("db.Pool", self)

    @contextmanager
    def connection(self) -> Iterator[Line]:
        if self._line is None or self._line.closed:
            self._line = Line.connect(self._url, autocommit=True, prepare_threshold=0)
            self._line.keys, self._line.fate, self._line.control = self._keys, self._fate, self._control
        yield self._line

    def close(self) -> None:
        if self._line is not None:
            self._line.close()
