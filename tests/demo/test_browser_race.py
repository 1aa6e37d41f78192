"""Two people in two browser windows, one pressing Approve and the other Deny in the same moment. Both read how it ended."""

import time
from collections.abc import Iterator
from typing import Any
from uuid import UUID

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from engine.models import Pause
from engine.state import db, pauses, runs
from tests.chromium import chromium
from tests.demo.conftest import Running

AT = "([selector, at]) => setTimeout(() => document.querySelector(selector).click(), at - Date.now())"


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as launched:
        yield launched


def window(browser: Browser, running: Running, user: str, channel: str = "C0BUY") -> Page:
    """One person's own window."""
    page = browser.new_context(viewport={"width": 1280, "height": 900}, locale="en-GB").new_page()
    page.set_default_timeout(15_000)
    page.goto(f"{running.home.page_url}/?as={user}&channel={channel}")
    return page


def card(page: Page, ref: str) -> Locator:
    """The messages in the channel that speak of an order, without private answers."""
    return page.locator("article:not([data-ephemeral])", has_text=ref)


def request_of(running: Running, run_id: str) -> Pause:
    with db.connect(running.home.database_url) as conn:
        return pauses.get(conn, runs.get(conn, UUID(run_id)).pauses[-1])


def paid(running: Running, ref: str) -> list[Any]:
    made = running.player.get("/stripe/_payments")["payments"]
    return [p for p in made if p["metadata"].get("order_ref") == ref]


@pytest.mark.parametrize("turn", range(3))
def test_approve_in_one_window_and_deny_in_the_other_has_one_winner_and_both_read_who(
    browser: Browser, running: Running, turn: int
) -> None:
    ref = f"PO-RACE-{turn}"
    run_id = running.launch(ref, "7200.00")
    marta, ines = window(browser, running, "U0MARTA"), window(browser, running, "U0INES")
    mine = card(marta, ref).last
    expect(mine.get_by_role("button", name="Approve")).to_be_visible()
    card(ines, ref).last.get_by_role("button", name="Deny").click()
    form = ines.get_by_role("dialog")
    form.get_by_role("textbox").fill("Not before autumn.")

    mine.get_by_role("button", name="Approve").evaluate("button => button.id = 'the-approve'")
    form.get_by_role("button", name="Deny").evaluate("button => button.id = 'the-deny'")
    at = (time.time() + 0.6) * 1000
    marta.evaluate(AT, ["#the-approve", at])
    ines.evaluate(AT, ["#the-deny", at])

    running.player.until(
        "the request is decided", lambda: None if request_of(running, run_id).status == "waiting" else True
    )
    ended = request_of(running, run_id)
    if ended.decided_by == "marta":
        expect(form).to_contain_text("lready approved by Marta Keller")
        ines.keyboard.press("Escape")
        expect(form).to_have_count(0)
        for page in (marta, ines):
            expect(card(page, ref).last).to_contain_text("Approved by Marta Keller")
        running.player.until("it is paid", lambda: paid(running, ref) or None)
        assert len(paid(running, ref)) == 1
    else:
        assert (ended.status, ended.decided_by, ended.reason) == ("denied", "ines", "Not before autumn.")
        expect(marta.get_by_text("lready denied by Ines Alonso").last).to_be_visible()
        for page in (marta, ines):
            expect(card(page, ref).last).to_contain_text("Denied by Ines Alonso")
        running.ended(run_id)
        assert paid(running, ref) == []
    for page in (marta, ines):
        expect(card(page, ref).last.get_by_role("button", name="Approve")).to_have_count(0)
        page.context.close()


def test_a_colleague_and_a_guest_are_refused_privately_and_told_who_may(browser: Browser, running: Running) -> None:
    ref = "PO-REFUSED-1"
    run_id = running.launch(ref, "38000.00")
    for user, said in (("U0JONAS", "Marta Keller"), ("U0GUEST", "another workspace")):
        page = window(browser, running, user)
        card(page, ref).last.get_by_role("button", name="Approve").click()
        expect(page.get_by_role("article").filter(has_text="Only visible to you").last).to_contain_text(
            said, ignore_case=True
        )
        page.context.close()
    assert request_of(running, run_id).status == "waiting"
    assert request_of(running, run_id).voters == ()


def test_details_shows_everything_and_approves_there(browser: Browser, running: Running) -> None:
    ref = "PO-DETAILS-1"
    run_id = running.launch(ref, "38000.00")
    page = window(browser, running, "U0MARTA")
    card(page, ref).last.get_by_role("button", name="Details").click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text(request_of(running, run_id).digest[:16])
    dialog.get_by_role("button", name="Approve").click()
    running.player.until("it is decided", lambda: request_of(running, run_id).decided_by)
    expect(card(page, ref).last).to_contain_text("Approved by Marta Keller")
    page.context.close()


def test_an_inquiry_from_one_window_is_answered_in_another_and_read_below_the_card(
    browser: Browser, running: Running
) -> None:
    ref = "PO-ASKED-1"
    run_id = running.launch(ref, "38000.00")
    marta, priya = window(browser, running, "U0MARTA"), window(browser, running, "U0PRIYA", "D0PRIYA")
    mine = card(marta, ref).last
    mine.get_by_role("button", name="Ask Priya Nair …").click()
    form = marta.get_by_role("dialog")
    form.get_by_role("textbox").fill("Which cost centre?")
    form.get_by_role("button", name="Ask", exact=True).click()
    expect(form).to_have_count(0)
    expect(mine.locator("article")).to_contain_text(["Marta Keller asked Priya Nair"])

    told = priya.locator("article", has_text="Marta Keller asks you something before deciding.").last
    expect(told).to_contain_text("Which cost centre?")
    told.get_by_role("button", name="Answer …").click()
    reply = priya.get_by_role("dialog")
    expect(reply).to_contain_text("Which cost centre?")
    reply.get_by_role("textbox").fill("4711, as every year.")
    reply.get_by_role("button", name="Answer", exact=True).click()
    expect(reply).to_have_count(0)

    expect(mine.locator("article").last).to_contain_text("4711, as every year.")
    expect(mine.locator(".message-main").first).to_contain_text("4711, as every year.")
    assert [(one.person, one.reply) for one in request_of(running, run_id).inquiries] == [
        ("marta", "4711, as every year.")
    ]
    for page in (marta, priya):
        page.context.close()
