"""After the yes and before the effect: everything that can go stale is looked at again. Grant, time, the approvers' roles, the tool, the
policy, the price. What still holds goes on; what moved is asked again with was and now; what lost its authority is voided.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any
from uuid import UUID

from engine.errors import QuoteUnavailable
from engine.models import Call, Pause, Quote, Run, Superseded
from engine.rules.money import Money, format_money
from engine.rules.policy import Need, evaluate, needs_asking_again, stricter, within_tolerance
from engine.state import ledger
from engine.state.runs import Ask
from engine.tool import Bound, InvalidArguments, Tool
from engine.tools import Agent
from engine.workers import grants, prepare
from engine.workers.prepare import Effectful, Rules


@dataclass(frozen=True, slots=True, kw_only=True)
class Ready:
    """It holds: go on. `quote` is the present price, None for a tool without one."""

    call: Call
    pause: Pause
    planned: Effectful
    quote: Quote | None
    credential: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AskAgain:
    """It moved: this new request replaces the approved one."""

    pause: Pause
    ask: Ask
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Void:
    """Its authority is gone: nothing is done, and the run ends."""

    pause_ids: tuple[UUID, ...]
    why: str


def check(
    agent: Agent, run: Run, approved: Sequence[tuple[Call, Pause]], rules: Rules, standing: ledger.StandingNow
) -> list[Ready | AskAgain] | Void:
    """Look at all approved calls of a turn before the first effect of any."""
    found: list[Ready | AskAgain] = []
    for call, pause in approved:
        held = pause.content
        if held is None:
            return Void(
                pause_ids=(pause.id,), why="The stored request was altered after it was approved. Nothing was done."
            )
        tool = agent.tools.get(held.tool)
        if tool is None or tool.action is None:
            return Void(pause_ids=(pause.id,), why=f"The tool {held.tool} is no longer there. Nothing was done.")
        minted = grants.mint(standing, pause.requester_name or run.on_behalf_of, tool.credential)
        if isinstance(minted, grants.GrantGone):
            return Void(pause_ids=tuple(p.id for _, p in approved), why=minted.why)
        one = _one(run, call, pause, tool, rules, standing, minted.credential)
        if isinstance(one, Void):
            return one
        found.append(one)
    return found


def _one(
    run: Run, call: Call, pause: Pause, tool: Tool, rules: Rules, standing: ledger.StandingNow, credential: str
) -> Ready | AskAgain | Void:
    held = pause.content
    assert held is not None
    bound = _bound(tool, held.arguments, held.explanation)
    if bound is None:
        return Void(
            pause_ids=(pause.id,),
            why=f"The tool {tool.name} changed and no longer takes what was approved. Nothing was done.",
        )
    present = evaluate(rules.policy, tool.facts(bound))
    if present.kind == "forbid":
        return Void(pause_ids=(pause.id,), why=f"The policy does not allow it any more: {present.why}")
    why = _stale(pause, tool, present, standing)
    quote: Quote | None = None
    try:
        quote = prepare.quoted(tool, bound)
    except QuoteUnavailable as error:
        why = why or f"The price cannot be had now: {error}"
    baseline = held.quote.price if held.quote else held.amount
    if quote and baseline and (moved := _moved(baseline, quote.price, held.need, present)):
        why = why or moved
        bound = _at_price(tool, bound, quote.price) or bound
    if why is None:
        planned = Effectful(call=call, tool=tool, bound=bound, need=held.need, quote=held.quote)
        return Ready(call=call, pause=pause, planned=planned, quote=quote, credential=credential)
    need = stricter(held.need, evaluate(rules.policy, tool.facts(bound)))
    if need.kind == "forbid":
        return Void(pause_ids=(pause.id,), why=f"{why} At the new price the policy does not allow it: {need.why}")
    planned = Effectful(call=call, tool=tool, bound=bound, need=need, quote=quote)
    before = Superseded(pause_id=str(pause.id), why=why, was=baseline)
    return AskAgain(
        pause=pause, ask=prepare.ask(run, prepare.content(run, planned, supersedes=before), rules.people), why=why
    )


def _stale(pause: Pause, tool: Tool, present: Need, standing: ledger.StandingNow) -> str | None:
    held = pause.content
    assert held is not None
    if lapsed := [v.name for v in standing.lapsed_voters if v.pause_id == pause.id]:
        return f"{' and '.join(lapsed)} approved it and may no longer decide on it."
    if tool.version != held.tool_version:
        return f"The tool {tool.name} changed while this waited."
    return needs_asking_again(held.need, present, pause.voters)


def _moved(was: Money, now: Money, recorded: Need, present: Need) -> str | None:
    tolerances = [recorded, *([present] if present.kind == "ask" else [])]
    if all(within_tolerance(was, now, need.tolerance_bp, need.direction) for need in tolerances):
        return None
    return f"The price moved from {format_money(was)} to {format_money(now)}, more than the {recorded.tolerance_bp / 100:g} % that was agreed."


def _at_price(tool: Tool, bound: Bound, price: Money) -> Bound | None:
    """The same call at the present price: what a fresh request proposes."""
    if tool.amount is None:
        return None
    return _bound(tool, bound.arguments | {tool.amount: price.to_document()}, bound.why)


def _bound(tool: Tool, arguments: Any, why: str) -> Bound | None:
    try:
        return replace(tool.bind({**arguments, "why": why or "-"}), why=why)
    except InvalidArguments:
        return None
