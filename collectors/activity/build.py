"""The SQL of the derived tables, run over the sample files of one UTC day and shard."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any, Final

from gpuledger.engine import files_sql
from gpuledger.lake.arrow import pa
from gpuledger.lake.schema import table_schema

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

__all__ = ["CARRY", "DERIVED", "derive", "sql_of"]

CARRY: Final = 1
"""For how many empty cells the state before them stands."""

DERIVED: Final = ("activity", "energy")
"""The tables that are made from samples, each by the SQL of its name."""

_READS = {
    "activity": ("sm_active_permille", "graphics_engine_active_permille", "utilisation_permille"),
    "energy": ("energy_j", "power_w"),
}
"""The metrics that each is made of: without any there is nothing to make."""

_ENGINE = {"string": "varchar", "int64": "bigint", "bool": "boolean"}


@cache
def sql_of(table: str) -> str:
    """The text that makes one of the derived tables."""
    return (files("collectors.activity") / f"{table}.sql").read_text("utf-8")


def derive(
    connection: DuckDBPyConnection, paths: Sequence[str], tables: Sequence[str] = DERIVED, carry: int = CARRY
) -> dict[str, Any]:
    """Make derived tables, as Arrow, from all sample files of one UTC day and shard.

    Where a row stands in several files its greatest values count, so the order of files and rows, and a file
    that comes twice, change nothing.
    """
    see_samples(connection, paths)
    made = {}
    for table in tables:
        schema = table_schema(table).arrow
        if paths and _any(connection, _READS[table]):
            found = connection.sql(sql_of(table), params={"carry": carry}).to_arrow_table()
            made[table] = found.cast(_nullable(schema)).cast(schema)
        else:
            made[table] = schema.empty_table()
    return made


def _any(connection: DuckDBPyConnection, columns: Sequence[str]) -> bool:
    """Whether any sample has one of these; mostly the files' footers say so."""
    known = " or ".join(f"{column} is not null" for column in columns)
    return bool(connection.execute(f"select 1 from sample where {known} limit 1").fetchall())


def see_samples(connection: DuckDBPyConnection, paths: Sequence[str]) -> None:
    """Make the views that the SQL reads: `sample` over these files, and `counting`."""
    connection.execute("create or replace temp table counting as select range as k from range(8)")
    if not paths:
        return
    columns = table_schema("sample").columns
    lacking = ", ".join(f'cast(null as {_ENGINE[c.type]}) as "{c.name}"' for c in columns if c.nullable)
    connection.execute(
        f"""
        create or replace temp view sample as
        select * from read_parquet({files_sql(paths)}, hive_partitioning = false, union_by_name = true)
        union all by name
        select {lacking} where false
        """
    )


def _nullable(schema: Any) -> Any:
    """The schema with every column nullable: the engine does not say which are not."""
    return pa.schema([pa.field(field.name, field.type) for field in schema])
