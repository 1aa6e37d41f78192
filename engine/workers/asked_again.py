"""What a worker knows of a run that asks again what lapsed in another: which requests those were, and at what price.

The one rule: it is only told and compared. What is asked anew is made from the model's call by what holds now.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from engine.models import Pause, Quote, Superseded
from engine.rules.money import Money
from engine.state import pauses
from engine.state.present import DoneBefore, Rules
from engine.tool import Tool
from engine.workers.means import Turn


@dataclass(frozen=True, slots=True, kw_only=True)
class Before:
    """As what a call was asked before, None if nobody was. `amount` was asked for then, when the price was `quoted`; None: it is not known."""

    request: Superseded | None = None
    amount: Money | None = None
    quoted: Money | None = None

    def price(self, now: Quote) -> Money:
        """At what price it is asked for now: what was asked for, as long as the price is the same as then."""
        return self.amount if self.amount is not None and now.price == self.quoted else now.price


def before(turn: Turn, holds: Rules) -> Mapping[int, Before]:
    """By their place in the turn, what the calls of a run's first turn were in the run that it goes on from; none in any other turn."""
    asked = holds.asks_again
    if asked is None or asked.step != turn.run.iterations:
        return {}
    found = [turn.means.do(pauses.get, pause_id) for pause_id in asked.pauses]
    requests = {pause.n: _before(pause) for pause in found}  # oldest first: of what replaced each other the last
    return {call.n: requests.get(call.n, Before()) for call in turn.run.calls}


def done_since(holds: Rules, tool: Tool, arguments: Mapping[str, Any]) -> DoneBefore | None:
    """The same call, whatever it cost, if another run at this task did it: the model cannot know. None: none did."""
    asked = _but_for_the_price(tool, arguments)
    same = (one for one in holds.done if one.tool == tool.name and _but_for_the_price(tool, one.arguments) == asked)
    return next(same, None)


def _but_for_the_price(tool: Tool, arguments: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in arguments.items() if name != tool.amount}


def _before(pause: Pause) -> Before:
    held = pause.content
    amount = held.amount if held else None
    quoted = held.quote.price if held and held.quote else None
    request = Superseded(pause_id=str(pause.id), why=_why(pause), was=quoted or amount)
    return Before(request=request, amount=amount, quoted=quoted)


def _why(pause: Pause) -> str:
    requester = pause.requester_name or pause.on_behalf_of
    match pause.status:
        case "expired":
            since = "since nobody had answered in time"
        case "cancelled" if pause.decided_by == pause.on_behalf_of:
            since = "who had withdrawn it"
        case "voided":
            since = "since it was approved and then not carried out"
        case _:
            since = "since it had lapsed with another of the same turn"
    return f"for {requester}, {since}"
