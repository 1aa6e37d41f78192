"""What changes under the eye of somebody who reads or writes, and what stays."""

from playwright.sync_api import expect

from tests.sandbox.page.canned import CannedWorkspace, Open
from tests.sandbox.page.kit import REASON, actions, button, modal, plain


def test_a_change_is_shown_at_once_and_disturbs_nothing(window: Open, workspace: CannedWorkspace) -> None:
    workspace.say(blocks=[actions(button("Approve"))])
    page = window()
    box = page.get_by_role("textbox", name="Message #purchasing")
    box.fill("half a sent")
    kept = page.get_by_role("button", name="Approve").element_handle()
    workspace.say(text="Expired.")
    workspace.changed()
    expect(page.get_by_text("Expired.")).to_be_visible()
    expect(box).to_be_focused()
    expect(box).to_have_value("half a sent")
    assert kept.evaluate("button => button.isConnected")


def test_the_focus_stays_on_a_button_of_a_card_that_was_repainted(window: Open, workspace: CannedWorkspace) -> None:
    workspace.say(blocks=[actions(button("Approve"), button("Details"))])
    page = window()
    page.get_by_role("button", name="Details").focus()
    workspace.messages["C0BUY"][0]["blocks"] = [
        {"type": "header", "text": plain("Escalated")},
        actions(button("Details")),
    ]
    workspace.changed()
    expect(page.get_by_text("Escalated")).to_be_visible()
    expect(page.get_by_role("button", name="Details")).to_be_focused()


def test_the_reading_position_is_kept_above_and_followed_at_the_end(window: Open, workspace: CannedWorkspace) -> None:
    for n in range(40):
        workspace.say(text=f"line {n}")
    page = window()
    pane = page.get_by_role("log")
    expect(page.get_by_text("line 39")).to_be_in_viewport()
    workspace.say(text="the newest")
    workspace.changed()
    expect(page.get_by_text("the newest")).to_be_in_viewport()
    pane.evaluate("pane => { pane.scrollTop = 300 }")
    workspace.say(text="one more")
    workspace.changed()
    expect(page.get_by_text("one more")).to_be_attached()
    assert pane.evaluate("pane => pane.scrollTop") == 300


def test_a_modal_the_app_updates_keeps_what_was_typed(window: Open, workspace: CannedWorkspace) -> None:
    workspace.views = [modal(REASON)]
    page = window()
    page.get_by_role("textbox", name="Reason").fill("because")
    workspace.views = [
        modal({"type": "alert", "level": "warning", "text": plain("Otto was faster.")}, REASON, hash="2")
    ]
    workspace.changed()
    expect(page.get_by_text("Otto was faster.")).to_be_visible()
    expect(page.get_by_role("textbox", name="Reason")).to_have_value("because")


def test_what_was_written_stays_when_the_workspace_cannot_be_reached(window: Open, workspace: CannedWorkspace) -> None:
    page = window()
    page.route("**/page/message", lambda route: route.abort())
    box = page.get_by_role("textbox", name="Message #purchasing")
    box.fill("Hello")
    box.press("Enter")
    expect(page.get_by_text("The local workspace did not answer. Is it still running?")).to_be_visible()
    expect(box).to_have_value("Hello")
    assert workspace.posted.empty()
