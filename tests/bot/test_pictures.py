"""Everything that people are shown can be read on the page, every text of it, in a wide window and on a telephone."""

from collections.abc import Iterator

import pytest

from tests.bot.gallery import gallery
from tests.bot.pictures import WIDTHS, Frame, frame, unseen
from tests.chromium import chromium

SHOWN = gallery()


@pytest.fixture(scope="module")
def windows() -> Iterator[dict[int, Frame]]:
    with chromium() as browser, frame(browser, WIDTHS[0]) as wide, frame(browser, WIDTHS[1]) as narrow:
        yield dict(zip(WIDTHS, (wide, narrow), strict=True))


@pytest.mark.parametrize("width", WIDTHS)
def test_every_text_is_there_and_nothing_is_wider_than_its_place(windows: dict[int, Frame], width: int) -> None:
    found = {name: unseen(place, SHOWN[name]) for name, place in windows[width].show(SHOWN)}
    assert found.keys() == SHOWN.keys()
    assert {name: faults for name, faults in found.items() if faults} == {}


def test_a_text_that_is_not_there_is_missed(windows: dict[int, Frame]) -> None:
    """The look itself fails where it must."""
    [(_, place)] = windows[WIDTHS[0]].show({"waiting.approver": SHOWN["waiting.approver"]})
    assert "not there: EUR 1.00 to somebody else" in unseen(
        place, {"blocks": [{"type": "section", "text": {"type": "plain_text", "text": "EUR 1.00 to somebody else"}}]}
    )
    place.evaluate("one => { one.querySelector('.section-text').style.width = '4000px'; }")
    assert [fault for fault in unseen(place, {"blocks": []}) if fault.startswith("outside")]
