"""The measure pass: facts in force become money pieces and time rows, one unit at a time, in any order."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from chargeback.model_files import MEASURE, RESOURCES, model
from chargeback.node_cost import WEIGHTS
from chargeback.owners import OwnerSpan, outcomes
from chargeback.policies import CHOICES, ENOUGH_PERMILLE, IDLE_BAND, RESOURCE_WEIGHTS
from chargeback.units import Measured, PoolPart, Terms, TimeDay, Unit, days_of
from chargeback.workbench import SourceFile, Workbench
from gpuledger.calendars import calendar_pieces, utc_day

__all__ = [
    "HANDED_ON",
    "HANDED_ON_OF_NODES",
    "NAMES",
    "NOT_WRITTEN",
    "days_kept",
    "handed_on",
    "measure",
    "partition_files",
    "scratch_file",
    "stage_calendar",
    "stage_inputs",
]

HANDED_ON = ("slot_life", "lane_name", "money_piece", "taker", "time_part")
"""The tables that the post pass takes over from this one."""

HANDED_ON_OF_NODES = ("node_part", "resource_time")
"""The same of what nodes have besides GPUs, where some price is for that too."""

NAMES = ("slot_life", "lane_name", "taker", "calendar_piece", "price_name")
"""The tables whose text the written views take over."""

NOT_WRITTEN = ("run_name",)
"""Text of these that no written view has."""


@dataclass(frozen=True)
class _Window:
    seq: int
    start_s: int
    end_s: int


@dataclass(frozen=True)
class _Piece:
    start_s: int
    end_s: int
    day: str
    utc_day: str


@dataclass(frozen=True)
class _Through:
    cluster: str
    through_s: int


@dataclass(frozen=True)
class _Sharing:
    mig_share: int
    stranded: int
    time_slicing: int
    idle_band: int
    coverage_permille: int


@dataclass(frozen=True)
class _HeldAccount:
    account: str


@dataclass(frozen=True)
class _Count:
    k: int


@dataclass(frozen=True)
class _Who:
    who_no: int
    cluster: str
    namespace: str
    account: str
    owner_key: str
    labels: str
    outcome_no: int


@dataclass(frozen=True)
class _SlotClass:
    slot: str
    sku: str
    model: str
    region: str
    purchase_option: str
    class_no: int


@dataclass(frozen=True)
class _Price:
    class_no: int
    price_no: int
    from_s: int
    to_s: int


@dataclass(frozen=True)
class _TariffResource:
    price_no: int
    kind: str
    quantity: int


@dataclass(frozen=True)
class _PriceName:
    price_no: int
    price_record: str
    is_priced: int


def scratch_file(unit: Unit, name: str) -> Path:
    """Where a unit's table waits for the post pass."""
    return unit.scratch / f"{name}-{unit.key}.parquet"


_DAYS = """
select distinct c.utc_day from time_part as t inner join calendar_piece as c on t.piece_s = c.start_s
"""


def days_kept(bench: Workbench, terms: Terms, unit: Unit) -> list[str]:
    """The UTC days of a unit in which any slot has time, and the period's first day in any case.

    So a month without time has books too, and how days are bundled changes no partition.
    """
    first = {utc_day(unit.start_s)} if unit.start_s == terms.start_s else set()
    return sorted(first.union(day for (day,) in bench.rows(_DAYS)))


def partition_files(bench: Workbench, terms: Terms, unit: Unit, *names: str) -> dict[Path, str]:
    """The files of a unit's partitions, each with the query that fills it, in the order of its keys."""
    keys = {name: ", ".join(model(name).keys) for name in names}
    return {
        unit.partition(day) / f"{name}.parquet": (
            f"select * from {name} where utc_day = '{day}' order by {keys[name]}"
        )
        for day in days_kept(bench, terms, unit)
        for name in names
    }


def measure(terms: Terms, unit: Unit) -> Measured:
    """Measure one unit: write its time rows by UTC day, hand on what posting and pricing need."""
    with Workbench(unit.limits) as bench:
        stage_inputs(bench, terms, unit)
        bench.run(MEASURE)
        if terms.is_weighed:
            bench.run(RESOURCES)
        for name in handed_on(terms):
            bench.write(f"select * from {name}", scratch_file(unit, name))
        parts = bench.rows("select * from pool_part")
        times = bench.rows("select * from time_day")
        orphaned = dict(bench.rows("select cluster, ticks from orphaned_time"))
        unplaced = dict(bench.rows("select cluster, joules from unplaced_energy where joules > 0"))
        bench.encode(NAMES, but=NOT_WRITTEN)
        bench.run(["time_row"])
        bench.write_each(partition_files(bench, terms, unit, "time_row"))
    return Measured(
        parts=tuple(PoolPart(unit.shard, *row) for row in parts),
        times=tuple(TimeDay(*row) for row in times),
        orphaned=orphaned,
        unplaced_joules=unplaced,
    )


def handed_on(terms: Terms) -> tuple[str, ...]:
    """The tables that wait in scratch for the post pass."""
    return HANDED_ON + HANDED_ON_OF_NODES if terms.is_weighed else HANDED_ON


def stage_inputs(bench: Workbench, terms: Terms, unit: Unit) -> None:
    """Stage what the models of this pass read: the lake's files, window, calendar, owners and prices."""
    bench.sources(_files_of(unit))
    known = any(file.table == "activity" for file in _files_of(unit))
    accounts = ("held_unobserved", "idle_held", "used") if known else ("held_unobserved",)
    bench.stage_rows("held_account", _HeldAccount, [_HeldAccount(name) for name in accounts])
    bench.stage_rows("sharing", _Sharing, [_sharing(terms)])
    bench.stage_rows("run_window", _Window, [_Window(terms.seq, unit.start_s, unit.end_s)])
    stage_calendar(bench, terms, unit)
    bench.stage_rows("cluster_through", _Through, [_Through(*row) for row in terms.throughs.items()])
    bench.stage_rows("counting", _Count, [_Count(k) for k in range(terms.most_units)])
    same = outcomes(terms.owners)
    whos = [
        _Who(no, w.cluster, w.namespace, w.account, w.owner_key, w.labels, same[no])
        for no, w in enumerate(terms.whos, 1)
    ]
    bench.stage_rows("who", _Who, whos)
    bench.stage_rows("owner_span", OwnerSpan, terms.owners)
    classes = [
        _SlotClass(place.slot, place.sku, place.model, place.region, place.purchase_option, number)
        for place, number in terms.tariffs.classes.items()
    ]
    bench.stage_rows("slot_class", _SlotClass, classes)
    numbers = terms.tariff_numbers
    spans = [
        _Price(span.class_no, numbers[span.price_record], span.from_s, span.to_s)
        for span in terms.tariffs.spans
    ]
    bench.stage_rows("price_span", _Price, spans)
    bench.stage_rows("tariff_resource", _TariffResource, _tariff_resources(terms))


def _tariff_resources(terms: Terms) -> list[_TariffResource]:
    """What the nodes of each tariff have of what its price is for too; memory in MiB, rounded up."""
    weights = WEIGHTS.get(terms.policies.get(RESOURCE_WEIGHTS, ""), {})
    return [
        _TariffResource(number, kind, -(-quantity // 2**20) if kind == "memory" else quantity)
        for record, number in terms.tariff_numbers.items()
        for kind, quantity in terms.tariffs.records[record].resources.quantities().items()
        if weights.get(kind)
    ]


def _files_of(unit: Unit) -> list[SourceFile]:
    """The files that the unit's days need: all facts, and the observations of its own UTC days."""
    days = {utc_day(start_s) for start_s, _ in days_of(unit.start_s, unit.end_s)}
    return [file for file in unit.files if not file.day or file.day in days]


def _sharing(terms: Terms) -> _Sharing:
    """The policies of sharing a device as numbers, each by its place among the choices."""
    places = {
        name: CHOICES[name].index(terms.policies[name]) for name in ("mig_share", "stranded", "time_slicing")
    }
    return _Sharing(**places, idle_band=IDLE_BAND, coverage_permille=ENOUGH_PERMILLE)


def stage_calendar(bench: Workbench, terms: Terms, unit: Unit) -> None:
    """Stage the unit's calendar pieces, and the names of the tariffs by number (0 = nothing pays)."""
    pieces = calendar_pieces(terms.zone, unit.start_s, unit.end_s)
    rows = [_Piece(piece.start_s, piece.end_s, piece.day, utc_day(piece.start_s)) for piece in pieces]
    bench.stage_rows("calendar_piece", _Piece, rows)
    names = [
        _PriceName(number, record, int(terms.tariffs.records[record].is_priced))
        for record, number in terms.tariff_numbers.items()
    ]
    bench.stage_rows("price_name", _PriceName, [_PriceName(0, "", 0), *names])
