"""Who stands behind a click: by the signed ids alone, checked with Slack within the last minute, and closed to everybody else."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from bot.delivery import who
from bot.delivery.who import Identity, Known, Turned, Us
from bot.sandbox.seed import Organisation, acme
from engine.rules import people as people_rules
from engine.state import db, people
from tests.bot.office import Office, open_office

Json = dict[str, Any]

ACME = Us(team="T0ACME")
GRID = Us(team="T0ACME", enterprise="E0ACME")


def click(user: str, team: str | None, enterprise: str | None = None, place: str | None = "T0ACME") -> Json:
    return {
        "type": "block_actions",
        "user": {"id": user, **({"team_id": team} if team else {})},
        "team": {"id": place} if place else None,
        "enterprise": {"id": enterprise} if enterprise else None,
    }


def behind(pool: db.Pool, office: Office, body: Json, us: Us = ACME) -> Known | Turned:
    return who.known(pool, office.slack, us, who.identity(body))


def test_a_member_is_known_and_asked_of_slack_once_a_minute(conn: Any, pool: db.Pool, office: Office) -> None:
    for _ in range(2):
        found = behind(pool, office, click("U0MARTA", "T0ACME"))
        assert isinstance(found, Known)
        assert (found.actor.id, found.actor.roles) == ("marta", ("finance-approver",))
    assert len(office.calls("users.info")) == 1
    conn.execute("UPDATE identity SET checked_at = checked_at - interval '61 s'")
    behind(pool, office, click("U0MARTA", "T0ACME"))
    assert len(office.calls("users.info")) == 2


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"deleted": True}, "deactivated"),
        ({"is_restricted": True}, "guest"),
        ({"is_ultra_restricted": True}, "guest"),
        ({"is_bot": True}, "bot"),
    ],
)
def test_whom_slack_no_longer_has_as_a_member_is_turned_away(
    conn: Any, pool: db.Pool, office: Office, change: Json, why: str
) -> None:
    office.change(user="U0MARTA", set=change)
    turned = behind(pool, office, click("U0MARTA", "T0ACME"))
    assert isinstance(turned, Turned)
    assert turned.why == why
    assert "Nothing was changed" in turned.sentence
    assert behind(pool, office, click("U0MARTA", "T0ACME")) == turned  # and the word is kept
    assert len(office.calls("users.info")) == 1


def test_an_outsider_in_a_shared_channel_is_a_stranger_whatever_the_place(
    conn: Any, pool: db.Pool, office: Office
) -> None:
    assert behind(pool, office, click("U0GUEST", "T0OTHER")) == Turned("stranger")
    assert behind(pool, office, click("U0MARTA", "T0OTHER")) == Turned("stranger")  # our id, their team
    assert office.calls("users.info") == []


def test_a_leaver_and_an_unknown_colleague_are_turned_away(conn: Any, pool: db.Pool, office: Office) -> None:
    assert behind(pool, office, click("U0LEFT", "T0ACME")) == Turned("deactivated")
    assert behind(pool, office, click("U0NOBODY", "T0ACME")) == Turned("unknown")


@pytest.mark.parametrize("fault", [{"kind": "slow", "seconds": 1.2}, {"kind": "status"}, {"kind": "rate_limited"}])
def test_when_slack_does_not_tell_nobody_gets_in(conn: Any, pool: db.Pool, office: Office, fault: Json) -> None:
    office.faults({"on": "users.info", **fault})
    turned = behind(pool, office, click("U0MARTA", "T0ACME"))
    assert turned == Turned("unchecked")
    assert "try again" in Turned("unchecked").sentence


def test_an_outsider_whom_people_toml_names_is_still_a_stranger_to_slack(
    conn: Any, pool: db.Pool, office: Office
) -> None:
    conn.execute("INSERT INTO identity (team, slack_user, person_id) VALUES ('T0OTHER', 'U0GUEST', 'marta')")
    assert behind(pool, office, click("U0GUEST", "T0OTHER")) == Turned("stranger")


GRID_PEOPLE = """
[[person]]
id = "marta"
name = "Marta Keller"
slack = ["E0ACME:U0MARTA"]
"""


@pytest.fixture
def grid(tmp_path: Path) -> Iterator[Office]:
    """The workspace as one of two of an organisation, Marta in both."""
    seed = acme()
    both = tuple(replace(one, also_in=("T0SISTER",)) if one.id == "U0MARTA" else one for one in seed.people)
    organisation = Organisation(id="E0ACME", name="Acme Group", teams=frozenset({"T0ACME", "T0SISTER"}))
    with open_office(tmp_path / "grid.jsonl", seed=replace(seed, people=both, organisation=organisation)) as running:
        yield running


@pytest.mark.parametrize(
    "body",
    [
        click("U0MARTA", "E0ACME", "E0ACME", None),  # an app of the whole organisation: team is null
        click("U0MARTA", None, "E0ACME", None),
        click("U0MARTA", "T0ACME", "E0ACME"),
        click("U0MARTA", "T0SISTER", "E0ACME"),  # the same person, from another workspace of ours
        {"command": "/approvals", "team_id": "T0SISTER", "enterprise_id": "E0ACME", "user_id": "U0MARTA"},
        {"event": {"user": "U0MARTA"}, "team_id": "T0ACME", "enterprise_id": "E0ACME"},
    ],
)
def test_in_a_grid_a_person_is_one_whichever_workspace_they_click_in(
    conn: Any, pool: db.Pool, grid: Office, body: Json
) -> None:
    people.load(conn, people_rules.parse(GRID_PEOPLE), actor="tests")
    found = behind(pool, grid, body, GRID)
    assert isinstance(found, Known)
    assert found.actor.id == "marta"


def test_an_outsider_with_the_id_of_one_of_ours_is_a_stranger(conn: Any, pool: db.Pool, grid: Office) -> None:
    people.load(conn, people_rules.parse(GRID_PEOPLE), actor="tests")
    for _ in range(2):  # in our organisation's channel, where Marta herself was checked just now
        assert behind(pool, grid, click("U0MARTA", "T0OTHER", "E0ACME"), GRID) == Turned("stranger")
        assert isinstance(behind(pool, grid, click("U0MARTA", "E0ACME", "E0ACME"), GRID), Known)
    grid.fault("users.info", "status")
    assert behind(pool, grid, click("U0MARTA", "T0SISTER", "E0ACME"), GRID) == Turned("unchecked")


def test_in_a_grid_too_an_unknown_mapping_is_closed(conn: Any, pool: db.Pool, office: Office) -> None:
    people.load(conn, people_rules.parse(GRID_PEOPLE), actor="tests")
    assert behind(pool, office, click("U0MARTA", "T0THEIRS", "E0THEIRS", None), GRID) == Turned("stranger")
    assert behind(pool, office, click("W0OTHER", "E0ACME", "E0ACME", None), GRID) == Turned("unknown")


def test_a_command_and_an_event_say_who_too() -> None:
    typed = {"command": "/approvals", "team_id": "T0ACME", "user_id": "U0MARTA"}
    assert who.identity(typed) == Identity(team="T0ACME", enterprise=None, user="U0MARTA")
    opened = {"event": {"user": "U0MARTA"}, "team_id": "T0ACME", "authorizations": [{"enterprise_id": None}]}
    assert who.identity(opened) == Identity(team="T0ACME", enterprise=None, user="U0MARTA")


def test_a_person_is_written_to_by_an_identity_of_ours(conn: Any) -> None:
    assert who.reachable(conn, ACME, "marta") == ["U0MARTA"]
    assert who.reachable(conn, Us(team="T0OTHER"), "marta") == []
    assert who.reachable(conn, Us(team="E0ACME", enterprise="E0ACME"), "marta") == ["U0MARTA"]
