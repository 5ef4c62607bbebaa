"""The staged intervals of a closed month: what its run read of the lake and of the terms, kept as Parquet.

They are written when a month is closed and not at each run: one pass over the month by shard, so how a run
bundles its days shows nowhere, claims on days without any slot are kept too, and a run pays nothing for them.
They are read again at the run's seq, which gives the same rows; that the slots' time is the run's is checked.
"""

from __future__ import annotations

from pathlib import Path

from chargeback.desk import Desk
from chargeback.ledger import Result
from chargeback.measure import stage_inputs
from chargeback.model_files import MEASURE
from chargeback.outline import Shard, outline
from chargeback.partitions import to_disk
from chargeback.period_terms import terms_at
from chargeback.terms.in_force import Seqs
from chargeback.units import Terms, Unit
from chargeback.workbench import Workbench
from gpuledger.calendars import month_bounds
from gpuledger.canonical import file_digest, text_digest
from gpuledger.errors import InvariantError, StorageError

__all__ = ["FACTS", "facts_digest", "facts_folder", "freeze_facts"]

FACTS = {
    "slot_state": "slot, from_s",
    "device_life": "device, from_s, to_s, slot",
    "partition_life": "lane, from_s",
    "phase_span": "run, from_s",
    "activity": "subject, start_s",
    "energy": "device, hour_s",
    "holding_claim": "identity",
    "slot_life": "life_no",
    "who": "who_no",
    "owner_span": "who_no, from_s",
    "slot_class": "slot, sku, model, region, purchase_option",
    "price_span": "class_no, from_s",
    "price_name": "price_no",
}
"""The tables that are frozen, each with the order of its rows."""

_TIME = "select cast(coalesce(sum((to_s - from_s) * slot_ticks), 0) as bigint) from slot_life"


def facts_folder(desk: Desk, period: str, close_id: str, shard: int | str = "*") -> Path:
    """Where a close keeps a shard's intervals."""
    return desk.books / desk.book.name / period / "facts" / str(shard) / f"close={close_id}"


def freeze_facts(desk: Desk, result: Result, close_id: str) -> str:
    """Write the intervals of a run's month and give their digest.

    What is written for a close that fails stays, and is swept a day later: whether a commit that raised was
    done is not always known. Raises StorageError where a file cannot be written.
    """
    _write(desk, result, close_id)
    return facts_digest(desk, result.period, close_id)


def _write(desk: Desk, result: Result, close_id: str) -> None:
    start_s, end_s = month_bounds(desk.book.zone, result.period)
    known = outline(desk, result.seq, start_s, end_s)
    terms = terms_at(desk, result.period, Seqs.at(result.seq), known)
    try:
        time = sum(_write_shard(desk, terms, shard, close_id) for shard in known.shards)
    except OSError as error:
        raise StorageError(
            f"the facts of {result.period} cannot be frozen: {error}",
            mend="look at the disk, then close again",
        ) from error
    counted = sum(row.ticks for row in result.times)
    if time != counted:
        raise InvariantError(
            f"the slots of {result.period} have {time} ticks, the books of seq {result.seq} {counted}",
            mend=f"run `gpuledger run --month {result.period}`; if it stays, report a fault of gpuledger",
        )


def _write_shard(desk: Desk, terms: Terms, shard: Shard, close_id: str) -> int:
    """Write one shard's tables, and give its slots' time in ticks."""
    folder = facts_folder(desk, terms.period, close_id, shard.number)
    unit = Unit(
        shard=shard.number,
        start_s=terms.start_s,
        end_s=terms.end_s,
        files=shard.files,
        books=folder,
        scratch=desk.scratch,
        run_id=close_id,
        limits=desk.limits,
    )
    with Workbench(desk.limits) as bench:
        stage_inputs(bench, terms, unit)
        bench.run(MEASURE[: MEASURE.index("slot_life") + 1])
        for name, order in FACTS.items():
            bench.write(f"select * from {name} order by {order}", folder / f"{name}.parquet")
        time = bench.rows(_TIME)[0][0]
    to_disk([folder], desk.books)
    return int(time)


def _folders(desk: Desk, period: str, close_id: str) -> list[Path]:
    pattern = facts_folder(desk, period, close_id)
    found = pattern.parent.parent.glob(f"*/{pattern.name}")
    return sorted(found, key=lambda folder: int(folder.parent.name))


def facts_digest(desk: Desk, period: str, close_id: str) -> str:
    """The digest of a close's intervals: SHA-256 over its files, each named by shard and table."""
    folders = _folders(desk, period, close_id)
    paths = (path for folder in folders for path in sorted(folder.iterdir()))
    lines = (f"{path.parts[-3]}/{path.name}:{file_digest(path)}\n" for path in paths)
    return text_digest("".join(lines))
