"""Tables of the lake as Parquet: v2 data pages, zstd, instants written as their differences."""

from __future__ import annotations

from gpuledger.lake.arrow import pa, pq
from gpuledger.lake.schema import SCHEMA_VERSION, TableSchema

__all__ = ["decode", "encode"]

_ROW_GROUP = 1 << 17


def encode(table: pa.Table, schema: TableSchema) -> memoryview:
    """The bytes of a Parquet file that holds this table; equal tables give equal bytes."""
    rising = [column.name for column in schema.columns if column.unit in ("s", "us")]
    sink = pa.BufferOutputStream()
    pq.write_table(
        table.replace_schema_metadata(
            {"gpuledger.table": schema.name, "gpuledger.schema": str(SCHEMA_VERSION)}
        ),
        sink,
        version="2.6",
        data_page_version="2.0",
        compression="zstd",
        row_group_size=_ROW_GROUP,
        use_dictionary=[c.name for c in schema.columns if c.type != "bool" and c.name not in rising],
        column_encoding=dict.fromkeys(rising, "DELTA_BINARY_PACKED"),
    )
    return memoryview(sink.getvalue())


def decode(path: str, schema: TableSchema) -> pa.Table:
    """Read a Parquet file of this table back, its columns as the schema says; one that it lacks is null."""
    return pq.read_table(path, schema=schema.arrow, partitioning=None)
