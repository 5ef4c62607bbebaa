"""Stretches of time cut at local months, at local days, or at any edges."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date, timedelta
from fractions import Fraction
from itertools import pairwise

from gpuledger.calendars import calendar_pieces, day_start, month_bounds, next_month, time_zone

__all__ = ["MonthPart", "add_months", "at_day", "cut", "days", "local_day", "months", "next_month_start"]


@dataclass(frozen=True)
class MonthPart:
    """The part `[from_s, to_s)` of a local month, UTC seconds, and how long the whole month is."""

    from_s: int
    to_s: int
    month_seconds: int

    @property
    def share(self) -> Fraction:
        """What part of the month it is."""
        return Fraction(self.to_s - self.from_s, self.month_seconds)


def months(zone: str, from_s: int, to_s: int) -> Iterator[MonthPart]:
    """[from, to) cut where local months begin."""
    month = local_day(zone, from_s)[:7]
    while from_s < to_s:
        start_s, end_s = month_bounds(zone, month)
        yield MonthPart(from_s, min(end_s, to_s), end_s - start_s)
        from_s, month = end_s, next_month(month)


def days(zone: str, from_s: int, to_s: int) -> Iterator[tuple[int, int, str]]:
    """[from, to) cut where local days begin, each part with its day, YYYY-MM-DD."""
    info = time_zone(zone)
    day = date.fromisoformat(local_day(zone, from_s))
    while from_s < to_s:
        following = day + timedelta(days=1)
        end_s = min(day_start(info, following), to_s)
        if end_s > from_s:
            yield from_s, end_s, day.isoformat()
        from_s, day = max(from_s, end_s), following


def cut(from_s: int, to_s: int, edges: Iterable[int]) -> Iterator[tuple[int, int]]:
    """[from, to) cut at those of the edges that lie in it."""
    inner = (at_s for at_s in edges if from_s < at_s < to_s)
    yield from pairwise(sorted({from_s, to_s, *inner}))


def local_day(zone: str, at_s: int) -> str:
    """The local day of an instant, YYYY-MM-DD."""
    return calendar_pieces(zone, at_s, at_s + 1)[0].day


def at_day(zone: str, day: date) -> int:
    """The first instant of a local day, UTC seconds."""
    return day_start(time_zone(zone), day)


def next_month_start(day: date) -> date:
    """The first day of the month after that of a day."""
    return date(day.year + day.month // 12, day.month % 12 + 1, 1)


def add_months(day: date, count: int) -> date:
    """The same day of a month so many months later, its last day where it has no such day."""
    month = day.month - 1 + count
    first = date(day.year + month // 12, month % 12 + 1, 1)
    last = (next_month_start(first) - first).days
    return first.replace(day=min(day.day, last))
