"""What the steps of an explanation stand on: staged rows, the terms, and the totals to add up to."""

from __future__ import annotations

from dataclasses import dataclass

from chargeback.explain_pick import Asked
from chargeback.explanation import Step, listed
from chargeback.money_parts import TICKS
from chargeback.units import Terms
from chargeback.workbench import Workbench

__all__ = ["Ground", "make_macros", "picked_totals"]

_BOTH = ("time", "unrounded")


@dataclass(frozen=True)
class Ground:
    """What the steps stand on: a bench with `part`, `picked`, the facts and their shares, and the totals.

    `wanted` has the time in ticks and the money in quanta that each step must add up to.
    """

    bench: Workbench
    terms: Terms
    asked: Asked
    wanted: dict[str, int]
    most: int

    def step(
        self,
        name: str,
        says: str,
        query: str,
        labels: list[str],
        figures: tuple[str, ...] = _BOTH,
        wanted: dict[str, int] | None = None,
        values: dict[str, str] | None = None,
    ) -> Step:
        """A step of this query, held against the totals."""
        held = {key: self.wanted[key] for key in figures if key in self.wanted} if wanted is None else wanted
        return listed(
            self.bench,
            name,
            says,
            query,
            labels=labels,
            figures=figures,
            wanted=held,
            most=self.most,
            values=values,
        )


def make_macros(bench: Workbench) -> None:
    """What the queries write instants and shares of a device with."""
    bench.connection.execute("""
        create or replace macro utc(at_s) as case
            when at_s is null or at_s >= 4611686018427387904 then 'open'
            else strftime(make_timestamp(at_s * 1000000), '%Y-%m-%dT%H:%M:%SZ')
        end
    """)
    bench.connection.execute(f"""
        create or replace macro units(ticks) as case
            when ticks % {TICKS} = 0 then cast(ticks // {TICKS} as varchar)
            else cast(ticks as varchar) || '/{TICKS}'
        end
    """)


def picked_totals(bench: Workbench, source: str = "part") -> dict[str, int]:
    """The time of the time rows that are explained, and the money of these, or of the entries `picked`.

    They differ by what no device takes.
    """
    total = "select cast(coalesce(sum({}), 0) as bigint) from {}"
    time = bench.rows(total.format("ticks", "part"))[0][0]
    return {"time": time, "unrounded": bench.rows(total.format("amount", source))[0][0]}
