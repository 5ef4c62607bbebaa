"""Samples from files: what is kept, what goes to quarantine, and what of it becomes activity."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from collectors.imports import load_map
from collectors.samples import SampleMap
from gpuledger.errors import ColumnMapError, RejectedRows
from gpuledger.lake.arrow import pa, pq

HOUR_S = 1_793_059_200
METRICS = (
    "sm_active_permille",
    "graphics_engine_active_permille",
    "utilisation_permille",
    "power_w",
    "energy_j",
)
BOTH = pytest.mark.parametrize("name", ["s.csv", "s.parquet"])

Row = Callable[..., dict[str, Any]]


@BOTH
def test_a_metric_is_kept_in_the_catalogues_quantum_and_rounding(watched: Any, row: Row, name: str) -> None:
    watched.bring_in(
        row(0, sm=0.29, util=57.5, power=311.5, energy=1234.9),
        row(1, sm=0.9999, util=0.07, power=311.4, energy=0.0),
        name=name,
    )
    assert watched.rows("sample", *METRICS) == [(290, None, 575, 312, 1234), (999, None, 0, 311, 0)]


@BOTH
def test_an_empty_cell_is_null_and_never_0(watched: Any, row: Row, name: str) -> None:
    watched.bring_in(row(0, sm=0.5), row(1, power=300.0), row(2, sm=0.0), name=name)
    assert watched.rows("sample", "sm_active_permille", "power_w") == [(500, None), (None, 300), (0, None)]
    assert watched.activity() == [("GPU-a", 0, 2, 500), ("GPU-a", 2, 4, 0)]


@BOTH
@pytest.mark.parametrize(
    "cell, value, reason",
    [
        ("sm", float("nan"), "sm_active_permille is NaN"),
        ("sm", float("inf"), "sm_active_permille is infinite"),
        ("power", float("-inf"), "power_w is infinite"),
        ("power", -3.0, "power_w is negative"),
        ("sm", 1.5, "sm_active_permille is above 1"),
        ("util", 101.0, "utilisation_permille is above 1"),
        ("power", 2e6, "power_w is above 1,000,000"),
        ("energy", 2.0**53 + 2, "energy_j is above 2^53"),
        ("energy", 9.223372036854775807e18, "energy_j is a sentinel: nothing was read"),
        ("energy", 9223372036854775794, "energy_j is a sentinel: nothing was read"),
        ("energy", 140737488355328.0, "energy_j is a sentinel: nothing was read"),
        ("power", 2147483632, "power_w is a sentinel: nothing was read"),
    ],
)
def test_a_value_that_cannot_be_right_goes_to_quarantine(
    watched: Any, row: Row, name: str, cell: str, value: float, reason: str
) -> None:
    summary = watched.bring_in(row(0, **{cell: value}), row(1, **{cell: 0}), name=name)
    assert summary.quarantined == {reason: 1}
    assert summary.rows["accepted"] == 1
    assert watched.rows("quarantine", "row", "reason") == [(1, reason)]
    assert watched.lake.verify() == []


@BOTH
@pytest.mark.parametrize("ts", [0, -4_400_000, 17_930_592_000_000, 2**62])
def test_an_instant_out_of_range_goes_to_quarantine(watched: Any, row: Row, name: str, ts: int) -> None:
    summary = watched.bring_in(row(0, sm=0.5) | {"ts": ts}, row(1, sm=0.5), name=name)
    assert summary.quarantined == {"at is no instant from 2000 to 2100": 1}
    assert len(watched.rows("sample", "subject")) == 1


def test_text_that_is_no_number_and_a_row_without_a_device_go_to_quarantine(watched: Any, row: Row) -> None:
    summary = watched.bring_in(row(0, sm="busy"), row(1, uuid="", sm=0.5), row(2, sm=0.5))
    assert summary.quarantined == {"device is empty": 1, "sm_active_permille is no number": 1}
    (found,) = watched.rows("quarantine", "raw")[:1]
    assert '"sm": "busy"' in found[0]


def test_strict_imports_nothing(watched: Any, row: Row) -> None:
    with pytest.raises(RejectedRows, match="1 of 2 rows cannot be right"):
        watched.bring_in(row(0, sm="nan"), row(1, sm=0.5), strict=True)
    assert watched.database.latest_seq() == 0


def test_a_text_may_be_declared_to_mean_empty(watched: Any, row: Row) -> None:
    column_map = "nulls: ['N/A', 'NaN', '-1']\n"
    from_text = [row(0, sm="N/A"), row(1, sm="NaN"), row(2, sm=-1, power=1)]
    kept = watched.bring_in(*from_text, column_map=MAP_WITH(column_map))
    assert kept.rows["accepted"] == 3
    kept = watched.bring_in(
        row(3, sm=float("nan")), row(4, sm=-1.0), column_map=MAP_WITH(column_map), name="s.parquet"
    )
    assert kept.rows["accepted"] == 2
    assert set(watched.rows("sample", "sm_active_permille")) == {(None,)}


def MAP_WITH(more: str) -> str:
    return (
        "kind: samples\nsource: dcgm\nstep: 60\ncolumns: {at: ts, device: uuid, node: host}\n"
        "metrics: {sm_active_permille: sm, power_w: power}\n" + more
    )


@BOTH
def test_milliseconds_jitter_and_the_step_give_the_scheduled_instant(
    watched: Any, row: Row, name: str
) -> None:
    rows = [
        {"ts": HOUR_S * 1000 + late, "uuid": "GPU-a", "sm": 0.5} for late in (0, 60_999, 119_999, 120_000)
    ]
    watched.bring_in(*rows, column_map=MAP_WITH("time_unit: ms\n"), name=name)
    assert [(at - HOUR_S * 10**6) // 10**6 for (at,) in watched.rows("sample", "instant_us")] == [0, 60, 120]
    assert watched.activity() == [("GPU-a", 0, 4, 500)]


def test_floats_count_from_the_epoch_and_what_is_no_number_is_no_instant(watched: Any) -> None:
    stamps = [59.9999, 59.99999999, 60.0, float("nan"), -5.0, 1e300]
    rows = [{"ts": at, "uuid": f"GPU-{number}", "sm": 0.5} for number, at in enumerate(stamps)]
    column_map = MAP_WITH("epoch: 2026-10-27T00:00Z\n")
    summary = watched.bring_in(*rows, column_map=column_map, name="s.parquet")
    assert summary.quarantined == {"at is no instant from 2000 to 2100": 2}
    found = watched.rows("sample", "subject", "instant_us")
    assert [(who, (at - HOUR_S * 10**6) // 10**6) for who, at in found] == [
        ("GPU-0", 0),
        ("GPU-1", 60),
        ("GPU-2", 60),
        ("GPU-4", -60),
    ]


def test_timestamps_of_parquet_are_read_with_their_zone(watched: Any) -> None:
    stamps = pa.array([HOUR_S * 10**9 + 5], pa.timestamp("ns", tz="Europe/Berlin"))
    pq.write_table(
        pa.table({"ts": stamps, "uuid": ["GPU-a"], "host": ["n1"], "sm": [0.5], "power": [1]}), "/dev/null"
    )
    path = watched.folder / "t.parquet"
    pq.write_table(
        pa.table({"ts": stamps, "uuid": ["GPU-a"], "host": ["n1"], "sm": [0.5], "power": [1]}), path
    )
    watched.bring_in_file(path, MAP_WITH(""))
    assert watched.rows("sample", "instant_us") == [(HOUR_S * 10**6,)]


def test_of_rows_with_one_instant_the_greatest_of_each_column_stands_in_any_order(
    new_watched: Callable[[], Any], row: Row
) -> None:
    rows = [row(0, sm=0.2, power=100), row(0.5, sm=0.6), row(0.9, sm=0.4, power=90)]
    for some in (rows, rows[::-1]):
        one = new_watched()
        summary = one.bring_in(*some)
        assert one.rows("sample", "sm_active_permille", "power_w") == [(600, 100)]
        assert summary.rows["repeated"] == 2
    apart = new_watched()
    for single in rows:
        apart.bring_in(single)
    assert apart.activity() == one.activity() == [("GPU-a", 0, 2, 500)]


def test_a_file_that_comes_twice_changes_nothing(watched: Any, row: Row) -> None:
    rows = [row(0, sm=0.5), row(1, sm="nan"), row(2, util=99)]
    first = watched.bring_in(*rows)
    again = watched.bring_in(*rows)
    assert (first.seq, again.seq, watched.database.latest_seq()) == (1, 1, 1)
    assert again.rows["accepted"] == 0 and again.rows["repeated"] == 2


def test_subjects_are_devices_partitions_and_holders(watched: Any, row: Row) -> None:
    watched.bring_in(
        row(0, sm=0.1),
        row(0, uuid="GPU-b", gi="07", sm=0.1),
        row(0, uuid="GPU-b", gi="MIG-1111", sm=0.1),
        row(0, uuid="MIG-2222", sm=0.1),
        row(0, uuid="MIG-GPU-cc/1/0", sm=0.1),
        row(0, uuid="GPU-d::3", job="a/b", sm=0.1),
        row(0, uuid="GPU-b", gi=7, job="42", sm=0.1),
    )
    assert sorted(watched.rows("sample", "subject", "device")) == [
        ("GPU-a", "GPU-a"),
        ("GPU-b#7", "GPU-b"),
        ("GPU-b#7/42", "GPU-b"),
        ("GPU-d/a%2Fb", "GPU-d"),
        ("MIG-1111", "GPU-b"),
        ("MIG-2222", None),
        ("MIG-GPU-cc/1/0", "GPU-cc"),
    ]


# T11: utilisation is not defined on a MIG instance, and null is not 0.
def test_utilisation_is_read_of_a_whole_device_alone(watched: Any, row: Row) -> None:
    """T11, T12: on a partition it is not defined, and holders of one device would all show the same."""
    watched.bring_in(
        row(0, util=99), row(0, uuid="GPU-b", gi=1, util=99), row(0, uuid="GPU-c", job="r", util=99),
        row(0, uuid="GPU-b", gi=2, util=99, engine=0.2), row(0, uuid="MIG-5", util=99),
    )  # fmt: skip
    assert watched.rows("activity", "subject", "band", "measure") == [
        ("GPU-a", 900, "utilisation"),
        ("GPU-b#2", 150, "graphics_engine_active"),
    ]


# T12: utilisation says that a kernel ran, and not how much of the device worked.
def test_sm_active_comes_before_utilisation_however_much_there_is_of_it(watched: Any, row: Row) -> None:
    watched.bring_in(*(row(minute, util=100) for minute in range(60)), row(5, sm=0.04))
    assert watched.rows("activity", "start_s", "end_s", "band", "carried_s", "measure") == [
        (HOUR_S + 300, HOUR_S + 420, 10, 60, "sm_active")
    ]


def test_a_gap_is_unobserved_after_one_cell(watched: Any, row: Row) -> None:
    """T42: frozen or missing samples are neither use nor idleness."""
    watched.bring_in(row(0, sm=0.6), row(1, sm=0.6), row(10, sm=0.6), row(12, sm=0.6), row(59, sm=0.6))
    assert watched.rows("activity", "start_s", "end_s", "carried_s") == [
        (HOUR_S, HOUR_S + 180, 60),
        (HOUR_S + 600, HOUR_S + 840, 120),
        (HOUR_S + 3540, HOUR_S + 3600, 0),
    ]


# T1: exporters repeat the device's power and energy on each of its instances.
def test_energy_is_read_once_per_device_whichever_partition_reports_it(watched: Any, row: Row) -> None:
    """T1: four instances repeat the device's own total and power."""
    rows = [
        row(minute, uuid="GPU-b", gi=gi, energy=1000 + 600 * minute, power=10)
        for minute in (0, 1, 2)
        for gi in (1, 2, 3, 4)
    ]
    watched.bring_in(*rows)
    assert watched.rows("energy", "subject", "joules", "known_s", "method") == [
        ("GPU-b", 1200, 120, "counter")
    ]


# T44: what was not read is not known, and no energy of 0.
def test_a_reset_gives_the_new_value_and_a_gap_gives_nothing(watched: Any, row: Row) -> None:
    """T35, T44: no reading is not zero energy."""
    totals = {0: 5000, 1: 5600, 2: 50, 3: 650, 10: 9000, 11: 9600}
    watched.bring_in(*(row(minute, energy=total) for minute, total in totals.items()))
    assert watched.rows("energy", "joules", "known_s") == [(600 + 50 + 600 + 600, 240)]


def test_power_stands_in_where_there_is_no_total(watched: Any, row: Row) -> None:
    watched.bring_in(row(0, power=300), row(1, power=200), row(5, sm=0.5))
    assert watched.rows("energy", "joules", "known_s", "method") == [(30_000, 120, "power")]


def test_samples_never_move_how_far_a_cluster_is_complete(watched: Any, row: Row) -> None:
    summary = watched.bring_in(row(0, sm=0.5))
    assert summary.data_through == {}
    with pytest.raises(ColumnMapError, match="no bill waits for them"):
        load_map(MAP_WITH("data_through: 2026-11-01\n"), SampleMap, file="map.yaml")


@pytest.mark.parametrize(
    "text, wrong",
    [
        ("step: 60", "step: 7"),
        ("sm_active_permille: sm", "sm_active: sm"),
        ("sm_active_permille: sm", "sm_active_permille: {column: sm, unit: W}"),
        ("power_w: power", "gpuledger_device_sm_active_ratio: power"),
        ("device: uuid, ", ""),
    ],
)
def test_a_map_that_cannot_be_right_is_refused(text: str, wrong: str) -> None:
    with pytest.raises(ColumnMapError):
        load_map(MAP_WITH("").replace(text, wrong), SampleMap, file="map.yaml")
