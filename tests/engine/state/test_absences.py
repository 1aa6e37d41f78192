"""Who is away leaves their answers to somebody else: from then on and until then, one hop, and never towards one's own request."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import pytest

from engine.errors import BadInput
from engine.models import Decided, NewCard, NotYours, Outcome
from engine.state import absences, cards, db, events, pauses, people, runs
from engine.state.absences import Away, Back, Refused
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


def back(conn: Any) -> Back:
    came = absences.back(conn, "marta", actor="marta", surface="cli")
    assert isinstance(came, Back)
    return came


def test_back_ends_what_is_under_way_and_leaves_what_is_planned(conn: Any) -> None:
    assert absences.back(conn, "marta", actor="marta", surface="cli") == "not_away"
    leave(conn)
    planned = leave(conn, of=3 * DAY, after=2 * DAY)
    further = leave(conn, "marta", "otto", of=5 * DAY, after=4 * DAY)
    assert isinstance(planned, Away)
    assert isinstance(further, Away)
    [pause_id] = rows.waiting(conn)
    ended = back(conn)
    assert (ended.begun, ended.delegate, ended.next_at) == (True, "ines", planned.starts_at)
    assert isinstance(approve(conn, pause_id, "ines"), NotYours)
    kept = people.everybody(conn).get("marta")
    assert kept is not None
    assert [absence.delegate for absence in kept.absences] == [
        "ines",
        "ines",
        "otto",
    ]  # the first for what was decided meanwhile
    assert back(conn) == Back(False, "ines", planned.starts_at, planned.ends_at, further.starts_at)
    assert back(conn) == Back(False, "otto", further.starts_at, further.ends_at, None)
    told = [e.detail for e in events.of_run(conn, db.SYSTEM_RUN) if e.event == "back" and e.to_status]
    assert [detail.split(" from ")[0] for detail in told if detail] == [
        "ended: ines",
        "taken back: ines",
        "taken back: otto",
    ]


def hours(conn: Any, pause_id: UUID, dest: str) -> tuple[datetime | None, bool]:
    """When a card is due, and whether it shows what it must."""
    return conn.execute(  # type: ignore[no-any-return]
        "SELECT not_before, wanted = painted FROM card WHERE pause_id = %s AND dest = %s", (pause_id, dest)
    ).fetchone()


def paint(conn: Any) -> set[str]:
    """Everything that is due is painted; where."""
    claimed = cards.claim(conn, limit=10, lease_s=60)
    for card in claimed:
        cards.painted(conn, card, channel="D0", ts=f"{card.id}")
    return {card.dest for card in claimed}


def test_who_stands_in_sooner_than_was_planned_is_shown_it_sooner(conn: Any) -> None:
    [pause_id] = rows.waiting(conn)
    leave(conn, of=timedelta(hours=3), after=timedelta(hours=2))
    leave(conn, of=timedelta(hours=1))
    (at, painted), clock = hours(conn, pause_id, "person:ines"), now(conn)
    assert at is not None
    assert (at <= clock, painted) == (True, False)


def test_a_card_is_painted_anew_when_an_absence_begins_and_when_it_ends_and_at_once_when_it_is_decided(
    conn: Any,
) -> None:
    [pause_id] = rows.waiting(conn)
    paint(conn)
    went = leave(conn, of=timedelta(hours=2), after=timedelta(hours=1))
    assert isinstance(went, Away)
    assert paint(conn) == {"channel:C0BUY"}
    assert hours(conn, pause_id, "channel:C0BUY") == (went.starts_at, False)
    assert cards.undelivered(conn) == 0
    conn.execute("UPDATE away SET starts_at = starts_at - interval '1 hour'")
    conn.execute("UPDATE card SET not_before = not_before - interval '1 hour' WHERE not_before IS NOT NULL")
    assert paint(conn) == {"channel:C0BUY", "person:ines"}
    assert [hours(conn, pause_id, dest) for dest in ("channel:C0BUY", "person:ines")] == [(went.ends_at, False)] * 2
    assert back(conn).begun
    assert paint(conn) == {"channel:C0BUY", "person:ines"}
    assert isinstance(approve(conn, pause_id, "marta"), Decided)
    assert paint(conn) == {"channel:C0BUY", "person:ines", "person:priya"}


def test_one_decided_before_an_absence_begins_is_painted_at_once(conn: Any) -> None:
    [pause_id] = rows.waiting(conn)
    leave(conn, of=timedelta(hours=2), after=timedelta(hours=1))
    paint(conn)
    assert isinstance(approve(conn, pause_id, "marta"), Decided)
    assert paint(conn) == {"channel:C0BUY", "person:priya"}


def test_an_absence_that_began_while_a_request_was_prepared_is_made_up_for_when_it_is_shown(conn: Any) -> None:
    leave(conn)
    leave(conn, delegate="priya", of=3 * DAY, after=DAY)
    [pause_id] = rows.waiting(conn)
    assert dests(conn, pause_id) == {"channel:C0BUY"}
    paint(conn)
    assert dests(conn, pause_id) == {"channel:C0BUY", "person:ines"}


def test_a_reminder_comes_after_the_hour_at_which_it_was_shown(conn: Any) -> None:
    need, at = replace(rows.NEED, remind_after_s=3600), now(conn)
    late, too_late = (
        NewCard(kind="approver", dest=dest, not_before=at + timedelta(hours=after))
        for dest, after in (("person:ines", 2), ("person:otto", 3.5))
    )
    claim = rows.claimed(conn)
    rows.replied(conn, claim)
    runs.ask(conn, claim, [rows.asked(conn, claim, need=need, cards=(*rows.SHOWN, late, too_late))])
    said = dict(conn.execute("SELECT dest, not_before FROM notice WHERE kind = 'reminder'").fetchall())
    assert said.keys() == {"channel:C0BUY", "person:ines"}
    assert said["person:ines"] == at + timedelta(hours=3)


def test_an_operator_may_say_so_for_others_and_nobody_else(conn: Any) -> None:
    assert leave(conn, actor="ines") == Refused("not_yours")
    assert absences.back(conn, "marta", actor="ines", surface="cli") == "not_yours"
    assert isinstance(leave(conn, actor="otto"), Away)
    assert isinstance(absences.back(conn, "marta", actor="otto", surface="cli"), Back)
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


def test_what_is_settled_is_shown_to_no_delegate(conn: Any) -> None:
    [settled] = rows.waiting(conn)
    assert isinstance(pauses.deny(conn, settled, "marta", surface="tests"), Decided)
    paint(conn)
    assert isinstance(leave(conn), Away)
    assert dests(conn, settled) == {"channel:C0BUY"}
    assert hours(conn, settled, "channel:C0BUY") == (None, True)


def test_what_is_due_before_somebody_goes_is_shown_to_no_delegate(conn: Any) -> None:
    [soon] = rows.waiting(conn)
    assert isinstance(leave(conn, of=2 * DAY, after=timedelta(seconds=rows.NEED.answer_within_s + 60)), Away)
    assert dests(conn, soon) == {"channel:C0BUY"}


def moved_on_to_marta(conn: Any) -> UUID:
    """A request that waits for Marta in its second step; she has a card of the first too, which was not to be shown before its hour."""
    morning = now(conn) + timedelta(hours=9)
    shown = (
        NewCard(kind="approver", dest="channel:C0BUY"),
        NewCard(kind="approver", dest="person:marta", not_before=morning),
    )
    [pause_id] = rows.waiting(conn, approver="person:jonas", cards=shown)
    rows.make_due(conn, pause_id)
    step = pauses.NextStep(pause_id=pause_id, level=0, next="person:marta", within_s=7200)
    assert [moved.event for moved in pauses.settle_due(conn, [step], surface="tests")] == ["escalate"]
    paint(conn)
    return pause_id


def test_who_stands_in_is_shown_it_as_it_stands_in_its_present_step(conn: Any) -> None:
    pause_id = moved_on_to_marta(conn)
    assert isinstance(leave(conn), Away)
    (at, _), clock = hours(conn, pause_id, "person:ines"), now(conn)
    assert at is not None
    assert at <= clock


def test_only_the_cards_of_the_present_step_are_painted_anew_when_somebody_goes_or_is_back(conn: Any) -> None:
    pause_id = moved_on_to_marta(conn)
    old = ("SELECT wanted FROM card WHERE pause_id = %s AND level = 0 ORDER BY dest", (pause_id,))
    before = conn.execute(*old).fetchall()
    leave(conn)
    back(conn)
    assert conn.execute(*old).fetchall() == before


def test_what_is_settled_is_not_painted_anew_when_somebody_is_back(conn: Any) -> None:
    leave(conn)
    [settled] = rows.waiting(conn)
    assert isinstance(approve(conn, settled, "ines"), Decided)
    paint(conn)
    back(conn)
    assert paint(conn) == set()
