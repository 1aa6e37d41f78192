"""Business hours are counted where people work, over nights, weekends, holidays and changes of the clocks."""

from dataclasses import asdict, replace
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.rules import calendar
from engine.rules.calendar import Calendar

BERLIN = Calendar(
    zone="Europe/Berlin", days=(0, 1, 2, 3, 4), opens=9 * 60, closes=17 * 60, holidays="DE-BE", closed=("2026-12-24",)
)
HOUR = 3600

MOMENTS = st.datetimes(datetime(2026, 1, 1), datetime(2027, 12, 31), timezones=st.just(UTC))  # noqa: DTZ001  given a zone by the strategy


def at(text: str, zone: str = "Europe/Berlin") -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=ZoneInfo(zone))


@pytest.mark.parametrize(
    ("start", "hours", "due"),
    [
        ("2026-07-15 10:00", 4, "2026-07-15 14:00"),
        ("2026-07-15 15:00", 4, "2026-07-16 11:00"),
        ("2026-07-15 15:00", 2, "2026-07-15 17:00"),  # when the day ends, not when the next begins
        ("2026-07-15 06:00", 1, "2026-07-15 10:00"),
        ("2026-07-15 22:00", 1, "2026-07-16 10:00"),
        ("2026-07-17 16:00", 4, "2026-07-20 12:00"),  # over a weekend
        ("2026-07-18 12:00", 8, "2026-07-20 17:00"),
        ("2026-12-23 16:00", 2, "2026-12-28 10:00"),  # a day closed by the policy, two holidays and a weekend
        ("2026-03-06 16:00", 2, "2026-03-09 10:00"),
        ("2025-03-07 16:00", 2, "2025-03-10 10:00"),  # the 8th of March is a holiday in Berlin, and a Saturday here
    ],
)
def test_only_business_hours_count(start: str, hours: int, due: str) -> None:
    assert calendar.due(at(start), hours * HOUR, BERLIN) == at(due)


def test_a_holiday_of_a_part_of_a_country_counts_there_alone() -> None:
    thursday = at("2026-06-03 16:00")  # the 4th of June 2026 is Corpus Christi
    assert calendar.due(thursday, 2 * HOUR, BERLIN) == at("2026-06-04 10:00")
    assert calendar.due(thursday, 2 * HOUR, replace(BERLIN, holidays="DE-BY")) == at("2026-06-05 10:00")


def test_an_hour_that_a_change_of_clocks_skips_is_no_hour() -> None:
    nights = Calendar(zone="Europe/Berlin", days=tuple(range(7)), opens=0, closes=24 * 60)
    spring, autumn = at("2026-03-29 00:00"), at("2026-10-25 00:00")
    assert calendar.due(spring, 23 * HOUR, nights) == at("2026-03-30 00:00")
    assert calendar.due(autumn, 25 * HOUR, nights) == at("2026-10-26 00:00")


def test_the_start_may_be_told_in_any_zone_and_the_answer_is_in_utc() -> None:
    due = calendar.due(at("2026-07-15 13:30", "Asia/Kolkata"), HOUR, BERLIN)  # 10:00 in Berlin
    assert due == at("2026-07-15 11:00")
    assert due.tzinfo is UTC


def test_a_calendar_that_is_never_open_is_said_to_be() -> None:
    sundays = replace(BERLIN, days=())
    with pytest.raises(ValueError, match="not open"):
        calendar.due(at("2026-07-15 10:00"), 1, sundays)


@pytest.mark.parametrize(
    ("region", "known"), [("DE", True), ("DE-BE", True), ("DE-ZZ", False), ("XX", False), ("", False)]
)
def test_a_region_is_known_or_not(region: str, known: bool) -> None:
    assert calendar.is_known(region) is known


@pytest.mark.parametrize(
    ("start", "minutes", "then"),
    [
        ("2026-07-15 08:29", 510, "2026-07-15 08:30"),
        ("2026-07-15 08:30", 510, "2026-07-16 08:30"),
        ("2026-07-17 12:00", 510, "2026-07-20 08:30"),  # over a weekend
        ("2026-12-23 12:00", 510, "2026-12-28 08:30"),  # a day closed by the policy, and two holidays
        ("2026-07-15 16:00", 1080, "2026-07-15 18:00"),  # after the day's work
        ("2026-03-27 08:30", 510, "2026-03-30 08:30"),  # by the clock on the wall, which was put forward
    ],
)
def test_the_next_business_day_at_an_hour(start: str, minutes: int, then: str) -> None:
    assert calendar.next_at(at(start), minutes, BERLIN) == at(then)


@given(MOMENTS, st.integers(0, 1439))
def test_between_two_such_hours_lies_one_business_day(start: datetime, minutes: int) -> None:
    first = calendar.next_at(start, minutes, BERLIN)
    second = calendar.next_at(first, minutes, BERLIN)
    assert calendar.due(first, 8 * HOUR, BERLIN) <= second
    assert calendar.due(first, 8 * HOUR + 1, BERLIN) > second


def test_it_survives_being_stored() -> None:
    stored = asdict(BERLIN) | {"days": list(BERLIN.days), "closed": list(BERLIN.closed)}
    assert Calendar.from_document(stored) == BERLIN


@given(MOMENTS, st.integers(1, 40 * HOUR), st.integers(1, 40 * HOUR))
def test_more_time_is_never_over_sooner_and_parts_add_up(start: datetime, one: int, other: int) -> None:
    first = calendar.due(start, one, BERLIN)
    assert first - start >= timedelta(seconds=one)
    assert calendar.due(first, other, BERLIN) == calendar.due(start, one + other, BERLIN)


def test_a_day_on_which_clocks_are_put_back_is_an_hour_longer_between_two_such_hours() -> None:
    always = Calendar(zone="Europe/Berlin", days=tuple(range(7)), opens=0, closes=1_440)
    first = calendar.next_at(datetime(2026, 10, 24, tzinfo=UTC), 510, always)
    then = calendar.next_at(first, 510, always)
    assert then - first == timedelta(hours=25)
    assert calendar.due(first, calendar.day_s(always) + 3_600, always) == then
