"""The role that the application works as: a whole run goes through as it, and what is on record it can only add to."""

from collections.abc import Iterator
from typing import Any
from uuid import UUID

import psycopg
import pytest

from engine.errors import BadInput
from engine.models import Decided, NewCard
from engine.rules.seal import Keys
from engine.state import cards, db, events, ledger, pauses, people, policies, roles, runs
from tests import database, rows

ROLE = "placet_app"
KEYS = Keys.parse("k1:" + bytes(range(32)).hex())


@pytest.fixture
def app(conn: Any, db_url: str) -> Iterator[Any]:
    """A connection as the application's role."""
    conn.execute(f"CREATE ROLE {ROLE} LOGIN")
    roles.grant(conn, ROLE)
    info = psycopg.conninfo.conninfo_to_dict(db_url)
    with database.connect(psycopg.conninfo.make_conninfo("", **{**info, "user": ROLE}), KEYS) as own:
        assert own.execute("SELECT current_user").fetchone() == (ROLE,)
        yield own
    conn.execute(f"DROP OWNED BY {ROLE}")
    conn.execute(f"DROP ROLE {ROLE}")


def whole_run(app: Any) -> Any:
    """A run from its launch to its end, sealed, asked about, approved and done."""
    claim, [pause_id], effect = rows.begun(app)
    assert (
        ledger.settle(app, effect.attempt_id, "succeed", receipt={"id": "pi_1"}, result=rows.PAID).outcome == "succeed"
    )
    runs.finish(app, claim, "Paid.", runs.LastWords())
    pause = pauses.get(app, pause_id)
    assert (pause.status, pause.seal, pause.approval) == ("executed", "holds", "holds")
    return claim.id


def test_a_whole_run_goes_through(app: Any) -> None:
    database.apply_policy(app)
    assert isinstance(events.verify(app, whole_run(app)), events.Verified)


def test_the_other_ways_of_a_run_go_through(app: Any) -> None:
    [pause_id, _] = rows.waiting(app, 2)
    assert isinstance(pauses.deny(app, pause_id, "marta", surface="tests"), Decided)
    assert runs.claim(app, "w1", ["procurement"], lease_s=60)
    [pause_id] = rows.waiting(app)
    rows.make_due(app, pause_id)
    step = pauses.NextStep(
        pause_id=pause_id,
        level=0,
        next="person:otto",
        within_s=60,
        cards=(NewCard(kind="approver", dest="person:otto"),),
    )
    assert [moved.event for moved in pauses.settle_due(app, [step], surface="tests")] == ["escalate"]
    assert isinstance(pauses.withdraw(app, pause_id, "priya", surface="tests"), Decided)
    assert runs.claim(app, "w1", ["procurement"], lease_s=60)
    held = rows.launched(app)
    assert runs.hold(app, held, actor="otto", surface="tests") == "paused"
    assert runs.cancel(app, held, actor="otto", person=None, surface="tests") == "cancelled"
    assert cards.claim(app, limit=10, lease_s=1)
    claim, _, effect = rows.doubted(app)
    assert ledger.resolve(app, effect.effect_id, "retry", actor="ines", surface="tests") == "retry"
    again = runs.claim(app, "w2", ["procurement"], lease_s=60)
    assert again is not None
    paid = ledger.Spend(action="payment", payee="sup_9", currency="EUR", minor=1, window_s=60, up_to=None)
    assert isinstance(ledger.replace(app, again, effect.effect_id, call_s=1, lease_s=60, spend=paid), UUID)
    assert isinstance(events.verify(app, claim.id), events.Verified)
    people.load(app, database.example_people(), actor="tests")
    assert policies.apply(
        app, (database.EXAMPLES / "policy.toml").read_text(), database.example_people(), actor="tests"
    )[1]
    assert db.execute(app, "writes") == 1


FORBIDDEN = {
    "alter an event": "UPDATE run_event SET actor = 'ines'",
    "delete an event": "DELETE FROM run_event",
    "empty the record": "TRUNCATE run_event",
    "alter what was asked": "UPDATE pause_content SET document = '{}'",
    "take a seal away": "UPDATE pause_content SET seal = NULL",
    "alter a vote": "UPDATE pause_vote SET person = 'ines'",
    "delete a vote": "DELETE FROM pause_vote",
    "alter a policy": "UPDATE policy_version SET document = ''",
    "alter what the model said": "UPDATE run_message SET content = '[]'",
    "delete a run": "DELETE FROM run",
    "delete an effect": "DELETE FROM effect",
    "allow another move": "INSERT INTO edge VALUES ('pause', 'denied', 'approve', 'approved', '')",
    "take another list of moves for right": "CREATE OR REPLACE FUNCTION edge_listed_v1(entity text, from_status text, event text, to_status text)"
    " RETURNS boolean LANGUAGE sql RETURN true",
    "drop the record": "DROP TABLE run_event",
    "switch off what guards it": "ALTER TABLE run_event DISABLE TRIGGER ALL",
    "step around it": "SET session_replication_role = replica",
    "take another digest for right": "CREATE OR REPLACE FUNCTION pause_digest_v1(document text) RETURNS text LANGUAGE sql RETURN ''",
    "forget a migration": "DELETE FROM migration",
    "become its owner": "SET ROLE postgres",
}


@pytest.mark.parametrize("what", FORBIDDEN)
def test_it_may_not(app: Any, what: str) -> None:
    whole_run(app)
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        app.execute(FORBIDDEN[what])


def test_time_outs_hold_for_it_too(app: Any) -> None:
    assert [app.execute(f"SHOW {name}").fetchone()[0] for name in ("statement_timeout", "lock_timeout")] == ["5s", "2s"]


def test_granting_it_is_on_record(app: Any) -> None:
    last = events.of_run(app, db.SYSTEM_RUN)[-1]
    assert (last.event, last.entity_id, last.detail) == ("migrate", "app role", ROLE)


@pytest.mark.parametrize(
    ("role", "says"),
    [
        ("nobody_here", "there is no role 'nobody_here' in this database. Make it first"),
        ("postgres", "nothing can be kept from it"),
    ],
)
def test_a_role_that_cannot_be_bound_is_refused(conn: Any, role: str, says: str) -> None:
    with pytest.raises(BadInput, match=says):
        roles.grant(conn, role)


def test_who_may_not_grant_is_told(app: Any) -> None:
    with pytest.raises(BadInput, match="does not own the tables"):
        roles.grant(app, ROLE)
