"""What Slack takes is let through, what it refuses is found, and the validators of others agree where they look."""

from collections.abc import Callable
from typing import Any

import pytest
import slackblocks
from hypothesis import example, given
from hypothesis import strategies as st
from slack_sdk.errors import SlackObjectFormationError
from slack_sdk.models.blocks import Block

from bot.cards.limits import Fault, check_blocks, check_edit, check_message, check_view, our_budget, text_size

Json = dict[str, Any]


def plain(text: str) -> Json:
    return {"type": "plain_text", "text": text}


def mrkdwn(text: str) -> Json:
    return {"type": "mrkdwn", "text": text}


def section(size: int = 5) -> Json:
    return {"type": "section", "text": mrkdwn("x" * size)}


def button(**parts: Any) -> Json:
    return {"type": "button", "text": plain("Approve"), "action_id": "approve", **parts}


def actions(*elements: Json) -> Json:
    return {"type": "actions", "elements": list(elements)}


def confirm(**parts: Any) -> Json:
    return {"title": plain("t"), "text": plain("t"), "confirm": plain("yes"), "deny": plain("no"), **parts}


def option(**parts: Any) -> Json:
    return {"text": plain("Details"), "value": "details", **parts}


def select(**parts: Any) -> Json:
    return {"type": "static_select", "action_id": "pick", **parts}


def asking(element: Json) -> Json:
    return {"type": "input", "label": plain("Reason"), "element": element}


def rich(text: str) -> Json:
    leaf = {"type": "text", "text": text}
    return {"type": "rich_text", "elements": [{"type": "rich_text_preformatted", "elements": [leaf]}]}


def table(rows: int, cells: int, size: int = 1) -> Json:
    return {"type": "table", "rows": [[{"type": "raw_text", "text": "x" * size}] * cells for _ in range(rows)]}


def modal(*blocks: Json, **parts: Any) -> Json:
    return {"type": "modal", "title": plain("Deny"), "blocks": list(blocks), **parts}


CARD: list[Json] = [
    {"type": "header", "text": plain("Approve a payment?")},
    {"type": "section", "fields": [mrkdwn("*EUR 38,000.00*"), plain("card ending 4417")]},
    rich("Order PO-2026-0193: 40 hydraulic pumps"),
    {"type": "context", "elements": [plain("Answer by Fri 17 Jul, 13:19")]},
    {"type": "divider"},
    actions(
        button(style="primary", value="p1"),
        button(action_id="deny", style="danger", confirm=confirm()),
        {"type": "overflow", "action_id": "more", "options": [option(url="https://example.test")]},
    ),
]

BROKEN_BLOCKS: list[tuple[str, Json, str, str]] = [
    ("a section of 3,001", section(3001), "/text/text", "less than 3001"),
    ("an empty section", section(0), "/text/text", "more than 0"),
    ("a section with nothing", {"type": "section"}, "", "text or fields"),
    ("eleven fields", {"type": "section", "fields": [plain("x")] * 11}, "/fields", "no more than 10"),
    ("a field of 2,001", {"type": "section", "fields": [plain("x" * 2001)]}, "/fields/0/text", "less than 2001"),
    ("no fields", {"type": "section", "fields": []}, "/fields", "no fewer than 1"),
    ("a header of 151", {"type": "header", "text": plain("x" * 151)}, "/text/text", "less than 151"),
    ("a header in mrkdwn", {"type": "header", "text": mrkdwn("x")}, "/text/type", "plain_text"),
    ("eleven in a context", {"type": "context", "elements": [plain("x")] * 11}, "/elements", "no more than 10"),
    ("a button in a context", {"type": "context", "elements": [button()]}, "/elements/0", "unsupported type"),
    ("26 buttons", actions(*(button(action_id=str(n)) for n in range(26))), "/elements", "no more than 25"),
    ("no buttons", actions(), "/elements", "no fewer than 1"),
    ("a button text of 76", actions(button(text=plain("x" * 76))), "/elements/0/text/text", "less than 76"),
    ("a button in mrkdwn", actions(button(text=mrkdwn("x"))), "/elements/0/text/type", "plain_text"),
    ("a button value of 2,001", actions(button(value="x" * 2001)), "/elements/0/value", "less than 2001"),
    ("a button url of 3,001", actions(button(url="x" * 3001)), "/elements/0/url", "less than 3001"),
    ("an action_id of 256", actions(button(action_id="x" * 256)), "/elements/0/action_id", "less than 256"),
    ("a label of 76", actions(button(accessibility_label="x" * 76)), "/elements/0/accessibility_label", "less than 76"),
    ("a style of its own", actions(button(style="default")), "/elements/0/style", "must be one of"),
    ("a number as value", actions(button(value=7)), "/elements/0/value", "must be a string"),
    ("one name for two actions", actions(button(), button()), "/elements", "action_id already exists"),
    ("a confirm title of 101", actions(button(confirm=confirm(title=plain("x" * 101)))), "", "less than 101"),
    ("a confirm text of 301", actions(button(confirm=confirm(text=plain("x" * 301)))), "", "less than 301"),
    ("a confirm button of 31", actions(button(confirm=confirm(confirm=plain("x" * 31)))), "", "less than 31"),
    ("a confirm in mrkdwn", actions(button(confirm=confirm(text=mrkdwn("x")))), "", "must be plain_text"),
    ("a confirm without deny", actions(button(confirm={"title": plain("t")})), "", "required field: deny"),
    ("six in an overflow", actions({"type": "overflow", "options": [option()] * 6}), "", "no more than 5"),
    ("101 options", actions(select(options=[option()] * 101)), "", "no more than 100"),
    ("a select of nothing", actions(select()), "/elements/0", "options or option_groups"),
    (
        "two ways to choose",
        actions(select(options=[option()], option_groups=[{"label": plain("g"), "options": [option()]}])),
        "",
        "exclude each other",
    ),
    ("an option of 76", actions(select(options=[option(text=plain("x" * 76))])), "", "less than 76"),
    ("an option value of 151", actions(select(options=[option(value="x" * 151)])), "", "less than 151"),
    ("a url in a select", actions(select(options=[option(url="x")])), "", "invalid additional property: url"),
    ("a placeholder of 151", actions(select(options=[option()], placeholder=plain("x" * 151))), "", "less than 151"),
    ("an input among buttons", actions({"type": "plain_text_input", "action_id": "a"}), "", "unsupported type"),
    ("an input of 3,001", asking({"type": "plain_text_input", "max_length": 3001}), "/element/max_length", "integer"),
    (
        "an input asking too much",
        asking({"type": "plain_text_input", "min_length": 9, "max_length": 8}),
        "",
        "min_length must not",
    ),
    (
        "a label in mrkdwn",
        {"type": "input", "label": mrkdwn("x"), "element": select(options=[option()])},
        "/label/type",
        "plain",
    ),
    ("an image without words", {"type": "image", "image_url": "https://x.test/a.png"}, "", "required field: alt_text"),
    ("an image of nothing", {"type": "image", "alt_text": "a"}, "", "image_url or slack_file"),
    ("an empty piece of rich text", rich(""), "/elements/0/elements/0/text", "more than 0"),
    ("an alert in a message", {"type": "alert", "text": plain("x")}, "", "not in a message"),
    ("101 rows", table(101, 1), "/rows", "no more than 100"),
    ("21 cells", table(1, 21), "/rows/0", "no more than 20"),
    ("a table of 10,001", table(1, 11, 910), "", "less than 10001"),
    ("a card body of 201", {"type": "card", "body": plain("x" * 201)}, "/body/text", "less than 201"),
    ("an empty card", {"type": "card"}, "", "hero_image or title"),
    ("four buttons on a card", {"type": "card", "actions": [button(action_id=str(n)) for n in range(4)]}, "", "than 3"),
    ("eleven children", {"type": "container", "child_blocks": [section()] * 11}, "/child_blocks", "no more than 10"),
    ("an unknown block", {"type": "hologram"}, "", "unsupported type: hologram"),
    ("no type", {"text": plain("x")}, "", "unsupported type: None"),
    ("an unknown property", {**section(), "colour": "red"}, "", "invalid additional property: colour"),
    ("a block_id of 256", {**section(), "block_id": "x" * 256}, "/block_id", "less than 256"),
    ("text that is a bare string", {"type": "section", "text": "hello"}, "/text", "text object"),
    ("emoji in mrkdwn", {"type": "section", "text": {**mrkdwn("x"), "emoji": True}}, "/text", "property: emoji"),
]


def message(*blocks: Json, text: str = "fallback") -> Json:
    return {"text": text, "blocks": list(blocks)}


def test_a_card_as_we_paint_it_has_no_fault() -> None:
    assert check_message(message(*CARD)) == []
    assert our_budget(message(*CARD)) == []


@pytest.mark.parametrize(
    ("block", "at", "detail"), [row[1:] for row in BROKEN_BLOCKS], ids=[r[0] for r in BROKEN_BLOCKS]
)
def test_a_broken_block_is_found_where_it_is_broken(block: Json, at: str, detail: str) -> None:
    faults = check_message(message(section(), block))
    assert {fault.error for fault in faults} == {"invalid_blocks"}
    assert any(fault.pointer.startswith("/blocks/1" + at) and detail in fault.detail for fault in faults), faults


@pytest.mark.parametrize(
    ("payload", "error"),
    [
        ({}, "no_text"),
        ({"text": "", "blocks": []}, "no_text"),
        ({"text": "x" * 40_001}, "msg_too_long"),
        ({"text": 7}, "invalid_arguments"),
        ({"text": "x", "blocks": {}}, "invalid_blocks_format"),
        (message(*[section()] * 51), "invalid_blocks"),
        (message(*[{**section(), "block_id": "same"}] * 2), "invalid_blocks"),
        (message(table(1, 1), table(1, 1)), "invalid_blocks"),
        (message(*[{"type": "markdown", "text": "x" * 6001}] * 2), "invalid_blocks"),
        (message(*[section(3000)] * 5), "msg_blocks_too_long"),
        ({"text": "x", "metadata": {"event_type": "pause"}}, "invalid_metadata_format"),
        ({"text": "x", "metadata": {"event_type": "p", "event_payload": {"id": "é" * 2000}}}, "metadata_too_large"),
    ],
)
def test_what_breaks_a_message_as_a_whole_is_named_as_slack_names_it(payload: Json, error: str) -> None:
    assert error in {fault.error for fault in check_message(payload)}


def test_an_edit_holds_less_text_than_a_post() -> None:
    assert check_message({"text": "x" * 4001}) == []
    assert [fault.error for fault in check_edit({"text": "x" * 4001})] == ["msg_too_long"]


def test_the_undocumented_limit_counts_every_text_and_nothing_else() -> None:
    full = [section(3000)] * 4
    assert text_size(full) == 12_000
    assert check_message(message(*full, section(1200))) == []
    assert check_message(message(*full, section(1201))) == [
        Fault("/blocks", "msg_blocks_too_long", "13201 characters of text; 13200 at most")
    ]
    assert check_blocks([*full, section(1201)]) == []


def test_our_budget_ends_well_before_slacks() -> None:
    assert [fault.error for fault in our_budget(message(*[section(2700)] * 3))] == ["over_budget"]
    assert [fault.error for fault in our_budget(message(*[section()] * 31))] == ["over_budget"]


@pytest.mark.parametrize(
    ("view", "at", "detail"),
    [
        (modal(asking(select(options=[option()]))), "/view", "required field: submit"),
        (modal(title=plain("x" * 25)), "/view/title/text", "less than 25"),
        (modal(submit=plain("x" * 25)), "/view/submit/text", "less than 25"),
        (modal(close=mrkdwn("x")), "/view/close/type", "plain_text"),
        (modal(private_metadata="x" * 3001), "/view/private_metadata", "less than 3001"),
        (modal(callback_id="x" * 256), "/view/callback_id", "less than 256"),
        (modal(*[section()] * 101), "/view/blocks", "no more than 100"),
        (modal({"type": "alert", "text": plain("x" * 201)}), "/view/blocks/0/text/text", "less than 201"),
        (modal({"type": "markdown", "text": "x"}), "/view/blocks/0", "not in a modal"),
        (modal({"type": "container", "child_blocks": [section()]}), "/view/blocks/0", "not in a modal"),
        ({"type": "home", "blocks": [{"type": "alert", "text": plain("x")}]}, "/view/blocks/0", "not in a home"),
        ({"type": "home", "blocks": [], "title": plain("x")}, "/view", "property: title"),
        ({"type": "modal", "blocks": []}, "/view", "required field: title"),
        ({"type": "page", "blocks": []}, "/view/type", "unsupported type"),
    ],
)
def test_a_broken_view_is_found_where_it_is_broken(view: Json, at: str, detail: str) -> None:
    faults = check_view(view)
    assert {fault.error for fault in faults} == {"invalid_arguments"}
    assert any(fault.pointer == at and detail in fault.detail for fault in faults), faults


def test_a_modal_and_a_home_tab_as_we_use_them_have_no_fault() -> None:
    reason = asking({"type": "plain_text_input", "action_id": "why", "multiline": True, "max_length": 3000})
    assert check_view(modal(reason, {"type": "alert", "text": plain("late")}, submit=plain("Deny"))) == []
    assert check_view({"type": "home", "blocks": [*CARD, *[section()] * 94]}) == []


def test_a_fault_reads_as_slack_writes_it() -> None:
    (fault,) = check_message(message(section(3001)))
    assert str(fault) == "must be less than 3001 characters [json-pointer:/blocks/0/text/text]"


SDK_FINDS = [
    section(3001),
    {"type": "header", "text": plain("x" * 151)},
    actions(button(text=plain("x" * 76))),
    actions(button(value="x" * 2001)),
    actions(*(button(action_id=str(n)) for n in range(26))),
    actions(select(options=[option()] * 101)),
    actions(button(confirm=confirm(text=plain("x" * 301)))),
    {"type": "card", "body": plain("x" * 201)},
]


@pytest.mark.parametrize("block", SDK_FINDS)
def test_what_slacks_own_sdk_refuses_we_refuse(block: Json) -> None:
    parsed = Block.parse(block)
    assert parsed is not None
    with pytest.raises(SlackObjectFormationError):
        parsed.to_dict()
    assert check_message(message(block))


@pytest.mark.parametrize("block", CARD)
def test_what_we_let_through_slacks_own_sdk_takes(block: Json) -> None:
    parsed = Block.parse(block)
    assert parsed is not None
    assert parsed.to_dict()["type"] == block["type"]


SLACKBLOCKS_FINDS: list[tuple[Callable[[], object], Json]] = [
    (
        lambda: slackblocks.SectionBlock(fields=[slackblocks.Text("x" * 2001)]),
        message({"type": "section", "fields": [mrkdwn("x" * 2001)]}),
    ),
    (
        lambda: slackblocks.Message(channel="C1", blocks=[slackblocks.SectionBlock("x") for _ in range(51)]),
        message(*[section()] * 51),
    ),
    (lambda: slackblocks.SectionBlock(""), message(section(0))),
    (
        lambda: slackblocks.Message(channel="C1", blocks=[slackblocks.AlertBlock("x")]),
        message({"type": "alert", "text": plain("x")}),
    ),
    (lambda: slackblocks.AlertBlock("x" * 201), message({"type": "alert", "text": plain("x" * 201)})),
]


@pytest.mark.parametrize(("build", "payload"), SLACKBLOCKS_FINDS)
def test_what_slackblocks_refuses_we_refuse(build: Callable[[], object], payload: Json) -> None:
    with pytest.raises(slackblocks.InvalidUsageError):
        build()
    assert check_message(payload)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(
                ["type", "text", "blocks", "elements", "fields", "block_id", "element", "accessory", "options"]
            ),
            inner | st.sampled_from(["section", "actions", "button", "plain_text", "modal", "rich_text"]),
            max_size=5,
        )
    ),
    max_leaves=20,
)


@given(JSON)
@example(1)
@example([{"type": []}])
def test_no_json_value_makes_the_checker_stumble(value: Any) -> None:
    assert all(isinstance(fault, Fault) for fault in check_message({"text": "x", "blocks": value}))
    assert all(isinstance(fault, Fault) for fault in check_view({"type": "modal", "blocks": value}))
