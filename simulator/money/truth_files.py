"""The truth of a year of money as files: whose it is, what each thing costs and owes, and the bills."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator
from decimal import Decimal, localcontext
from fractions import Fraction
from pathlib import Path

from simulator.money.flow import QUANTA
from simulator.money.truth import MoneyTruth
from simulator.money.world import Bill, MoneyWorld

__all__ = ["write_money_truth"]

Row = tuple[object, ...]


def write_money_truth(world: MoneyWorld, truths: dict[str, MoneyTruth], folder: Path) -> dict[str, int]:
    """Write `owners.csv`, `lots.csv` and `invoices.csv` of truths by the layer charged; their rows."""
    folder.mkdir()
    tables: dict[str, tuple[Row, Iterable[Row]]] = {
        "owners": (("charged", "month", "key", "quanta", "amount"), _owners(truths)),
        "lots": (
            ("month", "lot", "cost", "fx", "recognised", "billed", "prepaid", "accrued"),
            _lots(next(iter(truths.values()))),
        ),
        "invoices": (("bill", "lines", "total", "of_lines", "left_out"), map(_invoice, world.money.bills)),
    }
    counts = {}
    for name, (header, rows) in tables.items():
        kept = list(rows)
        with (folder / f"{name}.csv").open("w", encoding="utf-8", newline="") as opened:
            csv.writer(opened, lineterminator="\n").writerows([header, *kept])
        counts[f"truth/{name}.csv"] = len(kept)
    return counts


def _owners(truths: dict[str, MoneyTruth]) -> Iterator[Row]:
    for charged, truth in truths.items():
        for (month, key), quanta in sorted(truth.owners.items()):
            yield charged, month, key, quanta, _decimal(quanta)


def _lots(truth: MoneyTruth) -> Iterator[Row]:
    for one in truth.balances:
        yield (
            one.month,
            one.name,
            one.cost,
            one.fx,
            one.recognised,
            one.billed,
            one.prepaid,
            one.accrued,
        )


def _invoice(bill: Bill) -> Row:
    kept = [Decimal(line.amount) for line in bill.lines]
    out = [Decimal(line.amount) for line in bill.lines if line.sub_account != "gpu"]
    return bill.name, len(kept), bill.total, sum(kept), sum(out)


def _decimal(quanta: Fraction) -> str:
    """An amount in dollars to the quantum, halves to even."""
    with localcontext(prec=60):
        return f"{Decimal(round(quanta)) / QUANTA:.9f}"
