"""`placet people`: people as a spreadsheet saves them, and a file of people looked through before it is taken over."""

from pathlib import Path
from typing import Any

import pytest

from tests import database
from tests.bot.command_line import EXAMPLES, placet, untouched

PEOPLE, POLICY = EXAMPLES / "people.toml", EXAMPLES / "policy.toml"
SHEET = (
    "\ufeffid;name;slack;roles;manager;active;scopes\r\n"
    "priya;Priya Nair;T0ACME:U0PRIYA;;ines;;payments:write\r\n"
    "marta;Marta Keller;T0ACME:U0MARTA;finance-approver;otto;WAHR;payments:write\r\n"
    "otto;Otto Brandt;T0ACME:U0OTTO;finance-lead operator;ines;;payments:write\r\n"
    "ines;Ines Alonso;T0ACME:U0INES;finance-approver;;;payments:write\r\n"
    "jonas;Jonas Weber;T0ACME:U0JONAS;;ines;;\r\n"
    "lena;Lena Left;T0ACME:U0LEFT;finance-approver;otto;FALSCH;\r\n"
)
"""The people of the example, as a German Excel saves them."""


@pytest.fixture
def sheet(tmp_path: Path) -> Path:
    file = tmp_path / "people.csv"
    file.write_bytes(SHEET.encode())
    return file


def test_people_are_imported_from_a_sheet(conn: Any, db_url: str, sheet: Path) -> None:
    with untouched(conn):
        said = placet(db_url, "people", "import", str(sheet))
    assert (said.code, said.out) == (0, "Everything is as the file says; nothing was changed.")
    sheet.write_bytes(SHEET.replace("Jonas Weber", "Jonas Meyer").encode())
    assert placet(db_url, "people", "import", str(sheet)).out == "changed: jonas (name)"
    assert placet(None, "policy", "check", str(POLICY), "--people", str(sheet)).code == 0


def test_a_sheet_with_faults_is_refused_whole_with_their_lines(conn: Any, db_url: str, sheet: Path) -> None:
    sheet.write_bytes(SHEET.replace("lena;Lena", "Lena;Lena").replace("WAHR", "JA").encode())
    for command in ("import", "check"):
        with untouched(conn):
            said = placet(db_url, "people", command, str(sheet))
        assert said.code == 2
        assert said.err.splitlines() == [
            f"The document is refused{', and nothing was changed' if command == 'import' else ''}:",
            '- line 3, person "marta", active: "JA" is neither true nor false. Write true or false, without quotes.',
            '- line 7, person "Lena", id: "Lena" does not have the right shape. Write it as in "finance-approver".',
        ]


def test_a_sheet_that_is_not_utf8_is_told_by_its_line(conn: Any, db_url: str, sheet: Path) -> None:
    sheet.write_bytes(SHEET.removeprefix("\ufeff").replace("Marta Keller", "Märta Keller").encode("cp1252"))
    said = placet(db_url, "people", "import", str(sheet))
    assert (said.code, "line 3 is not UTF-8. Save the file as UTF-8 and give it again." in said.err) == (2, True)


def test_people_are_checked_against_the_policy_in_force_or_another(
    conn: Any, db_url: str, sheet: Path, tmp_path: Path
) -> None:
    reads = "reads well: 6 people, 5 of them active."
    nothing = "It was not checked against a policy: give --policy policy.toml, or set DATABASE_URL."
    assert placet(None, "people", "check", str(PEOPLE)).out.splitlines() == [f"people.toml {reads}", nothing]
    none_yet = [f"people.toml {reads}", "No policy is in force that they would have to do for."]
    assert placet(db_url, "people", "check", str(PEOPLE)).out.splitlines() == none_yet
    database.apply_policy(conn)
    kept = [f"people.csv {reads}", "fin-approvals-v4 can be kept with them."]
    with untouched(conn):
        assert placet(db_url, "people", "check", str(sheet)).out.splitlines() == kept
        assert placet(None, "people", "check", str(sheet), "--policy", str(POLICY)).out.splitlines() == kept
        sheet.write_bytes(SHEET.replace(";finance-approver;", ";;").encode())
        said = placet(db_url, "people", "check", str(sheet))
    assert (said.code, said.out) == (3, f"people.csv {reads}")
    assert said.err.startswith("With these people fin-approvals-v4 cannot be kept. Mend one of them:\n- line ")
    other = tmp_path / "policy.toml"
    other.write_text(POLICY.read_text().replace('role = "finance-approver"', 'role = "treasurer"'))
    said = placet(db_url, "people", "check", str(PEOPLE), "--policy", str(other))
    assert (said.code, 'nobody active has the role "treasurer".' in said.err) == (3, True)


def test_what_is_left_to_slack_is_not_judged_by_the_file_alone(conn: Any, db_url: str, tmp_path: Path) -> None:
    database.apply_policy(conn)
    file = tmp_path / "people.toml"
    file.write_text(PEOPLE.read_text() + '[slack]\nteam = "T0ACME"\ngroups = { "fin" = "finance-approver" }\n')
    with untouched(conn):
        said = placet(db_url, "people", "check", str(file))
        assert said.code == 0
        assert said.out.endswith("for Slack to say, too: placet people sync --dry-run tells what comes of both.")
        for command in (["people", "import", str(file)], ["policy", "apply", str(POLICY), "--people", str(file)]):
            said = placet(db_url, *command)
            assert (said.code, "slack: with it Slack says who holds roles" in said.err) == (2, True)
