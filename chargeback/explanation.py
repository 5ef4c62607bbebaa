"""What an explanation is: steps that go from a figure down to the rows it came from, each adding up.

A step is a table whose rows sum to its total. Of a long one only the largest rows are shown, and the rest is
one more row with its sum, so that what is shown adds up too.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from chargeback.workbench import Workbench

__all__ = ["UNITS", "Explanation", "Row", "Step", "listed", "told"]

UNITS = {
    "amount": "minor",
    "at_rate": "quanta",
    "by_share": "quanta",
    "claimed": "ticks",
    "entries": "count",
    "joules": "joules",
    "odd_quanta": "quanta",
    "pieces": "count",
    "pool_time": "ticks",
    "recognised": "quanta",
    "rounding": "quanta",
    "time": "ticks",
    "unpriced": "ticks",
    "unrounded": "quanta",
    "went_in": "quanta",
    "with_energy": "ticks",
}
"""Each figure of a step with its unit: minor units, quanta, ticks of 1/720720 s, joules, or a count."""

Figures = dict[str, int]


@dataclass(frozen=True)
class Row:
    """A row: what it is of, and its figures in the units of UNITS."""

    labels: dict[str, str]
    figures: Figures


@dataclass(frozen=True)
class Step:
    """One step: its rows, the largest first, what the others come to, and what the total should be.

    `more` has the number and the figures of the rows that are not shown. `wanted` names the figures that are
    held against the step before.
    """

    name: str
    says: str
    labels: tuple[str, ...]
    figures: tuple[str, ...]
    rows: tuple[Row, ...]
    more: tuple[int, Figures] | None
    total: Figures
    wanted: Figures = field(default_factory=dict)

    @property
    def differences(self) -> Figures:
        """By how much the total is not what it should be, for each figure where it is not."""
        apart = {name: self.total[name] - wanted for name, wanted in self.wanted.items()}
        return {name: difference for name, difference in apart.items() if difference}


@dataclass(frozen=True)
class Explanation:
    """What is explained, as words; where it stands; and the steps, in order."""

    subject: dict[str, str]
    period: str
    zone: str
    currency: str
    seq: int
    run: str
    charged: str
    steps: tuple[Step, ...]

    @property
    def apart(self) -> list[str]:
        """The names of the steps that do not add up."""
        return [step.name for step in self.steps if step.differences]


def told(
    name: str,
    says: str,
    rows: Sequence[Row],
    *,
    labels: Sequence[str],
    figures: Sequence[str],
    wanted: Mapping[str, int],
    most: int,
) -> Step:
    """A step from rows that Python made, in their order."""
    total = _sums(rows, figures)
    shown, hidden = rows[:most], rows[most:]
    more = (len(hidden), _sums(hidden, figures)) if hidden else None
    return Step(name, says, tuple(labels), tuple(figures), tuple(shown), more, total, dict(wanted))


def listed(
    bench: Workbench,
    name: str,
    says: str,
    query: str,
    *,
    labels: Sequence[str],
    figures: Sequence[str],
    wanted: Mapping[str, int],
    most: int,
    values: Mapping[str, Any] | None = None,
) -> Step:
    """A step from a query that yields the labels and the figures; the largest rows first, ties by label.

    What is not shown is summed by the engine, apart from the rows that are.
    """
    bench.connection.execute(f"create or replace temp table listed as {query}", dict(values or {}))
    size = [f'abs("{name}") desc' for name in figures if name in ("unrounded", "time", "claimed", "joules")]
    order = ", ".join([*reversed(size), *(f'"{label}"' for label in labels)])
    columns = ", ".join(f'"{name}"' for name in [*labels, *figures])
    found = bench.rows(f"select {columns} from listed order by {order} limit {most}")
    sums = ", ".join(f'cast(coalesce(sum("{name}"), 0) as bigint)' for name in figures)
    count, *total = bench.rows(f"select count(*), {sums} from listed")[0]
    rows = tuple(
        Row(dict(zip(labels, row, strict=False)), dict(zip(figures, row[len(labels) :], strict=True)))
        for row in found
    )
    whole = dict(zip(figures, total, strict=True))
    return Step(
        name, says, tuple(labels), tuple(figures), rows, _rest(count, whole, rows), whole, dict(wanted)
    )


def _rest(count: int, whole: Figures, rows: Sequence[Row]) -> tuple[int, Figures] | None:
    if count == len(rows):
        return None
    shown = _sums(rows, list(whole))
    return count - len(rows), {name: whole[name] - shown[name] for name in whole}


def _sums(rows: Sequence[Row], figures: Sequence[str]) -> Figures:
    return {name: sum(row.figures[name] for row in rows) for name in figures}
