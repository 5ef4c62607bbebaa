"""What the tables of the lake must be like."""

from __future__ import annotations

import pytest

from gpuledger.catalogue import metrics_of
from gpuledger.lake import TABLES, TableSchema, table_schema
from gpuledger.lake.arrow import pa

EVERY = pytest.mark.parametrize("table", TABLES.values(), ids=TABLES)
INTERVALS = [table for table in TABLES.values() if table.kind == "interval"]


def test_the_lake_has_the_tables_of_the_design() -> None:
    assert list(TABLES) == [
        "node",
        "node_resource",
        "slot",
        "device",
        "partition",
        "state",
        "holding",
        "phase",
        "bill_line",
        "sample",
        "serving_sample",
        "queue_sample",
        "event",
        "activity",
        "energy",
        "quarantine",
    ]


@EVERY
def test_every_column_has_a_unit_and_a_meaning_of_its_own(table: TableSchema) -> None:
    assert table.meaning
    assert all(column.unit and column.meaning for column in table.columns)
    assert len(set(table.names)) == len(table.names)


@EVERY
def test_order_shard_and_clock_are_columns_of_the_table(table: TableSchema) -> None:
    assert {*table.sort_by, table.shard_by, *table.shard_else, table.clock} <= set(table.names)
    shard = next(column for column in table.columns if column.name == table.shard_by)
    assert not shard.nullable or table.shard_else


@EVERY
def test_arrow_schema_has_strings_whole_numbers_and_flags_only(table: TableSchema) -> None:
    assert {field.type for field in table.arrow} <= {pa.string(), pa.int64(), pa.bool_()}
    assert [field.name for field in table.arrow] == list(table.names)


@pytest.mark.parametrize("table", INTERVALS, ids=lambda table: table.name)
def test_every_interval_fact_begins_alike(table: TableSchema) -> None:
    assert table.names[:6] == ("identity", "source", "seq", "withdrawn", "start_s", "end_s")
    assert [column.name for column in table.columns[:6] if column.nullable] == ["seq", "end_s"]
    assert not table.by_day


@pytest.mark.parametrize("name", ["sample", "serving_sample", "queue_sample"])
def test_samples_carry_what_the_catalogue_says_and_unknown_is_null(name: str) -> None:
    carried = {column.name: column for column in TABLES[name].columns}
    for metric in metrics_of(name):
        assert carried[metric.column].type == "int64"
        assert carried[metric.column].nullable
    assert len(carried) > len(metrics_of(name)) > 0
    assert TABLES[name].by_day


def test_ratios_are_kept_in_thousandths() -> None:
    unit = {column.name: column.unit for column in TABLES["sample"].columns}
    assert (unit["utilisation_permille"], unit["power_w"]) == ("0.001 ratio", "watts")


def test_unknown_table_lists_those_there_are() -> None:
    with pytest.raises(KeyError, match="there are node, node_resource"):
        table_schema("jobs")
