"""The loop: call the model with the stored messages, store its reply, do what it says, until it ends or has to wait.

Everything it knows is in the rows, so that it can stop between any two steps and go on elsewhere. What becomes of the calls of a turn is
in calls.py.
"""

import logging
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

import psycopg

from engine.errors import LeaseLost, Misconfigured, PolicyUnreadable
from engine.models import Claim, Run
from engine.rules import turn as rules
from engine.state import runs
from engine.workers import calls, standstill, ways
from engine.workers.means import Means, Turn, Way, way
from engine.workers.model import ModelFailed, Reply, reply_to

_log = logging.getLogger(__name__)

MOST_REFUSALS: Final = 3
"""How often a run may ask again for what a person refused; then it ends."""


def advance(means: Means, claim: Claim) -> None:
    """Bring a claimed run as far as it goes: to its end, to a wait, or to the wish to stop."""
    try:
        while not means.stop.is_set():
            run = means.do(runs.load, claim.id)
            if run.epoch != claim.epoch or run.status != "running":
                return
            turn = Turn(means=means, claim=claim, agent=means.agents[claim.agent], run=run)
            open_calls = [call for call in run.calls if call.state == "requested"]
            try:
                gone = calls.settle(turn, open_calls) if open_calls else _ask_model(turn)
            except (
                PolicyUnreadable
            ) as unreadable:  # a process of another release may read it, and so may this one the next
                _log.error("run %s is put off: %s", run.id, unreadable)
                gone = standstill.put_off(turn, str(unreadable))
            except Misconfigured as missing:  # such as a policy that nobody applied: it would be missing at every try
                gone = _stop(turn, f"It cannot go on. {missing} Then launch it again.")
            if gone == "off":
                return
        means.do(runs.release, claim, means.name)
    except LeaseLost as lost:
        _log.info("%s", lost)


def _ask_model(turn: Turn) -> Way:
    run = turn.run
    if bound := _exhausted(run):
        return _stop(turn, bound)
    answered = [rules.results_message(run.calls)] if run.calls else []
    try:
        reply = reply_to(turn.means.complete, turn.agent, run, rules.sendable([*run.messages, *answered]))
    except ModelFailed as failed:
        return _stop(turn, str(failed))
    added = (*answered, {"role": "assistant", "content": reply.content}) if reply.content else tuple(answered)
    words = runs.LastWords(messages=added, replies=1, tokens=reply.tokens, cost_micros=reply.cost_micros)
    try:
        return _take(turn, reply, words)
    except (psycopg.DataError, psycopg.IntegrityError) as error:  # asking again would cost money each time
        _log.exception("the reply to run %s cannot be stored", run.id)
        why = f"The model's reply cannot be stored, so nothing of it was done: {error}. Launch it again."
        return _stop(turn, why, replace(words, messages=()))


def _take(turn: Turn, reply: Reply, words: runs.LastWords) -> Way:
    match rules.read_reply(reply.stop_reason, reply.content):
        case rules.Finish(text):
            turn.means.do(runs.finish, turn.claim, text, words)
            return "off"
        case rules.Stop(why):
            return _stop(turn, why, words)
        case rules.RunTools(asked):
            return _save(turn, words, asked)
        case rules.Continue():
            return _save(turn, words, ())


def _save(turn: Turn, words: runs.LastWords, asked: tuple[dict[str, Any], ...]) -> Way:
    calls = [{**call, **_secrets(turn, call)} for call in asked]
    status = turn.means.do(
        runs.save_reply, turn.claim, words.messages, calls, tokens=words.tokens, cost_micros=words.cost_micros
    )
    return way(status)


def _secrets(turn: Turn, call: Mapping[str, Any]) -> dict[str, Any]:
    """Which arguments of a call nobody is to read, as its row has them; nothing for none."""
    tool = turn.agent.tools.get(call["name"])
    return {"secrets": tool.secrets} if tool and tool.secrets else {}


def _stop(turn: Turn, why: str, words: runs.LastWords | None = None) -> Way:
    """The run ends without an end of its own; what it did before is said, because that stands."""
    turn.means.do(runs.fail, turn.claim, why + ways.stands(turn), words)
    return "off"


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
