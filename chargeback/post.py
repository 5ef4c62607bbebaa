"""The post pass: each slot's money goes to whose time it was, one unit at a time, in any order."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from chargeback.measure import (
    HANDED_ON,
    NAMES,
    NOT_WRITTEN,
    days_kept,
    partition_files,
    scratch_file,
    stage_calendar,
)
from chargeback.model_files import OWNER_PIECE, POST
from chargeback.policies import policy_text
from chargeback.pricing import MeterAmount, RecognisedPart
from chargeback.units import EntryDay, OwnerPiece, Partition, PoolShare, Posted, Terms, Unit
from chargeback.workbench import Workbench
from gpuledger.canonical import file_digest

__all__ = ["DISTRIBUTED_ENTRY", "POSTED_ENTRIES", "Charges", "entry_files", "partition_digest", "post"]

POSTED_ENTRIES = ("recognised_entry", "entry")
"""The files of a partition that hold what was posted."""

DISTRIBUTED_ENTRY = "distributed_entry"
"""The file of a partition that holds what was distributed of it; there is none where nothing was."""

_SUMS = """
with amount as (
    select utc_day, amount from recognised_part
    union all
    select c.utc_day, p.amount from posted as p inner join calendar_piece as c on p.piece_s = c.start_s
)
select utc_day, cast(sum(amount) as bigint) from amount group by utc_day
"""


@dataclass(frozen=True)
class Charges:
    """What the price pass hands to one unit."""

    shares: tuple[PoolShare, ...]
    recognised: tuple[RecognisedPart, ...]
    amounts: tuple[MeterAmount, ...]


@dataclass(frozen=True)
class _BookTerms:
    charged: str
    policy: str
    from_account: str
    from_owner: str
    cause: str
    service_period: str
    booking_period: str


def post(terms: Terms, unit: Unit, charges: Charges) -> Posted:
    """Post one unit: write its entries by UTC day, and give what the database keeps of them."""
    with Workbench(unit.limits) as bench:
        for name in HANDED_ON:
            bench.load(name, scratch_file(unit, name))
        stage_calendar(bench, terms, unit)
        bench.stage_rows("pool_share", PoolShare, charges.shares)
        bench.stage_rows("recognised_part", RecognisedPart, charges.recognised)
        bench.stage_rows("meter_amount", MeterAmount, charges.amounts)
        bench.stage_rows("book_terms", _BookTerms, [_book_terms(terms)])
        bench.run(POST)
        entries = [EntryDay(*row) for row in bench.rows("select * from entry_day")]
        bench.encode([*NAMES, "book_terms"], but=NOT_WRITTEN)
        bench.run(["recognised_entry", "entry"])
        written = bench.write_each(partition_files(bench, terms, unit, *POSTED_ENTRIES))
        pieces = _pieces(bench, unit) if terms.distribution else ()
        sums: dict[str, int] = dict(bench.rows(_SUMS))
        partitions = [_partition(unit, day, written, sums) for day in days_kept(bench, terms, unit)]
    for name in HANDED_ON:
        scratch_file(unit, name).unlink()
    return Posted(tuple(partitions), tuple(entries), pieces)


def _pieces(bench: Workbench, unit: Unit) -> tuple[OwnerPiece, ...]:
    bench.run([OWNER_PIECE])
    return tuple(OwnerPiece(unit.shard, *row) for row in bench.rows(f"select * from {OWNER_PIECE}"))


def _book_terms(terms: Terms) -> _BookTerms:
    source = "clearing" if terms.charged == "pooled" else "accrued"
    return _BookTerms(
        charged=terms.charged,
        policy=policy_text(terms.policies),
        from_account=source,
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
    files = [*entry_files(folder), folder / "time_row.parquet"]
    return " ".join(f"{file.stem}:{file_digest(file)}" for file in files)


def entry_files(folder: Path) -> list[Path]:
    """The files of a partition that hold its entries."""
    posted = [folder / f"{name}.parquet" for name in POSTED_ENTRIES]
    distributed = folder / f"{DISTRIBUTED_ENTRY}.parquet"
    return [*posted, distributed] if distributed.exists() else posted
