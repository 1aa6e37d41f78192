"""The Home tab, over the local workspace and real Bolt: what waits, what became of it, and who answers for whom, with what can be done about each."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import pytest

from bot.cards import ids
from bot.cards.home import Desk, Page, home_view
from bot.cards.lists import PAGE
from bot.listeners.home import CHANGED
from engine.models import Decided
from engine.state import absences, pauses
from engine.state.absences import Away
from tests import rows
from tests.bot.asked import ENV, statuses, waiting
from tests.bot.house import Home
from tests.bot.office import actions_of, block_of, text_of
from tests.bot.painted import opened, read
from tests.bot.test_lists import MARTA, PRIYA

Json = dict[str, Any]


def shown(home: Home, user: str, says: str = "Who answers for whom") -> Json:
    """The tab that somebody opens, once it says this."""
    home.office.act("home", user)
    return again(home, user, says)


def again(home: Home, user: str, says: str) -> Json:
    """The tab as it is painted anew, once it says this."""

    def look() -> Json | None:
        tab = home.office.home(user)
        return tab if tab and says in text_of(tab) else None

    return home.office.await_(look)


def press(home: Home, user: str, tab: Json, action: str) -> Json:
    return home.office.act("click", user, view_id=tab["id"], block_id=block_of(tab, action), action_id=action)


def told(home: Home, sentence: str) -> None:
    """Said to Marta, who is in no channel there."""
    home.office.await_(lambda: any(sentence in m["text"] for m in home.office.messages("D0MARTA")))


def settled(conn: Any, times: int = 1) -> list[UUID]:
    """Requests of runs of their own, which Marta denied."""
    asked = [pause_id for _ in range(times) for pause_id in rows.waiting(conn)]
    for pause_id in asked:
        assert isinstance(pauses.deny(conn, pause_id, "marta", surface="tests", reason="Too dear."), Decided)
    return asked


def gone(conn: Any, person: str, delegate: str, *, days: int = 3, in_days: int = 0) -> None:
    starts = datetime.now(UTC) + timedelta(days=in_days) if in_days else None
    came = absences.leave(
        conn,
        person,
        delegate,
        starts_at=starts,
        ends_at=datetime.now(UTC) + timedelta(days=days),
        actor=person,
        surface="tests",
    )
    assert isinstance(came, Away)


def test_what_was_settled_is_there_for_who_decided_and_for_whom_it_was(home: Home, conn: Any) -> None:
    [pause_id] = settled(conn)
    name = ids.screen_id("pause", pause_id)
    for user, whose in (("U0MARTA", "You answered"), ("U0PRIYA", "Asked for you")):
        tab = shown(home, user, name)
        said = text_of(tab)
        assert f"{whose} · Denied by Marta Keller (marta). Nothing was done." in said
        assert "Denied: EUR 38,000.00 to Nordholz" in said
        assert "Decided <!date^" in said
        press(home, user, tab, ids.ACTION_DETAILS)
        [view] = home.office.views(user)
        assert str(pause_id) in text_of(view)
    assert "Nothing of yours was settled in the last 7 days." in text_of(shown(home, "U0INES"))


def test_what_was_settled_a_week_ago_is_there_no_more_and_the_latest_comes_first(home: Home, conn: Any) -> None:
    old, first, last = settled(conn, 3)
    conn.execute("UPDATE run_pause SET decided_at = decided_at - interval '8 days' WHERE id = %s", (old,))
    conn.execute("UPDATE run_pause SET decided_at = decided_at + interval '1 s' WHERE id = %s", (first,))
    said = text_of(shown(home, "U0MARTA", "Settled lately"))
    assert ids.screen_id("pause", old) not in said
    assert said.index(ids.screen_id("pause", first)) < said.index(ids.screen_id("pause", last))
    found = pauses.settled_of(conn, "marta", since=datetime.now(UTC) - timedelta(days=7), limit=1)
    assert found == [first]


def test_a_decision_on_the_tab_moves_it_to_what_is_settled(home: Home, conn: Any) -> None:
    rows.waiting(conn)
    tab = shown(home, "U0MARTA", "Approve")
    press(home, "U0MARTA", tab, ids.ACTION_APPROVE)
    tab = again(home, "U0MARTA", "You answered · Approved by Marta Keller")
    assert "Nothing waits for you." in text_of(tab)
    assert ids.ACTION_APPROVE not in actions_of(tab)


def test_more_than_a_page_is_turned_there_and_back(home: Home, conn: Any) -> None:
    asked = [pause_id for _ in range(PAGE + 1) for pause_id in rows.waiting(conn)]
    conn.execute("UPDATE run_pause SET fire_at = fire_at + interval '1 day' WHERE id = %s", (asked[0],))
    tab = shown(home, "U0MARTA", f"1 to {PAGE} of {PAGE + 1}.")
    last = ids.screen_id("pause", asked[0])
    assert last not in text_of(tab)
    press(home, "U0MARTA", tab, ids.ACTION_MORE)
    tab = again(home, "U0MARTA", f"{PAGE + 1} to {PAGE + 1} of {PAGE + 1}.")
    assert last in text_of(tab)
    assert ids.ACTION_MORE not in actions_of(tab)
    press(home, "U0MARTA", tab, ids.ACTION_BEFORE)
    assert ids.ACTION_BEFORE not in actions_of(again(home, "U0MARTA", f"1 to {PAGE} of {PAGE + 1}."))


@pytest.mark.parametrize("value", ["", "8", "-1.0", "99999999.0", "8.8.8"])
def test_a_page_that_nobody_wrote_is_the_first(value: str) -> None:
    assert Page.read(value) == Page()
    assert Page.read(Page(waiting=8, asked=16).value()) == Page(waiting=8, asked=16)


def test_who_is_away_sees_who_answers_and_ends_it_there(home: Home, conn: Any) -> None:
    gone(conn, "marta", "otto")
    tab = shown(home, "U0MARTA", "Otto Brandt answers for you")
    assert "You answer for Marta Keller" in text_of(shown(home, "U0OTTO", "You answer for"))
    assert ids.ACTION_BACK not in actions_of(shown(home, "U0OTTO"))
    press(home, "U0MARTA", tab, ids.ACTION_BACK)
    assert "Nobody answers for you." in text_of(again(home, "U0MARTA", "Nobody answers for you."))
    told(home, "Marta Keller is back")
    [ended] = conn.execute("SELECT actor, surface FROM run_event WHERE event = 'back'").fetchall()
    assert ended == ("marta", "slack:home")


def test_an_old_tab_does_not_take_back_an_absence_that_it_did_not_show(home: Home, conn: Any) -> None:
    gone(conn, "marta", "otto")
    gone(conn, "marta", "ines", days=9, in_days=5)
    tab = shown(home, "U0MARTA", "Ines")
    absences.back(conn, "marta", actor="marta", surface="tests")
    press(home, "U0MARTA", tab, ids.ACTION_BACK)
    told(home, CHANGED)
    assert "answers for you" in text_of(again(home, "U0MARTA", "End it"))


def test_an_altered_request_and_one_of_several_votes_have_their_line() -> None:
    every = [one for name, one in statuses().items() if not name.startswith("waiting")]
    altered = replace(every[0], content=None, intact=False)
    view = home_view(Desk(mine=[waiting()], contents={}, settled=[*every[:8], altered]), me=PRIYA, env=ENV)
    opened(view)
    assert "This request was altered after it was stored." in read(view["blocks"])
    assert "You answered" in read(home_view(Desk(contents={}, settled=every[:1]), me=MARTA, env=ENV)["blocks"])
