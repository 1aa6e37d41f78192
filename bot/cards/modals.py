"""What opens over the conversation: everything about a request, and the form that denies it.

The one rule: Approve stands only under the whole request. What is too long even for a modal says so and cannot be
approved in Slack. Submitting the form is the decision; closing it decides nothing.
"""

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from bot.cards import facts, ids, inquiries, parts, questions
from bot.cards.asked import is_asked, is_barred
from bot.cards.blocks import ALTERED, button_of
from bot.cards.history import history
from bot.cards.outcomes import Told, told
from bot.cards.parts import Block, Moment, boxed, cut, flat, paragraph, quoted, small
from bot.cards.phrases import person, span
from bot.cards.seen import seen
from engine.models import Actor, Confirmation, Content, Inquiry, Line, Passage, Pause
from engine.rules import confirmations
from engine.rules.digest import canonical
from engine.rules.inquiries import WORDS_MOST

View = dict[str, Any]

REASON_MOST = 1_000
"""How long the reason of a denial may be."""

TYPED_MOST = 100
"""How long what is typed to approve may be."""

_MOST_BLOCKS = 100
_FORM_MOST = 40_000  # whatever card or Details offer to approve is shorter
_MOST_BYTES = 240_000  # views.open answers view_too_large past 250 kB
_TOO_LONG = (
    "This request is too long for Slack to show whole, so it cannot be approved here. It can be denied here; "
    "to read all of it, ask an operator for it by its number below."
)


def details_view(
    pause: Pause, env: str, *, passages: Sequence[Passage] = (), viewer: Actor | None = None, channel: str | None = None
) -> View:
    """Everything about a pause, and what happened to it (`passages`). What settles it is in it while it waits, unless this viewer surely may not decide.

    `viewer` None: it is not known who looks; `channel` is where their private answers go.
    """
    button = button_of(pause, env)
    view = modal("Details", ids.CALLBACK_DETAILS, ids.Carried(button, channel))
    if pause.content is None:
        return view | {"blocks": [*paragraph(ALTERED), *_stands(told(pause)), *_numbers(pause)]}
    value = ids.encode(button)
    ask = [] if pause.is_question else [inquiries.ask_button(pause, value)]
    decide = [*questions.offered(pause.content, button), *ask] if may_decide(pause, viewer) else []
    open_one = inquiries.to_reply(pause) if viewer and viewer.id == pause.on_behalf_of else None
    answer = [inquiries.reply_button(button, open_one)] if open_one else []
    fuller = ((passages, inquiries.LATEST), ((), inquiries.LATEST), ((), 0))  # they give way to what is decided
    for told_of, asked in () if facts.is_beyond(pause.content) else fuller:
        everything = [*whole(pause, pause.content, told_of, asked), *parts.buttons(*decide, *answer)]
        full = view | {"blocks": everything}
        if fits(full):
            return full
    summary = paragraph(cut(seen(pause.content.summary).text, parts.FIELD))
    deny = parts.buttons(parts.deciding(value)[1]) if may_decide(pause, viewer) else []
    return view | {"blocks": [*paragraph(_TOO_LONG), *summary, *_stands(told(pause)), *_numbers(pause), *deny]}


def fits(view: View) -> bool:
    """Whether Slack opens a modal of this size."""
    return len(view["blocks"]) <= _MOST_BLOCKS and len(json.dumps(view)) <= _MOST_BYTES


def may_decide(pause: Pause, viewer: Actor | None) -> bool:
    """Whether to offer a decision; to somebody who is not known (None), as to anybody. The decision itself is checked again, by the row and the roles of that moment."""
    if pause.status != "waiting" or not pause.intact:
        return False
    if viewer is None:
        return True
    barred = is_barred(pause, viewer) or viewer.id in pause.voters
    return not barred and is_asked(pause.approver, (one.id for one in pause.stand_ins), viewer)


def deny_view(pause: Pause, env: str, channel: str | None = None) -> View:
    """The form for a denial, with an optional reason at `state.values[BLOCK_REASON][ACTION_REASON]`."""
    note = small("Deny decides; closing this decides nothing.")
    view = modal("Deny this?", ids.CALLBACK_DENY, ids.Carried(button_of(pause, env), channel))
    blocks = [*paragraph(cut(_summary(pause), parts.FIELD)), reason_input(), *note, *facts.footer(pause)]
    return view | {"submit": parts.plain("Deny"), "close": parts.plain("Back"), "blocks": blocks}


def reason_input() -> Block:
    """Where the reason of a denial is written, if there is one: at `state.values[BLOCK_REASON][ACTION_REASON]`."""
    return {
        "type": "input",
        "block_id": ids.BLOCK_REASON,
        "optional": True,
        "label": parts.plain("Why not?"),
        "hint": parts.plain("The agent and the requester will read it."),
        "element": {
            "type": "plain_text_input",
            "action_id": ids.ACTION_REASON,
            "multiline": True,
            "max_length": REASON_MOST,
        },
    }


def confirm_view(pause: Pause, env: str, channel: str | None = None) -> View:
    """The form for a yes that must be typed, at `state.values[BLOCK_TYPED][ACTION_TYPED]`. The pause is intact and asks for that."""
    content = pause.content
    assert content is not None
    assert content.confirm is not None
    typed = typed_input(content.confirm, ids.BLOCK_TYPED)
    note = small("Approve decides; closing this decides nothing.")
    view = modal("Approve this?", ids.CALLBACK_CONFIRM, ids.Carried(button_of(pause, env), channel))
    whole = cut(seen(content.summary).text, _FORM_MOST, "… (all of it in Details)")
    blocks = [*paragraph(whole), typed, *note, *facts.footer(pause)]
    return view | {"submit": parts.plain("Approve"), "close": parts.plain("Back"), "blocks": blocks}


def ask_view(pause: Pause, env: str, channel: str | None = None) -> View:
    """The form for an inquiry to the requester, at `state.values[BLOCK_WORDS][ACTION_WORDS]`. The pause waits."""
    who = facts.requester(pause)
    view = modal("Ask the requester", ids.CALLBACK_ASK, ids.Carried(button_of(pause, env), channel))
    asked = _words(
        "What do you want to know?",
        f"{cut(who, 100)} is told at once, and the answer comes below the card and stands on it.",
    )
    note = small("Asking decides nothing, and the time to decide goes on.", Moment("Answer by {}.", pause.fire_at))
    blocks = [*paragraph(cut(_summary(pause), parts.FIELD)), asked, *note, *facts.footer(pause)]
    return view | {"submit": parts.plain("Ask"), "close": parts.plain("Back"), "blocks": blocks}


def reply_view(pause: Pause, one: Inquiry, env: str, channel: str | None = None) -> View:
    """The form for the answer to this inquiry, likewise. The pause waits, and the inquiry has no answer yet."""
    carried = ids.Carried(replace(button_of(pause, env), inquiry=one.n), channel)
    view = modal("Answer the inquiry", ids.CALLBACK_REPLY, carried)
    answer = _words("Your answer", "Whoever decides reads it, and it stays on record.")
    asked = quoted(f"{person(one.name)} asked you", seen(one.text).text)
    blocks = [*asked, answer, *paragraph(cut(_summary(pause), parts.FIELD)), *facts.footer(pause)]
    return view | {"submit": parts.plain("Answer"), "close": parts.plain("Back"), "blocks": blocks}


def _words(label: str, hint: str) -> Block:
    element = {"type": "plain_text_input", "action_id": ids.ACTION_WORDS, "multiline": True, "max_length": WORDS_MOST}
    return {
        "type": "input",
        "block_id": ids.BLOCK_WORDS,
        "label": parts.plain(label),
        "hint": parts.plain(hint),
        "element": element,
    }


def _summary(pause: Pause) -> str:
    return seen(pause.content.summary).text if pause.content else ALTERED


def typed_input(confirm: Confirmation, block: str) -> Block:
    """Where what must be typed to approve is, at `state.values[block][ACTION_TYPED]`."""
    return {
        "type": "input",
        "block_id": block,
        "label": parts.plain(cut(f"Type {confirmations.what(confirm)}", 150)),
        "hint": parts.plain("As it stands in the request. Blanks and grouping do not count."),
        "element": {"type": "plain_text_input", "action_id": ids.ACTION_TYPED, "max_length": TYPED_MOST},
    }


def answer_view(pause: Pause, env: str, channel: str | None = None) -> View:
    """The form that answers a question (questions.answer_view). The pause is intact, and a question."""
    frame = modal("Answer this", ids.CALLBACK_ANSWER, ids.Carried(button_of(pause, env), channel))
    return questions.answer_view(pause, frame)


def errors(block: str, sentence: str) -> dict[str, Any]:
    """The answer to a submitted form that decided nothing: the form stays open and says why, below this block (phrases.said)."""
    return {"response_action": "errors", "errors": {block: cut(sentence, 1_000)}}


def modal(title: str, callback: str, carried: ids.Carried) -> View:
    """A modal, yet without blocks; `carried` is what comes back with whatever is done in it."""
    return {
        "type": "modal",
        "title": parts.plain(title),
        "callback_id": callback,
        "private_metadata": ids.encode_carried(carried),
        "close": parts.plain("Close"),
    }


def whole(
    pause: Pause, content: Content, passages: Sequence[Passage] = (), asked: int = inquiries.LATEST
) -> list[Block]:
    """Everything about it, nothing cut, with the latest of what the requester was asked."""
    action = canonical({"tool": content.tool, "arguments": content.shown_arguments})
    return flat(
        (
            facts.heading(content),
            _stands(told(pause)),
            facts.whole(pause, content, content.lines, seen(content.explanation).text),
            facts.deadline(pause, content) if pause.status == "waiting" else [],
            facts.approvals(pause, content),
            inquiries.whole(pause, asked),
            boxed("The exact question" if content.need.is_question else "The exact action", seen(action).text),
            facts.fields(_authority(content)),
            _effect(pause),
            history(pause, passages),
            _numbers(pause),
        )
    )


def _stands(now: Told) -> list[Block]:
    return [*paragraph(now.text), *(parts.quoted(*now.words) if now.words else []), *(small(*now.at) if now.at else [])]


def _authority(content: Content) -> list[Line]:
    """On what authority it would be done, by which rule, and how far the world may move meanwhile."""
    need = content.need
    scopes = [Line(label="Scopes", value=", ".join(content.scopes) or "none")]
    of_a_yes = [
        Line(label="Approvals needed", value=str(need.approvers)),
        *([Line(label="To be typed", value=f"the {need.confirm.replace('_', ' ')}")] if need.confirm else []),
        Line(label="The price", value=facts.tolerance(need)),
        Line(label="Once approved, valid for", value=span(need.execute_within_s)),
    ]
    return [
        Line(label="Acts as", value=content.acts_as),
        Line(label="On behalf of", value=content.on_behalf_of),
        *([] if need.is_question else scopes),
        Line(label="Policy", value=f"{need.policy_version}, rule “{need.rule}”"),
        Line(label="Why it is asked", value=need.why),
        *([] if need.is_question else of_a_yes),
        Line(label="Tool", value=f"{content.tool}, version {content.tool_version}"),
    ]


def _effect(pause: Pause) -> list[Block]:
    """What came of it: the receipt whole, or the error."""
    made: list[Block] = []
    if pause.receipt is not None:
        made += boxed("Receipt", seen(json.dumps(pause.receipt, ensure_ascii=False, indent=1)).text)
    if pause.effect_error:
        made += boxed("What the provider said", seen(pause.effect_error).text)
    return made


def _numbers(pause: Pause) -> list[Block]:
    ids_of = (f"Request {pause.id}", f"Run {pause.run_id}", f"Digest {pause.digest}")
    return small(Moment("Asked {}.", pause.created_at), *ids_of)
