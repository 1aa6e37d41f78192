"""Money is exact, and what can be read in two ways is refused with a sentence naming the field."""

from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, ValidationError

from engine.rules.money import LARGEST_MINOR, Money, MoneyError, exponent, format_money, parse

CURRENCIES = st.sampled_from(["EUR", "USD", "JPY", "KWD", "CLF", "HUF", "ISK", "UGX"])
MONEY = st.builds(Money, st.integers(0, LARGEST_MINOR), CURRENCIES)


class Payment(BaseModel):
    supplier_id: str
    amount: Money


@pytest.mark.parametrize(
    ("amount", "currency", "minor"),
    [
        ("38000.00", "EUR", 3_800_000),
        ("38000", "EUR", 3_800_000),
        ("38000.5", "EUR", 3_800_050),
        ("0", "EUR", 0),
        ("0.01", "EUR", 1),
        ("500", "JPY", 500),
        ("5800", "JPY", 5_800),
        ("1.234", "KWD", 1_234),
        ("1.2345", "CLF", 12_345),
        (17, "EUR", 1_700),
        (Decimal("26647.5"), "EUR", 2_664_750),
        (Decimal("69030.000"), "EUR", 6_903_000),
        ("69030.000", "EUR", 6_903_000),
        ("500.00", "JPY", 500),
    ],
)
def test_an_amount_is_read_in_whole_units_into_minor_units(
    amount: str | int | Decimal, currency: str, minor: int
) -> None:
    assert parse(amount, currency) == Money(minor, currency)


@pytest.mark.parametrize(
    "amount",
    [
        "17,000", "1.234,56", "1,234.56", "17 000", "1'000", "1_000", "1e3", "1E3", "NaN", "Infinity", "-Infinity",
        "-0", "-0.00", "-5", "+5", "", " ", " 5", "5 ", "5\n", ".5", "5.", "007", "0x10", "٣", "５", "€5", "5 EUR",
        "9" * 40, "1" * 10_000, "1.005", "5\0",
        Decimal("NaN"), Decimal("Infinity"), Decimal("-0"), Decimal("-1.00"), Decimal("1E+3"), Decimal("1E+999999"),
        Decimal("1.005"), Decimal("1E-9"), -1,
    ],
)  # fmt: skip
def test_an_amount_that_is_not_plain_is_refused_by_name(amount: str | Decimal | int) -> None:
    with pytest.raises(MoneyError) as refusal:
        parse(amount, "EUR")
    assert refusal.value.field == "amount"
    assert refusal.value.why.endswith(".")
    assert len(str(refusal.value)) < 250
    assert str(refusal.value).isprintable()


def test_an_amount_finer_than_its_currency_is_refused_and_never_rounded() -> None:
    with pytest.raises(MoneyError, match=r"amount: '500\.5' is finer than JPY can be: it has no decimals\."):
        parse("500.5", "JPY")
    with pytest.raises(MoneyError, match="it has 3 decimals"):
        parse("1.2345", "KWD")


@pytest.mark.parametrize("amount", [26647.5, 1.0, float("nan"), True, None, b"5"])
def test_a_float_is_never_money(amount: Any) -> None:
    with pytest.raises(TypeError, match="never"):
        parse(amount, "EUR")


def test_a_lower_case_code_is_read_as_its_currency() -> None:
    assert parse("5", "eur") == parse("5", "EUR") == Money(500, "EUR")


@pytest.mark.parametrize("code", ["", "EURO", "XYZ", "XAU", "XXX", "HRK", "€", "EUR ", "ſek", "BTC"])
def test_a_code_that_is_no_current_currency_is_refused(code: str) -> None:
    with pytest.raises(MoneyError, match="no current ISO 4217 code") as refusal:
        parse("5", code)
    assert refusal.value.field == "currency"


@pytest.mark.parametrize(
    ("code", "decimals"),
    [("HUF", 2), ("ISK", 0), ("UGX", 0), ("TWD", 2), ("KWD", 3), ("TND", 3), ("BHD", 3), ("CLF", 4), ("UYW", 4),
     ("JPY", 0), ("CLP", 0), ("IQD", 3), ("MGA", 2), ("MRU", 2)],
)  # fmt: skip
def test_decimals_are_those_of_iso_and_not_of_cldr(code: str, decimals: int) -> None:
    assert exponent(code) == decimals


@pytest.mark.parametrize(
    ("money", "text"),
    [
        (Money(3_800_000, "EUR"), "EUR 38,000.00"),
        (Money(5, "EUR"), "EUR 0.05"),
        (Money(0, "EUR"), "EUR 0.00"),
        (Money(5_800, "JPY"), "JPY 5,800"),
        (Money(1_234, "KWD"), "KWD 1.234"),
        (Money(123_456_789_012, "KWD"), "KWD 123,456,789.012"),
    ],
)
def test_people_read_the_code_and_the_grouped_amount(money: Money, text: str) -> None:
    assert format_money(money) == str(money) == text


@pytest.mark.parametrize("minor", [-1, LARGEST_MINOR + 1])
def test_an_amount_below_zero_or_too_large_to_be_exact_is_refused(minor: int) -> None:
    with pytest.raises(MoneyError):
        Money(minor, "EUR")


@pytest.mark.parametrize("minor", [1.0, True, "1"])
def test_minor_units_are_an_int(minor: Any) -> None:
    with pytest.raises(TypeError):
        Money(minor, "EUR")


def test_amounts_are_ordered_within_a_currency_and_never_across() -> None:
    one, two, dollars = Money(1, "EUR"), Money(2, "EUR"), Money(1, "USD")
    assert one < two
    assert two >= one
    assert max(one, two) == two
    assert one != dollars
    for compare in (Money.__lt__, Money.__le__, Money.__gt__, Money.__ge__):
        with pytest.raises(MoneyError, match="cannot be compared"):
            compare(one, dollars)
    with pytest.raises(TypeError):
        one < 2  # type: ignore[operator]  # noqa: B015  comparing is what is tried


def test_a_model_sees_a_decimal_string_and_a_code() -> None:
    schema = Payment.model_json_schema()["properties"]["amount"]
    assert schema["type"] == "object"
    assert schema["required"] == ["amount", "currency"]
    assert schema["additionalProperties"] is False
    assert schema["properties"]["amount"]["type"] == "string"
    assert schema["properties"]["currency"]["pattern"] == "^[A-Z]{3}$"


def test_a_field_is_validated_into_money_and_written_back_normalised() -> None:
    given_in = {"supplier_id": "sup_412", "amount": {"amount": "38000", "currency": "eur"}}
    payment = Payment.model_validate(given_in)
    assert payment.amount == Money(3_800_000, "EUR")
    written = {"supplier_id": "sup_412", "amount": {"amount": "38000.00", "currency": "EUR"}}
    assert payment.model_dump(mode="json") == payment.model_dump() == written
    assert Payment.model_validate_json(payment.model_dump_json()) == payment
    assert Payment(supplier_id="sup_412", amount=Money(1, "EUR")).amount.minor == 1


@pytest.mark.parametrize(
    "amount",
    [
        {"amount": 26647.5, "currency": "EUR"}, {"amount": True, "currency": "EUR"},
        {"amount": "17,000", "currency": "EUR"}, {"amount": "5", "currency": None}, {"amount": "5"},
        {"amount": "5", "currency": "EUR", "note": ""}, "EUR 5", 5, None, ["5", "EUR"],
    ],
)  # fmt: skip
def test_a_field_that_is_no_money_is_a_validation_error_at_that_field(amount: Any) -> None:
    with pytest.raises(ValidationError) as refusal:
        Payment.model_validate({"supplier_id": "sup_412", "amount": amount})
    (error,) = refusal.value.errors()
    assert error["loc"] == ("amount",)
    assert error["msg"].startswith(("amount: ", "currency: "))


@given(MONEY)
def test_what_is_written_is_read_back_as_the_same_money(money: Money) -> None:
    assert Money.from_document(money.to_document()) == money
    assert parse(money.decimal(), money.currency) == money
    assert parse(format_money(money).split()[1].replace(",", ""), money.currency) == money


@given(MONEY, MONEY)
def test_the_order_of_amounts_is_the_order_of_their_decimals(one: Money, other: Money) -> None:
    if one.currency == other.currency:
        assert (one < other) == (Decimal(one.decimal()) < Decimal(other.decimal()))
