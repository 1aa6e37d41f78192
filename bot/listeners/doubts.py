"""What somebody answers to a card that asks whether an action happened: it did, it did not, or stop. One conditional statement decides.

Who may answer is looked up by that statement: a holder of the effect's doubt role, and never the requester.
"""

from typing import Any, Final
from uuid import UUID

from bot.cards import doubts, ids, phrases
from bot.cards.doubts import Answer
from bot.delivery import repaint
from bot.delivery.who import Turned
from bot.listeners import decisions, home
from bot.listeners.decisions import Click
from bot.listeners.desk import Desk
from bot.listeners.places import Place, place_of
from engine.errors import NotFound
from engine.models import Doubt
from engine.state import cards, ledger

Json = dict[str, Any]
_NO_ATTEMPT: Final = UUID(int=0)


def retry(desk: Desk, click: Click) -> str | None:
    """It surely did not happen: try again. A sentence for the clicker if that was not taken. Raises NotFound."""
    return _answer(desk, click, "retry")


def stop(desk: Desk, click: Click) -> str | None:
    """End the run without knowing. Likewise."""
    return _answer(desk, click, "stop")


def details(desk: Desk, click: Click) -> Json:
    """The window with all that is known of it, and the three answers for who may give one. Raises NotFound."""
    doubt = _doubt(desk, click)
    may_say = doubt.doubt_role in click.actor.roles and doubt.on_behalf_of != click.actor.id
    return doubts.details_view(doubt, desk.courier.env, may_say=may_say, channel=click.place.told_in)


def form(desk: Desk, click: Click) -> Json | str:
    """The form for "it happened"; or why it cannot be opened. Raises NotFound."""
    doubt = _doubt(desk, click)
    if not doubt.digest.startswith(click.button.shown):
        return phrases.UNKNOWN_CARD
    if against := _against(desk, click, doubt):
        decisions.on_record(desk, doubt.id, "happened", actor=click.actor.id, place=click.place, why=against)
        return doubts.refused(doubt, against)
    return doubts.reference_view(doubt, desk.courier.env, channel=click.place.told_in)


def _against(desk: Desk, click: Click, doubt: Doubt) -> str | None:
    """Why the form would not be taken from this person now; None: nothing is known against it."""
    if doubt.status != "in_doubt":
        return "settled"
    if doubt.on_behalf_of == click.actor.id:
        return "own"
    if doubt.doubt_role not in click.actor.roles:
        return "not_yours"
    if _shown(click, doubt) != doubt.attempt_id:
        desk.afterwards(lambda: _renew(desk, doubt, click.place))
        return "again"
    return None


def submit(desk: Desk, body: Json, view: Json) -> str | None:
    """It happened, with the reference that the form holds; a sentence if that was not taken, for the form to show."""
    carried = ids.decode_carried(view.get("private_metadata"))
    button = decisions.ours(desk, carried.button if carried else None)
    if isinstance(button, str):
        return button
    reference = str(
        view["state"]["values"].get(ids.BLOCK_REFERENCE, {}).get(ids.ACTION_REFERENCE, {}).get("value") or ""
    ).strip()
    if not reference or len(reference) > doubts.REFERENCE_MOST:
        return doubts.NO_REFERENCE
    person = desk.who(body)
    if isinstance(person, Turned):
        return decisions.turned_away(desk, body, button, "happened", person)
    click = Click(button=button, actor=person.actor, place=place_of(body), trigger_id=body["trigger_id"])
    try:
        return _answer(desk, click, "happened", reference)
    except NotFound:
        return phrases.UNKNOWN_CARD


def _answer(desk: Desk, click: Click, answer: Answer, reference: str = "") -> str | None:
    doubt = _doubt(desk, click)
    if not doubt.digest.startswith(click.button.shown):
        return phrases.UNKNOWN_CARD
    surface = f"slack:{click.place.surface}"
    with desk.courier.pool.connection() as conn:
        outcome = ledger.resolve(
            conn, doubt.id, answer, actor=click.actor.id, surface=surface, reference=reference, attempt_id=_shown(click, doubt)
        )  # fmt: skip
        now = ledger.doubt(conn, doubt.id)
    desk.kick()
    desk.afterwards(lambda: _show_again(desk, now, click, renewed=outcome == "again"))
    return None if outcome == answer else doubts.refused(now, outcome)


def _show_again(desk: Desk, doubt: Doubt, click: Click, *, renewed: bool) -> None:
    """What shows it besides its cards: the window in which it was answered, and the Home tab. `renewed`: it was about an earlier attempt."""
    if renewed:
        _renew(desk, doubt, click.place)
    else:
        _adopt(desk, doubt, click.place)
    if click.place.surface == "details" and click.place.view_id:
        desk.courier.slack.views_update(click.place.view_id, details(desk, click))
    if click.place.surface in {"details", "form"} and click.place.told_in is None:
        home.publish(desk, click.actor, click.place.user)


def _shown(click: Click, doubt: Doubt) -> UUID:
    """The attempt that the clicker was asked about. A card of a release that did not write it may be about the only one, and about no other."""
    if click.button.attempt is not None:
        return click.button.attempt
    return doubt.attempt_id if doubt.attempts == 1 else _NO_ATTEMPT


def _adopt(desk: Desk, doubt: Doubt, place: Place) -> None:
    """Make a card that was clicked ours if its post's answer was lost or it was given up; paint it once if another copy took its place since."""
    if place.surface != "card" or place.ts is None:
        return
    with desk.courier.pool.connection() as conn:
        shown = cards.of_effect(conn, doubt.id)
        card = decisions.card_of(shown, shown, place)
        if card and card.ts and card.state == "live":
            return
        adopted = card is not None and cards.adopt(conn, card.id, channel=place.channel, ts=place.ts)
    if adopted:
        desk.kick()
    else:
        repaint.paint_doubt_copy(desk.courier, doubt, channel=place.channel, ts=place.ts)


def _renew(desk: Desk, doubt: Doubt, place: Place) -> None:
    """Have a message that asks about an earlier attempt, or does not say about which, ask about the newest."""
    if place.surface == "card" and place.ts is not None:
        repaint.paint_doubt_copy(desk.courier, doubt, channel=place.channel, ts=place.ts)


def _doubt(desk: Desk, click: Click) -> Doubt:
    with desk.courier.pool.connection() as conn:
        return ledger.doubt(conn, click.button.about)
