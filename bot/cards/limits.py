"""The checker of Slack's limits: what chat.postMessage or views.open would refuse, known before it is sent.

Pure: a payload in, a list of faults out, empty when Slack would take it. The local workspace refuses by the same list.
A payload is a JSON value as `chat.postMessage` (or a view as `views.open`) takes it, already decoded; sizes are
characters. Nothing is cut or mended here.
"""

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from bot.cards import block_kit as kit
from bot.cards.elements import ELEMENTS
from bot.cards.shapes import Flag, Free, Items, OneOf, Rule, Shape, String, Text, Typed, Whole


@dataclass(frozen=True, slots=True)
class Fault:
    """One reason why Slack would refuse a payload."""

    pointer: str
    """Where, as a JSON pointer: `/blocks/0/text/text`."""
    error: str
    """The name Slack answers with: `invalid_blocks`, `msg_blocks_too_long`, `no_text`, ..."""
    detail: str
    """The rule that was broken, in Slack's words where they are known."""

    def __str__(self) -> str:
        """Slack's own way to write it: `must be less than 3001 characters [json-pointer:/blocks/0/text/text]`."""
        return f"{self.detail} [json-pointer:{self.pointer}]"


def check_message(payload: Mapping[str, Any]) -> list[Fault]:
    """Say what chat.postMessage and chat.postEphemeral would refuse in `payload`; an empty list means nothing."""
    faults = [*_check_text(payload, kit.MESSAGE_TEXT), *_check_metadata(payload.get("metadata"))]
    blocks = payload.get("blocks")
    if blocks is not None:
        faults += check_blocks(blocks)
        faults += _check_total(blocks)
    if not (payload.get("text") or blocks or payload.get("attachments")):
        faults.append(Fault("/text", "no_text", "a message needs text, blocks or attachments"))
    return faults


def check_edit(payload: Mapping[str, Any]) -> list[Fault]:
    """Say what chat.update would refuse: as `check_message`, but its `text` holds 4,000 characters."""
    return [*check_message(payload), *_check_text(payload, kit.EDIT_TEXT)]


def check_blocks(blocks: object) -> list[Fault]:
    """Say what is wrong with the blocks of a message, leaving aside how long they are together.

    This is all that is checked of an answer to a response_url. Not an array at all is `invalid_blocks_format`.
    """
    if not isinstance(blocks, list):
        return [Fault("/blocks", "invalid_blocks_format", "must be an array")]
    rule = Items(Typed(tuple(kit.BLOCKS)), kit.MESSAGE_BLOCKS, least=0)
    return [
        Fault(at, "invalid_blocks", detail)
        for at, detail in (*_check(rule, blocks, "/blocks"), *_check_together(blocks, "/blocks", "message"))
    ]


def check_view(view: Mapping[str, Any]) -> list[Fault]:
    """Say what views.open, views.push, views.update (a modal) or views.publish (a Home tab) would refuse."""
    kind = view.get("type")
    shape = kit.VIEWS.get(kind) if isinstance(kind, str) else None
    if shape is None:
        return [Fault("/view/type", "invalid_arguments", f"unsupported type: {kind}")]
    blocks = view.get("blocks")
    found = [*_check(shape, view, "/view"), *_check_together(blocks, "/view/blocks", str(kind))]
    asks = any(block.get("type") == "input" for _, block in _objects(blocks, ""))
    if kind == "modal" and asks and "submit" not in view:
        found.append(("/view", "missing required field: submit (the modal has an input block)"))
    return [Fault(at, "invalid_arguments", detail) for at, detail in found]


def our_budget(payload: Mapping[str, Any]) -> list[Fault]:
    """Say where a message goes past our own budget, which stays clear of the limit that Slack does not document.

    Slack would take such a message or refuse it with `msg_blocks_too_long`, depending on what else is in it.
    """
    blocks = payload.get("blocks") or []
    size = text_size(blocks)
    faults: list[Fault] = []
    if size > kit.BUDGET_TEXT:
        faults.append(Fault("/blocks", "over_budget", f"{size} characters of text; our budget is {kit.BUDGET_TEXT}"))
    if len(blocks) > kit.BUDGET_BLOCKS:
        faults.append(Fault("/blocks", "over_budget", f"{len(blocks)} blocks; our budget is {kit.BUDGET_BLOCKS}"))
    return faults


def text_size(value: object) -> int:
    """Count the characters of every text that can be read in these blocks."""
    match value:
        case dict():
            return sum(
                len(part) if key == "text" and isinstance(part, str) else text_size(part) for key, part in value.items()
            )
        case list() | tuple():
            return sum(text_size(part) for part in value)
    return 0


Found = Iterator[tuple[str, str]]


def _check(rule: Rule, value: object, at: str) -> Found:
    """Hold one value against one rule: where and how it breaks it."""
    match rule:
        case String():
            yield from _check_string(value, at, rule.least, rule.most)
        case Text():
            yield from _check_text_object(value, at, rule)
        case Items():
            yield from _check_items(rule, value, at)
        case Shape():
            yield from _check_shape(rule, value, at)
        case Typed():
            yield from _check_typed(rule, value, at)
        case _:
            if problem := _problem(rule, value):
                yield at, problem


def _problem(rule: OneOf | Whole | Flag | Free, value: object) -> str | None:
    match rule:
        case OneOf(values) if value not in values:
            return f"must be one of: {', '.join(values)}"
        case Whole(least, most) if type(value) is not int or not least <= value <= most:
            return f"must be an integer from {least} to {most}"
        case Flag() if not isinstance(value, bool):
            return "must be a boolean"
    return None


def _check_string(value: object, at: str, least: int, most: int) -> Found:
    if not isinstance(value, str):
        yield at, "must be a string"
    elif len(value) < least:
        yield at, f"must be more than {least - 1} characters"
    elif len(value) > most:
        yield at, f"must be less than {most + 1} characters"


def _check_text_object(value: object, at: str, rule: Text) -> Found:
    if not isinstance(value, dict):
        yield at, "must be a text object"
        return
    kind = value.get("type")
    if kind not in (("plain_text",) if rule.plain else ("plain_text", "mrkdwn")):
        yield at + "/type", f"must be plain_text{'' if rule.plain else ' or mrkdwn'}"
        return
    switch = "emoji" if kind == "plain_text" else "verbatim"
    yield from _check_shape(Shape({"text": String(rule.most), switch: Flag()}, required=("text",)), value, at)


def _check_items(rule: Items, value: object, at: str) -> Found:
    if not isinstance(value, list):
        yield at, "must be an array"
        return
    if len(value) < rule.least:
        yield at, f"no fewer than {rule.least} items allowed"
    if len(value) > rule.most:
        yield at, f"no more than {rule.most} items allowed"
    for index, item in enumerate(value):
        yield from _check(rule.of, item, f"{at}/{index}")


def _check_shape(shape: Shape, value: object, at: str) -> Found:
    if not isinstance(value, dict):
        yield at, "must be an object"
        return
    for name in shape.required:
        if name not in value:
            yield at, f"missing required field: {name}"
    if shape.any_of and not any(name in value for name in shape.any_of):
        yield at, f"missing required field: {' or '.join(shape.any_of)}"
    for name, part in value.items():
        rule = shape.parts.get(name)
        if rule is not None:
            yield from _check(rule, part, f"{at}/{name}")
        elif name != "type":
            yield at, f"invalid additional property: {name}"


def _check_typed(rule: Typed, value: object, at: str) -> Found:
    kind = value.get("type") if isinstance(value, dict) else None
    if not isinstance(kind, str) or kind not in rule.types:
        yield at, f"unsupported type: {kind}"
    elif kind in {"plain_text", "mrkdwn"}:
        yield from _check_text_object(value, at, Text())
    else:
        yield from _check(_shape_of(kind, at), value, at)


def _shape_of(kind: str, at: str) -> Shape:
    """The shape of a type; `image` alone is both a block and an element, told apart by where it stands."""
    if kind == "image" and at.rpartition("/")[0].endswith(("/blocks", "/child_blocks")):
        return kit.BLOCKS[kind]
    return (ELEMENTS | kit.RICH_TEXT | kit.CELLS).get(kind) or kit.BLOCKS[kind]


def _check_together(blocks: object, at: str, surface: str) -> Found:
    """What no block shows alone: where it stands, names used twice, one table, markdown all together."""
    known = _objects(blocks, at)
    for where, block in known:
        kind = block.get("type")
        shape = kit.BLOCKS.get(kind) if isinstance(kind, str) else None
        if shape is not None and surface not in shape.surfaces:
            yield where, f"unsupported type: {kind} (not in a {surface})"
        yield from _check_names(block, where)
        if kind == "table" and text_size(block) > kit.TABLE_TEXT:
            yield where, f"must be less than {kit.TABLE_TEXT + 1} characters over all cells"
    for name, times in Counter(str(b["block_id"]) for _, b in known if b.get("block_id")).items():
        if times > 1:
            yield at, f"block_id already exists: {name}"
    if sum(b.get("type") == "table" for _, b in known) > 1:
        yield at, "only one table allowed"
    if sum(text_size(b) for _, b in known if b.get("type") == "markdown") > kit.MARKDOWN_OF_ALL_BLOCKS:
        yield at, f"markdown must be less than {kit.MARKDOWN_OF_ALL_BLOCKS + 1} characters in all"


def _objects(blocks: object, at: str) -> list[tuple[str, Mapping[str, Any]]]:
    """Every block that is an object at all, and where it stands."""
    listed = blocks if isinstance(blocks, list) else []
    return [(f"{at}/{n}", block) for n, block in enumerate(listed) if isinstance(block, dict)]


def _check_names(block: Mapping[str, Any], at: str) -> Found:
    """Two actions of one name in a block, two ways to choose at once, an input asking for more than it takes."""
    elements = block.get("elements")
    parts = elements if isinstance(elements, list) else [block.get("element"), block.get("accessory")]
    inner = [part for part in parts if isinstance(part, dict)]
    for name, times in Counter(str(e["action_id"]) for e in inner if e.get("action_id")).items():
        if times > 1:
            yield f"{at}/elements", f"action_id already exists: {name}"
    for element in inner:
        if "options" in element and "option_groups" in element:
            yield at, "options and option_groups exclude each other"
        least, most = element.get("min_length"), element.get("max_length")
        if isinstance(least, int) and isinstance(most, int) and least > most:
            yield at, "min_length must not be more than max_length"


def _check_text(payload: Mapping[str, Any], most: int) -> Iterator[Fault]:
    text = payload.get("text")
    if text is not None and not isinstance(text, str):
        yield Fault("/text", "invalid_arguments", "must be a string")
    elif text is not None and len(text) > most:
        yield Fault("/text", "msg_too_long", f"must be less than {most + 1} characters")


def _check_metadata(metadata: object) -> Iterator[Fault]:
    if metadata in (None, {}):
        return
    if not (
        isinstance(metadata, dict)
        and isinstance(metadata.get("event_type"), str)
        and isinstance(metadata.get("event_payload"), dict)
    ):
        yield Fault("/metadata", "invalid_metadata_format", "needs event_type, a string, and event_payload, an object")
    elif len(json.dumps(metadata, ensure_ascii=False).encode()) > kit.METADATA_BYTES:
        yield Fault("/metadata", "metadata_too_large", f"must be less than {kit.METADATA_BYTES + 1} bytes")


def _check_total(blocks: object) -> Iterator[Fault]:
    size = text_size(blocks)
    if size > kit.TEXT_OF_ALL_BLOCKS:
        yield Fault("/blocks", "msg_blocks_too_long", f"{size} characters of text; {kit.TEXT_OF_ALL_BLOCKS} at most")
