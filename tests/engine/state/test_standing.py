"""What is true now of the people behind an approval, and what a person refused before."""

from dataclasses import replace
from typing import Any
from uuid import uuid4

import pytest

from engine.errors import Misconfigured, NotFound
from engine.models import Decided
from engine.state import ledger, pauses, people, policies, present
from tests import database, rows


def test_the_grant_holds_until_the_requester_loses_it_or_leaves(conn: Any) -> None:
    claim, _ = rows.approved(conn)
    now = ledger.standing(conn, claim.id)
    assert now.granted == now.held == frozenset({"payments:write"})
    assert (now.requester_active, now.lapsed_voters) == (True, ())
    rows.take_scopes(conn, "priya")
    assert ledger.standing(conn, claim.id).held == frozenset()
    rows.deactivate(conn, "priya")
    assert not ledger.standing(conn, claim.id).requester_active


def test_an_approver_who_left_or_lost_the_role_has_lapsed(conn: Any) -> None:
    [pause_id] = rows.waiting(conn, approver="role:finance-approver", need=rows.QUORUM)
    for person in ("marta", "ines"):
        pauses.approve(conn, pause_id, person, surface="tests")
    run_id = pauses.get(conn, pause_id).run_id
    assert ledger.standing(conn, run_id).lapsed_voters == ()
    rows.take_role(conn, "ines", "finance-approver")
    rows.deactivate(conn, "marta")
    assert {(v.pause_id, v.voter) for v in ledger.standing(conn, run_id).lapsed_voters} == {
        (pause_id, "ines"),
        (pause_id, "marta"),
    }


def test_a_vote_from_before_an_escalation_is_judged_by_the_role_that_was_asked_then(conn: Any) -> None:
    [pause_id] = rows.waiting(conn, approver="role:finance-approver", need=rows.QUORUM)
    pauses.approve(conn, pause_id, "marta", surface="tests")
    rows.make_due(conn, pause_id)
    pauses.settle_due(
        conn, [pauses.NextStep(pause_id=pause_id, level=0, next="role:finance-lead", within_s=60)], surface="tests"
    )
    assert isinstance(pauses.approve(conn, pause_id, "otto", surface="tests"), Decided)
    run_id = pauses.get(conn, pause_id).run_id
    assert ledger.standing(conn, run_id).lapsed_voters == ()
    rows.take_role(conn, "otto", "finance-lead")
    assert [v.voter for v in ledger.standing(conn, run_id).lapsed_voters] == ["otto"]
    rows.take_role(conn, "marta", "finance-approver")
    assert {v.voter for v in ledger.standing(conn, run_id).lapsed_voters} == {"otto", "marta"}


def test_a_vote_between_two_escalations_is_not_judged_by_the_role_that_was_asked_after_it(conn: Any) -> None:
    rows.give_role(conn, "jonas", "board")
    [pause_id] = rows.waiting(conn, approver="role:finance-approver", need=rows.QUORUM)
    for level, (role, person) in enumerate((("finance-lead", "otto"), ("board", "jonas"))):
        rows.make_due(conn, pause_id)
        step = pauses.NextStep(pause_id=pause_id, level=level, next=f"role:{role}", within_s=60)
        pauses.settle_due(conn, [step], surface="tests")
        pauses.approve(conn, pause_id, person, surface="tests")
    approved = pauses.get(conn, pause_id)
    assert approved.status == "approved"
    assert ledger.standing(conn, approved.run_id).lapsed_voters == ()


def test_who_approved_what_is_done_already_has_not_lapsed(conn: Any) -> None:
    claim, [_, second], effect = rows.begun(conn, 2)
    ledger.settle(conn, effect.attempt_id, "succeed", receipt={"id": "pi_1"}, result=rows.PAID)
    rows.deactivate(conn, "marta")
    assert [v.pause_id for v in ledger.standing(conn, claim.id).lapsed_voters] == [second]


def test_what_a_person_refused_in_this_run_is_known_by_its_fingerprint(conn: Any) -> None:
    refused, fell = rows.waiting(conn, 2)
    pauses.deny(conn, refused, "marta", surface="tests", reason="Too dear.")
    pause = pauses.get(conn, refused)
    assert pause.content is not None
    database.apply_policy(conn)
    known = present.rules(conn, pause.run_id).refused
    assert {f: (r.decided_by, r.reason) for f, r in known.items()} == {
        pause.content.fingerprint: ("Marta Keller", "Too dear.")
    }
    assert pauses.get(conn, fell).status == "cancelled"


def test_the_standing_of_an_unknown_run_is_no_standing(conn: Any) -> None:
    with pytest.raises(NotFound):
        ledger.standing(conn, uuid4())
    with pytest.raises(NotFound):
        present.rules(conn, uuid4())


def test_what_holds_is_read_in_one_look_as_its_parts_say_it(conn: Any) -> None:
    [pause_id] = rows.waiting(conn)
    run_id = pauses.get(conn, pause_id).run_id
    with pytest.raises(Misconfigured, match="No policy is in force"):
        present.rules(conn, run_id)
    database.apply_policy(conn)
    rows.take_role(conn, "marta", "finance-approver")
    rows.deactivate(conn, "jonas")
    held, alone = present.rules(conn, run_id), ledger.standing(conn, run_id)
    assert (held.policy, tuple(held.people), held.refused) == (
        policies.current(conn),
        tuple(people.everybody(conn)),
        {},
    )
    assert replace(held.standing, now=alone.now) == alone
    rows.deactivate(conn, "priya")
    assert not present.rules(conn, run_id).standing.requester_active
