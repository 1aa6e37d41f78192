"""What somebody answers to a question: a choice at once, by its button, or what a form holds. One conditional statement decides.

Who may answer is looked up by that statement. Nothing that is clicked here can approve or deny anything.
"""

from typing import Any, Final

from bot.cards import ids, phrases
from bot.cards import questions as cards
from bot.delivery import outgoing
from bot.delivery.who import Turned
from bot.listeners import decisions, home
from bot.listeners.decisions import Click
from bot.listeners.desk import Desk
from bot.listeners.places import place_of
from engine.errors import NotFound
from engine.models import Content, Decided
from engine.rules import questions
from engine.rules.digest import visible
from engine.state import pauses

Json = dict[str, Any]
_UNREAD: Final = "The choice could not be read, so nothing was recorded. Please choose again."


def chosen(desk: Desk, click: Click) -> str | None:
    """What the button's choice says, as the request has it; None: there is none such to be answered with. Raises NotFound."""
    content = _content(desk, click)
    return _choice(content, click.button.choice) if content else None


def submit(desk: Desk, body: Json, view: Json) -> str | None:
    """The answer that the form holds; a sentence if it was not taken, for the form to show."""
    carried = ids.decode_carried(view.get("private_metadata"))
    button = decisions.ours(desk, carried.button if carried else None)
    if isinstance(button, str):
        return button
    person = desk.who(body)
    if isinstance(person, Turned):
        return decisions.turned_away(desk, body, button, "answer", person)
    click = Click(button=button, actor=person.actor, place=place_of(body), trigger_id=body["trigger_id"])
    try:
        return _submit(desk, click, view["state"]["values"])
    except NotFound:
        return phrases.UNKNOWN_CARD


def _submit(desk: Desk, click: Click, values: Json) -> str | None:
    words = str(values.get(ids.BLOCK_ANSWER, {}).get(ids.ACTION_ANSWER_TEXT, {}).get("value") or "").strip()
    option = (values.get(ids.BLOCK_ANSWER_CHOICE, {}).get(ids.ACTION_ANSWER_CHOICE) or {}).get("selected_option")
    if option is not None:
        if words:
            return cards.CHOOSE_ONE_WAY
        content = _content(desk, click)
        text = _choice(content, int(option["value"])) if content and str(option.get("value")).isdecimal() else None
        if text is None:
            return _UNREAD
    else:
        text = words
        if why := questions.unfit(words):
            return why
    return _answer(desk, click, text)


def _answer(desk: Desk, click: Click, text: str) -> str | None:
    outcome = decisions.decide(desk, click, "answer", reason=text)
    said_before = decisions.done_before(outcome, "answer", click.actor) and outcome.now.reason == visible(text).strip()
    if not isinstance(outcome, Decided) and not said_before:
        with desk.courier.pool.connection() as conn:
            return outgoing.sentence(conn, outcome)
    if click.place.told_in is None:
        desk.afterwards(lambda: home.publish(desk, click.actor, click.place.user))
    return None


def _content(desk: Desk, click: Click) -> Content | None:
    with desk.courier.pool.connection() as conn:
        return pauses.get(conn, click.button.about).content


def _choice(content: Content, place: int | None) -> str | None:
    choices = content.choices or ()
    return choices[place] if place is not None and place < len(choices) else None
