"""What the lake takes, and how it cuts it into files."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any
from zlib import crc32

import pytest

from gpuledger.errors import InputError, SchemaError
from gpuledger.lake import TABLES, shard_of
from gpuledger.lake.arrow import pa
from gpuledger.lake.parquet import decode, encode
from gpuledger.lake.staging import bounds, conform, departures, slices

HOLDING, SAMPLE = TABLES["holding"], TABLES["sample"]
DAY_US = 86_400_000_000

Rows = Callable[..., Any]


def test_columns_in_any_order_and_nullable_ones_left_out_are_taken(rows: Rows) -> None:
    whole = rows("holding", {"identity": "a"}, {"identity": "b", "end_s": 5})
    given = whole.select(
        list(reversed([name for name in HOLDING.names if name not in ("seq", "cpus_milli")]))
    )
    assert conform(given, HOLDING).equals(whole)


def test_narrow_integers_long_strings_and_dictionaries_are_widened(rows: Rows) -> None:
    whole = rows("holding", {"identity": "a"})
    given = whole.set_column(0, "identity", whole["identity"].dictionary_encode())
    given = given.set_column(1, "source", whole["source"].cast(pa.large_string()))
    given = given.set_column(4, "start_s", whole["start_s"].cast(pa.int32()))
    given = given.set_column(5, "end_s", pa.nulls(1))
    assert conform(given, HOLDING).equals(whole)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda table: table.append_column("colour", pa.nulls(1)), "has no column colour"),
        (lambda table: table.drop_columns(["run"]), "needs a column run"),
        (lambda table: table.set_column(4, "start_s", pa.array([1.5])), "start_s is double, not int64"),
        (lambda table: table.set_column(4, "start_s", pa.array(["1"])), "start_s is string, not int64"),
        (lambda table: table.set_column(0, "identity", pa.array([7])), "identity is int64, not string"),
        (lambda table: table.set_column(4, "start_s", pa.nulls(1, pa.int64())), "start_s is null in 1 rows"),
    ],
)
def test_rows_of_another_schema_are_refused(rows: Rows, change: Callable[[Any], Any], says: str) -> None:
    with pytest.raises(SchemaError, match=says):
        conform(change(rows("holding", {"identity": "a"})), HOLDING)


def test_fact_that_ends_before_it_begins_is_refused_and_one_without_length_stays(rows: Rows) -> None:
    conform(rows("holding", {"identity": "a", "start_s": 5, "end_s": 5}), HOLDING)
    with pytest.raises(InputError, match="b ends before it begins"):
        conform(rows("holding", {"identity": "a"}, {"identity": "b", "start_s": 5, "end_s": 4}), HOLDING)


def test_identity_that_comes_twice_in_one_delivery_is_refused(rows: Rows) -> None:
    with pytest.raises(InputError, match="holding a comes twice"):
        conform(rows("holding", {"identity": "a"}, {"identity": "b"}, {"identity": "a", "end_s": 9}), HOLDING)


def test_shard_is_the_crc_of_the_node_else_of_cluster_group_and_run() -> None:
    assert shard_of("node-7", 8) == crc32(b"node-7") % 8
    assert shard_of("Knoten-ä", 5) == crc32("Knoten-ä".encode()) % 5


def test_rows_go_to_the_shard_of_their_key(rows: Rows) -> None:
    facts = [{"identity": f"placed{n}", "node": f"n{n}", "run": f"r{n}"} for n in range(9)]
    facts += [{"identity": f"free{n}", "node_group": "g", "run": f"r{n}"} for n in range(9)]
    found = {
        identity: part.shard
        for part in slices(rows("holding", *facts), HOLDING, 4)
        for identity in part.rows["identity"].to_pylist()
    }
    assert found == {f"placed{n}": shard_of(f"n{n}", 4) for n in range(9)} | {
        f"free{n}": shard_of(f"main/g/r{n}", 4) for n in range(9)
    }


def test_observations_are_cut_by_utc_day_too(rows: Rows) -> None:
    instants = [0, DAY_US - 1, DAY_US, 20_000 * DAY_US]
    table = rows("sample", *({"subject": "gpu", "node": "n", "instant_us": instant} for instant in instants))
    cut = [(part.day, part.rows["instant_us"].to_pylist()) for part in slices(table, SAMPLE, 1)]
    assert cut == [
        ("1970-01-01", [0, DAY_US - 1]),
        ("1970-01-02", [DAY_US]),
        ("2024-10-04", [20_000 * DAY_US]),
    ]


def test_interval_facts_are_never_cut_by_day(rows: Rows) -> None:
    table = rows("holding", {"identity": "a"}, {"identity": "b", "start_s": 10**9})
    assert [(part.shard, part.day, part.rows.num_rows) for part in slices(table, HOLDING, 1)] == [
        (0, None, 2)
    ]


def test_what_was_seen_twice_is_written_once_whatever_came_first(rows: Rows) -> None:
    seen = [
        {"subject": "gpu", "source": "dcgm", "instant_us": 1, "power_w": 300},
        {"subject": "gpu", "source": "dcgm", "instant_us": 1, "power_w": 310},
        {"subject": "gpu", "source": "nvml", "instant_us": 1, "power_w": 305},
        {"subject": "gpu", "source": "dcgm", "instant_us": 2, "power_w": 300},
    ]
    kept = [
        [
            part.rows.select(["source", "instant_us", "power_w"]).to_pylist()
            for part in slices(table, SAMPLE, 1)
        ]
        for table in (rows("sample", *seen), rows("sample", *reversed(seen)))
    ]
    assert kept[0] == kept[1]
    assert [row["power_w"] for row in kept[0][0]] == [300, 300, 305]


def test_same_rows_in_any_order_give_the_same_bytes(rows: Rows) -> None:
    facts = [
        {"identity": f"f{n}", "node": f"n{n % 3}", "run": f"r{n % 5}", "start_s": n % 4} for n in range(40)
    ]
    shuffled = random.Random(7).sample(facts, len(facts))
    files = [
        [bytes(encode(part.rows, HOLDING)) for part in slices(rows("holding", *some), HOLDING, 3)]
        for some in (facts, shuffled)
    ]
    assert files[0] == files[1]


def test_no_rows_give_no_files(rows: Rows) -> None:
    assert list(slices(rows("holding"), HOLDING, 4)) == []
    assert list(slices(rows("sample"), SAMPLE, 4)) == []


def test_bounds_are_seconds_and_open_if_a_fact_is(rows: Rows) -> None:
    ended = rows(
        "holding", {"identity": "a", "start_s": 5, "end_s": 9}, {"identity": "b", "start_s": 3, "end_s": 4}
    )
    assert bounds(ended, HOLDING) == (3, 9)
    assert bounds(rows("holding", {"identity": "a", "start_s": 5}), HOLDING) == (5, None)
    assert bounds(rows("sample", {"instant_us": 1_999_999}), SAMPLE) == (1, 1)
    assert bounds(rows("activity", {"start_s": 4, "end_s": 6}), TABLES["activity"]) == (4, 6)


def test_withdrawn_facts_speak_of_no_time(rows: Rows) -> None:
    gone = {"identity": "a", "start_s": 1, "withdrawn": True}
    assert bounds(rows("holding", gone), HOLDING) == (None, None)
    assert bounds(rows("holding", gone, {"identity": "b", "start_s": 5, "end_s": 9}), HOLDING) == (5, 9)


def test_fact_that_moves_to_another_shard_is_withdrawn_where_it_was(rows: Rows) -> None:
    before = rows("holding", *({"identity": n, "node": n, "seq": 3, "end_s": 9} for n in ("n0", "n1", "n2")))
    after = rows("holding", {"identity": "n0", "node": "n4"}, {"identity": "n1", "node": "n0"})
    left = departures(before, after, HOLDING, 2)
    assert [shard_of(node, 2) for node in ("n0", "n1", "n4")] == [0, 0, 1]
    assert left.to_pylist() == [before.slice(0, 1).to_pylist()[0] | {"withdrawn": True, "seq": None}]


def test_parquet_has_v2_pages_zstd_and_no_column_more(rows: Rows, tmp_path: Any) -> None:
    from gpuledger.lake.arrow import pq

    table = rows("holding", *({"identity": f"f{n}", "start_s": n} for n in range(100)))
    path = tmp_path / "a=1" / "b.parquet"
    path.parent.mkdir()
    path.write_bytes(encode(table, HOLDING))
    assert decode(str(path), HOLDING).equals(table)
    group = pq.ParquetFile(path).metadata.row_group(0)
    columns = {group.column(n).path_in_schema: group.column(n) for n in range(group.num_columns)}
    assert tuple(columns) == HOLDING.names
    assert {column.compression for column in columns.values()} == {"ZSTD"}
    assert "DELTA_BINARY_PACKED" in columns["start_s"].encodings
