"""From import to statement on a real trace, as a user does it, against a bare scan of the same columns.

Run by `scripts/bench first_books [--gate]`; `benchmarks/README.md` says what the figures mean. With `--gate`
it fails where the limits are broken.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import psutil  # type: ignore[import-untyped]

from gpuledger.engine import connect

ROOT = Path(__file__).resolve().parents[1]
TRACE = "alibaba-gpu-v2025/disaggregated_DLRM_trace.csv.gz"
MAP = ROOT / "tests" / "realdata" / "alibaba-gpu-v2025.map.yaml"
PRICES = "model,rate,currency,from,to\ngpu,2.744705,USD,2026-10-01,\n"
MONTHS = ("2026-10", "2026-11")

GPU_HOURS = "2375875.476667"
MOST_S, MOST_BYTES = 20.0, 800 * 10**6

SAMPLED_EVERY_S = 0.02
BYTES_PER_RSS = 1 if sys.platform == "darwin" else 1024

SCAN = """
select count(*), count(instance_sn), count(app_name), sum(gpu_request), sum(creation_time),
    sum(scheduled_time), sum(deletion_time)
from read_csv(?)
"""


@dataclass(frozen=True)
class Taken:
    """What a command took: seconds of wall and processor, greatest resident set of one process and of all."""

    name: str
    wall_s: float
    cpu_s: float
    peak: int
    tree: int


def commands(trace: Path, folder: Path) -> Iterator[tuple[str, list[str]]]:
    """The commands from file to statement, each with a short name."""
    yield "import holdings", ["import", "holdings", str(trace), "--map", str(MAP)]
    yield "import prices", ["import", "prices", str(folder / "prices.csv")]
    yield "run", ["run"]
    for month in MONTHS:
        yield f"statement {month}", ["statement", "--month", month, "--format", "json"]


def take(name: str, words: list[str], folder: Path) -> Taken:
    """Run one command in a process of its own; what it prints goes to a file of its name."""
    out, err = str(folder / f"{name}.out"), str(folder / f"{name}.err")
    command = [sys.executable, "-m", "gpuledger", "--home", str(folder / "home"), "--workers", "1", *words]
    into = [
        (os.POSIX_SPAWN_OPEN, number, path, os.O_CREAT | os.O_WRONLY, 0o644)
        for number, path in ((1, out), (2, err))
    ]
    environ = {"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT)}
    begun_s = time.perf_counter()
    pid = os.posix_spawn(sys.executable, command, environ, file_actions=into)
    tree = 0
    while not (waited := os.wait4(pid, os.WNOHANG))[0]:
        tree = max(tree, resident(pid))
        time.sleep(SAMPLED_EVERY_S)
    wall_s = time.perf_counter() - begun_s
    _, status, usage = waited
    if status:
        sys.exit(f"{name} failed:\n{Path(err).read_text()}")
    peak = usage.ru_maxrss * BYTES_PER_RSS
    return Taken(name, wall_s, usage.ru_utime + usage.ru_stime, peak, max(tree, peak))


def resident(pid: int) -> int:
    """The sum of the resident sets of a process and all below it, now."""
    total = 0
    try:
        process = psutil.Process(pid)
        for one in [process, *process.children(recursive=True)]:
            total += one.memory_info().rss
    except psutil.Error:
        pass
    return total


def bare_scan_s(trace: Path) -> float:
    """The best of five scans."""

    def once() -> float:
        begun_s = time.perf_counter()
        connection.execute(SCAN, [str(trace)]).fetchall()
        return time.perf_counter() - begun_s

    with connect() as connection:
        return min(once() for _ in range(5))


def check(folder: Path) -> None:
    """The statements that were printed have all of the trace's time, and a price for it."""
    statements = [json.loads((folder / f"statement {month}.out").read_text()) for month in MONTHS]
    microseconds = sum(statement["gpu_microseconds"] for statement in statements)
    if f"{microseconds / 3.6e9:.6f}" != GPU_HOURS or any(not one["total"] for one in statements):
        sys.exit(f"the books are wrong: {microseconds / 3.6e9:.6f} GPU-hours, not {GPU_HOURS}")


def show(taken: list[Taken], scan_s: float) -> None:
    load = ", ".join(f"{part:.1f}" for part in os.getloadavg())
    print(f"{os.cpu_count()} processors, load {load}")
    print(f"{'':20}{'wall s':>9}{'cpu s':>9}{'peak MB':>9}{'tree MB':>9}")
    for one in taken:
        print(f"{one.name:20}{one.wall_s:9.2f}{one.cpu_s:9.2f}{one.peak / 1e6:9.0f}{one.tree / 1e6:9.0f}")
    print(f"{'bare scan':20}{scan_s:9.3f}")
    print(f"{'ratio to the scan':20}{taken[-1].wall_s / scan_s:9.0f}")


def in_all(taken: list[Taken]) -> Taken:
    def most(of: Callable[[Taken], int]) -> int:
        return max(map(of, taken))

    wall_s, cpu_s = sum(one.wall_s for one in taken), sum(one.cpu_s for one in taken)
    return Taken("in all", wall_s, cpu_s, most(lambda one: one.peak), most(lambda one: one.tree))


def main() -> int:
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--gate", action="store_true", help="fail above 20 s or 800 MB")
    gate = asked.parse_args().gate
    trace = Path(os.environ.get("GPULEDGER_REALDATA", "")) / TRACE
    if not trace.is_file():
        print(f"skipped: GPULEDGER_REALDATA names no folder with {TRACE}")
        return int(gate)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "prices.csv").write_text(PRICES)
        taken = [take(name, words, folder) for name, words in commands(trace, folder)]
        check(folder)
    taken.append(in_all(taken))
    show(taken, bare_scan_s(trace))
    within = taken[-1].wall_s <= MOST_S and taken[-1].tree <= MOST_BYTES
    print(f"limits, {MOST_S:.0f} s and {MOST_BYTES / 1e6:.0f} MB: {'kept' if within else 'BROKEN'}")
    return int(gate and not within)


if __name__ == "__main__":
    sys.exit(main())
