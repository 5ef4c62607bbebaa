"""The range of money: all that a period moves must fit into 64-bit integers, or no sum could be trusted."""

from __future__ import annotations

from collections import defaultdict
from fractions import Fraction

from chargeback.landing import Priced
from gpuledger.errors import BooksError
from gpuledger.money import Currency, format_minor, half_up

__all__ = ["MOST_QUANTA", "ensure_in_range"]

MOST_QUANTA = (2**63 - 1) // 4
"""What a period may move: it is entered by up to four layers, whose entries are summed together."""


def ensure_in_range(priced: Priced, money: Currency) -> None:
    """Raise BooksError where the amounts of a period, each without its sign, come to more than may be."""
    moved = _moved(priced)
    whole = sum(moved.values())
    if whole > MOST_QUANTA:
        lot, most = max(moved.items(), key=lambda item: (item[1], item[0]))
        raise BooksError(
            f"the money of the period comes to {_text(whole, money)}, and no more than "
            f"{_text(MOST_QUANTA, money)} can be added up; most of it is {lot}: {_text(most, money)}",
            mend="look for an amount, a price or a currency that is wrong there",
        )


def _moved(priced: Priced) -> dict[str, Fraction]:
    """What of each lot and meter is recognised, or billed where that is more, without the signs."""
    billed: dict[str, Fraction] = defaultdict(Fraction)
    for row in priced.billed:
        billed[row.lot] += abs(row.amount)
    found: dict[str, Fraction] = defaultdict(Fraction)
    named = {charge.charge_no: charge.lot for charge in priced.charges}
    for share in priced.lot_shares:
        found[named[share.charge_no]] += abs(share.amount)
    for part in priced.recognised:
        found[part.lot] += abs(part.amount)
    for direct in priced.direct:
        found[direct.lot] += abs(direct.amount)
    for lot in set(named.values()) - priced.pools.keys():  # meters, whose amounts are of one slot each
        found[lot] += abs(priced.exact[lot])
    return {lot: max(found[lot], billed[lot]) for lot in found.keys() | billed.keys()}


def _text(quanta: Fraction | int, money: Currency) -> str:
    return f"{format_minor(half_up(Fraction(quanta) / money.quanta_per_minor), money)} {money.code}"
