"""What any message or view of ours must be, whatever it is about: accepted by Slack, and inert."""

import re
from collections.abc import Iterator
from typing import Any

import slackblocks
from hypothesis import strategies as st
from slack_sdk.models.blocks import Block

from bot.cards.limits import check_edit, check_view, our_budget
from bot.cards.parts import Message

Json = dict[str, Any]

TOKEN = r"<!date\^\d+\^\{date_short_pretty\} at \{time\}\|\w{3} \d+ \w{3} \d{4}, \d\d:\d\d UTC>"
MOMENT = re.compile(rf"[A-Za-z ]*{TOKEN}[.,]?")
ESCAPED = re.compile(r"(?:[^<>&]|&amp;|&lt;|&gt;)*")

ATTACKS = [
    "as agreed with <!channel> and <@U0OTTO>",
    "<https://evil.example|Approve> `</code>` *bold* _it_ ~no~ ```x```",
    "report\u202efdp.exe",
    "DE12\u200b3400",
    "x" * 3_100,
    "&" * 1_500,
    "<" * 3_100,
    "\n" * 400,
    " " * 500 + "; drop",
    "\U0001f600" * 1_600,
    "{} {0} %s",
    ":white_check_mark: Approved",
    "",
    " ",
]
words = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=60) | st.sampled_from(
    ATTACKS
)
"""Any text that a database can hold."""


def taken(message: Message) -> None:
    """Slack takes it, posted or as an edit, within our own budget; Slack's SDK and slackblocks agree; nothing in it is alive."""
    payload = message.payload()
    assert [str(fault) for fault in (*check_edit(payload), *our_budget(payload))] == []
    assert ESCAPED.fullmatch(message.text), message.text
    others_take(message.blocks)
    inert(message.blocks)


def opened(view: Json) -> None:
    """Slack opens it, and nothing in it is alive."""
    assert [str(fault) for fault in check_view(view)] == []
    others_take([block for block in view["blocks"] if block["type"] != "input"])
    inert(view["blocks"])


def others_take(blocks: list[Json]) -> None:
    for block in blocks:
        parsed = Block.parse(block)
        assert parsed is not None
        assert parsed.to_dict()["type"] == block["type"]
    known = [
        {name: part for name, part in block.items() if name != "accessory"}  # which slackblocks cannot read yet
        for block in blocks
        if block["type"] in {"header", "section", "context"}
    ]
    for at in range(0, len(known), 50):
        slackblocks.Message(channel="C1", blocks=[slackblocks.Block.from_dict(block) for block in known[at : at + 50]])


def inert(blocks: list[Json]) -> None:
    """No mrkdwn but our words around a time, no emoji, and rich text of nothing but text."""
    for part in parts_of(blocks):
        match part.get("type"):
            case "mrkdwn":
                assert MOMENT.fullmatch(part["text"]), part["text"]
            case "plain_text":
                assert part["emoji"] is False
            case "link" | "user" | "usergroup" | "channel" | "broadcast" | "emoji" | "markdown":
                raise AssertionError(part)


def parts_of(value: object) -> Iterator[Json]:
    if isinstance(value, dict):
        yield value
        for part in value.values():
            yield from parts_of(part)
    elif isinstance(value, list):
        for part in value:
            yield from parts_of(part)


def read(blocks: list[Json]) -> str:
    """Everything that can be read in these blocks."""
    return "\n".join(part["text"] for part in parts_of(blocks) if isinstance(part.get("text"), str))


def pressed(blocks: list[Json]) -> list[str]:
    """The labels of all buttons."""
    return [part["text"]["text"] for part in parts_of(blocks) if part.get("type") == "button"]
