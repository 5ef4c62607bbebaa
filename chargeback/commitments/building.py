"""Commitments out of their facts: when their money is recognised and invoiced, and what they cover."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise

from chargeback.commitments.commitment import Commitment, Coverable, Level
from chargeback.commitments.details import Covers, Details, read_details
from chargeback.commitments.words import covered_by
from chargeback.fx import FxRates
from chargeback.lots.calendar import cut, local_day, months
from chargeback.lots.conversion import Conversion, Due, exact
from chargeback.lots.lot import Invoiced, Lot, Segment, Target
from gpuledger.versions import CommitmentFact

__all__ = ["commitments_of"]


def commitments_of(
    facts: Iterable[CommitmentFact], zone: str, book_currency: str, fx: FxRates, horizon_s: int
) -> list[Commitment]:
    """The commitments that these facts make, by name, of amounts in the book's currency.

    What is paid upfront is there for its whole time, at the rate of exchange of its first invoice or first
    day; what is paid by the hour or month only as far as `horizon_s`, UTC seconds, at the rate of each day.
    Months are those of `zone`. Raises BooksError where a rate of exchange is not known.
    """
    builders = (_Builder(fact, zone, book_currency, fx, horizon_s) for fact in facts)
    return sorted((one.commitment() for one in builders), key=lambda one: one.name)


class _Builder:
    def __init__(
        self, fact: CommitmentFact, zone: str, book_currency: str, fx: FxRates, horizon_s: int
    ) -> None:
        self.fact, self.zone, self.horizon_s = fact, zone, horizon_s
        self.details: Details = read_details(fact.details, fact.commitment)
        self.name = f"commitment:{fact.commitment}"
        self.conversion = Conversion(self.name, fact.currency, book_currency, zone, fx)

    def commitment(self) -> Commitment:
        details = self.details
        usable_s = self.fact.end_s - details.tail_s
        levels = (
            Level(low, high, amount / 3600 if details.measure == "spend" else amount)
            for low, high, amount in self._committed()
        )
        return Commitment(
            lot=self._lot(),
            measure=details.measure,
            window=details.window,
            levels=tuple(
                replace(one, to_s=min(one.to_s, usable_s)) for one in levels if one.from_s < usable_s
            ),
            covers=tuple(map(_coverable, details.covers)),
            turn=details.turn,
            adds=details.adds,
            places=details.places,
            waste=details.waste,
        )

    def _committed(self) -> Iterator[tuple[int, int, Fraction]]:
        """What is committed over each stretch of its time."""
        steps = self.details.committed
        ends = [*(step.from_s for step in steps[1:]), self.fact.end_s]
        for step, end_s in zip(steps, ends, strict=True):
            yield max(step.from_s, self.fact.start_s), end_s, exact(step.value)

    def _lot(self) -> Lot:
        fact, details = self.fact, self.details
        day = local_day(self.zone, min([fact.start_s, *(one.at_s for one in details.invoices)]))
        upfront = self.conversion.at_one_day([Segment(fact.start_s, fact.end_s, exact(details.upfront))], day)
        recurring, served = self.conversion.by_day(list(self._recurring(min(fact.end_s, self.horizon_s))))
        dues = [Due(one.at_s, exact(one.amount), one.number) for one in details.invoices]
        invoices = [
            *self.conversion.at_one_rate((one for one in dues if one.at_s < self.horizon_s), day),
            *self.conversion.settled(self._monthly_dues(), served),
        ]
        return Lot(
            name=self.name,
            kind="commitment",
            lot_class="billed" if invoices or dues or details.monthly else "estimate",
            rounding_pool=details.rounding_pool,
            segments=tuple(_summed([*upfront, *recurring])),
            target=Target(account=details.waste),
            invoices=tuple(sorted(invoices, key=_when)),
            absent=details.waste,
            currency=fact.currency,
            said=covered_by(details),
        )

    def _recurring(self, end_s: int) -> Iterator[Segment]:
        """What is paid by the hour and by the month, in stretches of one month and one level."""
        hourly, monthly = exact(self.details.each_hour), exact(self.details.each_month)
        spread = exact(self.details.upfront) / (self.fact.end_s - self.fact.start_s)
        levels = list(self._committed())
        for part in months(self.zone, self.fact.start_s, end_s):
            for low, high in cut(part.from_s, part.to_s, (level[0] for level in levels)):
                committed = next(amount for begin, end, amount in levels if begin <= low < end)
                if self.details.measure == "spend":
                    amount = (committed / 3600 - spread) * (high - low)
                else:
                    amount = committed * hourly * Fraction(high - low, 3600)
                yield Segment(low, high, amount + monthly * Fraction(high - low, part.month_seconds))

    def _monthly_dues(self) -> Iterator[Due]:
        """The invoice of each month for what recurs: at its first instant, or at the one after its last."""
        if not self.details.monthly:
            return
        parts = list(self._recurring(self.fact.end_s))
        for month in months(self.zone, self.fact.start_s, self.fact.end_s):
            at_s = month.from_s if self.details.monthly == "in_advance" else month.to_s
            amounts = (one.amount for one in parts if month.from_s <= one.from_s < month.to_s)
            if at_s < self.horizon_s:
                yield Due(at_s, sum(amounts, Fraction(0)))


def _when(one: Invoiced) -> tuple[int, str]:
    return one.at_s, one.number


def _coverable(one: Covers) -> Coverable:
    return Coverable(
        slots=one.slots,
        factor=exact(one.factor),
        rate=exact(one.rate) if one.rate else None,
        rate_unit=one.rate_unit,
        discount=exact(one.discount) if one.discount else None,
    )


def _summed(segments: Sequence[Segment]) -> Iterator[Segment]:
    """Segments that may overlap as segments that do not, with the same amounts."""
    edges = sorted({at_s for one in segments for at_s in (one.from_s, one.to_s)})
    for low, high in pairwise(edges):
        parts = [
            one.amount * Fraction(high - low, one.to_s - one.from_s)
            for one in segments
            if one.from_s <= low and high <= one.to_s
        ]
        yield Segment(low, high, sum(parts, Fraction(0)))
