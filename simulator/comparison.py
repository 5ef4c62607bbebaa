"""Hold a printed statement against the truth of the fleet that it was made for."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from rich.console import Console
from rich.table import Table

from gpuledger.errors import BooksError
from simulator.truth import Amount, Truth, sum_by

__all__ = ["UNOWNED", "Comparison", "Line", "compare", "show"]

UNOWNED = "__idle_free__"
"""The key under which a statement shows what no team owns: here, GPUs that nobody held."""


@dataclass(frozen=True)
class Line:
    """A line of a statement beside the truth: GPU-hours as printed, cents, exact cents; None where absent."""

    key: str
    stated_hours: str | None
    stated_cents: int | None
    stated_exact: Fraction | None
    true_hours: str
    true_exact: Fraction

    def agrees(self, pools: int) -> bool:
        """GPU-hours to the last place, money to a hundredth of a cent.

        Cents are given out per pool twice, to teams and then inside them; each time may move a line by one.
        """
        if self.stated_cents is None or self.stated_exact is None:
            return False
        return (
            self.stated_hours == self.true_hours
            and abs(self.stated_exact - self.true_exact) * 100 < 1
            and abs(self.stated_cents - self.true_exact) < 2 * pools
        )


@dataclass(frozen=True)
class Comparison:
    """All lines of a statement beside the truth, and the total in cents; `pools` are rounded apart."""

    lines: tuple[Line, ...]
    pools: int
    stated_total: int
    true_total: int

    @property
    def differing(self) -> list[str]:
        """The keys of the lines that do not agree, and `total` where that does not."""
        keys = [line.key for line in self.lines if not line.agrees(self.pools)]
        return keys + ["total"] * (self.stated_total != self.true_total)


def compare(
    statement: Mapping[str, Any], truth: Truth, *, view: str = "team", pooled: bool = True
) -> Comparison:
    """Put a statement by team, owner or model (as JSON says it) beside the truth of the same month."""
    true = {key or UNOWNED: amount for key, amount in sum_by(truth.cells, view).items()}
    stated = {line["key"]: line for line in statement["lines"]}
    lines = [
        _line(key, stated.get(key, {}), true.get(key, Amount(0, Fraction(0), Fraction(0))), pooled=pooled)
        for key in sorted(true.keys() | stated.keys())
    ]
    pools = _pools(truth)
    return Comparison(tuple(lines), len(pools), int(statement["total"]), sum(map(_half_up, pools.values())))


def show(console: Console, comparison: Comparison) -> None:
    """Print the comparison; raises BooksError where the two do not agree."""
    table = Table(title="The books beside what the simulator knows", title_justify="left")
    table.add_column("team")
    for title in ("GPU-hours", "truth", "cost", "truth, exact"):
        table.add_column(title, justify="right")
    for line in comparison.lines:
        stated = "absent" if line.stated_cents is None else _money(Fraction(line.stated_cents), 2)
        table.add_row(line.key, line.stated_hours, line.true_hours, stated, _money(line.true_exact, 6))
    totals = (_money(Fraction(cents), 2) for cents in (comparison.stated_total, comparison.true_total))
    table.add_section()
    table.add_row("total", "", "", *totals)
    console.print(table)
    if comparison.differing:
        raise BooksError(
            f"the books and the simulator's truth differ in {', '.join(comparison.differing)}",
            mend="this is a fault of gpuledger: report it with the demo's seed and zone",
        )
    console.print(
        "They agree: every GPU-hour, every line to the cents that rounding moves, and the total.",
        soft_wrap=True,
    )


def _line(key: str, stated: Mapping[str, Any], true: Amount, *, pooled: bool) -> Line:
    unrounded = stated.get("unrounded")
    return Line(
        key=key,
        stated_hours=stated.get("gpu_hours"),
        stated_cents=stated.get("amount"),
        stated_exact=None if unrounded is None else Fraction(unrounded) * 100,
        true_hours=_decimal(Fraction(true.gpu_seconds, 3600), 6),
        true_exact=(true.pooled if pooled else true.traced) * 100,
    )


def _pools(truth: Truth) -> dict[str, Fraction]:
    """The exact cents of each model: what a statement rounds, once each."""
    exact: dict[str, Fraction] = defaultdict(Fraction)
    for cell in truth.cells:
        exact[cell.model] += cell.traced * 100
    return dict(exact)


def _half_up(value: Fraction) -> int:
    """A value that is not negative, rounded to a whole number, a half upwards."""
    return int(value + Fraction(1, 2))


def _decimal(value: Fraction, places: int) -> str:
    digits = str(_half_up(value * 10**places)).rjust(places + 1, "0")
    return f"{digits[:-places]}.{digits[-places:]}"


def _money(cents: Fraction, places: int) -> str:
    return _decimal(cents / 100, places)
