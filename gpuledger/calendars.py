"""The billing calendar: pieces, local days and months of every zone of the tz database.

A local day begins at the first instant at which its date shows, and is not left again: where clocks go back
over midnight, the repeated time stays in the day that has begun. So days and months are intervals everywhere.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from itertools import pairwise
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from gpuledger.errors import InputError

__all__ = ["Piece", "calendar_pieces", "day_start", "month_bounds", "next_month", "time_zone", "utc_day"]

_HOUR = 3600
_MONTH = re.compile(r"((?:19|20|21)[0-9]{2})-(0[1-9]|1[0-2])")


@dataclass(frozen=True)
class Piece:
    """A UTC clock hour cut at local midnights: Unix seconds [start_s, end_s), its local day and month."""

    start_s: int
    end_s: int
    day: str
    period: str


def time_zone(name: str) -> ZoneInfo:
    """The zone of that name from the system's tz database or the tzdata package; raises `InputError`."""
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        raise InputError(
            f"time zone {name!r} is not in the tz database",
            mend="write its name there, such as Europe/Berlin or UTC",
        ) from error


def day_start(zone: ZoneInfo, day: date) -> int:
    """The first instant, in Unix seconds, at which `day` or a later date shows in `zone`.

    A day that the zone skipped begins where the next one does and has no length.
    """
    midnight = datetime.combine(day, time(), zone)
    first = int(midnight.timestamp())
    if datetime.fromtimestamp(first, zone).replace(tzinfo=None) == midnight.replace(tzinfo=None):
        return first
    return _transition(zone, int(midnight.replace(fold=1).timestamp()), first)


def _transition(zone: ZoneInfo, before_s: int, after_s: int) -> int:
    """The instant in (before, after] from which the offset is the one at `after`."""
    offset = datetime.fromtimestamp(after_s, zone).utcoffset()
    while after_s - before_s > 1:
        middle = (before_s + after_s) // 2
        if datetime.fromtimestamp(middle, zone).utcoffset() == offset:
            after_s = middle
        else:
            before_s = middle
    return after_s


def calendar_pieces(zone: str, start_s: int, end_s: int) -> list[Piece]:
    """[start, end) as pieces: cut at every UTC clock hour and where a local day of `zone` begins."""
    info = time_zone(zone)
    pieces: list[Piece] = []
    day, begin = _day_at(info, start_s), start_s
    while begin < end_s:
        following = day + timedelta(days=1)
        stop = min(day_start(info, following), end_s)
        pieces += _hours(day.isoformat(), begin, stop)
        day, begin = following, max(begin, stop)
    return pieces


def _day_at(zone: ZoneInfo, at_s: int) -> date:
    day = datetime.fromtimestamp(at_s, zone).date()
    while day_start(zone, day + timedelta(days=1)) <= at_s:
        day += timedelta(days=1)
    return day


def _hours(day: str, start_s: int, end_s: int) -> list[Piece]:
    if start_s >= end_s:
        return []
    bounds = [start_s, *range(start_s // _HOUR * _HOUR + _HOUR, end_s, _HOUR), end_s]
    return [Piece(low, high, day, day[:7]) for low, high in pairwise(bounds)]


def month_bounds(zone: str, month: str) -> tuple[int, int]:
    """The Unix seconds [start, end) of a local month written as `2026-10`; raises `InputError`."""
    written = _MONTH.fullmatch(month)
    if not written:
        raise InputError(f"{month!r} is not a month", mend="write year and month, like 2026-10")
    year, number = int(written[1]), int(written[2])
    info = time_zone(zone)
    following = date(year + number // 12, number % 12 + 1, 1)
    return day_start(info, date(year, number, 1)), day_start(info, following)


def next_month(month: str) -> str:
    """The month after one written as `2026-12`: `2027-01`."""
    year, number = int(month[:4]), int(month[5:])
    return f"{year + number // 12:04}-{number % 12 + 1:02}"


def utc_day(at_s: int) -> str:
    """The UTC day of an instant in Unix seconds, as `2026-10-31`."""
    return datetime.fromtimestamp(at_s, UTC).date().isoformat()
