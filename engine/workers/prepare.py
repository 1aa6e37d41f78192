"""From a model's calls to what must become of them: an answer at once, a plain tool, an effect that is allowed, or one to be asked about.

Everything an approver reads is made here, once. The one rule: nothing has been done yet when this is through.
"""

import logging
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any, Final
from uuid import UUID

from engine.errors import QuoteUnavailable
from engine.models import Call, Confirmation, Content, NewCard, Quote, Run, Superseded
from engine.rules import confirmations, digest, escalation
from engine.rules.money import Money
from engine.rules.needs import Need, shown_from, within_s
from engine.rules.people import People
from engine.state import db, ledger
from engine.state.present import Refusal, Rules
from engine.state.runs import Ask
from engine.tool import Bound, InvalidArguments, Tool
from engine.workers import asked_again, grants, judge, questions
from engine.workers.asked_again import Before
from engine.workers.means import Turn
from engine.workers.prices import at_price
from engine.workers.questions import Question

_log = logging.getLogger(__name__)

_YEARS = (1, 9999)
"""Between them, every time can be said in every zone."""
NOTHING_BEFORE: Final[Mapping[int, Before]] = {}


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

    @property
    def minor(self) -> int:
        """Its amount in minor units; 0 without one."""
        amount = self.tool.facts(self.bound).amount
        return amount.minor if amount else 0


Plan = Answer | Plain | Effectful | Question


def plan(
    turn: Turn,
    calls: Sequence[Call],
    holds: Rules,
    *,
    but: UUID | None = None,
    before: Mapping[int, Before] = NOTHING_BEFORE,
) -> list[Plan]:
    """What must become of calls that nobody was asked about yet. The same effect, or question, twice in one turn is meant once.

    `but`: the effect of one of them that was begun already, which does not count as paid before. `before`: as what they were asked in the
    run from which this one goes on; they are proposed at the price of now.
    """
    seen: set[str] = set()
    going: Counter[tuple[str, str, str]] = Counter()  # what goes to each payee in this turn, in minor units
    plans: list[Plan] = []
    for call in calls:
        planned = _plan(turn, call, holds, going, but=but, before=before.get(call.n))
        if isinstance(planned, Effectful | Question):
            key = digest.fingerprint(planned.tool.name, planned.bound.arguments)
            if key in seen:
                planned = Answer(
                    call=call, text="The same call is already in this turn, and counts once. This one was not done."
                )
            elif isinstance(planned, Effectful) and (to := judge.counted(planned.tool, planned.bound)):
                going[to] += planned.minor
            seen.add(key)
        plans.append(planned)
    return plans


def _plan(
    turn: Turn,
    call: Call,
    holds: Rules,
    going: Mapping[tuple[str, str, str], int],
    *,
    but: UUID | None,
    before: Before | None,
) -> Plan:
    tool = turn.agent.tools.get(call.tool)
    if tool is None:
        there = ", ".join(sorted(turn.agent.tools))
        return Answer(call=call, text=f"There is no tool {call.tool!r}. There are: {there}.")
    try:
        bound = tool.bind(call.arguments)
    except InvalidArguments as error:
        return Answer(call=call, text=str(error))
    if tool.action is None:
        return _question(turn.run, call, tool, bound, holds) if tool.asks else Plain(call=call, tool=tool, bound=bound)
    quote = None
    if before is not None:
        try:
            quote = quoted(tool, bound)
        except QuoteUnavailable as error:
            return _priceless(call, error)
        bound = (at_price(tool, bound, before.price(quote)) if quote else None) or bound
    if past := _past(call, tool, bound, holds):
        return past
    to = judge.counted(tool, bound)
    need = judge.need(turn.means, tool, bound, holds, with_minor=going[to] if to else 0, but=but)
    return _askable(turn.run, Effectful(call=call, tool=tool, bound=bound, need=need, quote=quote), holds)


def _question(run: Run, call: Call, tool: Tool, bound: Bound, holds: Rules) -> Answer | Question:
    asked = questions.planned(run, call, tool, bound, holds)
    return Answer(call=call, text=asked) if isinstance(asked, str) else asked


def _askable(run: Run, planned: Effectful, holds: Rules) -> Answer | Effectful:
    """The same with its quote, if it may be done or asked about at all."""
    if no := _no(planned, run, holds):
        return Answer(call=planned.call, text=no)
    if planned.quote is not None:
        return planned
    try:
        return replace(planned, quote=quoted(planned.tool, planned.bound))
    except QuoteUnavailable as error:
        return _priceless(planned.call, error)


def _priceless(call: Call, error: QuoteUnavailable) -> Answer:
    return Answer(call=call, text=f"The present price cannot be had, so nobody was asked: {error}")


def _past(call: Call, tool: Tool, bound: Bound, holds: Rules) -> Answer | None:
    """What a person refused before, or another run at this task did, whatever it cost; None: it is neither."""
    if before := holds.refused.get(digest.fingerprint(tool.name, bound.arguments)):
        return Answer(call=call, text=_refused_before(before), refused=True)
    if since := asked_again.done_since(holds, tool, bound.arguments):
        text = f"This was done already, in run {since.run_id} of the same task, and is not done twice. Say so in your answer."
        return Answer(call=call, text=text)
    return None


def _refused_before(before: Refusal) -> str:
    by = before.decided_by or "A person"
    return f"{by} refused exactly this before in this run, and nobody is asked again. Do not try it another way; say what was refused."


def _no(planned: Effectful, run: Run, holds: Rules) -> str | None:
    """Why it cannot even be asked; None if it can, or needs no asking."""
    need = planned.need
    if need.kind == "forbid":
        return f"Not allowed, and nobody was asked: {need.why}"
    if lost := grants.lost(holds.standing, holds.name(run.on_behalf_of), planned.tool.scopes):
        return f"Not possible, and nobody was asked: {lost.undone}"
    if need.confirm and confirmation(need, planned.tool, planned.bound) is None:
        return (
            f"Nobody was asked: rule {need.rule!r} of {need.policy_version} has the approver type the {need.confirm.replace('_', ' ')}, and "
            "this call has none that may be read. Nothing was done."
        )
    if need.kind == "ask" and escalation.first_approver(need, run.on_behalf_of, holds.people) is None:
        _log.error("NOBODY MAY DECIDE what run %s asks: rule %r of %s leads to no one but %s", run.id, need.rule, need.policy_version,
                   run.on_behalf_of)  # fmt: skip
        return f"Nobody may decide on this: rule {need.rule!r} of {need.policy_version} leads to no one but the requester. Nothing was done."
    return None


def confirmation(need: Need, tool: Tool, bound: Bound) -> Confirmation | None:
    """What the approver must type; None for nothing, or where the call does not have it."""
    facts = tool.facts(bound)
    return confirmations.asked(need.confirm, facts.amount, facts.arguments) if need.confirm else None


def quoted(tool: Tool, bound: Bound) -> Quote | None:
    """The present price; None for a tool without one. Raises QuoteUnavailable, whatever kept the price from being had."""
    if "quote" not in tool.companions:
        return None
    try:
        found = tool.companion("quote", **bound.values)
    except QuoteUnavailable as error:
        raise QuoteUnavailable(tool.readable(bound, digest.visible(str(error)))[:300]) from error
    except Exception as error:
        said = tool.readable(bound, f"{type(error).__name__}: {error}")
        raise QuoteUnavailable(digest.visible(said)[:300]) from error
    if odd := _odd(found):
        raise QuoteUnavailable(f"{tool.name}.quote gave {odd}.")
    quote: Quote = found
    return replace(quote, reference=tool.readable(bound, digest.visible(quote.reference))) if quote.reference else quote


def _odd(found: Any) -> str | None:
    """What is wrong with what a tool gave as its quote; None: nothing."""
    if not isinstance(found, Quote):
        return f"{type(found).__name__}, not a Quote"
    if not isinstance(found.price, Money):
        return f"a Quote whose price is {type(found.price).__name__}, not Money"
    until = found.valid_until
    if until is not None and not (isinstance(until, datetime) and until.tzinfo):
        return "a Quote whose valid_until is no datetime with a time zone"
    if until is not None and not _YEARS[0] < until.year < _YEARS[1]:
        return f"a Quote whose valid_until is in the year {until.year}; for one without an end, leave it out"
    if not isinstance(found.reference, str | None):
        return f"a Quote whose reference is {type(found.reference).__name__}, not text"
    return None


def asked(run: Run, plans: Sequence[Plan], before: Mapping[int, Before] = NOTHING_BEFORE) -> list[Content]:
    """What people must be asked before anything of these is done: for a yes, or for an answer. It says what it was asked as `before`, if it was."""
    asking = []
    for one in plans:
        match one:
            case Effectful(need=need) if need.kind == "ask":
                was = before.get(one.call.n)
                asking.append(content(run, one, supersedes=was.request if was else None))
            case Question():
                asking.append(questions.content(run, one))
    return asking


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
        confirm=confirmation(planned.need, tool, bound),
        secrets=tool.secrets,
    )


def ask(run: Run, held: Content, people: People, now: datetime) -> Ask:
    """A pause to be opened `now`: whom it asks first, until when, and where it is shown."""
    need, requester = held.need, run.on_behalf_of
    approver = escalation.first_approver(need, requester, people)
    assert approver is not None, "a call that nobody may decide on is answered, not asked"
    answer_within_s = within_s(need, now, need.calendar)
    until = now + timedelta(seconds=answer_within_s)
    digest_at = shown_from(need, now)
    shown = escalation.shown_to(approver, need, people, (requester,), waits=(now, until), first=True)
    told = () if approver == f"person:{requester}" else (NewCard(kind="requester", dest=f"person:{requester}"),)
    cards = (
        *(
            NewCard(kind="approver", dest=dest, not_before=begins, digest_at=begins if begins == digest_at else None)
            for dest, begins in shown.items()
        ),
        *told,
    )
    stored = replace(held, shown_at=digest_at)
    return Ask(id=db.new_id(), content=stored, approver=approver, cards=cards, answer_within_s=answer_within_s)


def intent(
    run: Run, planned: Effectful, *, pause_id: UUID | None, call_s: float, by: Need | None = None
) -> ledger.Intent:
    """The effect as the ledger begins it. `by` is the need that holds now, if it is not the one it was planned by."""
    action: dict[str, Any] = {"tool": planned.tool.name, "arguments": planned.bound.arguments}
    return ledger.Intent(
        n=planned.call.n, pause_id=pause_id, tool=planned.tool.name, effect_key=effect_key(run, planned.call.n),
        action=digest.canonical(action), digest=digest.digest("placet.action.v1", action), policy_version=planned.need.policy_version,
        rule=planned.need.rule, doubt_role=planned.need.doubt_role or "", call_s=call_s, spend=judge.spend(planned.tool, planned.bound, by or planned.need),
    )  # fmt: skip


def effect_key(run: Run, n: int) -> str:
    """The handle for looking an effect up at its provider."""
    return f"{run.id}:{run.iterations}:{n}"
