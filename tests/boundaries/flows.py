"""Every flow of which no death may break a promise, named in one place: what is given, what happens, and how it must end."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from bot.cards import ids
from bot.sandbox.buyer import buyer
from bot.sandbox.faults import Fault
from bot.sandbox.model import Reply, Script, ask, say
from tests import world
from tests.boundaries.ground import POLICY
from tests.boundaries.scene import Scene

Act = Callable[[Scene], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Flow:
    """`given` comes about undisturbed, `happens` is killed at every boundary. `run`, `pauses` and `paid` (minor units) are its end."""

    given: Act
    happens: Act
    run: str
    pauses: tuple[str, ...]
    paid: tuple[int, ...]
    script: Script = buyer
    strays: int = 0
    """Copies of a card that no row knows of, because Slack lost the answer to their post."""
    policy: str | None = None


def nothing(_scene: Scene) -> None:
    """Nobody has done anything."""


def asked(scene: Scene) -> None:
    """An order over the limit waits for Marta, and everybody sees it."""
    scene.launch(world.order())
    scene.rest()


def small_order(scene: Scene) -> None:
    scene.launch(world.order(amount="640.00"))
    scene.rest()


def approve(scene: Scene) -> None:
    scene.press("marta", ids.ACTION_APPROVE)
    scene.rest()


def deny(scene: Scene) -> None:
    scene.deny("marta", "We have enough pumps.")
    scene.rest()


def vote(scene: Scene) -> None:
    scene.press("marta", ids.ACTION_APPROVE)
    scene.rest()
    scene.press("ines", ids.ACTION_APPROVE)
    scene.rest()


def escalate(scene: Scene) -> None:
    scene.silence()
    scene.rest()
    scene.press("otto", ids.ACTION_APPROVE)
    scene.rest()


def expire(scene: Scene) -> None:
    scene.silence()
    scene.rest()
    scene.silence()
    scene.rest()


def withdraw(scene: Scene) -> None:
    scene.press("priya", ids.ACTION_WITHDRAW)
    scene.rest()


def moved(scene: Scene) -> None:
    scene.suppliers.move({"order_ref": "PO-1", "factor": "1.05"})
    approve(scene)
    approve(scene)


def hold(scene: Scene) -> None:
    scene.operate("hold")
    approve(scene)
    scene.operate("resume")
    scene.rest()


def cancel(scene: Scene) -> None:
    scene.operate("cancel")
    scene.rest()


def lost_answer(scene: Scene) -> None:
    scene.provider.faults.plan(Fault(kind="drop_after", match={}))
    approve(scene)


def lost_request(scene: Scene) -> None:
    scene.provider.faults.plan(Fault(kind="drop_before", match={}))
    approve(scene)


def looked_up(scene: Scene) -> None:
    scene.provider.faults.plan(Fault(kind="500_after", match={"endpoint": "create"}))
    approve(scene)


def doubt(scene: Scene) -> None:
    scene.provider.faults.plan(
        Fault(kind="500_after", match={"endpoint": "create"}),
        Fault(kind="down", match={"endpoint": "list"}, times=None),
    )
    approve(scene)
    scene.resolve()
    scene.rest()


def losers(scene: Scene) -> None:
    [card] = scene.cards("jonas", ids.ACTION_APPROVE)
    scene.press("jonas", ids.ACTION_APPROVE, card)
    scene.press("marta", ids.ACTION_APPROVE, card)
    scene.press("otto", ids.ACTION_APPROVE, card)
    scene.rest()


def lost_post(scene: Scene) -> None:
    scene.office.fault("chat.postMessage", "drop")
    asked(scene)
    scene.press("marta", ids.ACTION_APPROVE, scene.cards("marta", ids.ACTION_APPROVE)[0])
    scene.rest()


def lost_card(scene: Scene) -> None:
    [card] = scene.cards("jonas", ids.ACTION_APPROVE)
    scene.delete(card)
    approve(scene)


def siblings(request: Mapping[str, Any]) -> Reply:
    """A model that asks for two payments in one turn."""
    order = {"supplier_id": "sup_412", "item": "hydraulic pumps", "quantity": 40}
    price = {"amount": "38000.00", "currency": "EUR"}
    said = str(request["messages"])
    if "tool_result" not in said:
        return ask(*(("get_quote", {**order, "order_ref": ref, "listed": price}) for ref in ("PO-1", "PO-2")))
    if "charge_supplier" not in said:
        pay = {**order, "amount": price, "payment_method": "pm_card_4417", "why": "Needed by the 20th."}
        return ask(*(("charge_supplier", {**pay, "order_ref": ref}) for ref in ("PO-1", "PO-2")))
    return say("Done, as far as it was let through.")


def both(scene: Scene) -> None:
    scene.press("marta", ids.ACTION_APPROVE)
    scene.rest()
    approve(scene)


QUORUM: Final = re.sub(
    r'person = "marta".*?finally = "deny"',
    'role = "finance-approver"\napprovers = 2\nanswer_within = "4h"\non_expiry = "deny"',
    POLICY,
    flags=re.DOTALL,
)
BIG, DEARER = 3_800_000, 3_990_000

FLOWS: Final[Mapping[str, Flow]] = {
    "launch, ask and show": Flow(given=nothing, happens=asked, run="awaiting_approval", pauses=("waiting",), paid=()),
    "an order under the limit": Flow(given=nothing, happens=small_order, run="done", pauses=(), paid=(64_000,)),
    "approve and pay": Flow(given=asked, happens=approve, run="done", pauses=("executed",), paid=(BIG,)),
    "deny with a reason": Flow(given=asked, happens=deny, run="done", pauses=("denied",), paid=()),
    "two votes": Flow(given=asked, happens=vote, run="done", pauses=("executed",), paid=(BIG,), policy=QUORUM),
    "escalate, and the manager approves": Flow(given=asked, happens=escalate, run="done", pauses=("executed",), paid=(BIG,)),
    "expire to the end": Flow(given=asked, happens=expire, run="done", pauses=("expired",), paid=()),
    "withdraw": Flow(given=asked, happens=withdraw, run="done", pauses=("cancelled",), paid=()),
    "the price moved: supersede, ask again": Flow(given=asked, happens=moved, run="done", pauses=("superseded", "executed"), paid=(DEARER,)),
    "hold and resume": Flow(given=asked, happens=hold, run="done", pauses=("executed",), paid=(BIG,)),
    "cancel the run": Flow(given=asked, happens=cancel, run="cancelled", pauses=("cancelled",), paid=()),
    "the provider's answer is lost": Flow(given=asked, happens=lost_answer, run="done", pauses=("executed",), paid=(BIG,)),
    "the call to the provider is lost": Flow(given=asked, happens=lost_request, run="done", pauses=("executed",), paid=(BIG,)),
    "the provider is asked whether it happened": Flow(given=asked, happens=looked_up, run="done", pauses=("executed",), paid=(BIG,)),
    "in doubt until a person knows": Flow(given=asked, happens=doubt, run="done", pauses=("executed",), paid=(BIG,)),
    "one winner, and private answers to the losers": Flow(given=asked, happens=losers, run="done", pauses=("executed",), paid=(BIG,)),
    "a card whose post nobody confirmed": Flow(given=nothing, happens=lost_post, run="done", pauses=("executed",), paid=(BIG,), strays=1),
    "a card that was deleted": Flow(given=asked, happens=lost_card, run="done", pauses=("executed",), paid=(BIG,)),
    "two payments, both approved": Flow(given=asked, happens=both, run="done", pauses=("executed", "executed"), paid=(BIG, BIG), script=siblings),
    "two payments, one denied": Flow(given=asked, happens=deny, run="done", pauses=("cancelled", "denied"), paid=(), script=siblings),
}  # fmt: skip
