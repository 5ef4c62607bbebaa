"""The engine's connection."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import duckdb
import pytest

from gpuledger.engine import connect


def setting(connection: duckdb.DuckDBPyConnection, name: str) -> Any:
    found = connection.execute("select current_setting(?)", [name]).fetchone()
    assert found is not None
    return found[0]


def test_no_extension_is_fetched_or_loaded() -> None:
    with connect() as connection:
        assert setting(connection, "autoinstall_known_extensions") is False
        assert setting(connection, "autoload_known_extensions") is False
        with pytest.raises(duckdb.Error):
            connection.execute("select * from read_json_auto('s3://bucket/a.json')")


def test_memory_and_threads_are_as_asked_and_the_clock_is_utc() -> None:
    with connect("600MB", 2) as connection:
        assert setting(connection, "memory_limit") == "572.2 MiB"
        assert setting(connection, "threads") == 2
        assert setting(connection, "TimeZone") == "UTC"


def test_nothing_is_written_to_disk_unless_a_scratch_folder_is_given(tmp_path: Path) -> None:
    with connect() as connection:
        assert setting(connection, "temp_directory") == ""
    with connect(scratch=tmp_path) as connection:
        assert setting(connection, "temp_directory") == str(tmp_path)


def test_parquet_json_and_time_zones_work_without_the_network() -> None:
    with connect() as connection:
        assert connection.execute("select json_extract('{\"a\": 1}', '$.a')::int").fetchone() == (1,)
        query = "select hour(timestamptz '2026-10-31 18:30:00+00' at time zone 'Asia/Kolkata')"
        assert connection.execute(query).fetchone() == (0,)


def test_two_connections_share_nothing() -> None:
    with connect() as one, connect() as other:
        one.execute("create table a as select 1 as x")
        with pytest.raises(duckdb.CatalogException):
            other.execute("select x from a")
