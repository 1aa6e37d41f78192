"""An Enterprise Grid: our app in one workspace of an organisation, or in all of it, with W and U ids, other workspaces of ours, and outsiders.

A person is one whatever they click in, and whoever is not ours is refused closed, told so, and on record.
"""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest

from bot.cards import ids
from bot.delivery import directory
from bot.sandbox.seed import Organisation, Person, Seed, acme
from engine.models import NewCard
from engine.rules import people as people_rules
from engine.rules.people import People
from engine.rules.sync_file import Source
from engine.state import pauses, people
from tests import rows
from tests.bot.house import Home, living, settings
from tests.bot.office import Json, Office, actions_of, open_office, text_of
from tests.bot.test_listeners import reason, refused_attempts

WHOLE = {"one workspace of it": False, "the whole organisation": True}
PEOPLE = """
[[person]]
id = "marta"
name = "Marta Keller"
roles = ["finance-approver"]
slack = ["E0ACME:W0MARTA", "E0ACME:U0MARTA"]

[[person]]
id = "priya"
name = "Priya Nair"
scopes = ["payments:write"]
slack = ["E0ACME:U0PRIYA"]

[[person]]
id = "sofia"
name = "Sofia Sister"
roles = ["finance-approver"]
slack = ["E0ACME:W0SOFIA"]

[[person]]
id = "otto"
name = "Otto Brandt"
roles = ["finance-approver", "operator"]
slack = ["E0ACME:U0OTTO"]
"""


def organisation(*, whole: bool) -> Seed:
    """Acme as one of two workspaces of an organisation; Marta has another id, and two of the other workspace are in the channel."""
    seed = acme()
    marta = next(one for one in seed.people if one.id == "U0MARTA")
    twin = replace(marta, id="W0MARTA", name="marta.w", email=None)
    sofia, stefan = (
        Person(
            id=f"W0{name.upper()}", name=name, real_name=f"{name.title()} Sister", title="Finance", team_id="T0SISTER"
        )
        for name in ("sofia", "stefan")
    )
    more = {twin.id, sofia.id, stefan.id}
    channels = tuple(replace(one, members=one.members | more) for one in seed.channels)
    grid = Organisation(id="E0ACME", name="Acme Group", teams=frozenset({"T0ACME", "T0SISTER"}), has_our_app=whole)
    return replace(seed, people=(*seed.people, twin, sofia, stefan), channels=channels, organisation=grid)


@pytest.fixture(params=WHOLE.values(), ids=list(WHOLE))
def office(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Office]:
    with open_office(tmp_path / "grid.jsonl", seed=organisation(whole=request.param)) as running:
        yield running


@pytest.fixture
def home(office: Office, db_url: str, conn: Any) -> Iterator[Home]:
    people.load(conn, people_rules.parse(PEOPLE), actor="tests")
    with living(office, settings(office, db_url)) as running:  # who we are is Slack's to say
        yield running


def the_card(home: Home, pause_id: UUID) -> Json:
    home.calm()
    return next(m for m in home.office.messages("C0BUY") if str(pause_id) in str(m["metadata"]))


def test_who_we_are_is_what_slack_says(home: Home) -> None:
    us = home.house.courier.us
    assert us.enterprise == "E0ACME"
    assert us.team in {"T0ACME", "E0ACME"}


@pytest.mark.parametrize(("user", "person"), [("W0MARTA", "marta"), ("U0MARTA", "marta"), ("W0SOFIA", "sofia")])
def test_who_is_ours_decides_by_any_of_their_ids_from_any_of_our_workspaces(
    home: Home, conn: Any, user: str, person: str
) -> None:
    pause_id = rows.waiting(conn, approver="role:finance-approver")[0]
    assert home.office.press(user, the_card(home, pause_id), ids.ACTION_APPROVE) == {"ok": True}
    assert (home.pause(pause_id).status, home.pause(pause_id).decided_by) == ("approved", person)


def test_one_person_with_two_ids_has_one_voice(home: Home, conn: Any) -> None:
    pause_id = rows.waiting(conn, need=rows.QUORUM, approver="role:finance-approver")[0]
    card = the_card(home, pause_id)
    home.office.press("W0MARTA", card, ids.ACTION_APPROVE)
    home.office.press("U0MARTA", card, ids.ACTION_APPROVE)
    assert home.private("U0MARTA")
    assert (home.pause(pause_id).status, home.pause(pause_id).voters) == ("waiting", ("marta",))
    assert refused_attempts(conn, pause_id) == [("marta", "voted")]


def test_a_form_a_command_a_dm_and_the_home_tab_work_too(home: Home, conn: Any) -> None:
    first, second, third = (rows.waiting(conn)[0] for _ in range(3))
    home.office.press("W0MARTA", the_card(home, first), ids.ACTION_DENY)
    [form] = home.office.views("W0MARTA")
    assert home.office.act("submit", "W0MARTA", view_id=form["id"], values=reason("Too dear.")) == {"ok": True}
    assert (home.pause(first).status, home.pause(first).reason) == ("denied", "Too dear.")
    own = next(m for m in home.office.messages("D0PRIYA") if str(second) in str(m["metadata"]))
    assert home.office.press("U0PRIYA", own, ids.ACTION_WITHDRAW) == {"ok": True}
    assert home.pause(second).status == "cancelled"
    listed = home.office.command("W0MARTA", channel="C0BUY")
    assert ids.screen_id("pause", third) in text_of(listed)
    assert home.office.press("W0MARTA", listed, ids.ACTION_APPROVE) == {"ok": True}
    assert home.pause(third).decided_by == "marta"
    home.office.act("home", "W0MARTA")
    assert "Placet does not know who you are" not in text_of(home.office.await_(lambda: home.office.home("W0MARTA")))


@pytest.mark.parametrize(
    ("user", "told", "on_record"),
    [
        ("U0GUEST", "You belong to another workspace", ("T0OTHER:U0GUEST", "stranger")),
        ("W0STEFAN", "Placet does not know who you are", None),
        ("U0JONAS", "Placet does not know who you are", None),
    ],
)
def test_an_outsider_and_a_colleague_whom_nobody_entered_are_refused_closed(
    home: Home, conn: Any, user: str, told: str, on_record: tuple[str, str] | None
) -> None:
    pause_id = rows.waiting(conn, approver="role:finance-approver")[0]
    home.office.press(user, the_card(home, pause_id), ids.ACTION_APPROVE)
    assert told in home.private(user)
    assert home.pause(pause_id).status == "waiting"
    [(actor, why)] = refused_attempts(conn, pause_id)
    if on_record:
        assert (actor, why) == on_record
    else:
        team, _, who = actor.partition(":")
        assert (who, why) == (user, "unknown")
        assert team in {"E0ACME", "T0ACME", "T0SISTER"}


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"deleted": True}, None),
        ({"is_restricted": True}, "guest"),
        ({"is_stranger": True, "team_id": "T0OTHER"}, "stranger"),
    ],
)
def test_who_is_no_full_member_any_more_is_refused_at_the_click(
    home: Home, conn: Any, change: Json, why: str | None
) -> None:
    pause_id = rows.waiting(conn)[0]
    card = the_card(home, pause_id)
    ws = home.office.workspace.state.workspace
    ws.people["W0MARTA"] = replace(ws.people["W0MARTA"], **change)
    home.office.press("W0MARTA", card, ids.ACTION_APPROVE)
    assert home.pause(pause_id).status == "waiting"
    if why:
        assert [detail for _, detail in refused_attempts(conn, pause_id)] == [why]


def test_an_approver_of_another_workspace_of_ours_is_written_to(home: Home, conn: Any) -> None:
    pause_id = rows.waiting(conn, approver="person:sofia", cards=(NewCard(kind="approver", dest="person:sofia"),))[0]
    home.calm()
    [dm] = home.office.messages("D0SOFIA")
    assert ids.ACTION_APPROVE in actions_of(dm)
    home.office.press("W0SOFIA", dm, ids.ACTION_APPROVE)
    assert pauses.get(conn, pause_id).decided_by == "sofia"


def test_people_are_read_of_the_workspace_that_the_document_names(office: Office) -> None:
    source = Source(team="T0ACME", groups={"finance": "finance-approver"}, groups_line=1, manager_field="Manager")
    said = directory.read(office.slack, source, People(()), wait=lambda _: None)
    assert not isinstance(said, directory.Unread), said
    assert said.enterprise == "E0ACME"
    assert said.barred("U0MARTA") is None
    elsewhere = directory.read(office.slack, replace(source, team="T0ELSE"), People(()), wait=lambda _: None)
    assert isinstance(elsewhere, directory.Unread)
    assert elsewhere.to_mend
