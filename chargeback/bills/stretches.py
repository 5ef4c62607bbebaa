"""Amounts over stretches of time: cut so that none overlap, and by local days where each has a rate."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from fractions import Fraction
from itertools import pairwise
from typing import NamedTuple

from chargeback.bills.allocation import Run
from chargeback.bills.amounts import SCALE
from gpuledger.calendars import day_start, time_zone

__all__ = ["LocalDays", "Part", "apart", "converted_by_day"]


class Part(NamedTuple):
    """An amount over `[start_s, end_s)`, evenly and exact."""

    start_s: int
    end_s: int
    amount: Fraction


def apart(runs: Sequence[Run]) -> Iterator[Part]:
    """The same money over stretches that do not overlap, in order, in units of the currency.

    Where runs overlap they are cut at each other's edges and added up.
    """
    if all(one.end_s <= other.start_s for one, other in pairwise(runs)):
        return (Part(run.start_s, run.end_s, Fraction(run.amount_e30, SCALE)) for run in runs)
    density: dict[int, Fraction] = defaultdict(Fraction)
    running: dict[int, int] = defaultdict(int)
    for run in runs:
        each = Fraction(run.amount_e30, SCALE * (run.end_s - run.start_s))
        density[run.start_s] += each
        density[run.end_s] -= each
        running[run.start_s] += 1
        running[run.end_s] -= 1
    return _swept(density, running)


def _swept(density: dict[int, Fraction], running: dict[int, int]) -> Iterator[Part]:
    now, at_once = Fraction(0), 0
    for start_s, end_s in pairwise(sorted(density)):
        now += density[start_s]
        at_once += running[start_s]
        if at_once:
            yield Part(start_s, end_s, now * (end_s - start_s))


@dataclass(frozen=True)
class LocalDays:
    """The days of a zone from one instant to another: where each begins, and its date."""

    starts: tuple[int, ...]
    names: tuple[str, ...]

    @classmethod
    def of(cls, zone: str, first_s: int, last_s: int) -> LocalDays:
        """The days that have part of `[first_s, last_s]`."""
        info = time_zone(zone)
        day = datetime.fromtimestamp(first_s, UTC).date() - timedelta(days=1)
        starts: list[int] = []
        names: list[str] = []
        while (begins := day_start(info, day)) <= last_s:
            starts.append(begins)
            names.append(day.isoformat())
            day = _next(day)
        return cls(tuple(starts), tuple(names))

    def at(self, at_s: int) -> str:
        """The day of an instant, YYYY-MM-DD."""
        return self.names[bisect_right(self.starts, at_s) - 1]

    def edges(self, start_s: int, end_s: int) -> Sequence[int]:
        """Where days begin inside (start, end)."""
        return self.starts[bisect_right(self.starts, start_s) : bisect_right(self.starts, end_s - 1)]


def converted_by_day(
    parts: Iterable[Part], days: LocalDays, rate: Callable[[str], Fraction]
) -> Iterator[Part]:
    """Parts cut where local days begin, each at the rate of its day."""
    for whole in parts:
        edges = days.edges(whole.start_s, whole.end_s)
        for start_s, end_s in pairwise((whole.start_s, *edges, whole.end_s)):
            share = (
                whole.amount * (end_s - start_s) / (whole.end_s - whole.start_s) if edges else whole.amount
            )
            yield Part(start_s, end_s, share * rate(days.at(start_s)))


def _next(day: date) -> date:
    return day + timedelta(days=1)
