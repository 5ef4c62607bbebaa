"""The lake: facts go in staged and are published by a commit; they come out by explicit lists of files.

Staging writes sorted Parquet that nobody sees. Publishing adds the rows of `lake_file` in the commit's own
transaction: only that makes a file visible. So a kill at any instant leaves a lake that can be read, and at
worst files that no row names, which `sweep` deletes after a day.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING
from uuid import uuid4

from gpuledger.engine import connect
from gpuledger.errors import StorageError
from gpuledger.lake import compaction, manifest, records, upkeep
from gpuledger.lake.arrow import pa
from gpuledger.lake.digest import row_hash_sum
from gpuledger.lake.files import FileStore
from gpuledger.lake.parquet import encode
from gpuledger.lake.reading import mapped_reading, read_in_force
from gpuledger.lake.records import LakeFile, StagedFile
from gpuledger.lake.schema import TableSchema, table_schema
from gpuledger.lake.staging import Slice, bounds, conform, departures, slices
from gpuledger.lake.upkeep import Problem
from gpuledger.versions.database import Commit, Database

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

__all__ = ["Lake"]


def _token() -> str:
    return uuid4().hex


class Lake:
    """The tables of one home: what `database` says of the files in `files`, cut into `shards`.

    `memory_limit`, `threads` and `scratch` are the engine's, when it reads; `token` gives each file a name
    that no other has.

    >>> staged = lake.stage("holding", table)                           # doctest: +SKIP
    >>> with database.commit("import holdings", at_s=now) as commit:    # doctest: +SKIP
    ...     lake.publish(commit, staged)
    >>> lake.in_force("holding", database.latest_seq())                 # doctest: +SKIP
    """

    def __init__(
        self,
        database: Database,
        files: FileStore,
        shards: int = 1,
        *,
        memory_limit: str = "",
        threads: int = 0,
        scratch: Path | None = None,
        token: Callable[[], str] = _token,
    ) -> None:
        self.database = database
        self.store = files
        self.shards = shards
        self.scratch = scratch
        self._engine = (memory_limit, threads, scratch)
        self._token = token

    def stage(self, table: str, rows: pa.Table) -> list[StagedFile]:
        """Write the rows as files that are not visible yet: one per shard (and UTC day, for what was seen).

        `rows` has the table's columns; nullable ones may be left out, `seq` is null. What was seen twice is
        written once. Where a fact in force moves to another shard, its withdrawal is written into the one it
        leaves. Raises SchemaError or InputError for rows that do not fit.
        """
        schema = table_schema(table)
        rows = conform(rows, schema)
        if schema.kind == "interval" and self.shards > 1:
            before = self.in_force(table, self.database.latest_seq(), identities=rows["identity"])
            rows = pa.concat_tables([rows, departures(before, rows, schema, self.shards)])
        return [self.write(schema, part) for part in slices(rows, schema, self.shards)]

    def publish(self, commit: Commit, staged: Sequence[StagedFile]) -> list[LakeFile]:
        """Make staged files visible with this commit, if it succeeds; their rows get its seq."""
        for file in staged:
            found = self.store.find(file.path)
            if found is None or found.bytes != file.bytes:
                raise StorageError(f"{file.path} was staged, and is not there", mend="stage it again")
        files = [LakeFile.published(file, commit.seq) for file in staged]
        records.add(commit.connection, files)
        return files

    def supersede(self, commit: Commit, files: Sequence[LakeFile]) -> None:
        """Let files of a derived table count no more from this commit on; earlier seqs go on reading them."""
        records.supersede(commit.connection, [file.path for file in files], commit.seq)

    def discard(self, staged: Sequence[StagedFile]) -> None:
        """Delete staged files that will not be published."""
        for file in staged:
            self.store.delete(file.path)

    def files(
        self,
        table: str,
        seq: int,
        *,
        shards: Collection[int] | None = None,
        days: Collection[str] | None = None,
        since_s: int | None = None,
    ) -> list[LakeFile]:
        """The files of a table that hold what was known at this seq; of some shards or UTC days if asked.

        With `since_s`, files of history in which everything was over by that instant are left out. A file may
        hold rows of a later seq: a reader keeps those with `coalesce(seq, added_seq) <= seq`.
        """
        with self.database.read() as connection:
            return records.visible_files(connection, table, seq, shards=shards, days=days, since_s=since_s)

    def in_force(
        self,
        table: str,
        seq: int,
        *,
        source: str | None = None,
        identities: pa.ChunkedArray | None = None,
        shards: Collection[int] | None = None,
    ) -> pa.Table:
        """The facts in force at this seq, by identity: the greatest seq of each, unless that withdraws it.

        Only those of one source, of some identities or in some shards, if asked.
        """
        files = self.named(self.files(table, seq, shards=shards))
        with self.engine() as connection:
            return read_in_force(
                connection, table_schema(table), files, seq, source=source, identities=identities
            )

    def compact(self, table: str, shard: int, at_s: int) -> list[LakeFile]:
        """Put the files of one shard into few, with the same rows and digest; give the new files.

        What is known at any seq does not change. Interval facts become one current file and one of history,
        observations one file a day. The files before stay for a day, for those who read them now.
        """
        return compaction.compact(self, table_schema(table), shard, at_s)

    def verify(self) -> list[Problem]:
        """Read every file that counts and compare it with its row: what is wrong, nothing if all is well."""
        return upkeep.verify(self)

    def sweep(self, at_s: int) -> list[str]:
        """Delete files replaced, or never published, a day or more before this instant; give their paths.

        A file that a run in state `running` may still read stays.
        """
        return upkeep.sweep(self, at_s)

    def write_manifest(self) -> None:
        """Write a copy of `lake_file` beside the lake's files, for `repair`."""
        manifest.write_manifest(self)

    def repair(self, at_s: int) -> list[LakeFile]:
        """Take over from the copy beside the lake what the database does not know; give those files.

        Raises StorageError if there is no copy, or if the database tells another history than the copy.
        """
        return manifest.repair(self, at_s)

    @contextmanager
    def engine(self) -> Iterator[DuckDBPyConnection]:
        """A connection of the embedded engine with this lake's limits."""
        memory_limit, threads, scratch = self._engine
        with connect(memory_limit, threads, scratch=scratch) as connection, mapped_reading():
            yield connection

    def local_path(self, file: LakeFile) -> str:
        """The name under which every engine of this machine opens the file."""
        return self.store.local_path(file.path)

    def named(self, files: Sequence[LakeFile]) -> list[tuple[str, LakeFile]]:
        """Each file with the name under which the engine opens it."""
        return [(self.local_path(file), file) for file in files]

    def write(self, schema: TableSchema, part: Slice) -> StagedFile:
        """Write rows of one shard and day as a file, durable but not visible."""
        day = f"/{part.day}" if part.day else ""
        path = f"{schema.name}{day}/{part.shard:04d}/{self._token()}.parquet"
        data = encode(part.rows, schema)
        self.store.put(path, data)
        first, last = bounds(part.rows, schema)
        return StagedFile(
            path=path,
            table=schema.name,
            day=part.day,
            shard=part.shard,
            rows=part.rows.num_rows,
            min_s=first,
            max_s=last,
            row_hash=row_hash_sum(part.rows, schema.hashed),
            bytes=len(data),
        )
