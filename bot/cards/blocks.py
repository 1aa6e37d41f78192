"""The card of a pause: the message that must always equal its row, painted by one function whoever moved it.

The one rule: what decides is never cut. A card that cannot show all of it shows no Approve; Details does. Room for the
outcome is kept from the start, so that a card that could be posted can also be edited.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from bot.cards import facts, ids, inquiries, parts, questions
from bot.cards.outcomes import Told, told
from bot.cards.parts import Block, Message, Moment, clock, cut, paragraph, size_of, small
from bot.cards.phrases import approver_name, came
from bot.cards.seen import one_line, seen, seen_line
from engine.models import Content, Line, Pause, Waiting

Kind = Literal["approver", "requester"]

_TEXT, _BLOCKS = 8_000, 30  # as limits.our_budget counts
# Kept for what comes later: the deadline, votes, the outcome with somebody's words and the receipt, and buttons.
_ROOM_TEXT, _ROOM_BLOCKS = 3_100, 11
_FOOTER_TEXT = 100  # more than the id and the digest take
_WHY_MOST, _WHY_LEAST = 1_500, 80
_IN_DETAILS = "… (all of it in Details)"
_TOO_LONG = "This request is too long to be shown here whole. All of it is in Details."
_SUMMARY_MOST = 600
_DECIDE_THERE = "Read it there; {} below it."
ALTERED = "This request was altered after it was stored. Nothing can be decided on it."
"""What stands where an altered request would."""


def card(pause: Pause, *, kind: Kind, level: int, env: str, dest: str | None = None) -> Message:
    """The card of this kind, made for this escalation level, as it must look now, at this destination (None: wherever).

    Only an approver's card of the present level, where one is who may answer now, has what settles it; where the requester sees it there is
    Withdraw as long as nothing has begun, and Ask again when it has lapsed. Within limits.our_budget for any content.
    """
    now = told(pause)
    button = button_of(pause, env)
    if pause.content is None:
        blocks = _altered(pause, now)
    elif kind == "requester":
        blocks = _for_requester(pause, pause.content, now, button)
    else:
        decide = questions.offered(pause.content, button) if can_decide(pause, level, dest) else []
        mine = dest == f"person:{pause.on_behalf_of}"  # asked of the requester: no other card of it is theirs
        blocks = _for_approver(pause, pause.content, now, ids.encode(button), decide=decide, mine=mine)
    return Message(
        text=_text(pause, now, kind),
        blocks=[*blocks, *facts.footer(pause)],
        metadata=_metadata(pause, kind, level, env),
    )


def button_of(pause: Pause, env: str) -> ids.Button:
    """What every button of this pause carries."""
    return ids.Button(env=env, about=pause.id, shown=pause.digest[: ids.SHOWN])


def can_decide(pause: Pause, level: int, dest: str | None = None) -> bool:
    """Whether a card made for this level and this destination (None: wherever) may show Approve and Deny now."""
    return pause.status == "waiting" and pause.level == level and pause.intact and not stood_in_before(pause, dest)


def stood_in_before(pause: Pause, dest: str | None) -> bool:
    """Whether a card at this destination is that of somebody who stands in on some days, and does not now."""
    asked = {pause.approver, *(f"person:{one.id}" for one in pause.stand_ins)}
    return (
        dest is not None and dest.startswith("person:") and pause.approver.startswith("person:") and dest not in asked
    )


def is_plain(line: Waiting, content: Content) -> bool:
    """Whether its card shows all that decides, and warns of nothing: only then may a line that shows less of it offer a decision."""
    return _fitted(line, content).complete and not facts.warnings(content) and questions.is_whole_in_labels(content)


def can_withdraw(pause: Pause) -> bool:
    """Whether the requester may still take it back: it waits, or was approved and nothing of the run is under way."""
    return pause.status in {"waiting", "approved"} and pause.effect_status is None and pause.open_effects == 0


def can_ask_again(pause: Pause) -> bool:
    """Whether the requester may ask for it again: it lapsed, and no run does yet."""
    return pause.lapsed and pause.again_run is None


@dataclass(frozen=True, slots=True)
class _Fitted:
    """What is asked, within the room there is. `complete`: all that decides is there. `left`: something is in Details."""

    blocks: list[Block]
    complete: bool
    left: bool


def _for_approver(
    pause: Pause, content: Content, now: Told, value: str, *, decide: list[Block], mine: bool
) -> list[Block]:
    """`decide` are the buttons that settle it, none where nobody may here; `mine`: whoever sees it may take it back."""
    withdraw = [parts.button("Withdraw", ids.ACTION_WITHDRAW, value)] if mine and can_withdraw(pause) else []
    if pause.status != "waiting":
        return [*_settled(pause, content, now), *parts.buttons(parts.details(value))]
    fitted = _fitted(pause, content)
    details = parts.details(value)
    if decide:
        asks = content.need.is_question
        ask, there = ([], "you answer") if asks else ([inquiries.ask_button(pause, value)], "Approve and Deny stand")
        shown, note = ([*decide, *ask], []) if fitted.complete else ([], paragraph(_DECIDE_THERE.format(there)))
        yours = f"is yours to {'answer' if asks else 'decide'} now."
        whom = small(f"For {approver_name(pause.approver, pause.approver_name)} to answer.") if asks else []
        why = [
            *(parts.strong(f"{came(pause.level, pause.voters, unseen=pause.unseen)} {yours}") if pause.level else []),
            *facts.stand_ins(pause),
        ]
        above = [fitted.blocks[0], *why, *fitted.blocks[1:], *facts.approvals(pause, content)]
        offered = parts.buttons(*shown, *withdraw, details, *_together(pause, value))
        below = [*whom, *facts.deadline(pause, content), *note, *offered]
    else:
        until = small(Moment("Answer by {}.", pause.fire_at))
        above = [*fitted.blocks, *facts.approvals(pause, content)]
        offered = parts.buttons(*withdraw, *([details] if fitted.left or pause.inquiries else []))
        below = [*_outcome(now), *until, *offered]
    return _with_inquiry(pause, lambda asked: [*above, *asked, *below])


def _together(pause: Pause, value: str) -> list[Block]:
    """The button that opens all that waits for a yes of its turn; none if it waits alone, or for an answer."""
    alone = pause.together < 2 or pause.is_question
    return [] if alone else [parts.button(f"Decide all {pause.together} …", ids.ACTION_TOGETHER, value)]


def _with_inquiry(pause: Pause, made_with: Callable[[list[Block]], list[Block]]) -> list[Block]:
    """A card with the latest inquiry and its answer, whole if there is room for that, else with a word that they are in Details."""
    whole = made_with(inquiries.on_card(pause))
    has_room = size_of(whole) <= _TEXT - _FOOTER_TEXT and len(whole) < _BLOCKS
    return whole if has_room else made_with(inquiries.in_details(pause))


def _for_requester(pause: Pause, content: Content, now: Told, button: ids.Button) -> list[Block]:
    value, open_one = ids.encode(button), inquiries.to_reply(pause)
    withdraw = [parts.button("Withdraw", ids.ACTION_WITHDRAW, value)] if can_withdraw(pause) else []
    again = [parts.button("Ask again", ids.ACTION_ASK_AGAIN, value)] if can_ask_again(pause) else []
    if pause.status != "waiting":
        return [*_settled(pause, content, now), *parts.buttons(*withdraw, *again, parts.details(value))]
    fitted = _fitted(pause, content)
    answer = [inquiries.reply_button(button, open_one)] if open_one else []
    details = [parts.details(value)] if fitted.left or pause.inquiries else []
    below = [
        *fitted.blocks[1:],
        *facts.approvals(pause, content),
        *_outcome(now),
        *facts.shown_later(pause, content),
        *facts.deadline(pause, content),
        *parts.buttons(*answer, *withdraw, *details),
    ]
    return _with_inquiry(pause, lambda asked: [parts.header(now.head), *asked, *below])


def _settled(pause: Pause, content: Content, now: Told) -> list[Block]:
    """What has become of it comes first, in the heading; what was asked is one sentence, and the rest is in Details."""
    heading = f"{now.head} · {content.amount}" if content.amount else now.head
    summary = cut(seen(content.summary).text, _SUMMARY_MOST, _IN_DETAILS)
    return [
        parts.header(heading),
        *paragraph(summary),
        *_outcome(now),
        *small(cut(facts.asked_by(pause, content), 300)),
    ]


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
    words = parts.quoted(now.words[0], cut(now.words[1], now.words_most, _IN_DETAILS)) if now.words else []
    return [*parts.strong(now.text), *words, *said, *(small(*now.at) if now.at else [])]


def _fitted(pause: Pause | Waiting, content: Content) -> _Fitted:
    """All of it; or without what may leave the card; or with a shorter reason; or, last, only a word that it is too long."""
    if facts.is_beyond(content):
        return _Fitted(_too_long(content), complete=False, left=True)
    why = seen(content.explanation).text
    short = cut(why, _WHY_MOST, _IN_DETAILS)
    decisive = [line for line in content.lines if not line.detail]
    note = _note(len(content.lines) - len(decisive))
    whole = _request(pause, content, content.lines, short)
    if _fits(whole):
        return _Fitted(whole, complete=True, left=short != why)
    room = _TEXT - _ROOM_TEXT - size_of(_request(pause, content, decisive, "") + note) - len(facts.WHY)
    shorter = cut(short, room, _IN_DETAILS) if room >= _WHY_LEAST else ""
    without = _request(pause, content, decisive, shorter) + note
    if _fits(without) and bool(shorter) == bool(short):
        return _Fitted(without, complete=True, left=bool(note) or shorter != why)
    return _Fitted(_too_long(content), complete=False, left=True)


def _request(pause: Pause | Waiting, content: Content, lines: Sequence[Line], why: str) -> list[Block]:
    return [*facts.heading(content), *facts.whole(pause, content, lines, why), *facts.counted_with(content)]


def _note(moved: int) -> list[Block]:
    return small(f"{moved} more {'detail' if moved == 1 else 'details'} in Details") if moved else []


def _too_long(content: Content) -> list[Block]:
    amount = parts.labelled([("Amount", str(content.amount))]) if content.amount else []
    summary = cut(seen(content.summary).text, 300, _IN_DETAILS)
    return [parts.header("Too long for a card"), *paragraph(_TOO_LONG), *amount, *paragraph(summary)]


def _fits(blocks: list[Block]) -> bool:
    return size_of(blocks) <= _TEXT - _ROOM_TEXT and len(blocks) <= _BLOCKS - _ROOM_BLOCKS


def _text(pause: Pause, now: Told, kind: Kind) -> str:
    """What a notification says, and a screen reader: escaped, and short enough for an edit."""
    content = pause.content
    if content is None:
        return parts.escape(f"{ALTERED} {ids.screen_id('pause', pause.id)}")
    summary = one_line(content.summary)
    if kind == "approver" and pause.status == "waiting":
        by = f"Asked by the {seen_line(content.agent).text} agent for {facts.requester(pause)}"
        sentences = [seen_line(content.title).text, summary, by]
    else:
        sentences = [now.text, summary]
    times = (Moment("Answer by {}", pause.fire_at),) if pause.status == "waiting" else now.at
    sentences += [moment.said(clock(moment.at)) for moment in times]
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
