"""A lot's amounts in the book's currency: converted once, each at the rate of one day.

Usage is converted at the rate of the day on which it is served, everything else at the rate of one day for
all of it. What an invoice comes to at the rate of its own day differs from that, and the difference is told.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from itertools import accumulate

from chargeback.fx import FxRates
from chargeback.lots.calendar import days, local_day
from chargeback.lots.lot import Invoiced, Segment
from gpuledger.errors import BooksError
from gpuledger.money import currency

__all__ = ["Conversion", "Due", "Served", "exact"]

Served = tuple[Fraction, Fraction]
"""An amount of the lot's currency in major units, and what it is recognised at, in quanta of the book."""


@dataclass(frozen=True)
class Due:
    """What is invoiced at an instant, UTC seconds: exact, in major units of the lot's currency."""

    at_s: int
    amount: Fraction
    number: str = ""


@dataclass(frozen=True)
class Conversion:
    """From one currency to the book's; `name` is the lot that errors speak of."""

    name: str
    code: str
    book: str
    zone: str
    fx: FxRates

    def quanta(self, day: str) -> Fraction:
        """Quanta of the book for a major unit on a day, YYYY-MM-DD; raises BooksError without a rate."""
        try:
            return self.fx.rate(self.code, self.book, day) * currency(self.book).quantum
        except BooksError as error:
            raise BooksError(f"{self.name}: {error.message}", mend=error.mend) from error

    def at_one_day(self, parts: Iterable[Segment], day: str) -> list[Segment]:
        """The segments, in major units, at the rate of one day."""
        rate = self.quanta(day)
        return [Segment(one.from_s, one.to_s, one.amount * rate) for one in parts]

    def by_day(self, parts: Iterable[Segment]) -> tuple[list[Segment], list[Served]]:
        """The segments, in major units, each day's part at its own rate, and what was served at what."""
        segments: list[Segment] = []
        served: list[Served] = []
        for one in parts:
            for low, high, rate in self._rated(one):
                amount = one.amount * (high - low) / (one.to_s - one.from_s)
                segments.append(Segment(low, high, amount * rate))
                served.append((amount, amount * rate))
        return segments, served

    def _rated(self, one: Segment) -> Iterator[tuple[int, int, Fraction]]:
        """A segment's time in stretches of one rate; days that have the same rate are not parted."""
        if self.code == self.book:
            yield one.from_s, one.to_s, self.quanta("")
            return
        begun, known = one.from_s, None
        for low, _, day in days(self.zone, one.from_s, one.to_s):
            rate = self.quanta(day)
            if known is not None and rate != known:
                yield begun, low, known
                begun = low
            known = rate
        if known is not None:
            yield begun, one.to_s, known

    def at_one_rate(self, invoices: Iterable[Due], day: str) -> list[Invoiced]:
        """The invoices of what is recognised at the rate of one day."""
        rate = self.quanta(day)
        return [self._invoiced(one, one.amount * rate) for one in invoices]

    def settled(self, invoices: Iterable[Due], served: Sequence[Served]) -> list[Invoiced]:
        """The invoices of usage, which settle what was served in its order.

        What is invoiced before it is served, or is never served, makes no difference of exchange.
        """
        found: list[Invoiced] = []
        settled, reached = _Settled(served), Fraction(0)
        for one in sorted(invoices, key=lambda due: due.at_s):
            rate, then = self._rate_of(one), reached + one.amount
            recognised = settled.recognised(then, rate) - settled.recognised(reached, rate)
            found.append(self._invoiced(one, recognised))
            reached = then
        return found

    def _invoiced(self, one: Due, recognised: Fraction) -> Invoiced:
        amount = one.amount * self._rate_of(one)
        return Invoiced(one.at_s, amount, one.number, amount - recognised)

    def _rate_of(self, one: Due) -> Fraction:
        return self.quanta(local_day(self.zone, one.at_s))


class _Settled:
    """What was served, in its order, and what the first part of it is recognised at; all is of one sign."""

    def __init__(self, served: Sequence[Served]) -> None:
        parts = [(amount, value) for amount, value in served if amount]
        self._sign = -1 if parts and parts[0][0] < 0 else 1
        self._reached = list(accumulate((self._sign * amount for amount, _ in parts), initial=Fraction(0)))
        self._values = list(accumulate((value for _, value in parts), initial=Fraction(0)))

    def recognised(self, amount: Fraction, beyond: Fraction) -> Fraction:
        """What the first `amount` of it is recognised at; what is beyond all of it at the rate given."""
        size = self._sign * amount
        if not 0 < size < self._reached[-1]:
            place = 0 if size <= 0 else -1
            return self._values[place] + (size - self._reached[place]) * self._sign * beyond
        place = bisect_right(self._reached, size) - 1
        low, high = self._reached[place : place + 2]
        value, then = self._values[place : place + 2]
        return value + (then - value) * (size - low) / (high - low)


def exact(text: str) -> Fraction:
    """Decimal text as it is, to the last digit."""
    return Fraction(Decimal(text))
