"""The lines of bills by what they are for: each goes to one place, and none is lost.

Which key of lines goes where is found in Python; the lines themselves are added up in the engine, and
neighbours of one length and amount become one stretch, so that a node at one price is a single one.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from chargeback.bills.amounts import SCALE, exact
from chargeback.bills.destinations import Destination, destination_of
from chargeback.bills.in_force import BillLines, LineKey
from chargeback.bills.instances import Instances, Machine
from chargeback.bills.rules import LineRule, edges_of, line_rules
from gpuledger.engine import connect
from gpuledger.lake.arrow import pa
from gpuledger.versions import BillFact, BillRuleFact

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

__all__ = ["Allocation", "Run", "Share", "Unknown", "allocate", "era_sql"]


@dataclass(frozen=True, slots=True)
class Run:
    """An amount charged evenly over `[start_s, end_s)`, in 10^-30 of the bill's currency."""

    start_s: int
    end_s: int
    amount_e30: int


@dataclass(frozen=True)
class Share:
    """The lines of a bill that go to one place, of one category: how many, and what is charged when.

    `services` are what their lines name. Runs are in order; they may overlap.
    """

    bill: BillFact
    destination: Destination
    category: str
    lines: int
    services: frozenset[str]
    runs: tuple[Run, ...]

    @property
    def amount(self) -> Fraction:
        """What the lines are billed at, in units of the bill's currency."""
        return Fraction(sum(run.amount_e30 for run in self.runs), SCALE)


@dataclass(frozen=True)
class Unknown:
    """Lines of a bill of which nothing is known, by what they name: their number, and their money."""

    bill: str
    category: str
    service: str
    resource: str
    lines: int
    amount: Fraction
    reason: str


@dataclass(frozen=True)
class Allocation:
    """All lines by what they are for, and by name those of which nothing is known, the most money first."""

    shares: tuple[Share, ...]
    unknown: tuple[Unknown, ...]


def allocate(lines: BillLines, nodes: Iterable[Machine], rules: Iterable[BillRuleFact]) -> Allocation:
    """Sort lines by what they are for; their sum is that of the shares."""
    if not lines.bills or not lines.keys:
        return Allocation((), ())
    read, instances = line_rules(rules), Instances(nodes)
    with connect() as engine:
        engine.execute("set enable_progress_bar = false")
        engine.register("amounts", lines.amounts)
        engine.execute(f"create view dated as select *, {era_sql(read)} as era from amounts")
        places = _places(engine, lines.keys, read, instances)
        groups = sorted({(lines.keys[key].bill, place, lines.keys[key].category) for key, _, place in places})
        _group(engine, lines.keys, places, {group: number for number, group in enumerate(groups)})
        shares = _shares(engine, lines, groups, _services(lines.keys, places))
        return Allocation(shares, _unknown(engine, lines.keys, places))


Place = tuple[int, int, Destination]
"""A key, an era, and where such lines go."""

Group = tuple[str, Destination, str]
"""A bill, where its lines go, and their category."""


def era_sql(rules: Sequence[LineRule]) -> str:
    """SQL that counts the edges of rules up to the begin of a charge period."""
    counted = " + ".join(f"cast(start_s >= {at_s} as bigint)" for at_s in edges_of(rules))
    return counted or "cast(0 as bigint)"


def _places(
    engine: DuckDBPyConnection,
    keys: Sequence[LineKey],
    rules: Sequence[LineRule],
    instances: Instances,
) -> list[Place]:
    found = engine.execute("select key, era, min(start_s) from dated group by key, era order by key, era")
    return [
        (key, era, destination_of(keys[key], rules, instances, at_s)) for key, era, at_s in found.fetchall()
    ]


def _services(keys: Sequence[LineKey], places: Iterable[Place]) -> dict[Group, set[str]]:
    found: dict[Group, set[str]] = defaultdict(set)
    for number, _, place in places:
        key = keys[number]
        found[key.bill, place, key.category].add(key.service)
    return found


def _group(
    engine: DuckDBPyConnection,
    keys: Sequence[LineKey],
    places: Sequence[Place],
    numbers: dict[Group, int],
) -> None:
    """Make the table `charged`: sums by group and charge period; a period of no length is one second."""
    at = [numbers[keys[key].bill, place, keys[key].category] for key, _, place in places]
    placed = pa.table(
        {
            "key": pa.array([key for key, _, _ in places], pa.int64()),
            "era": pa.array([era for _, era, _ in places], pa.int64()),
            "part": pa.array(at, pa.int64()),
        }
    )
    engine.register("placed", placed)
    engine.execute("""
        create table charged as
        select p.part as part, d.start_s as start_s, greatest(d.end_s, d.start_s + 1) as end_s,
            cast(sum(d.lines) as bigint) as lines,
            sum(cast(d.hi as hugeint)) as hi, sum(cast(d.lo as hugeint)) as lo
        from dated as d inner join placed as p on d.key = p.key and d.era = p.era
        group by all
    """)


_RUNS = """
with beside as (
    select *,
        lag(end_s) over w = start_s and lag(end_s - start_s) over w = end_s - start_s
            and lag(hi) over w = hi and lag(lo) over w = lo as goes_on
    from charged window w as (partition by part order by start_s, end_s)
),
numbered as (
    select *, sum(case when goes_on then 0 else 1 end) over (
        partition by part order by start_s, end_s rows unbounded preceding
    ) as run
    from beside
)
select part, min(start_s), max(end_s), cast(sum(lines) as bigint), sum(hi), sum(lo)
from numbered group by part, run order by 1, 2, 3
"""


def _shares(
    engine: DuckDBPyConnection,
    lines: BillLines,
    groups: Sequence[Group],
    services: dict[Group, set[str]],
) -> tuple[Share, ...]:
    bills = {bill.identity: bill for bill in lines.bills}
    counts: dict[int, int] = defaultdict(int)
    runs: dict[int, list[Run]] = defaultdict(list)
    for at, start_s, end_s, count, hi, lo in _rows(engine, _RUNS):
        counts[at] += count
        runs[at].append(Run(start_s, end_s, int(hi) * 10**18 + int(lo)))
    return tuple(
        Share(
            bills[bill],
            place,
            category,
            counts[at],
            frozenset(services[bill, place, category]),
            tuple(runs[at]),
        )
        for at, (bill, place, category) in enumerate(groups)
    )


def _unknown(
    engine: DuckDBPyConnection, keys: Sequence[LineKey], places: Sequence[Place]
) -> tuple[Unknown, ...]:
    reasons = {(key, era): place.reason for key, era, place in places if place.kind == "unknown"}
    if not reasons:
        return ()
    found: dict[tuple[str, str, str, str, str], tuple[int, Fraction]] = {}
    query = """
        select key, era, cast(sum(lines) as bigint), sum(cast(hi as hugeint)), sum(cast(lo as hugeint))
        from dated group by key, era order by key, era
    """
    for number, era, count, hi, lo in _rows(engine, query):
        if (number, era) in reasons:
            key = keys[number]
            name = (key.bill, key.category, key.service, key.resource, reasons[number, era])
            before = found.get(name, (0, Fraction(0)))
            found[name] = (before[0] + count, before[1] + exact(hi, lo))
    listed = [
        Unknown(bill, category, service, resource, count, amount, reason)
        for (bill, category, service, resource, reason), (count, amount) in found.items()
    ]
    return tuple(sorted(listed, key=lambda one: (one.bill, -abs(one.amount), one.service, one.resource)))


def _rows(engine: DuckDBPyConnection, query: str) -> Iterator[tuple[int, ...]]:
    result = engine.execute(query)
    while batch := result.fetchmany(20_000):
        yield from batch
