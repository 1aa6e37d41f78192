"""Amounts of money, exact to the smallest unit.

An amount is a whole number of minor units (cents, pence, fils) and an ISO 4217 code. The one rule: no float ever
becomes money, and text that can be read in two ways ("17,000") is refused rather than guessed. What a payment
provider calls a minor unit may differ from ISO (Stripe counts ISK in hundredths); that belongs to its adapter.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from functools import total_ordering
from typing import Any, Self

from pydantic import GetCoreSchemaHandler, GetJsonSchemaHandler
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import PydanticCustomError, core_schema

# ISO 4217 list one: every code with a minor unit, the fund codes among them. Metals, test codes and units of account
# have none ("N.A.") and are no money to pay with. CLDR, and so babel, is another list: it gives HUF no decimals.
_DECIMALS = {
    0: "BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF",
    2: "AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BMD BND BOB BOV BRL BSD BTN BWP BYN BZD CAD CDF CHE CHF CHW "
    "CNY COP COU CRC CUP CVE CZK DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GTQ GYD HKD HNL HTG HUF IDR "
    "ILS INR IRR JMD KES KGS KHR KPW KYD KZT LAK LBP LKR LRD LSL MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MXV "
    "MYR MZN NAD NGN NIO NOK NPR NZD PAB PEN PGK PHP PKR PLN QAR RON RSD RUB SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD "
    "SSP STN SVC SYP SZL THB TJS TMT TOP TRY TTD TWD TZS UAH USD USN UYU UZS VED VES WST XAD XCD XCG YER ZAR ZMW ZWG",
    3: "BHD IQD JOD KWD LYD OMR TND",
    4: "CLF UYW",
}
_EXPONENT = {code: decimals for decimals, codes in _DECIMALS.items() for code in codes.split()}

AMOUNT_PATTERN = r"^(0|[1-9][0-9]{0,15})(\.[0-9]{1,15})?$"
"""Digits, with a point before the decimals: no sign, grouping, exponent, blank or leading zero."""

_GROUP = 3
_ONE_GROUP = r"[1-9][0-9]{0,2}\.[0-9]{3}"
"""A point that stands before thousands for many people, and before decimals for others."""

LARGEST_MINOR = 2**53 - 1
"""The largest number of minor units: the largest integer that every JSON reader keeps exact (RFC 8785)."""


class MoneyError(ValueError):
    """An amount or a currency that cannot be taken; `field` is "amount" or "currency", `why` a sentence."""

    def __init__(self, field: str, why: str) -> None:
        super().__init__(f"{field}: {why}")
        self.field = field
        self.why = why


@total_ordering
@dataclass(frozen=True, slots=True)
class Money:
    """An amount that is not negative, in minor units of an ISO 4217 currency.

    Ordered within a currency only: comparing EUR with USD raises MoneyError. As a Pydantic field its dumped
    form is `{"amount": "38000.00", "currency": "EUR"}`, which is also what a model sees in a tool's schema.
    """

    minor: int
    currency: str

    def __post_init__(self) -> None:
        if type(self.minor) is not int:
            raise TypeError(f"minor units are an int, not {type(self.minor).__name__}")
        exponent(self.currency)
        if self.minor < 0:
            raise MoneyError("amount", "it is negative; write what is to be paid as an amount above zero.")
        if self.minor > LARGEST_MINOR:
            raise MoneyError("amount", f"it is more than the {LARGEST_MINOR} minor units that are kept exactly.")

    def __lt__(self, other: "Money") -> bool:
        if not isinstance(other, Money):
            return NotImplemented
        if self.currency != other.currency:
            raise MoneyError("currency", f"{self.currency} and {other.currency} cannot be compared without a rate.")
        return self.minor < other.minor

    def __str__(self) -> str:
        return format_money(self)

    def decimal(self) -> str:
        """The amount with exactly the currency's decimals: "38000.00", "500" (JPY), "1.234" (KWD)."""
        return _point(str(self.minor), self.currency)

    def to_document(self) -> dict[str, str]:
        """The JSON form, which `from_document` reads back to an equal value."""
        return {"amount": self.decimal(), "currency": self.currency}

    @classmethod
    def from_document(cls, document: Any) -> Self:
        """Read `{"amount": ..., "currency": ...}`; anything else raises MoneyError naming the field."""
        if not isinstance(document, Mapping) or set(document) != {"amount", "currency"}:
            raise MoneyError("amount", 'write {"amount": "38000.00", "currency": "EUR"}, with no other keys.')
        amount, currency = document["amount"], document["currency"]
        if isinstance(amount, bool) or not isinstance(amount, str | int | Decimal):
            raise MoneyError("amount", 'write it as text, as in "38000.00": another type may have lost cents already.')
        if not isinstance(currency, str):
            raise MoneyError("currency", 'write a three-letter ISO 4217 code as text, as in "EUR".')
        read = parse(amount, currency)
        return cls(read.minor, read.currency)

    @classmethod
    def __get_pydantic_core_schema__(cls, _source: Any, _handler: GetCoreSchemaHandler) -> core_schema.CoreSchema:
        return core_schema.no_info_plain_validator_function(
            _validate,
            serialization=core_schema.plain_serializer_function_ser_schema(Money.to_document),
        )

    @classmethod
    def __get_pydantic_json_schema__(
        cls, _schema: core_schema.CoreSchema, _handler: GetJsonSchemaHandler
    ) -> JsonSchemaValue:
        return {
            "type": "object",
            "properties": {
                "amount": {
                    "type": "string",
                    "pattern": AMOUNT_PATTERN,
                    "description": 'Whole units and decimals without grouping, as in "38000.00".',
                },
                "currency": {"type": "string", "pattern": "^[A-Z]{3}$", "description": 'ISO 4217 code, as in "EUR".'},
            },
            "required": ["amount", "currency"],
            "additionalProperties": False,
        }


def exponent(currency: str) -> int:
    """How many decimals ISO 4217 gives the currency; MoneyError if it lists no such code (codes are upper case)."""
    try:
        return _EXPONENT[currency]
    except KeyError:
        raise MoneyError("currency", f"{_quoted(currency)} is no current ISO 4217 code of a currency.") from None


def parse(amount: str | Decimal | int, currency: str) -> Money:
    """Read an amount given in whole units: "38000.00", 500, or a JSON number read as Decimal.

    Decimals beyond the currency's are taken only if they are zeros, so that nothing is ever rounded; and not where text
    may mean thousands, as "38.000" EUR. A lower-case code is read as its currency. Raises MoneyError naming the field;
    TypeError for a float, which may have lost cents.
    """
    if isinstance(amount, bool) or not isinstance(amount, str | Decimal | int):
        raise TypeError(f"an amount is text, Decimal or int, never {type(amount).__name__}")
    code = currency.upper() if currency.isascii() else currency
    places = exponent(code)
    text = str(amount)
    if text.startswith("-"):
        raise MoneyError("amount", f"{_quoted(text)} has a minus sign; write what is to be paid without a sign.")
    if not re.fullmatch(AMOUNT_PATTERN, text):
        raise MoneyError(
            "amount",
            f"{_quoted(text)} cannot be read with certainty; write digits, a point before the decimals, and no "
            'grouping, as in "38000.00".',
        )
    whole, _, decimals = text.partition(".")
    if decimals[places:].strip("0"):
        has = f"{places} decimals" if places else "no decimals"
        raise MoneyError("amount", f"{_quoted(text)} is finer than {code} can be: it has {has}.")
    if isinstance(amount, str) and places < _GROUP and re.fullmatch(_ONE_GROUP, text):
        thousands, units = whole + decimals, f"{whole}.{decimals[:places]}" if places else whole
        raise MoneyError("amount", f'{_quoted(text)} may be {thousands} or {units}; write "{thousands}" or "{units}".')
    return Money(int(whole + decimals[:places].ljust(places, "0")), code)


def format_money(money: Money) -> str:
    """The amount as people read it, code first and grouped in thousands: "EUR 38,000.00"."""
    whole, point, decimals = money.decimal().partition(".")
    return f"{money.currency} {int(whole):,}{point}{decimals}"


def _point(digits: str, currency: str) -> str:
    places = exponent(currency)
    if not places:
        return digits
    digits = digits.rjust(places + 1, "0")
    return f"{digits[:-places]}.{digits[-places:]}"


def _quoted(text: str) -> str:
    """The text as given, short enough for an error message and with nothing invisible in it."""
    return ascii(text if len(text) <= 40 else text[:40] + "...")


def _validate(value: Any) -> Money:
    if isinstance(value, Money):
        return value
    try:
        return Money.from_document(value)
    except MoneyError as error:
        raise PydanticCustomError("money", "{what}", {"what": str(error)}) from error
