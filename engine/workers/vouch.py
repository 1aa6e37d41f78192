"""Whether what is about to be done is what people approved, and an answer what they said: by the content, by the seals, and by the record.

Looked at before an approved action is begun, before one that was begun is called again, and before an agent hears an answer. The one rule:
what cannot be shown to be approved is never called, and what cannot be shown to be said is not passed on.
"""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final

from engine.models import Call, Content, OpenEffect, Pause, Run, Vote
from engine.rules import chain, digest, escalation
from engine.rules.people import People
from engine.rules.policy import Policy, evaluate
from engine.tool import InvalidArguments, Tool

Told = chain.Told | chain.Fault

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_UNSAID: Final = (
    "What is stored as the answer to a question is not what anybody is on record with, so nothing was done."
)
_ALTERED: Final = "The stored request was altered after it was approved, so it was not done."
_CHECK: Final = "Have the record checked: placet audit verify."


@dataclass(frozen=True, slots=True)
class Doubted:
    """It is not shown to be approved; `why` is a sentence. `again`: nothing speaks against it, so people may be asked again."""

    why: str
    again: bool = False


def approved(run: Run, call: Call, pause: Pause, told: Told) -> Doubted | None:
    """What speaks against this approval; None: nothing."""
    held = pause.content
    if held is None:
        return Doubted(_ALTERED)
    if isinstance(told, chain.Fault):
        return Doubted(f"The record of this run was altered, so nothing was done. {told.why} {_CHECK}")
    if (held.run_id, held.step, held.n) != (str(run.id), run.iterations, call.n):
        return Doubted(f"What was approved belongs to another call, so it was not done. {_CHECK}")
    if (held.on_behalf_of, held.acts_as) != (run.on_behalf_of, run.acts_as):
        return Doubted(f"What was approved was asked for {held.on_behalf_of}, and by its row the run is for {run.on_behalf_of}, so it "
                       f"was not done. {_CHECK}")  # fmt: skip
    return _by_record(pause, held, told) or _by_seals(pause)


def _by_record(pause: Pause, held: Content, told: chain.Told) -> Doubted | None:
    """The row alone is no yes: the record says who gave it, and when."""
    found = told.approval(str(pause.id))
    if found is not None and pause.decided_at is not None:
        at, people = found
        enough = len(people - {held.on_behalf_of}) >= held.need.approvers
        if (
            enough
            and people == set(pause.voters)
            and (pause.decided_at - _EPOCH) // timedelta(microseconds=1) <= int(at)
        ):
            return None
    return Doubted(f"By its row it was approved, and by the record it was not, so it was not done. {_CHECK}")


def _by_seals(pause: Pause) -> Doubted | None:
    match pause.seal, pause.approval:
        case ("off", "off") | ("holds", "holds"):
            return None
        case ("holds", "unknown"):
            return Doubted("An answer was sealed with a key that is not here any more.", again=True)
        case ("holds", _):
            return Doubted(f"An answer does not bear the seal of who gave it, so it was not done. {_CHECK}")
        case ("before", _):
            return Doubted("It was asked without a seal.", again=True)
        case _:
            return Doubted("It was sealed when it was asked, and there is no key here to check it with.", again=True)


def answered(run: Run, call: Call, pause: Pause, told: Told, people: People) -> Vote | Doubted:
    """Who answered a question, and what; or what speaks against its being passed on."""
    given, need = _given(run, call, pause, told), pause.content.need if pause.content else None
    if given is None or need is None:
        return Doubted(f"{_UNSAID} {_CHECK}")
    if pause.seal == "holds" and given.seal not in ("holds", "unknown"):
        return Doubted(f"An answer does not bear the seal of who gave it, so nothing was done. {_CHECK}")
    if (pause.seal, given.seal) not in (("off", "off"), ("holds", "holds")):
        return Doubted("its seal cannot be checked with the keys that are here now.", again=True)
    if not escalation.leads_to(need, given.level, given.person, at=given.at, requester=run.on_behalf_of, people=people):
        return Doubted(f"the rule {need.rule!r} does not ask {given.name}.", again=True)
    return given


def _given(run: Run, call: Call, pause: Pause, told: Told) -> Vote | None:
    """The answer, if the request is this call's question, and its row, the vote and the record name the same person with the same words."""
    held, given = pause.content, pause.answer
    if held is None or given is None or not held.need.is_question or isinstance(told, chain.Fault):
        return None
    said = told.answer(str(pause.id))
    own = (held.run_id, held.step, held.n) == (str(run.id), run.iterations, call.n)
    words = said and (said["actor"], said["detail"])
    return given if own and words == (given.person, given.reason) == (pause.decided_by, pause.reason) else None


def begun(call: Call, effect: OpenEffect, tool: Tool, pause: Pause | None, then: Policy | None) -> Doubted | None:
    """What speaks against calling again what the ledger says was begun. `then` is the policy it names, None if there is none such."""
    done = digest.of_canonical("placet.action.v1", effect.action)
    if pause is not None:
        same = pause.content is not None and pause.content.action_digest == done
        return None if same else Doubted(f"What is stored of it is not what was approved. {_CHECK}")
    try:
        bound = tool.bind({"why": "-", **call.arguments})
    except InvalidArguments:
        return Doubted("The tool no longer takes what was begun.")
    own = digest.digest("placet.action.v1", {"tool": tool.name, "arguments": bound.arguments})
    if own != done or then is None or evaluate(then, tool.facts(bound)).kind != "allow":
        return Doubted(f"What is stored of it is not what may be done without asking. {_CHECK}")
    return None
