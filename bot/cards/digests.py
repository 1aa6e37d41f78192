"""A digest: one message for all that somebody is to be shown at its hour, a line or two for each request.

The one rule: nothing is decided where not all is shown. A line has no Approve, only Details, which has everything, and Approve below it.
"""

from collections import defaultdict
from collections.abc import Sequence
from datetime import datetime

from bot.cards import blocks, ids, parts
from bot.cards.ids import screen_id
from bot.cards.outcomes import told
from bot.cards.parts import Block, Message, Moment, cut, flat, header, paragraph, small
from bot.cards.phrases import approver_name, person
from bot.cards.seen import one_line
from engine.models import Content, Pause
from engine.rules.digest import short
from engine.rules.money import LARGEST_MINOR, Money

MOST = 12
"""How many requests surely fit into one message; what is more comes in the next."""

_SUMMARY, _SETTLED, _NAMES = 250, 130, 150
_IN_DETAILS = "… (all of it in Details)"
_HOW = "Nothing is decided in this list: Details shows a request whole, with Approve and Deny below it."


def digest(shown: Sequence[tuple[Pause, int]], *, dest: str, digest_at: datetime, more: bool, env: str) -> Message:
    """The message for these requests, each with the level its card was made for, as they must look now: two to MOST of them.

    `more`: another message of this digest stands before. Within limits.our_budget for any content.
    """
    asked = [pause for pause, _ in shown]
    head = f"{len(asked)} {'more ' if more else ''}requests {'for you ' if dest.startswith('person:') else ''}in this digest"
    waiting = sum(blocks.can_decide(pause, level, dest) for pause, level in shown)
    stands = (
        "All of them wait for an answer."
        if waiting == len(asked)
        else f"{waiting} of them still wait for an answer here."
    )
    made = [
        header(head),
        *paragraph(" ".join([*_in_all(asked), stands])),
        *small(Moment("Digest of {}.", digest_at), *([_HOW] if waiting else [])),
        *flat(_item(pause, level, dest, env) for pause, level in shown),
    ]
    lines = [cut(one_line(pause.content.summary), 80) for pause in asked if pause.content]
    listed = ids.Listed(dest, digest_at, tuple(pause.id for pause in asked))  # by which a lost one is found again
    text = parts.escape(" ".join([f"{head}.", *_in_all(asked), stands, *lines]))
    return Message(text=text, blocks=made, metadata=ids.encode_listed(listed, env))


def _in_all(asked: Sequence[Pause]) -> list[str]:
    """What is asked for, summed up by currency; what names no amount, or was altered, is said not to be in it."""
    sums: dict[str, int] = defaultdict(int)
    amounts = [pause.content.amount for pause in asked if pause.content and pause.content.amount]
    for amount in amounts:
        sums[amount.currency] += amount.minor
    without = len(asked) - len(amounts)
    said = [f"{_and([_sum(minor, currency) for currency, minor in sorted(sums.items())])} in all."] if sums else []
    left = (
        [f"{without} of them {'names' if without == 1 else 'name'} no amount that can be counted."] if without else []
    )
    return said + left


def _sum(minor: int, currency: str) -> str:
    return str(Money(minor, currency)) if minor <= LARGEST_MINOR else f"more than {Money(LARGEST_MINOR, currency)}"


def _and(words: Sequence[str]) -> str:
    return " and ".join(filter(None, (", ".join(words[:-1]), *words[-1:])))


def _item(pause: Pause, level: int, dest: str, env: str) -> list[Block]:
    """A request that waits for an answer here, with Details; or what became of it, without."""
    if pause.content is not None and blocks.can_decide(pause, level, dest):
        return _waits(pause, pause.content, env)
    became = blocks.ALTERED if pause.content is None else told(pause).text
    summary = one_line(pause.content.summary) if pause.content else ""
    text = " ".join(filter(None, (cut(became, _SETTLED * 2), cut(summary, _SETTLED))))
    return [*paragraph(text), *small(*told(pause).at, _numbers(pause))]


def _waits(pause: Pause, content: Content, env: str) -> list[Block]:
    summary, amount = one_line(content.summary), str(content.amount) if content.amount else ""
    text = cut(" · ".join(filter(None, ("" if amount in summary else amount, summary))), _SUMMARY, _IN_DETAILS)
    value = ids.encode(blocks.button_of(pause, env))
    whom = person(pause.requester_name or pause.on_behalf_of)
    asked = f"for {whom} · with {approver_name(pause.approver, pause.approver_name)}"
    line = {"type": "section", "text": parts.plain(text), "accessory": parts.details(value)}
    return [line, *small(cut(asked, _NAMES), Moment("answer by {}", pause.fire_at), _numbers(pause))]


def _numbers(pause: Pause) -> str:
    return f"{screen_id('pause', pause.id)} · {short(pause.digest)}"
