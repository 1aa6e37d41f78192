"""A picture of everything that people are shown, taken on the local workspace's page: `python -m tests.bot.pictures FOLDER`.

`unseen` says what cannot be read where it stands: a text that is not on the page, or one that is wider than its place.
"""

import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from playwright.sync_api import Browser, Locator, Page, expect

from tests.bot.gallery import gallery
from tests.chromium import chromium
from tests.sandbox.loopback import serving
from tests.sandbox.page.canned import CannedWorkspace
from tests.sandbox.page.kit import actions, button

Json = dict[str, Any]

WIDTHS: Final = (1100, 400)
_WIDER: Final = """frame => [frame, ...frame.querySelectorAll("*")]
    .filter((one) => one.scrollWidth > one.clientWidth + 1 && one.clientWidth && getComputedStyle(one).overflowX === "visible" && getComputedStyle(one).display !== "inline")
    .map((one) => `${one.className || one.tagName}: ${one.textContent.slice(0, 60)}`)"""
_OUTSIDE: Final = """frame => [...frame.querySelectorAll("button, .header-text, .section-text, .context-text, pre, blockquote, .rich-section")]
    .filter((one) => { const box = one.getBoundingClientRect(); return box.width && (box.right > innerWidth + 1 || box.left < -1); })
    .map((one) => `${one.className}: ${one.textContent.slice(0, 60)}`)"""


@dataclass(frozen=True)
class Frame:
    """The page in a browser of one width, on a workspace that holds what it is told to."""

    page: Page
    workspace: CannedWorkspace
    address: str

    def show(self, shown: Mapping[str, Json]) -> Iterator[tuple[str, Locator]]:
        """The places on the page where these stand, by name: all messages in one channel, then each view as it is opened."""
        messages = {name: payload for name, payload in shown.items() if "type" not in payload}
        self.workspace.messages = {}
        for payload in messages.values():
            self.workspace.say(**payload)
        self._go("/?as=U0MARTA&channel=C0BUY")
        articles = self.page.locator("article")
        if messages:
            expect(articles).to_have_count(len(messages))
        yield from ((name, articles.nth(at)) for at, name in enumerate(messages))
        for name, view in shown.items():
            if "type" in view:
                yield name, self._home(view) if view["type"] == "home" else self._modal(view)

    def _go(self, route: str) -> None:
        self.page.goto(self.address + route)

    def _home(self, view: Json) -> Locator:
        self.workspace.home = {"id": "V0", **view}
        self._go("/?as=U0MARTA&channel=D0MARTA&tab=home")
        return self._painted(self.page.locator("#home"))

    def _modal(self, view: Json) -> Locator:
        """A window shows what was opened in it."""
        self.workspace.messages, self.workspace.views = {}, []
        self.workspace.say(blocks=[actions(button("Open it"))])
        self.workspace.opens = [{"id": "V1", "hash": "1", "errors": None, **view}]
        self._go("/?as=U0MARTA&channel=C0BUY")
        self.page.get_by_role("button", name="Open it").click()
        return self._painted(self.page.get_by_role("dialog"))

    @staticmethod
    def _painted(place: Locator) -> Locator:
        expect(place.locator(".block").first).to_be_visible()
        return place


@contextmanager
def frame(browser: Browser, width: int) -> Iterator[Frame]:
    """Such a page for as long as the block runs."""
    workspace = CannedWorkspace()
    with serving(workspace.app()) as address:
        context = browser.new_context(
            viewport={"width": width, "height": 2400},
            locale="en-GB",
            timezone_id="Europe/Berlin",
            device_scale_factor=1.5,
        )
        yield Frame(context.new_page(), workspace, address)
        context.close()


def unseen(place: Locator, payload: Json) -> list[str]:
    """What of a payload cannot be read there; nothing if all of it can."""
    there = " ".join(place.inner_text().split())
    texts = [" ".join(text.split()) for text in _texts(payload.get("blocks"))]
    missing = [text[:80] for text in texts if text and text not in there]
    return [
        *(f"not there: {text}" for text in missing),
        *(f"too wide: {one}" for one in place.evaluate(_WIDER)),
        *(f"outside: {one}" for one in place.evaluate(_OUTSIDE)),
    ]


def _texts(shown: Any) -> Iterator[str]:
    """All that stands in these blocks: not what is asked once a button is pressed, and no moment, which each reader sees in their own zone."""
    match shown:
        case dict() if shown.get("type") != "mrkdwn":
            for key, part in shown.items():
                if key == "text" and isinstance(part, str):
                    yield part
                elif key != "confirm":
                    yield from _texts(part)
        case list():
            for part in shown:
                yield from _texts(part)


def main(folder: Path) -> None:
    """Take them all, at every width."""
    folder.mkdir(parents=True, exist_ok=True)
    with chromium() as browser:
        for width in WIDTHS:
            with frame(browser, width) as window:
                for name, place in window.show(gallery()):
                    place.screenshot(path=folder / f"{name}.{width}.png")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
