"""Block Kit in few words, for the tests of the page."""

from typing import Any

Json = dict[str, Any]


def plain(text: str) -> Json:
    return {"type": "plain_text", "text": text}


def mrkdwn(text: str) -> Json:
    return {"type": "mrkdwn", "text": text}


def button(text: str, **more: Any) -> Json:
    return {"type": "button", "text": plain(text), "action_id": text.lower(), "value": "pause-1"} | more


def actions(*elements: Json) -> Json:
    return {"type": "actions", "block_id": "decide", "elements": list(elements)}


def options(*texts: str) -> list[Json]:
    return [{"text": plain(text), "value": text.lower()} for text in texts]


def rich(*elements: Json, part: str = "rich_text_section", **more: Any) -> Json:
    return {"type": "rich_text", "elements": [{"type": part, "elements": list(elements), **more}]}


def said(text: str, **style: bool) -> Json:
    return {"type": "text", "text": text, "style": style}


def modal(*blocks: Json, **more: Any) -> Json:
    return {
        "id": "V1",
        "type": "modal",
        "title": plain("Deny?"),
        "submit": plain("Deny"),
        "close": plain("Keep"),
        "blocks": list(blocks),
        "errors": None,
        "hash": "1",
    } | more


def field(block_id: str, element: Json, **more: Any) -> Json:
    return {
        "type": "input",
        "block_id": block_id,
        "label": plain(block_id.title()),
        "element": {"action_id": "it", **element},
    } | more


REASON = field("reason", {"type": "plain_text_input", "multiline": True}, hint=plain("The agent reads it."))
ROLE = field("role", {"type": "static_select", "options": options("Buyer", "Director")})
WHY = field("why", {"type": "radio_buttons", "options": options("Price", "Supplier")}, optional=True)
TELL = field("tell", {"type": "checkboxes", "options": options("Priya", "Otto")}, optional=True)
