"""What the page posts when somebody does something, and what it says when that fails."""

import re

import pytest
from playwright.sync_api import expect

from tests.sandbox.page.canned import CannedWorkspace, Open, with_modal
from tests.sandbox.page.kit import REASON, ROLE, TELL, WHY, actions, button, modal, options, plain


def test_a_click_on_a_message_posts_who_where_and_what(window: Open, workspace: CannedWorkspace) -> None:
    ts = workspace.say(blocks=[actions(button("Approve", style="primary"), button("Deny"))])
    window().get_by_role("button", name="Approve").click()
    verb, body = workspace.posted.get(timeout=5)
    assert verb == "click"
    assert body == {
        "as": "U0MARTA",
        "channel": "C0BUY",
        "ts": ts,
        "block_id": "decide",
        "action_id": "approve",
        "value": "pause-1",
    }


def test_choosing_from_a_menu_or_a_select_posts_the_option(window: Open, workspace: CannedWorkspace) -> None:
    menu = {"type": "overflow", "action_id": "more", "options": options("Withdraw", "Hand over")}
    choice = {
        "type": "static_select",
        "action_id": "range",
        "placeholder": plain("Show"),
        "options": options("Week", "Month"),
    }
    workspace.say(blocks=[{"type": "section", "block_id": "s", "text": plain("x"), "accessory": menu}, actions(choice)])
    page = window()
    page.get_by_role("button", name="More actions").press("Enter")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    assert workspace.posted.get(timeout=5)[1]["selected_option"] == options("Hand over")[0]
    page.get_by_role("combobox", name="Show").select_option("Month")
    assert workspace.posted.get(timeout=5)[1]["selected_option"] == options("Month")[0]


def test_a_confirmation_refused_posts_nothing(window: Open, workspace: CannedWorkspace) -> None:
    confirm = {"title": plain("Sure?"), "text": plain("It is final."), "confirm": plain("Yes"), "deny": plain("No")}
    workspace.say(blocks=[actions(button("Halt", confirm=confirm))])
    page = window()
    page.get_by_role("button", name="Halt").click()
    page.get_by_role("dialog", name="Sure?").get_by_role("button", name="No").click()
    page.get_by_role("button", name="Halt").click()
    page.get_by_role("dialog", name="Sure?").get_by_role("button", name="Yes").click()
    assert workspace.posted.get(timeout=5)[1]["action_id"] == "halt"
    assert workspace.posted.empty()


def test_buttons_rest_while_a_click_is_under_way_and_one_is_marked_when_the_app_was_silent(
    window: Open, workspace: CannedWorkspace
) -> None:
    workspace.say(blocks=[actions(button("Approve"), button("Deny"))])
    workspace.answers["click"] = {"ok": False, "warning": "Placet did not answer within 3 seconds."}
    workspace.gate.clear()
    page = window()
    page.get_by_role("button", name="Deny").click()
    expect(page.get_by_role("button", name="Approve")).to_be_disabled()
    expect(page.get_by_role("button", name="Deny")).to_be_disabled()
    workspace.gate.set()
    expect(page.get_by_role("alert").get_by_text("Placet did not answer within 3 seconds.")).to_be_visible()
    expect(page.get_by_role("button", name="Deny", exact=True)).to_have_class(re.compile("unanswered"))
    expect(page.get_by_role("button", name="Approve")).to_be_enabled()


def test_a_slash_lists_the_commands_and_enter_sends_one(window: Open, workspace: CannedWorkspace) -> None:
    page = window()
    box = page.get_by_role("textbox", name="Message #purchasing")
    box.press_sequentially("/a")
    expect(page.get_by_role("option")).to_have_count(1)
    box.press("Enter")
    box.press_sequentially("mine")
    box.press("Enter")
    assert workspace.posted.get(timeout=5) == (
        "command",
        {"as": "U0MARTA", "channel": "C0BUY", "text": "/approvals mine"},
    )
    expect(box).to_have_value("")


def test_an_unknown_command_is_kept_and_explained(window: Open, workspace: CannedWorkspace) -> None:
    page = window()
    box = page.get_by_role("textbox", name="Message #purchasing")
    box.fill("/aprovals")
    box.press("Enter")
    expect(page.get_by_text("/aprovals is not a command here. There is /approvals, /runs.")).to_be_visible()
    expect(box).to_have_value("/aprovals")
    assert workspace.posted.empty()


def test_a_message_and_a_reply_are_posted_where_they_belong(window: Open, workspace: CannedWorkspace) -> None:
    ts = workspace.say(text="Paid.")
    page = window()
    page.get_by_role("textbox", name="Message #purchasing").fill("Hello")
    page.keyboard.press("Enter")
    assert workspace.posted.get(timeout=5) == ("message", {"as": "U0MARTA", "channel": "C0BUY", "text": "Hello"})
    page.get_by_role("article").hover()
    page.get_by_role("button", name="Reply in thread").click()
    page.keyboard.type("Thanks")
    page.keyboard.press("Enter")
    assert workspace.posted.get(timeout=5)[1] == {
        "as": "U0MARTA",
        "channel": "C0BUY",
        "text": "Thanks",
        "thread_ts": ts,
    }


def test_a_shortcut_stands_by_every_message_and_posts_which(window: Open, workspace: CannedWorkspace) -> None:
    ts = workspace.say(text="EUR 38,000.00 to Nordholz")
    page = window()
    page.get_by_role("article").hover()
    page.get_by_role("button", name="What happened here?").click()
    verb, body = workspace.posted.get(timeout=5)
    assert (verb, body) == (
        "shortcut", {"as": "U0MARTA", "channel": "C0BUY", "ts": ts, "callback_id": "placet:what_happened"},
    )  # fmt: skip


def test_the_apps_home_is_opened_painted_and_clicked(window: Open, workspace: CannedWorkspace) -> None:
    workspace.home = {
        "id": "VHOME",
        "type": "home",
        "blocks": [{"type": "header", "text": plain("Waiting for you")}, actions(button("Details"))],
    }
    page = window()
    page.get_by_role("link", name="Placet").click()
    page.get_by_role("tab", name="Home").click()
    assert workspace.posted.get(timeout=5) == ("home", {"as": "U0MARTA"})
    page.get_by_role("region", name="App Home").get_by_role("button", name="Details").click()
    body = workspace.posted.get(timeout=5)[1]
    assert body == {
        "as": "U0MARTA",
        "view_id": "VHOME",
        "values": {},
        "block_id": "decide",
        "action_id": "details",
        "value": "pause-1",
    }


def test_the_apps_home_can_be_opened_before_anything_was_said(window: Open, workspace: CannedWorkspace) -> None:
    workspace.has_direct = False
    page = window()
    page.get_by_role("link", name="Placet").click()
    expect(page.get_by_text("Placet has nothing here yet")).to_be_visible()
    assert workspace.posted.get(timeout=5) == ("home", {"as": "U0MARTA"})


def test_a_modal_posts_every_value_as_slack_would(window: Open, workspace: CannedWorkspace) -> None:
    page = with_modal(window, workspace, modal(REASON, ROLE, WHY, TELL))
    dialog = page.get_by_role("dialog", name="Deny?")
    dialog.get_by_role("textbox", name="Reason").fill("Too dear")
    dialog.get_by_role("combobox", name="Role").select_option("Director")
    dialog.get_by_role("radio", name="Price").check()
    dialog.get_by_role("checkbox", name="Otto").check()
    dialog.get_by_role("button", name="Deny").click()
    verb, body = workspace.posted.get(timeout=5)
    assert (verb, body["as"], body["view_id"]) == ("submit", "U0MARTA", "V1")
    assert body["values"] == {
        "reason": {"it": {"type": "plain_text_input", "value": "Too dear"}},
        "role": {"it": {"type": "static_select", "selected_option": options("Director")[0]}},
        "why": {"it": {"type": "radio_buttons", "selected_option": options("Price")[0]}},
        "tell": {"it": {"type": "checkboxes", "selected_options": options("Otto")}},
    }


def test_a_modal_shows_what_was_not_accepted_under_its_field(window: Open, workspace: CannedWorkspace) -> None:
    workspace.answers["submit"] = {"ok": False, "errors": {"reason": "Say what should happen instead."}}
    page = with_modal(window, workspace, modal(REASON, WHY))
    page.get_by_role("button", name="Deny").click()
    expect(page.get_by_role("alert").get_by_text("Please complete this required field.")).to_be_visible()
    assert workspace.posted.empty()
    page.get_by_role("textbox", name="Reason").fill("no")
    page.get_by_role("button", name="Deny").click()
    expect(page.get_by_role("alert").get_by_text("Say what should happen instead.")).to_be_visible()
    expect(page.get_by_role("textbox", name="Reason")).to_be_focused()


@pytest.mark.parametrize("way", ["Keep", "Close this window", "Escape"])
def test_every_way_out_of_a_modal_tells_the_app(window: Open, workspace: CannedWorkspace, way: str) -> None:
    page = with_modal(window, workspace, modal(REASON))
    if way == "Escape":
        page.keyboard.press("Escape")
    else:
        page.get_by_role("button", name=way).click()
    assert workspace.posted.get(timeout=5) == ("close", {"as": "U0MARTA", "view_id": "V1"})
    workspace.views = []  # not before the click: the page may look at any time, and would close it by itself
    workspace.changed()
    expect(page.get_by_role("dialog")).to_have_count(0)
