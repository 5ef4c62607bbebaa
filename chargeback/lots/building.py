"""Lots out of their facts: what is recognised when, in the book's currency, and what was invoiced."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import date
from fractions import Fraction

from chargeback.fx import FxRates
from chargeback.lots.assets import Charge, Schedule, schedule
from chargeback.lots.calendar import at_day, local_day, months, next_month_start
from chargeback.lots.conversion import Conversion, Due, exact
from chargeback.lots.details import Asset, Details, Disposal, read_details
from chargeback.lots.energy import energy_segments
from chargeback.lots.lot import Invoiced, Lot, Segment, Target
from chargeback.lots.words import said_of
from gpuledger.versions import LotFact

__all__ = ["lots_of"]


def lots_of(
    facts: Iterable[LotFact], zone: str, book_currency: str, fx: FxRates, horizon_s: int
) -> list[Lot]:
    """The lots that these facts make, by name, of amounts in the book's currency.

    What has an end of its own is there with its whole life; fees and energy only as far as `horizon_s`, UTC
    seconds, and invoices only before it. Months and days are those of `zone`. An asset's impairments and what
    its disposal leaves are lots of their own. Raises BooksError where a rate of exchange is not known.
    """
    found: dict[str, list[Lot]] = defaultdict(list)
    for fact in sorted(facts, key=lambda one: (one.lot, one.start_s)):
        for lot in _Builder(fact, zone, book_currency, fx, horizon_s).lots():
            found[lot.name].append(lot)
    return [_joined(parts) for _, parts in sorted(found.items())]


def _joined(parts: Sequence[Lot]) -> Lot:
    """The lot of one name, of which several facts may tell: they follow each other."""
    return replace(
        parts[0],
        segments=tuple(one for part in parts for one in part.segments),
        invoices=tuple(one for part in parts for one in part.invoices),
        said="; then ".join(part.said for part in parts),
    )


class _Builder:
    """Makes the lots of one fact."""

    def __init__(self, fact: LotFact, zone: str, book_currency: str, fx: FxRates, horizon_s: int) -> None:
        self.fact, self.zone, self.horizon_s = fact, zone, horizon_s
        self.details: Details = read_details(fact.details, fact.lot)
        self.name = f"lot:{fact.lot}"
        self.conversion = Conversion(self.name, fact.currency, book_currency, zone, fx)

    def lots(self) -> Iterator[Lot]:
        """Its lot, and those beside it; none where nothing of it is known before the horizon."""
        if self.fact.start_s >= self.horizon_s and not self._dues():
            return
        if self.details.asset is not None:
            yield from self._asset(self.details.asset)
        elif self.fact.kind in ("fee", "minimum", "energy"):
            yield self._usage()
        else:
            yield self._fixed([Segment(self.fact.start_s, self._end_s, self._amount)])

    @property
    def _amount(self) -> Fraction:
        return exact(self.fact.amount)

    @property
    def _end_s(self) -> int:
        return self.horizon_s if self.fact.end_s is None else self.fact.end_s

    def _lot(self, segments: Sequence[Segment]) -> Lot:
        details = self.details
        return Lot(
            name=self.name,
            kind=self.fact.kind,
            lot_class=details.lot_class,
            rounding_pool=details.rounding_pool,
            segments=tuple(segments),
            target=details.target,
            absent=details.absent,
            covers=details.covers,
            currency=self.fact.currency,
            said=said_of(self.fact, details),
        )

    def _fixed(self, parts: Sequence[Segment]) -> Lot:
        """A lot that is converted at the rate of one day."""
        day = self._rate_day
        invoices = self.conversion.at_one_rate(self._dues(), day)
        return replace(self._lot(self.conversion.at_one_day(parts, day)), invoices=tuple(invoices))

    @property
    def _rate_day(self) -> str:
        """The day whose rate counts: as said, else that of the first invoice or the first day of all."""
        first = min([self.fact.start_s, *(one.at_s for one in self.details.invoices)])
        return self.details.converted_on or local_day(self.zone, first)

    def _usage(self) -> Lot:
        """A lot that is converted at the rates of the days on which it is served."""
        start_s, end_s = self.fact.start_s, min(self._end_s, self.horizon_s)
        if start_s >= end_s:  # invoiced before it is served at all
            parts = [Segment(start_s, start_s + 1, Fraction(0))]
        elif self.details.energy is None:
            parts = list(self._each_month(end_s))
        else:
            parts = list(energy_segments(self.details.energy, start_s, end_s))
        segments, served = self.conversion.by_day(parts)
        dues = [*self._dues(), *(one for one in self._monthly_dues(end_s) if one.at_s < self.horizon_s)]
        return replace(self._lot(segments), invoices=tuple(self.conversion.settled(dues, served)))

    def _each_month(self, end_s: int) -> Iterator[Segment]:
        """The fee of each month, of a month that is cut the part."""
        for part in months(self.zone, self.fact.start_s, end_s):
            yield Segment(part.from_s, part.to_s, self._amount * part.share)

    def _monthly_dues(self, end_s: int) -> Iterator[Due]:
        """The invoice of each month of a fee: at its first instant, or at the one after its last."""
        if self.details.each_month:
            ahead = self.details.each_month == "in_advance"
            for part in months(self.zone, self.fact.start_s, self._whole_months(end_s)):
                yield Due(part.from_s if ahead else part.to_s, self._amount * part.share)

    def _whole_months(self, end_s: int) -> int:
        """The end of the month in which an instant lies, or of the lot if that is earlier."""
        following = next_month_start(date.fromisoformat(local_day(self.zone, end_s - 1)))
        month_end_s = at_day(self.zone, following)
        return month_end_s if self.fact.end_s is None else min(month_end_s, self.fact.end_s)

    def _dues(self) -> list[Due]:
        """What is known of its invoices."""
        every = (Due(one.at_s, exact(one.amount), one.number) for one in self.details.invoices)
        return [one for one in every if one.at_s < self.horizon_s]

    def _asset(self, asset: Asset) -> Iterator[Lot]:
        planned = schedule(asset, self.fact.amount)
        charges = [self._segment(charge) for charge in planned.charges]
        yield self._fixed([*charges, *self._written_off(planned)])
        for charge in planned.impairments:
            part = self._segment(charge)
            yield self._beside(asset, "impairment", [part], f"impairment of {self.name} on {charge.begins}")
        if asset.disposal is not None and self._end_s < self.horizon_s:
            yield self._disposed(asset, asset.disposal, planned)

    def _segment(self, charge: Charge) -> Segment:
        return Segment(at_day(self.zone, charge.begins), at_day(self.zone, charge.ends), charge.amount)

    def _written_off(self, planned: Schedule) -> Iterator[Segment]:
        """The time in which an asset covers its slots and costs nothing, since it is written off."""
        start_s = at_day(self.zone, planned.ends)
        if self.details.covers and start_s < self._end_s:
            yield Segment(start_s, self._end_s, Fraction(0))

    def _disposed(self, asset: Asset, disposal: Disposal, planned: Schedule) -> Lot:
        """What a disposal leaves, book value less proceeds, over the rest of its month."""
        day = date.fromisoformat(disposal.day)
        book = self._segment(Charge(day, next_month_start(day), planned.left))
        said = f"disposal of {self.name}: its book value less the proceeds of {disposal.proceeds}"
        lot = self._beside(asset, "disposal", [book], said)
        received = -exact(disposal.proceeds) * self.conversion.quanta(disposal.day)
        (segment,) = lot.segments
        return replace(
            lot,
            segments=(replace(segment, amount=segment.amount + received),),
            invoices=(Invoiced(book.from_s, received),) if self.details.invoices and received else (),
        )

    def _beside(self, asset: Asset, what: str, parts: Sequence[Segment], said: str) -> Lot:
        """A lot of its own for what an asset costs beside its depreciation; no device pays for it."""
        return replace(
            self._lot(self.conversion.at_one_day(parts, self._rate_day)),
            name=f"{self.name}#{what}",
            kind="true_up",
            target=Target(account=asset.account),
            covers=False,
            said=said,
        )
