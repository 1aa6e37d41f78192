"""What becomes of the calls of one turn: answered, asked about, done.

One gated call holds its whole turn: nothing in it runs until all its pauses are settled, and nothing at all if one of them is refused.
The one rule: an effect that was begun is settled before anything else of its run is looked at.
"""

import json
import logging
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, Final

from engine.models import Call, OpenEffect, Pause
from engine.results import Unwritable, result_text
from engine.rules import chain, digest
from engine.rules import turn as rules
from engine.state import events, ledger, pauses, policies, present, runs
from engine.state.present import Rules
from engine.tool import Bound, InvalidArguments, Tool
from engine.workers import again, asked_again, grants, perform, prepare, questions, revalidate, vouch, ways
from engine.workers.attempts import Deed, call_s
from engine.workers.credentials import Minted
from engine.workers.means import Turn, Way, way
from engine.workers.moments import Moment
from engine.workers.prepare import Answer, Effectful, Plain
from engine.workers.questions import Result
from engine.workers.receipts import Done
from engine.workers.ways import Later

_log = logging.getLogger(__name__)

HOLDS_S: Final = 3
"""For how long the calls of a turn go by policy and people as they were read before the first of them."""


def settle(turn: Turn, calls: Sequence[Call]) -> Way:
    """Bring the calls of a turn that have no result yet as far as they go."""
    if turn.run.open_effects:
        return _finish_begun(turn, calls)
    on_record = _record(turn, calls)
    asked = [(call, turn.means.do(pauses.get, call.pause_id)) for call in calls if call.pause_id]
    heard = questions.heard(turn, [one for one in asked if one[1].status == "answered"], on_record)
    if isinstance(heard, questions.Forged):
        turn.means.do(runs.fail, turn.claim, heard.why + ways.stands(turn))
        return "off"
    if refused := [pause for _, pause in asked if pause.status not in ("waiting", "approved", "answered")]:
        return _tell_refusal(turn, calls, asked, refused, heard)
    return _go_on(turn, calls, asked, heard, on_record)


def _go_on(
    turn: Turn,
    calls: Sequence[Call],
    asked: Sequence[tuple[Call, Pause]],
    heard: Mapping[int, Result],
    told: vouch.Told,
) -> Way:
    """The same where nobody said no: what was `heard` is passed on, what is new is planned, what was approved looked at once more."""
    holds = turn.means.do(present.rules, turn.run.id)
    unasked = [call for call in calls if not call.pause_id]
    before = asked_again.before(turn, holds) if unasked else prepare.NOTHING_BEFORE
    plans = prepare.plan(turn, unasked, holds, before=before)
    answers = [one for one in plans if isinstance(one, Answer)]
    if results := {**heard, **{one.call.n: {"text": one.text, "is_error": True} for one in answers}}:
        status = turn.means.do(runs.save_results, turn.claim, results, refused=sum(one.refused for one in answers))
        if status != "running" or len(results) == len(calls):
            return way(status)
    checked = revalidate.check(turn, [one for one in asked if one[0].n not in heard], holds, told)
    if isinstance(checked, revalidate.Void):
        return ways.void(turn, checked.pause_ids, checked.why)
    now = holds.standing.now
    gated = [prepare.ask(turn.run, held, holds.people, now) for held in prepare.asked(turn.run, plans, before)]
    moved = [one for one in checked if isinstance(one, revalidate.AskAgain)]
    if gated or moved:
        asks, replaced = [*gated, *(one.ask for one in moved)], [one.pause.id for one in moved]
        turn.means.do(runs.ask, turn.claim, asks, superseded=replaced, reason=moved[0].why if moved else "")
        return "off"
    ready = [one for one in checked if isinstance(one, revalidate.Ready)]
    return _carry_out(turn, [one for one in plans if isinstance(one, Plain | Effectful)], ready, holds)


def _record(turn: Turn, calls: Sequence[Call]) -> vouch.Told:
    """What the record says, read before the pauses: whatever is approved by then, it says so. Only where people were asked."""
    if not any(call.pause_id for call in calls):
        return chain.NOTHING
    return chain.follow(turn.means.do(events.read, turn.run.id))


def _carry_out(turn: Turn, plans: Sequence[Plain | Effectful], ready: Sequence[revalidate.Ready], holds: Rules) -> Way:
    """What was approved has its credentials before the first effect of any; what is lent is given back, and only then may the run stand still."""
    try:
        gone = _unlent(turn, ready) or _do_all(turn, [*plans, *ready], holds)
    finally:
        for one in ready:
            one.borrowed.give_back()
    return gone if isinstance(gone, str) else gone()


def _unlent(turn: Turn, ready: Sequence[revalidate.Ready]) -> Way | Later | None:
    """The run's way on if one of the approved calls cannot have a credential; None: each of them has."""
    for one in ready:
        came = one.borrowed.mint(call_s(one.planned.tool))
        if not isinstance(came, Minted):
            return ways.without(turn, one.call.n, one.pause.id, one.borrowed, came)
    return None


def _do_all(turn: Turn, planned: Sequence[Plain | Effectful | revalidate.Ready], holds: Rules) -> Way | Later:
    """In the order of the model's reply, each result saved as it comes. After one that took long, what holds is looked at anew."""
    begun = Moment.now()
    for one in sorted(planned, key=lambda one: one.call.n):
        if turn.means.stop.is_set():
            return "look"
        match one:
            case Plain():
                gone: Way | Later = way(turn.means.do(runs.save_results, turn.claim, {one.call.n: _run_plain(one)}))
            case Effectful():
                gone = _do_allowed(turn, one, holds)
            case revalidate.Ready():
                gone = _do_approved(turn, one)
        if gone != "on":
            return gone
        if begun.age_s() > HOLDS_S:
            return "look"
    return "on"


def _run_plain(planned: Plain) -> dict[str, Any]:
    try:
        return {"text": result_text(planned.tool.run(planned.bound)), "is_error": False}
    except Unwritable as error:
        return {"text": str(error), "is_error": True}
    except Exception as error:  # noqa: BLE001  whatever an author's tool raises, the model is told and the run goes on
        _log.warning("the tool %s failed", planned.tool.name, exc_info=True)
        return {"text": result_text(f"The tool failed: {type(error).__name__}: {error}"), "is_error": True}


def _do_allowed(turn: Turn, planned: Effectful, holds: Rules) -> Way | Later:
    borrowed = grants.borrow(turn.means, turn.run, planned.tool, None)
    if lost := grants.lost(holds.standing, holds.name(turn.run.on_behalf_of), planned.tool.scopes):
        return ways.without(turn, planned.call.n, None, borrowed, lost)
    intent = prepare.intent(turn.run, planned, pause_id=None, call_s=call_s(planned.tool))
    deed = Deed(
        run=turn.run,
        n=planned.call.n,
        tool=planned.tool,
        bound=planned.bound,
        effect_key=intent.effect_key,
        pause_id=None,
        borrowed=borrowed,
        still=partial(again.may, turn, planned.call, None),
        note=_changed(planned.call, planned.tool, planned.bound, "at the price of now"),
    )
    return ways.after(turn, deed, intent)


def _do_approved(turn: Turn, ready: revalidate.Ready) -> Way | Later:
    planned, call = ready.planned, ready.call
    intent = prepare.intent(turn.run, planned, pause_id=ready.pause.id, call_s=call_s(planned.tool), by=ready.present)
    deed = Deed(
        run=turn.run,
        n=call.n,
        tool=planned.tool,
        bound=planned.bound,
        effect_key=intent.effect_key,
        pause_id=ready.pause.id,
        borrowed=ready.borrowed,
        still=partial(again.may, turn, call, ready.pause.id),
        prices=ready.prices,
        note=_changed(call, planned.tool, planned.bound, "as it was approved"),
    )
    return ways.after(turn, deed, intent)


def _finish_begun(turn: Turn, calls: Sequence[Call]) -> Way:
    """What was under way when a worker was lost: only to be reconciled, by the action as the ledger has it, whatever holds now."""
    begun = [(call, turn.means.do(ledger.opened, turn.run.id, turn.run.iterations, call.n)) for call in calls]
    call, effect = next((call, effect) for call, effect in begun if effect is not None)
    tool = turn.agent.tools.get(effect.tool)
    bound = _bound(tool, json.loads(effect.action)["arguments"]) if tool else None
    if tool is None or bound is None:
        came = perform.without_tool(turn.means, turn.claim, effect)
        return way(came.status) if isinstance(came, Done) else "look"
    gone = ways.after(turn, _deed_begun(turn, call, effect, tool, bound), None)
    return gone if isinstance(gone, str) else gone()


def _deed_begun(turn: Turn, call: Call, effect: OpenEffect, tool: Tool, bound: Bound) -> Deed:
    doubted = _doubted(turn, call, effect, tool)
    pause = turn.means.do(pauses.get, effect.pause_id) if effect.pause_id else None
    needed = pause.content.scopes if pause and pause.content else tool.scopes
    lost = grants.lost(turn.means.do(ledger.standing, turn.run.id), turn.run.on_behalf_of, needed)
    if doubted:
        _log.error("effect %s of run %s is only looked up: %s", effect.effect_id, turn.run.id, doubted.why)
    return Deed(
        run=turn.run,
        n=call.n,
        tool=tool,
        bound=bound,
        effect_key=effect.effect_key,
        pause_id=effect.pause_id,
        borrowed=grants.borrow(turn.means, turn.run, tool, pause.content if pause else None),
        still=partial(again.may, turn, call, effect.pause_id),
        barred=doubted.why if doubted else lost.why if lost else "",
        note=_changed(call, tool, bound, "as it was approved" if effect.pause_id else "at the price of now"),
    )


def _doubted(turn: Turn, call: Call, effect: OpenEffect, tool: Tool) -> vouch.Doubted | None:
    """What speaks against calling it again: a row in the ledger alone is no right to."""
    do, pause = turn.means.do, None
    if effect.pause_id:
        told = chain.follow(do(events.read, turn.run.id))
        pause = do(pauses.get, effect.pause_id)
        if doubted := vouch.approved(turn.run, call, pause, told):
            return doubted
    return vouch.begun(call, effect, tool, pause, do(policies.of_version, effect.policy_version))


def _tell_refusal(
    turn: Turn,
    calls: Sequence[Call],
    asked: Sequence[tuple[Call, Pause]],
    refused: Sequence[Pause],
    heard: Mapping[int, Result],
) -> Way:
    """One refusal, or silence, holds back the whole turn; each call is told exactly what became of it, and what was `heard` stands."""
    fell = any(pause.status in ("denied", "expired") for pause in refused)
    own = {
        call.n: _refusal(pause)
        for call, pause in asked
        if pause in refused and not (fell and pause.status == "cancelled")
    }
    told = {call.n: {"text": own.get(call.n, rules.NOT_RUN), "is_error": True} for call in calls} | dict(heard)
    return way(turn.means.do(runs.save_results, turn.claim, told))


def _refusal(pause: Pause) -> str:
    if pause.content is not None and pause.content.need.is_question:
        return questions.unanswered(pause)
    return rules.refusal(
        pause.status,
        by=pause.decided_by_name,
        reason=pause.reason,
        fire_at=pause.fire_at,
        approvals=(len(pause.voters), len(pause.voters) + pause.votes_left),
    )


def _changed(call: Call, tool: Tool, bound: Bound, how: str) -> str:
    """What is done in place of what the model asked for, when a price moved and was asked anew, and `how`; "" if nothing differs."""
    asked = _bound(tool, {name: value for name, value in call.arguments.items() if name != "why"})
    if asked is None:
        return ""
    moved = {name: value for name, value in bound.arguments.items() if asked.arguments.get(name) != value}
    return f"Done {how}, which differs from what you asked for: {digest.canonical(moved)}" if moved else ""


def _bound(tool: Tool, arguments: dict[str, Any]) -> Bound | None:
    try:
        return tool.bind({**arguments, **({"why": "-"} if tool.action else {})})
    except InvalidArguments:
        return None
