"""Who is who and what holds: imports that never delete, identities that belong to one, policy versions that never change."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from types import SimpleNamespace
from typing import Any

import psycopg
import pytest

from engine.errors import Conflict, Misconfigured, PolicyUnreadable
from engine.models import AlreadySettled
from engine.rules import digest, policy_file
from engine.rules.documents import DocumentFaults
from engine.rules.people import People, Person, people_digest
from engine.state import db, events, pauses, people, policies
from tests import database, rows


def last_of_system(conn: Any) -> tuple[str, str, str, str | None]:
    last = events.of_run(conn, db.SYSTEM_RUN)[-1]
    return last.event, last.entity_id, last.actor, last.detail


def changed(**changes: Any) -> People:
    """The people of the example, some of Marta's fields changed."""
    return People(tuple(replace(p, **changes) if p.id == "marta" else p for p in database.example_people()))


def without(person: str) -> People:
    return People(tuple(p for p in database.example_people() if p.id != person))


# ---------------------------------------------------------------------------------------------------------------- people


def test_an_import_comes_back_as_it_was_given_and_is_on_record(conn: Any) -> None:
    given = database.example_people()
    people.load(conn, given, actor="otto")
    assert set(people.everybody(conn)) == set(given)
    assert last_of_system(conn) == ("people", "people", "otto", f"6 people, {people_digest(given)}")


def test_an_import_answers_with_everybody_as_they_were(conn: Any) -> None:
    other = changed(name="Marta Neu", roles=("operator",), slack=())
    assert set(people.load(conn, other, actor="otto")) == set(database.example_people())
    assert set(people.load(conn, without("marta"), actor="otto")) == set(other)
    gone = people.load(conn, other, actor="otto").get("marta")
    assert gone is not None
    assert (gone.name, gone.active, gone.roles) == ("Marta Neu", False, ())


def test_whom_the_file_does_not_name_is_deactivated_and_keeps_the_name(conn: Any) -> None:
    people.load(conn, without("jonas"), actor="otto")
    gone = people.everybody(conn).get("jonas")
    assert gone == Person(id="jonas", name="Jonas Weber", slack=(), roles=(), manager="ines", active=False, scopes=())
    assert people.names(conn, ["jonas", "nobody"]) == {"jonas": "Jonas Weber"}


def test_a_role_is_gained_and_lost_with_the_file(conn: Any) -> None:
    people.load(conn, changed(roles=("operator",)), actor="otto")
    assert people.holders(conn, "finance-approver") == [("ines", "Ines Alonso")]  # Lena holds it and has left
    assert [person for person, _ in people.holders(conn, "operator")] == ["marta", "otto"]
    assert people.holders(conn, "nothing") == []


def test_an_identity_is_behind_one_person(conn: Any) -> None:
    marta = people.behind(conn, "T0ACME", "U0MARTA")
    assert marta is not None
    assert (marta.id, marta.active, marta.roles, marta.checked_s_ago) == ("marta", True, ("finance-approver",), None)
    lena = people.behind(conn, "T0ACME", "U0LEFT")
    assert lena is not None
    assert not lena.active
    assert people.behind(conn, "T0OTHER", "U0MARTA") is None
    with pytest.raises(psycopg.errors.UniqueViolation):
        conn.execute("INSERT INTO identity (team, slack_user, person_id) VALUES ('T0ACME', 'U0MARTA', 'jonas')")


def test_one_person_may_have_several_identities_and_a_moved_one_leaves_the_former(conn: Any) -> None:
    people.load(conn, changed(slack=("T0ACME:U0MARTA", "T0GROUP:U0MARTA2")), actor="otto")
    assert people.identities(conn, "marta") == [("T0ACME", "U0MARTA"), ("T0GROUP", "U0MARTA2")]
    moved = People(tuple(
        replace(p, slack={"marta": (), "jonas": ("T0ACME:U0MARTA",)}.get(p.id, p.slack)) for p in database.example_people()
    ))  # fmt: skip
    people.load(conn, moved, actor="otto")
    found = people.behind(conn, "T0ACME", "U0MARTA")
    assert found is not None
    assert (found.id, people.identities(conn, "marta")) == ("jonas", [])


def test_what_slack_said_of_a_user_is_kept_with_its_age(conn: Any) -> None:
    people.checked(conn, "T0ACME", "U0JONAS", "a guest")
    jonas = people.behind(conn, "T0ACME", "U0JONAS")
    assert jonas is not None
    assert jonas.refusal == "a guest"
    assert jonas.checked_s_ago is not None
    assert 0 <= jonas.checked_s_ago < 60
    people.checked(conn, "T0ACME", "U0JONAS", None)
    again = people.behind(conn, "T0ACME", "U0JONAS")
    assert again is not None
    assert again.refusal is None


def test_who_decided_keeps_the_name_after_leaving(conn: Any) -> None:
    [pause_id] = rows.waiting(conn)
    pauses.deny(conn, pause_id, "marta", surface="tests")
    people.load(conn, without("marta"), actor="otto")
    pause = pauses.get(conn, pause_id)
    assert (pause.decided_by_name, [v.name for v in pause.votes]) == ("Marta Keller", ["Marta Keller"])
    assert isinstance(pauses.approve(conn, pause_id, "marta", surface="tests"), AlreadySettled)


def test_a_manager_nobody_knows_is_refused_whole(conn: Any) -> None:
    before = people.everybody(conn)
    with pytest.raises(psycopg.errors.ForeignKeyViolation):
        people.load(conn, changed(manager="nobody", name="Marta Neu"), actor="otto")
    assert people.everybody(conn) == before


def policy_text(version: str = "fin-approvals-v4", limit: str = "1000.00") -> str:
    text = (database.EXAMPLES / "policy.toml").read_text()
    return text.replace("fin-approvals-v4", version).replace('"1000.00"', f'"{limit}"')


def apply(conn: Any, text: str) -> tuple[str, bool]:
    return policies.apply(conn, text, database.example_people(), actor="otto")


def test_without_a_policy_nothing_holds(conn: Any) -> None:
    with pytest.raises(Misconfigured, match="placet policy apply"):
        policies.current(conn)


def test_a_policy_is_in_force_once_applied_and_on_record(conn: Any) -> None:
    assert apply(conn, policy_text()) == ("fin-approvals-v4", True)
    assert policies.current(conn).version == "fin-approvals-v4"
    made_of = digest.digest("placet.policy.v1", policy_text())
    assert last_of_system(conn) == ("policy", "fin-approvals-v4", "otto", f"applied fin-approvals-v4, {made_of}")


def test_the_same_text_again_changes_nothing(conn: Any) -> None:
    apply(conn, policy_text())
    links = len(events.of_run(conn, db.SYSTEM_RUN))
    assert apply(conn, policy_text()) == ("fin-approvals-v4", False)
    assert len(events.of_run(conn, db.SYSTEM_RUN)) == links


def test_a_version_is_never_changed(conn: Any) -> None:
    apply(conn, policy_text())
    with pytest.raises(Conflict, match="never changed: give this one a new name") as refused:
        apply(conn, policy_text(limit="2000.00"))
    assert refused.value.stands == "fin-approvals-v4"
    text = conn.execute("SELECT document FROM policy_version").fetchall()
    assert text == [(policy_text(),)]


def test_the_newest_version_is_in_force_and_an_older_one_does_not_come_back_by_its_name(conn: Any) -> None:
    apply(conn, policy_text())
    assert apply(conn, policy_text("fin-approvals-v5", "2000.00")) == ("fin-approvals-v5", True)
    assert policies.current(conn).version == "fin-approvals-v5"
    with pytest.raises(Conflict, match="was replaced"):
        apply(conn, policy_text())
    assert policies.current(conn).version == "fin-approvals-v5"


def test_what_is_in_force_is_not_refused_by_a_lint_that_came_later(conn: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    gap = policy_text().replace('over = "10000.00"', 'over = "20000.00"')
    with pytest.raises(DocumentFaults):
        apply(conn, gap)
    monkeypatch.setattr(policy_file, "check", lambda text, _people, _tools: policy_file.recall(text))
    apply(conn, gap)
    assert policies.current(conn).version == "fin-approvals-v4"
    assert policies.of_version(conn, "fin-approvals-v4") == policies.current(conn)


def test_what_is_in_force_and_cannot_be_read_is_named_with_what_to_do(
    conn: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    later = policy_text().replace('need = "ask"', 'need = "ask"\nwitnesses = 2', 1)
    monkeypatch.setattr(
        policy_file, "check", lambda _text, _people, _tools: SimpleNamespace(version="fin-approvals-v4")
    )
    apply(conn, later)
    by_name = partial(policies.of_version, version="fin-approvals-v4")
    reads: list[Callable[[Any], Any]] = [policies.current, by_name]
    for read in reads:
        with pytest.raises(PolicyUnreadable) as unreadable:
            read(conn)
        said = str(unreadable.value)
        assert said.startswith(
            "The policy fin-approvals-v4 cannot be read by this release, so nothing with an effect is done."
        )
        assert "placet policy apply policy.toml. What it stumbles on: line " in said
        assert "witnesses" in said
