"""`placet people` and `placet policy`: a document is taken whole or refused with every fault, and what it changes is said."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from engine.rules.people import People, Person
from engine.state import db, people, policies
from tests import database
from tests.bot.command_line import EXAMPLES, Said, placet, untouched
from tests.engine.state.meeting import until_one_waits

PEOPLE, POLICY = EXAMPLES / "people.toml", EXAMPLES / "policy.toml"


def changed(file: Path, folder: Path, old: str, new: str) -> str:
    text = file.read_text(encoding="utf-8")
    assert old in text
    copy = folder / file.name
    copy.write_text(text.replace(old, new), encoding="utf-8")
    return str(copy)


# ---------------------------------------------------------------------------------------------------------------- people


def test_people_are_listed(db_url: str) -> None:
    said = placet(db_url, "people")
    assert said.code == 0
    assert "marta Marta Keller finance-approver otto T0ACME:U0MARTA payments:write" in said.out
    assert any(line.startswith("lena") and line.endswith("has left") for line in said.out.splitlines())


def test_an_import_says_what_it_changes(conn: Any, db_url: str, tmp_path: Path) -> None:
    file = changed(PEOPLE, tmp_path, 'name = "Jonas Weber"', 'name = "Jonas Meyer"')
    said = placet(db_url, "people", "import", file, "--as", "otto")
    assert (said.code, said.out) == (0, "changed: jonas (name)")
    found = people.everybody(conn).get("jonas")
    assert found is not None
    assert found.name == "Jonas Meyer"
    with untouched(conn):
        assert placet(db_url, "people", "import", file).out == "Everything is as the file says; nothing was changed."


def test_a_dry_run_of_an_import_writes_nothing(conn: Any, db_url: str, tmp_path: Path) -> None:
    file = tmp_path / "people.toml"
    file.write_text('[[person]]\nid = "zoe"\nname = "Zoe"\n')
    with untouched(conn):
        said = placet(db_url, "people", "import", str(file), "--dry-run")
    assert said.code == 0
    assert "new: zoe (Zoe)" in said.out
    assert "deactivated: marta (Marta Keller), who is not in the file" in said.out
    assert said.out.endswith("Nothing was written.")


STRANDED = "With these people fin-approvals-v4 cannot be kept. Mend one of them:"
REFUSED = "So this is refused, and nothing was changed. With --even-so it is done all the same."


def without_approvers(folder: Path) -> str:
    return changed(PEOPLE, folder, 'roles = ["finance-approver"]\n', "")


@pytest.mark.parametrize("options", [[], ["--dry-run"]])
def test_an_import_that_leaves_a_rule_to_nobody_is_refused(
    options: list[str], conn: Any, db_url: str, tmp_path: Path
) -> None:
    database.apply_policy(conn)
    with untouched(conn):
        said = placet(db_url, "people", "import", without_approvers(tmp_path), *options)
    assert said.code == 3
    assert STRANDED in said.err
    assert 'role: nobody active has the role "finance-approver".' in said.err
    assert said.err.endswith(REFUSED)
    assert "changed: marta (roles)" in said.out


def test_what_leaves_a_rule_to_nobody_is_imported_if_it_is_wanted_even_so(
    conn: Any, db_url: str, tmp_path: Path
) -> None:
    database.apply_policy(conn)
    said = placet(db_url, "people", "import", without_approvers(tmp_path), "--even-so")
    assert (said.code, STRANDED in said.err, REFUSED in said.err) == (0, True, False)
    assert people.holders(conn, "finance-approver") == []
    further = changed(tmp_path / "people.toml", tmp_path, "Jonas Weber", "Jonas Meyer")
    said = placet(db_url, "people", "import", further)  # which strands nothing that could be kept before
    assert (said.code, said.out, STRANDED in said.err) == (0, "changed: jonas (name)", True)


def test_an_import_that_meets_another_tells_what_it_replaced(conn: Any, db_url: str, tmp_path: Path) -> None:
    with_nora = People((*database.example_people(), Person(id="nora", name="Nora Berg")))
    file = changed(PEOPLE, tmp_path, 'name = "Jonas Weber"', 'name = "Jonas Meyer"')
    said = imported_while(conn, db_url, file, lambda other: people.load(other, with_nora, actor="ines"))
    assert said.code == 0
    assert said.err.splitlines() == [
        "Somebody else changed people meanwhile, and this replaced what they did:",
        "new: nora (Nora Berg)",
    ]
    assert said.out.splitlines() == ["changed: jonas (name)", "deactivated: nora (Nora Berg), who is not in the file"]
    nora = people.everybody(conn).get("nora")
    assert nora is not None
    assert not nora.active


def test_an_import_that_strands_a_policy_of_that_moment_is_an_alarm(conn: Any, db_url: str, tmp_path: Path) -> None:
    said = imported_while(conn, db_url, without_approvers(tmp_path), database.apply_policy)
    assert (said.code, said.err.startswith(STRANDED), REFUSED in said.err) == (4, True, False)
    assert people.holders(conn, "finance-approver") == []


def imported_while(conn: Any, db_url: str, file: str, other: Callable[[Any], object]) -> Said:
    """Import a file, and have something else done after it was looked at and before it is written."""
    with database.connect(db_url) as holder, ThreadPoolExecutor(1) as thread:
        with holder.transaction():
            holder.execute("SELECT FROM run WHERE id = %s FOR UPDATE", (db.SYSTEM_RUN,))
            importing = thread.submit(placet, db_url, "people", "import", file)
            until_one_waits(conn, importing)
            other(holder)
        return importing.result()


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (('manager = "otto"', 'manager = "nobody"'), '"nobody" is nobody here.'),
        (('id = "jonas"', 'id = "priya"'), '"priya" is somebody already.'),
        (("roles", "rolls"), "no such key is known here. Did you mean roles?"),
        (("[[person]]", "[[person"), "it is not TOML"),
    ],
)
def test_people_with_a_fault_are_refused_whole(
    change: tuple[str, str], sentence: str, conn: Any, db_url: str, tmp_path: Path
) -> None:
    file = changed(PEOPLE, tmp_path, *change)
    with untouched(conn):
        said = placet(db_url, "people", "import", file)
    assert said.code == 2
    assert "The document is refused, and nothing was changed:" in said.err
    assert sentence in said.err


@pytest.mark.parametrize(
    "command", [["people", "import"], ["people", "check"], ["policy", "check"], ["policy", "apply"]]
)
def test_a_document_that_is_not_there_is_said_by_name(command: list[str], conn: Any, db_url: str) -> None:
    with untouched(conn):
        said = placet(db_url, *command, "nowhere.toml")
    changes = command[1] in ("import", "apply")
    refused = "Refused, and nothing was changed." if changes else "Refused."
    assert (said.code, said.err) == (2, f"{refused} nowhere.toml: there is no such file. Check the path.")


@pytest.mark.parametrize("command", [["people", "import"], ["policy", "check"], ["policy", "apply"]])
@pytest.mark.parametrize("text", ["a = " + "[" * 5_000, "a = " + "{b=" * 5_000])
def test_a_document_that_is_nested_too_deep_is_refused_in_words(
    command: list[str], text: str, conn: Any, db_url: str, tmp_path: Path
) -> None:
    (tmp_path / "deep.toml").write_text(text)
    with untouched(conn):
        said = placet(db_url, *command, str(tmp_path / "deep.toml"))
    assert (said.code, "the document: it is nested too deep to be read." in said.err) == (2, True), said


def test_nobody_imports_or_applies_in_a_strangers_name(conn: Any, db_url: str) -> None:
    for command in (["people", "import", str(PEOPLE)], ["policy", "apply", str(POLICY)]):
        with untouched(conn):
            said = placet(db_url, *command, "--as", "nobody")
        assert (said.code, "--as: nobody has the id 'nobody'." in said.err) == (2, True)


# ---------------------------------------------------------------------------------------------------------------- policy


def test_a_policy_is_checked_against_people_in_the_database_or_in_a_file(conn: Any, db_url: str) -> None:
    with untouched(conn):
        said = placet(db_url, "policy", "check", str(POLICY))
    assert (said.code, said.out) == (0, "fin-approvals-v4 can be put in force: 5 rules, nothing wrong.")
    assert placet(None, "policy", "check", str(POLICY), "--people", str(PEOPLE)).code == 0


def test_a_policy_is_checked_by_itself_where_nobody_says_who_is_who(tmp_path: Path) -> None:
    said = placet(None, "policy", "check", str(POLICY))
    assert said.code == 0
    assert said.out.splitlines() == [
        "fin-approvals-v4 reads well by itself: 5 rules, nothing wrong.",
        "It was not checked against people: give --people people.toml, or set DATABASE_URL.",
    ]
    wrong = placet(None, "policy", "check", changed(POLICY, tmp_path, 'on_expiry = "deny"', 'on_expiry = "approve"'))
    assert (wrong.code, "silence is never a yes." in wrong.err) == (2, True)


def test_names_of_arguments_are_held_to_the_tools_of_the_agents(conn: Any, db_url: str, tmp_path: Path) -> None:
    wrong = changed(POLICY, tmp_path, 'finally = "deny"', 'finally = "deny"\nconfirm = "pament_method"')
    for command in ("check", "apply"):
        with untouched(conn):
            said = placet(db_url, "policy", command, wrong)
        assert said.code == 2
        assert "confirm: charge_supplier has no pament_method. Did you mean payment_method?" in said.err
    unchecked = "Names of arguments were not checked against tools"
    said = placet(db_url, "policy", "check", wrong, PLACET_AGENTS="")
    assert (said.code, f"{unchecked}: give --agents, or set PLACET_AGENTS." in said.out) == (0, True)
    said = placet(db_url, "policy", "check", wrong, "--agents", "no.such")
    assert (said.code, f"{unchecked}. no.such cannot be imported" in said.out) == (0, True)
    other = changed(POLICY, tmp_path, 'action = "release"', 'action = "relase"')
    said = placet(db_url, "policy", "check", other)
    assert "No tool of these agents has the action relase, so names of its arguments were not checked." in said.out
    assert unchecked in placet(db_url, "policy", "apply", wrong, PLACET_AGENTS="").out


def test_a_policy_is_explained_from_files_alone() -> None:
    large = ("--action", "payment", "--amount", "38000", "--currency", "EUR")
    files = ("policy", "explain", "--policy", str(POLICY))
    with_people = placet(None, *files, "--people", str(PEOPLE), *large, "--for", "priya")
    assert with_people.code == 0
    assert "what it needs asks Marta Keller; 4 hours to answer" in with_people.out
    assert "not checked" not in with_people.out
    alone = placet(None, *files, *large)
    assert alone.code == 0
    assert "what it needs asks marta; 4 hours to answer" in alone.out
    assert alone.out.endswith("It was not checked against people: give --people people.toml, or set DATABASE_URL.")
    assert "asks whoever has the role finance-approver" in placet(None, *files).out
    unknown = placet(None, *files, *large, "--for", "priya")
    assert (unknown.code, "--for: who is who is not known. Give --people" in unknown.err) == (2, True)
    assert "DATABASE_URL is not set." in placet(None, "policy", "explain").err


def test_every_fault_of_a_policy_is_said_with_its_line(conn: Any, db_url: str, tmp_path: Path) -> None:
    text = (
        POLICY.read_text()
        .replace('person = "marta"', 'person = "nobody"')
        .replace('on_expiry = "deny"', 'on_expiry = "approve"')
    )
    file = tmp_path / "policy.toml"
    file.write_text(text)
    for command in ("check", "apply"):
        with untouched(conn):
            said = placet(db_url, "policy", command, str(file))
        assert said.code == 2
        assert 'rule "large payment", person' in said.err
        assert "silence is never a yes." in said.err
        assert said.err.count("- line ") == 3


def test_a_policy_is_put_in_force_once_and_never_changed(conn: Any, db_url: str, tmp_path: Path) -> None:
    said = placet(db_url, "policy", "apply", str(POLICY), "--as", "otto")
    assert (said.code, said.out) == (0, "fin-approvals-v4 is in force.")
    assert policies.current(conn).version == "fin-approvals-v4"
    assert (
        placet(db_url, "policy", "apply", str(POLICY)).out
        == "fin-approvals-v4 is in force already; nothing was changed."
    )
    other = changed(POLICY, tmp_path, 'answer_within = "4h"', 'answer_within = "5h"')
    with untouched(conn):
        said = placet(db_url, "policy", "apply", other)
    assert said.code == 3
    assert "fin-approvals-v4 is on record with another text." in said.err


def test_whoever_begins_to_count_payments_together_is_told_that_earlier_ones_are_not(
    conn: Any, db_url: str, tmp_path: Path
) -> None:
    told = "Of payment, what was paid before now was not counted: what goes to one payee counts together from here on."
    plain = (database.EXAMPLES / "policy.toml").read_text()
    for version, window, says in (
        ("v1", "", False),
        ("v2", "1d", True),
        ("v3", "2d", False),
        ("v4", "", False),
        ("v5", "1d", True),
    ):
        file = tmp_path / f"{version}.toml"
        text = plain.replace("fin-approvals-v4", version)
        file.write_text(text + (f'\n[spend_window]\npayment = "{window}"\n' if window else ""))
        said = placet(db_url, "policy", "apply", str(file))
        assert said.out.splitlines()[0] == f"{version} is in force."
        assert (told in said.out) == says


def test_a_policy_is_explained_for_one_action_and_as_a_whole(conn: Any, db_url: str) -> None:
    database.apply_policy(conn)
    with untouched(conn):
        one = placet(
            db_url,
            "policy",
            "explain",
            "--action",
            "payment",
            "--amount",
            "38000",
            "--currency",
            "eur",
            "--for",
            "priya",
        )
        whole = placet(db_url, "policy", "explain")
    assert one.code == 0
    assert "what it needs asks Marta Keller; 4 hours to answer" in one.out
    assert "after 4 hours it goes to the manager of the approver; after 8 hours it counts as not approved" in one.out
    assert (
        "payment payment over EUR 1,000.00 up to EUR 10,000.00 asks whoever has the role finance-approver" in whole.out
    )
    assert "foreign payment payment any other currency" in whole.out
    forbidden = placet(db_url, "policy", "explain", "--action", "gift", "--policy", str(POLICY))
    assert 'forbidden: No rule of fin-approvals-v4 names "gift"' in forbidden.out


@pytest.mark.parametrize(
    ("args", "sentence"),
    [
        (["--amount", "5", "--currency", "EUR"], "--action: it is missing."),
        (["--action", "payment", "--amount", "5"], "--amount: an amount and its currency belong together."),
        (
            ["--action", "payment", "--amount", "5,00", "--currency", "EUR"],
            "--amount: '5,00' cannot be read with certainty",
        ),
        (
            ["--action", "payment", "--amount", "5", "--currency", "EURO"],
            "--currency: 'EURO' is no current ISO 4217 code",
        ),
        (["--action", "payment", "--for", "nobody"], "--for: nobody has the id 'nobody'."),
        (["--action", "payment"], "No policy is in force."),
    ],
)
def test_an_explanation_asked_for_wrongly_is_refused(args: list[str], sentence: str, conn: Any, db_url: str) -> None:
    with untouched(conn):
        said = placet(db_url, "policy", "explain", *args)
    assert (said.code, sentence in said.err) == (2, True), said
