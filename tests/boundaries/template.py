"""A process with everything made and nothing connected, of which our process is forked again and again: a life costs little.

    python -m tests.boundaries.template SOCKET DATABASE OUTSIDE CERTIFICATE

`Template` is its other end. It has one thread, so that forking it is sound.
"""

import gc
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing.connection import Connection
from typing import Any, Final

from tests.boundaries.place import Place

LONGEST_S: Final = 60
"""No verb takes longer; one that does goes in circles."""


class Killed(Exception):
    """The process died as it was told to, with SIGKILL."""


@dataclass(frozen=True, slots=True)
class Failed:
    """What our process raised: a bug, and no kill."""

    trace: str


class Life:
    """One life of our process. `crossed`: the boundaries that it has told us of."""

    def __init__(self, line: Connection, pid: int, template: socket.socket) -> None:
        self.crossed = 0
        self._line, self._pid, self._template = line, pid, template

    def ask(self, verb: str, *args: Any) -> Any:
        """Have it do something. Raises Killed if it dies meanwhile."""
        self._line.send((verb, args))
        assert self._line.poll(LONGEST_S), f"it has done {verb} for {LONGEST_S} s, and goes on"
        try:
            answer, self.crossed = self._line.recv()
        except (EOFError, ConnectionResetError):
            self._gone()
            raise Killed from None
        assert not isinstance(answer, Failed), answer.trace
        return answer

    def kill(self) -> None:
        """Nothing of ours ever ends in good order here."""
        if self._pid:
            os.kill(self._pid, signal.SIGKILL)
            self._gone()

    def _gone(self) -> None:
        self._line.close()
        self._template.send(f"wait {self._pid}".encode())
        status = int(self._template.recv(64))
        assert os.WIFSIGNALED(status), f"it ended by itself, with {os.waitstatus_to_exitcode(status)}"
        assert os.WTERMSIG(status) == signal.SIGKILL
        self._pid = 0


class Template:
    """The process that is forked."""

    def __init__(self, control: socket.socket) -> None:
        self._control = control

    def live(self, dies_at: int | None = None) -> Life:
        """A new life, which ends at the boundary `dies_at`; None: when it is killed from here."""
        ours, theirs = socket.socketpair()
        socket.send_fds(self._control, [f"live {dies_at or 0}".encode()], [theirs.fileno()])
        theirs.close()
        return Life(Connection(ours.detach()), int(self._control.recv(64)), self._control)


@contextmanager
def template(place: Place) -> Iterator[Template]:
    """Start it, and end it."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    command = [sys.executable, "-m", __name__, str(theirs.fileno()), place.database, place.outside, place.certificate]
    with ours, subprocess.Popen(command, pass_fds=[theirs.fileno()]) as process:
        theirs.close()
        try:
            yield Template(ours)
        finally:
            process.kill()


def main(handle: str, *place: str) -> None:
    """Fork, and say how the forked ended, until nobody is at the other end."""
    from tests.boundaries.product import Product, live

    control, product = socket.socket(fileno=int(handle)), Product(Place(*place))
    gc.freeze()  # what is here is not walked over, and so not copied, in every life
    while True:
        order, handles, _, _ = socket.recv_fds(control, 64, 1)
        if not order:
            return
        what, number = order.split()
        if what == b"wait":
            control.send(str(os.waitpid(int(number), 0)[1]).encode())
            continue
        if pid := os.fork():
            os.close(handles[0])
            control.send(str(pid).encode())
            continue
        control.close()
        live(Connection(handles[0]), product, int(number) or None)
        return


if __name__ == "__main__":
    main(*sys.argv[1:])
