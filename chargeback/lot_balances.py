"""Each lot at a month's end: what it came to by then, what was invoiced, and what is prepaid or accrued."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from chargeback.desk import Desk
from chargeback.layers import TAX_RECOVERABLE
from chargeback.lots.lot import Lot
from chargeback.outline import outline
from chargeback.period_terms import lots_until
from gpuledger.calendars import month_bounds

__all__ = ["LotBalance", "lot_balances"]


_NOTHING = Fraction(0)


@dataclass(frozen=True)
class LotBalance:
    """A lot at a month's end, exact, in quanta of the book.

    `month` is what it recognises in the month, `recognised` to its end, `invoiced` what of this is settled by
    invoices up to then. What is invoiced beyond what is recognised is prepaid, the other way accrued; of a
    credit both are negative.
    """

    lot: Lot
    month: Fraction
    recognised: Fraction
    invoiced: Fraction

    @property
    def prepaid(self) -> Fraction:
        """What is invoiced and not recognised yet."""
        apart = self.invoiced - self.recognised
        return apart if apart * self._sign > 0 else _NOTHING

    @property
    def accrued(self) -> Fraction:
        """What is recognised and not invoiced yet."""
        apart = self.recognised - self.invoiced
        return apart if apart * self._sign > 0 else _NOTHING

    @property
    def _sign(self) -> int:
        return -1 if self.lot.amount < 0 else 1


def lot_balances(desk: Desk, period: str, seq: int) -> list[LotBalance]:
    """The lots that recognise something in a month or have a balance at its end, as known at a seq, by name.

    A lot is recognised as far as its sources are complete.
    """
    start_s, end_s = month_bounds(desk.book.zone, period)
    known = outline(desk, seq, start_s, end_s)
    found = [_balance(lot, start_s, until_s, end_s) for lot, until_s in lots_until(desk, period, seq, known)]
    kept = [one for one in found if one.month or one.prepaid or one.accrued]
    return sorted(kept, key=lambda one: one.lot.name)


def _balance(lot: Lot, start_s: int, until_s: int, end_s: int) -> LotBalance:
    invoiced = lot.invoiced_to(end_s - 1)
    if lot.target.account == TAX_RECOVERABLE:  # it comes back, and is never a cost
        return LotBalance(lot, _NOTHING, _NOTHING, _NOTHING)
    reached, before = (lot.recognised_to(at_s) for at_s in (until_s, min(start_s, until_s)))
    return LotBalance(lot, reached - before, reached, invoiced)
