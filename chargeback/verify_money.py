"""Verifying money: what lots recognise is in the entries, and what is billed is what invoices say."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from chargeback.bills.bill_lots import BillLots
from chargeback.checks import Check, ok
from chargeback.layers import BILLED, RECOGNISED
from chargeback.ledger import Result
from chargeback.lots.lot import Lot
from chargeback.units import EntryDay, Terms
from gpuledger.money import currency, format_quanta, half_up

__all__ = ["verify_money"]


def verify_money(terms: Terms, bills: BillLots, result: Result) -> Iterator[Check]:
    """1 and 8 of a period: by lot and by invoice, with how many of them and the greatest difference."""
    if terms.lots:
        yield _recognised(terms, result)
    if bills.lots or bills.left_out:
        yield _billed(terms, bills, result)


def _recognised(terms: Terms, result: Result) -> Check:
    """What each lot has recognised in the entries against what its own schedule says, to the quantum."""
    lots = [lot for lot in terms.lots if lot.kind != "minimum"]  # what that comes to hangs on what it follows
    found = {lot.name: 0 for lot in lots}
    for row in result.entries:
        if row.layer == RECOGNISED and row.lot in found and row.account != "fx":
            found[row.lot] += row.amount
    apart = [abs(found[lot.name] - _wanted(terms, lot)) for lot in lots]
    figures = f"{len(apart)} lot(s), {sum(map(bool, apart))} apart, by {max(apart, default=0)} quanta at most"
    return Check("1", "each lot recognises what its schedule says, and no more", ok(not any(apart)), figures)


def _wanted(terms: Terms, lot: Lot) -> int:
    until_s = terms.lot_throughs[lot.name]
    is_cost = bool(lot.segments) and lot.target.account != "tax_recoverable"
    return lot.recognised(terms.start_s, until_s) if is_cost and until_s > terms.start_s else 0


def _billed(terms: Terms, bills: BillLots, result: Result) -> Check:
    """What bills invoiced in the period bring in, with what is left out of them, against their own totals."""
    money = currency(terms.currency)
    mine = [lot for lot in bills.lots if any(_is_within(terms, one.at_s) for one in lot.invoices)]
    names = {lot.name for lot in mine}
    entered = sum(row.amount for row in result.entries if _is_billed(row) and row.lot in names)
    pools = {lot.rounding_pool for lot in mine}
    left_out = sum((one.quanta for one in bills.left_out if f"bill:{one.bill}" in pools), start=Fraction(0))
    wanted = sum((one.amount for lot in mine for one in lot.invoices), start=Fraction(0))
    good = abs(entered - wanted) <= 2 * len(mine)
    figures = (
        f"{len(pools)} bill(s): entries {format_quanta(entered, money)}, "
        f"lots {format_quanta(half_up(wanted), money)}, left out {format_quanta(half_up(left_out), money)}"
    )
    return Check("8", "what is billed is what the invoices say", ok(good), figures)


def _is_billed(row: EntryDay) -> bool:
    return row.layer == BILLED


def _is_within(terms: Terms, at_s: int) -> bool:
    return terms.start_s <= at_s < terms.end_s
