"""A year of 1,000 nodes at other prices: what `gpuledger apply --dry-run` takes to say who would pay what.

Run by `scripts/bench reprice [--gate] [--slots 8] [--months N]`; `benchmarks/README.md` says what the figures
mean. Three of 100 namespaces are on each node: they share its one slot, or have three, three and two of its
eight. The books of the months are made first; that is not counted.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator
from fractions import Fraction
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
import yaml
from first_books import Taken, take
from month import DAY_S, fact_files

from gpuledger.calendars import month_bounds
from gpuledger.lake import Lake, LocalFiles
from gpuledger.versions import Database, set_through

NODES, NAMESPACES, ON_A_NODE = 1_000, 100, 3
POOLS = [
    (model, region) for model in ("A100", "B200", "H100", "H200", "L40S", "MI300X") for region in "abcde"
]
"""Each has a rate of its own: thirty."""
RENEWED_S = 10 * DAY_S
YEAR = 2026
MOST_S, MOST_BYTES = {1: 30, 8: 180}, 500 * 10**6


def rate(pool: int, again: bool) -> str:
    """What an hour of a pool's GPU costs, at first and then."""
    return f"{1 + pool / 10 + (0.0375 if again else 0):.4f}"


def tenants() -> Any:
    """The namespaces on each node, the same all the time."""
    rng = np.random.default_rng(1)
    return np.array([rng.choice(NAMESPACES, ON_A_NODE, replace=False) for _ in range(NODES)])


def node(number: int) -> str:
    return f"node{number:03}"


def owner(namespace: int) -> str:
    return f"ns-{namespace:02}"


def bounds(months: int) -> tuple[int, int]:
    return month_bounds("UTC", f"{YEAR}-01")[0], month_bounds("UTC", f"{YEAR}-{months:02}")[1]


def stage(lake: Lake, slots: int, months: int) -> Iterator[Any]:
    """Slots for the whole time, and holdings that are renewed every ten days."""
    start_s, end_s = bounds(months)
    places = [(number, index) for number in range(NODES) for index in range(slots)]
    names = [f"{node(number)}/{index}" for number, index in places]
    pools = [POOLS[number % len(POOLS)] for number, _ in places]
    seat = {
        "node": [node(number) for number, _ in places],
        "slot": names,
        "slot_no": list(range(len(places))),
        "model": [model for model, _ in pools],
        "region": [region for _, region in pools],
        "start_s": start_s,
        "end_s": end_s,
    }
    kind = {"sku": "", "purchase_option": "", "compute_slices": 7, "memory_slices": 8}
    yield from fact_files(lake, "slot", names, seat | kind)
    yield from fact_files(lake, "holding", *holdings(slots, start_s, end_s))


def holdings(slots: int, start_s: int, end_s: int) -> tuple[list[str], dict[str, Any]]:
    """Those of each slot: a third each of the only one, else a whole slot in turn."""
    rows = [
        (f"{owner(who)}-{number}-{index}-{begin}", number, index, who, begin)
        for number, mine in enumerate(tenants().tolist())
        for begin in range(start_s, end_s, RENEWED_S)
        for index in range(slots)
        for who in (mine if slots == 1 else [mine[index % ON_A_NODE]])
    ]
    runs = [row[0] for row in rows]
    return runs, {
        "run": runs,
        "run_no": [position % 65_536 for position in range(len(rows))],
        "owner_key": [owner(row[3]) for row in rows],
        "node": [node(row[1]) for row in rows],
        "slot": [f"{node(row[1])}/{row[2]}" for row in rows],
        "start_s": [row[4] for row in rows],
        "end_s": [min(row[4] + RENEWED_S, end_s) for row in rows],
        "share_mode": "fraction" if slots == 1 else None,
        "weight_cap": ON_A_NODE if slots == 1 else 1,
        "node_group": "",
        "model": "",
        "region": "",
        "assumed": False,
        "units": 1,
        "weight": 1,
    }


def fill(folder: Path, slots: int, months: int) -> None:
    """Make a home with such a fleet. In a process of its own, whose memory no command's peak counts."""
    home = folder / "home"
    home.mkdir()
    (home / "gpuledger.toml").write_text('zone = "UTC"\n')
    database = Database.open(f"sqlite:///{home / 'gpuledger.db'}")
    lake = Lake(database, LocalFiles(home / "lake"))
    staged = list(stage(lake, slots, months))
    with database.commit("import facts", at_s=0) as commit:
        lake.publish(commit, staged)
        set_through(commit, "bench", "main", bounds(months)[1])
    database.close()


def write_terms(folder: Path, again: bool) -> str:
    """A folder of terms with thirty prices; its path."""
    folder.mkdir()
    prices = [
        {
            "model": model,
            "region": region,
            "rate": rate(number, again),
            "currency": "USD",
            "from": f"{YEAR}-01-01",
        }
        for number, (model, region) in enumerate(POOLS)
    ]
    (folder / "prices.yaml").write_text(yaml.safe_dump({"prices": prices}))
    return str(folder)


def wanted(slots: int, hours: int) -> dict[str, int]:
    """What each namespace would pay for a month, in cents, by the rates of its nodes."""
    exact: dict[str, Fraction] = defaultdict(Fraction)
    for number, mine in enumerate(tenants().tolist()):
        whole = Fraction(rate(number % len(POOLS), True)) * hours * 100
        for place, who in enumerate(mine):
            part = Fraction(1, ON_A_NODE) if slots == 1 else len(range(place, slots, ON_A_NODE))
            exact[owner(who)] += whole * part
    return {name: round(amount) for name, amount in exact.items()}


def check(folder: Path, slots: int, months: int) -> None:
    """Every month and namespace, to the cents of its thirty pools, each of which may round it once."""
    found = json.loads((folder / "apply.out").read_text())["months"]
    if [month["month"] for month in found] != [f"{YEAR}-{number:02}" for number in range(1, months + 1)]:
        sys.exit("months are missing")
    for month in found:
        start_s, end_s = month_bounds("UTC", month["month"])
        for name, cents in wanted(slots, (end_s - start_s) // 3600).items():
            line = next(team for team in month["teams"] if team["team"] == name)
            if abs(line["after"] - cents) > len(POOLS):
                sys.exit(f"{month['month']}: {name} would pay {line['after']} cents, not {cents}")


def show(taken: list[Taken], slots: int, months: int) -> None:
    load = ", ".join(f"{part:.1f}" for part in os.getloadavg())
    start_s, end_s = bounds(months)
    hours = NODES * (end_s - start_s) // 3600
    print(f"{os.cpu_count()} processors, load {load}; {hours:,} node-hours, {slots} slots a node")
    print(f"{'':28}{'wall s':>9}{'cpu s':>9}{'peak MB':>9}")
    for one in taken:
        print(f"{one.name:28}{one.wall_s:9.2f}{one.cpu_s:9.2f}{one.peak / 1e6:9.0f}")


def main() -> int:
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--gate", action="store_true", help="fail above 30 s (8 slots: 180 s) or 500 MB")
    asked.add_argument("--slots", type=int, default=1, choices=(1, 8), help="GPUs on a node")
    asked.add_argument("--months", type=int, default=12, help="how many months, from January")
    options = asked.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        filling = get_context("spawn").Process(target=fill, args=(folder, options.slots, options.months))
        filling.start()
        filling.join()
        first, then = write_terms(folder / "first", False), write_terms(folder / "then", True)
        taken = [
            take("terms", ["apply", "-f", first, "--no-money"], folder),
            take("run", ["--workers", str(os.cpu_count()), "run"], folder),
            take("apply", ["apply", "-f", then, "--dry-run", "--format", "json"], folder),
        ]
        check(folder, options.slots, options.months)
    show(taken, options.slots, options.months)
    most_s = MOST_S[options.slots] * options.months / 12
    within = taken[-1].wall_s <= most_s and taken[-1].peak <= MOST_BYTES
    word = "kept" if within else "BROKEN"
    print(f"limits, {most_s:.0f} s and {MOST_BYTES / 1e6:.0f} MB: {word}")
    return int(options.gate and not within)


if __name__ == "__main__":
    sys.exit(main())
