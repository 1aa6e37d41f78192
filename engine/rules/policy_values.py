"""The values in policy.toml: readers from what TOML holds to what it means, each refusing with a sentence what it cannot take."""

import re
from collections.abc import Callable
from datetime import date
from decimal import Decimal
from typing import Any, Final, Literal, TypeVar
from zoneinfo import available_timezones

from engine.rules import calendar, documents
from engine.rules.calendar import Calendar
from engine.rules.conditions import Condition, Plain
from engine.rules.documents import Table, Unfit
from engine.rules.money import MoneyError, exponent
from engine.rules.money import parse as parse_money
from engine.rules.policy import ANY_OTHER, NO_RULE

W = TypeVar("W", bound=str)

MOST_TOLERANCE_BP = 2_500
"""Beyond a quarter it is another purchase, and nobody said yes to that."""

DAYS: Final = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
_NUMBER: Final = r"-?[0-9]{1,15}(\.[0-9]{1,9})?"
_CLOCK: Final = "([01][0-9]|2[0-4]):([0-5][0-9])"
_A_DAY: Final = 1_440
_PATH: Final = r"[A-Za-z][A-Za-z0-9_]{0,62}(\.[A-Za-z][A-Za-z0-9_]{0,62})*"

version = documents.shaped("[A-Za-z0-9][A-Za-z0-9._-]{0,62}", "fin-approvals-v4")
argument = documents.shaped("[a-z][a-z0-9_]{0,62}", "payment_method")
region = documents.shaped("[A-Z]{2}(-[A-Z0-9]{1,6})?", "DE-BE")
manager_of: Callable[[Any], Literal["approver", "requester"]] = documents.choice("approver", "requester")


UNREAD: Final = Calendar(zone="UTC", days=(0, 1, 2, 3, 4), opens=540, closes=660)
"""In place of a calendar that cannot be read, so that nothing else is said to lack one. Its days are short, and no time is too short by it."""


def channel(value: Any) -> str:
    """A channel by its id."""
    if not isinstance(value, str) or not re.fullmatch("[CG][A-Z0-9]{2,20}", value):
        fix = 'Write its id, as in "C0BUY": Slack shows it at the end of About in the channel\'s details.'
        raise Unfit("it is no id of a channel.", fix)
    return value


def rule_name(value: Any) -> str:
    """A name for a rule, which no other thing has."""
    if documents.text(value) == NO_RULE:
        raise Unfit(f'"{NO_RULE}" is what an action without a rule shows.', "Choose another name.")
    return str(value)


def currency(value: Any) -> str:
    """An ISO 4217 code, or ANY_OTHER."""
    try:
        if value != ANY_OTHER:
            exponent(value)
    except (MoneyError, TypeError):
        raise Unfit("it is no current currency.", f'Write an ISO 4217 code, as in "EUR", or "{ANY_OTHER}".') from None
    return str(value)


def amount(currency: str) -> Callable[[Any], int]:
    """A reader of an amount written in whole units of the currency, in minor units."""

    def reader(value: Any) -> int:
        if not isinstance(value, str):
            raise Unfit("it is not text.", 'Write the amount in quotes, as in "1000.00".')
        try:
            return parse_money(value, currency).minor
        except MoneyError as error:
            raise Unfit(error.why, 'Write it as in "1000.00".') from error

    return reader


def percent(value: Any) -> int:
    """A percentage as text, in hundredths of a percent."""
    found = re.fullmatch(r"([0-9]{1,3})(?:\.([0-9]{1,2}))?", value) if isinstance(value, str) else None
    hundredths = int(found[1]) * 100 + int((found[2] or "").ljust(2, "0")) if found else None
    if hundredths is None or hundredths > MOST_TOLERANCE_BP:
        raise Unfit(
            "it is no percentage that can be tolerated.",
            f'Write "0" to "{MOST_TOLERANCE_BP // 100}" in quotes, with at most two decimals, as in "2" or "0.75".',
        )
    return hundredths


def answer_to_silence(*allowed: W) -> Callable[[Any], W]:
    """A reader of what holds when nobody answers: one of the allowed words, and never a yes."""

    def reader(value: Any) -> W:
        if value in ("approve", "approved", "allow", "yes"):
            raise Unfit("silence is never a yes.", f"Write {' or '.join(allowed)}.")
        return documents.choice(*allowed)(value)

    return reader


def answer_within(hours: Calendar | None) -> Callable[[Any], tuple[int, bool]]:
    """A reader of a length of time to answer, in seconds, and whether only business hours count: "4h", "8 business hours"."""

    def reader(value: Any) -> tuple[int, bool]:
        found = re.fullmatch("([0-9]{1,3}) business (hour|day)s?", value) if isinstance(value, str) else None
        if found is None:
            return _length(value), False
        if hours is None:
            raise Unfit("business hours need a calendar.", 'Add a [calendar], or write the time as in "4h".')
        seconds = int(found[1]) * (3_600 if found[2] == "hour" else calendar.day_s(hours))
        if not 0 < seconds <= 366 * calendar.day_s(hours):
            raise Unfit(f'"{value}" is out of range.', "Write at least 1 and at most 366 business days.")
        return seconds, True

    return reader


def _length(value: Any) -> int:
    try:
        return documents.length(value)
    except Unfit as unfit:
        number = re.match("([1-9][0-9]{0,2}) *[A-Za-z]{3,}", value) if isinstance(value, str) else None
        if number is None:
            raise
        what = "business day" if re.search(r"\bda", value) else "business hour"
        one = f"{number[1]} {what}{'' if number[1] == '1' else 's'}"
        raise Unfit(unfit.why, f'{unfit.fix[:-1]}, or business time, as in "{one}".') from None


def digest(hours: Calendar | None) -> Callable[[Any], int]:
    """A reader of the time at which a business day's digest comes, in minutes after midnight: "08:30"."""

    def reader(value: Any) -> int:
        found = re.fullmatch(_CLOCK, value) if isinstance(value, str) else None
        if found is None or (minutes := int(found[1]) * 60 + int(found[2])) >= _A_DAY:
            raise Unfit("it is no time of day.", 'Write hours and minutes, as in "08:30".')
        if hours is None:
            raise Unfit("a digest comes on business days, which need a calendar.", "Add a [calendar], or take it out.")
        return minutes

    return reader


def calendar_of(table: Table) -> Calendar | None:
    """The calendar that the table describes; None, with the faults noted, if it cannot be read."""
    zone = table.required("time_zone", _zone)
    hours = table.required("hours", _hours)
    days = table.optional("days", documents.many(documents.choice(*DAYS)), DAYS[:5])
    holidays = table.optional("holidays", _holidays, "")
    closed = table.optional("closed", documents.many(_date), ())
    table.refuse_unknown()
    if not days:
        table.fault("days", "it is never open.", 'Write at least one day, as in ["mon", "tue"].')
    if zone is None or hours is None or not days:
        return None
    opens, closes = hours
    numbers = tuple(sorted(DAYS.index(day) for day in days))
    return Calendar(zone=zone, days=numbers, opens=opens, closes=closes, holidays=holidays, closed=closed)


def conditions(table: Table) -> tuple[Condition, ...]:
    """The conditions that the table `when` describes, in its order; those that cannot be read are left out, with faults noted."""
    found = []
    for key in table:
        if not re.fullmatch(_PATH, key):
            table.optional(key, _no_argument, None)
        elif isinstance(table.peek(key), dict):
            inner = table.table(key)
            found += [_bounds(key, inner)] if inner else []
        else:
            found += (
                [Condition(path=_path(key), one_of=values)] if (values := table.optional(key, _several, None)) else []
            )
    if not list(table):
        table.fault("", "it has no condition.", "Write at least one, or take it out.")
    return tuple(found)


def _bounds(key: str, table: Table) -> Condition:
    """What an argument must be, said in a table of its own: not, over, up_to."""
    none_of = table.optional("not", _several, ())
    over, up_to = table.optional("over", _number, None), table.optional("up_to", _number, None)
    table.refuse_unknown()
    if not list(table):
        table.fault("", "it says nothing.", 'Write over, up_to or not, as in { over = 100 } or { not = ["DE"] }.')
    if over is not None and up_to is not None and over >= up_to:
        table.fault("up_to", "no number is over the one and up to the other.", "Make up_to more than over.")
    return Condition(path=_path(key), none_of=none_of, over=over, up_to=up_to)


def _path(key: str) -> tuple[str, ...]:
    return tuple(key.split("."))


def _no_argument(_value: Any) -> None:
    raise Unfit("no argument has such a name.", 'Write it as the tool does, as in supplier_id or "address.country".')


def _several(value: Any) -> tuple[Plain, ...]:
    """One value or a list of them, all of one kind."""
    given = value if isinstance(value, list) else [value]
    read = documents.many(_one)(given)
    if not read or len({type(one) for one in read}) > 1:
        raise Unfit(
            "it is not a list of values of one kind.", 'Write texts, as in ["DE", "FR"], or numbers, as in [1, 2].'
        )
    return read


def _one(value: Any) -> Plain:
    if isinstance(value, bool):
        return value
    return documents.text(value) if isinstance(value, str) else _number(value)


def _number(value: Any) -> Decimal:
    """A whole number, or one with decimals in quotes, so that none is changed on the way."""
    if type(value) is int or (isinstance(value, str) and re.fullmatch(_NUMBER, value)):
        return Decimal(value)
    raise Unfit("it is no exact number.", 'Write a whole number as in 100, or decimals in quotes as in "0.5".')


def _zone(value: Any) -> str:
    if not isinstance(value, str) or value not in available_timezones():
        raise Unfit("there is no such time zone.", 'Write one of the IANA names, as in "Europe/Berlin".')
    return value


def _hours(value: Any) -> tuple[int, int]:
    """From and to, in minutes after midnight."""
    found = re.fullmatch(f"{_CLOCK}-{_CLOCK}", value) if isinstance(value, str) else None
    opens, closes = (int(found[1]) * 60 + int(found[2]), int(found[3]) * 60 + int(found[4])) if found else (0, 0)
    if not opens < closes <= _A_DAY:
        raise Unfit("it is no part of a day.", 'Write from and to, as in "09:00-17:00".')
    return opens, closes


def _holidays(value: Any) -> str:
    if not calendar.is_known(region(value)):
        raise Unfit(f'no holidays are known of "{value}".', 'Write a country or a part of it, as in "DE" or "DE-BE".')
    return str(value)


def _date(value: Any) -> str:
    if type(value) is not date:
        raise Unfit("it is no date.", "Write it without quotes, as in 2026-12-24.")
    return value.isoformat()
