"""`placet audit`: what is altered is named with its run and move, and the record can be given out, signed and checked elsewhere."""

import csv
import json
import stat
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest

from engine import checkpoints
from engine.rules.seal import Keys
from engine.state import pauses
from tests import rows
from tests.bot.command_line import placet

SEALS = {"PLACET_SEAL_KEY": "k1:" + bytes(range(32)).hex()}


@pytest.fixture
def decided(conn: Any) -> UUID:
    """A run that was decided: launch, claim, ask, a refused try, approve."""
    [pause_id] = rows.waiting(conn)
    pauses.approve(conn, pause_id, "jonas", surface="tests")
    pauses.approve(conn, pause_id, "marta", surface="tests", reason='=HYPERLINK("http://x")')
    return pauses.get(conn, pause_id).run_id


def test_the_first_run_and_move_that_do_not_hold_are_named(conn: Any, db_url: str, decided: UUID) -> None:
    other = rows.launched(conn)
    conn.execute(
        "UPDATE run_event SET actor = 'ines' WHERE run_id = %s AND event = 'approve' AND to_status IS NOT NULL",
        (decided,),
    )
    conn.execute("DELETE FROM run_event WHERE run_id = %s", (other,))
    said = placet(db_url, "audit", "verify")
    assert said.code == 4
    first, second, last = said.err.splitlines()
    assert first.startswith(f"run_{decided.hex[-6:]} was altered at move 5 (approve). Its words are not those")
    assert second == f"run_{other.hex[-6:]} was altered at move 1. It was removed."
    assert last == "Stop and find out who could write to the database."


def test_a_run_that_was_deleted_is_missed_for_what_it_left_behind(conn: Any, db_url: str) -> None:
    run_id = rows.launched(conn)
    with conn.transaction():
        conn.execute("SET LOCAL session_replication_role = replica")
        conn.execute("DELETE FROM run WHERE id = %s", (run_id,))
    said = placet(db_url, "audit", "verify")
    assert (said.code, f"run_{run_id.hex[-6:]} is gone, and some of what it left is still there." in said.err) == (
        4,
        True,
    )


def test_the_record_is_given_out_as_lines_of_json(conn: Any, db_url: str, decided: UUID) -> None:
    said = placet(db_url, "audit", "export", "-")
    lines = [json.loads(line) for line in said.out.splitlines()]
    assert [lines[0]["record"], lines[0]["runs"]] == ["export", 2]
    own = [line for line in lines if line.get("run") == str(decided)]
    assert [line["record"] for line in own] == ["run", *["event"] * 7, "request"]
    assert json.loads(own[-1]["document"])["proposed_action"]["tool"] == "charge_supplier"


def test_the_record_as_csv_holds_nothing_that_a_spreadsheet_would_run(
    db_url: str, decided: UUID, tmp_path: Path
) -> None:
    out = tmp_path / "record.csv"
    said = placet(db_url, "audit", "export", str(out), "--format", "csv")
    assert (said.code, "events of 2 runs." in said.out) == (0, True)
    with out.open(newline="") as file:
        read = list(csv.DictReader(file))
    events = [row for row in read if row["run"] == str(decided) and row["record"] == "event"]
    assert len(events) == 7
    [approved] = [row for row in events if row["event"] == "approve" and row["to_status"]]
    assert (approved["actor"], approved["detail"]) == ("marta", '\'=HYPERLINK("http://x")')
    assert approved["at_utc"].endswith("+00:00")


def test_an_export_overwrites_nothing(db_url: str, tmp_path: Path) -> None:
    (tmp_path / "there").write_text("kept")
    said = placet(db_url, "audit", "export", str(tmp_path / "there"))
    assert (said.code, "it is there already, and is not overwritten" in said.err) == (2, True)
    assert (tmp_path / "there").read_text() == "kept"


def test_a_signed_record_can_be_checked_without_its_database(db_url: str, decided: UUID, tmp_path: Path) -> None:
    key, signed, out = tmp_path / "signing", tmp_path / "signed", tmp_path / "record.jsonl"
    assert placet(None, "audit", "keygen", str(key)).code == 0
    assert stat.S_IMODE(key.stat().st_mode) == 0o600
    assert "PRIVATE" not in (tmp_path / "signing.pub").read_text()
    for n in (1, 2):
        said = placet(db_url, "audit", "checkpoint", str(signed), "--key", str(key))
        assert (said.code, f"checkpoint-00000{n}.json signs 2 runs." in said.out) == (0, True), said
    assert placet(db_url, "audit", "export", str(out)).code == 0
    with_key = ("--checkpoints", str(signed), "--public-key", f"{key}.pub")
    said = placet(None, "audit", "check", str(out), *with_key)
    assert (said.code, "No run is missing as of checkpoint 2" in said.out) == (0, True), said
    out.write_text(out.read_text().replace('"actor": "marta"', '"actor": "ines"'))
    said = placet(None, "audit", "check", str(out), *with_key)
    assert (said.code, "move 5 (approve) is not as it was marked" in said.err) == (4, True), said


@pytest.mark.parametrize(
    ("args", "says"),
    [
        (("keygen", "{there}"), "it is there already, and is not overwritten"),
        (("keygen", "{there}/x"), "it cannot be written"),
        (("checkpoint", "{folder}", "--key", "{there}"), "it is no key that placet audit keygen made."),
        (
            ("checkpoint", "{folder}", "--key", "{folder}/none"),
            "it cannot be read (No such file or directory). Make one",
        ),
        (("checkpoint", "{there}", "--key", "{key}"), "there: it is a file. Name a folder, which is made if need be."),
        (
            ("checkpoint", "{there}/x", "--key", "{key}"),
            "there/x: it cannot be used as a folder (Not a directory). Name",
        ),
        (
            ("checkpoint", "{folder}" + "x" * 300, "--key", "{key}"),
            "it cannot be used as a folder (File name too long).",
        ),
        (("checkpoint", "{odd}", "--key", "{key}"), "checkpoint-000001.json: it cannot be read (Is a directory)."),
        (("check", "{there}"), "is no export that can be read"),
        (("check", "{there}", "--public-key", "{there}"), "it goes with --public-key, and neither without the other"),
    ],
)
def test_what_cannot_be_used_is_refused(db_url: str, tmp_path: Path, args: tuple[str, ...], says: str) -> None:
    (tmp_path / "there").write_text("not what it should be")
    (tmp_path / "odd" / "checkpoint-000001.json").mkdir(parents=True)
    checkpoints.keygen(tmp_path / "key")
    places = {name: tmp_path / name for name in ("there", "key", "odd")}
    given = [part.format(folder=tmp_path / "signed", **places) for part in args]
    said = placet(db_url, "audit", *given)
    assert (said.code, says in said.err) == (2, True), said


# ------------------------------------------------------------------------------------------------------------ the shell


def test_a_sealed_request_is_not_decided_where_there_is_no_key(conn: Any, db_url: str) -> None:
    conn.keys = Keys.parse(SEALS["PLACET_SEAL_KEY"])
    [pause_id] = rows.waiting(conn)
    said = placet(db_url, "approve", str(pause_id), "--as", "marta")
    assert (said.code, "Set PLACET_SEAL_KEY here as it is elsewhere." in said.err) == (3, True), said
    assert pauses.get(conn, pause_id).status == "waiting"
    assert placet(db_url, "approve", str(pause_id), "--as", "marta", **SEALS).code == 0
    assert pauses.get(conn, pause_id).approval == "holds"


def test_a_key_that_is_none_is_refused_with_what_to_do(db_url: str) -> None:
    said = placet(db_url, "pending", PLACET_SEAL_KEY="k1:abcd")
    assert said.code == 2
    assert "PLACET_SEAL_KEY cannot be used: key k1 has 2 bytes, and a key has at least 32. Set it to" in said.err
