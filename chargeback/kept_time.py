"""The time rows of a run as other tariffs see them: slots counted by what pays for them, and owners' time.

Time rows say whose each slot's time is, whatever it costs, so tariffs can be laid over rows that are kept.
They do not fit where a slot stands in two classes, or where a tariff changes inside a row.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from chargeback.units import Terms
from chargeback.workbench import Workbench
from gpuledger.engine import files_sql

__all__ = ["Cell", "OwnerTime", "Stretch", "counted", "held", "lay_tariffs"]


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
class _Bucket:
    model: str
    region: str
    price_no: int
    slot_ticks: int
    node_slots: int
    piece_s: int
    bucket: int


_ROWS = """
create view kept_row as
select *, case when is_assumed = 1 then '' else slot end as place from {scan}
"""

_COUNT_NODES = """
create table node_count as
select node, from_s, cast(count(distinct slot) as bigint) as node_slots from {scan} group by node, from_s
"""

_CLASSED = """
kept_row as t inner join slot_class as c on c.slot = t.place and c.model = t.model and c.region = t.region
"""

_PAID = f"""
{_CLASSED}
left join price_span as p on p.class_no = c.class_no and p.from_s <= t.from_s and p.to_s >= t.to_s
"""

_CUT = f"""
select 1 from {_CLASSED} inner join price_span as p on p.class_no = c.class_no
where (p.from_s > t.from_s and p.from_s < t.to_s) or (p.to_s > t.from_s and p.to_s < t.to_s)
limit 1
"""

_COUNTED = f"""
select
    t.model, t.region, coalesce(p.price_no, 0), t.slot_ticks, t.node_slots, t.piece_s, t.from_s, t.to_s,
    cast(sum(t.ticks) as bigint) // (t.slot_ticks * (t.to_s - t.from_s))
from {_PAID}
group by t.model, t.region, p.price_no, t.slot_ticks, t.node_slots, t.piece_s, t.from_s, t.to_s
order by all
"""

_HELD = f"""
select
    b.bucket, t.account, t.state, t.owner, t.team, t.cost_centre, t.model, t.cluster, t.is_assumed,
    cast(sum(t.ticks) as bigint),
    cast(sum(case when p.is_priced = 1 then 0 else t.ticks end) as bigint),
    cast(sum(t.observed_ticks) as bigint)
from {_PAID}
inner join bucket as b
    on b.model = t.model and b.region = t.region and b.price_no = coalesce(p.price_no, 0)
    and b.slot_ticks = t.slot_ticks and b.node_slots = t.node_slots and b.piece_s = t.piece_s
group by all
order by all
"""


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
    scan = f"read_parquet({files_sql(files)}, hive_partitioning = false)"
    if any(tariff.meter and tariff.meter.is_per_node for tariff in tariffs.records.values()):
        bench.connection.execute(_COUNT_NODES.format(scan=scan))
        scan = f"(select * from {scan} inner join node_count using (node, from_s))"
    else:
        scan = f"(select *, cast(1 as bigint) as node_slots from {scan})"
    bench.connection.execute(_ROWS.format(scan=scan))
    return not bench.rows(_CUT)


def counted(bench: Workbench) -> list[Stretch]:
    """How many slots each cell has, and when."""
    return [Stretch(Cell(*row[:6]), *row[6:]) for row in bench.rows(_COUNTED)]


def held(bench: Workbench, buckets: Mapping[Cell, int]) -> list[OwnerTime]:
    """Whose time the rows are, by the bucket of their cells."""
    bench.stage_rows("bucket", _Bucket, [_Bucket(*cell, bucket) for cell, bucket in buckets.items()])
    return [OwnerTime(*row) for row in bench.rows(_HELD)]
