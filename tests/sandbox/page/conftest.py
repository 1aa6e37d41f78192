"""A real browser, and windows of it onto a page whose server says what the test tells it to."""

from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, Request, expect

from tests.chromium import chromium
from tests.sandbox.loopback import serving
from tests.sandbox.page.canned import CannedWorkspace, Open


@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    with chromium() as launched:
        yield launched


@pytest.fixture
def workspace() -> CannedWorkspace:
    return CannedWorkspace()


@pytest.fixture
def window(browser: Browser, workspace: CannedWorkspace) -> Iterator[Open]:
    """Opens the page as somebody; a window that raised an error or asked another host for anything fails its test."""
    complaints: list[str] = []
    with serving(workspace.app()) as address, ExitStack() as contexts:

        def watch(request: Request) -> None:
            if not request.url.startswith((address, "data:")):
                complaints.append(request.url)

        def opened(path: str = "/?as=U0MARTA&channel=C0BUY", **options: Any) -> Page:
            context = browser.new_context(**({"viewport": {"width": 1280, "height": 800}, "locale": "en-US"} | options))
            contexts.callback(context.close)
            page = context.new_page()
            page.set_default_timeout(5000)
            page.on("pageerror", lambda error: complaints.append(str(error)))
            page.on("request", watch)
            page.goto(address + path)
            expect(page.get_by_role("heading", level=1)).not_to_be_empty()
            return page

        yield opened
        workspace.gate.set()
    assert complaints == []
