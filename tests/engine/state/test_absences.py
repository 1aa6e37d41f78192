"""Who is away leaves their answers to somebody else: from then on and until then, one hop, and never towards one's own request."""

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import pytest

from engine.errors import BadInput
from engine.models import Decided, NewCard, NotYours, Outcome
from engine.state import absences, cards, db, events, pauses, people
from engine.state.absences import Away, Refused
from tests import database, rows

DAY = timedelta(days=1)


def now(conn: Any) -> datetime:
    (at,) = conn.execute("SELECT clock_timestamp()").fetchone()
    assert isinstance(at, datetime)
    return at


def leave(conn: Any, person: str = "marta", delegate: str = "ines", *, of: timedelta = DAY, after: timedelta | None = None,
          actor: str = "marta") -> Away | Refused:  # fmt: skip
    at = now(conn)
    starts_at = None if after is None else at + after
    return absences.leave(conn, person, delegate, starts_at=starts_at, ends_at=at + of, actor=actor, surface="cli")


def approve(conn: Any, pause_id: UUID, actor: str) -> Outcome:
    return pauses.approve(conn, pause_id, actor, surface="tests")


def on_record(conn: Any) -> list[tuple[str, str | None, str]]:
    return [(e.event, e.to_status, e.actor) for e in events.of_run(conn, db.SYSTEM_RUN) if e.event in ("away", "back")]


def dests(conn: Any, pause_id: UUID) -> set[str]:
    return {card.dest for card in cards.of_pause(conn, pause_id) if card.kind == "approver"}


def test_a_delegate_decides_in_place_of_who_is_away(conn: Any) -> None:
    [pause_id] = rows.waiting(conn)
    refused = approve(conn, pause_id, "ines")
    assert isinstance(refused, NotYours)
    assert refused.why == "not_yours"
    assert isinstance(leave(conn), Away)
    decided = approve(conn, pause_id, "ines")
    assert isinstance(decided, Decided)
    assert decided.now.decided_by == "ines"
    assert on_record(conn) == [("away", "done", "marta")]


def test_who_is_away_may_decide_all_the_same(conn: Any) -> None:
    [pause_id] = rows.waiting(conn)
    leave(conn)
    assert isinstance(approve(conn, pause_id, "marta"), Decided)


@pytest.mark.parametrize("after", [timedelta(hours=1), -2 * DAY], ids=["before", "afterwards"])
def test_only_while_it_lasts(conn: Any, after: timedelta) -> None:
    [pause_id] = rows.waiting(conn)
    assert isinstance(leave(conn, after=timedelta(hours=1)), Away)
    if after < timedelta():
        conn.execute("UPDATE away SET starts_at = starts_at + %s, ends_at = starts_at + %s", (after, DAY + after))
    assert isinstance(approve(conn, pause_id, "ines"), NotYours)


def test_nobody_stands_in_towards_their_own_request(conn: Any) -> None:
    [pause_id] = rows.waiting(conn)
    assert isinstance(leave(conn, delegate="priya"), Away)
    own = approve(conn, pause_id, "priya")
    assert isinstance(own, NotYours)
    assert own.why == "own"
    assert "person:priya" not in dests(conn, pause_id)


def test_it_is_one_hop(conn: Any) -> None:
    [pause_id] = rows.waiting(conn)
    leave(conn)
    leave(conn, "ines", "jonas", actor="ines")
    assert isinstance(approve(conn, pause_id, "jonas"), NotYours)


def test_who_stands_in_for_somebody_who_has_left_decides_nothing_and_sees_nothing_of_it(conn: Any) -> None:
    [pause_id] = rows.waiting(conn)
    leave(conn)
    assert [one.id for one in pauses.get(conn, pause_id).stand_ins] == ["ines"]
    assert [line.stand_ins for line in pauses.waiting(conn, person="ines")] == [("ines",)]
    rows.deactivate(conn, "marta")
    assert isinstance(approve(conn, pause_id, "ines"), NotYours)
    assert pauses.get(conn, pause_id).stand_ins == ()
    assert pauses.waiting(conn, person="ines") == []


def test_who_stands_in_for_a_person_does_not_for_a_role(conn: Any) -> None:
    [pause_id] = rows.waiting(conn, approver="role:finance-approver")
    leave(conn, delegate="jonas")
    assert isinstance(approve(conn, pause_id, "jonas"), NotYours)


def test_what_waits_is_shown_to_the_delegate_when_it_begins(conn: Any) -> None:
    [named] = rows.waiting(conn)
    [by_role] = rows.waiting(conn, approver="role:finance-approver")
    at = now(conn)
    assert isinstance(leave(conn, after=timedelta(hours=1)), Away)
    assert "person:ines" in dests(conn, named)
    assert "person:ines" not in dests(conn, by_role)
    (not_before,) = conn.execute(
        "SELECT not_before FROM card WHERE pause_id = %s AND dest = 'person:ines'", (named,)
    ).fetchone()
    assert not_before >= at + timedelta(hours=1)


def test_a_delegate_is_not_shown_it_before_the_digest_of_whom_they_stand_in_for(conn: Any) -> None:
    hour = now(conn) + timedelta(hours=9)
    [pause_id] = rows.waiting(conn, cards=(NewCard(kind="approver", dest="person:marta", not_before=hour),))
    assert isinstance(leave(conn), Away)
    found = conn.execute("SELECT dest, not_before FROM card WHERE pause_id = %s", (pause_id,)).fetchall()
    assert dict(found) == {"person:marta": hour, "person:ines": hour}


def test_back_is_back_and_what_has_not_begun_is_taken_back(conn: Any) -> None:
    assert absences.back(conn, "marta", actor="marta", surface="cli") == "not_away"
    leave(conn)
    leave(conn, of=3 * DAY, after=2 * DAY)
    [pause_id] = rows.waiting(conn)
    assert absences.back(conn, "marta", actor="marta", surface="cli") == "back"
    assert isinstance(approve(conn, pause_id, "ines"), NotYours)
    kept = people.everybody(conn).get("marta")
    assert kept is not None
    assert [absence.delegate for absence in kept.absences] == ["ines"]  # for what was decided meanwhile
    assert on_record(conn) == [
        ("back", None, "marta"), ("away", "done", "marta"), ("away", "done", "marta"), ("back", "done", "marta"),
    ]  # fmt: skip


def test_an_operator_may_say_so_for_others_and_nobody_else(conn: Any) -> None:
    assert leave(conn, actor="ines") == Refused("not_yours")
    assert absences.back(conn, "marta", actor="ines", surface="cli") == "not_yours"
    assert isinstance(leave(conn, actor="otto"), Away)
    assert absences.back(conn, "marta", actor="otto", surface="cli") == "back"
    assert on_record(conn) == [
        ("away", None, "ines"), ("back", None, "ines"), ("away", "done", "otto"), ("back", "done", "otto"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("person", "delegate", "of", "why"),
    [
        ("marta", "nobody", DAY, "unknown"), ("marta", "lena", DAY, "unknown"), ("marta", "ines", -DAY, "past"),
        ("marta", "ines", 368 * DAY, "far"),
    ],
)  # fmt: skip
def test_what_cannot_be_is_refused(conn: Any, person: str, delegate: str, of: timedelta, why: str) -> None:
    assert leave(conn, person, delegate, of=of) == Refused(why)  # type: ignore[arg-type]


def test_what_a_release_before_took_of_a_far_year_stops_nobody(conn: Any) -> None:
    assert leave(conn, of=2 * DAY, after=3 * DAY) == Refused("backwards")
    assert isinstance(leave(conn, of=366 * DAY), Away)
    conn.execute("UPDATE away SET ends_at = '10000-01-01Z'")
    marta = people.everybody(conn).get("marta")
    assert marta is not None
    assert marta.absences[0].covers(now(conn) + 366 * DAY)


def test_two_absences_do_not_overlap_also_of_two_at_once(conn: Any, db_url: str) -> None:
    def one(delegate: str) -> Away | Refused:
        with database.connect(db_url) as own:
            return leave(own, delegate=delegate)

    with ThreadPoolExecutor(4) as threads:
        came = list(threads.map(one, ["ines", "jonas", "otto", "ines"]))
    assert sum(isinstance(each, Away) for each in came) == 1
    assert [each for each in came if not isinstance(each, Away)] == [Refused("overlaps")] * 3
    assert isinstance(leave(conn, after=DAY, of=2 * DAY), Away)


def test_a_time_without_a_zone_and_a_delegate_of_oneself_are_mistakes(conn: Any) -> None:
    naive = datetime(2031, 3, 1, 9)  # noqa: DTZ001  that is the mistake
    with pytest.raises(BadInput, match="to: it has no time zone"):
        absences.leave(conn, "marta", "ines", starts_at=None, ends_at=naive, actor="marta", surface="cli")
    ends_at = datetime(2031, 3, 2, tzinfo=UTC)
    with pytest.raises(BadInput, match="from: it has no time zone"):
        absences.leave(conn, "marta", "ines", starts_at=naive, ends_at=ends_at, actor="marta", surface="cli")
    with pytest.raises(BadInput, match="delegate: nobody stands in for themselves"):
        leave(conn, delegate="marta")


def test_an_absence_does_not_look_like_people_altered_by_hand(conn: Any) -> None:
    leave(conn)
    found = people.on_record(conn)
    assert found is not None
    assert found.stands
