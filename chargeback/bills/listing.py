"""The bills in force, each with whether it is whole and what became of its lines."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

from chargeback.bills.allocation import Allocation, Unknown, allocate
from chargeback.bills.bill_lots import difference_of, lots_of
from chargeback.bills.completeness import Standing, standing
from chargeback.bills.in_force import read_bill_lines
from chargeback.bills.instances import Machine
from chargeback.bills.reconciliation import Reconciled, reconcile
from chargeback.bills.rules import matched_by
from chargeback.desk import Desk
from chargeback.fx import fx_rates
from chargeback.ledger import load_run, periods_with_books, run_in_force
from gpuledger.calendars import month_bounds
from gpuledger.instants import SANE_END_S, SANE_START_S
from gpuledger.versions import BillFact, bill_rules_in_force, fx_in_force

__all__ = [
    "Instance",
    "ListedBill",
    "allocated_bills",
    "instances_in_force",
    "list_bills",
    "listed_bills",
    "rated_bills",
]


@dataclass(frozen=True)
class Instance:
    """A node over `[start_s, end_s)`, UTC seconds, None is still running, and its id at the provider."""

    node: str
    instance: str
    start_s: int
    end_s: int | None


@dataclass(frozen=True)
class ListedBill:
    """A bill: its standing, the lots that its lines make, and what of its money is where.

    Amounts are exact, in units of the bill's currency: `placed`, `unknown` and `left_out` add up to the total
    of its lines; `difference` is what the invoice says beyond that. `names` are the lines of which nothing is
    known, by what they name, the most money first; `reasons` why lines are left out, with their money.
    """

    bill: BillFact
    standing: Standing
    lots: int
    placed: Fraction
    unknown: Fraction
    left_out: Fraction
    difference: Fraction
    names: tuple[Unknown, ...]
    reasons: tuple[tuple[str, Fraction], ...]


def allocated_bills(desk: Desk, seq: int, month: str = "") -> tuple[tuple[BillFact, ...], Allocation]:
    """The bills in force at a seq, of a month of the book's zone if asked, and what their lines are for."""
    start_s, end_s = month_bounds(desk.book.zone, month) if month else (SANE_START_S, SANE_END_S)
    with desk.database.read() as connection:
        rules = bill_rules_in_force(connection, seq)
    lines = read_bill_lines(desk, seq, start_s, end_s, matched_by(rules))
    return lines.bills, allocate(lines, instances_in_force(desk, seq), rules)


def list_bills(desk: Desk, seq: int, month: str = "") -> tuple[ListedBill, ...]:
    """The bills in force at a seq, of a month of the book's zone if asked, by name."""
    return listed_bills(*allocated_bills(desk, seq, month))


def rated_bills(
    desk: Desk, seq: int, bills: Iterable[BillFact], allocation: Allocation
) -> tuple[Reconciled, ...]:
    """These bills, each held against what the books in force had rated for it.

    Raises BooksError where a rate of exchange is not known.
    """
    rated: dict[str, Fraction] = defaultdict(Fraction)
    with desk.database.read() as connection:
        rates = fx_rates(fx_in_force(connection, seq))
        for period in periods_with_books(connection, desk.book.name):
            if run_id := run_in_force(connection, desk.book.name, period):
                for lot, estimate in load_run(connection, run_id).summary.get("rated", {}).items():
                    rated[lot] += Fraction(estimate)
    return reconcile(lots_of(allocation, bills, rates, desk.book), rated)


def listed_bills(bills: Iterable[BillFact], allocation: Allocation) -> tuple[ListedBill, ...]:
    """The bills, with where their money is."""
    return tuple(_listed(bill, allocation) for bill in sorted(bills, key=lambda one: one.identity))


def instances_in_force(desk: Desk, seq: int) -> list[Machine]:
    """The nodes known at a seq that have an id at their provider."""
    if not desk.lake.files("node", seq):
        return []
    rows = desk.lake.in_force("node", seq)
    names = ("cluster", "node", "instance_id", "start_s", "end_s")
    return [
        Instance(f"{cluster}/{node}", instance, start_s, end_s)
        for cluster, node, instance, start_s, end_s in zip(
            *(rows[name].to_pylist() for name in names), strict=True
        )
        if instance
    ]


def _listed(bill: BillFact, allocation: Allocation) -> ListedBill:
    shares = [share for share in allocation.shares if share.bill.identity == bill.identity]
    sums = dict.fromkeys(("unknown", "left_out", "placed"), Fraction(0))
    reasons: dict[str, Fraction] = {}
    for share in shares:
        kind = share.destination.kind
        sums[kind if kind in ("unknown", "left_out") else "placed"] += share.amount
        if kind == "left_out":
            reason = share.destination.reason
            reasons[reason] = reasons.get(reason, Fraction(0)) + share.amount
    difference = difference_of(bill)
    return ListedBill(
        bill=bill,
        standing=standing(bill),
        lots=sum(share.destination.kind != "left_out" for share in shares) + bool(difference),
        placed=sums["placed"],
        unknown=sums["unknown"],
        left_out=sums["left_out"],
        difference=difference,
        names=tuple(one for one in allocation.unknown if one.bill == bill.identity),
        reasons=tuple(sorted(reasons.items())),
    )
