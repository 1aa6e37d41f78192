"""`placet people sync`: what a people.toml and Slack say together comes into the rows in one move on record, or nothing does."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from engine.rules import sync_file
from engine.rules.people import People, Person
from engine.state import db, events, people
from tests import database
from tests.bot.command_line import EXAMPLES, ROOT, Said, placet, untouched
from tests.bot.office import TOKEN, Office, open_office

MANIFEST = yaml.safe_load((ROOT / "manifest.yml").read_text("utf-8"))
LEFT_TO_SLACK = """
[slack]
team = "T0ACME"
groups = { "finance" = "finance-approver" }
manager_field = "Manager"
"""
"""In the seed Marta, Otto and Lena, who left, are in that group; Priya's manager is Marta, Marta's and Jonas's Otto, and Otto's Ines."""


@pytest.fixture
def office(tmp_path: Path) -> Iterator[Office]:
    """A workspace in which our token was granted what the manifest asks for, and no more."""
    scopes = frozenset(MANIFEST["oauth_config"]["scopes"]["bot"])
    with open_office(tmp_path / "slack.jsonl", scopes=scopes) as running:
        yield running


class Desk:
    """Somebody at a shell, with a people.toml beside them."""

    def __init__(self, db_url: str, office: Office, file: Path) -> None:
        self.db_url, self.office, self.file = db_url, office, file
        self.write(LEFT_TO_SLACK)

    def write(self, more: str, *changes: tuple[str, str]) -> None:
        text = (EXAMPLES / "people.toml").read_text("utf-8")
        for old, new in changes:
            assert old in text
            text = text.replace(old, new)
        self.file.write_text(text + more, "utf-8")

    def sync(self, *options: str, **environ: str) -> Said:
        given = {"SLACK_BOT_TOKEN": TOKEN, "SLACK_API_URL": f"{self.office.url}/slack/api/", **environ}
        return placet(self.db_url, "people", "sync", str(self.file), *options, **given)


@pytest.fixture
def desk(conn: Any, db_url: str, office: Office, tmp_path: Path) -> Desk:
    return Desk(db_url, office, tmp_path / "people.toml")


def person(conn: Any, person_id: str) -> Person:
    found = people.everybody(conn).get(person_id)
    assert found is not None
    return found


def imports(conn: Any) -> int:
    return sum(one.event == "people" for one in events.of_run(conn, db.SYSTEM_RUN))


CHANGES = [
    "changed: priya (manager)",
    "changed: otto (roles)",
    "changed: ines (roles)",
    "changed: jonas (manager)",
    "changed: lena (roles)",
]
NOTE = 'note: ines: is not in the user group "finance", so the document cannot give the role finance-approver.'


def test_roles_and_managers_come_from_slack_in_one_move_on_record(conn: Any, desk: Desk) -> None:
    before = imports(conn)
    said = desk.sync("--as", "otto")
    assert (said.code, said.err) == (0, "")
    assert said.out.splitlines() == [NOTE, *CHANGES]
    assert person(conn, "priya").manager == "marta"
    assert person(conn, "otto").roles == ("finance-approver", "finance-lead", "operator")
    assert person(conn, "ines").roles == ()
    assert imports(conn) == before + 1
    assert events.of_run(conn, db.SYSTEM_RUN)[-1].actor == "otto"
    assert isinstance(events.verify(conn, db.SYSTEM_RUN), events.Verified)
    with untouched(conn):
        again = desk.sync()
    assert again.out.splitlines() == [NOTE, "Everything is as the file and Slack say; nothing was changed."]


def test_a_dry_run_says_the_same_and_writes_nothing(conn: Any, desk: Desk) -> None:
    with untouched(conn):
        said = desk.sync("--dry-run")
    assert (said.code, said.out.splitlines()) == (0, [NOTE, *CHANGES, "Nothing was written."])


def test_who_left_the_workspace_is_put_away_and_whoever_else_is_in_the_group_is_only_told_of(
    conn: Any, desk: Desk
) -> None:
    desk.office.change(user="U0JONAS", set={"deleted": True})
    desk.office.change(user="U0PRIYA", set={"is_restricted": True})
    desk.office.change(group="S0FINANCE", set={"members": ["U0MARTA", "U0INES", "U0PRIYA", "U0PLACET", "U0GUEST"]})
    said = desk.sync()
    assert said.code == 0
    notes = [line for line in said.out.splitlines() if line.startswith("note: ")]
    assert notes == [
        "note: priya: a guest in Slack (U0PRIYA), and holds no role. Check the id, or make them a full member.",
        "note: jonas: deactivated in Slack (U0JONAS), so they count as having left.",
        'note: the user group "finance": U0PLACET (Placet) is a bot, and gets nothing.',
        'note: the user group "finance": U0GUEST is not of this workspace, and gets nothing.',
    ]
    assert not person(conn, "jonas").active
    assert person(conn, "priya").roles == ()
    assert {one for one, _ in people.holders(conn, "finance-approver")} == {"marta", "ines"}
    assert {one.id for one in people.everybody(conn)} == {one.id for one in database.example_people()}


def test_a_colleague_of_the_group_who_is_not_in_the_file_is_told_and_not_added(conn: Any, desk: Desk) -> None:
    desk.write(
        LEFT_TO_SLACK,
        ('[[person]]\nid = "otto"', '[[person]]\nid = "dirk"'),
        ('"T0ACME:U0OTTO"', ""),
        ('"otto"', '"dirk"'),
    )
    said = desk.sync("--dry-run")
    assert (
        'note: the user group "finance": U0OTTO (Otto Brandt) is nobody of the document, and gets nothing. Add them with an id.'
        in said.out
    )
    assert (
        "note: marta: their manager in Slack, U0OTTO (Otto Brandt), is nobody of the document, so the manager of the document stands."
        in said.out
    )
    assert "new: dirk" in said.out
    assert "deactivated: otto" in said.out


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"is_protected": False}, "it is neither protected nor filled by SCIM, so people fill it in themselves."),
        ({"type": "text"}, "it holds a text and no person."),
        ({"label": "Boss"}, 'Slack has no such field; it has "Boss".'),
    ],
)
def test_a_manager_field_that_cannot_be_believed_is_not_even_read(
    desk: Desk, conn: Any, change: dict[str, Any], told: str
) -> None:
    desk.office.change(field="Xf0MANAGER", set=change)
    said = desk.sync()
    assert said.out.splitlines()[0] == f'note: the profile field "Manager": {told} The managers of the document stand.'
    assert {one.id: one.manager for one in people.everybody(conn)} == {
        one.id: one.manager for one in database.example_people()
    }
    assert desk.office.calls("users.profile.get") == []


def test_a_field_that_a_directory_fills_is_believed_and_named_by_its_id_too(desk: Desk, conn: Any) -> None:
    desk.office.change(field="Xf0MANAGER", set={"is_protected": False, "is_scim": True})
    desk.office.change(user="U0MARTA", set={"manager": "U0INES"})
    desk.write(LEFT_TO_SLACK.replace('"Manager"', '"Xf0MANAGER"'))
    assert desk.sync().code == 0
    assert person(conn, "marta").manager == "ines"


def test_two_accounts_of_one_person_count_once(desk: Desk, conn: Any) -> None:
    desk.write(
        LEFT_TO_SLACK, ('"T0ACME:U0MARTA"', '"T0ACME:U0MARTA", "T0ACME:U0JONAS"'), ('slack = ["T0ACME:U0JONAS"]\n', "")
    )
    desk.office.change(group="S0FINANCE", set={"members": ["U0MARTA", "U0JONAS", "U0OTTO"]})
    desk.office.change(user="U0MARTA", set={"deleted": True})
    assert desk.sync().code == 0
    marta = person(conn, "marta")
    assert (marta.active, marta.roles) == (True, ("finance-approver",))
    assert [one for one, _ in people.holders(conn, "finance-approver")] == ["marta", "otto"]


def test_a_workspace_of_several_pages_is_read_to_its_end(
    desk: Desk, conn: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bot.delivery.web.PAGE", 2)
    desk.office.change(
        user="U0LEFT", set={"deleted": False}
    )  # on the third page: the user group gives her the role now
    said = desk.sync("--dry-run")
    assert (said.code, said.out.splitlines()) == (0, [NOTE, *CHANGES[:-1], "Nothing was written."])
    assert len(desk.office.calls("users.list")) == 4


def test_managers_that_lead_in_a_circle_in_slack_are_refused_with_their_line(desk: Desk, conn: Any) -> None:
    desk.office.change(user="U0INES", set={"manager": "U0OTTO"})
    with untouched(conn):
        said = desk.sync()
    assert said.code == 2
    assert (
        'line 18, person "otto", manager: it leads in a circle: otto -> ines -> otto. Correct the profile field "Manager" in Slack, or win over it here: [[override]] with id = "otto" and manager = "" for nobody, or an id.'
        in said.err
    )
    desk.write(LEFT_TO_SLACK + '[[override]]\nid = "ines"\nmanager = ""\n')
    assert desk.sync().code == 0


def test_a_group_that_is_not_there_any_more_is_refused_and_nobody_loses_a_role(desk: Desk, conn: Any) -> None:
    desk.office.change(group="S0FINANCE", set={"is_disabled": True})
    with untouched(conn):
        said = desk.sync()
    assert said.code == 2
    assert 'line 49, slack, groups: Slack has no user group "finance".' in said.err


# -------------------------------------------------------------------------------------------------- what the policy needs


def test_a_sync_that_strands_the_policy_is_refused_unless_it_is_wanted_even_so(desk: Desk, conn: Any) -> None:
    database.apply_policy(conn)
    desk.office.change(group="S0FINANCE", set={"members": ["U0MARTA"]})
    for options in ([], ["--dry-run"]):
        with untouched(conn):
            said = desk.sync(*options)
        assert said.code == 3, said
        assert "With these people fin-approvals-v4 cannot be kept. Mend one of them:" in said.err
        assert (
            'role: only marta has the role "finance-approver", and when they ask themselves 1 other person is needed.'
            in said.err
        )
        assert "So this is refused, and nothing was changed. With --even-so it is done all the same." in said.err
        assert "changed: ines (roles)" in said.out
    said = desk.sync("--even-so")
    assert (said.code, "cannot be kept" in said.err, "refused" in said.err) == (0, True, False)
    assert people.holders(conn, "finance-approver") == [("marta", "Marta Keller")]


# ----------------------------------------------------------------------------------------------- when Slack does not tell

METHODS = [
    "auth.test",
    "users.list",
    "usergroups.list",
    "usergroups.users.list",
    "team.profile.get",
    "users.profile.get",
]
FAILURES: dict[str, tuple[dict[str, Any], int, str]] = {
    "down": ({"kind": "status", "status": 503}, 1, "Slack did not answer {0} (HTTP 503: "),
    "cut": ({"kind": "drop"}, 1, "Slack did not answer {0} ("),
    "limited": ({"kind": "rate_limited", "seconds": 120}, 1, "Slack takes no more {0} for now. Try again in 120 s."),
    "revoked": ({"kind": "error", "error": "token_revoked"}, 2,
                "Slack does not take SLACK_BOT_TOKEN (token_revoked). Set it to the one of your app."),
    "refused": ({"kind": "error", "error": "ekm_access_denied"}, 2,
                "Slack refused {0}: ekm_access_denied. What that means is at docs.slack.dev/reference/methods/{0}."),
}  # fmt: skip


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("failure", FAILURES)
def test_wherever_slack_fails_nothing_is_written(desk: Desk, conn: Any, method: str, failure: str) -> None:
    fault, code, told = FAILURES[failure]
    desk.office.faults({"on": method, **fault})
    with untouched(conn):
        said = desk.sync()
    assert (said.code, said.out) == (code, "")
    assert said.err.startswith(told.format(method))
    assert said.err.endswith("\nNothing was changed.")
    assert len(desk.office.calls(method)) == 1


def test_what_only_one_method_says_has_its_sentence_too(desk: Desk, conn: Any) -> None:
    for method, error, told in (
        ("users.list", "invalid_cursor", "Slack lost its place in the list of users. Try again."),
        (
            "usergroups.list",
            "plan_upgrade_required",
            "The workspace's plan has no user groups. Take groups out of [slack].",
        ),
    ):
        desk.office.fault(method, "error", error=error)
        with untouched(conn):
            assert desk.sync().err == f"{told}\nNothing was changed."


def test_when_slack_asks_for_patience_it_is_given_and_the_reading_goes_on(desk: Desk, conn: Any) -> None:
    limited = {"kind": "rate_limited", "seconds": 1}
    desk.office.faults({"on": "users.list", **limited}, {"on": "users.profile.get", **limited})
    said = desk.sync()
    assert (said.code, said.out.splitlines()) == (0, [NOTE, *CHANGES])
    assert said.err.splitlines() == ["Slack asks for 1 s of patience."] * 2
    assert len(desk.office.calls("users.list")) == 2


@pytest.mark.parametrize(
    ("scope", "method"),
    [
        ("users:read", "users.list"),
        ("usergroups:read", "usergroups.list"),
        ("users.profile:read", "team.profile.get"),
    ],
)
def test_a_scope_that_is_missing_is_named(desk: Desk, conn: Any, tmp_path: Path, scope: str, method: str) -> None:
    scopes = frozenset(MANIFEST["oauth_config"]["scopes"]["bot"]) - {scope}
    with open_office(tmp_path / "other.jsonl", scopes=scopes) as office, untouched(conn):
        said = Desk(desk.db_url, office, desk.file).sync()
    mend = "Add it to your Slack app (OAuth & Permissions, Bot Token Scopes), and install the app again."
    told = [f"SLACK_BOT_TOKEN lacks the scope {scope}, which {method} takes. {mend}", "Nothing was changed."]
    assert (said.code, said.err.splitlines()) == (2, told)


def test_only_what_is_left_to_slack_is_asked_of_it(desk: Desk, conn: Any) -> None:
    desk.write('[slack]\nteam = "T0ACME"\n')
    desk.office.change(user="U0JONAS", set={"deleted": True})
    assert desk.sync().out.splitlines()[-1] == "changed: jonas (active)"
    assert {call["method"] for call in desk.office.read("/slack/calls")["calls"]} == {"auth.test", "users.list"}


# --------------------------------------------------------------------------------------------------------- asked wrongly


def test_a_token_of_another_workspace_is_refused(desk: Desk, conn: Any) -> None:
    desk.write(LEFT_TO_SLACK.replace("T0ACME", "T0ELSE"))
    with untouched(conn):
        said = desk.sync()
    why = "SLACK_BOT_TOKEN is of the workspace T0ACME, and the document's [slack] is of T0ELSE. Change one of them."
    assert (said.code, said.err) == (2, f"{why}\nNothing was changed.")


def test_a_file_that_leaves_nothing_to_slack_is_for_import_and_the_other_way_round(desk: Desk, conn: Any) -> None:
    desk.write("")
    with untouched(conn):
        said = desk.sync()
        assert (said.code, "it leaves nothing to Slack. Add [slack] with team" in said.err) == (2, True)
        desk.write(LEFT_TO_SLACK)
        said = placet(desk.db_url, "people", "import", str(desk.file))
    assert (said.code, "line 47, slack: with it Slack says who holds roles" in said.err) == (2, True)
    assert desk.office.read("/slack/calls")["calls"] == []


def test_all_that_is_missing_in_the_environment_is_said_at_once(desk: Desk) -> None:
    said = placet(None, "people", "sync", str(desk.file))
    assert said.code == 2
    for variable in ("DATABASE_URL", "SLACK_BOT_TOKEN"):
        assert f"- {variable} is not set." in said.err


def test_nobody_syncs_in_a_strangers_name_and_slack_is_not_troubled_for_it(desk: Desk, conn: Any) -> None:
    with untouched(conn):
        said = desk.sync("--as", "nobody")
    assert (said.code, "--as: nobody has the id 'nobody'." in said.err) == (2, True)
    assert desk.office.read("/slack/calls")["calls"] == []


def test_the_manual_of_sync_shows_a_document_that_can_be_read() -> None:
    manual = placet(None, "people", "sync", "--help", COLUMNS="200").out
    shown = manual[manual.index("[slack]") : manual.index("The roles that are said")]
    document = sync_file.parse('[[person]]\nid = "marta"\nname = "M"\n[[person]]\nid = "otto"\nname = "O"\n' + shown)
    assert document.source is not None
    assert dict(document.source.groups) == {"fin-approvers": "finance-approver"}
    assert document.overrides["marta"] == sync_file.Override(manager="otto", roles=("finance-lead",), active=True)
    assert isinstance(document.people, People)
