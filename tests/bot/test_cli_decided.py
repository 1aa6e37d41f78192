"""`placet decisions` finds what was decided: by whom, on what, since when, and what came of it."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import pytest

from bot.cards.ids import screen_id
from engine.state import pauses
from tests import rows
from tests.bot.command_line import placet, untouched


def name(pause_id: UUID) -> str:
    return screen_id("pause", pause_id)


@pytest.fixture
def asked(conn: Any) -> dict[str, UUID]:
    """A request that Marta denied, one that Ines and she approved, and one that waits."""
    [denied] = rows.waiting(conn, summary="EUR 640.00 to Papier Union (sup_118)", lines=())
    [shared] = rows.waiting(conn, approver="role:finance-approver", need=rows.QUORUM)
    [waits] = rows.waiting(conn)
    pauses.deny(conn, denied, "marta", surface="tests", reason="Too dear.")
    for person in ("ines", "marta"):
        pauses.approve(conn, shared, person, surface="tests")
    return {"denied": denied, "shared": shared, "waits": waits}


def test_what_was_decided_is_listed_newest_first_with_who_when_and_what_came_of_it(
    db_url: str, conn: Any, asked: dict[str, UUID]
) -> None:
    with untouched(conn):
        said = placet(db_url, "decisions")
    assert said.code == 0
    shared, denied = (line for line in said.out.splitlines() if "pause_" in line)
    assert shared.startswith(
        f"{name(asked['shared'])} EUR 38,000.00 to Nordholz Industrial (sup_412) Marta Keller (marta)"
    )
    assert shared.endswith("Approved")
    assert denied.startswith(f"{name(asked['denied'])} EUR 640.00 to Papier Union (sup_118) Marta Keller (marta)")
    assert denied.endswith("Denied")


def test_what_ended_by_itself_was_decided_by_nobody(db_url: str, conn: Any) -> None:
    [pause_id] = rows.waiting(conn, need=replace(rows.NEED, on_expiry="deny", steps=()))
    rows.make_due(conn, pause_id)
    placet(db_url, "approve", name(pause_id), "--as", "marta")
    assert pauses.get(conn, pause_id).status == "expired"
    assert "(sup_412) nobody " in placet(db_url, "decisions").out


FOUND = [
    (["--by", "ines"], ["shared"]),
    (["--by", "marta"], ["shared", "denied"]),
    (["--payee", "papier UNION"], ["denied"]),
    (["--payee", "100%_"], []),
    (["--payee", "po-0"], ["shared"]),
    (["--since", (datetime.now(UTC) - timedelta(days=1)).date().isoformat()], ["shared", "denied"]),
    (["--since", (datetime.now(UTC) + timedelta(days=2)).isoformat()], []),
    (["--since", "0001-01-01T00:00+14:00", "--by", "marta", "--payee", "sup_412"], ["shared"]),
]


@pytest.mark.parametrize(("given", "found"), FOUND)
def test_a_decision_is_found(given: list[str], found: list[str], db_url: str, asked: dict[str, UUID]) -> None:
    said = placet(db_url, "decisions", *given)
    assert [line.split()[0] for line in said.out.splitlines() if "pause_" in line] == [
        name(asked[one]) for one in found
    ]
    assert found or said.out == "There are no such decisions."


def test_more_than_are_shown_is_said(db_url: str, asked: dict[str, UUID]) -> None:
    said = placet(db_url, "decisions", "--limit", "1")
    assert f"There are more; --limit shows them. placet show {name(asked['shared'])} shows one whole." in said.out
    assert "There are more" not in placet(db_url, "decisions", "--limit", "2").out


def test_what_was_altered_is_listed_without_its_words_and_hides_no_other(
    db_url: str, conn: Any, asked: dict[str, UUID]
) -> None:
    rows.alter_document(conn, asked["denied"], "no document at all")
    assert "This request was altered after it was stored." in placet(db_url, "decisions").out
    assert name(asked["shared"]) in placet(db_url, "decisions", "--payee", "nordholz").out


@pytest.mark.parametrize(
    ("given", "sentence"),
    [(["--by", "nobody"], "--by: nobody has the id 'nobody'."), (["--since", "noon"], "--since: 'noon' is no date. Write one like 2026-07-17.")],
)  # fmt: skip
def test_what_cannot_be_looked_for_is_said(given: list[str], sentence: str, db_url: str) -> None:
    said = placet(db_url, "decisions", *given)
    assert (said.code, sentence in said.err) == (2, True)


def test_before_anything_was_decided_that_is_said(db_url: str) -> None:
    assert placet(db_url, "decisions").out == "Nothing has been decided yet."
