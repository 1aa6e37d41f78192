"""What a button and a modal carry: action ids, callback ids and values, each written and read by a pair of functions.

The one rule: a value only says which request was clicked, as it was shown and where. It grants nothing: who may decide
is looked up, and whatever cannot be read is None, never an error.
"""

import re
from dataclasses import dataclass, replace
from uuid import UUID

ACTION_ANSWER = "placet:answer"
"""Answer a question: it opens a form."""
ACTION_APPROVE = "placet:approve"
ACTION_CONFIRM = "placet:confirm"
"""Approve where the rule has something typed: it opens a form."""
ACTION_DENY = "placet:deny"
ACTION_DETAILS = "placet:details"
ACTION_HAPPENED = "placet:happened"
ACTION_RETRY = "placet:retry"
ACTION_STOP = "placet:stop"
"""What became of an action in doubt."""
ACTION_WITHDRAW = "placet:withdraw"
ACTION_PATTERN = re.compile(r"^placet:(?P<verb>[a-z_]+)(?::[0-9]+)?$")
"""Every action id of ours; also of versions to come, so that an unknown verb is answered and not ignored."""

CALLBACK_ANSWER = "placet:answer_form"
CALLBACK_DENY = "placet:deny_form"
CALLBACK_CONFIRM = "placet:confirm_form"
CALLBACK_HAPPENED = "placet:happened_form"
CALLBACK_DETAILS = "placet:details_view"
CALLBACK_PATTERN = ACTION_PATTERN
SHORTCUT_WHAT_HAPPENED = "placet:what_happened"

BLOCK_REASON = "reason"
"""The input block of the deny form, and where its errors are shown."""
ACTION_REASON = "placet:reason"
"""The text input inside it: its value is at `state.values[BLOCK_REASON][ACTION_REASON].value`, None if left empty."""

BLOCK_ANSWER = "answer"
"""The input block of the form that answers a question, and where its errors are shown."""
ACTION_ANSWER_TEXT = "placet:answer_text"
BLOCK_CHOICE = "choice"
ACTION_CHOICE = "placet:choice"

BLOCK_TYPED = "typed"
"""The input block of the form that approves, and where its errors are shown."""
ACTION_TYPED = "placet:typed"

BLOCK_REFERENCE = "reference"
"""The input block of the form for what happened, and where its errors are shown."""
ACTION_REFERENCE = "placet:reference"

EVENT_CARD = "placet_card"
"""The event type in the metadata of every card we post."""

SHOWN = 8
"""How many hex digits of the digest a button carries."""

_VALUE = re.compile(r"([0-9a-f]{32})\.([0-9a-f]{8})(?:-([0-9a-f]{32}))?(?:\+([0-9]{1,2}))?\.(.{1,100})", re.DOTALL)
_CARRIED = re.compile(r"([A-Z0-9]{0,32}) (.*)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Button:
    """What a button stands for: the environment it belongs to, the pause or effect it is about, and the start of the digest shown with it.

    `attempt` is the one whose outcome is in doubt; None for a pause, and on a card of a release that did not write it. `choice` is the place of
    the answer that the button names among a question's choices, from 0; None: it names none.
    """

    env: str
    about: UUID
    shown: str
    attempt: UUID | None = None
    choice: int | None = None

    def of_choice(self, place: int) -> "Button":
        """The same, naming the choice at this place."""
        return replace(self, choice=place)


@dataclass(frozen=True, slots=True)
class Carried:
    """What a modal keeps from the click that opened it. `channel` None: it was opened from no channel (App Home)."""

    button: Button
    channel: str | None


def choose(place: int) -> str:
    """The action id of the button that answers with the choice at this place; those of one row must differ."""
    return f"placet:choose:{place}"


def encode(button: Button) -> str:
    """The value of a button; ValueError for one that `decode` could not read back (env has 1 to 100 characters)."""
    attempt = f"-{button.attempt.hex}" if button.attempt else ""
    choice = "" if button.choice is None else f"+{button.choice}"
    value = f"{button.about.hex}.{button.shown}{attempt}{choice}.{button.env}"
    if not _VALUE.fullmatch(value):
        raise ValueError(f"a button has {SHOWN} hex digits and an environment of 1 to 100 characters: {button}")
    return value


def decode(value: object) -> Button | None:
    """Read what `encode` wrote; None for anything else."""
    found = _VALUE.fullmatch(value) if isinstance(value, str) else None
    if found is None:
        return None
    attempt, choice = UUID(found[3]) if found[3] else None, int(found[4]) if found[4] else None
    return Button(env=found[5], about=UUID(found[1]), shown=found[2], attempt=attempt, choice=choice)


def encode_carried(carried: Carried) -> str:
    """The private_metadata of a modal."""
    return f"{carried.channel or ''} {encode(carried.button)}"


def decode_carried(value: object) -> Carried | None:
    """Read what `encode_carried` wrote; None for anything else."""
    found = _CARRIED.fullmatch(value) if isinstance(value, str) else None
    button = decode(found[2]) if found else None
    return Carried(button, found[1] or None) if found and button else None


def screen_id(kind: str, row: UUID | str) -> str:
    """The id as people see it: "pause_5d21ab", from the last six hex digits."""
    return f"{kind}_{str(row).replace('-', '')[-6:]}"
