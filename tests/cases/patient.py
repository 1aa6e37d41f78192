"""An agent whose tools take as long as a test wants: each waits at a gate that the test opens."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from engine import Agent, Effect, Money

agent = Agent("patient", model="claude-sonnet-5", system="Take your time.")


class Gate:
    """Where a tool waits. `reached` is set by the tool, `opened` by the test."""

    def __init__(self) -> None:
        self.reached, self.opened = threading.Event(), threading.Event()


_gates: dict[str, Gate] = {}


@contextmanager
def gates(*names: str) -> Iterator[list[Gate]]:
    """Gates by these names; opened at the end, so that no tool waits for ever."""
    made = {name: Gate() for name in names}
    _gates.update(made)
    try:
        yield list(made.values())
    finally:
        for name, gate in made.items():
            gate.opened.set()
            del _gates[name]


def _wait(name: str) -> None:
    gate = _gates[name]
    gate.reached.set()
    assert gate.opened.wait(30)


@agent.tool
def wait(at: str) -> str:
    """Wait at a gate."""
    _wait(at)
    return f"{at} passed"


@agent.tool(action="payment", amount="amount", timeout="40s", no_find="Nobody is paid.")
def pay(effect: Effect, at: str, amount: Money) -> dict[str, str]:
    """Pay, but wait at a gate first."""
    _wait(at)
    return {"reference": f"paid-{at}"}
