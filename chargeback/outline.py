"""What the lake holds at a seq, in outline: enough to cut the work and to look up prices."""

from __future__ import annotations

from dataclasses import dataclass

from chargeback.desk import Desk
from chargeback.node_cost import NodeQuantity
from chargeback.owners import Who
from chargeback.places import NodeLife, Place
from chargeback.workbench import FACT_SOURCES, OBSERVATIONS, SOURCES, SourceFile, Workbench
from gpuledger.calendars import calendar_pieces, month_bounds, next_month
from gpuledger.versions import throughs

__all__ = ["Outline", "Shard", "outline", "periods_with_facts"]

_LANES = """
with assumed as (
    select node_group, run, sum(units) as units from source_holding
    where is_assumed = 1 and start_s < $end_s and (end_s is null or end_s > $start_s)
    group by node_group, run
)
select
    (select count(distinct slot) from source_slot) + (select count(distinct lane) from source_partition),
    (select cast(coalesce(sum(units), 0) as bigint) from assumed),
    (select cast(coalesce(max(units), 0) as bigint) from assumed)
"""

_PLACES = """
select distinct slot, sku, model, region, purchase_option, cluster, node from source_slot
union distinct
select distinct '', '', model, region, '', '', '' from source_holding where is_assumed = 1
"""

_LIVES = """
with ranked as (
    select *, row_number() over (partition by identity order by seq desc, withdrawn) as newest
    from source_node where seq <= $seq
)
select
    node, start_s, end_s, provider, billing_account, region, zone, sku, purchase_option, instance,
    reservation, ended_by
from ranked where newest = 1 and withdrawn = 0
"""

_QUANTITIES = """
with ranked as (
    select *, row_number() over (partition by identity order by seq desc, withdrawn) as newest
    from source_node_resource where seq <= $seq
)
select node, start_s, end_s, resource, quantity from ranked where newest = 1 and withdrawn = 0
"""

_WHOS = """
select distinct cluster, namespace, account, owner_key, labels from source_holding where seq <= $seq
"""

_FIRST = """
select min(start_s) from (select start_s from source_slot union all select start_s from source_holding)
"""


@dataclass(frozen=True)
class Shard:
    """A shard's files, and the most lanes that it can have in the period: slots, and partitions of them."""

    number: int
    lanes: int
    files: tuple[SourceFile, ...]


@dataclass(frozen=True)
class Outline:
    """The shards with facts, what can be paid for, and the most units that one run holds without a node.

    `lives` are the runs of nodes, with what inventory says of them beside their slots, and `quantities` what
    they have besides GPUs. `whos` is what holdings say of their owners, each once, in order.
    """

    shards: tuple[Shard, ...]
    places: frozenset[Place]
    lives: tuple[NodeLife, ...]
    whos: tuple[Who, ...]
    most_units: int
    quantities: tuple[NodeQuantity, ...] = ()


def outline(desk: Desk, seq: int, start_s: int, end_s: int, *, samples_seq: int | None = None) -> Outline:
    """Look over the lake at a seq for [start, end); its figures are upper bounds.

    What samples say is as known at `samples_seq`, where that is given.
    """
    shards: list[Shard] = []
    places: set[Place] = set()
    lives: set[NodeLife] = set()
    quantities: set[NodeQuantity] = set()
    whos: set[Who] = set()
    most = 0
    for number in range(desk.book.shards):
        files = _files(desk, seq, number, samples_seq)
        if not files:
            continue
        with Workbench(desk.limits) as bench:
            bench.sources(files)
            known, assumed, units = bench.rows(_LANES, {"start_s": start_s, "end_s": end_s})[0]
            places |= {Place(*row) for row in bench.rows(_PLACES)}
            lives |= {NodeLife(*row) for row in bench.rows(_LIVES, {"seq": seq})}
            quantities |= {NodeQuantity(*row) for row in bench.rows(_QUANTITIES, {"seq": seq})}
            whos |= {Who(*row) for row in bench.rows(_WHOS, {"seq": seq})}
        shards.append(Shard(number, known + assumed, files))
        most = max(most, units)
    ordered = sorted(lives, key=lambda life: (life.node, life.start_s))
    return Outline(
        shards=tuple(shards),
        places=frozenset(places),
        lives=tuple(ordered),
        whos=tuple(sorted(whos)),
        most_units=most,
        quantities=tuple(sorted(quantities, key=lambda one: (one.node, one.kind, one.start_s))),
    )


def periods_with_facts(desk: Desk, seq: int, now_s: int) -> list[str]:
    """The months of the book's zone from the first fact to the last instant that a source is complete to.

    Where no source says an instant, `now_s` ends them.
    """
    with desk.database.read() as connection:
        reached_s = max(throughs(connection, seq).values(), default=now_s)
    with Workbench(desk.limits) as bench:
        bench.sources([file for number in range(desk.book.shards) for file in _files(desk, seq, number)])
        first_s = bench.rows(_FIRST)[0][0]
    return [] if first_s is None else _months(desk.book.zone, first_s, reached_s)


def _files(desk: Desk, seq: int, shard: int, samples_seq: int | None = None) -> tuple[SourceFile, ...]:
    known = dict.fromkeys(FACT_SOURCES, seq)
    known |= dict.fromkeys(OBSERVATIONS, seq if samples_seq is None else samples_seq)
    # What is said of a run without its node lies in the shard of the run's name, wherever the run is.
    shards = {name: [shard] for name in SOURCES} | {"phase": list(range(desk.book.shards))}
    return tuple(
        SourceFile(name, desk.lake.store.local_path(file.path), file.added_seq, file.day or "")
        for name in SOURCES
        for file in desk.lake.files(name, known[name], shards=shards[name])
    )


def _months(zone: str, first_s: int, end_s: int) -> list[str]:
    month = calendar_pieces(zone, first_s, first_s + 1)[0].period
    months = []
    while month_bounds(zone, month)[0] < end_s:
        months.append(month)
        month = next_month(month)
    return months
