"""Real exports come in whole, with the figures that were counted apart from this code."""

from __future__ import annotations

import csv
import gzip
from collections import defaultdict
from fractions import Fraction
from pathlib import Path

import pytest

from collectors.imports import CapacityMap
from gpuledger.lake.arrow import pa, pq

from .conftest import Books

pytestmark = pytest.mark.realdata

MAPS = Path(__file__).parents[2] / "realdata"
EPOCH_S = 1_792_022_400
WINDOW_S = 2_677_541


def mapped(name: str) -> str:
    return (MAPS / name).read_text(encoding="utf-8")


def test_the_alibaba_trace_is_read_whole(books: Books, realdata: Path) -> None:
    path = realdata / "alibaba-gpu-v2025" / "disaggregated_DLRM_trace.csv.gz"
    summary = books.bring_in_file(path, mapped("alibaba-gpu-v2025.map.yaml"))
    assert summary.rows == {
        "read": 23_871,
        "accepted": 23_871,
        "repeated": 0,
        "left_out": 0,
        "quarantined": 0,
    }
    assert summary.figures == {"owners": 156, "with_gpu": 7_386, "gpu_hours_held": "2375875.476667"}
    assert books.throughs() == {("alibaba-gpu-v2025", "alibaba"): EPOCH_S + WINDOW_S}
    rows = books.facts("holding", "owner_key", "units", "start_s", "end_s")
    assert sum(units > 0 and start == end for _, units, start, end in rows) == _without_length(path)
    hours: dict[str, Fraction] = defaultdict(Fraction)
    for owner, units, start, end in rows:
        hours[owner] += Fraction(units * (end - start), 3600)
    assert f"{float(hours['app_0']):.6f}" == "281382.547778"
    assert f"{float(hours['app_62']):.6f}" == "96901.555278"
    again = books.bring_in_file(path, mapped("alibaba-gpu-v2025.map.yaml"))
    assert (again.seq, again.facts["holding"]["unchanged"]) == (1, 23_871)


def _without_length(path: Path) -> int:
    with gzip.open(path, "rt", encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file) if int(row["gpu_request"])]
    found = 0
    for row in rows:
        start = float(row["scheduled_time"] or row["creation_time"] or 0)
        end = float(row["deletion_time"] or WINDOW_S)
        found += round(start) == round(end)
    return found


def test_a_week_of_helios_is_the_units_that_its_own_counts_say(
    books: Books, realdata: Path, tmp_path: Path
) -> None:
    columns = ["vc", "time", "total_gpu_num", "running_gpu_num", "gpu_utilization"]
    path = realdata / "acme-philly-helios" / "helios_earth_vc_minute_2020-05.parquet"
    whole = pq.read_table(path, columns=columns)
    groups = pa.compute.is_in(whole["vc"], value_set=pa.array(["vc6YE", "vcgkz"], whole["vc"].type))
    rows = whole.filter(groups)
    pq.write_table(rows, tmp_path / "two.parquet")
    summary = books.bring_in_file(tmp_path / "two.parquet", mapped("helios-earth.map.yaml"), CapacityMap)
    assert summary.rows["accepted"] == rows.num_rows == 2 * 44_640
    assert summary.facts["slot"]["new"] == 208 + 8
    held = Fraction(sum(rows["running_gpu_num"].to_pylist()), 60)
    assert summary.figures["gpu_hours_held"] == f"{float(held):.6f}"
    # May in China: from 16:00 UTC on April 30th.
    assert set(books.facts("slot", "start_s", "end_s")) == {(1_588_262_400, 1_590_940_800)}
