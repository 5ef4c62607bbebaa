"""Samples on their way: cut by day and shard into scratch, then sorted, made single and staged."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gpuledger.engine import files_sql
from gpuledger.lake import Lake, LakeFile, StagedFile
from gpuledger.lake.arrow import pa, pc, pq
from gpuledger.lake.schema import table_schema
from gpuledger.lake.staging import Slice, conform, cut

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

__all__ = ["Part", "Spool", "stage_part"]

Part = tuple[str, int]
"""A UTC day and a shard."""

_SCHEMA = table_schema("sample")
_BUFFERED = 1 << 20
_ROWS = 1 << 18
"""Rows of one file of the lake, so that as many are in memory at a time."""

KEY = ("subject", "source", "instant_us")


class Spool:
    """A folder of scratch with the rows of each day and shard, in whatever order they came."""

    def __init__(self, folder: Path, shards: int) -> None:
        self._folder, self._shards = folder, shards
        self._waiting: dict[Part, list[Any]] = defaultdict(list)
        self._rows = 0
        self._files: dict[Part, list[str]] = defaultdict(list)

    def put(self, rows: Any) -> None:
        """Take in rows, which have the columns that the map gives."""
        for piece in cut(rows, _SCHEMA, self._shards):
            if piece.day is not None:
                self._waiting[piece.day, piece.shard].append(piece.rows)
        self._rows += rows.num_rows
        if self._rows >= _BUFFERED:
            self.flush()

    def flush(self) -> None:
        """Write what waits in memory."""
        for part, tables in sorted(self._waiting.items()):
            path = self._folder / f"{part[0]}-{part[1]}-{len(self._files[part])}.parquet"
            pq.write_table(pa.concat_tables(tables), path, compression="zstd", compression_level=1)
            self._files[part].append(str(path))
        self._waiting.clear()
        self._rows = 0

    def parts(self) -> list[Part]:
        """The days and shards that have rows, in order."""
        return sorted(self._files)

    def files(self, part: Part) -> list[str]:
        """The files of scratch with the rows of a day and shard."""
        return self._files[part]


def stage_part(lake: Lake, spool: Spool, part: Part, known: Sequence[LakeFile]) -> list[StagedFile]:
    """Stage the rows of a day and shard that say something new beside the known files, sorted, each key once.

    Of rows with one subject, source and instant the greatest of each column stands. A row that raises nothing
    is not written.
    """
    day, shard = part
    staged: list[StagedFile] = []
    paths = [lake.local_path(file) for file in known]
    try:
        with lake.engine() as connection:
            singled = _singled(connection, spool.files(part), paths)
            staged.extend(lake.write(_SCHEMA, Slice(shard, day, conform(rows, _SCHEMA))) for rows in singled)
    except BaseException:
        lake.discard(staged)
        raise
    return staged


def _singled(connection: DuckDBPyConnection, coming: Sequence[str], known: Sequence[str]) -> Iterator[Any]:
    """The rows to write, in order, some at a time: no key lies in two of the tables."""
    columns = list(pq.read_schema(coming[0]).names)
    listed = ", ".join(f'"{name}"' for name in columns)
    scans = [f"select {listed}, true as coming from read_parquet({files_sql(coming)})"]
    if known:
        lacking = ", ".join(f'null as "{name}"' for name in columns if name not in KEY)
        one_source = f"select distinct source from read_parquet({files_sql(coming[:1])})"
        scans.append(
            f"""
            select {listed}, false as coming from (
                select * from read_parquet(
                    {files_sql(known)}, union_by_name = true, hive_partitioning = false
                )
                union all by name select {lacking} where false
            ) where source in ({one_source})
            """
        )
    query = f"{' union all '.join(scans)} order by subject, source, instant_us"
    with connection.cursor() as other:
        waiting, last = None, None
        for batch in connection.sql(query).to_arrow_reader(_ROWS):
            rows = pa.Table.from_batches([batch])
            if waiting is not None:
                yield from _written(other, waiting, columns)
            waiting, last = _whole_keys(rows if last is None else pa.concat_tables([last, rows]))
        if last is not None:
            yield from _written(other, pa.concat_tables([waiting, last]), columns)


def _whole_keys(rows: Any) -> tuple[Any, Any]:
    """The rows before the last key, of which more may come, and those of the last key."""
    last = {name: rows[name][-1] for name in KEY}
    same = pc.and_(
        pc.and_(pc.equal(rows["instant_us"], last["instant_us"]), pc.equal(rows["subject"], last["subject"])),
        pc.equal(rows["source"], last["source"]),
    )
    count = pc.sum(same.cast(pa.int64())).as_py()
    return rows.slice(0, rows.num_rows - count), rows.slice(rows.num_rows - count)


def _written(connection: DuckDBPyConnection, rows: Any, columns: Sequence[str]) -> Iterator[Any]:
    """What of these rows is written; they are sorted, and no key of theirs is elsewhere."""
    if rows.num_rows and (_is_repeated(rows) or not pc.all(rows["coming"]).as_py()):
        rows = _greatest(connection, rows, columns)
    if rows.num_rows:
        yield rows.select(list(columns))


def _is_repeated(rows: Any) -> bool:
    if rows.num_rows < 2:
        return False
    same = [pc.equal(rows[name][1:], rows[name][:-1]) for name in reversed(KEY)]
    return bool(pc.any(pc.and_(pc.and_(same[0], same[1]), same[2])).as_py())


def _greatest(connection: DuckDBPyConnection, rows: Any, columns: Sequence[str]) -> Any:
    """One row per key with the greatest of each column, where what comes raises what is known."""
    values = [name for name in columns if name not in KEY]
    greatest = ", ".join(f'max("{name}") as "{name}"' for name in values)
    raised = " or ".join(
        f'coalesce(max("{name}") filter (coming) > max("{name}") filter (not coming), '
        f'max("{name}") filter (coming) is not null and max("{name}") filter (not coming) is null)'
        for name in values
    )
    connection.register("some_rows", rows)
    found = connection.sql(
        f"""
        select subject, source, instant_us, {greatest} from some_rows
        group by subject, source, instant_us having bool_or(coming) and ({raised})
        order by subject, source, instant_us
        """
    ).to_arrow_table()
    connection.unregister("some_rows")
    return found.select(list(columns))
