"""10,000 GPUs, a fifth of them cut by MIG, over a month of equal days: the time and the memory of a run.

Run by `scripts/bench large [--gate] [--days N]`; `benchmarks/README.md` says what the figures mean. The facts
are made up and written straight into a lake of eight shards; what was held is known to the second.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
from first_books import Taken, take
from month import DAY_S, FIRST_DAY_S, fact_files, node, uuid

from chargeback.money_parts import TICKS
from chargeback.statement import gpu_hours
from gpuledger.lake import Lake, LocalFiles
from gpuledger.versions import Database

GPUS, CUT, SLICES, SHARDS = 10_000, 2_000, 7, 8
PER_NODE, EACH_DAY, OWNERS = 8, 3, 200
MOST_BYTES = 10**9


def stage(lake: Lake, days: int) -> list[Any]:
    """The facts of the fleet."""
    until = FIRST_DAY_S + days * DAY_S
    begun = {"start_s": [FIRST_DAY_S] * GPUS, "end_s": [until] * GPUS, "model": ["H100"] * GPUS}
    seat = {
        "node": [node(number) for number in range(GPUS)],
        "slot": [f"{node(number)}/{number % PER_NODE}" for number in range(GPUS)],
    }
    kind = {"region": [""] * GPUS, "sku": [""] * GPUS, "purchase_option": [""] * GPUS}
    sizes = {"slot_no": list(range(GPUS)), "compute_slices": [7] * GPUS, "memory_slices": [8] * GPUS}
    staged = list(fact_files(lake, "slot", seat["slot"], begun | seat | kind | sizes))
    uuids = [uuid(number) for number in range(GPUS)]
    staged += fact_files(lake, "device", uuids, begun | seat | {"uuid": uuids})
    staged += fact_files(lake, "partition", *partitions(seat, until))
    for first in range(0, days, 8):
        staged += fact_files(lake, "holding", *holdings(range(first, min(first + 8, days))))
    return staged


def partitions(seat: dict[str, list[str]], until: int) -> tuple[list[str], dict[str, Any]]:
    """Seven slices of each device that is cut; a slice of memory is left."""
    cut = [(number, part) for number in range(CUT) for part in range(SLICES)]
    lanes = [f"{seat['slot'][number]}/{part}" for number, part in cut]
    return lanes, {
        "start_s": [FIRST_DAY_S] * len(cut),
        "end_s": [until] * len(cut),
        "node": [seat["node"][number] for number, _ in cut],
        "slot": [seat["slot"][number] for number, _ in cut],
        "lane": lanes,
        "uuid": [f"MIG-{number}-{part}" for number, part in cut],
        "profile": ["1g.10gb"] * len(cut),
        "compute_slices": [1] * len(cut),
        "memory_slices": [1] * len(cut),
    }


def day() -> tuple[Any, Any, Any, Any]:
    """The holdings of a day: lane, start, end, owner; lanes are slices of cut devices, then whole ones."""
    rng = np.random.default_rng(1)
    lanes = CUT * SLICES + GPUS - CUT
    edges = np.sort(rng.integers(0, DAY_S, (lanes, EACH_DAY + 1)), axis=1)
    start, end = edges[:, :-1].ravel(), edges[:, 1:].ravel()
    return np.repeat(np.arange(lanes), EACH_DAY), start, end, rng.integers(0, OWNERS, lanes * EACH_DAY)


def holdings(days: range) -> tuple[list[str], dict[str, Any]]:
    """The same day over and over, each with runs of its own."""
    lane, start, end, owner = (column.tolist() for column in day())
    places = [divmod(one, SLICES) if one < CUT * SLICES else (one - CUT * (SLICES - 1), -1) for one in lane]
    runs = [f"{number}-{one}" for number in days for one in range(len(lane))]
    count, none, one = len(runs), [""] * len(runs), [1] * len(runs)
    return runs, {
        "start_s": [FIRST_DAY_S + number * DAY_S + second for number in days for second in start],
        "end_s": [FIRST_DAY_S + number * DAY_S + second for number in days for second in end],
        "run": runs,
        "run_no": [number % 65_536 for number in range(count)],
        "owner_key": [f"team-{number:03}" for number in owner] * len(days),
        "node": [node(number) for number, _ in places] * len(days),
        "device": [uuid(gpu) if part < 0 else f"MIG-{gpu}-{part}" for gpu, part in places] * len(days),
        "node_group": none,
        "model": none,
        "region": none,
        "assumed": [False] * count,
        "units": one,
        "weight": one,
        "weight_cap": one,
    }


def fill(folder: Path, days: int) -> None:
    """Make a home with such a month. In a process of its own, whose memory no command's peak counts."""
    home = folder / "home"
    home.mkdir()
    (home / "gpuledger.toml").write_text(f'zone = "UTC"\nshards = {SHARDS}\n')
    database = Database.open(f"sqlite:///{home / 'gpuledger.db'}")
    lake = Lake(database, LocalFiles(home / "lake"), SHARDS)
    with database.commit("import facts", at_s=0) as commit:
        lake.publish(commit, stage(lake, days))
    database.close()


def check(folder: Path, days: int) -> None:
    """All time is there, and what was held to the tick: a slice is a seventh of its device."""
    lane, start, end, _ = day()
    cut = lane < CUT * SLICES
    held = int(((end - start) * np.where(cut, TICKS // SLICES, TICKS)).sum()) * days
    total = json.loads((folder / "usage.out").read_text())["total"]
    found = total["gpu_hours"], total["held_unobserved_gpu_hours"]
    wanted = str(gpu_hours(GPUS * days * DAY_S * TICKS)), str(gpu_hours(held))
    if found != wanted:
        sys.exit(f"the books are wrong: {found} GPU-hours in all and held, not {wanted}")


def show(taken: list[Taken], days: int) -> None:
    load = ", ".join(f"{part:.1f}" for part in os.getloadavg())
    facts = (CUT * SLICES + GPUS - CUT) * EACH_DAY * days
    print(f"{os.cpu_count()} processors, load {load}; {GPUS:,} GPUs, {days} days, {facts:,} holdings")
    print(f"{'':28}{'wall s':>9}{'cpu s':>9}{'peak MB':>9}{'tree MB':>9}")
    for one in taken:
        print(f"{one.name:28}{one.wall_s:9.2f}{one.cpu_s:9.2f}{one.peak / 1e6:9.0f}{one.tree / 1e6:9.0f}")


def main() -> int:
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--gate", action="store_true", help="fail above 1 GB, with one worker")
    asked.add_argument("--days", type=int, default=3, help="how many days, up to 31")
    asked.add_argument("--workers", type=int, default=1, help="how many processes")
    options = asked.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        filling = get_context("spawn").Process(target=fill, args=(folder, options.days))
        filling.start()
        filling.join()
        (folder / "prices.csv").write_text("model,rate,currency,from,to\nH100,2.95,USD,2026-01-01,\n")
        month = ["--month", "2026-10"]
        taken = [
            take("prices", ["import", "prices", str(folder / "prices.csv")], folder),
            take("run", ["--workers", str(options.workers), "run", *month], folder),
            take("usage", ["usage", *month, "--format", "json"], folder),
        ]
        check(folder, options.days)
    show(taken, options.days)
    within = taken[1].tree <= MOST_BYTES
    print(f"limit, {MOST_BYTES / 1e6:.0f} MB: {'kept' if within else 'BROKEN'}")
    return int(options.gate and not within)


if __name__ == "__main__":
    sys.exit(main())
