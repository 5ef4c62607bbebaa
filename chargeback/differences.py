"""By how much computations of a period differ, cause by cause: by entry in files, by day for the database."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import astuple, dataclass
from filecmp import cmp
from fractions import Fraction
from pathlib import Path
from typing import Any, TypeVar

from chargeback.causes import Cause
from chargeback.cents import UNOWNED
from chargeback.desk import Desk, Progressing, silent
from chargeback.layers import DISTRIBUTED
from chargeback.ledger import Result
from chargeback.post import entry_files
from chargeback.runs import compute_books, scratch_folder
from chargeback.units import EntryDay, TimeDay
from chargeback.workbench import Workbench
from gpuledger.canonical import file_digest, text_digest
from gpuledger.engine import files_sql

__all__ = [
    "Computed",
    "Difference",
    "Step",
    "files_digest",
    "follow",
    "left_in_clearing",
    "read_differences",
    "sums_of",
    "write_differences",
]

Day = TypeVar("Day", EntryDay, TimeDay)


@dataclass(frozen=True)
class Computed:
    """A computation of a period: its result, and the folder that its partitions lie under."""

    result: Result
    books: Path

    def partitions(self) -> dict[tuple[str, str], Path]:
        """Its folders by day and shard."""
        found = self.books.glob(f"*/*/run={self.result.run_id}")
        return {(folder.parent.parent.name, folder.parent.name): folder for folder in found}


@dataclass(frozen=True)
class Step:
    """What one cause changed, by day: entries in quanta and GPU time in ticks, each a difference."""

    cause: str
    entries: tuple[EntryDay, ...]
    times: tuple[TimeDay, ...]


@dataclass(frozen=True)
class Difference:
    """How two computations of a period differ, by cause."""

    before: Result
    after: Result
    steps: tuple[Step, ...]

    @property
    def exact(self) -> Fraction:
        """By how much the exact total changed, in quanta."""
        return sum(self.after.exact.values(), Fraction(0)) - sum(self.before.exact.values(), Fraction(0))


Stepped = Callable[[str, Computed, Computed], None]
"""What is told of each cause: its name, and the books before and after it while their files are there."""


def follow(
    desk: Desk,
    base: Computed,
    causes: Sequence[Cause],
    *,
    run_id: str,
    books: Path | None = None,
    stepped: Stepped | None = None,
    progress: Progressing = silent,
) -> Difference:
    """Compute a period again for each cause, and give what each changed that changed anything.

    All are computed in scratch, the last under `books` where that is given, with `run_id` as its name.
    """
    steps: list[Step] = []
    before = base
    with scratch_folder(desk, f"{run_id}-steps") as scratch:
        for number, cause in enumerate(causes, 1):
            last = number == len(causes)
            where = books if books is not None and last else scratch / str(number)
            named = run_id if last else f"{run_id}-{number}"
            result = compute_books(
                desk, cause.terms, cause.known, run_id=named, books=where, progress=progress
            )
            after = Computed(result, where)
            if stepped is not None:
                stepped(cause.name, before, after)
            step = _step(cause.name, before.result, after.result)
            if step.entries or step.times:
                steps.append(step)
            before = after
    return Difference(base.result, before.result, tuple(steps))


def _step(cause: str, before: Result, after: Result) -> Step:
    """The daily totals of one run less those of another; what does not differ is left out."""
    return Step(
        cause,
        tuple(_less(EntryDay, after.entries, before.entries, 1)),
        tuple(_less(TimeDay, after.times, before.times, 3)),
    )


def _less(kind: type[Day], rows: Iterable[Day], others: Iterable[Day], figures: int) -> Iterator[Day]:
    """Rows less others by key; the last `figures` fields are what is subtracted."""
    sums: dict[tuple[Any, ...], list[int]] = defaultdict(lambda: [0] * figures)
    for sign, some in ((1, rows), (-1, others)):
        for row in some:
            values = astuple(row)
            kept = sums[values[:-figures]]
            for place, value in enumerate(values[-figures:]):
                kept[place] += sign * value
    yield from (kind(*key, *figure) for key, figure in sorted(sums.items()) if any(figure))


_KEYS = (
    "layer, lot, pool, utc_day, day, piece_s, from_s, cluster, model, slot, lane, run, phase, from_account, "
    "from_owner, to_account, to_owner, team, cost_centre, state"
)

_DIFFERENCE = f"""
with merged as (
    select *, amount as difference, 1 as is_new from ({{after}})
    union all
    select *, -amount as difference, 0 as is_new from ({{before}})
)
select
    'restated' as layer, layer as of_layer, {_KEYS.removeprefix("layer, ")},
    cast(sum(difference) as bigint) as amount,
    arg_max(policy, is_new) as policy, '{{cause}}' as cause, '{{service}}' as service_period,
    '{{booking}}' as booking_period
from merged
group by {_KEYS}
having sum(difference) <> 0
order by {_KEYS}
"""


def write_differences(
    desk: Desk, cause: str, before: Computed, after: Computed, booking: str, folder: Path, name: str
) -> int:
    """Write by how much each entry changed, `<folder>/<day>/<shard>/<name>/<cause>.parquet`; give the rows.

    An entry is told by all of its columns but its amount and its policies. Amounts are in quanta.
    """
    old, new = before.partitions(), after.partitions()
    rows = 0
    with Workbench(desk.limits) as bench:
        for day, shard in sorted({*old, *new}):
            if _same_bytes(old.get((day, shard)), new.get((day, shard))):
                continue
            empty = _scan(next(folder for folder in (new.get((day, shard)), old.get((day, shard))) if folder))
            query = _DIFFERENCE.format(
                after=_scan(new[day, shard]) if (day, shard) in new else f"{empty} where false",
                before=_scan(old[day, shard]) if (day, shard) in old else f"{empty} where false",
                cause=cause,
                service=after.result.period,
                booking=booking,
            )
            bench.connection.execute(f"create or replace table difference as {query}")
            if bench.rows("select 1 from difference limit 1"):
                rows += bench.write(
                    "select * from difference", folder / day / shard / name / f"{cause}.parquet"
                )
    return rows


def _same_bytes(one: Path | None, other: Path | None) -> bool:
    """Whether two partitions have the same entries to the byte."""
    if one is None or other is None:
        return False
    files, others = entry_files(one), entry_files(other)
    return len(files) == len(others) and all(
        cmp(file, its, shallow=False) for file, its in zip(files, others, strict=True)
    )


def _scan(folder: Path) -> str:
    files = files_sql(entry_files(folder))
    return f"select * from read_parquet({files}, hive_partitioning = false)"


def files_digest(folder: Path, name: str) -> str:
    """The digest of what was written under this name: SHA-256 over its files by day, shard and cause."""
    paths = sorted(folder.glob(f"*/*/{name}/*.parquet"))
    lines = (f"{path.parts[-4]}/{path.parts[-3]}/{path.stem}:{file_digest(path)}\n" for path in paths)
    return text_digest("".join(lines))


def sums_of(steps: Iterable[Step]) -> dict[tuple[str, str], int]:
    """The sums of daily differences, in quanta by cause and layer; none that is 0.

    What is distributed is told by day with both of its sides, and counts once: by what owners take.
    """
    sums: Counter[tuple[str, str]] = Counter()
    for step in steps:
        for row in step.entries:
            if row.layer != DISTRIBUTED or row.owner != UNOWNED:
                sums[step.cause, row.layer] += row.amount
    return {key: amount for key, amount in sums.items() if amount}


def read_differences(desk: Desk, folder: Path, name: str) -> dict[tuple[str, str], int]:
    """The sums of what was written under this name, in quanta by cause and layer; none that is 0."""
    rows = _written(
        desk,
        folder,
        name,
        "select cause, of_layer, cast(sum(amount) as bigint) from {rows} "
        "group by cause, of_layer having sum(amount) <> 0",
    )
    return {(cause, layer): amount for cause, layer, amount in rows}


def left_in_clearing(desk: Desk, folder: Path, name: str) -> int:
    """What was written under this name and not cleared, in quanta: 0 where each pool and piece clears."""
    rows = _written(
        desk,
        folder,
        name,
        """
        with moved as (
            select sum(case
                when to_account = 'clearing' then amount when from_account = 'clearing' then -amount else 0
            end) as amount
            from {rows} group by cause, pool, piece_s
        )
        select cast(coalesce(sum(abs(amount)), 0) as bigint) from moved
        """,
    )
    return int(rows[0][0]) if rows else 0


def _written(desk: Desk, folder: Path, name: str, query: str) -> list[tuple[Any, ...]]:
    """The rows of a query over the files of this name; none where there are no files."""
    paths = list(folder.glob(f"*/*/{name}/*.parquet"))
    if not paths:
        return []
    with Workbench(desk.limits) as bench:
        return bench.rows(query.format(rows=f"read_parquet({files_sql(paths)}, hive_partitioning = false)"))
