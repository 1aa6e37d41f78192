"""Several pauses of one turn decided in one statement: all as they were shown, or none, each on record by itself."""

from dataclasses import replace
from typing import Any
from uuid import UUID, uuid4

import pytest

from engine.errors import Conflict, NotFound
from engine.models import AlreadySettled, Answer, Broken, Confirmation, Decided, Due, Kept, NotYours, Unconfirmed, Voted
from engine.rules.seal import NO_KEYS, Keys
from engine.state import cards, events, pauses, runs, together
from tests import database, rows
from tests.bot.office import at_once

KEYS = Keys.parse(f"k1:{bytes(range(1, 33)).hex()}")


def answers(conn: Any, pause_ids: list[UUID], **typed_in: str) -> list[Answer]:
    return [Answer(pause_id=one, shown=pauses.get(conn, one).digest[:8], **typed_in) for one in pause_ids]


def decide(conn: Any, pause_ids: list[UUID], verdict: Any = "approve", actor: str = "marta", **more: Any) -> list[Any]:
    given = more.pop("given", None) or answers(conn, pause_ids)
    found = together.decide(conn, given, actor, verdict, surface="tests", **more)
    return [found[one] for one in pause_ids]


def stand(conn: Any, pause_ids: list[UUID]) -> list[str]:
    return [pauses.get(conn, one).status for one in pause_ids]


def record(conn: Any, pause_ids: list[UUID]) -> list[tuple[str, str | None, str | None]]:
    """What happened to each after it was asked: (event, to, detail), in the order of the record."""
    run_id = pauses.get(conn, pause_ids[0]).run_id
    return [
        (e.event, e.to_status, e.detail)
        for e in events.of_run(conn, run_id)
        if e.entity == "pause" and e.event != "open"
    ]


def holds(conn: Any, pause_ids: list[UUID]) -> None:
    rows.consistent(conn)
    assert isinstance(events.verify(conn, pauses.get(conn, pause_ids[0]).run_id), events.Verified)


# ---------------------------------------------------------------------------------------------------------------- taken


def test_a_yes_to_all_approves_each_in_one_link_and_wakes_the_run(conn: Any) -> None:
    three = rows.waiting(conn, 3)
    before = max(e.seq for e in events.of_run(conn, pauses.get(conn, three[0]).run_id))
    came = decide(conn, three, reason="All as planned.")
    assert all(isinstance(one, Decided) and one.now.run_status == "queued" for one in came)
    assert stand(conn, three) == ["approved"] * 3
    assert record(conn, three) == [("approve", "approved", "All as planned.")] * 3
    assert {
        e.seq for e in events.of_run(conn, pauses.get(conn, three[0]).run_id) if e.event in ("approve", "wake")
    } == {before + 1}
    assert [[v.verdict for v in pauses.get(conn, one).votes] for one in three] == [["approve"]] * 3
    holds(conn, three)


def test_a_yes_to_some_leaves_the_others_waiting_and_their_cards_say_how_many(conn: Any) -> None:
    three = rows.waiting(conn, 3)
    for card in cards.claim(conn, limit=20, lease_s=60):
        cards.painted(conn, card, channel="C0BUY", ts=str(card.id))
    decide(conn, three[:2])
    assert stand(conn, three) == ["approved", "approved", "waiting"]
    left = pauses.get(conn, three[2])
    assert (left.nth, left.of_turn, left.together, left.run_status) == (3, 3, 1, "awaiting_approval")
    assert [c.wanted for c in cards.of_pause(conn, three[2])] == [2, 2]
    holds(conn, three)


def test_a_no_to_some_is_theirs_on_record_and_calls_off_the_rest_of_the_turn(conn: Any) -> None:
    three = rows.waiting(conn, 3)
    decide(conn, [three[0]])
    came = decide(conn, three[1:], "deny", reason="Too dear.")
    assert all(isinstance(one, Decided) for one in came)
    assert stand(conn, three) == ["cancelled", "denied", "denied"]
    assert record(conn, three)[1:] == [
        ("deny", "denied", "Too dear."), ("deny", "denied", "Too dear."), ("cancel", "cancelled", "another call of the same turn was denied"),
    ]  # fmt: skip
    assert pauses.get(conn, three[2]).decided_by == "marta"
    holds(conn, three)


def test_each_has_its_own_quorum(conn: Any) -> None:
    claim = rows.claimed(conn)
    rows.replied(conn, claim, 2)
    one = rows.asked(conn, claim, 0, approver="role:finance-approver")
    two = rows.asked(conn, claim, 1, approver="role:finance-approver", need=rows.QUORUM)
    runs.ask(conn, claim, [one, two])
    came = decide(conn, [one.id, two.id])
    assert isinstance(came[0], Decided)
    assert isinstance(came[1], Voted)
    assert (came[1].now.votes_left, came[1].now.run_status) == (1, "awaiting_approval")
    again = decide(conn, [two.id], actor="ines")
    assert isinstance(again[0], Decided)
    holds(conn, [one.id, two.id])


# ------------------------------------------------------------------------------------------------------------- not taken


def test_what_moved_meanwhile_keeps_all_from_being_decided_and_each_try_is_on_record(conn: Any) -> None:
    three = rows.waiting(conn, 3, approver="role:finance-approver")
    given = answers(conn, three)
    pauses.approve(conn, three[1], "ines", surface="tests")
    came = decide(conn, three, given=given)
    assert [type(one) for one in came] == [Kept, AlreadySettled, Kept]
    assert came[1].now.decided_by == "ines"
    assert stand(conn, three) == ["waiting", "approved", "waiting"]
    assert record(conn, three)[1:] == [
        ("approve", None, "kept"),
        ("approve", None, "settled"),
        ("approve", None, "kept"),
    ]
    holds(conn, three)


@pytest.mark.parametrize(
    ("speaks_against", "kind"),
    [("altered", Broken), ("stale", Broken), ("due", Due), ("voted", NotYours), ("not_yours", NotYours), ("own", NotYours)],
)  # fmt: skip
def test_each_guard_of_a_single_decision_holds_for_each(
    conn: Any, by_hand: None, speaks_against: str, kind: type
) -> None:
    two = (
        rows.waiting(conn, 2, approver="role:finance-approver", need=rows.QUORUM)
        if speaks_against == "voted"
        else rows.waiting(conn, 2)
    )
    given, actor = answers(conn, two), "marta"
    match speaks_against:
        case "altered":
            rows.alter_document(conn, two[1])
        case "stale":
            given[1] = replace(given[1], shown="0" * 8)
        case "due":
            rows.make_due(conn, two[1])
        case "voted":
            pauses.approve(conn, two[1], "marta", surface="tests")
        case "not_yours":
            conn.execute("UPDATE run_pause SET approver = 'person:otto' WHERE id = %s", (two[1],))
        case "own":
            actor = "priya"
    came = decide(conn, two, given=given, actor=actor)
    assert isinstance(came[1], kind)
    assert stand(conn, two) == ["waiting", "waiting"]


def test_what_must_be_typed_is_typed_for_each(conn: Any) -> None:
    asks = Confirmation(of="payment_method", typed="4417")
    two = rows.waiting(conn, 2, need=replace(rows.NEED, confirm="payment_method"), confirm=asks)
    given = answers(conn, two, confirm="4417")
    came = decide(conn, two, given=[given[0], replace(given[1], confirm="1234")])
    assert [type(one) for one in came] == [Kept, Unconfirmed]
    assert all(isinstance(one, Decided) for one in decide(conn, two, given=given))


def test_one_of_another_run_is_no_part_of_it_and_nothing_is_decided(conn: Any) -> None:
    [mine] = rows.waiting(conn)
    [other] = rows.waiting(conn)
    with pytest.raises(NotFound, match="not of that turn, so nothing was changed"):
        decide(conn, [mine, other])
    with pytest.raises(NotFound):
        together.decide(conn, [Answer(pause_id=uuid4(), shown="")], "marta", "approve", surface="tests")
    assert stand(conn, [mine, other]) == ["waiting", "waiting"]


# ------------------------------------------------------------------------------------------------------------- at one time


@pytest.mark.parametrize("verdict", ["approve", "deny"] * 3)
def test_of_two_who_decide_all_at_once_one_does(db_url: str, conn: Any, verdict: Any) -> None:
    three = rows.waiting(conn, 3, approver="role:finance-approver")
    given = answers(conn, three)

    def one(actor: str) -> Any:
        with database.connect(db_url) as mine:
            return together.decide(mine, given, actor, verdict, surface="tests")

    came = at_once(lambda: one("marta"), lambda: one("ines"))
    assert sorted({type(o).__name__ for o in c.values()} == {"Decided"} for c in came) == [False, True]
    assert len({pauses.get(conn, p).decided_by for p in three}) == 1
    holds(conn, three)


@pytest.mark.parametrize("_round", range(3))
def test_a_yes_to_all_and_a_no_to_one_at_once_leave_nothing_half_done(db_url: str, conn: Any, _round: int) -> None:
    three = rows.waiting(conn, 3, approver="role:finance-approver")
    given = answers(conn, three)

    def all_of_them() -> Any:
        with database.connect(db_url) as mine:
            return together.decide(mine, given, "marta", "approve", surface="tests")

    def one_of_them() -> Any:
        with database.connect(db_url) as mine:
            return pauses.deny(mine, three[1], "ines", surface="tests")

    at_once(all_of_them, one_of_them)
    assert stand(conn, three) in (["approved"] * 3, ["cancelled", "denied", "cancelled"])
    holds(conn, three)


def test_what_waits_of_a_turn_is_found_by_its_approver(conn: Any) -> None:
    three = rows.waiting(conn, 3)
    assert together.waiting(conn, three[1]) == three
    rows.make_due(conn, three[0])
    step = pauses.NextStep(pause_id=three[0], level=0, next="person:otto", within_s=3600)
    for card in cards.claim(conn, limit=20, lease_s=60):
        cards.painted(conn, card, channel="C0BUY", ts=str(card.id))
    pauses.settle_due(conn, [step], surface="sweep")
    assert together.waiting(conn, three[1]) == three[1:]
    assert (pauses.get(conn, three[1]).together, pauses.get(conn, three[0]).together) == (2, 1)
    assert [c.wanted for c in cards.of_pause(conn, three[1])] == [2, 2], "it says how many wait beside it"
    pauses.deny(conn, three[1], "marta", surface="tests")
    assert together.waiting(conn, three[1]) == []


def test_a_sealed_answer_is_sealed_for_each(conn: Any) -> None:
    conn.keys = KEYS
    three = rows.waiting(conn, 3)
    given = answers(conn, three)
    conn.keys = NO_KEYS
    with pytest.raises(Conflict, match="sealed"):
        decide(conn, three, given=given)
    conn.keys = KEYS
    assert stand(conn, three) == ["waiting"] * 3
    decide(conn, three, given=given)
    assert [pauses.get(conn, one).approval for one in three] == ["holds"] * 3
    holds(conn, three)
