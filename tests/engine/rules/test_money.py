"""Money is exact, and what can be read in two ways is refused with a sentence naming the field."""

from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, ValidationError

from engine.rules.money import LARGEST_MINOR, Money, MoneyError, exponent, format_money, parse

CURRENCIES = st.sampled_from(["EUR", "USD", "JPY", "KWD", "CLF", "HUF", "ISK", "UGX"])
UNCERTAIN = (
    'cannot be read with certainty; write digits, a point before the decimals, and no grouping, as in "38000.00".'
)
MONEY = st.builds(Money, st.integers(0, LARGEST_MINOR), CURRENCIES)


def payment() -> type[BaseModel]:
    """A model with a field that is money, made anew each time."""

    class Payment(BaseModel):
        supplier_id: str
        amount: Money

    return Payment


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


@pytest.mark.parametrize(
    ("amount", "sentence"),
    [
        ("-5", "amount: '-5' has a minus sign; write what is to be paid without a sign."),
        (-1, "amount: '-1' has a minus sign; write what is to be paid without a sign."),
        (Decimal("NaN"), f"amount: 'NaN' {UNCERTAIN}"),
        ("17,000", f"amount: '17,000' {UNCERTAIN}"),
        ("٣", f"amount: '\\u0663' {UNCERTAIN}"),
        ("1" * 40, f"amount: '{'1' * 40}' {UNCERTAIN}"),
        ("1" * 41, f"amount: '{'1' * 40}...' {UNCERTAIN}"),
        ("9007199254740993", "amount: it is more than the 9007199254740991 minor units that are kept exactly."),
    ],
)
def test_an_amount_that_is_refused_is_shown_as_it_was_given(amount: str | Decimal | int, sentence: str) -> None:
    with pytest.raises(MoneyError) as refusal:
        parse(amount, "EUR")
    assert str(refusal.value) == sentence


def test_an_amount_finer_than_its_currency_is_refused_and_never_rounded() -> None:
    with pytest.raises(MoneyError, match=r"amount: '500\.5' is finer than JPY can be: it has no decimals\."):
        parse("500.5", "JPY")
    with pytest.raises(MoneyError, match="it has 3 decimals"):
        parse("1.2345", "KWD")


@pytest.mark.parametrize(
    ("amount", "currency", "sentence"),
    [
        ("1.500", "EUR", """amount: '1.500' may be 1500 or 1.50; write "1500" or "1.50"."""),
        ("38.000", "EUR", """amount: '38.000' may be 38000 or 38.00; write "38000" or "38.00"."""),
        ("10.000", "JPY", """amount: '10.000' may be 10000 or 10; write "10000" or "10"."""),
    ],
)
def test_a_point_that_may_stand_before_thousands_is_refused(amount: str, currency: str, sentence: str) -> None:
    with pytest.raises(MoneyError) as refusal:
        parse(amount, currency)
    assert str(refusal.value) == sentence


def test_a_number_has_its_point_before_decimals_whoever_wrote_it() -> None:
    assert parse(Decimal("10.500"), "EUR") == Money(1_050, "EUR")


@pytest.mark.parametrize(
    ("amount", "currency", "minor"), [("38.000", "KWD", 38_000), ("0.500", "EUR", 50), ("1.5000", "EUR", 150)]
)
def test_a_point_that_can_only_stand_before_decimals_is_read(amount: str, currency: str, minor: int) -> None:
    assert parse(amount, currency) == Money(minor, currency)


@pytest.mark.parametrize(
    ("amount", "kind"),
    [(26647.5, "float"), (1.0, "float"), (float("nan"), "float"), (True, "bool"), (None, "NoneType"), (b"5", "bytes")],
)
def test_a_float_is_never_money(amount: Any, kind: str) -> None:
    with pytest.raises(TypeError, match=f"^an amount is text, Decimal or int, never {kind}$"):
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


@pytest.mark.parametrize(
    ("minor", "sentence"),
    [
        (-1, "amount: it is negative; write what is to be paid as an amount above zero."),
        (2**53, "amount: it is more than the 9007199254740991 minor units that are kept exactly."),
    ],
)
def test_an_amount_below_zero_or_too_large_to_be_exact_is_refused(minor: int, sentence: str) -> None:
    with pytest.raises(MoneyError) as refusal:
        Money(minor, "EUR")
    assert (refusal.value.field, str(refusal.value)) == ("amount", sentence)


def test_the_largest_amount_is_kept_to_its_last_unit() -> None:
    assert str(Money(2**53 - 1, "EUR")) == "EUR 90,071,992,547,409.91"


@pytest.mark.parametrize(("minor", "kind"), [(1.0, "float"), (True, "bool"), ("1", "str")])
def test_minor_units_are_an_int(minor: Any, kind: str) -> None:
    with pytest.raises(TypeError, match=f"^minor units are an int, not {kind}$"):
        Money(minor, "EUR")


def test_amounts_are_ordered_within_a_currency_and_never_across() -> None:
    one, two, dollars = Money(1, "EUR"), Money(2, "EUR"), Money(1, "USD")
    assert one < two
    assert two >= one
    assert max(one, two) == two
    assert one != dollars
    for compare in (Money.__lt__, Money.__le__, Money.__gt__, Money.__ge__):
        with pytest.raises(MoneyError, match=r"^currency: EUR and USD cannot be compared without a rate\.$") as refusal:
            compare(one, dollars)
        assert refusal.value.field == "currency"
    with pytest.raises(TypeError):
        one < 2  # type: ignore[operator]  # noqa: B015  comparing is what is tried


def test_a_model_sees_a_decimal_string_and_a_code() -> None:
    schema = payment().model_json_schema()["properties"]["amount"]
    assert schema == {
        "type": "object",
        "properties": {
            "amount": {
                "type": "string",
                "pattern": r"^(0|[1-9][0-9]{0,15})(\.[0-9]{1,15})?$",
                "description": 'Whole units and decimals without grouping, as in "38000.00".',
            },
            "currency": {"type": "string", "pattern": "^[A-Z]{3}$", "description": 'ISO 4217 code, as in "EUR".'},
        },
        "required": ["amount", "currency"],
        "additionalProperties": False,
        "title": "Amount",
    }


def test_a_field_is_validated_into_money_and_written_back_normalised() -> None:
    given_in = {"supplier_id": "sup_412", "amount": {"amount": "38000", "currency": "eur"}}
    model = payment()
    paid = model.model_validate(given_in)
    assert dict(paid)["amount"] == Money(3_800_000, "EUR")
    written = {"supplier_id": "sup_412", "amount": {"amount": "38000.00", "currency": "EUR"}}
    assert paid.model_dump(mode="json") == paid.model_dump() == written
    assert model.model_validate_json(paid.model_dump_json()) == paid
    assert dict(model(supplier_id="sup_412", amount=Money(1, "EUR")))["amount"] == Money(1, "EUR")


BOTH_KEYS = 'amount: write {"amount": "38000.00", "currency": "EUR"}, with no other keys.'
AS_TEXT = 'amount: write it as text, as in "38000.00": another type may have lost cents already.'


@pytest.mark.parametrize(
    ("amount", "sentence"),
    [
        ({"amount": 26647.5, "currency": "EUR"}, AS_TEXT),
        ({"amount": True, "currency": "EUR"}, AS_TEXT),
        ({"amount": "17,000", "currency": "EUR"}, f"amount: '17,000' {UNCERTAIN}"),
        ({"amount": "5", "currency": None}, 'currency: write a three-letter ISO 4217 code as text, as in "EUR".'),
        ({"amount": "5", "currency": "XYZ"}, "currency: 'XYZ' is no current ISO 4217 code of a currency."),
        ({"amount": "5"}, BOTH_KEYS),
        ({"amount": "5", "currency": "EUR", "note": ""}, BOTH_KEYS),
        ("EUR 5", BOTH_KEYS),
        (5, BOTH_KEYS),
        (None, BOTH_KEYS),
        (["5", "EUR"], BOTH_KEYS),
    ],
)
def test_a_field_that_is_no_money_is_a_validation_error_at_that_field(amount: Any, sentence: str) -> None:
    with pytest.raises(ValidationError) as refusal:
        payment().model_validate({"supplier_id": "sup_412", "amount": amount})
    (error,) = refusal.value.errors()
    assert (error["loc"], error["type"], error["msg"]) == (("amount",), "money", sentence)


@given(MONEY)
def test_what_is_written_is_read_back_as_the_same_money(money: Money) -> None:
    assert Money.from_document(money.to_document()) == money
    assert parse(money.decimal(), money.currency) == money
    assert parse(format_money(money).split()[1].replace(",", ""), money.currency) == money


@given(MONEY, MONEY)
def test_the_order_of_amounts_is_the_order_of_their_decimals(one: Money, other: Money) -> None:
    if one.currency == other.currency:
        assert (one < other) == (Decimal(one.decimal()) < Decimal(other.decimal()))
