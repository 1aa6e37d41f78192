"""Whether what was begun, and surely did not happen, may still be done: all that held when it was begun is looked at once more.

A call with a fresh key would be the first to happen, perhaps days after the yes. The one rule: it is held to what the first was held to.
"""

from typing import Final
from uuid import UUID

from engine.errors import Misconfigured, PolicyUnreadable
from engine.models import Call
from engine.rules import chain
from engine.state import events, pauses, present, runs
from engine.workers import asked_again, judge, prepare, revalidate
from engine.workers.attempts import Still
from engine.workers.means import Turn

WITHDRAWN: Final = "The run was withdrawn before it was tried again."
ALTERED: Final = "What is stored is not what was approved. Have the record checked: placet audit verify."


def may(turn: Turn, call: Call, pause_id: UUID | None, effect_id: UUID) -> Still | str:
    """By what right it may be done now; or why not, as a sentence. Raises PolicyUnreadable."""
    if turn.means.do(runs.load, turn.run.id).cancel_wanted:
        return WITHDRAWN
    try:
        holds = turn.means.do(present.rules, turn.run.id)
    except PolicyUnreadable:  # another release may read it: the run is put off
        raise
    except Misconfigured as missing:
        return str(missing)
    return _asked(turn, call, pause_id, effect_id, holds) if pause_id else _allowed(turn, call, effect_id, holds)


def _asked(turn: Turn, call: Call, pause_id: UUID, effect_id: UUID, holds: present.Rules) -> Still | str:
    told = chain.follow(turn.means.do(events.read, turn.run.id))  # before the pause, as whoever begins it does
    pause = turn.means.do(pauses.get, pause_id)
    found = revalidate.check(turn, [(call, pause)], holds, told, but=effect_id)
    if isinstance(found, revalidate.Void):
        return found.why
    match found:
        case [revalidate.Ready() as ready]:
            spend = judge.spend(ready.planned.tool, ready.planned.bound, ready.present)
            return Still(spend=spend, prices=ready.prices)
        case [revalidate.AskAgain(why=why)]:
            return f"{why} Ask for it anew if it is still wanted."
    raise AssertionError("one request was looked at")


def _allowed(turn: Turn, call: Call, effect_id: UUID, holds: present.Rules) -> Still | str:
    [planned] = prepare.plan(turn, [call], holds, but=effect_id, before=asked_again.before(turn, holds))
    if isinstance(planned, prepare.Answer):
        return planned.text
    assert isinstance(planned, prepare.Effectful), "a tool whose effect was begun has one"
    need = planned.need
    if need.kind != "allow":
        return f"By rule {need.rule!r} of {need.policy_version} somebody has to be asked now. Ask for it anew if it is still wanted."
    return Still(spend=judge.spend(planned.tool, planned.bound, need), prices=None)
