"""A decision taken in Slack: one statement, a second look where its time had run out, and then everything that follows from it.

The row decides, and what it answers is true for winner and loser alike. What people then see comes from the cards that the move marked,
and from a private answer for whoever would otherwise not learn what came of it.
"""

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, TypeVar
from uuid import UUID

from bot.cards import ids, phrases
from bot.delivery import digests, outgoing, repaint, who
from bot.delivery.who import Turned
from bot.listeners.desk import Desk
from bot.listeners.places import Place, place_of
from engine.errors import NotFound
from engine.models import Actor, AlreadySettled, AskOutcome, Broken, Decided, NotYours, Outcome, Voted
from engine.state import cards, events, inquiries, pauses

log = logging.getLogger(__name__)

Json = dict[str, Any]
Verb = Literal["approve", "deny", "answer", "withdraw"]
AnyOutcome = TypeVar("AnyOutcome", Outcome, AskOutcome)

_TRIED: Final[Mapping[str, str]] = {
    "approve": "approve", "confirm": "approve", "deny": "deny", "withdraw": "cancel", "happened": "resolve", "retry": "retry", "stop": "abandon",
    "ask": "ask_back", "reply": "reply", "answer": "answer", "choose": "answer", "together": "approve",
}  # fmt: skip
"""The event that each button would have been, of those that decide."""
_DID: Final = {"approve": "approved", "deny": "denied", "answer": "answered"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Click:
    """Something pressed on a request of ours, by a person who is known."""

    button: ids.Button
    actor: Actor
    place: Place
    trigger_id: str


def ours(desk: Desk, button: ids.Button | None) -> ids.Button | str:
    """The button, if it could be read and belongs to this environment; else the sentence for who pressed it."""
    if button is None:
        return phrases.UNKNOWN_CARD
    return button if button.env == desk.courier.env else phrases.other_environment(button.env, desk.courier.env)


def turned_away(desk: Desk, body: Json, button: ids.Button | str, verb: str, person: Turned) -> str:
    """The sentence for somebody who may decide nothing at all; what they tried is on record, under the identity that Slack signed."""
    if isinstance(button, ids.Button):
        theirs = who.identity(body)
        on_record(desk, button.about, verb, actor=f"{theirs.team}:{theirs.user}", place=place_of(body), why=person.why)
    return person.sentence


def not_opened(desk: Desk, click: Click, verb: str, outcome: Outcome) -> str:
    """The sentence for somebody whose form is not opened, since it would not be taken; on record as if it had been refused."""
    why = outcome.why if isinstance(outcome, NotYours | Broken) else "settled"
    on_record(desk, click.button.about, verb, actor=click.actor.id, place=click.place, why=why)
    with desk.courier.pool.connection() as conn:
        return outgoing.sentence(conn, outcome)


def on_record(desk: Desk, about: UUID, verb: str, *, actor: str, place: Place, why: str) -> None:
    """Write that an attempt was refused before any move; of a request that there is not, and of what decides nothing, there is no record."""
    log.warning(
        "%s: %s by %s in slack:%s: refused, %s", ids.screen_id("request", about), verb, actor, place.surface, why
    )
    if (tried := _TRIED.get(verb)) is None:
        return
    try:
        with desk.courier.pool.connection() as conn:
            events.turned_away(conn, about, tried, actor=actor, surface=f"slack:{place.surface}", why=why)
    except NotFound:
        pass


def decide(desk: Desk, click: Click, verb: Verb, *, reason: str = "", confirm: str = "") -> Outcome:
    """What came of it; `reason` is the answer, where one is given. A pause whose time is up is settled first, as a sweep would, and then looked at once more. Raises NotFound."""
    return _settled_first(desk, click, verb, lambda: _tried(desk, click, verb, reason, confirm))


def done_before(outcome: object, verb: str, actor: Actor) -> bool:
    """Whether the same form did it already, as when it is delivered twice, or submitted again since Slack did not hear that it was taken."""
    if not isinstance(outcome, AlreadySettled):
        return False
    return (outcome.now.status, outcome.now.decided_by) == (_DID.get(verb), actor.id)


def ask(desk: Desk, click: Click, question: str) -> AskOutcome:
    """What came of an inquiry to the requester, likewise."""
    surface, shown = f"slack:{click.place.surface}", click.button.shown

    def asked() -> AskOutcome:
        with desk.courier.pool.connection() as conn:
            return inquiries.ask(conn, click.button.about, click.actor.id, text=question, surface=surface, shown=shown)

    return _settled_first(desk, click, "ask", asked)


def reply(desk: Desk, click: Click, answer: str) -> AskOutcome:
    """What came of the answer to the inquiry that the button names, likewise."""
    surface, n = f"slack:{click.place.surface}", click.button.inquiry or 0

    def answered() -> AskOutcome:
        with desk.courier.pool.connection() as conn:
            return inquiries.reply(conn, click.button.about, click.actor.id, n, text=answer, surface=surface)

    return _settled_first(desk, click, "reply", answered)


def _settled_first(desk: Desk, click: Click, verb: str, tried: Callable[[], AnyOutcome]) -> AnyOutcome:
    outcome = tried()
    if outcome.now.status == "waiting" and outcome.now.fire_at <= outcome.now.at:
        desk.sweeper.settle_one(click.button.about)
        outcome = tried()
    name = ids.screen_id("pause", click.button.about)
    log.info("%s: %s by %s in slack:%s: %s", name, verb, click.actor.id, click.place.surface, type(outcome).__name__)
    desk.kick()
    return outcome


def _tried(desk: Desk, click: Click, verb: Verb, reason: str, confirm: str) -> Outcome:
    pause_id, shown, actor = click.button.about, click.button.shown, click.actor.id
    surface = f"slack:{click.place.surface}"
    with desk.courier.pool.connection() as conn:
        match verb:
            case "approve":
                return pauses.approve(
                    conn, pause_id, actor, surface=surface, shown=shown, reason=reason, confirm=confirm
                )
            case "deny":
                return pauses.deny(conn, pause_id, actor, surface=surface, shown=shown, reason=reason)
            case "answer":
                return pauses.answer(conn, pause_id, actor, reason, surface=surface, shown=shown)
            case "withdraw":
                return pauses.withdraw(conn, pause_id, actor, surface=surface, reason=reason)


def answer(desk: Desk, outcome: Outcome, verb: Verb, place: Place) -> None:
    """Have the person told in private, unless what they clicked shows it by itself."""
    if isinstance(outcome, Decided | Voted) and place.surface != "list":
        return
    with desk.courier.pool.connection() as conn:
        outgoing.answer_later(conn, outcome, tried=verb, channel=place.channel, user=place.user)
    desk.kick()


def adopt(desk: Desk, pause_id: UUID, place: Place) -> None:
    """Make a card that was clicked ours if its post's answer was lost or it was given up; paint it once if another copy took its place since."""
    if place.surface != "card" or place.ts is None:
        return
    with desk.courier.pool.connection() as conn:
        shown = cards.of_pause(conn, pause_id)
        level = pauses.get(conn, pause_id).level if place.level is None else place.level
        theirs = [c for c in shown if c.kind == place.kind and c.level == level]
        card = card_of(shown, theirs, place)
        if card and card.ts and card.state == "live":
            return
        adopted = card is not None and cards.adopt(conn, card.id, channel=place.channel, ts=place.ts)
    if adopted:
        log.info("a card of %s was found again by a click", ids.screen_id("pause", pause_id))
        desk.kick()
    else:
        repaint.paint_copy(desk.courier, pause_id, kind=place.kind, level=level, channel=place.channel, ts=place.ts)


def adopt_digest(desk: Desk, place: Place) -> None:
    """The same for a digest in which something was clicked: what it shows is shown by it, unless that stands in another by now."""
    if place.listed is None or place.ts is None:
        return
    here, dest = (place.channel, place.ts), place.listed.dest
    with desk.courier.pool.connection() as conn:
        shown = [card for one in place.listed.pause_ids for card in cards.of_pause(conn, one) if card.dest == dest]
        if any((card.channel, card.ts) == here for card in shown):
            return
        lost = [card for card in shown if (card.kind, card.level, card.ts) == ("approver", 0, None)]
        adopted = [cards.adopt(conn, card.id, channel=place.channel, ts=place.ts) for card in lost]
    if any(adopted):
        log.info("a digest for %s was found again by a click", dest)
        desk.kick()
    else:
        digests.paint_copy(desk.courier, place.listed, channel=place.channel, ts=place.ts)


def card_of(shown: Sequence[cards.Shown], lost_among: Sequence[cards.Shown], place: Place) -> cards.Shown | None:
    """The card whose message this is, or else one that has none and may have lost it here; None if there is neither."""
    known = [c for c in shown if (c.channel, c.ts) == (place.channel, place.ts)]
    return next(iter(known or [c for c in lost_among if c.ts is None and may_be(c.dest, place)]), None)


def may_be(dest: str, place: Place) -> bool:
    """Whether a card for this destination may stand in this place; whose direct conversation a D... is, its id does not say."""
    kind, _, name = dest.partition(":")
    return name == place.channel if kind == "channel" else place.channel.startswith("D")
