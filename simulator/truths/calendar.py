"""Clock hours cut at local midnights, by looking at a calendar: what money and statements are cut by."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from itertools import pairwise
from zoneinfo import ZoneInfo

__all__ = ["Hour", "hours_of", "month_of"]

_HOUR = 3600


@dataclass(frozen=True, order=True)
class Hour:
    """A UTC clock hour, or the part of one that lies in one local day."""

    start_s: int
    end_s: int
    day: str


def month_of(zone: str, month: str) -> tuple[int, int]:
    """The first second of a month in a zone, and the first after it."""
    year, number = (int(part) for part in month.split("-"))
    return _midnight(date(year, number, 1), zone), _midnight(
        date(year + number // 12, number % 12 + 1, 1), zone
    )


def hours_of(zone: str, start_s: int, end_s: int) -> list[Hour]:
    """All hours of [start, end), cut at local midnights."""
    first = datetime.fromtimestamp(start_s, ZoneInfo(zone)).date()
    last = datetime.fromtimestamp(end_s, ZoneInfo(zone)).date()
    days = [first + timedelta(days=number) for number in range((last - first).days + 2)]
    midnights = [_midnight(day, zone) for day in days]
    edges = {start_s, end_s, *range(-(-start_s // _HOUR) * _HOUR, end_s, _HOUR)}
    edges |= {at for at in midnights if start_s < at < end_s}
    ordered = sorted(edges)
    found = []
    for begin, end in pairwise(ordered):
        day = max(day for day, at in zip(days, midnights, strict=True) if at <= begin)
        found.append(Hour(begin, end, day.isoformat()))
    return found


def _midnight(day: date, zone: str) -> int:
    return int(datetime.combine(day, time(), ZoneInfo(zone)).timestamp())
