"""The embedded engine: the one place where a DuckDB connection is opened."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import duckdb

__all__ = ["connect", "files_sql", "text_sql"]


def connect(
    memory_limit: str = "", threads: int = 0, *, scratch: Path | None = None
) -> duckdb.DuckDBPyConnection:
    """Open DuckDB in memory: no file of its own, no extension fetched or loaded, its clock in UTC.

    `memory_limit` is text such as "600MB" ("": the engine's own limit), `threads` 0 takes all processors,
    `scratch` is the folder for what does not fit into memory (without one nothing is written to disk).
    """
    config: dict[str, str | bool | int | float | list[str]] = {
        "autoinstall_known_extensions": False,
        "autoload_known_extensions": False,
        "allow_community_extensions": False,
        "temp_directory": str(scratch) if scratch is not None else "",
    }
    if memory_limit:
        config["memory_limit"] = memory_limit
    if threads:
        config["threads"] = threads
    connection = duckdb.connect(":memory:", config=config)
    connection.execute("set TimeZone = 'UTC'")
    return connection


def text_sql(text: str | Path) -> str:
    """A text as SQL, in quotes."""
    return "'" + str(text).replace("'", "''") + "'"


def files_sql(paths: Iterable[str | Path]) -> str:
    """Paths as a list in SQL, for `read_parquet`: an explicit list, never a folder or a glob."""
    return f"[{', '.join(map(text_sql, paths))}]"
