"""What was rated against what was billed, by invoice: the difference is always said, also when it is 0."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction

from chargeback.bills.bill_lots import BillLots
from chargeback.bills.destinations import UNKNOWN
from chargeback.lots.lot import Lot

__all__ = ["Reconciled", "reconcile"]


@dataclass(frozen=True)
class Reconciled:
    """A bill held against what was rated, exact in quanta of the book.

    `rated` is what prices made of the time that its lots stand for, `charged` what the bill charges for that;
    `other` is what it charges for what has no price, `unknown` for what nothing knows, `left_out` for what is
    not the fleet's. `fx` is what the rate of the invoice's day makes of all of it beside those of the days of
    service, and `billed` the invoice.
    """

    bill: str
    rated: Fraction
    charged: Fraction
    other: Fraction
    unknown: Fraction
    left_out: Fraction
    fx: Fraction

    @property
    def difference(self) -> Fraction:
        """What the bill charges more, or less, than was rated."""
        return self.charged - self.rated

    @property
    def billed(self) -> Fraction:
        """The whole bill."""
        return self.charged + self.other + self.unknown + self.left_out + self.fx


def reconcile(made: BillLots, rated: Mapping[str, Fraction]) -> tuple[Reconciled, ...]:
    """Hold each bill against what was rated, in the order of their names.

    `rated` has, by the name of a lot, what the estimates come to that it takes the place of; a lot that is
    not in it charges for what has no price.
    """
    lots: dict[str, list[Lot]] = defaultdict(list)
    out: dict[str, Fraction] = defaultdict(Fraction)
    for lot in made.lots:
        lots[lot.rounding_pool.removeprefix("bill:")].append(lot)
    for one in made.left_out:
        out[one.bill] += one.quanta
    return tuple(_reconciled(bill, lots.get(bill, []), out[bill], rated) for bill in sorted({*lots, *out}))


def _reconciled(bill: str, lots: list[Lot], left_out: Fraction, rated: Mapping[str, Fraction]) -> Reconciled:
    with_price = [lot for lot in lots if lot.name in rated]
    without = [lot for lot in lots if lot.name not in rated]
    unknown = [lot for lot in without if _is_unknown(lot)]
    invoiced = sum((one.amount for lot in lots for one in lot.invoices), Fraction(0))
    return Reconciled(
        bill=bill,
        rated=sum((rated[lot.name] for lot in with_price), Fraction(0)),
        charged=_amount(with_price),
        other=_amount(lot for lot in without if not _is_unknown(lot)),
        unknown=_amount(unknown),
        left_out=left_out,
        fx=invoiced - _amount(lots),
    )


def _is_unknown(lot: Lot) -> bool:
    target = lot.target
    return not target.slots and not target.lots and target.account == UNKNOWN


def _amount(lots: Iterable[Lot]) -> Fraction:
    return sum((lot.amount for lot in lots), Fraction(0))
