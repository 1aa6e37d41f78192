"""The card of a pause: the message that must always equal its row, painted by one function whoever moved it.

The one rule: what decides is never cut. A card that cannot show all of it shows no Approve; Details does. Room for the
outcome is kept from the start, so that a card that could be posted can also be edited.
"""

from dataclasses import dataclass
from typing import Literal

from bot.cards import facts, ids, parts
from bot.cards.outcomes import Told, told
from bot.cards.parts import Block, Message, Moment, clock, cut, paragraph, size_of, small
from bot.cards.seen import seen, seen_line
from engine.models import Content, Pause

Kind = Literal["approver", "requester"]

_TEXT, _BLOCKS = 8_000, 30  # as limits.our_budget counts
_ROOM_TEXT, _ROOM_BLOCKS = 2_500, 10  # kept for deadline, votes, outcome and buttons
_WHY_MOST, _WHY_LEAST = 1_500, 80
_IN_DETAILS = "… (all of it in Details)"
_TOO_LONG = "This request is too long to be shown here whole. Open Details to read all of it and to decide there."
ALTERED = "This request was altered after it was stored. Nothing can be decided on it."
"""What stands where an altered request would."""


def card(pause: Pause, *, kind: Kind, level: int, env: str) -> Message:
    """The card of this kind, made for this escalation level, as it must look now.

    Only an approver's card of the present level has Approve and Deny; the requester's has Withdraw as long as nothing
    has begun. Within limits.our_budget for any content.
    """
    now = told(pause)
    value = ids.encode(button_of(pause, env))
    if pause.content is None:
        blocks = _altered(pause, now)
    elif kind == "requester":
        blocks = _for_requester(pause, pause.content, now, value)
    else:
        blocks = _for_approver(pause, pause.content, now, level, value)
    return Message(
        text=_text(pause, now, kind),
        blocks=[*blocks, *facts.footer(pause)],
        metadata=_metadata(pause, kind, level, env),
    )


def button_of(pause: Pause, env: str) -> ids.Button:
    """What every button of this pause carries."""
    return ids.Button(env=env, pause_id=pause.id, shown=pause.digest[: ids.SHOWN])


def can_decide(pause: Pause, level: int) -> bool:
    """Whether a card made for this level may show Approve and Deny now."""
    return pause.status == "waiting" and pause.level == level and pause.intact


def can_withdraw(pause: Pause) -> bool:
    """Whether the requester may still take it back: it waits, or was approved and nothing of the run is under way."""
    return pause.status in {"waiting", "approved"} and pause.effect_status is None and pause.open_effects == 0


@dataclass(frozen=True, slots=True)
class _Fitted:
    """What is asked, within the room there is. `complete`: all that decides is there. `left`: something is in Details."""

    blocks: list[Block]
    complete: bool
    left: bool


def _for_approver(pause: Pause, content: Content, now: Told, level: int, value: str) -> list[Block]:
    fitted = _fitted(pause, content)
    blocks = [*facts.heading(content), *fitted.blocks]
    details = parts.details(value)
    if can_decide(pause, level):
        blocks += facts.deadline(pause, content) + facts.approvals(pause, content)
        return blocks + parts.buttons(*(parts.deciding(value) if fitted.complete else ()), details)
    blocks += facts.approvals(pause, content) + _outcome(now)
    if pause.status == "waiting":
        blocks += small(Moment("Answer by {}.", pause.fire_at))
    return blocks + (parts.buttons(details) if fitted.left else [])


def _for_requester(pause: Pause, content: Content, now: Told, value: str) -> list[Block]:
    fitted = _fitted(pause, content)
    blocks = [parts.header(now.head), *fitted.blocks, *facts.approvals(pause, content), *_outcome(now)]
    if pause.status == "waiting":
        blocks += facts.deadline(pause, content)
    withdraw = parts.button("Withdraw", ids.ACTION_WITHDRAW, value)
    shown = [*([withdraw] if can_withdraw(pause) else []), *([parts.details(value)] if fitted.left else [])]
    return blocks + parts.buttons(*shown)


def _altered(pause: Pause, now: Told) -> list[Block]:
    stands = [] if pause.status == "waiting" else _outcome(now)
    what_next = "An operator can cancel it. Until then it waits, and when its time is over it counts as not approved."
    return [
        parts.header("This request was altered"),
        *paragraph(ALTERED),
        *(stands or small(what_next)),
        *small(f"It was asked for {facts.requester(pause)} by the {seen_line(pause.agent).text[:100]} agent."),
    ]


def _outcome(now: Told) -> list[Block]:
    """The outcome, its time in the reader's zone, a person's reason as their words, and what the receipt says."""
    said = small(*(f"{name}: {value}" for name, value in now.facts)) if now.facts else []
    words = parts.quoted(now.words[0], cut(now.words[1], 600, _IN_DETAILS)) if now.words else []
    return [*paragraph(now.text), *words, *said, *(small(now.at) if now.at else [])]


def _fitted(pause: Pause, content: Content) -> _Fitted:
    """All of it; or without what may leave the card; or with a shorter reason; or, last, only a word that it is too long."""
    why = seen(content.explanation).text
    short = cut(why, _WHY_MOST, _IN_DETAILS)
    decisive = [line for line in content.lines if not line.detail]
    moved = len(content.lines) - len(decisive)
    for lines in (content.lines, decisive):
        note = _note(moved) if len(lines) < len(content.lines) else []
        blocks = facts.whole(pause, content, lines, short) + note
        if _fits(blocks):
            return _Fitted(blocks, complete=True, left=bool(note) or short != why)
    note = _note(moved)
    room = _TEXT - _ROOM_TEXT - size_of(facts.whole(pause, content, decisive, "") + note) - len(facts.WHY)
    if room >= _WHY_LEAST and short:
        blocks = facts.whole(pause, content, decisive, cut(short, room, _IN_DETAILS)) + note
        if _fits(blocks):
            return _Fitted(blocks, complete=True, left=True)
    return _Fitted(_too_long(content), complete=False, left=True)


def _note(moved: int) -> list[Block]:
    return small(f"{moved} more {'detail' if moved == 1 else 'details'} in Details") if moved else []


def _too_long(content: Content) -> list[Block]:
    amount = parts.columns([f"Amount\n{content.amount}"]) if content.amount else []
    return [*paragraph(_TOO_LONG), *amount, *paragraph(cut(seen(content.summary).text, 300, _IN_DETAILS))]


def _fits(blocks: list[Block]) -> bool:
    return size_of(blocks) <= _TEXT - _ROOM_TEXT and len(blocks) <= _BLOCKS - _ROOM_BLOCKS


def _text(pause: Pause, now: Told, kind: Kind) -> str:
    """What a notification says, and a screen reader: escaped, and short enough for an edit."""
    content = pause.content
    if content is None:
        return parts.escape(f"{ALTERED} {ids.screen_id('pause', pause.id)}")
    summary = seen_line(content.summary).text
    if kind == "approver" and pause.status == "waiting":
        by = f"Asked by the {seen_line(content.agent).text} agent for {facts.requester(pause)}"
        sentences = [seen_line(content.title).text, summary, by]
    else:
        sentences = [now.text, summary]
    when = Moment("Answer by {}", pause.fire_at) if pause.status == "waiting" else now.at
    sentences += [when.words.format(clock(when.at))] if when else []
    return parts.escape(" ".join(_ended(cut(sentence, 600)) for sentence in sentences))


def _ended(sentence: str) -> str:
    return sentence if sentence.endswith((".", "?", "!", "…")) else f"{sentence}."


def _metadata(pause: Pause, kind: Kind, level: int, env: str) -> dict[str, object]:
    """What lets a card be found again in Slack when the answer to its post was lost."""
    return {
        "event_type": ids.EVENT_CARD,
        "event_payload": {
            "env": env,
            "pause_id": str(pause.id),
            "kind": kind,
            "level": level,
            "version": pause.version,
        },
    }
