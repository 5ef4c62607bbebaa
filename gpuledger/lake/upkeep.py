"""Looking after the lake: is each file what its row says, and which files can go."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlalchemy import Connection, select

from gpuledger.lake import records
from gpuledger.lake.arrow import pa
from gpuledger.lake.digest import bind, bound_sum, row_hashes
from gpuledger.lake.parquet import decode
from gpuledger.lake.records import LakeFile
from gpuledger.lake.schema import TABLES, TableSchema, table_schema
from gpuledger.versions.tables import run

if TYPE_CHECKING:
    from gpuledger.lake.store import Lake

__all__ = ["Problem", "sweep", "verify"]

_KEPT_S = 86_400
_DEAD_S = 7 * 86_400  # a run that began longer ago was killed


@dataclass(frozen=True)
class Problem:
    """A file that is not what its row says."""

    path: str
    what: str

    def __str__(self) -> str:
        return f"{self.path}: {self.what}"


def verify(lake: Lake) -> list[Problem]:
    """Compare every file that counts at some seq with its row: its place, bytes, rows and digest."""
    with lake.database.read() as connection:
        files = [file for file in records.all_files(connection) if file.removed_at_s is None]
    return [Problem(file.path, what) for file in files for what in _wrong(lake, file)]


def _wrong(lake: Lake, file: LakeFile) -> Iterator[str]:
    found = lake.store.find(file.path)
    if found is None:
        yield "is not there"
        return
    if found.bytes != file.bytes:
        yield f"has {found.bytes} bytes, not {file.bytes}"
        return
    try:
        rows = decode(lake.store.local_path(file.path), table_schema(file.table))
    except (OSError, ValueError, pa.ArrowException) as error:
        yield f"cannot be read: {error}"
        return
    if (rows.num_rows, *_sums(rows, file, table_schema(file.table))) != (
        file.rows,
        file.row_hash,
        file.digest,
    ):
        yield "has other rows than were published"


def _sums(rows: pa.Table, file: LakeFile, schema: TableSchema) -> tuple[int, int]:
    """The sum of the row hashes, and the digest that they give with the rows' or the file's seq."""
    hashes = row_hashes(rows, schema.hashed)
    total = int(hashes.sum(dtype="uint64"))
    if "seq" not in schema.names:
        return total, bind(total, file.added_seq)
    return total, bound_sum(hashes, rows["seq"].fill_null(file.added_seq).to_numpy())


def sweep(lake: Lake, at_s: int) -> list[str]:
    """Delete what nobody needs any more: files replaced, or left unpublished, a day or more ago."""
    replaced = _forget_replaced(lake, at_s)
    with lake.database.read() as connection:
        known = {file.path for file in records.all_files(connection)}
    orphans = [
        found.path
        for table in TABLES
        for found in lake.store.list(table)
        if found.path not in known and found.modified_s <= at_s - _KEPT_S
    ]
    gone = sorted({*replaced, *orphans})
    for path in gone:
        lake.store.delete(path)
    return gone


def _forget_replaced(lake: Lake, at_s: int) -> list[str]:
    """Drop the rows of replaced files; first, so that a kill leaves orphans and not rows without files."""
    with lake.database.read() as connection:
        paths = _droppable(connection, at_s)
    if paths:
        with lake.database.commit("sweep", at_s=at_s, note=f"{len(paths)} replaced files") as commit:
            records.drop(commit.connection, paths)
    return paths


def _droppable(connection: Connection, at_s: int) -> list[str]:
    alive = select(run.c.started_at_s).where(run.c.state == "running", run.c.started_at_s > at_s - _DEAD_S)
    running = connection.execute(alive).scalars().all()
    return [
        file.path
        for file in records.all_files(connection)
        if file.removed_at_s is not None
        and file.removed_at_s <= at_s - _KEPT_S
        and not any(started_s <= file.removed_at_s for started_s in running)
    ]
