"""A month of samples and holdings to books, against a scan of the samples, pandas and PromQL.

Run by `scripts/bench month [--gate] [--days N]`; `benchmarks/README.md` says what the figures mean. 1,120
GPUs, sampled every 15 s, and 100 holdings on each are made up and written straight into a lake. What each
owner held and used is known to the second, and the books are held against it.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.parse
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
import psutil  # type: ignore[import-untyped]
from activity import scan
from first_books import Taken, take

from chargeback.money_parts import TICKS
from chargeback.statement import gpu_hours
from gpuledger.lake import Lake, LocalFiles, StagedFile
from gpuledger.lake.arrow import pa
from gpuledger.lake.schema import table_schema
from gpuledger.lake.staging import Slice, conform
from gpuledger.versions import Database

FIRST_DAY_S = 1_790_812_800
"""2026-10-01 in UTC."""
DAYS, DAY_S, STEP_S = 31, 86_400, 15
CELLS = DAY_S // STEP_S
GPUS, PER_NODE, HOLDINGS_EACH, OWNERS = 1_120, 8, 100, 40
AT_ONCE = 140
LEVELS = np.array([0, 0, 20, 100, 200, 400, 600, 800, 950, 980])
CHANGES = 0.015
"""Of a device in a cell: some three or four an hour."""
IDLE_BELOW = 50
RATE = "2.95"

ARRAYS = ("device", "start", "end", "owner", "busy")

SLICE_GPUS = 112
"""What pandas and Prometheus get of one day: a tenth of the devices."""
MOST_TIMES, MOST_BYTES = 8, 500 * 10**6

COLUMNS = "max(subject), max(source), sum(instant_us), sum(sm_active_permille)"


@dataclass(frozen=True)
class Fleet:
    """Holdings: device, start and end in seconds since the first day, owner; and each device's busy cells."""

    days: int
    device: Any
    start: Any
    end: Any
    owner: Any
    busy: Any

    def used(self) -> dict[str, int]:
        """The seconds in which each owner's devices were busy, exactly: cells have one value throughout."""
        cells = np.concatenate([np.zeros((GPUS, 1), np.int64), np.cumsum(self.busy, axis=1)], axis=1) * STEP_S

        def until(second: Any) -> Any:
            cell, rest = np.divmod(second, STEP_S)
            last = np.minimum(cell, self.busy.shape[1] - 1)
            return cells[self.device, cell] + rest * self.busy[self.device, last]

        return self._by_owner(until(self.end) - until(self.start))

    def held(self) -> dict[str, int]:
        """The seconds that each owner held devices."""
        return self._by_owner(self.end - self.start)

    def _by_owner(self, seconds: Any) -> dict[str, int]:
        sums = np.bincount(self.owner, weights=seconds, minlength=OWNERS)
        return {f"team-{number:02}": int(total) for number, total in enumerate(sums)}


def uuid(number: int) -> str:
    return f"GPU-{number:08x}-5f1c-4a77-9d0e-{number:012x}"


def node(number: int) -> str:
    return f"node{number // PER_NODE:04d}"


def make_fleet(rng: Any, days: int) -> Fleet:
    """Holdings one after the other on each device, with a gap after some of them; no samples yet."""
    each = max(1, HOLDINGS_EACH * days // DAYS)
    edges = np.sort(rng.integers(0, days * DAY_S, (GPUS, each + 1)), axis=1)
    gaps = rng.integers(0, 900, (GPUS, each))
    start, end = edges[:, :-1], np.maximum(edges[:, 1:] - gaps, edges[:, :-1])
    device = np.repeat(np.arange(GPUS), each)
    owner = rng.integers(0, OWNERS, GPUS * each)
    busy = np.zeros((GPUS, days * CELLS), dtype=bool)
    return Fleet(days, device, start.ravel(), end.ravel(), owner, busy)


def samples(rng: Any, fleet: Fleet, day: int, devices: range) -> Any:
    """The samples of some devices and one day, sorted as the lake has them; the fleet notes what is busy."""
    count = CELLS * len(devices)
    changed = np.where(rng.random(count) < CHANGES, np.arange(count), 0)
    level = rng.choice(LEVELS, size=count)[np.maximum.accumulate(changed)]
    value = np.minimum(level + rng.integers(0, 9, count), 1000)
    days_cells = slice(day * CELLS, (day + 1) * CELLS)
    fleet.busy[devices.start : devices.stop, days_cells] = (value >= IDLE_BELOW).reshape(-1, CELLS)
    code = pa.array(np.repeat(np.arange(len(devices)), CELLS))
    uuids = pa.array([uuid(number) for number in devices])
    at_us = (np.tile(np.arange(CELLS) * STEP_S, len(devices)) + FIRST_DAY_S + day * DAY_S) * 1_000_000
    return pa.table(
        {
            "cluster": pa.repeat("main", count),
            "node": pa.array([node(number) for number in devices]).take(code),
            "subject": uuids.take(code),
            "source": pa.repeat("dcgm", count),
            "instant_us": pa.array(at_us),
            "device": uuids.take(code),
            "step_s": pa.array(np.full(count, STEP_S)),
            "sm_active_permille": pa.array(value),
        }
    )


def stage_samples(lake: Lake, rng: Any, fleet: Fleet) -> Iterator[StagedFile]:
    schema = table_schema("sample")
    for day in range(fleet.days):
        text = time.strftime("%Y-%m-%d", time.gmtime(FIRST_DAY_S + day * DAY_S))
        for first in range(0, GPUS, AT_ONCE):
            table = samples(rng, fleet, day, range(first, first + AT_ONCE))
            yield lake.write(schema, Slice(0, text, conform(table, schema)))


def stage_facts(lake: Lake, fleet: Fleet) -> Iterator[StagedFile]:
    """Slots, devices and holdings; each holding names its device."""
    numbers = range(GPUS)
    seat = {
        "node": [node(number) for number in numbers],
        "slot": [f"{node(number)}/{number % PER_NODE}" for number in numbers],
        "model": ["H100"] * GPUS,
        "start_s": [FIRST_DAY_S] * GPUS,
        "end_s": [FIRST_DAY_S + fleet.days * DAY_S] * GPUS,
    }
    kind = {"region": [""] * GPUS, "sku": [""] * GPUS, "purchase_option": [""] * GPUS}
    whole = {"slot_no": list(numbers), "compute_slices": [7] * GPUS, "memory_slices": [8] * GPUS}
    yield from fact_files(lake, "slot", seat["slot"], seat | kind | whole)
    yield from fact_files(lake, "device", seat["slot"], seat | {"uuid": [uuid(number) for number in numbers]})
    runs = [f"job-{number}" for number in range(len(fleet.device))]
    none, one = [""] * len(runs), [1] * len(runs)
    held = {
        "start_s": [FIRST_DAY_S + int(second) for second in fleet.start],
        "end_s": [FIRST_DAY_S + int(second) for second in fleet.end],
        "run": runs,
        "run_no": [number % 65_536 for number in range(len(runs))],
        "owner_key": [f"team-{number:02}" for number in fleet.owner],
        "node": [node(int(number)) for number in fleet.device],
        "device": [uuid(int(number)) for number in fleet.device],
    }
    shares = {"node_group": none, "model": none, "region": none, "assumed": [False] * len(runs)}
    yield from fact_files(
        lake, "holding", runs, held | shares | {"units": one, "weight": one, "weight_cap": one}
    )


def fact_files(lake: Lake, name: str, identities: list[str], values: dict[str, Any]) -> Iterator[StagedFile]:
    """Facts of a table by columns; those that are not given are null."""
    every = {"identity": identities, "source": "bench", "withdrawn": False, "cluster": "main"}
    count, schema = len(identities), table_schema(name)
    columns = {}
    for column in schema.columns:
        value = (every | values).get(column.name)
        given = value if isinstance(value, list) else [value] * count
        columns[column.name] = pa.array(given, schema.arrow.field(column.name).type)
    yield from lake.stage(name, pa.table(columns))


def fill(folder: Path, days: int) -> None:
    """Make a home with such a month, and keep what is true of it and the names of its files of samples.

    In a process of its own: a command's peak counts what the process that started it had.
    """
    home = folder / "home"
    home.mkdir()
    (home / "gpuledger.toml").write_text('zone = "UTC"\n')
    rng = np.random.default_rng(1)
    database = Database.open(f"sqlite:///{home / 'gpuledger.db'}")
    lake = Lake(database, LocalFiles(home / "lake"))
    fleet = make_fleet(rng, days)
    seen = list(stage_samples(lake, rng, fleet))
    facts = list(stage_facts(lake, fleet))
    with database.commit("import samples", at_s=0) as commit:
        lake.publish(commit, [*seen, *facts])
    database.close()
    np.savez(folder / "fleet.npz", **{name: getattr(fleet, name) for name in ARRAYS})
    (folder / "files.json").write_text(json.dumps([lake.store.local_path(file.path) for file in seen]))


def load(folder: Path, days: int) -> tuple[Fleet, list[str]]:
    """What `fill` kept."""
    with np.load(folder / "fleet.npz") as arrays:
        fleet = Fleet(days, **{name: arrays[name] for name in ARRAYS})
    return fleet, json.loads((folder / "files.json").read_text())


def check(folder: Path, fleet: Fleet) -> None:
    """Every owner's held and used time to the second, and the total to the cent."""
    lines = {line["key"]: line for line in json.loads((folder / "usage.out").read_text())["lines"]}
    for owner, seconds in fleet.held().items():
        used = fleet.used()[owner]
        found = lines[owner]["used_gpu_hours"], lines[owner]["idle_held_gpu_hours"]
        wanted = str(gpu_hours(used * TICKS)), str(gpu_hours((seconds - used) * TICKS))
        if found != wanted:
            sys.exit(f"the books are wrong: {owner} used {found[0]} and idle {found[1]}, not {wanted}")
    total = json.loads((folder / "statement.out").read_text())["total"]
    if total != round(Fraction(RATE) * GPUS * fleet.days * 24 * 100):
        sys.exit(f"the books are wrong: they come to {total} cents")


def first_day(fleet: Fleet) -> Iterator[tuple[int, int, int, int]]:
    """The holdings of the slice's devices on the first day: device, start and end in seconds, owner."""
    columns = (fleet.device, fleet.start, fleet.end, fleet.owner)
    for device, start, end, owner in zip(*(column.tolist() for column in columns), strict=True):
        if device < SLICE_GPUS and start < min(end, DAY_S):
            yield device, start, min(end, DAY_S), owner


def by_pandas(fleet: Fleet, files: list[str]) -> float:
    """Busy seconds by owner of the slice, by a join of each sample with who held its device then; seconds."""
    import pandas as pd  # type: ignore[import-untyped]

    held = pd.DataFrame(first_day(fleet), columns=["device", "start", "end", "owner"])
    held["subject"] = held["device"].map(uuid)
    day = [file for file in files if "2026-10-01" in file]
    begun_s = time.process_time()
    wanted = ["subject", "instant_us", "sm_active_permille"]
    seen = pd.concat(pd.read_parquet(file, columns=wanted) for file in day[: -(-SLICE_GPUS // AT_ONCE)])
    seen = seen[seen["subject"].isin(set(held["subject"]))]
    seen["start"] = seen["instant_us"] // 1_000_000 - FIRST_DAY_S
    joined = pd.merge_asof(seen.sort_values("start"), held.sort_values("start"), on="start", by="subject")
    joined = joined[(joined["start"] < joined["end"]) & (joined["sm_active_permille"] >= IDLE_BELOW)]
    joined.groupby("owner").size() * STEP_S
    return time.process_time() - begun_s


BUSY = f"(gpu_sm_active >= bool {IDLE_BELOW}) * on (uuid) group_left (owner) gpu_holding"
QUERY = f"sum by (owner) (sum_over_time(({BUSY})[1d:{STEP_S}s])) * {STEP_S}"


def exposition(fleet: Fleet) -> Iterator[str]:
    """The slice as OpenMetrics: use of each device, and a series of each holding, with instants."""
    yield "# TYPE gpu_sm_active gauge"
    for device in range(SLICE_GPUS):
        for cell in range(CELLS):
            value = 1000 * int(fleet.busy[device, cell])
            yield f'gpu_sm_active{{uuid="{uuid(device)}"}} {value} {FIRST_DAY_S + cell * STEP_S}'
    yield "# TYPE gpu_holding gauge"
    for number, (device, start, end, owner) in enumerate(first_day(fleet)):
        for second in range(-(-start // STEP_S) * STEP_S, end, STEP_S):
            labels = f'uuid="{uuid(device)}",owner="team-{owner:02}",run="{number}"'
            yield f"gpu_holding{{{labels}}} 1 {FIRST_DAY_S + second}"
    yield "# EOF"


def by_promql(fleet: Fleet, folder: Path) -> float | None:
    """The same by one query of a local Prometheus, in its processor seconds; None where there is none."""
    if not (shutil.which("prometheus") and shutil.which("promtool")):
        return None
    with (folder / "metrics.txt").open("w") as file:
        file.writelines(f"{line}\n" for line in exposition(fleet))
    data = str(folder / "prometheus")
    blocks = ["promtool", "tsdb", "create-blocks-from", "openmetrics", str(folder / "metrics.txt"), data]
    subprocess.run(blocks, check=True, stdout=subprocess.DEVNULL)
    (folder / "prometheus.yml").write_text("scrape_configs: []\n")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{free.getsockname()[1]}"
    server = subprocess.Popen(
        [
            *("prometheus", f"--config.file={folder / 'prometheus.yml'}", f"--storage.tsdb.path={data}"),
            *(f"--web.listen-address={address}", "--storage.tsdb.retention.time=100y"),
            *(f"--query.lookback-delta={STEP_S - 1}s", "--query.max-samples=1000000000"),
        ],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        return _query(server, address)
    finally:
        server.terminate()
        server.wait()


def _query(server: subprocess.Popen[bytes], address: str) -> float:
    process = psutil.Process(server.pid)
    asked = urllib.parse.urlencode({"query": QUERY, "time": FIRST_DAY_S + DAY_S - STEP_S, "timeout": "10m"})
    for _ in range(600):
        try:
            urllib.request.urlopen(f"http://{address}/-/ready").close()
            break
        except OSError:
            time.sleep(0.1)
    before = sum(process.cpu_times()[:2])
    with urllib.request.urlopen(f"http://{address}/api/v1/query?{asked}") as answer:
        if not json.load(answer)["data"]["result"]:
            sys.exit("Prometheus found nothing")
    return float(sum(process.cpu_times()[:2]) - before)


def show(
    taken: list[Taken], scanned: tuple[float, float], slices: dict[str, float | None], days: int
) -> None:
    load = ", ".join(f"{part:.1f}" for part in os.getloadavg())
    rows = GPUS * CELLS * days
    print(f"{os.cpu_count()} processors, load {load}; {rows / 1e6:.1f} million samples")
    print(f"{'':28}{'wall s':>9}{'cpu s':>9}{'peak MB':>9}{'tree MB':>9}{'to the scan':>13}")
    print(f"{'bare scan':28}{scanned[0]:9.2f}{scanned[1]:9.2f}")
    for one in taken:
        sizes = f"{one.peak / 1e6:9.0f}{one.tree / 1e6:9.0f}"
        print(f"{one.name:28}{one.wall_s:9.2f}{one.cpu_s:9.2f}{sizes}{one.cpu_s / scanned[1]:12.1f}x")
    for name, cpu_s in slices.items():
        if cpu_s is None:
            print(f"{name:28}not here")
            continue
        whole_s = cpu_s * rows / (SLICE_GPUS * CELLS)
        ratio = f"{whole_s / scanned[1]:12.1f}x"
        print(f"{name:28}{'':9}{cpu_s:9.2f}   of a slice; of all {whole_s:.0f} s{ratio}")


def main() -> int:
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--gate", action="store_true", help="fail where a limit is broken")
    asked.add_argument("--days", type=int, default=2, help="how many days of samples; 31 are 200 million")
    options = asked.parse_args()
    workers = ["--workers", str(os.cpu_count() or 1)]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        filling = get_context("spawn").Process(target=fill, args=(folder, options.days))
        filling.start()
        filling.join()
        (folder / "prices.csv").write_text(f"model,rate,currency,from,to\nH100,{RATE},USD,2026-01-01,\n")
        month = ["--month", "2026-10"]
        taken = [
            take("build activity", [*workers, "lake", "rebuild-activity"], folder),
            take("prices", ["import", "prices", str(folder / "prices.csv")], folder),
            take("run", [*workers, "run", *month], folder),
            take("usage", ["usage", *month, "--by", "owner", "--format", "json"], folder),
            take("statement", ["statement", *month, "--format", "json"], folder),
        ]
        fleet, files = load(folder, options.days)
        check(folder, fleet)
        scanned = scan(COLUMNS, files)
        slices = {"pandas": by_pandas(fleet, files), "PromQL": by_promql(fleet, folder)}
    show(taken, scanned, slices, options.days)
    within = taken[2].cpu_s <= MOST_TIMES * scanned[1] and taken[0].peak <= MOST_BYTES
    word = "kept" if within else "BROKEN"
    print(f"limits, a run of {MOST_TIMES} times the scan and activity in {MOST_BYTES / 1e6:.0f} MB: {word}")
    return int(options.gate and not within)


if __name__ == "__main__":
    sys.exit(main())
