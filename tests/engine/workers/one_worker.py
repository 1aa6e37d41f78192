"""A worker in a process of its own, which stops at one moment, says so on its standard output, and waits there to be killed.

    python -m tests.engine.workers.one_worker DATABASE_URL MODEL_ADDRESS MOMENT

Moments, in order: claimed, model, before (nothing of the effect is begun), begun (the attempt is on record, no call made), paid (the
provider has said yes, and we have not recorded it), settled (we have).
"""

import sys
import threading
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, Final

from engine.models import Quote
from engine.state import db, runs
from engine.tool import Effect, Tool
from engine.tools import load
from engine.workers import loop, model
from engine.workers.means import Means
from tests.world import AGENT

MOMENTS: Final = ("claimed", "model", "before", "begun", "paid", "settled")


def main(url: str, address: str, moment: str) -> None:
    """Claim one run and advance it until the moment comes."""
    reached = _stopping_at(moment)
    agent = load([AGENT])["procurement"]
    charge = agent.tools["charge_supplier"]
    agent.tools["charge_supplier"] = _watched(charge, reached)
    complete = model.client("sk-ant-test", address, retries=0)
    with db.pool(url, size=2) as pool:
        means = Means(pool=pool, agents={agent.name: agent}, complete=_watching(complete, reached), name="killed")
        claim = means.do(runs.claim, means.name, [agent.name], lease_s=60)
        assert claim is not None
        reached("claimed")
        loop.advance(means, claim)
    sys.stdout.write("the moment never came\n")


def _stopping_at(moment: str) -> Callable[[str], None]:
    assert moment in MOMENTS

    def reached(now: str) -> None:
        if now == moment:
            sys.stdout.write(f"at {moment}\n")
            sys.stdout.flush()
            threading.Event().wait()

    return reached


def _watched(tool: Tool, reached: Callable[[str], None]) -> Tool:
    """The same tool, telling when its price is looked at before it is begun, when it is called, and when it was paid."""

    def quote(supplier_id: str, order_ref: str) -> Quote:
        reached("before")
        found = tool.companion("quote", supplier_id=supplier_id, order_ref=order_ref)
        assert isinstance(found, Quote)
        return found

    def pay(effect: Effect, **arguments: Any) -> Any:
        reached("begun")
        receipt = tool.function(effect, **arguments)
        reached("paid")
        return receipt

    return replace(tool, function=pay, companions={**tool.companions, "quote": quote})


def _watching(
    complete: Callable[..., Mapping[str, Any]], reached: Callable[[str], None]
) -> Callable[..., Mapping[str, Any]]:
    """The same model, telling when it is asked: first, and after the payment was settled."""

    def call(**request: Any) -> Mapping[str, Any]:
        reached("settled" if "payment_id" in str(request["messages"][-1]) else "model")
        return complete(**request)

    return call


if __name__ == "__main__":
    main(*sys.argv[1:])
