"""A process with everything made and nothing connected, of which our process is forked again and again: a life costs little.

    python -m tests.boundaries.template SOCKET PRODUCT DATABASE OUTSIDE JOURNALS CERTIFICATE

PRODUCT is a module with what is forked (`Product`) and how it lives (`live`).

`Template` is its other end. It has one thread, so that forking it is sound. What a first life had to import, it imports for all others.
"""

import gc
import importlib
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing.connection import Connection
from typing import Any, Final

from tests.boundaries.place import Place

LONGEST_S: Final = 60
"""No verb takes longer; one that does goes in circles."""
_LONGEST_ORDER: Final = 100_000


class Killed(Exception):
    """The process died as it was told to, with SIGKILL."""


@dataclass(frozen=True, slots=True)
class Failed:
    """What our process raised: a bug, and no kill."""

    trace: str


class Life:
    """One life of our process. `crossed`: the boundaries that it has told us of; `pid`: 0 when it is over.

    `changed`: those of them at which something had changed, if that is noted.
    """

    def __init__(self, line: Connection, pid: int, template: socket.socket) -> None:
        self.crossed, self.pid = 0, pid
        self.changed: list[int] = []
        self._line, self._template = line, template

    def ask(self, verb: str, *args: Any) -> Any:
        """Have it do something. Raises Killed if it dies meanwhile."""
        self.tell(verb, *args)
        return self.answer()

    def tell(self, verb: str, *args: Any) -> None:
        """Have it do something, and wait for nothing."""
        self._line.send((verb, args))

    def answer(self) -> Any:
        """What came of what it was told last. Raises Killed if it died meanwhile."""
        assert self._line.poll(LONGEST_S), f"it has been at it for {LONGEST_S} s, and goes on"
        try:
            answer, self.crossed, self.changed = self._line.recv()
        except (EOFError, ConnectionResetError):
            self._killed()
            raise Killed from None
        assert not isinstance(answer, Failed), answer.trace
        return answer

    def kill(self) -> None:
        """Hardly anything of ours ends in good order here."""
        if self.pid:
            os.kill(self.pid, signal.SIGKILL)
            self._killed()

    def ended(self) -> None:
        """It was told to stop, and does so in good order."""
        assert (status := self._gone()) == 0, f"it was to end by itself, and ended with {status}"

    def _killed(self) -> None:
        assert (status := self._gone()) == -signal.SIGKILL, f"it was to be killed, and ended with {status}"

    def _gone(self) -> int:
        """How it ended: its exit code, or the signal as a negative number."""
        self._line.close()
        self._template.send(f"wait {self.pid}".encode())
        self.pid = 0
        return os.waitstatus_to_exitcode(int(self._template.recv(64)))


class Template:
    """The process that is forked."""

    def __init__(self, control: socket.socket) -> None:
        self._control = control

    def live(self, dies_at: int | None = None, *, sealed: bool = False, noting: bool = False) -> Life:
        """A new life, which ends at the boundary `dies_at`; None: when it is killed from here.

        `sealed`: it has the key. `noting`: it notes at which boundaries something has changed.
        """
        ours, theirs = socket.socketpair()
        socket.send_fds(self._control, [f"live {dies_at or 0} {sealed:d} {noting:d}".encode()], [theirs.fileno()])
        theirs.close()
        return Life(Connection(ours.detach()), int(self._control.recv(64)), self._control)

    def learn(self, modules: Iterable[str]) -> None:
        """Import these for all lives to come."""
        self._control.send(f"learn {' '.join(modules)}".encode())
        self._control.recv(64)


@contextmanager
def template(place: Place, product: str = "tests.boundaries.product") -> Iterator[Template]:
    """Start it, and end it. `product`: the module of what is forked."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    command = [
        sys.executable,
        "-m",
        __name__,
        str(theirs.fileno()),
        product,
        place.database,
        place.outside,
        place.journals,
        place.certificate,
    ]
    with ours, subprocess.Popen(command, pass_fds=[theirs.fileno()]) as process:
        theirs.close()
        try:
            yield Template(ours)
        finally:
            process.kill()


def main(handle: str, module: str, *place: str) -> None:
    """Fork, and say how the forked ended, until nobody is at the other end."""
    ours = importlib.import_module(module)
    control, product = socket.socket(fileno=int(handle)), ours.Product(Place(*place))
    gc.freeze()  # what is here is not walked over, and so not copied, in every life
    while True:
        order, handles, _, _ = socket.recv_fds(control, _LONGEST_ORDER, 1)
        what, *words = order.decode().split() or ["end"]
        match what:
            case "end":
                return
            case "wait":
                control.send(str(os.waitpid(int(words[0]), 0)[1]).encode())
            case "learn":
                _learn(words)
                control.send(b"learnt")
            case _ if pid := os.fork():
                os.close(handles[0])
                control.send(str(pid).encode())
            case _:
                control.close()
                dies_at, sealed, noting = map(int, words)
                ours.live(Connection(handles[0]), product, dies_at or None, sealed=bool(sealed), noting=bool(noting))
                return


def _learn(modules: Iterable[str]) -> None:
    for module in modules:
        importlib.import_module(module)
    gc.collect()
    gc.freeze()


if __name__ == "__main__":
    main(*sys.argv[1:])
