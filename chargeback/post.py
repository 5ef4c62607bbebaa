"""The post pass: each slot's money goes to whose time it was, one unit at a time, in any order."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from chargeback.layers import CLEARING
from chargeback.measure import (
    NAMES,
    NOT_WRITTEN,
    days_kept,
    handed_on,
    partition_files,
    scratch_file,
    stage_calendar,
)
from chargeback.model_files import (
    OWNER_PIECE,
    POST,
    RESOURCE_ENTRY,
    RESOURCE_PIECE,
    RESOURCES_POSTED,
    model,
)
from chargeback.money_parts import Charge, LotShare, MeterAmount, RecognisedPart, ResourceAmount
from chargeback.policies import policy_text
from chargeback.units import NO_SHARD, EntryDay, OwnerPiece, Partition, PoolShare, Posted, Terms, Unit
from chargeback.workbench import Workbench
from gpuledger.canonical import file_digest

__all__ = [
    "DISTRIBUTED_ENTRY",
    "POSTED_ENTRIES",
    "Charges",
    "entry_files",
    "has_file",
    "partition_digest",
    "post",
]

POSTED_ENTRIES = ("recognised_entry", "entry")
"""The files of a partition that hold what was posted; what no device takes has the second alone."""

DISTRIBUTED_ENTRY = "distributed_entry"
"""The file of a partition that holds what was distributed of it; there is none where nothing was."""

_SUMS = """
with amount as (
    select utc_day, amount from recognised_part where amount <> 0
    union all
    select c.utc_day, p.amount from {posted} as p inner join calendar_piece as c on p.piece_s = c.start_s
)
select utc_day, cast(sum(amount) as bigint) from amount group by utc_day
"""


_POSTED = {
    False: "posted",
    True: "(select piece_s, amount from posted union all select piece_s, amount from resource_posted)",
}
"""What is posted in a unit, by whether any price is for what nodes have besides GPUs."""


@dataclass(frozen=True)
class Charges:
    """What the price pass hands to one unit."""

    shares: tuple[PoolShare, ...]
    lot_shares: tuple[LotShare, ...]
    recognised: tuple[RecognisedPart, ...]
    amounts: tuple[MeterAmount, ...]
    resources: tuple[ResourceAmount, ...]
    charges: tuple[Charge, ...]


@dataclass(frozen=True)
class _BookTerms:
    charged: str
    policy: str
    from_owner: str
    cause: str
    service_period: str
    booking_period: str


def post(terms: Terms, unit: Unit, charges: Charges) -> Posted:
    """Post one unit: write its entries by UTC day, and give what the database keeps of them."""
    with Workbench(unit.limits) as bench:
        for name in handed_on(terms):
            bench.load(name, scratch_file(unit, name))
        stage_calendar(bench, terms, unit)
        bench.stage_rows("pool_share", PoolShare, charges.shares)
        bench.stage_rows("lot_share", LotShare, charges.lot_shares)
        bench.stage_rows("charge_name", Charge, [Charge(0, "", CLEARING), *charges.charges])
        bench.stage_rows("recognised_part", RecognisedPart, charges.recognised)
        bench.stage_rows("meter_amount", MeterAmount, charges.amounts)
        bench.stage_rows("resource_amount", ResourceAmount, charges.resources)
        bench.stage_rows("book_terms", _BookTerms, [_book_terms(terms)])
        bench.run(POST)
        entries = [EntryDay(*row) for row in bench.rows("select * from entry_day")]
        if terms.is_weighed:
            bench.run(RESOURCES_POSTED)
            entries += [EntryDay(*row) for row in bench.rows("select * from resource_day")]
        bench.encode([*NAMES, "charge_name", "book_terms"], but=NOT_WRITTEN)
        bench.run(["recognised_entry", "entry"])
        files = partition_files(bench, terms, unit, *POSTED_ENTRIES)
        written = bench.write_each(_with_resources(bench, terms, unit, files))
        pieces = _pieces(bench, terms, unit) if terms.distribution else ()
        sums: dict[str, int] = dict(bench.rows(_SUMS.format(posted=_POSTED[terms.is_weighed])))
        partitions = [_partition(unit, day, written, sums) for day in days_kept(bench, terms, unit)]
    for name in handed_on(terms):
        scratch_file(unit, name).unlink()
    return Posted(tuple(partitions), tuple(entries), pieces)


def _with_resources(bench: Workbench, terms: Terms, unit: Unit, files: dict[Path, str]) -> dict[Path, str]:
    """The files of entries with what nodes have besides GPUs behind the rest, where any of it is charged."""
    if not terms.is_weighed:
        return files
    bench.run([RESOURCE_ENTRY])
    keys = ", ".join(model(RESOURCE_ENTRY).keys)
    return {
        path: f"({query}) union all (select * from {RESOURCE_ENTRY} "
        f"where utc_day = '{path.parts[-4]}' order by {keys})"
        if path.stem == "entry"
        else query
        for path, query in files.items()
    }


def _pieces(bench: Workbench, terms: Terms, unit: Unit) -> tuple[OwnerPiece, ...]:
    names = [OWNER_PIECE, RESOURCE_PIECE] if terms.is_weighed else [OWNER_PIECE]
    bench.run(names)
    return tuple(
        OwnerPiece(unit.shard, *row) for name in names for row in bench.rows(f"select * from {name}")
    )


def _book_terms(terms: Terms) -> _BookTerms:
    return _BookTerms(
        charged=terms.charged,
        policy=policy_text(terms.policies),
        from_owner="",
        cause="",
        service_period=terms.period,
        booking_period=terms.period,
    )


def _partition(unit: Unit, day: str, written: dict[Path, int], sums: dict[str, int]) -> Partition:
    folder = unit.partition(day)
    rows = sum(written[folder / f"{name}.parquet"] for name in POSTED_ENTRIES)
    return Partition(day, unit.shard, rows, sums.get(day, 0), partition_digest(folder))


def partition_digest(folder: Path) -> str:
    """The digest of a partition: SHA-256 of its files, each named; they are written once."""
    files = [*entry_files(folder), *_there(folder, "time_row")]
    return " ".join(f"{file.stem}:{file_digest(file)}" for file in files)


def entry_files(folder: Path) -> list[Path]:
    """The files of a partition that hold its entries."""
    return _there(folder, *POSTED_ENTRIES, DISTRIBUTED_ENTRY)


def has_file(folder: Path, name: str) -> bool:
    """Whether a partition should have a file of that name: what is distributed is not in all of them, and
    what no device takes has its entries alone."""
    if name == DISTRIBUTED_ENTRY:
        return (folder / f"{name}.parquet").exists()
    return name == "entry" or folder.parent.name != str(NO_SHARD)


def _there(folder: Path, *names: str) -> list[Path]:
    return [path for name in names if (path := folder / f"{name}.parquet").exists()]
