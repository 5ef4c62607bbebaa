"""The last step down from a lot of a bill: the lines of the bill, as its file has them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from chargeback.bills.behind import Behind, lines_behind
from chargeback.desk import Desk
from chargeback.explanation import Row, Step, told
from chargeback.outline import Outline
from chargeback.units import Terms
from gpuledger.instants import format_utc
from gpuledger.versions import bill_rules_in_force

__all__ = ["bill_steps"]

_LABELS = ("lot", "file", "row", "start", "end", "category", "billed", "says")


def bill_steps(desk: Desk, terms: Terms, known: Outline, steps: Sequence[Step], most: int) -> Iterator[Step]:
    """The first lines behind each lot of a bill that a step before names; nothing where none does."""
    rows = [row for step in steps if step.name == "lots" for row in step.rows]
    lots = [row.labels["lot"] for row in rows if row.labels["kind"] == "invoice"]
    if not lots:
        return
    with desk.database.read() as connection:
        rules = bill_rules_in_force(connection, terms.seq)
    found = [
        row
        for lot in lots
        for row in _rows(lot, lines_behind(desk, terms.seq, lot, known.lives, rules, most))
    ]
    says = f"the first lines of the bill behind each of these lots, {most} at most"
    yield told("bill lines", says, found, labels=_LABELS, figures=(), wanted={}, most=len(found))


def _rows(lot: str, behind: Behind) -> Iterator[Row]:
    for line in behind.lines:
        yield Row(
            {
                "lot": lot,
                "file": behind.bill.source,
                "row": str(line.line),
                "start": format_utc(line.start_s),
                "end": format_utc(line.end_s),
                "category": line.category,
                "billed": f"{line.billed} {behind.bill.currency}",
                "says": line.description or line.resource,
            },
            {},
        )
