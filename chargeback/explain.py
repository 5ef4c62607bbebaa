"""Explaining: from a figure of a month's books down to the rows that it came from, each step adding up."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace

from chargeback.desk import Desk
from chargeback.explain_atoms import atom_step, stage_atoms
from chargeback.explain_bills import bill_steps
from chargeback.explain_distributed import distributed_steps
from chargeback.explain_facts import give_out, stage_facts, whole_period
from chargeback.explain_ground import Ground, make_macros, picked_totals
from chargeback.explain_line import line_steps
from chargeback.explain_pick import (
    Asked,
    find_line,
    named_here,
    open_books,
    pick,
    picked_where,
)
from chargeback.explain_steps import steps_down, steps_up
from chargeback.explanation import Explanation, Step
from chargeback.ledger import Result
from chargeback.outline import Outline, outline
from chargeback.partitions import run_folders
from chargeback.period_terms import terms_at
from chargeback.terms.in_force import Seqs
from chargeback.units import Terms, Unit
from chargeback.workbench import Workbench
from gpuledger.calendars import month_bounds

__all__ = ["OpenBooks", "explain", "nothing_but", "opened"]


@dataclass(frozen=True)
class OpenBooks:
    """A run's own files and the facts that it was made of, staged on a bench; asked as often as one likes."""

    desk: Desk
    result: Result
    terms: Terms
    known: Outline
    unit: Unit
    bench: Workbench

    def explain(self, asked: Asked, *, slot: str = "", most: int = 10) -> Explanation:
        """Explain a line, or what a holding, device or slot came to.

        `slot` adds the atoms of that slot; `most` is how many rows of a step are shown before the rest
        becomes one. Raises InputError where there is no such line, holding, device or slot, with the nearest
        names.
        """
        wanted, steps = self._line(asked, most) if asked.kind == "line" else ({}, [])
        if asked.kind != "line":
            asked = replace(asked, key=named_here(self.bench, asked, self.result.period))
        slot = named_here(self.bench, Asked("slot", slot), self.result.period) if slot else ""
        slot = asked.key if asked.kind == "slot" else slot
        if asked.kind == "device":
            stage_atoms(self.bench, self.terms, self.unit, picked_where(asked), {"key": asked.key})
        pick(self.bench, asked)
        give_out(self.bench)
        totals = picked_totals(self.bench, "part" if asked.kind == "device" else "picked")
        ground = Ground(self.bench, self.terms, asked, wanted or totals, most)
        if asked.kind == "line":
            with self.desk.database.read() as connection:
                ground, more = distributed_steps(connection, ground, self.result)
            steps += more
        steps += self._steps(ground, slot)
        steps += bill_steps(self.desk, self.terms, self.known, steps, most)
        return nothing_but(self.desk, self.result, asked, steps)

    def _line(self, asked: Asked, most: int) -> tuple[dict[str, int], list[Step]]:
        made, line = find_line(self.desk, self.result, asked)
        return {"time": line.ticks, "unrounded": line.quanta or 0}, line_steps(made, self.result, line, most)

    def _steps(self, ground: Ground, slot: str) -> Iterator[Step]:
        if ground.asked.kind != "line":
            yield from steps_up(ground)
        yield from steps_down(ground)
        if slot:
            stage_atoms(self.bench, self.terms, self.unit, "slot = $key", {"key": slot})
            yield atom_step(ground, slot)


def nothing_but(desk: Desk, result: Result, asked: Asked, steps: Iterable[Step]) -> Explanation:
    """An explanation of these steps alone."""
    return Explanation(
        subject={asked.kind: asked.key} | ({"by": asked.by.value} if asked.kind == "line" else {}),
        period=result.period,
        zone=desk.book.zone,
        currency=desk.book.currency,
        seq=result.seq,
        run=result.run_id,
        charged=result.summary["charged"],
        steps=tuple(steps),
    )


@contextmanager
def opened(desk: Desk, result: Result) -> Iterator[OpenBooks]:
    """Open a run's books to be explained: its files, and the lake, owners and prices at its seq."""
    start_s, end_s = month_bounds(desk.book.zone, result.period)
    known = outline(desk, result.seq, start_s, end_s)
    terms = terms_at(desk, result.period, Seqs.at(result.seq), known)
    unit = whole_period(desk, terms, known)
    with Workbench(desk.limits) as bench:
        open_books(bench, run_folders(desk, result))
        stage_facts(bench, desk, terms, unit)
        make_macros(bench)
        yield OpenBooks(desk, result, terms, known, unit, bench)


def explain(desk: Desk, result: Result, asked: Asked, *, slot: str = "", most: int = 10) -> Explanation:
    """Explain one thing of a run, as `OpenBooks.explain` does."""
    with opened(desk, result) as books:
        return books.explain(asked, slot=slot, most=most)
