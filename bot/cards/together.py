"""The form in which somebody decides what waits for them of one turn, all at once: every request in it stands whole, as in its Details.

The one rule: what is not shown is not decided. What does not fit comes on the next page, once these are decided; what is too long for any page is
left to its own card. The form carries which requests it shows, as they were shown; submitting it is the decision.
"""

from collections.abc import Iterator, Sequence
from typing import Final

from bot.cards import facts, ids, modals, outcomes, parts
from bot.cards.blocks import button_of
from bot.cards.facts import place
from bot.cards.modals import View
from bot.cards.parts import Block, cut, flat, paragraph, small, strong
from bot.cards.seen import one_line
from engine.models import Actor, Pause

APPROVE, DENY, LEAVE, EACH = "approve", "deny", "leave", "each"
"""What is chosen, as the options' values: for all or one of them; LEAVE for one, EACH for all."""

NOTHING_CHOSEN: Final = (
    "Nothing is chosen yet, so nothing was decided. Choose here for all of them, or above for one or more."
)
OTHERWISE_CHOSEN: Final = "Something else is chosen above for one of them, so nothing was decided. Choose “As chosen for each one”, or the same for that one."
DECIDED: Final = "This was decided."
NOT_DECIDED: Final = "Nothing was decided, since not all of it is as it was shown to you."
_STILL: Final = "It waits for you as before."
_ONE_NO: Final = (
    "A denial stops the whole turn: if you deny any of them, none of its calls is done. What you do not deny is called off then, what was approved "
    "before too, and an approval that you choose beside it is not counted."
)
_TITLE: Final = "Decide together"


def together_view(
    turn: Sequence[Pause], env: str, *, viewer: Actor, total: int, channel: str | None = None, came: Sequence[Block] = ()
) -> View:  # fmt: skip
    """The form for the first of these requests, as many as surely fit, and why others are not in it. `turn` waits with whom the viewer answers for.

    `total` is how many wait, those behind `turn` too. `came`: what stands above, of what was decided before. Without any that the viewer may
    decide here there is nothing to submit.
    """
    offered = [pause for pause in turn if modals.may_decide(pause, viewer)][: ids.MOST_TOGETHER]
    beside = [
        *came,
        *flat(small(f"{name(pause)}: {_why_not(pause, viewer)}") for pause in turn if pause not in offered),
    ]
    long = [
        pause for pause in offered if _is_beyond(pause) or not modals.fits(_form((pause,), env, channel, beside, 0))
    ]
    beside += flat(small(f"{name(pause)}: {_TOO_LONG}") for pause in long)
    short = [pause for pause in offered if pause not in long]
    for count in range(len(short), 0, -1):
        left = total - len(turn) + len(short) - count
        form = _form(short[:count], env, channel, beside, left)
        if modals.fits(form):
            return form
    return closing_view(beside or small("Nothing else of this turn waits for you."))


def _is_beyond(pause: Pause) -> bool:
    """Whether it is not even looked at here whether it fits: making it would take longer than a form may to open."""
    return pause.content is not None and facts.is_beyond(pause.content)


def closing_view(blocks: Sequence[Block]) -> View:
    """What is said when there is nothing more to decide."""
    return {"type": "modal", "title": parts.plain(_TITLE), "close": parts.plain("Close"), "blocks": [*blocks]}


_TOO_LONG: Final = "It is too long to be shown here with others, and is decided on its own card."


def told(taken: bool, lines: Sequence[tuple[Pause, str | None]]) -> list[Block]:
    """What came of a submitted form: whether it was taken, and of each request that it showed the sentence; None: what holds of it now."""
    return [*strong(DECIDED if taken else NOT_DECIDED), *flat(_line(pause, sentence) for pause, sentence in lines)]


def _line(pause: Pause, sentence: str | None) -> list[Block]:
    stands = _STILL if pause.status == "waiting" else outcomes.told(pause).text
    about = small(cut(one_line(pause.content.summary), 300)) if pause.content else []
    return [*paragraph(f"{name(pause)}: {sentence or stands}"), *about]


def name(pause: Pause) -> str:
    """How a request is told from the others of its turn."""
    return f"{place(pause)} ({ids.screen_id('pause', pause.id)})"


def _why_not(pause: Pause, viewer: Actor) -> str:
    if not pause.intact:
        return "It was altered after it was stored, so nothing can be decided on it. Please tell an operator."
    if viewer.id in pause.voters:
        return "Your approval of it is counted already; somebody else must give the next."
    return "It is not yours to decide."


def _form(shown: Sequence[Pause], env: str, channel: str | None, beside: Sequence[Block], left: int) -> View:
    several = ids.Several(tuple(button_of(pause, env) for pause in shown), channel)
    more = (
        f" {left} more of it {'waits' if left == 1 else 'wait'} for you, and {'comes' if left == 1 else 'come'} after that."
        if left
        else ""
    )
    begin = f"{_these(shown)} of one turn, each whole. What you decide here is decided for {'it' if len(shown) == 1 else 'these'} alone.{more}"
    return {
        "type": "modal",
        "title": parts.plain(_TITLE),
        "callback_id": ids.CALLBACK_TOGETHER,
        "private_metadata": ids.encode_several(several),
        "submit": parts.plain("Decide"),
        "close": parts.plain("Back"),
        "blocks": [
            *beside,
            *paragraph(begin),
            *(block for pause in shown for block in _item(pause, alone=len(shown) == 1)),
            {"type": "divider"},
            *paragraph(_ONE_NO),
            _choice("What do you decide?", ids.BLOCK_ALL, _for_all(shown)),
            modals.reason_input(),
            *small("Decide decides; closing this decides nothing."),
        ],
    }


def _these(shown: Sequence[Pause]) -> str:
    return "1 request" if len(shown) == 1 else f"{len(shown)} requests"


def _item(pause: Pause, *, alone: bool) -> Iterator[Block]:
    assert pause.content is not None, "what was altered is not offered"
    yield {"type": "divider"}
    yield from strong(name(pause))
    yield from modals.whole(pause, pause.content)
    if pause.content.confirm is not None:
        typed = modals.typed_input(pause.content.confirm, ids.block_of("typed", pause.id))
        yield typed | {"optional": True}  # it is needed for a yes alone, which looks again
    if not alone:
        one = {APPROVE: "Approve this one", DENY: "Deny this one", LEAVE: "Leave this one waiting"}
        yield _choice(f"For {place(pause)} alone", ids.block_of("one", pause.id), one) | {"optional": True}


def _for_all(shown: Sequence[Pause]) -> dict[str, str]:
    if len(shown) == 1:
        return {APPROVE: "Approve it", DENY: "Deny it"}
    return {APPROVE: f"Approve all {len(shown)}", DENY: f"Deny all {len(shown)}", EACH: "As chosen for each one"}


def _choice(label: str, block: str, options: dict[str, str]) -> Block:
    made = [{"text": parts.plain(text), "value": value} for value, text in options.items()]
    element = {"type": "radio_buttons", "action_id": ids.ACTION_CHOICE, "options": made}
    return {"type": "input", "block_id": block, "label": parts.plain(label), "element": element}
