"""Samples to activity, as `gpuledger lake rebuild-activity` does it, against a scan of the same columns.

Run by `scripts/bench activity [--gate] [--millions N]`; `benchmarks/README.md` says what the figures mean.
The samples are made up and written straight into a lake: devices that change their band of use some three
times an hour.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from first_books import Taken, take

from gpuledger.engine import connect
from gpuledger.lake import Lake, LocalFiles, StagedFile
from gpuledger.lake.arrow import pa
from gpuledger.lake.schema import table_schema
from gpuledger.lake.staging import Slice, conform
from gpuledger.versions import Database

FIRST_DAY_S = 1_793_059_200
STEP_S = 30
CELLS = 86_400 // STEP_S
DEVICES = 1_250
"""As many as a shard has."""
AT_ONCE = 125
LEVELS = np.array([0, 0, 20, 100, 200, 400, 600, 800, 950, 980])
CHANGES = 0.03
"""Of a device in a cell: some three or four an hour."""

MOST_TIMES, MOST_BYTES = 13.0, 500 * 10**6

SCANS = {
    "bare scan": "max(subject), max(source), sum(instant_us), sum(sm_active_permille)",
    "scan, text only counted": "count(subject), count(source), sum(instant_us), sum(sm_active_permille)",
}


def samples(rng: np.random.Generator, day_s: int, devices: range) -> Any:
    """The samples of some devices and one day, sorted as the lake has them."""
    count = CELLS * len(devices)
    changed = np.where(rng.random(count) < CHANGES, np.arange(count), 0)
    level = rng.choice(LEVELS, size=count)[np.maximum.accumulate(changed)]
    code = np.repeat(np.arange(len(devices)), CELLS)
    uuids = pa.array([f"GPU-{number:08x}-5f1c-4a77-9d0e-{number:012x}" for number in devices])
    nodes = pa.array([f"node{number // 8:04d}" for number in devices])
    at_us = (np.tile(np.arange(CELLS) * STEP_S, len(devices)) + day_s) * 1_000_000
    return pa.table(
        {
            "cluster": pa.repeat("main", count),
            "node": nodes.take(pa.array(code)),
            "subject": uuids.take(pa.array(code)),
            "source": pa.repeat("dcgm", count),
            "instant_us": pa.array(at_us),
            "device": uuids.take(pa.array(code)),
            "step_s": pa.array(np.full(count, STEP_S)),
            "sm_active_permille": pa.array(np.minimum(level + rng.integers(0, 9, count), 1000)),
        }
    )


def stage(lake: Lake, rows: int) -> Iterator[StagedFile]:
    """Write about this many samples, day after day of one shard, each day in files of some devices."""
    schema, rng, left, day = table_schema("sample"), np.random.default_rng(1), rows // CELLS, 0
    while left > 0:
        for first in range(0, min(DEVICES, left), AT_ONCE):
            day_s = FIRST_DAY_S + day * 86_400
            table = samples(rng, day_s, range(first, min(first + AT_ONCE, left)))
            text = time.strftime("%Y-%m-%d", time.gmtime(day_s))
            yield lake.write(schema, Slice(0, text, conform(table, schema)))
        left, day = left - DEVICES, day + 1


def fill(home: Path, rows: int) -> list[str]:
    """Make a home with a lake of this many samples; the names of its files."""
    home.mkdir()
    database = Database.open(f"sqlite:///{home / 'gpuledger.db'}")
    lake = Lake(database, LocalFiles(home / "lake"))
    staged = list(stage(lake, rows))
    with database.commit("import samples", at_s=0) as commit:
        lake.publish(commit, staged)
    database.close()
    return [lake.store.local_path(file.path) for file in staged]


def scan(columns: str, files: list[str]) -> tuple[float, float]:
    """The least wall and processor seconds of three scans, on all processors."""

    def once() -> tuple[float, float]:
        begun_s, cpu_s = time.perf_counter(), time.process_time()
        connection.execute(f"select {columns} from read_parquet(?)", [files]).fetchall()
        return time.perf_counter() - begun_s, time.process_time() - cpu_s

    with connect() as connection:
        wall_s, cpu_s = zip(*(once() for _ in range(3)), strict=True)
    return min(wall_s), min(cpu_s)


def check(folder: Path, rows: int) -> None:
    """Every second of every device is in one stretch, and nothing is wrong with the lake."""
    files = [str(path) for path in (folder / "home" / "lake" / "activity").rglob("*.parquet")]
    with connect() as connection:
        found = connection.execute(
            "select sum(end_s - start_s), count(distinct subject) from read_parquet(?)", [files]
        ).fetchone()
    if found is None or found[0] != rows // CELLS * 86_400:
        sys.exit(f"the activity is wrong: {found}")


def show(taken: list[Taken], scans: dict[str, tuple[float, float]], rows: int) -> None:
    load = ", ".join(f"{part:.1f}" for part in os.getloadavg())
    print(f"{os.cpu_count()} processors, load {load}; {rows / 1e6:.1f} million samples")
    print(f"{'':28}{'wall s':>9}{'cpu s':>9}{'peak MB':>9}")
    for one in taken:
        print(f"{one.name:28}{one.wall_s:9.2f}{one.cpu_s:9.2f}{one.peak / 1e6:9.0f}")
    for name, (wall_s, cpu_s) in scans.items():
        print(
            f"{name:28}{wall_s:9.2f}{cpu_s:9.2f}   the build takes {taken[0].cpu_s / cpu_s:.1f} times the cpu"
        )


def main() -> int:
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--gate", action="store_true", help="fail above 13 times the scan or 500 MB")
    asked.add_argument("--millions", type=int, default=20, help="how many million samples")
    options = asked.parse_args()
    rows = options.millions * 1_000_000 // CELLS * CELLS
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        files = fill(folder / "home", rows)
        scans = {name: scan(columns, files) for name, columns in SCANS.items()}
        words = ["--workers", str(os.cpu_count() or 1), "lake", "rebuild-activity"]
        taken = [take("build", words, folder), take("build again, no change", words, folder)]
        check(folder, rows)
    show(taken, scans, rows)
    within = taken[0].cpu_s <= MOST_TIMES * scans["bare scan"][1] and taken[0].peak <= MOST_BYTES
    word = "kept" if within else "BROKEN"
    print(f"limits, {MOST_TIMES:.0f} times the bare scan and {MOST_BYTES / 1e6:.0f} MB: {word}")
    return int(options.gate and not within)


if __name__ == "__main__":
    sys.exit(main())
