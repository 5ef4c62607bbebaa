"""What held time was while its holder did no work of its own: phases, and suspended time told as a total."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from chargeback.desk import Desk
from chargeback.explain_pick import key_sql, open_books
from chargeback.ledger import Result
from chargeback.partitions import run_folders
from chargeback.statement import By
from chargeback.workbench import SourceFile, Workbench
from gpuledger.calendars import month_bounds

__all__ = ["PHASES", "Life", "lives_of"]

PHASES = ("waiting", "warm_up", "draining", "suspended", "lost_work")
"""The phases of held time in which nothing of use was done, as columns."""


@dataclass(frozen=True)
class Life:
    """Of a line: GPU time in ticks by phase, and suspended time of which only a run's total is told.

    The second is of runs that ended in the month, all of it, and not known when: it may be in `suspended`
    too, and is never added to anything.
    """

    phases: dict[str, int] = field(default_factory=dict)
    suspended_told: int = 0

    @staticmethod
    def summed(lives: Iterable[Life]) -> Life:
        """All of several lines."""
        kept = list(lives)
        phases: Counter[str] = Counter()
        for life in kept:
            phases.update(life.phases)
        return Life(dict(phases), sum(life.suspended_told for life in kept))


_PHASED = """
select {key} as line, phase, cast(sum(ticks) as bigint) as ticks
from kept_time
where phase <> ''
group by all
"""

_TOLD = """
with told as (
    select distinct identity from source_holding where suspended_s > 0
),
ranked as (
    select
        h.run, h.withdrawn, h.end_s, h.suspended_s,
        h.units * (720720 * h.weight // h.weight_cap) as claimed_ticks,
        row_number() over (partition by h.identity order by h.seq desc) as newest
    from source_holding as h inner join told as t on h.identity = t.identity
    where h.seq <= $seq
),
ended as (
    select run, cast(sum(suspended_s * claimed_ticks) as bigint) as ticks
    from ranked
    where newest = 1 and withdrawn = 0 and suspended_s > 0 and end_s > $start_s and end_s <= $end_s
    group by run
),
lined as (
    select run, {key} as line, row_number() over (partition by run order by from_s desc, {key}) as latest
    from kept_time where run in (select run from ended)
)
select l.line, cast(sum(e.ticks) as bigint)
from ended as e inner join lined as l on e.run = l.run and l.latest = 1
group by l.line
"""


def lives_of(desk: Desk, result: Result, by: By) -> Mapping[str, Life]:
    """Phases and suspended time by line, from the files of a run of the books and the lake at its seq.

    A run whose owner changed counts with its suspended total where it was last.
    """
    start_s, end_s = month_bounds(desk.book.zone, result.period)
    phases: dict[str, Counter[str]] = defaultdict(Counter)
    with Workbench(desk.limits) as bench:
        open_books(bench, run_folders(desk, result))
        for line, phase, ticks in bench.rows(_PHASED.format(key=key_sql(by))):
            phases[line][phase] += ticks
        files = [
            SourceFile(file.table, desk.lake.local_path(file), file.added_seq)
            for file in desk.lake.files("holding", result.seq)
        ]
        bench.sources(files)
        values = {"seq": result.seq, "start_s": start_s, "end_s": end_s}
        told: dict[str, int] = dict(bench.rows(_TOLD.format(key=key_sql(by)), values))
    return {line: Life(dict(phases[line]), told.get(line, 0)) for line in phases.keys() | told.keys()}
