"""The rows of `lake_file`: which files the lake has, since which seq, and which others replaced."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Any, Literal

from sqlalchemy import Connection, Row, Select, and_, bindparam, delete, insert, or_, select, update

from gpuledger.errors import StorageError
from gpuledger.lake.digest import Digest, bind
from gpuledger.versions.tables import lake_file

__all__ = [
    "LakeFile",
    "Part",
    "StagedFile",
    "add",
    "all_files",
    "drop",
    "replace",
    "supersede",
    "take_over_ends",
    "total",
    "visible_files",
]

Part = Literal["", "current", "history"]
"""'' for a file as it was published, 'current' or 'history' for what a compaction made."""


@dataclass(frozen=True)
class StagedFile:
    """A file that lies in the store but is not visible yet.

    `day` is its UTC day (None for interval facts), `row_hash` the sum of its row hashes before any seq is
    bound to it; `min_s` and `max_s` bound what its rows speak of, Unix seconds, with a `max_s` of None where
    one is open.
    """

    path: str
    table: str
    day: str | None
    shard: int
    rows: int
    min_s: int | None
    max_s: int | None
    row_hash: int
    bytes: int


@dataclass(frozen=True)
class LakeFile(StagedFile):
    """A published file.

    It counts at a seq S if `added_seq <= S` and not `removed_seq <= S`. `digest` is the sum of its row
    hashes, each bound to its row's seq.
    """

    part: Part
    digest: int
    added_seq: int
    removed_seq: int | None = None
    removed_at_s: int | None = None

    @classmethod
    def published(cls, staged: StagedFile, seq: int) -> LakeFile:
        """The staged file as it becomes with the commit of this seq."""
        return cls(**vars(staged), part="", digest=bind(staged.row_hash, seq), added_seq=seq)


def add(connection: Connection, files: Iterable[LakeFile]) -> None:
    """Make files visible."""
    rows = [_row(file) for file in files]
    if rows:
        connection.execute(insert(lake_file), rows)


def replace(connection: Connection, paths: Collection[str], *, from_seq: int, at_s: int) -> None:
    """Let other files stand for these from a seq on; StorageError if one of them was replaced meanwhile."""
    gone = (
        update(lake_file)
        .where(lake_file.c.path == bindparam("key"), lake_file.c.removed_seq.is_(None))
        .values(removed_seq=from_seq, removed_at_s=at_s)
    )
    for path in paths:
        if connection.execute(gone, {"key": path}).rowcount != 1:
            raise StorageError(f"{path} was replaced by another process meanwhile", mend="run it again")


def supersede(connection: Connection, paths: Collection[str], seq: int) -> None:
    """Let these stand up to a seq only; StorageError if one of them stands no more.

    What was known before it goes on reading them, so no instant is kept from which on they could go.
    """
    gone = (
        update(lake_file)
        .where(lake_file.c.path == bindparam("key"), lake_file.c.removed_seq.is_(None))
        .values(removed_seq=seq)
    )
    for path in paths:
        if connection.execute(gone, {"key": path}).rowcount != 1:
            raise StorageError(f"{path} was replaced by another process meanwhile", mend="run it again")


def take_over_ends(connection: Connection, files: Iterable[LakeFile]) -> None:
    """Let these count up to where they say."""
    ended = update(lake_file).where(lake_file.c.path == bindparam("key"))
    for file in files:
        if file.removed_seq is not None:
            ends = ended.values(removed_seq=file.removed_seq, removed_at_s=file.removed_at_s)
            connection.execute(ends, {"key": file.path})


def drop(connection: Connection, paths: Iterable[str]) -> None:
    """Forget replaced files, before they are deleted."""
    keys = [{"key": path} for path in paths]
    if keys:
        connection.execute(delete(lake_file).where(lake_file.c.path == bindparam("key")), keys)


def visible_files(
    connection: Connection,
    table: str,
    seq: int,
    *,
    shards: Collection[int] | None = None,
    days: Collection[str] | None = None,
    since_s: int | None = None,
) -> list[LakeFile]:
    """The files of a table that count at this seq, by path; only those of some shards or UTC days if asked.

    With `since_s` without history that was over by then. Other files stay however old their rows: one of them
    may be the newest version of a fact that an older file says is still open.
    """
    at = lake_file.c
    counts = and_(
        at.table_name == table, at.added_seq <= seq, or_(at.removed_seq.is_(None), at.removed_seq > seq)
    )
    asked = select(lake_file).where(counts)
    if shards is not None:
        asked = asked.where(at.shard.in_(shards))
    if days is not None:
        asked = asked.where(or_(at.day.is_(None), at.day.in_(days)))
    if since_s is not None:
        asked = asked.where(or_(at.part != "history", at.max_s.is_(None), at.max_s > since_s))
    return _files(connection, asked)


def all_files(connection: Connection) -> list[LakeFile]:
    """Every file there is a row for, also those that others stand for, by path."""
    return _files(connection, select(lake_file))


def total(files: Iterable[LakeFile]) -> Digest:
    """The digest of all rows in these files: a compaction does not change it."""
    return sum((Digest(file.rows, file.digest) for file in files), Digest())


def _row(file: LakeFile) -> dict[str, Any]:
    row = dict(vars(file))
    row["table_name"] = row.pop("table")
    return row | {"row_hash": f"{file.row_hash:016x}", "digest": f"{file.digest:016x}"}


def _files(connection: Connection, asked: Select[Any]) -> list[LakeFile]:
    return sorted((_file(row) for row in connection.execute(asked)), key=lambda file: file.path)


def _file(row: Row[Any]) -> LakeFile:
    found = dict(row._mapping)
    found["table"] = found.pop("table_name")
    return LakeFile(**found | {"row_hash": int(row.row_hash, 16), "digest": int(row.digest, 16)})
