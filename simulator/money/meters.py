"""What price lists make of the time of nodes, where no bill has come for it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction

from simulator.money.flow import HOUR_S, Flow, Part
from simulator.money.rates import Rates
from simulator.money.world import Bill, Metered, MoneyWorld, Run

__all__ = ["Meters", "counted"]


class Meters:
    """Flows of nodes by price lists."""

    def __init__(self, world: MoneyWorld, rates: Rates) -> None:
        self.world, self.rates = world, rates

    def meters(self, run: Run, bills: Sequence[Bill]) -> Iterator[Flow]:
        """What price lists make of a node's run; where it is billed, the bill counts."""
        end_s = self.world.end_s if run.end_s is None else run.end_s
        billed = _billed(run, bills)
        parts: list[Part] = []
        for price in self.world.money.metered:
            if price.sku != run.sku or price.zone not in ("", run.zone) or price.option not in ("", run.kind):
                continue
            low, high = max(price.start_s, run.start_s), min(price.end_s or end_s, end_s)
            for first, last in _without(low, high, billed):
                parts += (
                    part
                    for one in self._priced(price, run, first, last)
                    for part in self.rates.by_day(one, price.currency)
                )
        if parts:
            yield Flow(f"meter:{run.node}@{run.start_s}", tuple(parts), nodes=(run.node,), is_meter=True)

    def _priced(self, price: Metered, run: Run, start_s: int, end_s: int) -> Iterator[Part]:
        """[start, end) of a run in units of the price's currency."""
        rate = Fraction(price.rate)
        if not price.month_rule:
            spans = counted(run) if price.counted else [(start_s, end_s, Fraction(1))]
            for first, last, multiple in spans:
                low, high = max(first, start_s), min(last, end_s)
                if low < high:
                    yield Part(low, high, rate * multiple * (high - low) / HOUR_S)
        elif price.month_rule == "actual":
            for low, high, share in self.rates.months(start_s, end_s):
                yield Part(low, high, rate * share)
        else:
            yield Part(start_s, end_s, rate * (end_s - start_s) / (int(price.month_rule) * HOUR_S))


def counted(run: Run) -> list[tuple[int, int, Fraction]]:
    """A run in started hours: as used where the provider ended it, nothing if it did so in the first."""
    if run.end_s is None:
        return [(run.start_s, 2**40, Fraction(1))]
    length = run.end_s - run.start_s
    if run.ended_by == "provider":
        return [] if length <= HOUR_S else [(run.start_s, run.end_s, Fraction(1))]
    begun = run.start_s + (length - 1) // HOUR_S * HOUR_S
    return [(run.start_s, begun, Fraction(1)), (begun, run.end_s, Fraction(HOUR_S, run.end_s - begun))]


def _billed(run: Run, bills: Iterable[Bill]) -> list[tuple[int, int]]:
    lines = (line for bill in bills for line in bill.lines if run.instance and line.resource == run.instance)
    return sorted((line.start_s, line.end_s) for line in lines)


def _without(start_s: int, end_s: int, stretches: Iterable[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """[start, end) without these stretches, which are in order."""
    for low, high in stretches:
        if start_s < min(low, end_s):
            yield start_s, min(low, end_s)
        start_s = max(start_s, high)
    if start_s < end_s:
        yield start_s, end_s
