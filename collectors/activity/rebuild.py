"""Derived tables beside their samples: made anew for a day and shard, and put in the place of what stood."""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from collectors.activity.build import CARRY, DERIVED, derive
from gpuledger.lake import Lake, LakeFile, StagedFile
from gpuledger.lake.digest import row_hash_sum
from gpuledger.lake.schema import table_schema
from gpuledger.lake.staging import Slice
from gpuledger.versions import Commit, Database

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

__all__ = ["Part", "Rebuilt", "keep_rebuilt", "parts_of", "rebuild", "rebuild_all"]

Part = tuple[str, int]
"""A UTC day and a shard: what is made anew as a whole."""

_MASK = (1 << 64) - 1


@dataclass
class Rebuilt:
    """What changes of the derived tables: files to be published, and those that count no more.

    `parts` counts the days and shards that were looked at, `changed` those of which something changes.
    """

    fresh: list[StagedFile] = field(default_factory=list)
    stale: list[LakeFile] = field(default_factory=list)
    parts: int = 0
    changed: int = 0


def parts_of(files: Iterable[StagedFile]) -> list[Part]:
    """The days and shards that these files of samples are of, in order."""
    return sorted({(file.day, file.shard) for file in files if file.day is not None})


def rebuild(
    lake: Lake,
    parts: Collection[Part],
    seq: int,
    coming: Sequence[StagedFile] = (),
    *,
    carry: int = CARRY,
    workers: int = 1,
) -> Rebuilt:
    """Make derived tables of some days and shards anew, from the samples known at a seq and those coming.

    A table that comes out as it stands changes nothing. The new files are staged, and not visible yet.
    As many parts as there are workers are made side by side, in threads of one engine.
    """
    rebuilt = Rebuilt()
    paths = {part: _paths(lake, part, seq, coming) for part in parts}
    try:
        with lake.engine() as engine:
            for part, made in _side_by_side(engine, paths, carry, workers):
                rebuilt.parts += 1
                rebuilt.changed += _stage_changes(lake, part, seq, made, rebuilt)
    except BaseException:
        lake.discard(rebuilt.fresh)
        raise
    return rebuilt


def _paths(lake: Lake, part: Part, seq: int, coming: Sequence[StagedFile]) -> list[str]:
    day, shard = part
    known = lake.files("sample", seq, shards=[shard], days=[day])
    files = [*known, *(file for file in coming if (file.day, file.shard) == part)]
    return [lake.store.local_path(file.path) for file in files]


def _side_by_side(
    engine: DuckDBPyConnection, paths: Mapping[Part, list[str]], carry: int, workers: int
) -> Iterator[tuple[Part, dict[str, Any]]]:
    """Each part with its derived tables, in order; few of them wait to be taken."""

    def made(part: Part) -> tuple[Part, dict[str, Any]]:
        with engine.cursor() as connection:
            return part, derive(connection, paths[part], carry=carry)

    waiting: deque[Future[tuple[Part, dict[str, Any]]]] = deque()
    with ThreadPoolExecutor(workers) as pool:
        for part in paths:
            waiting.append(pool.submit(made, part))
            if len(waiting) > workers:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()


def _stage_changes(lake: Lake, part: Part, seq: int, made: Mapping[str, Any], rebuilt: Rebuilt) -> bool:
    """Stage what comes out otherwise than it stands; whether anything does."""
    day, shard = part
    changed = False
    for table, rows in made.items():
        before, schema = lake.files(table, seq, shards=[shard], days=[day]), table_schema(table)
        if (rows.num_rows, row_hash_sum(rows, schema.hashed)) == _content(before):
            continue
        if rows.num_rows:
            rebuilt.fresh.append(lake.write(schema, Slice(shard, day, rows)))
        rebuilt.stale += before
        changed = True
    return changed


def _content(files: Sequence[StagedFile]) -> tuple[int, int]:
    """How many rows there are, and the sum of their hashes: what does not hang on files or seqs."""
    return sum(file.rows for file in files), sum(file.row_hash for file in files) & _MASK


def keep_rebuilt(lake: Lake, commit: Commit, rebuilt: Rebuilt) -> None:
    """Put the new files in the place of the old ones with this commit; earlier seqs go on reading those."""
    lake.supersede(commit, rebuilt.stale)
    lake.publish(commit, rebuilt.fresh)


def rebuild_all(
    database: Database,
    lake: Lake,
    days: Collection[str] | None,
    *,
    at_s: int,
    carry: int = CARRY,
    workers: int = 1,
) -> Rebuilt:
    """Make the derived tables of all days, or of some, anew in one commit; none where nothing changes."""

    def made(seq: int) -> Rebuilt:
        # Also of days with something derived and no samples: what comes out for them is nothing.
        files = [file for table in ("sample", *DERIVED) for file in lake.files(table, seq, days=days)]
        return rebuild(lake, parts_of(files), seq, carry=carry, workers=workers)

    seq = database.latest_seq()
    rebuilt = made(seq)
    if not rebuilt.changed:
        return rebuilt
    note = f"{rebuilt.changed} of {rebuilt.parts} days and shards"
    with database.commit("rebuild activity", at_s=at_s, note=note) as commit:
        if commit.seq != seq + 1:
            lake.discard(rebuilt.fresh)
            rebuilt = made(commit.seq - 1)
        keep_rebuilt(lake, commit, rebuilt)
    lake.write_manifest()
    return rebuilt
