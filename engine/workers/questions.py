"""What becomes of a question that a model asks: whom it goes to by the policy in force, what its pause holds, and what the model hears of it.

The one rule: the model hears an answer only where content, seals and record all say who gave it; and hears it as an answer, never as a yes.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from engine import question_tool
from engine.models import Call, Content, Line, Pause, Run
from engine.rules import digest, escalation
from engine.rules import questions as rules
from engine.rules.needs import Need
from engine.rules.policy import evaluate
from engine.state import people
from engine.state.present import Rules
from engine.tool import Bound, Tool
from engine.workers import vouch
from engine.workers.means import Turn

Result = dict[str, Any]
"""What a call came to, as it is stored: {"text", "is_error"}."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A question to be put to a person."""

    call: Call
    tool: Tool
    bound: Bound
    need: Need


def planned(run: Run, call: Call, tool: Tool, bound: Bound, holds: Rules) -> Question | str:
    """The question with the rule that says whom it is asked of; or why nobody is asked, for the model."""
    need = evaluate(holds.policy, question_tool.facts(run.agent, bound.arguments))
    if need.kind != "ask":
        return f"Not allowed, and nobody was asked: {need.why}"
    if escalation.first_approver(need, run.on_behalf_of, holds.people) is None:
        return f"Nobody can be asked: rule {need.rule!r} of {need.policy_version} leads to no one who may answer."
    return Question(call=call, tool=tool, bound=bound, need=need)


def content(run: Run, asked: Question) -> Content:
    """All that the pause of a question holds."""
    tool, arguments = asked.tool, asked.bound.arguments
    return Content(
        run_id=str(run.id),
        step=run.iterations,
        n=asked.call.n,
        agent=run.agent,
        tool=tool.name,
        tool_version=tool.version,
        tool_use_id=asked.call.tool_use_id,
        title=f"The {run.agent} agent asks",
        arguments=arguments,
        action_digest=digest.digest("placet.action.v1", {"tool": tool.name, "arguments": arguments}),
        fingerprint=digest.fingerprint(tool.name, arguments),
        effect_key="",
        summary=arguments["question"],
        lines=tuple(Line(label=f"Choice {n}", value=one) for n, one in enumerate(arguments["choices"], 1)),
        explanation="",
        amount=None,
        acts_as=run.acts_as,
        on_behalf_of=run.on_behalf_of,
        scopes=(),
        need=asked.need,
        quote=None,
        supersedes=None,
    )


@dataclass(frozen=True, slots=True)
class Forged:
    """What is stored as an answer was not given: nothing may be done on it. `why` is a sentence."""

    why: str


def heard(turn: Turn, answered: Sequence[tuple[Call, Pause]], told: vouch.Told) -> dict[int, Result] | Forged:
    """The results of questions that were answered, by their place in the turn. `told` is what the run's record says."""
    results: dict[int, Result] = {}
    everybody = turn.means.do(people.everybody) if answered else None
    for call, pause in answered:
        assert everybody is not None
        match vouch.answered(turn.run, call, pause, told, everybody):
            case vouch.Doubted(why, again=True):
                said = f"An answer was given, and is not passed on: {why} Ask again if you still need it."
                results[call.n] = {"text": said, "is_error": True}
            case vouch.Doubted(why):
                return Forged(why)
            case given:
                said = rules.answered(given.reason or "", by=given.name, at=given.at)
                results[call.n] = {"text": said, "is_error": False}
    return results


def unanswered(pause: Pause) -> str:
    """What the model hears of a question that ended without an answer."""
    return rules.unanswered(pause.status, reason=pause.reason, fire_at=pause.fire_at)
