"""The model keeps every promise in every order of steps; each of its guards is needed; and what it names is there.

`pytest -s tests/model` shows the states and seconds of each search, and what broke without a guard.
"""

import re
import sys
from pathlib import Path

import pytest

import sql
from engine.workers import calls, perform
from tests.model.searched import GUARDS, LINES, PROPERTIES, SEARCHES, TEXT, Guard, search


@pytest.mark.parametrize("name", SEARCHES)
def test_every_order_of_steps_keeps_every_promise(name: str, tmp_path: Path) -> None:
    found = search(tmp_path, name)
    sys.stdout.write(f"\n{name}: {found.states:,} states, {found.seconds:.1f} s")
    assert (found.errors, found.whole) == (0, True), found.output
    if name == "RIGHTS":  # the one in which everything may happen
        assert [line for line in found.unreached() if "without(" not in line] == []


@pytest.mark.parametrize("guard", GUARDS, ids=lambda guard: guard.name)
def test_without_this_guard_the_promise_breaks(guard: Guard, tmp_path: Path) -> None:
    found = search(tmp_path, guard.shown_by, only=guard.keeps, without=guard.name, ends=False)
    assert found.errors == 1, f"{guard.name} ({guard.says}) guards nothing:\n{found.output}"
    sys.stdout.write(
        f"\nwithout {guard.name}: {found.broken} is broken, {found.states:,} states, {found.seconds:.1f} s"
    )
    assert found.broken == guard.keeps


def test_each_guard_and_each_promise_is_in_one_list_and_used() -> None:
    code = "\n".join(line for line in LINES if not re.match(r"#define [A-Z_]+ +\d", line))
    listed = [guard.name for guard in GUARDS]
    assert len(GUARDS) == len({guard.number for guard in GUARDS} - {0}) == len(set(listed)) > 20
    assert {guard.shown_by for guard in GUARDS} <= set(SEARCHES)
    assert set(re.findall(r"without\(([A-Z_]+)\)", code)) == set(listed)
    assert set(re.findall(r"hold\(([A-Z]+),", code)) == set(PROPERTIES) == {guard.keeps for guard in GUARDS}


def test_what_it_says_of_statements_and_functions_is_there() -> None:
    comments = "\n".join(re.findall(r"/\*.*?\*/", TEXT, re.DOTALL))
    said = set(re.findall(r"\b[a-z]+_(?:pause|due|run|effect|attempt)\b", comments))
    assert said == {
        "claim_run", "reclaim_run", "load_run", "begin_effect", "repeat_attempt", "replace_attempt", "settle_attempt", "resolve_effect",
        "decide_pause", "settle_due", "withdraw_pause", "cancel_run",
    }  # fmt: skip
    assert said <= set(sql.QUERIES)
    for module in (perform, calls):
        names = re.findall(rf"\b{module.__name__.rpartition('.')[2]}\.(\w+)", comments)
        assert names
        assert [name for name in names if not hasattr(module, name)] == []
