"""The verifier by itself: from the export, the checkpoints and the public key alone it finds whatever was altered, and what is gone."""

import ast
import json
import re
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine import checkpoints, verifier
from engine.rules import digest
from engine.state import events, runs
from tests import rows
from tests.bot.command_line import placet
from tests.engine.exported import Lines, altered, check, checkpoint, forged, give_out, pick, run_of


@pytest.fixture
def signed(conn: Any, db_url: str, tmp_path: Path) -> Path:
    return give_out(conn, db_url, tmp_path)


def test_a_record_that_holds_says_up_to_where_it_is_signed(signed: Path, conn: Any, db_url: str) -> None:
    code, said = check(signed)
    assert (code, "The record holds: " in said, "as of checkpoint 2, " in said, "0 moves are newer." in said) == (
        0, True, True, True,
    ), said  # fmt: skip
    rows.launched(conn)
    assert placet(db_url, "audit", "export", str(signed / "later.jsonl")).code == 0
    code, said = check(signed, "../later.jsonl", "../signed", "../signing.pub")
    assert (code, "1 moves are newer." in said) == (0, True), said
    code, said = check(signed, "../later.jsonl")
    assert (code, "was not looked for" in said) == (0, True), said


FIELDS: dict[str, tuple[str, str, str]] = {
    "who approved": ("approve", "actor", "ines"),
    "why": ("approve", "detail", "Too dear."),
    "where": ("approve", "surface", "slack:card"),
    "when": ("approve", "at", "1"),
    "what came of it": ("approve", "to_status", "denied"),
    "from where": ("approve", "from_status", "approved"),
    "which request": ("approve", "entity_id", "another"),
    "the digest of what was asked": ("open", "detail", "0" * 64),
    "a worker": ("claim", "actor", "w9"),
}


@pytest.mark.parametrize("what", FIELDS)
def test_an_altered_event_is_found_with_its_run(signed: Path, what: str) -> None:
    event, name, value = FIELDS[what]
    code, said = altered(signed, lambda lines: pick(lines, event).update({name: value}))
    assert code == 4, said
    lines = [json.loads(line) for line in (signed / "record.jsonl").read_text().splitlines()]
    assert f"Run {run_of(lines) if what != 'a worker' else ''}" in said


def unmarked(lines: Lines) -> None:
    """As the first release wrote it: it marked no event."""
    for line in lines:
        if line["record"] == "event":
            line["mark"] = None


@pytest.mark.parametrize(
    ("event", "which"), [("claim", "move 2 (claim)"), ("approve", "move 5 (approve)"), ("ask", "move 3 (open)")]
)
def test_an_altered_move_is_named(signed: Path, event: str, which: str) -> None:
    code, said = altered(signed, lambda lines: pick(lines, event).update(actor="w9"))
    assert (code, f"{which} is not as it was marked when it was written." in said) == (4, True), said


def test_an_altered_move_whose_mark_was_made_to_fit_is_told_by_the_next(signed: Path) -> None:
    def alter(lines: Lines) -> None:
        run_id = run_of(lines)
        own = [e for e in lines if e["record"] == "event" and e["run"] == run_id and e["seq"] == 2]
        head = verifier.link(
            verifier.GENESIS, [e for e in lines if e.get("run") == run_id and e.get("seq") == 1 and "n" in e]
        )
        own[0]["actor"] = "w9"
        own[0]["mark"] = verifier.link(head, own)[:16]

    assert "move 3 (open) is not as it was marked" in altered(signed, alter)[1]


def test_an_event_without_a_mark_among_marked_ones_of_its_move_is_found(signed: Path) -> None:
    assert (
        "move 3 (open) is not as it was marked"
        in altered(signed, lambda lines: pick(lines, "ask").update(mark=None))[1]
    )


def test_without_marks_checkpoints_narrow_down_which_move_it_is(signed: Path) -> None:
    def alter(lines: Lines) -> None:
        unmarked(lines)
        pick(lines, "claim").update(actor="w9")

    assert "one of the moves 1 to 3 is not as checkpoint 1 signed it" in altered(signed, alter)[1]


def test_without_marks_moves_after_a_checkpoint_are_told_from_those_before_it(signed: Path) -> None:
    def alter(lines: Lines) -> None:
        unmarked(lines)
        pick(lines, "approve").update(actor="otto")

    assert "one of the moves 4 to 5 is not as checkpoint 2 signed it" in altered(signed, alter)[1]
    assert "one of the moves 1 to 5 was altered, or the head was." in check(signed, "../record.jsonl")[1]


def test_a_record_of_both_releases_holds_and_is_narrowed_down(signed: Path) -> None:
    def older(lines: Lines) -> None:
        run_id = run_of(lines)
        for line in lines:
            if line["record"] == "event" and line["run"] == run_id and line["seq"] < 3:
                line["mark"] = None

    code, said = altered(signed, older)
    assert code == 0, said
    assert (
        "one of the moves 1 to 3 is not as it was marked"
        in altered(signed, lambda lines: pick(lines, "claim").update(actor="w9"))[1]
    )


def test_moves_that_are_gone_with_their_count_are_missed_at_the_head(signed: Path) -> None:
    def cut(lines: Lines) -> None:
        of = run_of(lines)
        lines[:] = [e for e in lines if not (e["record"] == "event" and e["run"] == of and e["seq"] > 3)]
        next(e for e in lines if e["record"] == "run" and e["run"] == of)["seq"] = 3

    altered(signed, cut)
    assert "moves after 3 are gone, or the head was altered." in check(signed, "../record.jsonl")[1]


def test_a_removed_move_is_named(signed: Path) -> None:
    code, said = altered(signed, lambda lines: lines.remove(next(e for e in lines if e.get("seq") == 4 and "n" in e)))
    assert (code, "move 4 is missing." in said) == (4, True), said


def test_a_record_cut_short_is_found_even_if_its_counts_and_heads_were_made_to_fit(signed: Path) -> None:
    def cut(lines: Lines) -> None:
        """What somebody does who can write to the database and knows how the chain is made."""
        of = run_of(lines)
        lines[:] = [e for e in lines if not (e["record"] == "event" and e["run"] == of and e["seq"] > 3)]
        _refit(lines, of)

    code, said = altered(signed, cut)
    assert (code, "move 4 is missing, and all up to 5 that checkpoint 2 has." in said) == (4, True), said


def test_a_rewritten_record_is_found_though_it_is_sound_by_itself(signed: Path) -> None:
    def rewrite(lines: Lines) -> None:
        pick(lines, "approve").update(actor="ines")
        _refit(lines, run_of(lines))

    code, said = altered(signed, rewrite)
    assert (code, "one of the moves 4 to 5 is not as checkpoint 2 signed it." in said) == (4, True), said
    code, said = check(signed, "../record.jsonl")
    assert code == 0, "without checkpoints it cannot be told"


def _refit(lines: Lines, run_id: str) -> None:
    head, moves = verifier.GENESIS, sorted({e["seq"] for e in lines if e["record"] == "event" and e["run"] == run_id})
    for seq in moves:
        own = [e for e in lines if e["record"] == "event" and e["run"] == run_id and e["seq"] == seq]
        head = verifier.link(head, own)
        for event in own:
            event["mark"] = head[:16]
    next(e for e in lines if e["record"] == "run" and e["run"] == run_id).update(seq=len(moves), head=head)


def test_two_moves_that_changed_places_are_found(signed: Path) -> None:
    def swap(lines: Lines) -> None:
        of = run_of(lines)
        for line in lines:
            if line["record"] == "event" and line["run"] == of and line["seq"] in (2, 3):
                line["seq"] = 5 - line["seq"]

    code, said = altered(signed, swap)
    assert (code, "move 2 was altered, or one before it is gone" in said) == (4, True), said


def test_a_move_that_was_added_is_named(signed: Path) -> None:
    code, said = altered(signed, lambda lines: lines.append({**pick(lines, "approve"), "seq": 6, "to_status": None}))
    assert (code, "move 6 (approve) was added after the 5 that are counted." in said) == (4, True), said


def test_a_move_that_was_added_before_the_first_is_named(signed: Path) -> None:
    def add(lines: Lines) -> None:
        event = next(
            line for line in lines if line["record"] == "event" and line["event"] == "approve" and line["to_status"]
        )
        lines.append({**event, "seq": 0})

    code, said = altered(signed, add)
    assert code == 4
    assert re.search(r"Run \S+: move 0 \(approve\) was added before the first\.", said)


def test_an_altered_request_is_found_by_the_event_that_asked(signed: Path) -> None:
    def cheaper(lines: Lines) -> None:
        request = next(line for line in lines if line["record"] == "request")
        request["document"] = request["document"].replace("38,000.00", "3,800.00")

    code, said = altered(signed, cheaper)
    assert (code, "what move 3 (open) asked for is not what is stored of it." in said) == (4, True), said


@pytest.mark.parametrize("place", ["before", "after"])
def test_a_forged_request_beside_the_true_one_is_named_with_its_line(signed: Path, place: str) -> None:
    where = list[int]()

    def add(lines: Lines) -> None:
        true = next(n for n, line in enumerate(lines) if line["record"] == "request")
        lines.insert(true + (place == "after"), forged(lines))
        where.extend((true + 2, true + 1))

    code, said = altered(signed, add)
    assert (code, f": line {where[0]} is a second request " in said, f", as line {where[1]} is" in said) == (
        4, True, True,
    ), said  # fmt: skip
    assert said.startswith("Run ")
    assert check(signed, "../record.jsonl") == (4, said), "it is told without checkpoints, too"


def test_a_request_that_no_move_opened_is_named_with_its_line(signed: Path) -> None:
    pause = "01a22e71-0000-71ba-9ca6-000000000000"
    code, said = altered(signed, lambda lines: lines.append(forged(lines, pause=pause)))
    last = len((signed / "record.jsonl").read_text().splitlines())
    assert (code, f": line {last} is a request {pause} that no move opened: it was added." in said) == (4, True), said


def test_a_request_in_another_run_than_the_one_that_asked_is_named_with_its_line(signed: Path) -> None:
    def add(lines: Lines) -> None:
        other = next(
            line["run"] for line in reversed(lines) if line["record"] == "run" and line["run"] != run_of(lines)
        )
        lines.append(forged(lines, run=other))

    code, said = altered(signed, add)
    assert (code, "that no move opened: it was added." in said) == (4, True), said


def test_a_request_of_a_run_that_is_not_there_is_named_with_its_line(signed: Path) -> None:
    code, said = altered(signed, lambda lines: lines.insert(1, forged(lines, run="another")))
    assert (code, said) == (
        4,
        "Run another: line 2 is a request of it, and no line before it begins it.\n",
    )


def test_a_whole_missing_run_is_found_by_the_checkpoints(signed: Path, conn: Any, db_url: str) -> None:
    """It is deleted from the database with all it left behind, so that what is there is sound by itself."""
    [gone] = [line.id for line in runs.listed(conn) if line.status == "queued" and not line.waiting_pauses][:1]
    with conn.transaction():
        conn.execute("SET LOCAL session_replication_role = replica")
        for table in ("run_event", "run_message", "run_content", "run_call", "run_pause", "run_lease", "notice"):
            conn.execute(f"DELETE FROM {table} WHERE run_id = %s", (gone,))
        conn.execute("DELETE FROM run WHERE id = %s", (gone,))
    assert placet(db_url, "audit", "export", str(signed / "after.jsonl")).code == 0
    code, said = check(signed, "../after.jsonl", "../signed", "../signing.pub")
    assert (code, f"Run {gone} is missing: checkpoint" in said) == (4, True), said
    assert check(signed, "../after.jsonl")[0] == 0
    refused = placet(db_url, "audit", "checkpoint", str(signed / "signed"), "--key", str(signed / "signing"))
    assert (refused.code, f"Run {gone} is gone" in refused.err) == (4, True)
    assert len(list((signed / "signed").iterdir())) == 2, "nothing was signed"


def test_an_export_from_before_a_checkpoint_is_no_alarm_and_is_to_be_made_anew(
    signed: Path, conn: Any, db_url: str
) -> None:
    rows.launched(conn)
    checkpoints.write(signed / "signed", checkpoints.read_key(signed / "signing"), events.heads(conn))
    code, said = check(signed)
    assert (code, "is older than checkpoint 3" in said, "Export anew" in said) == (2, True, True)
    signing = ("--checkpoints", str(signed / "signed"), "--public-key", str(signed / "signing.pub"))
    assert placet(db_url, "audit", "check", str(signed / "record.jsonl"), *signing).code == 2
    code, said = altered(signed, lambda lines: pick(lines, "approve").update(actor="otto"))
    assert (code, said.startswith("Run ")) == (4, True)


def test_checkpoints_are_read_by_number_however_many_digits_that_has(tmp_path: Path) -> None:
    names = ["checkpoint-000002", "checkpoint-999999", "checkpoint-1000000", "checkpoint-1000001", "checkpoint-x"]
    for name in reversed(names):
        (tmp_path / f"{name}.json").touch()
    assert [path.stem for path in verifier.in_order(tmp_path)] == names


# ----------------------------------------------------------------------------------------------------------- checkpoints


def test_a_checkpoint_that_was_altered_is_found(signed: Path) -> None:
    text = checkpoint(signed, 1).read_text()
    checkpoint(signed, 1).write_text(text.replace('\\"runs\\": 3', '\\"runs\\": 2'))
    assert checkpoint(signed, 1).read_text() != text
    code, said = check(signed)
    assert (code, "checkpoint-000001.json does not bear the signature of this key" in said) == (4, True), said


def test_a_checkpoint_that_is_missing_in_between_is_found(signed: Path) -> None:
    checkpoint(signed, 1).unlink()
    assert check(signed) == (
        4,
        "Checkpoint 1 is missing, or another took its place: checkpoint-000002.json is number 2.\n",
    )


def test_a_checkpoint_that_was_signed_anew_does_not_fit_the_next(signed: Path, conn: Any) -> None:
    kept = checkpoint(signed, 2).rename(signed / "kept")
    checkpoint(signed, 1).unlink()
    checkpoints.write(signed / "signed", checkpoints.read_key(signed / "signing"), events.heads(conn))
    kept.rename(checkpoint(signed, 2))
    code, said = check(signed)
    assert (code, "Checkpoint 2 does not follow from the one before it" in said) == (4, True), said


def test_checkpoints_of_another_key_are_not_taken(signed: Path) -> None:
    checkpoints.keygen(signed / "other")
    assert check(signed, "../record.jsonl", "../signed", "../other.pub")[0] == 4


@pytest.mark.parametrize(
    ("given", "says"),
    [
        (["../record.jsonl", "../signed"], "Give the export; and, to look for missing runs"),
        (["../nothing.jsonl"], "nothing.jsonl is no export that can be read"),
        (["../signing"], "signing is no export that can be read"),
        (["../record.jsonl", "../alone", "../signing.pub"], "holds no checkpoint"),
        (["../record.jsonl", "../signed", "../nothing.pub"], "No such file"),
        (["../record.jsonl", "../signed", "../record.jsonl"], "The public key is no Ed25519 key"),
    ],
)
def test_what_cannot_be_read_is_no_alarm(signed: Path, given: list[str], says: str) -> None:
    code, said = check(signed, *given)
    assert (code, says in said) == (2, True), said


def test_an_export_cut_short_cannot_be_read(signed: Path) -> None:
    path = signed / "record.jsonl"
    lines = path.read_text().splitlines()
    last_run = max(n for n, line in enumerate(lines) if json.loads(line)["record"] == "run")
    path.write_text("\n".join(lines[:last_run]))
    code, said = check(signed)
    assert (code, "it is cut short, or was altered" in said) == (2, True), said


# ------------------------------------------------------------------------------------------------------------- by itself


def test_it_needs_nothing_but_the_standard_library_and_the_one_package() -> None:
    needed = set()
    for node in ast.walk(ast.parse(Path(verifier.__file__).read_text("utf-8"))):
        match node:
            case ast.Import(names=names):
                needed |= {name.name.partition(".")[0] for name in names}
            case ast.ImportFrom(module=str(module), level=0):
                needed.add(module.partition(".")[0])
            case ast.ImportFrom():
                needed.add("something of Placet")
    assert needed - sys.stdlib_module_names == {"cryptography"}


EVENT = st.fixed_dictionaries({name: st.none() | st.text(st.characters(codec="utf-8")) for name in verifier.FIELDS})


@settings(max_examples=200)
@given(st.text("0123456789abcdef", min_size=64, max_size=64), st.lists(EVENT, min_size=1, max_size=3))
def test_its_links_are_those_of_the_chain(head: str, made: list[dict[str, str | None]]) -> None:
    assert verifier.FIELDS == digest.CHAIN_FIELDS
    assert verifier.GENESIS == digest.GENESIS
    assert verifier.link(head, made) == digest.link(head, made)
