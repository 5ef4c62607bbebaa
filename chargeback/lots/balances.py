"""Billed, prepaid and accrued: which account a lot's money leaves, and what an invoice brings into which.

What was invoiced less what was recognised is prepaid where it is above 0, and accrued below; of a credit it
is the other way about. What exchange rates made of an invoice is no part of it. A piece is recognised as a
whole: an invoice inside it finds all of it accrued. What follows other lots, or takes the place of estimates,
is never prepaid: its time is that of what it follows.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from chargeback.layers import ACCRUED, PREPAID
from chargeback.lots.lot import Lot, truncated
from gpuledger.calendars import Piece

__all__ = ["InvoicedPart", "invoiced_parts", "sources_of"]


@dataclass(frozen=True)
class InvoicedPart:
    """What an invoice at an instant brings into a balance account, in quanta."""

    at_s: int
    account: str
    amount: int


def sources_of(lot: Lot, piece: Piece, amount: int) -> Iterator[tuple[str, int]]:
    """The accounts that a piece's amount leaves, with what of it; what is prepaid goes first."""
    if _is_late(lot):
        yield ACCRUED, amount
        return
    sign = _sign(lot)
    before = truncated(lot.invoiced_to(piece.start_s)) - truncated(lot.recognised_to(piece.start_s))
    prepaid = max(0, min(sign * amount, sign * before))
    for account, part in ((PREPAID, sign * prepaid), (ACCRUED, amount - sign * prepaid)):
        if part:
            yield account, part


def invoiced_parts(lot: Lot, piece: Piece) -> Iterator[InvoicedPart]:
    """What the invoices of a piece bring in: what is accrued by then is settled first, else it is prepaid."""
    sign, reached = _sign(lot), Fraction(0)
    for one in sorted(lot.invoices, key=lambda one: (one.at_s, one.number)):
        amount = truncated(reached + one.settles) - truncated(reached)
        if piece.start_s <= one.at_s < piece.end_s:
            until_s = piece.start_s if one.at_s == piece.start_s else piece.end_s
            owed = truncated(lot.recognised_to(until_s)) - truncated(reached)
            accrued = sign * amount if _is_late(lot) else max(0, min(sign * amount, sign * owed))
            for account, part in ((ACCRUED, sign * accrued), (PREPAID, amount - sign * accrued)):
                if part:
                    yield InvoicedPart(one.at_s, account, part)
        reached += one.settles


def _is_late(lot: Lot) -> bool:
    return bool(lot.target.lots) or lot.supersedes


def _sign(lot: Lot) -> int:
    return -1 if lot.amount < 0 else 1
