"""The message shortcut "What happened here?": everything about the request that a message shows, for whoever may look at the message.

Which request that is stands in the message's own buttons. Nothing is decided here; what opens may be decided from, as any Details.
"""

import logging
import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from slack_bolt import Ack, App

from bot.cards import ids, phrases
from bot.delivery.who import Turned
from bot.listeners import decisions, modals
from bot.listeners.decisions import Click
from bot.listeners.desk import Desk
from bot.listeners.places import Place, place_of
from engine.errors import NotFound

log = logging.getLogger(__name__)
Json = dict[str, Any]

SEVERAL: Final = "This message shows several requests. Details beside each tells what happened to it."
NO_REQUEST: Final = "This message shows no request. Choose this on a message of Placet's that asks for something, or says what came of it."


def register(app: App, desk: Desk) -> None:
    """Listen to every message shortcut, also to those that no version of ours knows."""

    def chosen(ack: Ack, body: Json) -> None:
        place = place_of(body)
        desk.serve(ack, place, lambda: what_happened(desk, body, place))

    app.message_shortcut(re.compile(""))(chosen)


def what_happened(desk: Desk, body: Json, place: Place) -> str | None:
    """Open it; a sentence if there is nothing to be opened, or not for this person."""
    if body["callback_id"] != ids.SHORTCUT_WHAT_HAPPENED:
        log.error("somebody chose a shortcut that this version does not know: %s", body["callback_id"])
        return phrases.UNKNOWN_ACTION
    person = desk.who(body)
    if isinstance(person, Turned):
        return person.sentence
    found = [*filter(None, map(ids.decode, _values(body["message"])))]
    if len({one.about for one in found}) > 1:
        return SEVERAL
    button = decisions.ours(desk, found[0]) if found else NO_REQUEST
    if isinstance(button, str):
        return button
    try:
        return modals.open_details(
            desk, Click(button=button, actor=person.actor, place=place, trigger_id=body["trigger_id"])
        )
    except NotFound:
        return NO_REQUEST


def _values(message: Mapping[str, Any]) -> Iterator[str]:
    """What the buttons of a message carry."""
    for block in message.get("blocks") or []:
        for element in (*(block.get("elements") or []), block.get("accessory")):
            if isinstance(element, dict) and isinstance(element.get("value"), str):
                yield element["value"]
