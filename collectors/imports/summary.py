"""What an import says when it is done: the acknowledgement that its rows are kept."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from rich.console import Console
from rich.table import Table

from collectors.imports.changes import Changes
from collectors.imports.deliver import Outcome
from collectors.imports.gather import Gathered
from collectors.imports.intake import Intake, Reach
from gpuledger.instants import format_utc
from gpuledger.money import half_up

__all__ = ["Figure", "Summary", "six_places", "summarise"]

Figure = int | str

_ROWS_NAMED = 3
_NOT_KNOWN = {
    "nodes_with_slots": "no node of the file has a known slot: import the inventory, or mend the names",
    "slots_known": "no slot of the file is known: import the inventory, or mend the names of nodes and slots",
    "runs_with_holdings": "no run of the file is that of a known holding: import the holdings, or name under "
    "run the columns of their run",
}
"""Figures that a reader should know of when they are 0, and why."""


@dataclass(frozen=True)
class Summary:
    """The figures of one import, in the order in which they are printed; `seq` is where they are known."""

    kind: str
    file: str
    source: str
    seq: int
    rows: dict[str, int]
    quarantined: dict[str, int]
    facts: dict[str, dict[str, int]]
    figures: dict[str, Figure]
    also_delivered_by: dict[str, int]
    data_through: dict[str, str]
    data_through_from: str
    warnings: list[str]

    def as_json(self) -> str:
        """The figures as one JSON object."""
        return json.dumps(vars(self), ensure_ascii=False, indent=2) + "\n"

    def show(self, console: Console) -> None:
        """Print the figures as a table of two columns."""
        console.print(f"{self.kind} from {self.file}", soft_wrap=True)
        table = Table(show_header=False, box=None)
        table.add_column()
        table.add_column(justify="right")
        for name, figure in self._lines():
            table.add_row(name, f"{figure:,}" if isinstance(figure, int) else figure)
        console.print(table)
        for warning in self.warnings:
            console.print(f"warning: {warning}", soft_wrap=True)

    def _lines(self) -> list[tuple[str, Figure]]:
        lines: list[tuple[str, Figure]] = [("source", self.source)]
        lines += [(f"rows {name.replace('_', ' ')}", count) for name, count in self.rows.items()]
        lines += [(f"  {reason}", count) for reason, count in self.quarantined.items()]
        for table, counts in self.facts.items():
            shown = {name: count for name, count in counts.items() if count or name == "new"}
            lines += [(f"{table}s {name}", count) for name, count in shown.items()]
        lines += [(name.replace("_", " "), figure) for name, figure in self.figures.items()]
        lines += [(f"also delivered by {source}", count) for source, count in self.also_delivered_by.items()]
        lines += [(f"data through, {cluster}", at) for cluster, at in self.data_through.items()]
        lines += [("data through from", self.data_through_from or "nobody: it stays as it was")]
        return [*lines, ("known at seq", self.seq)]


def summarise(
    intake: Intake,
    gathered: Gathered[Any, Any],
    outcome: Outcome,
    reach: Reach,
    figures: Mapping[str, Figure],
    notes: Sequence[str] = (),
) -> Summary:
    """Put together what was read and written, the figures of this kind of import, and what to know of it."""
    also: Counter[str] = sum((change.also for change in outcome.changes.values()), Counter())
    return Summary(
        kind=intake.kind,
        file=intake.file,
        source=intake.source,
        seq=outcome.seq,
        rows={
            "read": gathered.read,
            "accepted": gathered.accepted,
            "repeated": gathered.repeated,
            "left_out": gathered.left_out,
            "quarantined": len(gathered.rejected),
        },
        quarantined=dict(sorted(gathered.reasons.items())),
        facts={table: _counts(change) for table, change in outcome.changes.items()},
        figures=dict(figures),
        also_delivered_by=dict(sorted(also.items())),
        data_through={cluster: format_utc(at_s) for cluster, at_s in sorted(reach.through_s.items())},
        data_through_from=reach.said_by,
        warnings=[*_warnings(reach, outcome.at_s, also), *notes, *_warnings_of_rows(gathered, figures)],
    )


def _warnings(reach: Reach, at_s: int, also: Mapping[str, int]) -> list[str]:
    """What a reader should know of who said it, and up to when, in sentences."""
    warnings = []
    latest = max(reach.through_s.values(), default=at_s)
    if latest > at_s:
        warnings.append(
            f"data_through, {format_utc(latest)}, is in the future: open holdings are charged up to it; "
            "--through says up to where the source is complete"
        )
    if also:
        warnings.append(f"{', '.join(sorted(also))} delivered the same facts: they are counted once")
    return warnings


def _warnings_of_rows(gathered: Gathered[Any, Any], figures: Mapping[str, Figure]) -> list[str]:
    """What a reader should know of the rows: none at all, none with a GPU, and which ones are bad."""
    if not gathered.read:
        return ["the file has no row below its header"]
    warnings = []
    if gathered.first and figures.get("with_gpu") == 0:
        warnings.append("no row holds a GPU: look at what the map says of units")
    if gathered.first:
        warnings += [warning for figure, warning in _NOT_KNOWN.items() if figures.get(figure) == 0]
    if gathered.rejected:
        bad = sorted(gathered.rejected)[:_ROWS_NAMED]
        named = [f"row {one.number}: {one.reason}{f': {one.detail}' if one.detail else ''}" for one in bad]
        more = ["…"] if len(gathered.rejected) > len(bad) else []
        warnings.append(f"in quarantine, to be mended and imported again: {'; '.join(named + more)}")
    return warnings


def _counts(change: Changes) -> dict[str, int]:
    return {name: getattr(change, name) for name in ("new", "changed", "unchanged", "withdrawn")}


def six_places(hours: Fraction) -> str:
    """Hours as decimal text with six places, half up.

    >>> six_places(Fraction(1, 3))
    '0.333333'
    """
    millionths = half_up(hours * 10**6)
    return f"{millionths // 10**6}.{millionths % 10**6:06d}"
