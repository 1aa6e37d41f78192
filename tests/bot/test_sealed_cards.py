"""With a seal key, what bears a wrong seal offers nothing to decide: on a new card, on one that was painted before, and on a list."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any
from uuid import UUID

import pytest

from bot.cards import ids
from bot.delivery.courier import Courier
from bot.delivery.repaint import paint_due
from engine.models import Broken
from engine.rules.seal import Keys
from engine.state import db, pauses
from tests import rows
from tests.bot.office import Office, actions_of, text_of

KEYS = Keys.parse("k1:" + bytes(range(32)).hex())
DEARER = "replace(document, '38,000.00', '380,000.00')"
FORGED = f"UPDATE pause_content SET document = {DEARER}, digest = pause_digest_v1({DEARER})"


@pytest.fixture
def sealing(db_url: str, courier: Courier) -> Iterator[Courier]:
    """A courier of a process that has the key."""
    with db.pool(db_url, size=2, keys=KEYS) as pool:
        yield replace(courier, pool=pool)


@pytest.fixture
def pause_id(conn: Any) -> UUID:
    conn.keys = KEYS
    [asked] = rows.waiting(conn)
    return asked


def test_a_sealed_request_is_shown_with_its_buttons(pause_id: UUID, sealing: Courier, office: Office) -> None:
    paint_due(sealing)
    [card] = office.messages("C0BUY")
    assert actions_of(card) == [ids.ACTION_APPROVE, ids.ACTION_DENY, ids.ACTION_ASK, ids.ACTION_DETAILS]


@pytest.mark.parametrize(
    "how",
    [FORGED, "UPDATE pause_content SET seal = 'k1:' || repeat('0', 64)", "UPDATE pause_content SET seal = 'k9:00'"],
)
def test_a_request_whose_seal_does_not_hold_is_shown_without(
    conn: Any, pause_id: UUID, sealing: Courier, office: Office, how: str
) -> None:
    conn.execute(how)
    paint_due(sealing)
    [card] = office.messages("C0BUY")
    assert actions_of(card) == []
    assert "altered" in text_of(card)
    assert "380,000" not in text_of(card)


def test_a_click_on_one_that_was_altered_since_takes_its_buttons_away(
    conn: Any, pause_id: UUID, sealing: Courier, office: Office
) -> None:
    paint_due(sealing)
    conn.execute(FORGED)
    assert isinstance(pauses.approve(conn, pause_id, "marta", surface="slack:card"), Broken)
    paint_due(sealing)
    [card] = office.messages("C0BUY")
    assert actions_of(card) == []
    [line] = pauses.waiting(conn)
    assert not line.intact
