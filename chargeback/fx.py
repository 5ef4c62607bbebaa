"""Exchange rates by day: what one unit of a currency is worth in another."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import date
from fractions import Fraction
from functools import cached_property

from gpuledger.errors import BooksError
from gpuledger.money import currency
from gpuledger.versions import FxFact

__all__ = ["DAYS_KEPT", "FxRates", "fx_rates"]

DAYS_KEPT = 7
"""For how many days a rate goes on to count where no later one is known: over weekends and holidays."""

_Pair = tuple[str, str]


@dataclass(frozen=True)
class FxRates:
    """The rates that are known, by (base, quote), each in the order of its days, as decimal text.

    A day takes the rate of the latest day up to it that has one, at most `DAYS_KEPT` days before; where only
    the other direction is known its reciprocal; else over one currency that both have rates with: the one
    whose rates are the newest, of these the first by code. What was found is kept.

    `later` has rates that became known later: they count where nothing else is known, for lots and prices
    that became known with them.
    """

    days: dict[_Pair, list[date]]
    rates: dict[_Pair, list[str]]
    later: FxRates | None = field(default=None, compare=False)
    _found: dict[tuple[str, str, str], Fraction] = field(default_factory=dict, compare=False, repr=False)

    def per_quantum(self, base: str, quote: str, day: str) -> Fraction:
        """Quanta of `quote` for one quantum of `base` on a day, YYYY-MM-DD.

        Raises BooksError, naming the pair and the day, where no rate is known.
        """
        scale = Fraction(currency(quote).quantum, currency(base).quantum)
        return self.rate(base, quote, day) * scale

    def rate(self, base: str, quote: str, day: str) -> Fraction:
        """Units of `quote` for one of `base` on a day; raises BooksError where none is known."""
        if base == quote:
            return Fraction(1)
        if (kept := self._found.get((base, quote, day))) is not None:
            return kept
        wanted = date.fromisoformat(day)
        known = self._direct(base, quote, wanted) or self._crossed(base, quote, wanted)
        if known is None:
            if self.later is not None:
                return self.later.rate(base, quote, day)
            raise BooksError(
                f"no exchange rate of {base} in {quote} is known for {day}, nor for the {DAYS_KEPT} days "
                "before it",
                mend="bring it in with `gpuledger import fx FILE`: columns date, base, quote, rate",
            )
        return self._found.setdefault((base, quote, day), known[1])

    def _direct(self, base: str, quote: str, wanted: date) -> tuple[date, Fraction] | None:
        """The rate that counts on a day, or the reciprocal of the other direction's, and since which day."""
        if (known := self._latest(base, quote, wanted)) is not None:
            return known
        back = self._latest(quote, base, wanted)
        return None if back is None else (back[0], 1 / back[1])

    def _crossed(self, base: str, quote: str, wanted: date) -> tuple[date, Fraction] | None:
        """The rate over a third currency, and the older of the two days it comes from."""
        found: tuple[date, Fraction] | None = None
        for other in sorted(self._partners.get(base, set()) & self._partners.get(quote, set())):
            one, two = self._direct(base, other, wanted), self._direct(other, quote, wanted)
            if one is not None and two is not None:
                since = min(one[0], two[0])
                if found is None or since > found[0]:
                    found = since, one[1] * two[1]
        return found

    @cached_property
    def _partners(self) -> dict[str, set[str]]:
        """The currencies that each has rates with, in either direction."""
        found: dict[str, set[str]] = defaultdict(set)
        for base, quote in self.days:
            found[base].add(quote)
            found[quote].add(base)
        return dict(found)

    def _latest(self, base: str, quote: str, wanted: date) -> tuple[date, Fraction] | None:
        days = self.days.get((base, quote), [])
        place = bisect_right(days, wanted) - 1
        if place < 0 or (wanted - days[place]).days > DAYS_KEPT:
            return None
        return days[place], Fraction(self.rates[base, quote][place])


def fx_rates(facts: Iterable[FxFact], later: Iterable[FxFact] = ()) -> FxRates:
    """The rates of these facts, with those that became known `later`."""
    days: dict[_Pair, list[date]] = defaultdict(list)
    rates: dict[_Pair, list[str]] = defaultdict(list)
    for fact in sorted(facts, key=lambda one: one.day):
        days[fact.base, fact.quote].append(date.fromisoformat(fact.day))
        rates[fact.base, fact.quote].append(fact.rate)
    more = tuple(later)
    return FxRates(dict(days), dict(rates), fx_rates(more) if more else None)
