"""The parts that cards, modals and lists are made of, as Slack's JSON.

The one rule: text that is not our own goes into plain_text or rich_text, where nothing in it is ever read as a mention,
a link or formatting. The only mrkdwn is a `Moment`: our words around Slack's date token. Lengths are counted as the
most that any reader may count: in UTF-16 units, with `&`, `<` and `>` escaped.
"""

from bisect import bisect
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Literal

from bot.cards import ids

Block = dict[str, Any]

_TEXT, _FIELD, _LEAF = 2_900, 1_900, 2_900  # below Slack's 3,000 and 2,000
_IN_A_CONTEXT = 10
_MARK = "…"
_DAYS = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]
_MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
_ESCAPED = {"&": "&amp;", "<": "&lt;", ">": "&gt;"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """What chat.postMessage and chat.update are given. `text` is escaped, and what a notification reads out."""

    text: str
    blocks: list[Block]
    metadata: dict[str, Any] | None = None

    def payload(self) -> dict[str, Any]:
        """The arguments of the call, without channel and ts."""
        return {"text": self.text, "blocks": self.blocks} | ({"metadata": self.metadata} if self.metadata else {})


@dataclass(frozen=True, slots=True)
class Moment:
    """Our own words around a time, which every reader sees in their own zone. `words` has `{}` where the time goes.

    Slack reads them as formatting: they are a literal of ours, and a name or any other data stands beside the moment, as text.
    """

    words: str
    at: datetime

    def said(self, time: str) -> str:
        """The words with this time in its place."""
        return self.words.replace("{}", time)


def escape(text: str) -> str:
    """The text as mrkdwn that reads as itself: Slack decodes these three and nothing else."""
    return "".join(_ESCAPED.get(char, char) for char in text)


def size(text: str) -> int:
    """How long any reader may find this text."""
    units = len(text.encode("utf-16-le", "surrogatepass")) // 2
    return units + 4 * text.count("&") + 3 * (text.count("<") + text.count(">"))


def size_of(blocks: object) -> int:
    """The same for every text in these blocks."""
    match blocks:
        case dict():
            return sum(
                size(part) if key == "text" and isinstance(part, str) else size_of(part) for key, part in blocks.items()
            )
        case list():
            return sum(size_of(part) for part in blocks)
    return 0


def cut(text: str, room: int, mark: str = _MARK) -> str:
    """The text if it fits into `room`, else its beginning and the mark."""
    if size(text) <= room:
        return text
    return next(_pieces(text, room - size(mark)), "").rstrip() + mark


def clock(at: datetime) -> str:
    """A time for text that no Slack reads: "Fri 17 Jul 2026, 13:19 UTC"."""
    utc = at.astimezone(UTC)
    return f"{_DAYS[utc.weekday()]} {utc.day} {_MONTHS[utc.month - 1]} {utc.year}, {utc:%H:%M} UTC"


def plain(text: str) -> Block:
    """A text that is shown as it is."""
    return {"type": "plain_text", "text": text or "-", "emoji": False}


def header(text: str) -> Block:
    """A heading of up to 150 characters."""
    return {"type": "header", "text": plain(text)}


def paragraph(text: str) -> list[Block]:
    """Text of any length, whole: as many sections as it needs."""
    return [{"type": "section", "text": plain(piece)} for piece in _pieces(text, _TEXT)]


def strong(text: str) -> list[Block]:
    """A sentence that must not be overlooked."""
    return _rich("rich_text_section", "", text, bold=True)


def labelled(facts: Sequence[tuple[str, str]]) -> list[Block]:
    """A line for each fact: its label, bold, and its value. Both are text of at most `FIELD` in size together, and stay text."""
    lines = [
        {"type": "rich_text_section", "elements": [_leaf(label, bold=True), _leaf(f"  {value}", bold=False)]}
        for label, value in facts
    ]
    return [{"type": "rich_text", "elements": lines}] if lines else []


FIELD = _FIELD
"""The size up to which a label and its value fit on a line."""


def small(*elements: str | Moment) -> list[Block]:
    """A line in small print: text as it is, and moments."""
    shown = [element for part in elements for element in _small(part)]
    return [
        {"type": "context", "elements": shown[at : at + _IN_A_CONTEXT]} for at in range(0, len(shown), _IN_A_CONTEXT)
    ]


def quoted(label: str, text: str) -> list[Block]:
    """Somebody's own words, under a label of ours."""
    return _rich("rich_text_quote", label, text)


def boxed(label: str, text: str) -> list[Block]:
    """A text of any length and layout, whole, in a box that nothing in it can leave."""
    return _rich("rich_text_preformatted", label, text)


def button(text: str, action_id: str, value: str, style: Literal["primary", "danger"] | None = None) -> Block:
    """A button with one of our own short labels."""
    made: Block = {"type": "button", "text": plain(text), "action_id": action_id, "value": value}
    return made | ({"style": style} if style else {})


def buttons(*made: Block) -> list[Block]:
    """A row of buttons; none if there are none."""
    return [{"type": "actions", "elements": list(made)}] if made else []


def deciding(value: str, *, typed: bool = False) -> list[Block]:
    """The two buttons that decide; `typed`: approving opens a form, in which something must be typed."""
    return [
        button("Approve …", ids.ACTION_CONFIRM, value, "primary")
        if typed
        else button("Approve", ids.ACTION_APPROVE, value, "primary"),
        button("Deny", ids.ACTION_DENY, value, "danger"),
    ]


def details(value: str) -> Block:
    """The button that shows everything."""
    return button("Details", ids.ACTION_DETAILS, value)


def answer(sentence: str) -> Message:
    """A sentence as a message of its own: a private answer, or a notice."""
    return Message(text=escape(cut(sentence, 3_000)), blocks=paragraph(cut(sentence, 6_000)))


def _small(part: str | Moment) -> Iterator[Block]:
    if isinstance(part, Moment):
        stamp = f"<!date^{int(part.at.timestamp())}^{{date_short_pretty}} at {{time}}|{clock(part.at)}>"
        yield {"type": "mrkdwn", "text": part.said(stamp), "verbatim": True}
    else:
        yield from (plain(piece) for piece in _pieces(part, _FIELD))


def _rich(kind: str, label: str, text: str, *, bold: bool = False) -> list[Block]:
    if size(label) > _FIELD:  # one that long stands by itself, in as many pieces as it needs
        return [*_rich("rich_text_section", "", label, bold=True), *_rich(kind, "", text, bold=bold)]
    made: list[Block] = []
    for piece in _pieces(text, _LEAF):
        parts = [{"type": kind, "elements": [_leaf(piece, bold=bold)]}]
        if label and not made:
            parts.insert(0, {"type": "rich_text_section", "elements": [_leaf(label, bold=True)]})
        made.append({"type": "rich_text", "elements": parts})
    return made


def _leaf(text: str, *, bold: bool) -> Block:
    return {"type": "text", "text": text} | ({"style": {"bold": True}} if bold else {})


def _pieces(text: str, most: int) -> Iterator[str]:
    """The text in pieces of at most this size; a last piece of nothing but blanks is left out."""
    start = 0
    while size(rest := text[start : start + most + 1]) > most:
        fits = bisect(range(1, len(rest) + 1), most, key=lambda end: size(rest[:end]))
        yield rest[:fits]
        start += fits
    if rest.strip():
        yield rest


def flat(lists: Iterable[list[Block]]) -> list[Block]:
    """Lists of blocks, one after the other."""
    return [block for blocks in lists for block in blocks]
