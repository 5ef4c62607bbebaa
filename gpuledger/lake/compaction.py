"""Compaction: few files in the place of many, with the same rows.

Each row keeps the seq that made it known, so the new files stand for the old ones at every seq, not only at
later ones: their rows of `lake_file` say that they count since the oldest seq in them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import groupby
from typing import TYPE_CHECKING, Any

from gpuledger.errors import InvariantError
from gpuledger.lake import records
from gpuledger.lake.arrow import pa, pc
from gpuledger.lake.digest import bound_sum, row_hashes
from gpuledger.lake.reading import read_known
from gpuledger.lake.records import LakeFile, Part, StagedFile
from gpuledger.lake.schema import TableSchema
from gpuledger.lake.staging import Slice

if TYPE_CHECKING:
    from gpuledger.lake.store import Lake

__all__ = ["compact"]

_SETTLED_S = 62 * 86_400
"""A fact is history when it was over this long ago: open periods then need the current file alone."""


def compact(lake: Lake, schema: TableSchema, shard: int, at_s: int) -> list[LakeFile]:
    """Compact one shard of a table: all its interval facts, or its observations day by day."""
    if schema.kind == "derived":
        raise ValueError(f"{schema.name} is made again a whole day at a time: there is nothing to compact")
    seq = lake.database.latest_seq()
    made: list[LakeFile] = []
    files = sorted(lake.files(schema.name, seq, shards=[shard]), key=lambda file: (file.day or "", file.path))
    for _, group in groupby(files, key=lambda file: file.day):
        if _is_due(many := list(group)):
            made += _compact(lake, schema, many, seq, at_s)
    return made


def _is_due(files: Sequence[LakeFile]) -> bool:
    """Whether there is more than one file, and not only the pair that a compaction left."""
    return len(files) > 1 and any(file.part == "" for file in files)


def _compact(
    lake: Lake, schema: TableSchema, files: Sequence[LakeFile], seq: int, at_s: int
) -> list[LakeFile]:
    with lake.engine() as connection:
        rows = read_known(connection, schema, lake.named(files), seq)
    made: list[LakeFile] = []
    try:
        for part, some in _parts(rows, schema, at_s - _SETTLED_S):
            staged = lake.write(schema, Slice(files[0].shard, files[0].day, some))
            made.append(_compacted(staged, part, some, schema))
        _check(files, made)
        _publish(lake, files, made, at_s)
    except BaseException:
        lake.discard(made)
        raise
    return made


def _parts(rows: pa.Table, schema: TableSchema, settled_s: int) -> Iterator[tuple[Part, pa.Table]]:
    """The rows of facts that some version says hold after this instant, and those of all others.

    All versions of a fact go the same way: where history is not read, none of them is missed alone.
    """
    if schema.kind != "interval":
        yield "current", rows
        return
    late = pc.and_not(pc.fill_null(pc.greater(rows["end_s"], settled_s), True), rows["withdrawn"])
    current = pc.is_in(rows["identity"], value_set=pc.unique(rows["identity"].filter(late)))
    keeps: tuple[tuple[Part, Any], ...] = (("current", current), ("history", pc.invert(current)))
    for part, keep in keeps:
        if (some := rows.filter(keep)).num_rows:
            yield part, some


def _compacted(staged: StagedFile, part: Part, rows: pa.Table, schema: TableSchema) -> LakeFile:
    seqs = rows["seq"].to_numpy()
    published = LakeFile.published(staged, int(seqs.min()))
    return replace(published, part=part, digest=bound_sum(row_hashes(rows, schema.hashed), seqs))


def _check(before: Sequence[LakeFile], after: Sequence[LakeFile]) -> None:
    had, has = records.total(before), records.total(after)
    if had != has:
        what = f"{before[0].path} and {len(before) - 1} more files"
        raise InvariantError(
            f"a compaction of {what} would change their digest from {had} to {has}",
            mend="run `gpuledger lake verify`: a file is not what its row says",
        )


def _publish(lake: Lake, before: Sequence[LakeFile], after: Sequence[LakeFile], at_s: int) -> None:
    first = before[0]
    place = f"{first.table} {first.day or ''} shard {first.shard}".replace("  ", " ")
    note = f"{place}: {len(before)} files to {len(after)}"
    with lake.database.commit("compact", at_s=at_s, note=note) as commit:
        oldest = min(file.added_seq for file in before)
        records.replace(commit.connection, [file.path for file in before], from_seq=oldest, at_s=at_s)
        records.add(commit.connection, after)
