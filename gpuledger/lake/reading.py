"""Reading facts back: the rows of explicit files, and those of them that are in force."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import duckdb

from gpuledger.errors import StorageError
from gpuledger.lake.arrow import pa
from gpuledger.lake.records import LakeFile
from gpuledger.lake.schema import TableSchema

__all__ = ["mapped_reading", "read_in_force", "read_known"]


_ENGINE = {"string": "varchar", "int64": "bigint", "bool": "boolean"}


@contextmanager
def mapped_reading() -> Iterator[None]:
    """Turn what the engine raises while it reads files of the lake into a StorageError."""
    try:
        yield
    except duckdb.OutOfMemoryException as error:
        raise StorageError(
            f"reading the lake needs more memory than there may be: {error}",
            mend="give a greater --memory-limit",
        ) from error
    except duckdb.IOException as error:
        raise StorageError(f"the lake cannot be read: {error}", mend="run `gpuledger lake verify`") from error


def read_in_force(
    connection: duckdb.DuckDBPyConnection,
    schema: TableSchema,
    files: Sequence[tuple[str, LakeFile]],
    seq: int,
    *,
    source: str | None = None,
    identities: pa.ChunkedArray | None = None,
) -> pa.Table:
    """The rows in force at a seq, by identity: each one's row of the greatest seq, unless it is withdrawn.

    `files` are (name to open, file). Where one seq both withdraws an identity and states it, the statement
    counts.
    """
    if not files:
        return schema.arrow.empty_table()
    among, values = "", {}
    if identities is not None:
        connection.register("asked", pa.table({"identity": identities}))
        among = "and t.identity in (select identity from asked)"
    if source is not None:
        values = {"source": source}
    query = f"""
        with known as ({_known(schema)} {among}),
        ranked as (
            select *, row_number() over (
                partition by identity order by seq desc, withdrawn, start_s, end_s
            ) as newest
            from known
        )
        select {_columns(schema)} from ranked
        where newest = 1 and not withdrawn {"and source = $source" if values else ""}
        order by identity
    """
    return _run(connection, schema, query, files, seq, values)


def read_known(
    connection: duckdb.DuckDBPyConnection,
    schema: TableSchema,
    files: Sequence[tuple[str, LakeFile]],
    seq: int,
) -> pa.Table:
    """All rows known at a seq, each with its own seq, in the order of the table's files."""
    if not files:
        return schema.arrow.empty_table()
    order = ", ".join(f'"{name}"' for name in (*schema.sort_by, "seq"))
    query = f"with known as ({_known(schema)}) select {_columns(schema)} from known order by {order}"
    return _run(connection, schema, query, files, seq, {})


def _known(schema: TableSchema) -> str:
    columns = ", ".join(
        "coalesce(t.seq, f.added_seq) as seq" if name == "seq" else f't."{name}" as "{name}"'
        for name in schema.names
    )
    return f"""
        select {columns}
        from (
            select * from read_parquet(
                $paths, filename = true, hive_partitioning = false, union_by_name = true
            )
            union all by name
            select {_absent(schema)} where false
        ) as t
        inner join (select unnest($paths) as path, unnest($added) as added_seq) as f on t.filename = f.path
        where coalesce(t.seq, f.added_seq) <= $seq
    """


def _absent(schema: TableSchema) -> str:
    """The columns that files written before them lack, as nulls, so that a query finds them."""
    return ", ".join(f'cast(null as {_ENGINE[c.type]}) as "{c.name}"' for c in schema.columns if c.nullable)


def _columns(schema: TableSchema) -> str:
    return ", ".join(f'"{name}"' for name in schema.names)


def _run(
    connection: duckdb.DuckDBPyConnection,
    schema: TableSchema,
    query: str,
    files: Sequence[tuple[str, LakeFile]],
    seq: int,
    more: dict[str, str],
) -> pa.Table:
    values = {
        "paths": [name for name, _ in files],
        "added": [file.added_seq for _, file in files],
        "seq": seq,
    }
    found: pa.Table = connection.sql(query, params=values | more).to_arrow_table()
    return found.cast(schema.arrow)
