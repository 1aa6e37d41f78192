"""What the verifier is given and cannot read: a sentence with the line and what is wrong with it, never an alarm and never a traceback."""

import base64
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from engine import verifier
from tests.bot.command_line import placet
from tests.engine.exported import Lines, altered, check, checkpoint, forged, give_out, pick


@pytest.fixture
def signed(conn: Any, db_url: str, tmp_path: Path) -> Path:
    return give_out(conn, db_url, tmp_path)


def put(**other: Any) -> Callable[[Lines], object]:
    """Something else in the line that tells of the claim."""
    return lambda lines: pick(lines, "claim").update(other)


def without(event: str, name: str) -> Callable[[Lines], object]:
    return lambda lines: pick(lines, event).pop(name)


def in_the(record: str, **other: Any) -> Callable[[Lines], object]:
    """Something else in the first line of this kind."""
    return lambda lines: next(line for line in lines if line["record"] == record).update(other)


UNREADABLE: dict[str, tuple[Callable[[Lines], object], str]] = {
    "a detail that is a number": (put(detail=5), "its detail is not text or null"),
    "half a character": (put(detail="\ud800"), "surrogates not allowed"),
    "half a character in a name": (in_the("run", **{"\udfff": 1}), "line 2 is not JSON that can be read"),
    "no actor": (without("claim", "actor"), "(event): its actor is missing"),
    "an actor that is a list": (put(actor=["marta"]), "its actor is not text or null"),
    "a mark that is a list": (put(mark=[]), "its mark is not text or null"),
    "a move that is text": (put(seq="2"), "its seq is not a whole number"),
    "a move that is a truth": (put(seq=True), "its seq is not a whole number"),
    "a place that is a fraction": (put(n=1.5), "its n is not a whole number"),
    "a count that is none": (in_the("run", seq=float("nan")), "line 2 (run): its seq is not a whole number"),
    "a run without a name": (in_the("run", run=None), "line 2 (run): its run is not text"),
    "an event of a run that is a list": (put(run=[]), "its run is not text"),
    "an event of a run that is not there": (put(run="another"), "is of run another, which no line before it begins"),
    "a run twice": (lambda lines: lines.insert(2, lines[1]), "line 3 begins its run a second time"),
    "an export in an export": (lambda lines: lines.insert(2, lines[0]), "line 3 begins its export a second time"),
    "a request without what it asked": (
        lambda lines: next(line for line in lines if line["record"] == "request").pop("document"), "(request): its document is missing",
    ),
    "another kind of record": (put(record="approval"), "is none of export, run, event, request"),
    "a record that is a list": (put(record=[]), "is none of export, run, event, request"),
    "no record": (without("claim", "record"), "is none of export, run, event, request"),
    "a time that is a number": (in_the("export", at=5), "line 1 (export): its at is not text"),
    "a number of runs that is text": (in_the("export", runs="3"), "line 1 (export): its runs is not a whole number"),
    "another format": (in_the("export", format="placet.export.v9"), "it does not begin as placet.export.v1"),
    "no beginning": (lambda lines: lines.pop(0), "it does not begin as placet.export.v1"),
}  # fmt: skip


@pytest.mark.parametrize("what", UNREADABLE)
def test_a_line_that_is_not_what_it_should_be_is_told_with_its_number(signed: Path, what: str) -> None:
    change, says = UNREADABLE[what]
    code, said = altered(signed, change)
    assert (code, says in said, said.count("\n")) == (2, True, 1), said
    beginning = what in ("another format", "no beginning")
    assert beginning or re.search(r"record\.jsonl is no export that can be read: line \d+ ", said), said
    assert said.endswith("Make it again: placet audit export.\n")


TWICE = '{"record": "run", "run": "a", "run": "b", "seq": 0, "head": ""}'


@pytest.mark.parametrize(
    ("line", "says"),
    [
        (b"[1]", "is none of export, run, event, request"),
        (b"7", "is none of export, run, event, request"),
        (b"", "is not JSON that can be read (Expecting value)"),
        (b"\0", "is not JSON that can be read (Expecting value)"),
        (b"\xff\xfe", "is not JSON that can be read ('utf-8' codec can't decode byte 0xff"),
        (b"[" * 100_000, "is not JSON that can be read (maximum recursion depth exceeded"),
        (b'{"a":' * 100_000, "is not JSON that can be read (maximum recursion depth exceeded"),
        (b"1" * 5_000, "is not JSON that can be read (Exceeds the limit"),
        (TWICE.encode(), "is not JSON that can be read (a name is in it twice)"),
    ],
    ids=[
        "a list",
        "a number",
        "empty",
        "a nul",
        "not UTF-8",
        "deep lists",
        "deep objects",
        "a long number",
        "a name twice",
    ],
)
def test_a_line_that_is_no_object_is_told_with_its_number(signed: Path, line: bytes, says: str) -> None:
    path = signed / "record.jsonl"
    first, *others = path.read_bytes().splitlines()
    for n, lines in ((1, [line, *others]), (2, [first, line, *others])):
        path.write_bytes(b"\n".join(lines))
        code, said = check(signed)
        assert (code, f"line {n} {says}" in said, said.count("\n")) == (2, True, 1), said


def test_an_empty_export_is_none(signed: Path) -> None:
    (signed / "record.jsonl").write_text("")
    code, said = check(signed)
    assert (code, "it does not begin as placet.export.v1" in said) == (2, True), said


@pytest.mark.parametrize(
    "text", ["[" * 100_000, "[]", '{"body": 5, "signature": "x"}', '{"body": "\\ud800", "signature": ""}']
)
def test_a_checkpoint_that_is_none_is_an_alarm(signed: Path, text: str) -> None:
    checkpoint(signed, 1).write_text(text)
    code, said = check(signed)
    assert (code, "checkpoint-000001.json does not bear the signature of this key" in said) == (4, True), said
    refused = placet(None, "audit", "check", *_given(signed))
    assert (refused.code, "does not bear the signature" in refused.err) == (4, True)


def test_a_key_of_a_kind_that_nobody_knows_is_none(signed: Path) -> None:
    unknown = base64.b64encode(bytes.fromhex("300b300506032b060103020000")).decode()
    (signed / "signing.pub").write_text(f"-----BEGIN PUBLIC KEY-----\n{unknown}\n-----END PUBLIC KEY-----\n")
    code, said = check(signed)
    assert (code, "The public key is no Ed25519 key" in said) == (2, True), said


def test_what_cannot_be_read_is_said_by_placet_as_well(signed: Path) -> None:
    altered(signed, put(detail="\ud800"))
    said = placet(None, "audit", "check", *_given(signed))
    assert (said.code, "surrogates not allowed" in said.err) == (2, True), said
    altered_back = (signed / "record.jsonl").read_text().splitlines()
    (signed / "record.jsonl").write_text("[" * 100_000 + "\n".join(altered_back))
    said = placet(None, "audit", "check", *_given(signed))
    assert (said.code, "line 1 is not JSON that can be read" in said.err) == (2, True), said


def _given(folder: Path) -> tuple[str, ...]:
    signed, key = str(folder / "signed"), str(folder / "signing.pub")
    return str(folder / "record.jsonl"), "--checkpoints", signed, "--public-key", key


def test_what_it_says_of_an_export_cannot_move_the_cursor(signed: Path) -> None:
    altered(signed, in_the("run", run="\x1b[1A\x1b[2KThe record holds"))
    code, said = check(signed)
    assert (code, "\x1b" in said) == (2, False), said
    code, said = altered(signed, lambda lines: lines.insert(1, forged([*lines], run="\x1b[2K\n")))
    assert (code, "\x1b" in said, said.count("\n")) == (4, False, 1), said


def test_without_the_one_package_it_says_what_checkpoints_need(signed: Path) -> None:
    alone = signed / "alone"
    alone.mkdir()
    shutil.copy(verifier.__file__, alone / "verifier.py")
    run = [sys.executable, "-I", "-S", "verifier.py", "../record.jsonl"]
    bare = [
        subprocess.run([*run, *more], cwd=alone, capture_output=True, text=True, check=False)
        for more in ([], ["../signed", "../signing.pub"])
    ]
    assert [ran.returncode for ran in bare] == [0, 2]
    assert bare[1].stderr == "To read checkpoints takes the package cryptography: pip install cryptography\n"
