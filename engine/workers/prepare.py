"""From a model's call to what must become of it: an answer at once, a plain tool, an effect that policy allows, or one that people must
approve. Everything an approver reads is made here, once. Nothing has been done yet when this is through.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from engine.errors import QuoteUnavailable
from engine.models import Call, Content, NewCard, Quote, Run, Superseded
from engine.rules import digest, escalation
from engine.rules.people import People
from engine.rules.policy import Need, Policy, evaluate
from engine.state import db, ledger
from engine.state.runs import Ask
from engine.tool import Bound, InvalidArguments, Tool
from engine.tools import Agent


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """What holds at the moment a turn is looked at."""

    policy: Policy
    people: People
    refused: Mapping[str, ledger.Refusal]


def plan(agent: Agent, run: Run, call: Call, rules: Rules) -> Plan:
    """What must become of a call that nobody was asked about yet."""
    tool = agent.tools.get(call.tool)
    if tool is None:
        return Answer(call=call, text=f"There is no tool {call.tool!r}. There are: {', '.join(sorted(agent.tools))}.")
    try:
        bound = tool.bind(call.arguments)
    except InvalidArguments as error:
        return Answer(call=call, text=str(error))
    if tool.action is None:
        return Plain(call=call, tool=tool, bound=bound)
    before = rules.refused.get(digest.fingerprint(tool.name, bound.arguments))
    if before is not None:
        by = before.decided_by or "a person"
        return Answer(
            call=call,
            text=f"{by} refused exactly this before in this run, and nobody is asked again. Do not try it another way; say what was refused.",
            refused=True,
        )
    need = evaluate(rules.policy, tool.facts(bound))
    if need.kind == "forbid":
        return Answer(call=call, text=f"Not allowed, and nobody was asked: {need.why}")
    if need.kind == "ask" and escalation.first_approver(need, run.on_behalf_of, rules.people) is None:
        return Answer(
            call=call,
            text=f"Nobody may decide on this: rule {need.rule!r} of {need.policy_version} leads to no one but the requester. Nothing was done.",
        )
    try:
        quote = quoted(tool, bound)
    except QuoteUnavailable as error:
        return Answer(call=call, text=f"The present price cannot be had, so nobody was asked: {error}")
    return Effectful(call=call, tool=tool, bound=bound, need=need, quote=quote)


def quoted(tool: Tool, bound: Bound) -> Quote | None:
    """The present price; None for a tool without one. Raises QuoteUnavailable, whatever kept the price from being had."""
    try:
        found = tool.companion("quote", **bound.values)
    except QuoteUnavailable:
        raise
    except Exception as error:
        raise QuoteUnavailable(f"{type(error).__name__}: {error}"[:300]) from error
    if found is not None and not isinstance(found, Quote):
        raise QuoteUnavailable(f"{tool.name}.quote gave {type(found).__name__}, not a Quote.")
    return found


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


def fingerprint(planned: Effectful) -> str:
    """What makes two planned calls the same."""
    return digest.fingerprint(planned.tool.name, planned.bound.arguments)


def allowed_then(policy_version: str, rule: str) -> Need:
    """The need of an effect that was begun without asking, whatever the policy says now: it is only to be reconciled."""
    return Need(kind="allow", policy_version=policy_version, rule=rule, why="It was allowed when it was begun.")


def effect_key(run: Run, n: int) -> str:
    """The handle for looking an effect up at its provider."""
    return f"{run.id}:{run.iterations}:{n}"
