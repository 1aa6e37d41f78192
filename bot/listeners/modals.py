"""What opens over the conversation: everything about a request, and the forms that settle it. Submitting a form is the decision.

A modal can be opened only within three seconds of the click. If that fails nothing was decided: the person is told to click again.
"""

import logging
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from typing import Any, Final

from slack_bolt import Ack, App

from bot.cards import ids, phrases
from bot.cards import modals as views
from bot.cards.asked import is_asked, is_barred
from bot.delivery import outgoing
from bot.delivery.answers import Answered
from bot.delivery.who import Turned
from bot.listeners import decisions, doubts, home, questions
from bot.listeners.decisions import Click
from bot.listeners.desk import Desk, Failed
from bot.listeners.places import place_of
from engine.errors import NotFound
from engine.models import (
    Actor,
    AlreadySettled,
    AskOutcome,
    Blank,
    Broken,
    Decided,
    InquiryMade,
    InquiryReplied,
    NotYours,
    Outcome,
    Pause,
    Voted,
)
from engine.rules.inquiries import WORDS_MOST
from engine.state import events, pauses

log = logging.getLogger(__name__)
Json = dict[str, Any]

NOT_OPENED: Final = "The window did not open in time, and nothing was decided. Please click again."


@dataclass(frozen=True, slots=True, kw_only=True)
class Form:
    """A form about a request: what its submission does with what was written, where its one input stands, and how long that may be."""

    verb: str
    does: Callable[[Desk, Click, str], Outcome | AskOutcome]
    block: str
    action: str
    most: int
    too_long: str


_FORMS: Final[Mapping[str, Form]] = {
    ids.CALLBACK_DENY: Form(
        verb="deny", does=lambda desk, click, text: decisions.decide(desk, click, "deny", reason=text),
        block=ids.BLOCK_REASON, action=ids.ACTION_REASON, most=views.REASON_MOST, too_long=phrases.LONG_REASON,
    ),
    ids.CALLBACK_CONFIRM: Form(
        verb="approve", does=lambda desk, click, text: decisions.decide(desk, click, "approve", confirm=text),
        block=ids.BLOCK_TYPED, action=ids.ACTION_TYPED, most=views.TYPED_MOST, too_long=phrases.UNCONFIRMED,
    ),
    ids.CALLBACK_ASK: Form(
        verb="ask", does=decisions.ask, block=ids.BLOCK_WORDS, action=ids.ACTION_WORDS, most=WORDS_MOST, too_long=phrases.LONG_REASON
    ),
    ids.CALLBACK_REPLY: Form(
        verb="reply", does=decisions.reply, block=ids.BLOCK_WORDS, action=ids.ACTION_WORDS, most=WORDS_MOST, too_long=phrases.LONG_REASON
    ),
}  # fmt: skip


_OTHERS: Final[Mapping[str, tuple[Callable[[Desk, Json, Json], str | None], str]]] = {
    ids.CALLBACK_HAPPENED: (doubts.submit, ids.BLOCK_REFERENCE),
    ids.CALLBACK_ANSWER: (questions.submit, ids.BLOCK_ANSWER),
}
"""Forms of other subjects: what submitting one does, and under which block it says why it was not taken."""


def register(app: App, desk: Desk) -> None:
    """Listen to every form that is submitted, also to those that no version of ours knows."""

    def submitted(ack: Ack, body: Json, view: Json) -> None:
        callback = view.get("callback_id", "")
        form = _FORMS.get(callback)
        if form is None and callback not in _OTHERS:
            log.error("somebody submitted a form that this version does not know: %s", view.get("callback_id"))
            ack()
            place = place_of(body)
            desk.tell(place.channel, place.user, phrases.UNKNOWN_ACTION)
            return
        take, block = (partial(submit, form=form), form.block) if form else _OTHERS[callback]
        answer = desk.attempt(lambda: take(desk, body, view))
        match answer:
            case None:
                ack(response_action="clear")
            case Failed(sentence=sentence) | str(sentence):
                ack(**views.errors(block, sentence))

    app.view(re.compile(""))(submitted)


def open_details(desk: Desk, click: Click) -> str | None:
    """Show everything about a pause, or about a doubt that a list named; a sentence if it could not be shown. Raises NotFound."""
    try:
        view = _details(desk, click)
    except NotFound:
        view = doubts.details(desk, click)
    desk.afterwards(lambda: decisions.adopt_digest(desk, click.place))
    return open_view(desk, click, view)


def open_deny(desk: Desk, click: Click) -> str | None:
    """Ask why not; or say at once that this person may not deny it, or no longer. Raises NotFound."""
    pause, against = settled_first(desk, click)
    if against is None and pause.is_question:
        against = NotYours(outgoing.standing(pause, datetime.now(UTC)), "question")
    if against is None:
        return open_view(desk, click, views.deny_view(pause, desk.courier.env, channel=click.place.told_in))
    return decisions.not_opened(desk, click, "deny", against)


def open_confirm(desk: Desk, click: Click) -> str | None:
    """Ask for what must be typed to approve it; or say at once that this person may not, or no longer. Raises NotFound."""
    pause, against = settled_first(desk, click)
    if against is None and pause.content is not None and pause.content.confirm is not None:
        return open_view(desk, click, views.confirm_view(pause, desk.courier.env, channel=click.place.told_in))
    if against is None:  # an old button: nothing is to be typed
        return phrases.UNKNOWN_ACTION
    return decisions.not_opened(desk, click, "approve", against)


def open_ask(desk: Desk, click: Click) -> str | None:
    """Ask what the requester is to be asked; who may not ask is told so at once, which is on record. Raises NotFound."""
    pause, against = settled_first(desk, click)
    outcome = (
        decisions.ask(desk, click, "") if against or pause.is_question else None
    )  # the statement says it again, and writes it down
    if outcome is None or isinstance(outcome, Blank):
        return open_view(desk, click, views.ask_view(pause, desk.courier.env, channel=click.place.told_in))
    with desk.courier.pool.connection() as conn:
        return outgoing.sentence(conn, outcome)


def open_reply(desk: Desk, click: Click) -> str | None:
    """Ask for the answer to the inquiry that the button names; likewise. Raises NotFound."""
    pause, _ = settled_first(desk, click)
    asked = pause.inquiry(click.button.inquiry)
    can = (
        asked is not None and asked.reply is None and pause.status == "waiting" and click.actor.id == pause.on_behalf_of
    )
    outcome = None if can else decisions.reply(desk, click, "")
    if asked is not None and (outcome is None or isinstance(outcome, Blank)):
        return open_view(desk, click, views.reply_view(pause, asked, desk.courier.env, channel=click.place.told_in))
    assert outcome is not None
    with desk.courier.pool.connection() as conn:
        return outgoing.sentence(conn, outcome)


def open_answer(desk: Desk, click: Click) -> str | None:
    """Ask for the answer to a question; or say at once that this person may not give it, or no longer. Raises NotFound."""
    pause, against = settled_first(desk, click)
    if against is None and pause.is_question:
        return open_view(desk, click, views.answer_view(pause, desk.courier.env, channel=click.place.told_in))
    not_so = against or NotYours(outgoing.standing(pause, datetime.now(UTC)), "no_question")
    return decisions.not_opened(desk, click, "answer", not_so)


def open_happened(desk: Desk, click: Click) -> str | None:
    """Ask for the provider's reference of what happened. Raises NotFound."""
    form = doubts.form(desk, click)
    return form if isinstance(form, str) else open_view(desk, click, form)


def submit(desk: Desk, body: Json, view: Json, *, form: Form) -> str | None:
    """Do what the form was opened for; a sentence if that decided nothing, for the form to show."""
    carried = ids.decode_carried(view.get("private_metadata"))
    button = decisions.ours(desk, carried.button if carried else None)
    written = str(view["state"]["values"].get(form.block, {}).get(form.action, {}).get("value") or "")
    if isinstance(button, str):
        return button
    if len(written) > form.most:
        return form.too_long
    person = desk.who(body)
    if isinstance(person, Turned):
        return decisions.turned_away(desk, body, button, form.verb, person)
    click = Click(button=button, actor=person.actor, place=place_of(body), trigger_id=body["trigger_id"])
    try:
        return _decide(desk, click, form, written)
    except NotFound:
        return phrases.UNKNOWN_CARD


def _decide(desk: Desk, click: Click, form: Form, written: str) -> str | None:
    outcome = form.does(desk, click, written)
    done = isinstance(outcome, Decided | Voted | InquiryMade | InquiryReplied)
    if not done and not decisions.done_before(outcome, form.verb, click.actor):
        with desk.courier.pool.connection() as conn:
            return outgoing.sentence(conn, outcome)
    if click.place.told_in is None:
        desk.afterwards(lambda: home.publish(desk, click.actor, click.place.user))
    return None


def settled_first(desk: Desk, click: Click) -> tuple[Pause, Outcome | None]:
    """The pause, settled first if its time is up, and what speaks against this person's answer; None: nothing."""
    pause = _pause(desk, click)
    if pause.status == "waiting" and pause.fire_at <= datetime.now(UTC):
        desk.sweeper.settle_one(pause.id)
        desk.kick()
        pause = _pause(desk, click)
    return pause, _against(pause, click.actor)


def show_again(desk: Desk, click: Click) -> None:
    """Make an open modal show its pause as it is now."""
    outcome = desk.courier.slack.views_update(click.place.view_id or "", _details(desk, click))
    if not isinstance(outcome, Answered):
        log.warning("a modal of %s was not shown anew: %s", ids.screen_id("pause", click.button.about), outcome.error)


def _details(desk: Desk, click: Click) -> Json:
    """Everything about the pause that was clicked, and what happened to it. Raises NotFound."""
    with desk.courier.pool.connection() as conn:
        pause, passages = pauses.get(conn, click.button.about), events.of_pause(conn, click.button.about)
    return views.details_view(
        pause, desk.courier.env, passages=passages, viewer=click.actor, channel=click.place.told_in
    )


def _pause(desk: Desk, click: Click) -> Pause:
    with desk.courier.pool.connection() as conn:
        return pauses.get(conn, click.button.about)


def open_view(desk: Desk, click: Click, view: Json) -> str | None:
    """Open it for who clicked; a sentence if that could not be done."""
    outcome = desk.courier.slack.views_open(click.trigger_id, view, on_top=click.place.surface == "details")
    if isinstance(outcome, Answered):
        return None
    log.warning("a modal did not open: %s", outcome.error)
    return NOT_OPENED


def _against(pause: Pause, actor: Actor) -> Outcome | None:
    """What the statement would answer to a denial now, as far as it is sure; None: let them give their reason."""
    now = outgoing.standing(pause, datetime.now(UTC))
    if pause.status != "waiting":
        return AlreadySettled(now)
    if not pause.intact:
        return Broken(now, "broken")
    if is_barred(pause, actor):
        return NotYours(now, "own")
    if actor.id in pause.voters:
        return NotYours(now, "voted")
    return None if is_asked(pause.approver, (one.id for one in pause.stand_ins), actor) else NotYours(now, "not_yours")
