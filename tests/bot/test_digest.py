"""What waits for a digest: whoever asked sees at once when it is shown, whoever is asked sees it then; what was settled before is no news."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

from bot.cards import ids
from engine.models import NewCard
from engine.rules.calendar import Calendar
from engine.state import pauses
from tests import rows
from tests.bot.house import Home
from tests.bot.office import actions_of, text_of

DAILY = Calendar(zone="UTC", days=tuple(range(7)), opens=0, closes=1440)
NEED = replace(
    rows.NEED,
    answer_within_s=2 * 86_400,
    in_business_hours=True,
    calendar=DAILY,
    digest_at=510,
    on_expiry="deny",
    steps=(),
)


def asked(conn: Any) -> UUID:
    """A request that Marta sees tomorrow."""
    tomorrow = datetime.now(UTC) + timedelta(days=1)
    [pause_id] = rows.waiting(
        conn,
        need=NEED,
        cards=(
            NewCard(kind="approver", dest="person:marta", not_before=tomorrow),
            NewCard(kind="requester", dest="person:priya"),
        ),
    )
    return pause_id


def the_hour_comes(home: Home, conn: Any) -> None:
    conn.execute("UPDATE card SET not_before = clock_timestamp() WHERE not_before IS NOT NULL")
    home.house.bell.ring()
    home.calm()


def test_the_requester_sees_when_and_the_approver_sees_it_then(home: Home, conn: Any) -> None:
    pause_id = asked(conn)
    home.house.bell.ring()
    home.calm()
    [card] = home.office.messages("D0PRIYA")
    assert "Marta Keller sees it in the digest of " in text_of(card)
    assert home.office.messages("D0MARTA") == []
    the_hour_comes(home, conn)
    [card] = home.office.messages("D0MARTA")
    home.office.press("U0MARTA", card, ids.ACTION_APPROVE)
    assert home.pause(pause_id).decided_by == "marta"


def test_what_was_settled_before_is_no_news(home: Home, conn: Any) -> None:
    pause_id = asked(conn)
    home.house.bell.ring()
    home.calm()
    pauses.withdraw(conn, pause_id, "priya", surface="tests")
    the_hour_comes(home, conn)
    [card] = home.office.messages("D0PRIYA")
    assert ids.ACTION_WITHDRAW not in actions_of(card)
    assert home.office.messages("D0MARTA") == []
    assert conn.execute("SELECT state FROM card WHERE dest = 'person:marta'").fetchall() == [("gone",)]


def test_whoever_looks_sees_it_before(home: Home, conn: Any) -> None:
    asked(conn)
    listed = home.office.command("U0MARTA", "mine")
    assert ids.ACTION_APPROVE in actions_of(listed)
