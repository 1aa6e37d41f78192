"""What a button and a modal carry: action ids, callback ids and values, each written and read by a pair of functions.

The one rule: a value only says which request was clicked, as it was shown and where. It grants nothing: who may decide
is looked up, and whatever cannot be read is None, never an error.
"""

import re
from dataclasses import dataclass, replace
from datetime import datetime
from uuid import UUID

ACTION_ANSWER = "placet:answer"
"""Answer a question: it opens a form."""
ACTION_APPROVE = "placet:approve"
ACTION_ASK = "placet:ask"
ACTION_REPLY = "placet:reply"
"""The requester, something, before a decision; and their answer. Each opens a form."""
ACTION_CONFIRM = "placet:confirm"
"""Approve where the rule has something typed: it opens a form."""
ACTION_DENY = "placet:deny"
ACTION_DETAILS = "placet:details"
ACTION_HAPPENED = "placet:happened"
ACTION_RETRY = "placet:retry"
ACTION_STOP = "placet:stop"
"""What became of an action in doubt."""
ACTION_TOGETHER = "placet:together"
"""Opens the form in which all that waits of a turn is decided at once."""
ACTION_WITHDRAW = "placet:withdraw"
ACTION_ASK_AGAIN = "placet:ask_again"
ACTION_BACK = "placet:back"
"""On the Home tab: an absence ends. The value is when it begins, as shown."""
ACTION_BEFORE = "placet:before"
ACTION_MORE = "placet:more"
"""On the Home tab: another page of a list. The value says from where on."""
ACTION_PATTERN = re.compile(r"^placet:(?P<verb>[a-z_]+)(?::[0-9]+)?$")
"""Every action id of ours; also of versions to come, so that an unknown verb is answered and not ignored."""

CALLBACK_ANSWER = "placet:answer_form"
CALLBACK_REPLY = "placet:reply_form"
CALLBACK_ASK = "placet:ask_form"
CALLBACK_DENY = "placet:deny_form"
CALLBACK_CONFIRM = "placet:confirm_form"
CALLBACK_HAPPENED = "placet:happened_form"
CALLBACK_TOGETHER = "placet:together_form"
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
BLOCK_ANSWER_CHOICE = "answer_choice"
ACTION_ANSWER_CHOICE = "placet:answer_choice"
"""What is chosen there, where a question has choices."""

BLOCK_TYPED = "typed"
"""The input block of the form that approves, and where its errors are shown."""
ACTION_TYPED = "placet:typed"

BLOCK_ALL = "all"
"""The input block of the form for several, in which all are decided, and where its errors are shown."""
ACTION_CHOICE = "placet:choice"
"""What is chosen in it, and, in a block named by `block_of`, for one of them: a radio button each."""

BLOCK_REFERENCE = "reference"
"""The input block of the form for what happened, and where its errors are shown."""
ACTION_REFERENCE = "placet:reference"

BLOCK_WORDS = "words"
"""The input block of the forms that ask the requester and answer, and where their errors are shown."""
ACTION_WORDS = "placet:words"

EVENT_CARD = "placet_card"
"""The event type in the metadata of every card we post."""

EVENT_NOTICE = "placet_notice"
"""The same of what is said once."""
EVENT_DIGEST = "placet_digest"
"""The same of a message that shows several."""

SHOWN = 8
"""How many hex digits of the digest a button carries."""

MOST_TOGETHER = 60
"""How many requests a form for several can carry, within the 3,000 characters that Slack keeps of it."""

_VALUE = re.compile(
    r"([0-9a-f]{32})\.([0-9a-f]{8})(?:-([0-9a-f]{32})|\?([0-9]{1,6})|\+([0-9]{1,2}))?\.(.{1,100})", re.DOTALL
)
_SEVERAL = re.compile(r"([A-Z0-9]{0,32}) ([0-9a-f]{40}(?:,[0-9a-f]{40})*)\.(.{1,100})", re.DOTALL)
_CARRIED = re.compile(r"([A-Z0-9]{0,32}) (.*)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Button:
    """What a button stands for: the environment it belongs to, the pause or effect it is about, and the start of the digest shown with it.

    At most one of the others is set. `attempt` is the one whose outcome is in doubt; None for a pause, and on a card of a release that did not
    write it. `inquiry` is the one that it replies to. `choice` is the place of the answer that it names among a question's choices, from 0.
    """

    env: str
    about: UUID
    shown: str
    attempt: UUID | None = None
    inquiry: int | None = None
    choice: int | None = None

    def of_choice(self, place: int) -> "Button":
        """The same, naming the choice at this place."""
        return replace(self, choice=place)


@dataclass(frozen=True, slots=True)
class Carried:
    """What a modal keeps from the click that opened it. `channel` None: it was opened from no channel (App Home)."""

    button: Button
    channel: str | None


def notice_metadata(notice_id: UUID) -> dict[str, object]:
    """What lets something that was said be found again in Slack when the answer to its post was lost."""
    return {"event_type": EVENT_NOTICE, "event_payload": {"notice_id": str(notice_id)}}


@dataclass(frozen=True, slots=True)
class Several:
    """What the form for several requests keeps: each as it was shown in it, and where it was opened (`channel` None: in none)."""

    buttons: tuple[Button, ...]
    channel: str | None


@dataclass(frozen=True, slots=True)
class Listed:
    """What a digest says of itself: where and for which hour it was posted, and the requests in it."""

    dest: str
    digest_at: datetime
    pause_ids: tuple[UUID, ...]


def choose(place: int) -> str:
    """The action id of the button that answers with the choice at this place; those of one row must differ."""
    return f"placet:choose:{place}"


def encode(button: Button) -> str:
    """The value of a button; ValueError for one that `decode` could not read back (env has 1 to 100 characters)."""
    attempt = f"-{button.attempt.hex}" if button.attempt else ""
    inquiry = f"?{button.inquiry}" if button.inquiry is not None else ""
    choice = f"+{button.choice}" if button.choice is not None else ""
    value = f"{button.about.hex}.{button.shown}{attempt}{inquiry}{choice}.{button.env}"
    if not _VALUE.fullmatch(value):
        raise ValueError(f"a button has {SHOWN} hex digits and an environment of 1 to 100 characters: {button}")
    return value


def decode(value: object) -> Button | None:
    """Read what `encode` wrote; None for anything else."""
    found = _VALUE.fullmatch(value) if isinstance(value, str) else None
    if found is None:
        return None
    attempt, inquiry, choice = UUID(found[3]) if found[3] else None, _number(found[4]), _number(found[5])
    return Button(env=found[6], about=UUID(found[1]), shown=found[2], attempt=attempt, inquiry=inquiry, choice=choice)


def _number(found: str | None) -> int | None:
    return int(found) if found else None


def encode_carried(carried: Carried) -> str:
    """The private_metadata of a modal."""
    return f"{carried.channel or ''} {encode(carried.button)}"


def decode_carried(value: object) -> Carried | None:
    """Read what `encode_carried` wrote; None for anything else."""
    found = _CARRIED.fullmatch(value) if isinstance(value, str) else None
    button = decode(found[2]) if found else None
    return Carried(button, found[1] or None) if found and button else None


def encode_several(several: Several) -> str:
    """The private_metadata of a form for several requests of one environment, MOST_TOGETHER at most."""
    shown = ",".join(f"{button.about.hex}{button.shown}" for button in several.buttons)
    return f"{several.channel or ''} {shown}.{several.buttons[0].env}"


def decode_several(value: object) -> Several | None:
    """Read what `encode_several` wrote; None for anything else."""
    found = _SEVERAL.fullmatch(value) if isinstance(value, str) else None
    if found is None:
        return None
    shown = found[2].split(",")
    return Several(tuple(Button(found[3], UUID(one[:32]), one[32:]) for one in shown), found[1] or None)


def encode_listed(listed: Listed, env: str) -> dict[str, object]:
    """The metadata of a digest's message."""
    about = {
        "dest": listed.dest,
        "digest_at": listed.digest_at.isoformat(),
        "pause_ids": [str(one) for one in listed.pause_ids],
    }
    return {"event_type": EVENT_DIGEST, "event_payload": {"env": env, **about}}


def decode_listed(metadata: object) -> Listed | None:
    """Read what `encode_listed` wrote; None for anything else."""
    match metadata:
        case {
            "event_type": "placet_digest",
            "event_payload": {"dest": str(dest), "digest_at": str(at), "pause_ids": list(found)},
        }:
            try:
                return Listed(dest, datetime.fromisoformat(at), tuple(UUID(str(one)) for one in found))
            except ValueError:
                return None
    return None


def block_of(what: str, about: UUID) -> str:
    """The input block of a form for several in which something is said (`what`) of one of them."""
    return f"{what}:{about.hex}"


def screen_id(kind: str, row: UUID | str) -> str:
    """The id as people see it: "pause_5d21ab", from the last six hex digits."""
    return f"{kind}_{str(row).replace('-', '')[-6:]}"
