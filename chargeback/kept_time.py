"""The time rows of a run as other tariffs see them: slots counted by what pays for them, and owners' time.

Time rows say whose each slot's time is, whatever it costs, so tariffs can be laid over rows that are kept.
They do not fit where a slot stands in two classes, or where a tariff changes inside a row.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from chargeback.tariffs import Tariff
from chargeback.units import PoolPart, Terms
from chargeback.workbench import Workbench
from gpuledger.calendars import calendar_pieces, utc_day
from gpuledger.engine import files_sql

__all__ = [
    "Cell",
    "OwnerTime",
    "Stretch",
    "counted",
    "held",
    "lay_own_tariffs",
    "lay_tariffs",
    "pool_parts",
]


class Cell(NamedTuple):
    """Slots of one size, pool and tariff on nodes with as many slots, over a piece; tariff 0 is none."""

    model: str
    region: str
    price_no: int
    slot_ticks: int
    node_slots: int
    piece_s: int


class Stretch(NamedTuple):
    """How many slots of a cell are there over [from, to), UTC seconds."""

    cell: Cell
    from_s: int
    to_s: int
    slot_count: int


class OwnerTime(NamedTuple):
    """What an owner has of a bucket of cells in one account, in ticks."""

    bucket: int
    account: str
    state: str
    owner: str
    team: str
    cost_centre: str
    model: str
    cluster: str
    is_assumed: int
    ticks: int
    unpriced_ticks: int
    observed_ticks: int


@dataclass(frozen=True)
class _SlotClass:
    slot: str
    model: str
    region: str
    class_no: int


@dataclass(frozen=True)
class _Span:
    class_no: int
    price_no: int
    is_priced: int
    from_s: int
    to_s: int


@dataclass(frozen=True)
class _PriceName:
    price_record: str
    price_no: int
    is_priced: int


@dataclass(frozen=True)
class _Bucket:
    model: str
    region: str
    price_no: int
    slot_ticks: int
    node_slots: int
    piece_s: int
    bucket: int


_COUNT_NODES = """
create table node_count as
select node, from_s, cast(count(distinct slot) as bigint) as node_slots from {scan} group by node, from_s
"""

_ROWS = """
create view kept_row as
select *, case when is_assumed = 1 then '' else slot end as place from {scan}
"""

_CLASSED = """
kept_row as t inner join slot_class as c on c.slot = t.place and c.model = t.model and c.region = t.region
"""

_OTHERS = f"""
create view paid_row as
select t.*, coalesce(p.price_no, 0) as price_no, coalesce(p.is_priced, 0) as is_priced
from {_CLASSED}
left join price_span as p on p.class_no = c.class_no and p.from_s <= t.from_s and p.to_s >= t.to_s
"""

_OWN = """
create view paid_row as
select t.*, coalesce(p.price_no, 0) as price_no, coalesce(p.is_priced, 0) as is_priced
from kept_row as t left join price_name as p on p.price_record = t.price_record
"""

_CUT = f"""
select 1 from {_CLASSED} inner join price_span as p on p.class_no = c.class_no
where (p.from_s > t.from_s and p.from_s < t.to_s) or (p.to_s > t.from_s and p.to_s < t.to_s)
limit 1
"""

_COUNTED = """
select
    t.model, t.region, t.price_no, t.slot_ticks, t.node_slots, t.piece_s, t.from_s, t.to_s,
    cast(sum(t.ticks) as bigint) // (t.slot_ticks * (t.to_s - t.from_s))
from paid_row as t
group by t.model, t.region, t.price_no, t.slot_ticks, t.node_slots, t.piece_s, t.from_s, t.to_s
order by all
"""

_HELD = """
select
    b.bucket, t.account, t.state, t.owner, t.team, t.cost_centre, t.model, t.cluster, t.is_assumed,
    cast(sum(t.ticks) as bigint),
    cast(sum(case when t.is_priced = 1 then 0 else t.ticks end) as bigint),
    cast(sum(t.observed_ticks) as bigint)
from paid_row as t
inner join bucket as b
    on b.model = t.model and b.region = t.region and b.price_no = t.price_no
    and b.slot_ticks = t.slot_ticks and b.node_slots = t.node_slots and b.piece_s = t.piece_s
group by all
order by all
"""


def lay_own_tariffs(bench: Workbench, files: Sequence[Path], terms: Terms) -> None:
    """Stage files of time rows with the tariffs that their run had; `terms` are those of the run."""
    records = terms.tariffs.records
    names = [
        _PriceName(record, number, int(records[record].is_priced))
        for record, number in terms.tariff_numbers.items()
    ]
    bench.stage_rows("price_name", _PriceName, names)
    _stage_rows(bench, files, terms)
    bench.connection.execute(_OWN)


def lay_tariffs(bench: Workbench, files: Sequence[Path], terms: Terms) -> bool:
    """Lay the tariffs of terms over files of time rows; False where they do not fit the rows."""
    tariffs, numbers = terms.tariffs, terms.tariff_numbers
    classes = {_SlotClass(one.slot, one.model, one.region, number) for one, number in tariffs.classes.items()}
    if len({(one.slot, one.model, one.region) for one in classes}) < len(classes):
        return False
    spans = [
        _Span(
            span.class_no,
            numbers[span.price_record],
            int(tariffs.records[span.price_record].is_priced),
            span.from_s,
            span.to_s,
        )
        for span in tariffs.spans
    ]
    bench.stage_rows("slot_class", _SlotClass, classes)
    bench.stage_rows("price_span", _Span, spans)
    _stage_rows(bench, files, terms)
    bench.connection.execute(_OTHERS)
    return not bench.rows(_CUT)


def _stage_rows(bench: Workbench, files: Sequence[Path], terms: Terms) -> None:
    """The rows, with the slots of their node there where any price is for a node."""
    scan = f"read_parquet({files_sql(files)}, hive_partitioning = false)"
    if any(_is_by_node(one) for one in terms.tariffs.records.values()):
        bench.connection.execute(_COUNT_NODES.format(scan=scan))
        scan = f"(select * from {scan} inner join node_count using (node, from_s))"
    else:
        scan = f"(select *, cast(1 as bigint) as node_slots from {scan})"
    bench.connection.execute(_ROWS.format(scan=scan))


def _is_by_node(one: Tariff) -> bool:
    """Whether it matters how many slots a node has: for a price per node, or a commitment."""
    return bool(one.commitments) or (one.meter is not None and one.meter.is_per_node)


def counted(bench: Workbench) -> list[Stretch]:
    """How many slots each cell has, and when."""
    return [Stretch(Cell(*row[:6]), *row[6:]) for row in bench.rows(_COUNTED)]


def held(bench: Workbench, buckets: Mapping[Cell, int]) -> list[OwnerTime]:
    """Whose time the rows are, by the bucket of their cells."""
    bench.stage_rows("bucket", _Bucket, [_Bucket(*cell, bucket) for cell, bucket in buckets.items()])
    return [OwnerTime(*row) for row in bench.rows(_HELD)]


def pool_parts(terms: Terms, stretches: Iterable[Stretch]) -> Iterator[PoolPart]:
    """What the price pass goes by: the stretches that something pays for, as if all were in one shard."""
    days = {piece.start_s: piece.day for piece in calendar_pieces(terms.zone, terms.start_s, terms.end_s)}
    records = {number: record for record, number in terms.tariff_numbers.items()}
    for cell, from_s, to_s, slot_count in stretches:
        if cell.price_no:
            yield PoolPart(
                shard=0,
                model=cell.model,
                region=cell.region,
                piece_s=cell.piece_s,
                utc_day=utc_day(cell.piece_s),
                day=days[cell.piece_s],
                price_record=records[cell.price_no],
                slot_ticks=cell.slot_ticks,
                node_slots=cell.node_slots,
                from_s=from_s,
                to_s=to_s,
                slot_count=slot_count,
            )
