"""What somebody who may decide asked the requester, and the answer, as blocks: for the card, for Details, and for what is said below a card.

The one rule: both are people's own words, in rich text, where nothing in them is read as formatting; a card shows them whole or not at all.
"""

from dataclasses import replace
from typing import Final

from bot.cards import ids, parts
from bot.cards.facts import requester
from bot.cards.parts import Block, Moment, cut, flat, quoted, small
from bot.cards.phrases import person
from bot.cards.seen import seen
from engine.models import Inquiry, Pause

SAID_MOST: Final = 2_500
"""The size up to which a message of its own says an inquiry or an answer; what is longer stands whole in Details."""
LATEST: Final = 5
"""How many of the latest inquiries Details shows whole."""
_CUT: Final = "… (all of it in Details)"
_NAME: Final = 24


def latest(pause: Pause) -> Inquiry | None:
    """The inquiry that a card shows: the latest that is still open, or else the latest; None: nobody asked any."""
    return to_reply(pause) or (pause.inquiries[-1] if pause.inquiries else None)


def to_reply(pause: Pause) -> Inquiry | None:
    """The latest inquiry that can still be answered; None: there is none."""
    unanswered = [one for one in pause.inquiries if one.reply is None]
    return unanswered[-1] if unanswered and pause.status == "waiting" else None


def on_card(pause: Pause) -> list[Block]:
    """The inquiry that a card shows, whole, with its answer, and how many others there are; nothing if nobody asked any."""
    shown = latest(pause)
    if shown is None:
        return []
    others = len(pause.inquiries) - 1
    more = small(f"{others} more {'inquiry' if others == 1 else 'inquiries'} in Details") if others else []
    return [*pair(pause, shown), *more]


def in_details(pause: Pause) -> list[Block]:
    """The same in a sentence, where there is no room for it."""
    shown = latest(pause)
    if shown is None:
        return []
    answered = f"and {requester(pause)} answered" if shown.reply is not None else "and there is no answer yet"
    return parts.paragraph(f"{person(shown.name)} asked {requester(pause)} something, {answered}. It is in Details.")


def pair(pause: Pause, one: Inquiry, most: int | None = None) -> list[Block]:
    """An inquiry and its answer, each under who said it; what is longer than `most` is cut, with a word where all of it is."""
    if one.reply is not None:
        return [*inquiry(pause, one, most), *quoted(f"{requester(pause)} answered", _words(one.reply, most))]
    missing = small("Not answered yet.") if pause.status == "waiting" else small("It was not answered.")
    return [*inquiry(pause, one, most), *missing]


def inquiry(pause: Pause, one: Inquiry, most: int | None = None) -> list[Block]:
    """An inquiry alone, likewise."""
    return quoted(f"{person(one.name)} asked {requester(pause)}", _words(one.text, most))


def whole(pause: Pause, most: int) -> list[Block]:
    """The latest inquiries, `most` of them, each with its answer and when that was, in their order; nothing if there are none."""
    shown = pause.inquiries[-most:] if most else ()
    left = len(pause.inquiries) - len(shown)
    more = (
        small(f"{left} earlier {'inquiry' if left == 1 else 'inquiries'}; placet show has all of them.") if left else []
    )
    return [*more, *flat([*pair(pause, one), *_times(one)] for one in shown)]


def ask_button(pause: Pause, value: str) -> Block:
    """The button that opens the form for an inquiry to the requester."""
    return parts.button(f"Ask {cut(requester(pause), _NAME)} …", ids.ACTION_ASK, value)


def reply_button(button: ids.Button, one: Inquiry) -> Block:
    """The button that opens the form for the answer to this inquiry."""
    return parts.button("Answer …", ids.ACTION_REPLY, ids.encode(replace(button, inquiry=one.n)))


def _words(text: str, most: int | None) -> str:
    shown = seen(text).text
    return shown if most is None else cut(shown, most, _CUT)


def _times(one: Inquiry) -> list[Block]:
    answered = [Moment("answered {}", one.replied_at)] if one.replied_at else []
    return small(Moment("Asked {}", one.at), *answered)
