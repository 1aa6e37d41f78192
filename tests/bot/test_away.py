"""Who is away says so in Slack or at the terminal; the delegate has the card and the buttons meanwhile. A reminder is said in time, once."""

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from bot.cards import blocks, ids, modals
from engine.state import absences, events, pauses
from tests import rows
from tests.bot import painted
from tests.bot.command_line import placet
from tests.bot.house import Home
from tests.bot.office import Json, actions_of, text_of


def seen_by(home: Home, channel: str, says: str) -> Json:
    return home.office.await_(lambda: next((m for m in home.office.messages(channel) if says in text_of(m)), None))


def test_marta_goes_away_and_otto_approves_in_her_place(home: Home, conn: Any) -> None:
    [pause_id] = rows.waiting(conn)
    home.card()
    said = home.office.command("U0MARTA", "away Otto Brandt 5d")
    assert "Marta Keller is away from " in text_of(said)
    assert "Otto Brandt may answer what is asked of them by name" in text_of(said)
    card = home.office.await_(
        lambda: next((m for m in home.office.messages("D0OTTO") if ids.ACTION_APPROVE in actions_of(m)), None)
    )
    assert "Marta Keller is away; Otto Brandt may answer in their place." in text_of(card)
    assert "EUR 38,000.00" in text_of(home.office.command("U0OTTO", "mine"))
    home.office.press("U0OTTO", card, ids.ACTION_APPROVE)
    pause = home.pause(pause_id)
    assert (pause.status, pause.decided_by) == ("approved", "otto")
    assert "Marta Keller is back" in text_of(home.office.command("U0MARTA", "back"))
    assert "Nobody is away there." in text_of(home.office.command("U0MARTA", "back"))


FOR_MARTA = "Otto Brandt (otto), for Marta Keller (away)"


@pytest.mark.parametrize(("verdict", "told"), [("approve", "Approved"), ("deny", "Denied")])
def test_who_answered_in_whose_place_is_said_wherever_the_answer_is(
    conn: Any, db_url: str, verdict: str, told: str
) -> None:
    [pause_id] = rows.waiting(conn)
    absences.leave(
        conn, "marta", "otto", starts_at=None, ends_at=datetime.now(UTC) + timedelta(days=5), actor="marta", surface="cli"
    )  # fmt: skip
    name = ids.screen_id("pause", pause_id)
    assert placet(db_url, verdict, name, "--as", "otto").code == 0
    pause = pauses.get(conn, pause_id)
    card = blocks.card(pause, kind="approver", level=0, env="test")
    assert f"{told} by {FOR_MARTA}" in painted.read(card.blocks)
    assert f"{told} by {FOR_MARTA}" in card.text
    verdict_told = "approved" if verdict == "approve" else "denied"
    details = modals.details_view(pause, "test", passages=events.of_pause(conn, pause_id))
    assert f"{FOR_MARTA} {verdict_told} (cli)" in painted.read(details["blocks"])
    shown = placet(db_url, "show", name).out
    assert shown.count(FOR_MARTA) == 2
    record = json.loads(placet(db_url, "show", name, "--json").out)
    assert (record["votes"][0]["for"], record["decision"]["for"]) == ("marta", "marta")
    late = placet(db_url, "deny", name, "--as", "marta").err
    assert late.startswith(f"Already {verdict_told} by Otto Brandt for Marta Keller (away), ")


def test_nobody_is_said_to_stand_in_who_was_asked_or_holds_the_role(conn: Any, db_url: str) -> None:
    [by_name], [by_role] = rows.waiting(conn), rows.waiting(conn, approver="role:finance-approver")
    for pause_id in (by_name, by_role):
        name = ids.screen_id("pause", pause_id)
        placet(db_url, "approve", name, "--as", "marta")
        assert "away" not in placet(db_url, "show", name).out
        assert json.loads(placet(db_url, "show", name, "--json").out)["votes"][0]["for"] is None


def test_a_delegate_who_has_it_has_no_buttons_once_the_person_is_back_and_one_who_has_not_is_sent_nothing(
    home: Home, conn: Any
) -> None:
    [pause_id] = rows.waiting(conn)
    home.card()
    home.office.command("U0MARTA", "away Otto Brandt 2h")
    home.office.await_(
        lambda: next((m for m in home.office.messages("D0OTTO") if ids.ACTION_APPROVE in actions_of(m)), None)
    )
    tomorrow = datetime.now(UTC) + timedelta(hours=2, minutes=1)
    absences.leave(
        conn, "marta", "ines", starts_at=tomorrow, ends_at=tomorrow + timedelta(hours=1), actor="marta", surface="tests"
    )
    said = text_of(home.office.command("U0MARTA", "back"))
    assert "Marta Keller is back" in said
    assert "stands; say so once more to take it back." in said
    card = home.office.await_(
        lambda: next((m for m in home.office.messages("D0OTTO") if ids.ACTION_APPROVE not in actions_of(m)), None)
    )
    assert "It is with Marta Keller now." in text_of(card)
    assert "is away" not in text_of(home.card())
    assert "with Ines Alonso to answer, was taken back." in text_of(home.office.command("U0MARTA", "back"))
    conn.execute("UPDATE card SET not_before = clock_timestamp() WHERE not_before IS NOT NULL")
    home.house.bell.ring()
    home.calm()
    assert conn.execute("SELECT dest FROM card WHERE state = 'gone'").fetchall() == [("person:ines",)]
    assert home.office.messages("D0INES") == []
    assert home.pause(pause_id).status == "waiting"


def test_what_is_typed_wrong_is_answered_and_changes_nothing(home: Home, conn: Any) -> None:
    for typed, told in (
        ("away", "Write /approvals away NAME 5d"),
        ("away Otto", "Write /approvals away NAME 5d"),
        ("away Otto soon", "Write /approvals away NAME 5d"),
        ("away Nobody 5d", "Nobody here, or more than one, is called Nobody."),
        ("away marta 5d", "Nobody stands in for themselves."),
        ("away otto 1m", "An absence lasts an hour or more, and m is for minutes."),
        ("back on Monday", "/approvals back takes no further words, and nothing was changed."),
        ("away otto 2020-01-01", "That time is over already."),
        ("away otto 9999-12-31T23:59-05:00", "An absence ends at most 366 days from now."),
        ("away otto 0001-01-01T00:00+14:00", "That time is over already."),
    ):
        assert told in text_of(home.office.command("U0MARTA", typed)), typed
    assert conn.execute("SELECT count(*) FROM away").fetchone() == (0,)


NEXT_MONTH = (datetime.now(UTC) + timedelta(days=30)).date()


@pytest.mark.parametrize(
    ("typed", "until"),
    [
        (f"{NEXT_MONTH}", f"{NEXT_MONTH}T00:00+00:00"),
        (f"{NEXT_MONTH}T09:00", f"{NEXT_MONTH}T09:00+00:00"),
        (f"{NEXT_MONTH}T09:00+02:00", f"{NEXT_MONTH}T07:00+00:00"),
    ],
)
def test_a_time_is_the_one_that_was_typed_with_its_zone(home: Home, conn: Any, typed: str, until: str) -> None:
    assert "is away" in text_of(home.office.command("U0MARTA", f"away otto {typed}"))
    assert conn.execute("SELECT ends_at FROM away").fetchone() == (datetime.fromisoformat(until),)


def test_the_same_at_the_terminal(conn: Any, db_url: str) -> None:
    given = ("marta", "--delegate", "otto", "--until", f"{NEXT_MONTH}T09:00+02:00", "--as", "marta")
    assert "Otto Brandt may answer" in placet(db_url, "away", *given).out
    again = placet(db_url, "away", *given)
    assert (again.code, "Another absence stands for that time already." in again.err) == (3, True)
    assert "is back" in placet(db_url, "back", "marta", "--as", "otto").out
    for until, told in (("tomorrow", "it is no time."), ("2099-08-17T09:00", "it has no time zone.")):
        said = placet(db_url, "away", "marta", "--delegate", "otto", "--until", until, "--as", "marta")
        assert (said.code, told in said.err) == (2, True)
    for until, told in (
        ("9999-12-31T23:59-05:00", "An absence ends at most 366 days from now."),
        ("2020-01-01T00:00Z", "That time is over already."),
        (f"{NEXT_MONTH}T09:00Z", "It would end before it begins."),
    ):
        begins = ("--from", f"{NEXT_MONTH}T10:00Z") if "before" in told else ()
        said = placet(db_url, "away", "ines", "--delegate", "otto", "--until", until, *begins, "--as", "ines")
        assert (said.code, told in said.err) == (3, True)


def test_a_reminder_is_said_once_and_not_when_it_is_decided(home: Home, conn: Any) -> None:
    need = replace(rows.NEED, remind_after_s=3600)
    [waits] = rows.waiting(conn, need=need)
    [decided] = rows.waiting(conn, need=need)
    pauses.deny(conn, decided, "marta", surface="tests")
    conn.execute("UPDATE notice SET not_before = not_before - interval '1 hour' WHERE kind = 'reminder'")
    home.house.bell.ring()
    reminder = seen_by(home, "C0BUY", "Still waiting for Marta Keller")
    assert ids.screen_id("pause", waits) in text_of(reminder)
    home.calm()
    said = [m for m in home.office.messages("C0BUY") if "Still waiting for" in text_of(m)]
    assert len(said) == 1
    assert conn.execute("SELECT state, count(*) FROM notice WHERE kind = 'reminder' GROUP BY state").fetchall() == [
        ("sent", 2)
    ]
