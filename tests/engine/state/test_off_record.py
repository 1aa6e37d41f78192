"""People and policies come into their tables by moves on record, and in no other way unnoticed; moves that meet come one after the other."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import pytest

from engine.errors import Conflict, EngineError
from engine.rules import digest
from engine.rules.people import People, Person
from engine.state import db, events, halts, people, policies
from tests import database
from tests.engine.state.meeting import until_it_waits

POLICY = (database.EXAMPLES / "policy.toml").read_text()
BY_HAND = {
    "a role that was given": "INSERT INTO role_member VALUES ('finance-lead', 'jonas')",
    "a role that was taken": "DELETE FROM role_member WHERE person_id = 'marta'",
    "another manager": "UPDATE person SET manager = 'ines' WHERE id = 'marta'",
    "more scopes": "UPDATE person SET scopes = scopes || '{payments:refund}' WHERE id = 'priya'",
    "somebody who was called back": "UPDATE person SET active = true WHERE NOT active",
    "somebody who was put away": "UPDATE person SET active = false WHERE id = 'ines'",
    "a Slack id that is another's now": "UPDATE identity SET person_id = 'marta' WHERE person_id = 'jonas'",
}
POLICIES_BY_HAND = {
    "one that allows more": "UPDATE policy_version SET document = replace(document, '1000.00', '9000.00'), digest = repeat('0', 64)",
    "one out of nowhere": "INSERT INTO policy_version (version, document, digest, applied_by) SELECT 'v9', document, digest, 'otto' FROM policy_version",
}


@pytest.fixture
def kept(conn: Any) -> Any:
    """A database whose people and policy came by the book."""
    people.load(conn, database.example_people(), actor="otto")
    policies.apply(conn, POLICY, database.example_people(), actor="otto")
    assert isinstance(events.verify(conn, db.SYSTEM_RUN), events.Verified)
    return conn


@pytest.mark.usefixtures("by_hand")
@pytest.mark.parametrize("what", BY_HAND)
def test_whoever_alters_people_by_hand_is_found_out(kept: Any, what: str) -> None:
    last = people.on_record(kept)
    assert last is not None
    assert kept.execute(BY_HAND[what]).rowcount > 0
    why = "People, roles or Slack ids are not as this import left them: their rows were altered."
    assert events.verify(kept, db.SYSTEM_RUN) == events.Altered(why, last.seq, "people")


@pytest.mark.usefixtures("by_hand")
@pytest.mark.parametrize("what", POLICIES_BY_HAND)
def test_whoever_writes_a_policy_by_hand_is_found_out(kept: Any, what: str) -> None:
    assert kept.execute(POLICIES_BY_HAND[what]).rowcount == 1
    found = events.verify(kept, db.SYSTEM_RUN)
    assert isinstance(found, events.Altered)
    version = "v9" if "nowhere" in what else "fin-approvals-v4"
    assert (
        found.why
        == f"The policy {version} is there, and no move tells of it or of this text: its row was added or altered."
    )


def without_record(conn: Any, *, run: bool) -> None:
    """The events of the system are gone by hand: its run too, or it is set back to its beginning."""
    with conn.transaction():
        conn.execute("SET LOCAL session_replication_role = replica")
        conn.execute("DELETE FROM run_event WHERE run_id = %s", (db.SYSTEM_RUN,))
        if run:
            conn.execute("DELETE FROM run WHERE id = %s", (db.SYSTEM_RUN,))
        conn.execute("UPDATE run SET seq = 0, head = %s WHERE id = %s", (digest.GENESIS, db.SYSTEM_RUN))


def without_people(conn: Any) -> None:
    """Nobody is there any more, and no policy."""
    with conn.transaction():
        conn.execute("SET LOCAL session_replication_role = replica")
        conn.execute("DELETE FROM person; DELETE FROM identity; DELETE FROM role_member; DELETE FROM policy_version")


@pytest.mark.usefixtures("by_hand")
@pytest.mark.parametrize("people_too", [False, True])
@pytest.mark.parametrize(
    ("run", "why"), [(True, "It is missing: "), (False, "It holds no move")], ids=["removes", "empties"]
)
def test_whoever_removes_or_empties_the_systems_record_is_found_out(
    kept: Any, run: bool, why: str, people_too: bool
) -> None:
    assert events.lost(kept) == []
    without_record(kept, run=run)
    if people_too:
        without_people(kept)
    found = events.verify(kept, db.SYSTEM_RUN)
    assert isinstance(found, events.Altered)
    assert found.why.startswith(why)
    assert events.lost(kept) == ([db.SYSTEM_RUN] if run else [])


@pytest.mark.usefixtures("by_hand")
def test_a_record_begun_anew_does_not_vouch_for_the_people_there_are(kept: Any) -> None:
    without_record(kept, run=False)
    events.record(kept, "migrate", subject="schema", detail="0001_initial")
    kept.execute("DELETE FROM policy_version")
    assert people.on_record(kept) == people.Import(None, stands=False)
    why = "There are people, and no move tells of their import: it was removed, or their rows were added."
    assert events.verify(kept, db.SYSTEM_RUN) == events.Altered(why)
    without_people(kept)
    assert people.on_record(kept) is None
    assert isinstance(events.verify(kept, db.SYSTEM_RUN), events.Verified)


@pytest.mark.usefixtures("by_hand")
@pytest.mark.parametrize(
    "move",
    [
        lambda conn: halts.halt(conn, actor="otto", surface="tests"),
        lambda conn: halts.lift(conn, actor="otto", surface="tests"),
        lambda conn: people.load(conn, database.example_people(), actor="otto"),
        lambda conn: policies.apply(conn, POLICY.replace("v4", "v5"), database.example_people(), actor="otto"),
    ],
)
def test_what_belongs_on_the_systems_record_is_not_done_without_it(kept: Any, move: Callable[[Any], object]) -> None:
    without_record(kept, run=True)
    with pytest.raises(EngineError) as refused:
        move(kept)
    assert str(refused.value) == db.SYSTEM_GONE
    assert halts.standing(kept) is None
    assert policies.current(kept).version == "fin-approvals-v4"


def test_what_slack_says_of_somebody_is_no_change_of_people(kept: Any) -> None:
    people.checked(kept, "T0ACME", "U0MARTA", "is a guest")
    assert isinstance(events.verify(kept, db.SYSTEM_RUN), events.Verified)


def test_a_role_that_the_file_names_twice_is_no_alarm(kept: Any) -> None:
    twice = tuple(replace(one, roles=one.roles * 2, scopes=one.scopes * 2) for one in database.example_people())
    people.load(kept, People(twice), actor="otto")
    assert isinstance(events.verify(kept, db.SYSTEM_RUN), events.Verified)


def test_of_two_imports_at_once_the_second_sees_whom_the_first_added(conn: Any, db_url: str) -> None:
    with_nora = People((*database.example_people(), Person(id="nora", name="Nora Berg")))
    in_turn(
        conn,
        db_url,
        lambda one: people.load(one, with_nora, actor="otto"),
        lambda other: people.load(other, database.example_people(), actor="ines"),
    )
    nora = people.everybody(conn).get("nora")
    assert nora is not None
    assert not nora.active
    assert isinstance(events.verify(conn, db.SYSTEM_RUN), events.Verified)


def test_of_two_policies_of_one_name_at_once_one_is_in_force_and_the_other_refused(conn: Any, db_url: str) -> None:
    def apply(text: str) -> Callable[[Any], object]:
        return lambda one: policies.apply(one, text, database.example_people(), actor="otto")

    with pytest.raises(Conflict, match="is on record with another text"):
        in_turn(conn, db_url, apply(POLICY), apply(POLICY.replace("1000.00", "2000.00")))
    assert conn.execute("SELECT document FROM policy_version").fetchall() == [(POLICY,)]
    assert isinstance(events.verify(conn, db.SYSTEM_RUN), events.Verified)


def in_turn(conn: Any, db_url: str, *moves: Callable[[Any], object]) -> None:
    """Have both begin while a third holds the system's run, one after the other; then let them go on. Raises what the second raises."""
    with (
        database.connect(db_url) as one,
        database.connect(db_url) as other,
        database.connect(db_url) as holder,
        ThreadPoolExecutor(2) as threads,
    ):
        under_way = []
        with holder.transaction():
            holder.execute("SELECT FROM run WHERE id = %s FOR UPDATE", (db.SYSTEM_RUN,))
            for own, move in zip((one, other), moves, strict=True):
                under_way.append(threads.submit(move, own))
                until_it_waits(conn, own, under_way[-1])
        for move_made in under_way:
            move_made.result()
