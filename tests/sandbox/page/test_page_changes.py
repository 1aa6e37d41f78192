"""What changes under the eye of somebody who reads or writes, and what stays."""

from playwright.sync_api import expect

from tests.sandbox.page.canned import CannedWorkspace, Open, with_modal
from tests.sandbox.page.kit import REASON, Json, actions, button, modal, plain


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
    page = with_modal(window, workspace, modal(REASON))
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


def long_channel(workspace: CannedWorkspace, *first: Json) -> None:
    """A card at the top, and more below it than fits on a screen."""
    workspace.say(blocks=list(first))
    for n in range(40):
        workspace.say(text=f"line {n}")


def test_what_is_said_to_one_alone_after_ones_own_click_is_scrolled_to(
    window: Open, workspace: CannedWorkspace
) -> None:
    long_channel(workspace, actions(button("Approve")))
    page = window()
    page.get_by_role("button", name="Approve").click()
    expect(page.get_by_text("line 39")).not_to_be_in_viewport()
    workspace.say(text="Only Otto may decide.", ephemeral=True)
    workspace.changed()
    expect(page.get_by_text("Only Otto may decide.")).to_be_in_viewport()
    expect(page.get_by_role("button", name="New messages")).to_be_hidden()


def test_what_one_writes_and_what_a_command_answers_is_scrolled_to(window: Open, workspace: CannedWorkspace) -> None:
    long_channel(workspace)
    page = window()
    box = page.get_by_role("textbox", name="Message #purchasing")
    for written, said in (
        ("Hello", {"text": "Hello", "user": "U0MARTA", "bot": False}),
        ("/approvals role nobody", {"text": "Nobody holds the role nobody.", "ephemeral": True}),
    ):
        page.get_by_role("log").evaluate("pane => { pane.scrollTop = 0 }")
        box.fill(written)
        box.press("Enter")
        workspace.posted.get(timeout=5)
        workspace.say(**said)
        workspace.changed()
        expect(page.get_by_role("log").get_by_text(str(said["text"]))).to_be_in_viewport()


def test_news_while_one_reads_further_up_waits_behind_a_button(window: Open, workspace: CannedWorkspace) -> None:
    long_channel(workspace)
    page = window()
    news = page.get_by_role("button", name="New messages")
    for come_to_it in ("press", "scroll"):
        page.get_by_role("log").evaluate("pane => { pane.scrollTop = 0 }")
        expect(news).to_be_hidden()
        workspace.say(text=f"somebody else's news, {come_to_it}")
        workspace.say(text="said to you alone, unasked", ephemeral=True)
        workspace.changed()
        expect(news).to_be_visible()
        assert page.get_by_role("log").evaluate("pane => pane.scrollTop") == 0
        if come_to_it == "press":
            news.click()
        else:
            page.get_by_role("log").evaluate("pane => { pane.scrollTop = pane.scrollHeight }")
        expect(page.get_by_text(f"somebody else's news, {come_to_it}")).to_be_in_viewport()
        expect(news).to_be_hidden()


def test_an_edit_is_no_news(window: Open, workspace: CannedWorkspace) -> None:
    long_channel(workspace)
    page = window()
    page.get_by_role("log").evaluate("pane => { pane.scrollTop = 0 }")
    workspace.messages["C0BUY"][-1]["text"] = "line 39, edited"
    workspace.changed()
    expect(page.get_by_text("line 39, edited")).to_be_attached()
    expect(page.get_by_role("button", name="New messages")).to_be_hidden()


def test_of_two_windows_of_a_person_only_the_one_that_clicked_shows_the_modal_and_keeps_it_over_a_reload(
    window: Open, workspace: CannedWorkspace
) -> None:
    other = window()
    clicked = with_modal(window, workspace, modal(REASON))
    expect(other.get_by_role("button", name="Open it")).to_be_visible()
    expect(other.get_by_role("dialog")).to_have_count(0)
    later = window()
    expect(later.get_by_role("button", name="Open it")).to_be_visible()
    clicked.reload()
    expect(clicked.get_by_role("dialog")).to_be_visible()
    other.get_by_role("button", name="Open it").click()
    workspace.posted.get(timeout=5)
    for page in (other, later):
        expect(page.get_by_role("dialog")).to_have_count(0)
    workspace.views = []
    workspace.changed()
    expect(clicked.get_by_role("dialog")).to_have_count(0)
