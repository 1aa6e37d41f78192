"""Business hours: when an answer is due that must come within so many hours of somebody's working time.

The one rule: times are counted in the calendar's own zone, where its clock stands; an hour that a change of clocks skips is no hour.
Holidays are those of the library `holidays` (a country, or a part of it), and the days that the policy closes itself.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from functools import lru_cache
from typing import Any, Final, Self
from zoneinfo import ZoneInfo

import holidays

MOST_DAYS: Final = 3_660
"""A calendar that is not open long enough within ten years is closed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Calendar:
    """When people work: `days` of the week (0 is Monday), from `opens` to `closes` in minutes after midnight, in a time zone.

    `holidays` is a country and perhaps a part of it ("DE", "DE-BE"), "" for none; `closed` are further days as ISO dates.
    """

    zone: str
    days: tuple[int, ...]
    opens: int
    closes: int
    holidays: str = ""
    closed: tuple[str, ...] = ()

    @classmethod
    def from_document(cls, document: Mapping[str, Any]) -> Self:
        """Read what `dataclasses.asdict` wrote."""
        return cls(**{**document, "days": tuple(document["days"]), "closed": tuple(document.get("closed", ()))})


def due(start: datetime, seconds: int, calendar: Calendar) -> datetime:
    """When so many seconds of business time after `start` are over, in UTC. Raises ValueError if the calendar is never open that long.

    Between two business days the earlier moment is taken: what is due when a day ends is due then, not when the next one begins.
    """
    left = timedelta(seconds=seconds)
    for opens, closes in _open(start, calendar):
        begins = max(opens, start.astimezone(UTC))
        if begins >= closes:
            continue
        if left <= closes - begins:
            return begins + left
        left -= closes - begins
    raise ValueError(f"the calendar is not open for {seconds} seconds within ten years")


def next_at(start: datetime, minutes: int, calendar: Calendar) -> datetime:
    """The first moment after `start` at which a business day's clock shows `minutes` after midnight, in UTC.

    Between one such moment and the next lies one business day of business time; an hour more or less if it is open while clocks change.
    Raises ValueError if the calendar is never open.
    """
    zone = ZoneInfo(calendar.zone)
    for opens, _ in _open(start, calendar):
        at = _at(opens.astimezone(zone).date(), minutes, zone)
        if at > start:
            return at
    raise ValueError("the calendar is not open within ten years")


def day_s(calendar: Calendar) -> int:
    """How long a business day is, in seconds."""
    return (calendar.closes - calendar.opens) * 60


def is_known(region: str) -> bool:
    """Whether there are holidays of such a country, or part of a country, as "DE" or "DE-BE"."""
    country, _, part = region.partition("-")
    parts = holidays.list_supported_countries().get(country)
    return parts is not None and (not part or part in parts)


def _open(start: datetime, calendar: Calendar) -> Iterator[tuple[datetime, datetime]]:
    """The business hours of each business day from that of `start` on, in UTC."""
    zone = ZoneInfo(calendar.zone)
    first = start.astimezone(zone).date()
    for day in (first + timedelta(days=n) for n in range(MOST_DAYS)):
        if (
            day.weekday() in calendar.days
            and day.isoformat() not in calendar.closed
            and not _is_holiday(calendar.holidays, day)
        ):
            yield _at(day, calendar.opens, zone), _at(day, calendar.closes, zone)


def _at(day: date, minutes: int, zone: ZoneInfo) -> datetime:
    midnight = datetime.combine(day + timedelta(days=minutes // 1_440), time(minutes % 1_440 // 60, minutes % 60), zone)
    return midnight.astimezone(UTC)


def _is_holiday(region: str, day: date) -> bool:
    return bool(region) and day in _holidays(region, day.year)


@lru_cache(maxsize=128)
def _holidays(region: str, year: int) -> frozenset[date]:
    """Those of a region in a year. Asked for whole: a collection that grows as it is asked is not safe to share between threads."""
    country, _, part = region.partition("-")
    return frozenset(holidays.country_holidays(country, subdiv=part or None, years=year))
