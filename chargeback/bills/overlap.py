"""The same dollar from two sources: bills of one account and time that share lines under different names."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from chargeback.bills.amounts import exact, shown
from chargeback.bills.in_force import known_lines
from chargeback.bills.texts import AddedUp
from gpuledger.errors import OverlapError
from gpuledger.lake import Lake
from gpuledger.versions import BillFact

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

__all__ = ["Overlap", "find_overlaps", "refuse_overlaps"]

_COLUMNS = ("bill", "resource", "sku", "start_s", "end_s", "billed")
_WHAT = "coalesce(resource, sku), start_s, end_s, amount_hi(billed), amount_lo(billed)"


@dataclass(frozen=True)
class Overlap:
    """A bill that is brought in, one that is in force, how many lines they share, and the money of these."""

    bill: str
    other: str
    lines: int
    amount: Fraction
    currency: str


def find_overlaps(
    connection: DuckDBPyConnection,
    lake: Lake,
    seq: int,
    bills: Sequence[AddedUp],
    known: Sequence[BillFact],
) -> list[Overlap]:
    """Which of the bills in the table `line` share lines with bills in force at a seq.

    Bills may do so if they are of one account and currency, and their times overlap. Two lines are the same
    if they are of one resource, or sku where no resource is named, one charge period and one amount that is
    not 0; a line that names neither is never told to be the same as another.
    """
    pairs = [(bill, other) for bill in bills for other in known if _may_overlap(bill, other)]
    if not pairs:
        return []
    theirs = known_lines(connection, lake, seq, sorted({other.identity for _, other in pairs}), _COLUMNS)
    found = []
    for bill, other in pairs:
        lines, hi, lo = _shared(connection, theirs, bill.identity, other.identity)
        if lines:
            found.append(Overlap(bill.identity, other.identity, lines, exact(hi, lo), bill.currency))
    return found


def refuse_overlaps(overlaps: Sequence[Overlap], beside: Collection[str]) -> None:
    """Raise `OverlapError` that says all of them, but for those with bills that stand `beside`."""
    refused = [one for one in overlaps if one.other not in beside]
    if not refused:
        return
    said = "; ".join(
        f"{one.bill} has {one.lines} line{'s' * (one.lines != 1)} of {shown(one.amount)} {one.currency} that "
        f"{one.other}, which is in force, has as well"
        for one in refused
    )
    raise OverlapError(
        f"the same money would be billed twice: {said}; nothing was stored",
        mend=f"say which of the two counts: --replace '{refused[0].other}' takes that one back, "
        "--beside says that both are owed; or leave this one out",
    )


def _may_overlap(bill: AddedUp, other: BillFact) -> bool:
    same = (bill.billing_account, bill.currency) == (other.billing_account, other.currency)
    ends = other.end_s is None or other.end_s > bill.start_s
    return same and bill.identity != other.identity and other.start_s < bill.end_s and ends


def _shared(connection: DuckDBPyConnection, known: str, bill: str, other: str) -> tuple[int, int, int]:
    ((lines, hi, lo),) = connection.execute(
        f"""
        with ours as (
            select {_WHAT}, count(*) as times from line
            where bill = $bill and coalesce(resource, sku) is not null group by all
        ),
        theirs as (
            select {_WHAT}, count(*) as times from {known}
            where bill = $other and coalesce(resource, sku) is not null group by all
        ),
        both_of as (
            select o.hi as hi, o.lo as lo, least(o.times, t.times) as times
            from ours as o(what, start_s, end_s, hi, lo, times)
            inner join theirs as t(what, start_s, end_s, hi, lo, times)
                on o.what = t.what and o.start_s = t.start_s and o.end_s = t.end_s
                and o.hi = t.hi and o.lo = t.lo
        )
        select coalesce(sum(times), 0), coalesce(sum(hi * times), 0), coalesce(sum(lo * times), 0)
        from both_of where hi <> 0 or lo <> 0
        """,
        {"bill": bill, "other": other},
    ).fetchall()
    return int(lines), int(hi), int(lo)
