"""The loop: call the model with the stored messages, store its reply, do what it says, until it ends or has to wait.

Everything it knows is in the rows, so that it can stop between any two steps and go on elsewhere. One gated call holds its whole turn:
nothing in it runs until all its pauses are settled, and nothing at all if one of them is refused.
"""

import logging
from collections.abc import Sequence
from typing import Any
from uuid import UUID

from engine.errors import LeaseLost
from engine.models import Call, Claim, Pause, Run
from engine.rules import turn
from engine.state import ledger, pauses, people, policies, runs
from engine.tool import InvalidArguments, result_text
from engine.tools import Agent
from engine.workers import grants, prepare, revalidate
from engine.workers.means import Means
from engine.workers.model import ModelFailed, reply_to
from engine.workers.perform import Deed, NotDone, call_s, perform
from engine.workers.prepare import Answer, Effectful, Plain, Rules

_log = logging.getLogger(__name__)

MOST_REFUSALS = 3
"""How often a run may ask again for what a person refused; then it ends."""


def advance(means: Means, claim: Claim) -> None:
    """Bring a claimed run as far as it goes: to its end, to a wait, or to the wish to stop."""
    agent = means.agents[claim.agent]
    try:
        while not means.stop.is_set():
            run = means.do(runs.load, claim.id)
            if run.epoch != claim.epoch or run.status != "running":
                return
            waiting_calls = [call for call in run.calls if call.state == "requested"]
            going = (
                _work(means, claim, agent, run, waiting_calls)
                if waiting_calls
                else _ask_model(means, claim, agent, run)
            )
            if not going:
                return
        means.do(runs.release, claim, means.name)
    except LeaseLost as lost:
        _log.info("%s", lost)


def _ask_model(means: Means, claim: Claim, agent: Agent, run: Run) -> bool:
    if bound := _exhausted(run):
        means.do(runs.fail, claim, bound)
        return False
    answered = [turn.results_message(run.calls)] if run.calls else []
    messages = turn.sendable([*run.messages, *answered])
    try:
        reply = reply_to(means.complete, agent, run, messages)
    except ModelFailed as failed:
        means.do(runs.fail, claim, str(failed))
        return False
    said = {"role": "assistant", "content": reply.content}
    added = (*answered, said) if reply.content else tuple(answered)
    words = runs.LastWords(messages=added, replies=1, tokens=reply.tokens, cost_micros=reply.cost_micros)
    match turn.read_reply(reply.stop_reason, reply.content):
        case turn.Finish(text):
            means.do(runs.finish, claim, text, words)
            return False
        case turn.Stop(why):
            means.do(runs.fail, claim, why, words)
            return False
        case turn.RunTools(calls):
            status = means.do(runs.save_reply, claim, added, calls, tokens=reply.tokens, cost_micros=reply.cost_micros)
        case turn.Continue():
            status = means.do(runs.save_reply, claim, added, (), tokens=reply.tokens, cost_micros=reply.cost_micros)
    return status == "running"


def _exhausted(run: Run) -> str | None:
    if run.refusals >= MOST_REFUSALS:
        return f"The agent asked {run.refusals} times again for what a person had refused, so it was ended."
    if run.iterations >= run.max_iterations:
        return f"The agent used all of its {run.max_iterations} turns without coming to an end. Launch it again with a smaller task."
    if run.max_tokens is not None and run.tokens >= run.max_tokens:
        return f"The agent used {run.tokens} of its {run.max_tokens} tokens without coming to an end. Launch it again with a larger budget."
    if run.max_cost_micros is not None and run.cost_micros >= run.max_cost_micros:
        return "The agent used up its budget of money for the model without coming to an end. Launch it again with a larger one."
    return None


def _work(means: Means, claim: Claim, agent: Agent, run: Run, calls: Sequence[Call]) -> bool:
    asked = [(call, means.do(pauses.get, call.pause_id)) for call in calls if call.pause_id]
    if refused := [pause for _, pause in asked if pause.status not in ("waiting", "approved")]:
        return _tell_refusal(means, claim, calls, asked, refused)
    rules = Rules(
        policy=means.do(policies.current), people=means.do(people.everybody), refused=means.do(ledger.refused_before, run.id)
    )  # fmt: skip
    if asked:
        return _go_on(means, claim, agent, run, calls, asked, rules)
    plans = [_plan(means, agent, run, call, rules) for call in calls]
    answers = [p for p in plans if isinstance(p, Answer)]
    if answers:
        told = {a.call.n: {"text": a.text, "is_error": True} for a in answers}
        status = means.do(runs.save_results, claim, told, refused=sum(a.refused for a in answers))
        if status != "running" or len(answers) == len(plans):
            return status == "running"
    gated = [p for p in plans if isinstance(p, Effectful) and p.need.kind == "ask"]
    if gated:
        if twice := _asked_twice(gated):
            return means.do(runs.save_results, claim, twice) == "running"
        means.do(runs.ask, claim, [prepare.ask(run, prepare.content(run, p), rules.people) for p in gated])
        return False
    return all(_do(means, claim, run, p) for p in plans if not isinstance(p, Answer))


def _plan(means: Means, agent: Agent, run: Run, call: Call, rules: Rules) -> prepare.Plan:
    """What must become of a call; one whose effect was begun before a crash goes on as it was allowed then."""
    tool = agent.tools.get(call.tool)
    begun = means.do(ledger.opened, run.id, run.iterations, call.n) if tool and tool.action else None
    planned = prepare.plan(agent, run, call, rules)
    if begun is None or isinstance(planned, Effectful):
        return planned
    assert tool is not None
    need = prepare.allowed_then(begun.policy_version, begun.rule)
    return Effectful(call=call, tool=tool, bound=tool.bind(call.arguments), need=need, quote=None)


def _asked_twice(gated: Sequence[Effectful]) -> dict[int, dict[str, Any]]:
    """The same action twice in one turn is asked once."""
    seen: set[str] = set()
    twice = {}
    for planned in gated:
        key = prepare.fingerprint(planned)
        if key in seen:
            twice[planned.call.n] = {
                "text": "The same call is already in this turn, and is asked once. Nothing was done.",
                "is_error": True,
            }
        seen.add(key)
    return twice


def _do(means: Means, claim: Claim, run: Run, planned: Plain | Effectful) -> bool:
    """One call that needs no person; whether the run goes on."""
    if isinstance(planned, Plain):
        return means.do(runs.save_results, claim, {planned.call.n: _run_plain(planned)}) == "running"
    minted = grants.mint(means.do(ledger.standing, run.id), run.on_behalf_of, planned.tool.credential)
    if isinstance(minted, grants.GrantGone):
        told = {"text": f"Not done: {minted.why}", "is_error": True}
        return means.do(runs.save_results, claim, {planned.call.n: told}) == "running"
    intent = prepare.intent(run, planned, pause_id=None, call_s=call_s(planned.tool))
    deed = Deed(
        run=run, n=planned.call.n, tool=planned.tool, bound=planned.bound, intent=intent, credential=minted.credential
    )
    return _perform(means, claim, deed, None)


def _run_plain(planned: Plain) -> dict[str, Any]:
    try:
        return {"text": result_text(planned.tool.run(planned.bound)), "is_error": False}
    except InvalidArguments as error:
        return {"text": str(error), "is_error": True}
    except Exception as error:
        _log.exception("the tool %s failed", planned.tool.name)
        return {"text": result_text(f"The tool failed: {type(error).__name__}: {error}"), "is_error": True}


def _go_on(
    means: Means,
    claim: Claim,
    agent: Agent,
    run: Run,
    calls: Sequence[Call],
    asked: Sequence[tuple[Call, Pause]],
    rules: Rules,
) -> bool:
    """Everything asked in this turn was approved: look again at all of it, then do it in order."""
    fresh = [(c, p) for c, p in asked if means.do(ledger.opened, run.id, run.iterations, c.n) is None]
    checked = revalidate.check(agent, run, fresh, rules, means.do(ledger.standing, run.id))
    if isinstance(checked, revalidate.Void):
        means.do(runs.void, claim, checked.pause_ids, checked.why)
        return False
    again = [one for one in checked if isinstance(one, revalidate.AskAgain)]
    if again:
        means.do(
            runs.ask, claim, [one.ask for one in again], superseded=[one.pause.id for one in again], reason=again[0].why
        )
        return False
    ready = {one.call.n: one for one in checked if isinstance(one, revalidate.Ready)}
    paused = {call.n: pause for call, pause in asked}
    for call in calls:
        if call.n in paused:
            going = _do_approved(means, claim, agent, run, call, paused[call.n], ready.get(call.n))
        else:
            planned = _plan(means, agent, run, call, rules)
            going = not isinstance(planned, Answer) and _do(means, claim, run, planned)
        if not going:
            return False
    return True


def _do_approved(
    means: Means, claim: Claim, agent: Agent, run: Run, call: Call, pause: Pause, ready: revalidate.Ready | None
) -> bool:
    if ready is None:  # begun before a crash: only to be reconciled
        held, tool = pause.content, agent.tools[call.tool]
        assert held is not None
        bound = tool.bind({**held.arguments, "why": held.explanation or "-"})
        planned = Effectful(call=call, tool=tool, bound=bound, need=held.need, quote=held.quote)
        minted = grants.mint(means.do(ledger.standing, run.id), run.on_behalf_of, tool.credential)
        credential = minted.credential if isinstance(minted, grants.Minted) else ""
        quote = None
    else:
        planned, credential, quote = ready.planned, ready.credential, ready.quote
    intent = prepare.intent(run, planned, pause_id=pause.id, call_s=call_s(planned.tool))
    deed = Deed(
        run=run,
        n=call.n,
        tool=planned.tool,
        bound=planned.bound,
        intent=intent,
        credential=credential,
        approved=planned.quote,
        quote=quote,
        note=_changed(call, planned),
    )
    return _perform(means, claim, deed, pause.id)


def _changed(call: Call, planned: Effectful) -> str:
    """What was approved in place of what the model asked for, when a price moved and was asked anew; "" if nothing differs."""
    asked = planned.tool.bind(call.arguments).arguments
    moved = {name: value for name, value in planned.bound.arguments.items() if asked.get(name) != value}
    return f"Done as it was approved, which differs from what you asked for: {result_text(moved)}" if moved else ""


def _perform(means: Means, claim: Claim, deed: Deed, pause_id: UUID | None) -> bool:
    """Do one effect; whether the run goes on."""
    while True:
        came = perform(means, claim, deed)
        if not isinstance(came, NotDone):
            return came.status == "running"
        match came.why:
            case "halted":
                if means.stop.wait(2):
                    return True
            case "held":
                means.do(runs.save_results, claim, {})
                return False
            case "late":
                means.do(
                    runs.void,
                    claim,
                    [pause_id] if pause_id else [],
                    "The time in which it had to be done has passed. Nothing was done.",
                )
                return False
            case "altered":
                _log.error("pause %s of run %s: what is stored is not what was approved", pause_id, claim.id)
                means.do(
                    runs.fail,
                    claim,
                    "What is stored is not what was approved. Nothing was done; have the record checked.",
                )
                return False
            case _:
                return True  # withdrawn or settled meanwhile: look at the rows again


def _tell_refusal(
    means: Means, claim: Claim, calls: Sequence[Call], asked: Sequence[tuple[Call, Pause]], refused: Sequence[Pause]
) -> bool:
    """One refusal holds back the whole turn; each call is told exactly what became of it."""
    known = {call.n: pause for call, pause in asked}
    own = {pause.id for pause in refused}
    results = {}
    for call in calls:
        pause = known.get(call.n)
        text = turn.NOT_RUN
        if (
            pause is not None
            and pause.id in own
            and not (pause.status == "cancelled" and _fell_with_sibling(pause, refused))
        ):
            text = turn.refusal(pause.status, by=pause.decided_by_name, reason=pause.reason, fire_at=pause.fire_at)
        results[call.n] = {"text": text, "is_error": True}
    return means.do(runs.save_results, claim, results) == "running"


def _fell_with_sibling(pause: Pause, refused: Sequence[Pause]) -> bool:
    return any(other.status in ("denied", "expired") for other in refused if other.id != pause.id)
