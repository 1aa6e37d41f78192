"""The picture of a card in the README is taken from the page; PLACET_PICTURES=write takes it anew."""

import os
import struct
from pathlib import Path

import pytest
from playwright.sync_api import expect

from bot.sandbox.house import EXAMPLE
from tests.chromium import chromium
from tests.demo.conftest import Running

README = Path(__file__).parents[2] / "README.md"
PICTURE = EXAMPLE / "card.png"


def test_the_readme_shows_a_card_as_the_page_does(running: Running, tmp_path: Path) -> None:
    taken = PICTURE if os.environ.get("PLACET_PICTURES") == "write" else tmp_path / "card.png"
    with chromium() as browser:
        page = browser.new_page(viewport={"width": 1100, "height": 900}, device_scale_factor=2, locale="en-GB")
        page.goto(f"{running.home.page_url}/?as=U0MARTA&channel=D0MARTA")
        card = page.locator("article", has_text="PO-2026-0193")
        expect(card.get_by_role("button", name="Approve")).to_be_visible()
        card.screenshot(path=taken)
    assert PICTURE.relative_to(README.parent).as_posix() in README.read_text("utf-8")
    width, height = struct.unpack(">II", PICTURE.read_bytes()[16:24])
    now = struct.unpack(">II", taken.read_bytes()[16:24])
    assert (width, height) == pytest.approx(now, rel=0.2), (
        "the card looks different now: PLACET_PICTURES=write, and look at it"
    )
