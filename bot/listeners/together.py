"""Several requests of one turn decided in one form. Submitting it is the decision, of exactly those that it showed and as it showed them.

All of them are decided, or none: where one moved meanwhile the form comes anew, and says which did and what became of it.
"""

import logging
from collections.abc import Mapping, Sequence
from typing import Any, Literal
from uuid import UUID

from slack_bolt import Ack, App

from bot.cards import ids, modals, phrases
from bot.cards import together as views
from bot.cards.parts import Block
from bot.delivery import outgoing
from bot.delivery.who import Turned
from bot.listeners import decisions
from bot.listeners.decisions import Click
from bot.listeners.desk import Desk, Failed
from bot.listeners.modals import open_view, settled_first
from bot.listeners.places import place_of
from engine.errors import NotFound
from engine.models import Actor, Answer, Decided, Due, Kept, Outcome, Pause, Unconfirmed, Voted
from engine.state import db, pauses, together

log = logging.getLogger(__name__)
Json = dict[str, Any]
Came = Mapping[UUID, Outcome | Kept]

_READ = 12
"""How many of a turn are looked at for one page, which holds fewer."""
_ALONE = "Nothing else of this turn waits with you, so there is nothing to decide together. Decide it on its card."


def register(app: App, desk: Desk) -> None:
    """Listen to the form."""

    def submitted(ack: Ack, body: Json, view: Json) -> None:
        match desk.attempt(lambda: submit(desk, body, view)):
            case Failed(sentence=sentence):
                ack(**modals.errors(ids.BLOCK_ALL, sentence))
            case answer:
                ack(**answer)

    app.view(ids.CALLBACK_TOGETHER)(submitted)


def open_together(desk: Desk, click: Click) -> str | None:
    """Show all that waits of the turn; or a sentence saying why there is nothing for this person to decide together. Raises NotFound."""
    pause, against = settled_first(desk, click)
    if against is not None and click.actor.id not in pause.voters:
        return decisions.not_opened(desk, click, "together", against)
    turn, total = _waiting(desk, pause.id)
    if total < 2:
        return _ALONE
    view = views.together_view(turn, desk.courier.env, viewer=click.actor, total=total, channel=click.place.told_in)
    return open_view(desk, click, view)


def submit(desk: Desk, body: Json, view: Json) -> Json:
    """Decide what the form shows, as it was filled in: what to answer to Slack, a view or errors in the form."""
    several = ids.decode_several(view.get("private_metadata"))
    for button in several.buttons if several else (None,):
        if isinstance(ours := decisions.ours(desk, button), str):
            return modals.errors(ids.BLOCK_ALL, ours)
    assert several is not None
    person, chosen = desk.who(body), _chosen(view["state"]["values"], several)
    if isinstance(person, Turned):
        verb = chosen[0] if isinstance(chosen, tuple) else "approve"
        for button in several.buttons:
            decisions.turned_away(desk, body, button, verb, person)
        return modals.errors(ids.BLOCK_ALL, person.sentence)
    if isinstance(chosen, dict):
        return chosen
    verdict, answers, reason = chosen
    try:
        came = _decide(desk, answers, person.actor, verdict, reason, surface=f"slack:{place_of(body).surface}")
        return _answered(desk, person.actor, several, verdict, came)
    except NotFound:
        return modals.errors(ids.BLOCK_ALL, phrases.UNKNOWN_CARD)


def _decide(
    desk: Desk, answers: Sequence[Answer], actor: Actor, verdict: Literal["approve", "deny"], reason: str, *, surface: str
) -> Came:  # fmt: skip
    """What came of each. What is due is settled first, as a sweep would, and then all are looked at once more."""

    def tried() -> Came:
        with desk.courier.pool.connection() as conn:
            return together.decide(conn, answers, actor.id, verdict, surface=surface, reason=reason)

    came = tried()
    if due := [pause_id for pause_id, outcome in came.items() if isinstance(outcome, Due)]:
        for pause_id in due:
            desk.sweeper.settle_one(pause_id)
        came = tried()
    for pause_id, outcome in came.items():
        log.info(
            "%s: %s by %s together: %s", ids.screen_id("pause", pause_id), verdict, actor.id, type(outcome).__name__
        )
    desk.kick()
    return came


def _answered(desk: Desk, actor: Actor, several: ids.Several, verdict: str, came: Came) -> Json:
    """What the form says then: errors where something was not typed right, else what came of each and what is left to decide."""
    wrong = [pause_id for pause_id, outcome in came.items() if isinstance(outcome, Unconfirmed)]
    with desk.courier.pool.connection() as conn:
        if wrong and all(isinstance(outcome, Unconfirmed | Kept) for outcome in came.values()):
            said = {ids.block_of("typed", one): _sentence(conn, came[one]) for one in wrong}
            return {"response_action": "errors", "errors": said}
        shown = [pauses.get(conn, button.about) for button in several.buttons]
        lines = [(pause, _sentence(conn, came.get(pause.id))) for pause in shown]
    taken = all(
        isinstance(outcome, Decided | Voted) or decisions.done_before(outcome, verdict, actor)
        for outcome in came.values()
    )
    told = views.told(taken, lines)
    return {"response_action": "update", "view": _next(desk, actor, several, shown, told, taken=taken)}


def _sentence(conn: db.Conn, outcome: Outcome | Kept | None) -> str | None:
    """What came of an answer, in words; None where there was none, or where it was kept back for another."""
    return None if outcome is None or isinstance(outcome, Kept) else outgoing.sentence(conn, outcome)


def _next(
    desk: Desk, actor: Actor, several: ids.Several, shown: Sequence[Pause], told: list[Block], *, taken: bool
) -> Json:
    """What is behind these, once they are decided; these anew, if nothing was. Only what was told, if nothing is left."""
    theirs = next(
        (pause for pause in shown if modals.may_decide(pause, actor)), shown[0]
    )  # the first may be with another by now
    turn, total = _waiting(desk, theirs.id, after=shown[-1].n if taken else shown[0].n - 1)
    if not any(modals.may_decide(pause, actor) for pause in turn):
        return views.closing_view(told)
    return views.together_view(turn, desk.courier.env, viewer=actor, total=total, channel=several.channel, came=told)


def _waiting(desk: Desk, pause_id: UUID, *, after: int = -1) -> tuple[list[Pause], int]:
    """The first of what waits of its turn with the same approver, and how many do."""
    with desk.courier.pool.connection() as conn:
        found = together.waiting(conn, pause_id, after=after)
        return [pauses.get(conn, one) for one in found[:_READ]], len(found)


# ------------------------------------------------------------------------------------------------------------- the form


def _chosen(values: Json, several: ids.Several) -> tuple[Literal["approve", "deny"], list[Answer], str] | Json:
    """The decision, what it is about, and why not; or errors in the form, if it was filled in such that there is none.

    A denial is about what is denied alone: it calls off the others.
    """
    for_all = _value(values, ids.BLOCK_ALL)
    one_by_one = {button: _value(values, ids.block_of("one", button.about)) for button in several.buttons}
    reason = str(_written(values, ids.BLOCK_REASON, ids.ACTION_REASON))
    if len(reason) > modals.REASON_MOST:
        return modals.errors(ids.BLOCK_REASON, phrases.LONG_REASON)
    if for_all in (views.APPROVE, views.DENY):
        if any(choice not in (None, for_all) for choice in one_by_one.values()):
            return modals.errors(ids.BLOCK_ALL, views.OTHERWISE_CHOSEN)
        one_by_one = dict.fromkeys(several.buttons, for_all)
    for verdict in (views.DENY, views.APPROVE):
        if chosen := [button for button, choice in one_by_one.items() if choice == verdict]:
            return ("deny" if verdict == views.DENY else "approve"), [_answer(values, one) for one in chosen], reason
    return modals.errors(ids.BLOCK_ALL, views.NOTHING_CHOSEN)


def _answer(values: Json, button: ids.Button) -> Answer:
    typed = str(_written(values, ids.block_of("typed", button.about), ids.ACTION_TYPED))[: modals.TYPED_MOST]
    return Answer(pause_id=button.about, shown=button.shown, confirm=typed)


def _value(values: Json, block: str) -> str | None:
    chosen = values.get(block, {}).get(ids.ACTION_CHOICE, {}).get("selected_option") or {}
    return chosen.get("value")


def _written(values: Json, block: str, action: str) -> str:
    return values.get(block, {}).get(action, {}).get("value") or ""
