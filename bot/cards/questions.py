"""What settles a request, as buttons: Approve and Deny for a yes, the choices or a form for an answer.

The one rule: a button answers with the choice that it names, as the request has it at that place; all of them stand whole in the request.
"""

from typing import Any, Final

from bot.cards import facts, ids, parts
from bot.cards.parts import Block, cut, paragraph, small
from bot.cards.seen import seen, seen_line
from engine.models import Content, Pause
from engine.rules.questions import ANSWER_MOST

BUTTONS: Final = 5
"""So many choices have a button each; more are chosen from in the form."""

LABEL_MOST: Final = 75
CHOOSE_ONE_WAY: Final = "Choose one, or answer in your own words, not both. Nothing was recorded."


def offered(content: Content, button: ids.Button) -> list[Block]:
    """What settles it, for whoever is asked."""
    value, choices = ids.encode(button), content.choices
    if choices is None:
        return parts.deciding(value, typed=content.confirm is not None)
    if not choices or len(choices) > BUTTONS:
        return [parts.button("Answer …", ids.ACTION_ANSWER, value, "primary")]
    named = [
        parts.button(_label(choice), ids.choose(n), ids.encode(button.of_choice(n))) for n, choice in enumerate(choices)
    ]
    return [*named, parts.button("In my own words …", ids.ACTION_ANSWER, value)]


def is_whole_in_labels(content: Content) -> bool:
    """Whether its buttons say all of what they answer with."""
    return all(parts.size(choice) <= LABEL_MOST for choice in content.choices or ())


def answer_view(pause: Pause, frame: dict[str, Any]) -> dict[str, Any]:
    """The form for an answer: its own words at `state.values[BLOCK_ANSWER][ACTION_ANSWER_TEXT]`, a choice's place at `[BLOCK_ANSWER_CHOICE][ACTION_ANSWER_CHOICE]`.

    `frame` is the modal yet without blocks. The pause is intact, and a question.
    """
    content = pause.content
    assert content is not None
    assert content.choices is not None
    words = {
        "type": "input",
        "block_id": ids.BLOCK_ANSWER,
        "optional": bool(content.choices),
        "label": parts.plain("Or in your own words" if content.choices else "Your answer"),
        "hint": parts.plain(f"The agent and the requester will read it. Up to {ANSWER_MOST:,} characters."),
        "element": {
            "type": "plain_text_input",
            "action_id": ids.ACTION_ANSWER_TEXT,
            "multiline": True,
            "max_length": ANSWER_MOST,
        },
    }
    shown = [*facts.warnings(content), *paragraph(seen(content.summary).text), *facts.fields(content.lines)]
    note = small("Answer is final, and approves nothing; closing this answers nothing.")
    blocks = [*shown, *_choosing(content.choices), words, *note, *facts.footer(pause)]
    return frame | {"submit": parts.plain("Answer"), "close": parts.plain("Back"), "blocks": blocks}


def _choosing(choices: tuple[str, ...]) -> list[Block]:
    if not choices:
        return []
    options = [{"text": parts.plain(_label(choice)), "value": str(n)} for n, choice in enumerate(choices)]
    element = {"type": "static_select", "action_id": ids.ACTION_ANSWER_CHOICE, "options": options}
    label = parts.plain("Choose one")
    return [
        {"type": "input", "block_id": ids.BLOCK_ANSWER_CHOICE, "optional": True, "label": label, "element": element}
    ]


def _label(choice: str) -> str:
    return cut(seen_line(choice).text, LABEL_MOST)
