"""The register of cases: every case is tested by tests that are there, or waits for a capability by name."""

import ast
import re
import tomllib
from functools import cache
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
REGISTER: dict[str, dict[str, Any]] = tomllib.loads((Path(__file__).parent / "cases.toml").read_text("utf-8"))
LIST = ROOT.parent / "shared" / "cases.md"
"""The list of cases itself, where it lies beside the repository."""

CASE = re.compile(r"[A-Z][0-9]+")
MARKED = re.compile(r"([A-Z][0-9]+)[:. ]")
"""How a test's docstring begins that names its case."""


@cache
def named_in(path: str) -> dict[str, str]:
    """The tests of a file by name, each with its docstring."""
    tree = ast.parse((ROOT / path).read_text("utf-8"))
    functions = [node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")]
    return {node.name: ast.get_docstring(node) or "" for node in functions}


@pytest.mark.parametrize("case", REGISTER)
def test_a_case_is_tested_or_says_what_it_waits_for(case: str) -> None:
    assert CASE.fullmatch(case)
    entry = REGISTER[case]
    assert entry["fault"]
    assert entry.keys() <= {"fault", "tested_by", "waits_for"}
    assert entry.get("tested_by") or entry.get("waits_for")
    for named in entry.get("tested_by", ()):
        path, _, test = named.partition("::")
        assert (ROOT / path).is_file(), f"{case} names {path}, which is not there"
        assert test in named_in(path), f"{case} names {named}, which is not there"


def test_every_test_that_names_a_case_is_in_the_register_under_it() -> None:
    for file in sorted((ROOT / "tests").rglob("test_*.py")):
        path = file.relative_to(ROOT).as_posix()
        for test, says in named_in(path).items():
            if marked := MARKED.match(says):
                assert f"{path}::{test}" in REGISTER[marked[1]].get("tested_by", ()), f"{test} names {marked[1]}"


def test_every_test_here_names_its_case() -> None:
    for file in sorted(Path(__file__).parent.glob("test_*.py")):
        if file.name != Path(__file__).name:
            unmarked = [test for test, says in named_in(f"tests/cases/{file.name}").items() if not MARKED.match(says)]
            assert unmarked == [], file.name


def test_every_case_of_the_list_is_in_the_register() -> None:
    if not LIST.is_file():
        pytest.skip("THE LIST OF CASES IS NOT BESIDE THE REPOSITORY: whether the register is complete was not checked")
    listed = dict(re.findall(r"^\*\*([A-Z][0-9]+)\*\* (.*?)\.?$", LIST.read_text("utf-8"), re.MULTILINE))
    assert {case: entry["fault"] for case, entry in REGISTER.items()} == {
        case: fault.replace('"', "'") for case, fault in listed.items()
    }
