"""The card that asks what became of an action in doubt, and the sentences around it, the same in Slack and on the command line.

The one rule: it says what is known, and offers three answers, of which none is suggested. What the provider said is shown as its words.
No argument is left out without a word: who looks at the provider must know whom it was paid to.
"""

import json
from collections.abc import Collection
from typing import Any, Final, Literal

from bot.cards import facts, ids, parts
from bot.cards.ids import screen_id
from bot.cards.modals import modal
from bot.cards.parts import Block, Message, Moment, clock, cut, paragraph, quoted, size_of, small
from bot.cards.phrases import ago, person
from bot.cards.seen import seen, seen_line
from engine.models import Doubt, DoubtfulEffect, Line
from engine.rules.digest import canonical, short
from engine.rules.money import Money, MoneyError

Answer = Literal["happened", "retry", "stop"]

REFERENCE_MOST: Final = 200
"""How long the provider's name for what happened may be."""

NO_REFERENCE: Final = "Write how the provider names what happened, so that it can be found again."

SAID: Final[dict[str, str]] = {
    "happened": "It is on record as done, with your reference. The agent goes on.",
    "retry": "It is looked up once more, and if it is not there it is tried again, as long as all that was checked before still holds.",
    "stop": "The run ends here. The record says that it is not known whether it happened.",
}
WITHDRAWN: Final[dict[str, str]] = {
    "happened": "It is on record as done, with your reference. The run was withdrawn meanwhile, so it ends here.",
    "retry": "It is on record as not done, and is not tried again: the run was withdrawn meanwhile, so it ends here.",
}
_ROOM_TEXT, _ROOM_BLOCKS = 4_800, 18  # of limits.our_budget, beside what else the card says
_ROW = 200
_FORM_TEXT, _FORM_BLOCKS = 40_000, 80  # of what a modal holds
_HOW: Final[dict[str, str]] = {
    "resolve": "said that it happened",
    "retry": "said that it did not, and that it may be tried again",
    "abandon": "ended the run without knowing whether it happened",
    "fail": "said that it did not, and the run, which was withdrawn, ended",
}


def told(doubt: Doubt, answer: Answer) -> str:
    """What came of an answer that was taken."""
    return WITHDRAWN.get(answer, SAID[answer]) if doubt.run_status == "cancelled" else SAID[answer]


def refused(doubt: Doubt, outcome: str) -> str:
    """Why an answer was not taken: settled, own, not_yours, again."""
    if outcome == "own":
        return "You asked for it, so somebody else must say what became of it. Nothing was changed."
    if outcome == "not_yours":
        return f"It is for somebody with the role {person(doubt.doubt_role)} to say. Nothing was changed."
    if outcome == "again":
        return (
            "It was tried again since you were asked, and is in doubt once more. Look at the provider again, then answer the newest message. "
            "Nothing was changed."
        )
    since = f", {ago(doubt.now - doubt.said_at)}" if doubt.said_at else ""
    return f"It is settled already: {settled(doubt)}{since}. Nothing was changed."


def settled(doubt: Doubt) -> str:
    """How a doubt was settled, by whom: a clause."""
    if doubt.said is None:
        return "somebody was quicker"
    if doubt.said_in == "worker":
        return f"the provider's answer came late: it {'happened' if doubt.said == 'succeed' else 'did not happen'}"
    reference = doubt.receipt.get("reference") if isinstance(doubt.receipt, dict) else None
    named = f", reference {cut(seen_line(str(reference)).text, REFERENCE_MOST)}" if reference else ""
    return f"{person(doubt.said_by or '')} {_HOW.get(doubt.said, 'said what happened')}{named}"


def card(doubt: Doubt, *, env: str) -> Message:
    """The card as it must look now: three answers while it is in doubt; then who said what, and no buttons."""
    lines = arguments(doubt)
    tool, open_ = tool_of(doubt), doubt.status == "in_doubt"
    head = "Did this happen?" if open_ else "Answered: did this happen?"
    asks = (
        f"Nobody can tell whether {tool}, which the {person(doubt.agent)} agent called for {person(doubt.requester_name or doubt.on_behalf_of)}, "
        "happened. Look at the provider. Nothing is tried again until somebody answers."
    )
    stands = paragraph(asks) if open_ else parts.strong(f"{_capital(settled(doubt))}.")
    calls = f"{doubt.tries} {'call' if doubt.tries == 1 else 'calls'} with {doubt.attempts} {'key' if doubt.attempts == 1 else 'keys'},"
    times = (Moment("the first {},", doubt.created_at), Moment("the last over by {}.", doubt.call_deadline))
    return Message(
        text=parts.escape(cut(f"{head} {tool}: {in_a_line(lines)}", 2_000)),
        blocks=[
            parts.header(head),
            *stands,
            *_shown(doubt, lines, room=_ROOM_TEXT, blocks=_ROOM_BLOCKS),
            *small(calls, *times, f"Its key there: {doubt.attempt_id}; its metadata: effect_key {doubt.effect_key}"),
            *(quoted("What the provider said", cut(seen(doubt.error).text, 1_000)) if doubt.error and open_ else []),
            *(small(Moment("Said {}.", doubt.said_at)) if doubt.said_at else []),
            *(_answers(doubt, env) if open_ else []),
            *small(f"{screen_id('effect', doubt.id)} · {short(doubt.digest)} · {screen_id('run', doubt.run_id)}"),
        ],
        metadata={
            "event_type": ids.EVENT_CARD,
            "event_payload": {"env": env, "effect_id": str(doubt.id), "kind": "doubt"},
        },
    )


def details_view(doubt: Doubt, env: str, *, may_say: bool, channel: str | None = None) -> dict[str, Any]:
    """The card as a window, for whoever found the doubt in a list; `may_say`: with the three answers, while it stands."""
    blocks = [
        block
        for block in card(doubt, env=env).blocks
        if block["type"] != "header" and (may_say or block["type"] != "actions")
    ]
    return modal("Did this happen?", ids.CALLBACK_DETAILS, ids.Carried(_button(doubt, env), channel)) | {
        "blocks": blocks
    }


def row(doubt: DoubtfulEffect, env: str) -> Block:
    """A line in a list: what may have happened, since when, and the button that shows all of it, with the three answers."""
    what = cut(f"{tool_of(doubt)}, {in_a_line(arguments(doubt))}", _ROW)
    said = f"Did this happen? {what} · {screen_id('effect', doubt.id)}, since {clock(doubt.created_at)}"
    return {"type": "section", "text": parts.plain(said), "accessory": parts.details(ids.encode(_button(doubt, env)))}


def is_for(doubt: DoubtfulEffect, person: str, roles: Collection[str]) -> bool:
    """Whether this person may say what happened. What they say is judged again, by the roles of that moment."""
    return doubt.doubt_role in roles and doubt.on_behalf_of != person


def reference_view(doubt: Doubt, env: str, channel: str | None = None) -> dict[str, Any]:
    """The form for "it happened", with the provider's reference at `state.values[BLOCK_REFERENCE][ACTION_REFERENCE]`."""
    asked = {
        "type": "input",
        "block_id": ids.BLOCK_REFERENCE,
        "label": parts.plain("How does the provider name it?"),
        "hint": parts.plain("Such as pi_3P0. The agent and the record will have it."),
        "element": {"type": "plain_text_input", "action_id": ids.ACTION_REFERENCE, "max_length": REFERENCE_MOST},
    }
    return modal("It happened", ids.CALLBACK_HAPPENED, ids.Carried(_button(doubt, env), channel)) | {
        "submit": parts.plain("It happened"),
        "close": parts.plain("Back"),
        "blocks": [
            *paragraph(f"{tool_of(doubt)} is put on record as done, and is not called again."),
            *_shown(doubt, arguments(doubt), room=_FORM_TEXT, blocks=_FORM_BLOCKS),
            asked,
        ],
    }


def _answers(doubt: Doubt, env: str) -> list[Block]:
    value = ids.encode(_button(doubt, env))
    again = parts.button("It did not: try again", ids.ACTION_RETRY, value) | {
        "confirm": _sure(
            "Try it again?", "It is called again with a fresh key. If it did happen, it happens twice.", "Try again"
        )
    }
    stop = parts.button("Stop the run", ids.ACTION_STOP, value, "danger") | {
        "confirm": _sure("Stop the run?", "The record will say that nobody knows whether it happened.", "Stop the run")
    }
    return parts.buttons(parts.button("It happened …", ids.ACTION_HAPPENED, value), again, stop)


def _sure(title: str, text: str, confirm: str) -> Block:
    return {
        "title": parts.plain(title),
        "text": parts.plain(text),
        "confirm": parts.plain(confirm),
        "deny": parts.plain("Back"),
    }


def _button(doubt: Doubt | DoubtfulEffect, env: str) -> ids.Button:
    attempt = doubt.attempt_id if isinstance(doubt, Doubt) else None  # from a list it can only be opened
    return ids.Button(env=env, about=doubt.id, shown=doubt.digest[: ids.SHOWN], attempt=attempt)


def tool_of(doubt: Doubt | DoubtfulEffect) -> str:
    """What was called."""
    return cut(seen_line(doubt.tool).text, 100)


def arguments(doubt: Doubt | DoubtfulEffect) -> tuple[Line, ...]:
    """With what: as whoever approved it read it, in that order; else every argument of the action as it is stored."""
    if doubt.lines is not None:
        return doubt.lines
    try:
        given = json.loads(doubt.action)["arguments"]
        return tuple(Line(label=name.replace("_", " "), value=_value(value)) for name, value in given.items())
    except (ValueError, KeyError, TypeError, AttributeError):  # no action any more: as it stands
        return (Line(label="action", value=doubt.action),)


def in_a_line(lines: tuple[Line, ...]) -> str:
    """All of them, one after the other."""
    return ", ".join(f"{seen_line(line.label).text} {seen_line(line.value).text}" for line in lines)


def _value(value: Any) -> str:
    if isinstance(value, dict) and value.keys() == {"amount", "currency"}:
        try:
            return str(Money.from_document(value))
        except MoneyError:
            pass
    return value if isinstance(value, str) else canonical(value)


def _shown(doubt: Doubt, lines: tuple[Line, ...], *, room: int, blocks: int) -> list[Block]:
    """The arguments, each whole, as far as there is room; which of them are not here, and where they are."""
    shown: list[Line] = []
    for line in lines:
        made = facts.fields([*shown, line])
        if size_of(made) <= room and len(made) <= blocks:
            shown.append(line)
    left = [seen_line(line.label).text for line in lines if line not in shown]
    whole = f"Too long to be shown here: {cut(', '.join(left), 300)}. All of it: placet show {screen_id('run', doubt.run_id)}"
    return [*facts.fields(shown), *(paragraph(f"⚠ {whole}") if left else [])]


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
