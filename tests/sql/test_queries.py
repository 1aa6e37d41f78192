"""The named queries: each is called, each call names one of the right kind, and each says what it means."""

import ast
import re
import shutil
import subprocess
import sys
from collections import defaultdict
from pathlib import Path
from typing import get_args

import pytest

import sql
from engine.models import EffectStatus, PauseStatus, RunStatus
from tests.edges import EDGES

ROOT = Path(sql.__file__).parent.parent
KIND_OF = {"one": "one", "must": "one", "move": "one", "system_move": "one", "many": "many", "execute": "exec"}
"""What a query must be for each of db's ways to run one."""


def _calls() -> dict[str, set[str]]:
    """The kinds as which each query is called in engine/state; "any" where it is taken from the table of queries."""
    found: dict[str, set[str]] = defaultdict(set)
    for file in (ROOT / "engine" / "state").glob("*.py"):
        for node in ast.walk(ast.parse(file.read_text())):
            match node:
                case ast.Call(
                    func=ast.Attribute(attr=way) | ast.Name(id=way), args=[_, ast.Constant(value=str(name)), *_]
                ):
                    if way in KIND_OF:
                        found[name].add(KIND_OF[way])
                case ast.Subscript(slice=ast.Constant(value=str(name))) if file.name == "db.py" and name in sql.QUERIES:
                    found[name].add("any")
    return found


CALLS = _calls()


@pytest.mark.parametrize("name", sorted(sql.QUERIES))
def test_every_query_is_called(name: str) -> None:
    assert name in CALLS


@pytest.mark.parametrize("name", CALLS)
def test_every_call_names_a_query_of_its_kind(name: str) -> None:
    assert name in sql.QUERIES
    assert CALLS[name] <= {sql.QUERIES[name].kind, "any"}


@pytest.mark.parametrize("name", sql.QUERIES)
def test_every_query_says_what_it_means(name: str) -> None:
    comment = re.match(r"(?:-- .*\n)+", sql.QUERIES[name].text)
    assert comment is not None
    assert len(comment[0].split()) > 4


@pytest.mark.parametrize("name", sql.QUERIES)
def test_a_query_of_one_row_says_what_none_means(name: str) -> None:
    """Unless there is always a row: a count, a version, a line of its own."""
    query = sql.QUERIES[name]
    always = {"apply_policy", "count_unended", "record_system", "undelivered"}
    if query.kind == "one" and name not in always:
        assert "No row" in query.text


@pytest.mark.parametrize("name", sql.QUERIES)
def test_every_query_takes_what_it_names_and_no_fragment_is_left(name: str) -> None:
    text = sql.QUERIES[name].text
    assert not re.search(r"\{[a-z_]+\}", re.sub(r"'[^']*'", "", text))
    assert "%" not in re.sub(r"%%|%\(\w+\)s", "", text), "a lone percent sign"


# ----------------------------------------------------------------------------------------------------- queries and edges


def _literals(text: str) -> set[str]:
    return set(re.findall(r"'([a-z_]+)'", text))


def _moves() -> dict[str, str]:
    """The queries that write events, and the text of the CTE that makes these."""
    found = {}
    for name, query in sql.QUERIES.items():
        if "INSERT INTO run_event" in query.text:
            made = re.search(r"\bevents AS MATERIALIZED \((.*?)\n\)", query.text, re.DOTALL)
            made = made or re.search(r"INSERT INTO run_event(.*?)\n\)", query.text, re.DOTALL)
            assert made is not None
            found[name] = made[1]
    return found


MOVES = _moves()
BY_PARAMETER = {("system", "migrate")}
"""What events.record is told to write; that it refuses anything else is a test of the record."""


@pytest.mark.parametrize(("entity", "event"), sorted({(entity, event) for entity, _, event, _ in EDGES} - BY_PARAMETER))
def test_every_event_of_the_edges_is_written_by_some_query(entity: str, event: str) -> None:
    writes = [
        name for name, made in MOVES.items() if entity in _literals(made) and event in _literals(sql.QUERIES[name].text)
    ]
    assert bool(writes) == ((entity, event) != ("run", "delegate"))  # nothing starts a run for a run yet


WORDS = {
    *get_args(RunStatus), *get_args(PauseStatus), *get_args(EffectStatus), "new",
    *(word for edge in EDGES for word in (edge[0], edge[2])),
}  # fmt: skip
NO_EVENT = {"system", "effects", "worker", "settled", "already", "ended", "happened"}
"""What else stands in these CTEs: who moved it, where, and words of outcomes."""


@pytest.mark.parametrize("name", MOVES)
def test_every_word_of_a_written_event_is_a_word_of_the_edges(name: str) -> None:
    assert _literals(MOVES[name]) <= WORDS | NO_EVENT


def test_a_query_that_moves_a_row_writes_an_event() -> None:
    moving = re.compile(r"UPDATE (run|run_pause|effect) SET(?:(?!FROM|WHERE).)*\bstatus = ", re.DOTALL)
    assert {name for name, query in sql.QUERIES.items() if moving.search(query.text)} <= MOVES.keys()


# ------------------------------------------------------------------------------------------------------------ the loader


@pytest.mark.parametrize(
    "header",
    [
        "-- name: ",
        "-- name: decide",
        "-- name: decide :two",
        "-- name: decide one",
        "-- name: Decide :one",
        "-- name: :one",
    ],
)
def test_a_header_without_a_name_or_a_known_kind_is_refused(header: str) -> None:
    with pytest.raises(ValueError, match=r"odd\.sql: .* must read '-- name: some_name :one'"):
        list(sql.parse("odd.sql", f"{header}\n-- A comment.\nSELECT 1;"))


def test_queries_are_read_one_after_the_other_with_their_comments() -> None:
    text = "-- About this file.\n\n-- name: first :one\n-- Says what.\nSELECT 1;\n\n-- name: second :many\nSELECT 2;\n"
    assert list(sql.parse("a.sql", text)) == [
        sql.Query("first", "one", "-- Says what.\nSELECT 1;"), sql.Query("second", "many", "SELECT 2;"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("-- name: decide_pause :one\n-- Again.\nSELECT 1;", "zz.sql: 'decide_pause' is already the name of a query"),
        ("-- name: odd\n-- No kind.\nSELECT 1;", "zz.sql: '-- name: odd' must read"),
        ("-- name: odd :one\n-- A piece nobody wrote.\nSELECT {nobody};", "nobody"),
    ],
)
def test_a_faulty_file_keeps_the_package_from_being_imported(tmp_path: Path, text: str, says: str) -> None:
    shutil.copytree(ROOT / "sql", tmp_path / "sql", ignore=shutil.ignore_patterns("__pycache__"))
    (tmp_path / "sql" / "zz.sql").write_text(text)
    ran = subprocess.run(
        [sys.executable, "-c", "import sql"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert ran.returncode == 1
    assert says in ran.stderr


def test_migrations_are_numbered_without_a_gap_and_forward_only() -> None:
    names = [name for name, _ in sql.migrations()]
    assert [int(name[:4]) for name in names] == list(range(1, len(names) + 1))
    assert all(re.fullmatch(r"\d{4}_[a-z0-9_]+\.sql", name) for name in names)


def test_which_cards_are_painted_anew_is_no_subquery_that_would_be_asked_of_what_was() -> None:
    """Where another changed the card meanwhile PostgreSQL asks it anew, of the statement's snapshot; an array it takes as it was made."""
    for name, query in sql.QUERIES.items():
        for update in re.findall(r"UPDATE card SET.*?(?=\n\)|\Z)", re.sub(r"--[^\n]*", "", query.text), re.DOTALL):
            assert "IN (SELECT" not in update, name
