"""A real browser, without a screen. Where there is none the tests say so loudly; in CI they fail."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from playwright.sync_api import Browser, sync_playwright

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
QUIET = (
    "--no-sandbox --headless --disable-gpu --disable-quic --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync"
)
MISSING = "There is no Chromium on this machine, so what people see in the browser was NOT tested. Install chromium to test it."


@contextmanager
def chromium() -> Iterator[Browser]:
    """A browser for as long as the tests need it."""
    if CHROMIUM is None and os.environ.get("CI") != "true":
        pytest.skip(MISSING)
    assert CHROMIUM, MISSING
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=QUIET.split())
        yield browser
        browser.close()
