"""One DuckDB connection with a unit's inputs staged, on which the models run in order with their audits."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import duckdb

from chargeback.model_files import Model, model, source_views
from gpuledger.engine import connect, files_sql, text_sql
from gpuledger.errors import BooksError, InvariantError, StorageError
from gpuledger.lake import TABLES
from gpuledger.lake.arrow import pa

__all__ = ["FACT_SOURCES", "OBSERVATIONS", "SOURCES", "Limits", "SourceFile", "Workbench"]

FACT_SOURCES = ("holding", "slot", "device", "state", "partition", "phase", "node", "node_resource")
OBSERVATIONS = ("activity", "energy")
"""What samples say of a UTC day: made of them, and known as they are."""

SOURCES = (*FACT_SOURCES, *OBSERVATIONS)


@dataclass(frozen=True)
class Limits:
    """What a worker may use: `memory` as DuckDB writes it (`600MB`), `threads` (0 = all), where it spills."""

    memory: str
    threads: int
    spill: Path


@dataclass(frozen=True)
class SourceFile:
    """A file of the lake, with the seq of its rows that carry none themselves, and the UTC day that it is of.

    `day` is '' for a table of facts that hold over intervals.
    """

    table: str
    path: str
    added_seq: int
    day: str = ""


class Workbench:
    """A scratch database in memory: staged inputs, then one table or view per model."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self.connection: duckdb.DuckDBPyConnection = connect(
            limits.memory, limits.threads, scratch=limits.spill
        )

    def __enter__(self) -> Workbench:
        return self

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        self.connection.close()
        if isinstance(error, duckdb.OutOfMemoryException):
            raise BooksError(
                f"the books need more memory than there may be: {_first_line(error)}",
                mend="give a greater --memory-limit",
            ) from error
        if isinstance(error, duckdb.IOException | OSError):
            raise StorageError(
                f"a file of the lake or the books cannot be read or written: {_first_line(error)}",
                mend="look at the disk, then try again; where a file is damaged, `gpuledger lake verify` and "
                "`gpuledger verify` name it",
            ) from error

    def sources(self, files: Sequence[SourceFile]) -> None:
        """Make the source views over an explicit list of the lake's files."""
        self.stage(
            "lake_file",
            pa.table(
                {
                    "path": pa.array([file.path for file in files], pa.string()),
                    "added_seq": pa.array([file.added_seq for file in files], pa.int64()),
                }
            ),
        )
        scans = {f"{name}_files": self._scan(name, files) for name in SOURCES}
        self.connection.execute(source_views(scans))

    def _scan(self, name: str, files: Sequence[SourceFile]) -> str:
        """The rows of a table's files; a column that came after a file was written is null in it."""
        empty = TABLES[name].arrow.append(pa.field("filename", pa.string())).empty_table()
        self.stage(f"no_{name}", empty)
        paths = [file.path for file in files if file.table == name]
        if not paths:
            return f"no_{name}"
        flags = "filename = true, hive_partitioning = false, union_by_name = true"
        scan = f"read_parquet({files_sql(paths)}, {flags})"
        return f"(select * from {scan} union all by name select * from no_{name})"

    def stage(self, name: str, table: pa.Table) -> None:
        """Put an Arrow table into a staged table of that name."""
        self.connection.register("arriving", table)
        self.connection.execute(f"create or replace table {name} as select * from arriving")
        self.connection.unregister("arriving")

    def stage_rows(self, name: str, kind: type, rows: Iterable[Any]) -> None:
        """Put dataclass rows into a staged table: text, or 64-bit integers, by the types of its fields."""
        kept = list(rows)
        columns = {
            field.name: pa.array(
                [getattr(row, field.name) for row in kept], pa.int64() if field.type == "int" else pa.string()
            )
            for field in fields(kind)
        }
        self.stage(name, pa.table(columns))

    def load(self, name: str, path: Path) -> None:
        """Put a Parquet file that an earlier pass wrote into a staged table."""
        self.connection.execute(
            f"create or replace table {name} as select * from read_parquet(?)", [str(path)]
        )

    def encode(self, names: Iterable[str], *, but: Collection[str] = ()) -> None:
        """Turn the text of small tables into the engine's dictionaries: the same text, quicker to write.

        The columns `but` stay as they are.
        """
        for name in names:
            if not self.rows(f"select 1 from {name} limit 1"):
                continue
            for column, kind, *_ in self.rows(f"describe {name}"):
                if kind == "VARCHAR" and column not in but:
                    values = f"select distinct {column} from {name} order by {column}"
                    self.connection.execute(f"create type {name}_{column} as enum ({values})")
                    self.connection.execute(
                        f"alter table {name} alter {column} set data type {name}_{column}"
                    )

    def run(self, names: Iterable[str]) -> None:
        """Run these models in order; InvariantError names the first audit that returned a row."""
        for name in names:
            made = model(name)
            self.connection.execute(f"create or replace {made.kind} {name} as {made.sql}")
            self._audit(made)

    def _audit(self, made: Model) -> None:
        for audit in made.audits:
            row = self.connection.execute(audit.sql).fetchone()
            if row is not None:
                columns = [column[0] for column in self.connection.description or ()]
                found = ", ".join(f"{key} = {value}" for key, value in zip(columns, row, strict=True))
                raise InvariantError(
                    f"{audit.holds}: it does not hold in {made.name}, first at {found}",
                    mend="look at the facts named here; if they are right, report a fault of gpuledger",
                )

    def rows(self, query: str, values: Mapping[str, Any] | None = None) -> list[tuple[Any, ...]]:
        """All rows of a small result."""
        return self.connection.execute(query, values or {}).fetchall()

    def write_each(self, queries: Mapping[Path, str]) -> dict[Path, int]:
        """Write each result to its path, some at a time, and give their numbers of rows."""
        with ThreadPoolExecutor(self._limits.threads or os.cpu_count() or 1) as pool:
            rows = pool.map(self.write, queries.values(), queries)
            return dict(zip(queries, rows, strict=True))

    def write(self, query: str, path: Path) -> int:
        """Write a result as Parquet (v2 pages, zstd) and give its number of rows; the path must be new."""
        path.parent.mkdir(parents=True, exist_ok=True)
        written = (
            self.connection.cursor()
            .execute(
                f"copy ({query}) to {text_sql(path)} (format parquet, compression zstd, parquet_version v2)"
            )
            .fetchone()
        )
        return int(written[0]) if written else 0


def _first_line(error: BaseException) -> str:
    return str(error).partition("\n")[0]
