"""In a browser, on the local workspace's page, with the real bot: the form for several requests, and a digest."""

from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from bot.cards import together
from tests import rows
from tests.bot.house import Home
from tests.bot.test_digests import asked, the_hour_comes
from tests.chromium import chromium


@pytest.fixture
def page() -> Iterator[Page]:
    with chromium() as browser:
        opened = browser.new_page(viewport={"width": 1280, "height": 900}, locale="en-US")
        opened.set_default_timeout(10_000)
        yield opened


def test_all_of_a_turn_is_read_and_decided_in_one_form(home: Home, conn: Any, page: Page) -> None:
    three = rows.waiting(conn, 3)
    home.card()
    page.goto(f"{home.office.url}/?as=U0MARTA&channel=C0BUY")
    page.get_by_role("button", name="Decide all 3 …").first.click()
    form = page.get_by_role("dialog", name="Decide together")
    for nth in (1, 2, 3):
        expect(form.get_by_text(f"PO-{nth - 1}").first).to_be_visible()
        expect(form.get_by_role("radiogroup", name=f"For {nth} of 3 of this turn alone")).to_be_visible()
    form.get_by_role("radio", name="Approve all 3").check()
    form.get_by_role("button", name="Decide").click()
    expect(form.get_by_text(together.DECIDED)).to_be_visible()
    assert [home.pause(one).status for one in three] == ["approved"] * 3


def test_a_digest_is_read_and_one_of_it_approved_below_its_whole(home: Home, conn: Any, page: Page) -> None:
    two = asked(conn, 2)
    the_hour_comes(conn)
    home.house.bell.ring()
    home.calm()
    page.goto(f"{home.office.url}/?as=U0MARTA&channel=D0MARTA")
    expect(page.get_by_text("2 requests for you in this digest").first).to_be_visible()
    expect(page.get_by_role("button", name="Approve")).to_have_count(0)
    page.get_by_role("button", name="Details").first.click()
    page.get_by_role("dialog", name="Details").get_by_role("button", name="Approve").click()
    expect(page.get_by_role("dialog", name="Details").get_by_text("Approved by Marta Keller").first).to_be_visible()
    page.get_by_role("dialog", name="Details").get_by_role("button", name="Close", exact=True).click()
    expect(page.get_by_role("button", name="Details")).to_have_count(1)
    assert sorted(home.pause(one).status for one in two) == ["approved", "waiting"]
