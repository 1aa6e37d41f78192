"""A click: read what was clicked, know who clicked, let the row decide, answer. One listener for every button there is.

The decision is one statement, made before Slack is answered. Nothing is painted here: the move marks its cards, and delivery paints
them. Whoever did not win is told privately why; no click is ever without an answer.
"""

import logging
import re
from collections.abc import Callable, Mapping
from typing import Any, Final

from slack_bolt import Ack, App

from bot.cards import ids, phrases
from bot.delivery.who import Turned
from bot.listeners import again, decisions, doubts, home, modals, questions, together
from bot.listeners.decisions import Click, Verb
from bot.listeners.desk import Desk
from bot.listeners.places import Place, place_of
from engine.errors import NotFound

log = logging.getLogger(__name__)
Json = dict[str, Any]


def register(app: App, desk: Desk) -> None:
    """Listen to every button, also to those that no version of ours knows."""

    def clicked(ack: Ack, body: Json) -> None:
        place = place_of(body)
        desk.serve(ack, place, lambda: click(desk, body, place))

    app.action(re.compile(""))(clicked)


def click(desk: Desk, body: Json, place: Place) -> str | None:
    """Do what was clicked; the sentence for the clicker, None if they see or hear of it anyway."""
    action = body["actions"][0]
    named = ids.ACTION_PATTERN.match(action["action_id"])
    if named and named["verb"] in home.VERBS:
        return home.click(desk, body, named["verb"], str(action.get("value") or ""))
    act = _VERBS.get(named["verb"]) if named else None
    if named is None or act is None:
        log.error("somebody clicked a button that this version does not know: %s", action["action_id"])
        return phrases.UNKNOWN_ACTION
    button, person = decisions.ours(desk, ids.decode(action.get("value"))), desk.who(body)
    if isinstance(person, Turned):
        return decisions.turned_away(desk, body, button, named["verb"], person)
    if isinstance(button, str):
        return button
    try:
        return act(desk, Click(button=button, actor=person.actor, place=place, trigger_id=body["trigger_id"]))
    except NotFound:
        return phrases.UNKNOWN_CARD


def _approve(desk: Desk, click: Click) -> None:
    _decide(desk, click, "approve")


def _withdraw(desk: Desk, click: Click) -> None:
    _decide(desk, click, "withdraw")


def _choose(desk: Desk, click: Click) -> str | None:
    text = questions.chosen(desk, click)
    if text is None:
        return phrases.UNKNOWN_ACTION
    _decide(desk, click, "answer", text)
    return None


def _decide(desk: Desk, click: Click, verb: Verb, text: str = "") -> None:
    decisions.answer(desk, decisions.decide(desk, click, verb, reason=text), verb, click.place)
    match click.place.surface:
        case "card":
            desk.afterwards(lambda: decisions.adopt(desk, click.button.about, click.place))
        case "home":
            desk.afterwards(lambda: home.publish(desk, click.actor, click.place.user))
        case "details":
            desk.afterwards(lambda: modals.show_again(desk, click))


_VERBS: Final[Mapping[str, Callable[[Desk, Click], str | None]]] = {
    "reply": modals.open_reply,
    "approve": _approve,
    "ask": modals.open_ask,
    "confirm": modals.open_confirm,
    "happened": modals.open_happened,
    "retry": doubts.retry,
    "stop": doubts.stop,
    "deny": modals.open_deny,
    "answer": modals.open_answer,
    "choose": _choose,
    "details": modals.open_details,
    "together": together.open_together,
    "withdraw": _withdraw,
    "ask_again": again.ask,
}
"""What each button does. Opening a modal is the only call to Slack made while a click waits: its trigger would not."""
