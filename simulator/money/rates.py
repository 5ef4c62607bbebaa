"""A world's calendar and exchange rates, by looking at them: what amounts are worth on their day."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, datetime, timedelta
from fractions import Fraction
from itertools import pairwise
from zoneinfo import ZoneInfo

from simulator.money.flow import QUANTA, Part
from simulator.money.world import MoneyWorld

__all__ = ["Rates"]


class Rates:
    """Days, months and rates of a world, whose book is kept in dollars."""

    def __init__(self, world: MoneyWorld) -> None:
        self.world = world
        self._zone = ZoneInfo(world.zone)
        self._known: dict[tuple[str, str], Fraction] = {}
        self._midnights = [self.at((date(2025, 12, 1) + timedelta(days=n)).isoformat()) for n in range(430)]

    def at(self, day: str) -> int:
        """The first instant of a local day."""
        return int(datetime.fromisoformat(day).replace(tzinfo=self._zone).timestamp())

    def day(self, at_s: int) -> str:
        """The local day of an instant."""
        return datetime.fromtimestamp(at_s, self._zone).date().isoformat()

    def rate(self, code: str, day: str) -> Fraction:
        """Quanta for a unit of a currency on a day: by the last working day up to it."""
        if (code, day) not in self._known:
            self._known[code, day] = self._rate(code, day) * QUANTA
        return self._known[code, day]

    def _rate(self, code: str, day: str) -> Fraction:
        if code == "USD":
            return Fraction(1)
        usd, jpy = self.world.money.fx["EUR", "USD"], self.world.money.fx["EUR", "JPY"]
        told = max(one for one in usd if one <= day)
        return Fraction(usd[told]) / (Fraction(jpy[told]) if code == "JPY" else 1)

    def by_day(self, part: Part, code: str) -> Iterator[Part]:
        """A part in units of a currency, each local day of it at that day's rate."""
        if code == "USD":
            yield Part(part.start_s, part.end_s, part.amount * QUANTA)
            return
        inner = [at for at in self._midnights if part.start_s < at < part.end_s]
        for low, high in pairwise([part.start_s, *inner, part.end_s]):
            amount = part.amount * (high - low) / (part.end_s - part.start_s)
            yield Part(low, high, amount * self.rate(code, self.day(low)))

    def months(self, start_s: int, end_s: int) -> Iterator[tuple[int, int, Fraction]]:
        """[start, end) by local month, each with the part of the month that it is."""
        for month in self.world.months:
            year, number = (int(part) for part in month.split("-"))
            begin = self.at(f"{month}-01")
            end = self.at(f"{year + number // 12}-{number % 12 + 1:02d}-01")
            low, high = max(begin, start_s), min(end, end_s)
            if low < high:
                yield low, high, Fraction(high - low, end - begin)
