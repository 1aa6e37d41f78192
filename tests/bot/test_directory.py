"""What Slack's lists say of a user, as far as its own local stand-in cannot: people of other workspaces, of an organisation, and Slackbot."""

from typing import Any

import pytest

from bot.delivery import directory
from engine.rules.said import Barred


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
