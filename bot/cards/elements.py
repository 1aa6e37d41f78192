"""The interactive elements that sit inside Slack's blocks, and how much each of their parts holds, as one table.

Data only: `bot.cards.block_kit` places them in blocks. Source: docs.slack.dev/reference/block-kit/block-elements and
the types of Slack's Node SDK; the 150 of an option's value is the Python SDK's (Node's comment still says 75).
"""

from bot.cards.shapes import Flag, Free, Items, OneOf, Rule, Shape, String, Text, Whole

_CONFIRM = Shape(
    {
        "title": Text(100, plain=True),
        "text": Text(300, plain=True),
        "confirm": Text(30, plain=True),
        "deny": Text(30, plain=True),
        "style": OneOf(("primary", "danger")),
    },
    required=("title", "text", "confirm", "deny"),
)
_OPTION_PARTS: dict[str, Rule] = {
    "text": Text(75),
    "value": String(150),
    "description": Text(75),
}
_OPTION = Shape(_OPTION_PARTS, required=("text", "value"))
_PLAIN_OPTION_PARTS: dict[str, Rule] = {
    "text": Text(75, plain=True),
    "value": String(150),
    "description": Text(75, plain=True),
}
_PLAIN_OPTION = Shape(_PLAIN_OPTION_PARTS, required=("text", "value"))
_LINK_OPTION = Shape(_PLAIN_OPTION_PARTS | {"url": String(3000)}, required=("text", "value"))  # url: overflow only
_GROUP = Shape(
    {"label": Text(75, plain=True), "options": Items(_PLAIN_OPTION, 100)},
    required=("label", "options"),
)
_ACTION: dict[str, Rule] = {"action_id": String(255)}
_ASKING: dict[str, Rule] = {
    **_ACTION,
    "placeholder": Text(150, plain=True),
    "confirm": _CONFIRM,
    "focus_on_load": Flag(),
}
_TYPING: dict[str, Rule] = {**_ASKING, "initial_value": String(3000, least=0), "dispatch_action_config": Free()}
_CHOOSING: dict[str, Rule] = {"options": Items(_PLAIN_OPTION, 100), "option_groups": Items(_GROUP, 100)}
_MANY: dict[str, Rule] = {"max_selected_items": Whole(1, 100)}

ELEMENTS: dict[str, Shape] = {
    "button": Shape(
        {
            **_ACTION,
            "text": Text(75, plain=True),
            "value": String(2000),
            "url": String(3000),
            "style": OneOf(("primary", "danger")),
            "confirm": _CONFIRM,
            "accessibility_label": String(75),
        },
        required=("text",),
    ),
    "icon_button": Shape(
        {
            **_ACTION,
            "icon": OneOf(("trash",)),
            "text": Text(75, plain=True),
            "value": String(2000),
            "accessibility_label": String(75),
            "visible_to_user_ids": Items(String(32), 10),
            "confirm": _CONFIRM,
        },
        required=("icon", "text"),
    ),
    "feedback_buttons": Shape(
        {**_ACTION, "positive_button": Free(), "negative_button": Free()},
        required=("positive_button", "negative_button"),
    ),
    "overflow": Shape({**_ACTION, "options": Items(_LINK_OPTION, 5), "confirm": _CONFIRM}, required=("options",)),
    "checkboxes": Shape(
        {
            **_ACTION,
            "options": Items(_OPTION, 10),
            "initial_options": Items(_OPTION, 10),
            "confirm": _CONFIRM,
            "focus_on_load": Flag(),
        },
        required=("options",),
    ),
    "radio_buttons": Shape(
        {
            **_ACTION,
            "options": Items(_OPTION, 10),
            "initial_option": _OPTION,
            "confirm": _CONFIRM,
            "focus_on_load": Flag(),
        },
        required=("options",),
    ),
    "static_select": Shape(
        {**_ASKING, **_CHOOSING, "initial_option": _PLAIN_OPTION}, any_of=("options", "option_groups")
    ),
    "multi_static_select": Shape(
        {**_ASKING, **_CHOOSING, **_MANY, "initial_options": Items(_PLAIN_OPTION, 100)},
        any_of=("options", "option_groups"),
    ),
    "users_select": Shape({**_ASKING, "initial_user": String(32)}),
    "multi_users_select": Shape({**_ASKING, **_MANY, "initial_users": Items(String(32), 100)}),
    "channels_select": Shape({**_ASKING, "initial_channel": String(32), "response_url_enabled": Flag()}),
    "conversations_select": Shape(
        {
            **_ASKING,
            "initial_conversation": String(32),
            "default_to_current_conversation": Flag(),
            "response_url_enabled": Flag(),
            "filter": Free(),
        }
    ),
    "datepicker": Shape({**_ASKING, "initial_date": String(10, least=10)}),
    "timepicker": Shape({**_ASKING, "initial_time": String(5, least=5), "timezone": String(64)}),
    "datetimepicker": Shape(
        {**_ACTION, "initial_date_time": Whole(10**9, 10**10 - 1), "confirm": _CONFIRM, "focus_on_load": Flag()}
    ),
    "plain_text_input": Shape(
        {**_TYPING, "multiline": Flag(), "min_length": Whole(0, 3000), "max_length": Whole(1, 3000)}
    ),
    "email_text_input": Shape(_TYPING),
    "url_text_input": Shape(_TYPING),
    "number_input": Shape(
        {**_TYPING, "is_decimal_allowed": Flag(), "min_value": String(255), "max_value": String(255)},
        required=("is_decimal_allowed",),
    ),
    "image": Shape(
        {"image_url": String(3000), "slack_file": Free(), "alt_text": String(2000)},
        required=("alt_text",),
        any_of=("image_url", "slack_file"),
    ),
}

MENUS = ("static_select", "users_select", "channels_select", "conversations_select")
MULTI = ("multi_static_select", "multi_users_select")
PICKERS = ("checkboxes", "radio_buttons", "datepicker", "timepicker")
TYPED_IN = ("plain_text_input", "email_text_input", "url_text_input", "number_input", "datetimepicker")
