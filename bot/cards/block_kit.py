"""Slack's blocks and views, and how much each of their parts holds, as one table.

Data only: `bot.cards.limits` reads it. A type or a property that is not named here is refused, as Slack refuses what it
does not know. Source: docs.slack.dev/reference/block-kit and the types of Slack's Node SDK.
"""

from bot.cards.elements import MENUS, MULTI, PICKERS, TYPED_IN
from bot.cards.shapes import Flag, Free, Items, OneOf, Rule, Shape, String, Text, Typed, Whole

MESSAGE_TEXT = 40_000  # past this chat.postMessage cuts
EDIT_TEXT = 4_000  # past this chat.update answers msg_too_long
MESSAGE_BLOCKS, VIEW_BLOCKS = 50, 100
METADATA_BYTES = 4_000
TEXT_OF_ALL_BLOCKS = 13_200  # measured, documented nowhere; github.com/slackapi/bolt-js/issues/2509
MARKDOWN_OF_ALL_BLOCKS = 12_000
TABLE_TEXT = 10_000
BUDGET_TEXT, BUDGET_BLOCKS = 8_000, 30  # ours: 9,597 characters in 45 mixed blocks were accepted, 11,341 refused

_BLOCK: dict[str, Rule] = {"block_id": String(255)}
_RICH = Typed(("rich_text",))
_RICH_PART = Typed(("rich_text_section", "rich_text_list", "rich_text_preformatted", "rich_text_quote"))
_STYLED: dict[str, Rule] = {"style": Free()}
_RICH_LEAVES: dict[str, Shape] = {
    "text": Shape({**_STYLED, "text": String(12_000)}, required=("text",)),
    "link": Shape({**_STYLED, "url": String(3000), "text": String(3000), "unsafe": Flag()}, required=("url",)),
    "user": Shape({**_STYLED, "user_id": String(32)}, required=("user_id",)),
    "channel": Shape({**_STYLED, "channel_id": String(32)}, required=("channel_id",)),
    "usergroup": Shape({**_STYLED, "usergroup_id": String(32)}, required=("usergroup_id",)),
    "emoji": Shape({**_STYLED, "name": String(255), "unicode": String(255)}, required=("name",)),
    "broadcast": Shape({**_STYLED, "range": OneOf(("here", "channel", "everyone"))}, required=("range",)),
    "date": Shape(
        {
            **_STYLED,
            "timestamp": Whole(0, 10**11),
            "format": String(255),
            "url": String(3000),
            "fallback": String(3000),
        },
        required=("timestamp", "format"),
    ),
}
_RICH_LINE = Items(Typed(tuple(_RICH_LEAVES)), 1000, least=0)
RICH_TEXT: dict[str, Shape] = {
    **_RICH_LEAVES,
    "rich_text_section": Shape({"elements": _RICH_LINE}, required=("elements",)),
    "rich_text_preformatted": Shape({"elements": _RICH_LINE, "border": Whole(0, 1)}, required=("elements",)),
    "rich_text_quote": Shape({"elements": _RICH_LINE, "border": Whole(0, 1)}, required=("elements",)),
    "rich_text_list": Shape(
        {
            "elements": Items(Typed(("rich_text_section",)), 1000),
            "style": OneOf(("bullet", "ordered")),
            "indent": Whole(0, 8),
            "offset": Whole(0, 10_000),
            "border": Whole(0, 1),
        },
        required=("elements", "style"),
    ),
}
CELLS: dict[str, Shape] = {"raw_text": Shape({"text": String(10_000)}, required=("text",))}

_MESSAGE, _MODAL, _HOME = "message", "modal", "home"
BLOCKS: dict[str, Shape] = {
    "header": Shape({**_BLOCK, "text": Text(150, plain=True)}, required=("text",)),
    "section": Shape(
        {
            **_BLOCK,
            "text": Text(3000),
            "fields": Items(Text(2000), 10),
            "accessory": Typed(("button", "overflow", "image", *PICKERS, *MENUS, *MULTI)),
            "expand": Flag(),
        },
        any_of=("text", "fields"),
    ),
    "divider": Shape(_BLOCK),
    "context": Shape(
        {**_BLOCK, "elements": Items(Typed(("image", "plain_text", "mrkdwn")), 10)}, required=("elements",)
    ),
    "actions": Shape(
        {
            **_BLOCK,
            "elements": Items(Typed(("button", "overflow", "datetimepicker", *PICKERS, *MENUS)), 25),
        },
        required=("elements",),
    ),
    "input": Shape(
        {
            **_BLOCK,
            "label": Text(2000, plain=True),
            "hint": Text(2000, plain=True),
            "element": Typed((*TYPED_IN, *PICKERS, *MENUS, *MULTI)),
            "optional": Flag(),
            "dispatch_action": Flag(),
        },
        required=("label", "element"),
    ),
    "image": Shape(
        {
            **_BLOCK,
            "image_url": String(3000),
            "slack_file": Free(),
            "alt_text": String(2000),
            "title": Text(2000, plain=True),
        },
        required=("alt_text",),
        any_of=("image_url", "slack_file"),
    ),
    "rich_text": Shape({**_BLOCK, "elements": Items(_RICH_PART, 1000)}, required=("elements",)),
    "markdown": Shape({**_BLOCK, "text": String(12_000)}, required=("text",), surfaces=(_MESSAGE,)),
    "table": Shape(
        {
            **_BLOCK,
            "rows": Items(Items(Typed(("raw_text", "rich_text")), 20), 100),
            "column_settings": Items(Free(), 20),
        },
        required=("rows",),
        surfaces=(_MESSAGE, _HOME),
    ),
    "alert": Shape(
        {**_BLOCK, "text": Text(200), "level": OneOf(("default", "info", "warning", "error", "success"))},
        required=("text",),
        surfaces=(_MODAL,),
    ),
    "card": Shape(
        {
            **_BLOCK,
            "hero_image": Typed(("image",)),
            "icon": Typed(("image",)),
            "title": Text(150),
            "subtitle": Text(150),
            "body": Text(200),
            "subtext": Text(200),
            "actions": Items(Typed(("button",)), 3),
        },
        any_of=("hero_image", "title", "actions", "body"),
    ),
    "carousel": Shape(
        {**_BLOCK, "elements": Items(Typed(("card",)), 10)}, required=("elements",), surfaces=(_MESSAGE, _HOME)
    ),
    "container": Shape(
        {
            **_BLOCK,
            "title": Text(150, plain=True),
            "rich_text_title": _RICH,
            "subtitle": Text(150),
            "child_blocks": Items(
                Typed(("header", "section", "divider", "context", "actions", "image", "rich_text", "table")), 10
            ),
            "width": OneOf(("narrow", "standard", "wide", "full")),
            "icon": Typed(("image",)),
            "is_collapsible": Flag(),
            "default_collapsed": Flag(),
            "has_header_divider": Flag(),
        },
        required=("child_blocks",),
        surfaces=(_MESSAGE, _HOME),
    ),
    "context_actions": Shape(
        {**_BLOCK, "elements": Items(Typed(("feedback_buttons", "icon_button")), 5)},
        required=("elements",),
        surfaces=(_MESSAGE,),
    ),
}

_VIEW: dict[str, Rule] = {
    "blocks": Items(Typed(tuple(BLOCKS)), VIEW_BLOCKS, least=0),
    "private_metadata": String(3000, least=0),
    "callback_id": String(255, least=0),
    "external_id": String(255, least=0),
}
VIEWS: dict[str, Shape] = {
    "home": Shape(_VIEW, required=("blocks",)),
    "modal": Shape(
        {
            **_VIEW,
            "title": Text(24, plain=True),
            "submit": Text(24, plain=True),
            "close": Text(24, plain=True),
            "clear_on_close": Flag(),
            "notify_on_close": Flag(),
            "submit_disabled": Flag(),
        },
        required=("title", "blocks"),
    ),
}
