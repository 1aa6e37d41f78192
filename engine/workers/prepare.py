"""From a model's calls to what must become of them: an answer at once, a plain tool, an effect that is allowed, or one to be asked about.

Everything an approver reads is made here, once. The one rule: nothing has been done yet when this is through.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any
from uuid import UUID

from engine.errors import QuoteUnavailable
from engine.models import Call, Content, NewCard, Quote, Run, Superseded
from engine.rules import digest, escalation
from engine.rules.money import Money
from engine.rules.needs import Need
from engine.rules.people import People
from engine.rules.policy import evaluate
from engine.state import db, ledger
from engine.state.present import Refusal, Rules
from engine.state.runs import Ask
from engine.tool import Bound, InvalidArguments, Tool
from engine.workers.means import Turn


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """The model is answered at once; `refused` when it asked again for what a person had refused."""

    call: Call
    text: str
    refused: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Plain:
    """A tool without effect."""

    call: Call
    tool: Tool
    bound: Bound


@dataclass(frozen=True, slots=True, kw_only=True)
class Effectful:
    """A tool with an effect, and what it needs: "allow" or "ask"."""

    call: Call
    tool: Tool
    bound: Bound
    need: Need
    quote: Quote | None


Plan = Answer | Plain | Effectful


def plan(turn: Turn, calls: Sequence[Call], holds: Rules) -> list[Plan]:
    """What must become of calls that nobody was asked about yet. The same effect twice in one turn is meant once."""
    seen: set[str] = set()
    plans: list[Plan] = []
    for call in calls:
        planned = _plan(turn, call, holds)
        if isinstance(planned, Effectful):
            key = digest.fingerprint(planned.tool.name, planned.bound.arguments)
            if key in seen:
                planned = Answer(
                    call=call, text="The same call is already in this turn, and counts once. This one was not done."
                )
            seen.add(key)
        plans.append(planned)
    return plans


def _plan(turn: Turn, call: Call, holds: Rules) -> Plan:
    tool = turn.agent.tools.get(call.tool)
    if tool is None:
        there = ", ".join(sorted(turn.agent.tools))
        return Answer(call=call, text=f"There is no tool {call.tool!r}. There are: {there}.")
    try:
        bound = tool.bind(call.arguments)
    except InvalidArguments as error:
        return Answer(call=call, text=str(error))
    if tool.action is None:
        return Plain(call=call, tool=tool, bound=bound)
    return _effectful(turn.run, call, tool, bound, holds)


def _effectful(run: Run, call: Call, tool: Tool, bound: Bound, holds: Rules) -> Answer | Effectful:
    if before := holds.refused.get(digest.fingerprint(tool.name, bound.arguments)):
        return Answer(call=call, text=_refused_before(before), refused=True)
    need = evaluate(holds.policy, tool.facts(bound))
    if no := _no(need, run, holds.people):
        return Answer(call=call, text=no)
    try:
        quote = quoted(tool, bound)
    except QuoteUnavailable as error:
        return Answer(call=call, text=f"The present price cannot be had, so nobody was asked: {error}")
    return Effectful(call=call, tool=tool, bound=bound, need=need, quote=quote)


def _refused_before(before: Refusal) -> str:
    by = before.decided_by or "A person"
    return f"{by} refused exactly this before in this run, and nobody is asked again. Do not try it another way; say what was refused."


def _no(need: Need, run: Run, people: People) -> str | None:
    """Why it cannot even be asked; None if it can, or needs no asking."""
    if need.kind == "forbid":
        return f"Not allowed, and nobody was asked: {need.why}"
    if need.kind == "ask" and escalation.first_approver(need, run.on_behalf_of, people) is None:
        return f"Nobody may decide on this: rule {need.rule!r} of {need.policy_version} leads to no one but the requester. Nothing was done."
    return None


def quoted(tool: Tool, bound: Bound) -> Quote | None:
    """The present price; None for a tool without one. Raises QuoteUnavailable, whatever kept the price from being had."""
    try:
        found = tool.companion("quote", **bound.values)
    except QuoteUnavailable as error:
        raise QuoteUnavailable(digest.visible(str(error))[:300]) from error
    except Exception as error:
        raise QuoteUnavailable(digest.visible(f"{type(error).__name__}: {error}")[:300]) from error
    if found is not None and (odd := _odd(found)):
        raise QuoteUnavailable(f"{tool.name}.quote gave {odd}.")
    quote: Quote | None = found
    return replace(quote, reference=digest.visible(quote.reference)) if quote and quote.reference else quote


def _odd(found: Any) -> str | None:
    """What is wrong with what a tool gave as its quote; None: nothing."""
    if not isinstance(found, Quote):
        return f"{type(found).__name__}, not a Quote"
    if not isinstance(found.price, Money):
        return f"a Quote whose price is {type(found.price).__name__}, not Money"
    until = found.valid_until
    if until is not None and not (isinstance(until, datetime) and until.tzinfo):
        return "a Quote whose valid_until is no datetime with a time zone"
    if not isinstance(found.reference, str | None):
        return f"a Quote whose reference is {type(found.reference).__name__}, not text"
    return None


def content(run: Run, planned: Effectful, *, supersedes: Superseded | None = None) -> Content:
    """All that a pause holds, from one planned call."""
    tool, bound, call = planned.tool, planned.bound, planned.call
    action = {"tool": tool.name, "arguments": bound.arguments}
    return Content(
        run_id=str(run.id),
        step=run.iterations,
        n=call.n,
        agent=run.agent,
        tool=tool.name,
        tool_version=tool.version,
        tool_use_id=call.tool_use_id,
        title=tool.title,
        arguments=bound.arguments,
        action_digest=digest.digest("placet.action.v1", action),
        fingerprint=digest.fingerprint(tool.name, bound.arguments),
        effect_key=effect_key(run, call.n),
        summary=tool.summarise(bound),
        lines=tool.lines(bound),
        explanation=bound.why,
        amount=tool.facts(bound).amount,
        acts_as=run.acts_as,
        on_behalf_of=run.on_behalf_of,
        scopes=tool.scopes,
        need=planned.need,
        quote=planned.quote,
        supersedes=supersedes,
    )


def ask(run: Run, held: Content, people: People) -> Ask:
    """A pause to be opened: whom it asks first, and where it is shown."""
    approver = escalation.first_approver(held.need, run.on_behalf_of, people)
    assert approver is not None, "a call that nobody may decide on is answered, not asked"
    dests = escalation.destinations(approver, held.need.channel, people, run.on_behalf_of, first=True)
    cards = (
        *(NewCard(kind="approver", dest=d) for d in dests),
        NewCard(kind="requester", dest=f"person:{run.on_behalf_of}"),
    )
    return Ask(id=db.new_id(), content=held, approver=approver, cards=cards)


def intent(run: Run, planned: Effectful, *, pause_id: UUID | None, call_s: float) -> ledger.Intent:
    """The effect as the ledger begins it."""
    action: dict[str, Any] = {"tool": planned.tool.name, "arguments": planned.bound.arguments}
    return ledger.Intent(
        n=planned.call.n, pause_id=pause_id, tool=planned.tool.name, effect_key=effect_key(run, planned.call.n),
        action=digest.canonical(action), digest=digest.digest("placet.action.v1", action), policy_version=planned.need.policy_version,
        rule=planned.need.rule, doubt_role=planned.need.doubt_role or "", call_s=call_s,
    )  # fmt: skip


def effect_key(run: Run, n: int) -> str:
    """The handle for looking an effect up at its provider."""
    return f"{run.id}:{run.iterations}:{n}"
