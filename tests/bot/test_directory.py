"""Who is a full member by Slack's lists, and how long Slack may keep us waiting; what is read all in all is tried with the command."""

from typing import Any

import pytest

from bot.delivery import directory
from engine.rules.people import People
from engine.rules.said import Barred
from engine.rules.sync_file import Source
from tests.bot.office import Office


@pytest.mark.parametrize(
    ("user", "barred"),
    [
        ({"team_id": "T0ACME"}, None),
        ({"team_id": "T0ACME", "enterprise_user": {"enterprise_id": "E0ELSE"}}, None),
        ({"team_id": "T0SISTER", "enterprise_user": {"enterprise_id": "E0GRID"}}, None),
        ({"team_id": "E0GRID"}, None),
        ({"team_id": "T0OTHER"}, "stranger"),
        ({"team_id": "T0OTHER", "enterprise_user": {"enterprise_id": "E0ELSE"}}, "stranger"),
        ({"team_id": None}, "stranger"),
        ({}, "stranger"),
        ({"team_id": "T0ACME", "is_stranger": True}, "stranger"),
        ({"team_id": "T0ACME", "is_restricted": True}, "guest"),
        ({"team_id": "T0ACME", "is_ultra_restricted": True}, "guest"),
        ({"team_id": "T0ACME", "is_bot": True}, "bot"),
        ({"team_id": "T0ACME", "id": "USLACKBOT", "is_bot": False}, "bot"),
        ({"team_id": "T0ACME", "deleted": True}, "deactivated"),
        ({"team_id": "T0OTHER", "deleted": True}, "deactivated"),
    ],
)
def test_who_is_a_full_member_of_ours(user: dict[str, Any], barred: Barred | None) -> None:
    assert directory.member({"id": "U0X", **user}, "T0ACME", "E0GRID").barred == barred


def test_outside_an_organisation_nobody_is_of_one() -> None:
    alien = {"id": "U0X", "team_id": "T0OTHER", "enterprise_user": {}}
    assert directory.member(alien, "T0ACME", None).barred == "stranger"


@pytest.mark.parametrize(
    ("user", "name"),
    [
        ({"name": "marta", "profile": {"real_name": "Marta Keller"}}, "Marta Keller"),
        ({"name": "marta", "profile": {"real_name": ""}}, "marta"),
        ({"name": "marta"}, "marta"),
        ({}, ""),
    ],
)
def test_how_a_user_is_called(user: dict[str, Any], name: str) -> None:
    assert directory.member({"id": "U0X", "team_id": "T0ACME", **user}, "T0ACME", None).name == name


@pytest.mark.parametrize(("seconds", "waits"), [(90, True), (60, True), (91, False)])
def test_there_is_an_end_to_our_patience(office: Office, seconds: int, waits: bool) -> None:
    office.fault("users.list", "rate_limited", seconds=seconds)
    source = Source(team="T0ACME", groups={}, groups_line=None, manager_field=None)
    waited: list[float] = []
    said = directory.read(office.slack, source, People(()), waited.append)  # as if no time passed: it stays limited
    assert isinstance(said, directory.Unread)
    assert said.why.startswith("Slack takes no more users.list for now. Try again in ")
    assert not said.to_mend
    assert (directory.WAITS_S - seconds <= sum(waited) <= directory.WAITS_S) is waits
    assert bool(waited) is waits
