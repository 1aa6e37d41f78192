"""What a worker does with a run, by DESIGN 5 and 8, step by step: between any two of these steps it may be lost.

Each function is a generator that changes the model and yields whenever something has changed that outlives a process.
"""

from collections.abc import Generator, Iterator
from typing import Final

from tests.stateful.held import Call, Effect, Pause, Run, call_off, conclude, tell
from tests.stateful.model import Model
from tests.stateful.rules import Need, stricter_why

Steps = Iterator[None]

MOST_TURNS: Final = 3
"""The agent's bound: a fourth reply is not asked for, however often the run waited."""
MOST_TRIES: Final = 4
"""Calls with one key, those before a crash included."""
WINDOW_H: Final = 21.6
"""How old a key may be to be used again: nine tenths of what the provider says."""


def work(model: Model, run: Run) -> Steps:
    """Claim a run and bring it as far as it goes."""
    run.status, run.leased, run.epoch = "running", True, run.epoch + 1
    yield
    yield from go_on(model, run)


def go_on(model: Model, run: Run) -> Steps:
    """Bring a claimed run as far as it goes."""
    while run.status == "running":
        if opened := [call for call in run.calls if call.told is None]:
            yield from _settle(model, run, opened)
        elif run.iterations == MOST_TURNS:
            run.status = "error"
            yield
        elif run.iterations == len(run.plan):
            run.iterations += 1
            run.status = "done"
            yield
        else:
            run.calls = [Call(n=n, item=item) for n, item in enumerate(run.plan[run.iterations])]
            run.iterations += 1
            _saved(run)
            yield


def _saved(run: Run) -> None:
    """A step was saved: where somebody wishes it, the run stops."""
    if run.status == "running" and run.hold:
        run.status = "paused"


def _settle(model: Model, run: Run, opened: list[Call]) -> Steps:
    begun = [call for call in opened if call.effect is not None]
    if begun:
        yield from _reconcile(model, run, begun[0])
        return
    if any(call.pause and call.pause.status not in ("waiting", "approved") for call in opened):
        _tell_refusal(run, opened)
        _saved(run)
        yield
        return
    answers = {call.n: why for call in opened if not call.pause and (why := _answer(model, run, call))}
    for call in opened:
        if call.n in answers:
            tell(run, call, answers[call.n])
    if answers:
        _saved(run)
        yield
    left = [call for call in opened if call.told is None]
    if run.status == "running" and left:
        yield from _ask_or_do(model, run, left)


def _answer(model: Model, run: Run, call: Call) -> str | None:
    """What is answered at once; None: it is asked about, or done."""
    if (call.item.ref, call.item.cents) in run.refused:
        return "refused before"
    need = model.need(call.item.cents)
    if need.kind == "forbid":
        return "forbidden"
    if not model.granted(run):
        return "no grant"
    if need.kind == "ask" and model.first(need, run.requester) is None:
        return "nobody"
    return "no price" if model.prices[call.item.ref] is None else None


def _tell_refusal(run: Run, opened: list[Call]) -> None:
    fell = any(call.pause and call.pause.status in ("denied", "expired") for call in opened)
    for call in opened:
        status = call.pause.status if call.pause else ""
        own = {"denied": "denied", "expired": "expired", "cancelled": "not run" if fell else "withdrawn"}
        tell(run, call, own.get(status, "not run"))


def _ask_or_do(model: Model, run: Run, left: list[Call]) -> Steps:
    """One call that must be asked about, or asked again, holds all of them."""
    asks: list[Pause] = []
    for call in left:
        again = _ask(model, run, call) if call.pause is None else _look_again(model, run, call, call.pause)
        if again == "void" and call.pause:
            call.pause.status = "voided"
            call_off(run)
            run.status = "error"
            yield
            return
        asks += [again] if isinstance(again, Pause) else []
    if asks:
        _open(run, asks)
        yield
        return
    for call in left:
        yield from _do(model, run, call)
        if run.status != "running":
            return


def _open(run: Run, asks: list[Pause]) -> None:
    for pause in asks:
        call = run.calls[pause.n]
        if call.pause:
            call.pause.status = "superseded"
        call.pause = pause
    run.pauses += asks
    run.status = "awaiting_approval"


def _ask(model: Model, run: Run, call: Call) -> Pause | None:
    need = model.need(call.item.cents)
    return _pause(model, run, call, need, call.item.cents) if need.kind == "ask" else None


def _pause(model: Model, run: Run, call: Call, need: Need, cents: int) -> Pause:
    who = model.first(need, run.requester)
    assert who is not None
    return Pause(
        n=call.n, step=run.iterations, cents=cents, quote=model.prices[call.item.ref], need=need, approver=who,
        due=model.now + need.answer_h, votes_left=need.approvers,
    )  # fmt: skip


def _look_again(model: Model, run: Run, call: Call, pause: Pause) -> Pause | str | None:
    """What was approved, once more: "void", the request that takes its place, or None if it holds."""
    assert pause.decided is not None
    late = model.now - pause.decided >= pause.need.execute_h
    present = model.need(pause.cents)
    if late or not model.granted(run) or present.kind == "forbid":
        return "void"
    price, was = model.prices[call.item.ref], pause.cents if pause.quote is None else pause.quote
    moved = price is not None and abs(price - was) * 100 > was * 2
    if price is not None and not moved and not model.lapsed(pause) and not model.stale(pause, present):
        return None
    cents = price if moved and price is not None else pause.cents
    asked = model.need(cents)
    need = asked if stricter_why(pause.need, asked) else pause.need
    if need.kind == "forbid" or model.first(need, run.requester) is None:
        return "void"
    return _pause(model, run, call, need, cents)


# ------------------------------------------------------------------------------------------------------------ doing it once


def _do(model: Model, run: Run, call: Call) -> Steps:
    if call.pause is None and not model.granted(run):
        tell(run, call, "no grant")
        _saved(run)
        yield
        return
    if run.hold:
        run.status = "paused"
        yield
        return
    cents = call.pause.cents if call.pause else call.item.cents
    effect = call.effect = Effect(step=run.iterations, n=call.n, cents=cents, began=model.now)
    run.effects.append(effect)
    yield
    came = _pay(model, effect, good=call.item.good)
    yield
    if came == "lost":
        yield from _reconcile(model, run, call)
    else:
        yield from _conclude(run, call, came == "yes")


def _pay(model: Model, effect: Effect, *, good: bool) -> str:
    """One call with the present key: "yes", "no", or "lost"."""
    mood = model.mood
    if model.moods is not None:
        model.moods -= 1
        if model.moods == 0:
            model.mood, model.moods = "fine", None
    if mood in ("down", "drop_before"):
        return "lost"
    if effect.known is None:
        effect.known = (
            "broken" if mood == "500_after" else "yes" if good else "no"
        )  # a decline may be lost in a 500, too
        effect.paid += [effect.cents] if good else []
    return "lost" if mood == "drop_after" or effect.known == "broken" else effect.known


def _reconcile(model: Model, run: Run, call: Call) -> Steps:
    """What became of it: never a guess."""
    effect, barred = call.effect, not model.granted(run)
    assert effect is not None
    if effect.absent:  # as a person said; the provider knows better
        if model.lists and effect.paid:
            yield from _conclude(run, call, yes=True)
            return
        refused = False
    else:
        refused = yield from _pursue(model, run, call, barred=barred)
        if effect.status != "attempted":
            return
        if refused:
            yield from _conclude(run, call, yes=False)
            return
    if not _still(model, run, call):
        yield from _conclude(run, call, yes=False)
        return
    if run.hold:
        run.status = "paused"
        yield
        return
    effect.attempts, effect.tries, effect.known, effect.began, effect.absent = (
        effect.attempts + 1,
        1,
        None,
        model.now,
        False,
    )
    yield
    came = _pay(model, effect, good=call.item.good)
    yield
    if came == "lost":
        yield from _pursue(model, run, call, barred=barred)
        if effect.status != "attempted":
            return
    yield from _conclude(run, call, came == "yes")


def _still(model: Model, run: Run, call: Call) -> bool:
    """Whether what surely did not happen may be called anew: it is held to what the first call was held to."""
    if run.cancel_wanted or not model.granted(run):
        return False
    if call.pause is None:
        return model.need(call.item.cents).kind == "allow" and model.prices[call.item.ref] is not None
    return _look_again(model, run, call, call.pause) is None


def _pursue(model: Model, run: Run, call: Call, *, barred: bool) -> Generator[None, None, bool]:
    """The same key while the provider knows it, then a look at its list. Whether it was refused, if it surely did not happen."""
    effect, refused = call.effect, False
    assert effect is not None
    for _ in range(3):
        if barred or refused or run.cancel_wanted or effect.tries >= MOST_TRIES or model.now - effect.began > WINDOW_H:
            break
        effect.tries += 1
        yield
        came = _pay(model, effect, good=call.item.good)
        yield
        if came == "yes":
            yield from _conclude(run, call, yes=True)
            return False
        refused = came == "no"
    if not model.lists:
        effect.status, run.status = "in_doubt", "in_doubt"
        yield
    elif effect.paid:
        yield from _conclude(run, call, yes=True)
    return refused


def _conclude(run: Run, call: Call, yes: bool) -> Steps:
    assert call.effect is not None
    conclude(run, call.effect, "done" if yes else "failed", "done" if yes else "not done")
    yield
