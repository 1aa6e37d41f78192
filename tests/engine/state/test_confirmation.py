"""Where a rule has the approver type something, a click alone approves nothing, on no surface; a no needs no typing."""

from dataclasses import replace
from typing import Any
from uuid import UUID

import pytest

from engine.models import Confirmation, Content, Decided, Unconfirmed, Voted
from engine.rules import confirmations
from engine.rules.money import Money
from engine.state import events, pauses
from tests import rows

ACCOUNT = Confirmation(of="payment_method", typed="4417")
NEED = replace(rows.NEED, confirm="payment_method")


def test_nothing_is_approved_until_it_is_typed_right(conn: Any) -> None:
    [pause_id] = rows.waiting(conn, need=NEED, confirm=ACCOUNT)
    for typed in ("", "4418", "417", "44170", "x"):
        assert isinstance(pauses.approve(conn, pause_id, "marta", surface="tests", confirm=typed), Unconfirmed)
    assert pauses.get(conn, pause_id).status == "waiting"
    assert isinstance(pauses.approve(conn, pause_id, "marta", surface="tests", confirm=" 44-17 "), Decided)


def test_who_tried_without_typing_is_on_record(conn: Any) -> None:
    [pause_id] = rows.waiting(conn, need=NEED, confirm=ACCOUNT)
    pauses.approve(conn, pause_id, "marta", surface="tests")
    last = events.of_run(conn, pauses.get(conn, pause_id).run_id)[-1]
    assert (last.event, last.to_status, last.detail) == ("approve", None, "unconfirmed")


def test_a_no_needs_no_typing(conn: Any) -> None:
    [pause_id] = rows.waiting(conn, need=NEED, confirm=ACCOUNT)
    assert isinstance(pauses.deny(conn, pause_id, "marta", surface="tests"), Decided)


def test_each_of_several_types_it(conn: Any) -> None:
    need = replace(rows.QUORUM, confirm="amount")
    amount = Confirmation(of="amount", typed="38000.00")
    [pause_id] = rows.waiting(conn, approver="role:finance-approver", need=need, confirm=amount)
    assert isinstance(pauses.approve(conn, pause_id, "marta", surface="tests", confirm="38,000"), Voted)
    assert isinstance(pauses.approve(conn, pause_id, "ines", surface="tests"), Unconfirmed)
    assert isinstance(pauses.approve(conn, pause_id, "ines", surface="tests", confirm="EUR 38,000.00"), Decided)


def test_an_argument_called_confirm_asks_for_no_typing(conn: Any) -> None:
    arguments = {"confirm": {"of": "me", "typed": "you"}, "supplier_id": "sup_412"}
    [pause_id] = rows.waiting(conn, arguments=arguments)
    assert isinstance(pauses.approve(conn, pause_id, "marta", surface="tests"), Decided)


def test_typing_where_nothing_is_asked_for_does_no_harm(conn: Any) -> None:
    [pause_id] = rows.waiting(conn)
    assert isinstance(pauses.approve(conn, pause_id, "marta", surface="tests", confirm="4417"), Decided)


@pytest.mark.parametrize(
    ("of", "arguments", "typed"),
    [
        ("amount", {}, "38000.00"),
        ("payment_method", {"payment_method": "card ending 4417"}, "4417"),
        ("iban", {"iban": "DE89 3704 0044 0532 0130 0x"}, "300x"),
        ("iban", {"iban": "X-1"}, "x1"),
        ("quantity", {"quantity": 40}, "40"),
        ("iban", {"iban": "---"}, None),
        ("iban", {"iban": None}, None),
        ("iban", {"iban": True}, None),
        ("iban", {}, None),
    ],
)
def test_what_must_be_typed_is_the_end_of_the_argument(of: str, arguments: dict[str, Any], typed: str | None) -> None:
    found = confirmations.asked(of, Money(3_800_000, "EUR"), arguments)
    assert (found.typed if found else None) == typed


def test_an_amount_that_is_not_there_cannot_be_typed() -> None:
    assert confirmations.asked("amount", None, {"amount": 5}) is None


@pytest.mark.parametrize("text", ["38000", "38,000.00", "EUR 38,000", "38 000.00 eur", "38'000"])
def test_an_amount_is_typed_as_people_write_it(text: str) -> None:
    amount = Confirmation(of="amount", typed="38000.00")
    assert confirmations.read(amount, text, "EUR") == amount.typed


@pytest.mark.parametrize("text", ["38.000,00", "3800000", "-38000", "thirty-eight thousand", "", "USD 38000"])
def test_an_amount_that_can_be_read_otherwise_is_not_equal(text: str) -> None:
    amount = Confirmation(of="amount", typed="38000.00")
    assert confirmations.read(amount, text, "EUR") != amount.typed


@pytest.mark.parametrize(
    ("typed", "currency", "text"),
    [
        ("3800.00", "EUR", "38,00"),
        ("38000.00", "EUR", "380,00"),
        ("38000.00", "EUR", "3,8000"),
        ("38000.00", "EUR", "3 8 0 0 0"),
        ("38000.00", "EUR", "38000,"),
        ("1234567.00", "EUR", "1,234 567"),
        ("1234567.00", "EUR", "1234,567"),
        ("38000.00", "EUR", "38.000"),
        ("38.00", "EUR", "38.000"),
        ("38000.00", "EUR", "38EUR000"),
        ("38000.000", "KWD", "38,000"),
        ("500", "JPY", "5,00"),
    ],
)
def test_a_mark_that_is_not_one_of_thousands_is_not_passed_over(typed: str, currency: str, text: str) -> None:
    assert confirmations.read(Confirmation(of="amount", typed=typed), text, currency) != typed


@pytest.mark.parametrize(
    ("typed", "currency", "text"),
    [
        ("1234567.00", "EUR", "1,234,567"),
        ("1234567.89", "EUR", "1 234 567.89"),
        ("1234567.00", "EUR", "1\u2019234\u2019567"),
        ("38000.000", "KWD", "38,000.000 KWD"),
        ("38000", "JPY", "38,000"),
    ],
)
def test_thousands_may_be_grouped_with_one_mark(typed: str, currency: str, text: str) -> None:
    assert confirmations.read(Confirmation(of="amount", typed=typed), text, currency) == typed


def test_it_is_stored_with_what_is_asked_and_read_back() -> None:
    held = replace(rows.content(UUID(int=1)), confirm=ACCOUNT)
    assert Content.from_document(held.to_document()) == held
    assert "confirm" not in replace(held, confirm=None).to_document()
