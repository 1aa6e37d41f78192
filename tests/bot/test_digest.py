"""What waits for a digest: whoever asked sees at once when it is shown, whoever is asked sees it then; what was settled before is no news."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import pytest

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


def asked(conn: Any, *others: str, **changes: Any) -> UUID:
    """A request that Marta, and others, see tomorrow."""
    tomorrow = datetime.now(UTC) + timedelta(days=1)
    [pause_id] = rows.waiting(
        conn,
        shown_at=tomorrow,
        cards=(
            *(
                NewCard(kind="approver", dest=dest, not_before=tomorrow, digest_at=tomorrow)
                for dest in ("person:marta", *others)
            ),
            NewCard(kind="requester", dest="person:priya"),
        ),
        **{"need": NEED, **changes},
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
    assert "Marta Keller sees it in the digest of" in text_of(card)
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


def test_a_vote_before_the_hour_leaves_the_others_theirs_and_the_requester_is_told_of_it_still(
    home: Home, conn: Any
) -> None:
    finance = "role:finance-approver"
    two = replace(NEED, person=None, role="finance-approver", approvers=2)
    pause_id = asked(conn, "person:ines", approver=finance, need=two)
    home.house.bell.ring()
    home.calm()
    pauses.approve(conn, pause_id, "marta", surface="tests")
    home.house.bell.ring()
    home.calm()
    assert home.office.messages("D0INES") == home.office.messages("D0MARTA") == []
    [card] = home.office.messages("D0PRIYA")
    assert "it in the digest of" in text_of(card)
    the_hour_comes(home, conn)
    [card] = home.office.messages("D0INES")
    assert ids.ACTION_APPROVE in actions_of(card)


def test_the_hour_that_is_told_is_the_one_that_is_stored(home: Home, conn: Any) -> None:
    pause_id = asked(conn)
    content = home.pause(pause_id).content
    assert content is not None
    (hour,) = conn.execute("SELECT not_before FROM card WHERE dest = 'person:marta'").fetchone()
    assert content.shown_at == hour
    home.house.bell.ring()
    home.calm()
    [card] = home.office.messages("D0PRIYA")
    assert f"<!date^{int(hour.timestamp())}^" in str(card)


def test_who_stands_in_later_is_not_told_of_what_went_on_to_others_before(home: Home, conn: Any) -> None:
    pause_id = asked(conn)
    conn.execute("UPDATE run_pause SET fire_at = clock_timestamp() - interval '1 second' WHERE id = %s", (pause_id,))
    step = pauses.NextStep(pause_id=pause_id, level=0, next="person:otto", within_s=3600)
    pauses.settle_due(conn, [step], surface="sweep")
    the_hour_comes(home, conn)
    assert home.office.messages("D0MARTA") == []


@pytest.mark.parametrize("known", [True, False])
def test_a_card_that_was_given_up_and_is_clicked_shows_what_holds(home: Home, conn: Any, known: bool) -> None:
    rows.waiting(conn)
    shown = home.card()
    home.calm()
    conn.execute("UPDATE card SET state = 'gone' WHERE kind = 'approver'")
    if not known:
        conn.execute("UPDATE card SET channel = NULL, ts = NULL WHERE kind = 'approver'")
    home.office.press("U0MARTA", shown, ids.ACTION_APPROVE)
    home.office.await_(lambda: ids.ACTION_APPROVE not in actions_of(home.card()))
    assert conn.execute("SELECT state, ts FROM card WHERE kind = 'approver'").fetchall() == [("live", shown["ts"])]
