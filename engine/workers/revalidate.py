"""After the yes and before the effect, everything that can go stale is looked at again: grant, approvers' roles, tool, policy, price.

The one rule: what still holds goes on; what moved is asked again with was and now; what lost its authority is voided.
"""

import logging
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any
from uuid import UUID

from engine.errors import QuoteUnavailable
from engine.models import Call, Content, Pause, Quote, Superseded
from engine.rules import escalation
from engine.rules.money import Money, format_money
from engine.rules.needs import Need, needs_asking_again, stricter, within_tolerance
from engine.state.present import Rules
from engine.state.runs import Ask
from engine.tool import Bound, Tool
from engine.workers import grants, judge, prepare, vouch
from engine.workers.credentials import Borrowed
from engine.workers.means import Turn
from engine.workers.prepare import Effectful
from engine.workers.prices import at_price, rebound

_log = logging.getLogger(__name__)
LATE = "The time in which it had to be done has passed, so it was not done."


@dataclass(frozen=True, slots=True, kw_only=True)
class Ready:
    """It holds, as far as our own rows tell: go on. `present` is what the call needs by the policy of now, and no more than was approved.

    `prices` is what the receipt says of the price approved and now; None: it has none. `borrowed` is its credential, which nobody has
    minted yet.
    """

    call: Call
    pause: Pause
    planned: Effectful
    present: Need
    prices: dict[str, Any] | None
    borrowed: Borrowed


@dataclass(frozen=True, slots=True, kw_only=True)
class AskAgain:
    """It moved: this new request replaces the approved one."""

    pause: Pause
    ask: Ask
    why: str


@dataclass(frozen=True, slots=True)
class Void:
    """Its authority is gone: it is not done, and the run ends."""

    pause_ids: tuple[UUID, ...]
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class _Looked:
    """The price approved and now, and the call at the present one; `why` it must be asked again, None if it need not."""

    tool: Tool
    bound: Bound
    was: Money | None
    quote: Quote | None
    why: str | None

    @property
    def prices(self) -> dict[str, Any] | None:
        """For the receipt."""
        if self.was is None or self.quote is None:
            return None
        return {"approved": self.was.to_document(), "now": self.quote.price.to_document()}


def check(
    turn: Turn, approved: Sequence[tuple[Call, Pause]], holds: Rules, told: vouch.Told, *, but: UUID | None = None
) -> list[Ready | AskAgain] | Void:
    """Look at all approved calls of a turn before the first effect of any. `told` is what the run's record says.

    `but`: the effect of one of them that was begun already, which does not count as paid before.
    """
    found: list[Ready | AskAgain] = []
    for call, pause in approved:
        one = _check(turn, call, pause, holds, told, but=but)
        if isinstance(one, Void):
            return one
        found.append(one)
    return found


def _check(
    turn: Turn, call: Call, pause: Pause, holds: Rules, told: vouch.Told, *, but: UUID | None
) -> Ready | AskAgain | Void:
    doubted = vouch.approved(turn.run, call, pause, told)
    held = pause.content
    if held is None or (doubted and not doubted.again):
        assert doubted is not None
        _log.error("pause %s is not carried out: %s", pause.id, doubted.why)
        return Void((pause.id,), doubted.why)
    tool = turn.agent.tools.get(held.tool)
    bound = rebound(tool, held.arguments, held.explanation) if tool else None
    late = pause.execute_by is not None and pause.execute_by < holds.standing.now
    if late or tool is None or tool.action is None or bound is None:
        gone = f"The tool {held.tool} is gone or no longer takes what was approved, so it was not done."
        return Void((pause.id,), LATE if late else gone)
    requester = pause.requester_name or turn.run.on_behalf_of
    if lost := grants.lost(holds.standing, requester, held.scopes):
        return Void((pause.id,), lost.undone)
    present = judge.need(turn.means, tool, bound, holds, but=but)
    if present.kind == "forbid":
        return Void((pause.id,), f"The policy does not allow it any more, so it was not done: {present.why}")
    looked = _look(held, tool, bound, present)
    why = (doubted.why if doubted else None) or _stale(pause, held, tool, present, holds) or looked.why
    if why is not None:
        return _ask_again(turn, call, pause, replace(looked, why=why), holds, but=but)
    as_stored = replace(bound, arguments=dict(held.arguments))
    planned = Effectful(call=call, tool=tool, bound=as_stored, need=held.need, quote=held.quote)
    borrowed = grants.borrow(turn.means, turn.run, tool, held)
    return Ready(call=call, pause=pause, planned=planned, present=present, prices=looked.prices, borrowed=borrowed)


def _stale(pause: Pause, held: Content, tool: Tool, present: Need, holds: Rules) -> str | None:
    """Why the approval is no longer enough; None if it is."""
    if lapsed := [v.name for v in holds.standing.lapsed_voters if v.pause_id == pause.id]:
        return f"{' and '.join(lapsed)} approved it and may no longer decide on it."
    requester, people = held.on_behalf_of, holds.people
    if strangers := [
        v.name
        for v in pause.votes
        if v.verdict == "approve"
        and not escalation.leads_to(held.need, v.level, v.person, at=v.at, requester=requester, people=people)
    ]:
        return f"{' and '.join(strangers)} approved it, and the rule {held.need.rule!r} does not ask them."
    if tool.version != held.tool_version:
        return f"The tool {tool.name} changed while this waited."
    return needs_asking_again(held.need, present, pause.voters)


def _look(held: Content, tool: Tool, bound: Bound, present: Need) -> _Looked:
    """The price once more, against the one that was approved."""
    was = held.quote.price if held.quote else held.amount
    try:
        quote = prepare.quoted(tool, bound)
    except QuoteUnavailable as error:
        return _Looked(tool=tool, bound=bound, was=was, quote=None, why=f"The price cannot be had now: {error}")
    looked = _Looked(tool=tool, bound=bound, was=was, quote=quote, why=None)
    if held.quote is not None and quote is None:
        return replace(looked, why=f"The price cannot be had now: {tool.name} gives none any more.")
    if quote is None or was is None:
        return looked
    needs = [held.need, *([present] if present.kind == "ask" else [])]
    beyond = [n for n in needs if not within_tolerance(was, quote.price, n.tolerance_bp, n.direction)]
    if not beyond:
        return looked
    moved = f"The price moved from {format_money(was)} to {format_money(quote.price)}, beyond {_agreed(beyond[0])}."
    return replace(looked, why=moved, bound=at_price(tool, bound, quote.price) or bound)


def _ask_again(
    turn: Turn, call: Call, pause: Pause, looked: _Looked, holds: Rules, *, but: UUID | None
) -> AskAgain | Void:
    run, held, why = turn.run, pause.content, looked.why
    assert held is not None
    assert why is not None
    need = stricter(held.need, judge.need(turn.means, looked.tool, looked.bound, holds, but=but))
    if need.kind == "forbid":
        return Void((pause.id,), f"{why} At the new price the policy does not allow it, so it was not done: {need.why}")
    if need.confirm and prepare.confirmation(need, looked.tool, looked.bound) is None:
        return Void(
            (pause.id,), f"{why} The policy has the {need.confirm} typed, and this call has none, so it was not done."
        )
    if escalation.first_approver(need, run.on_behalf_of, holds.people) is None:
        return Void((pause.id,), f"{why} Nobody is left who may decide on it anew, so it was not done.")
    planned = Effectful(call=call, tool=looked.tool, bound=looked.bound, need=need, quote=looked.quote)
    before = Superseded(pause_id=str(pause.id), why=why, was=looked.was)
    content = prepare.content(run, planned, supersedes=before)
    return AskAgain(pause=pause, ask=prepare.ask(run, content, holds.people, holds.standing.now), why=why)


def _agreed(need: Need) -> str:
    way = {"both": "either way", "up": "up", "down": "down"}[need.direction]
    return (
        f"the {need.tolerance_bp / 100:g} % {way} that rule {need.rule!r} leaves open"
        if need.tolerance_bp
        else "what was approved"
    )
