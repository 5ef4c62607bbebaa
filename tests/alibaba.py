"""Alibaba's trace of 2025: its rows, what they hold in each month, and a home in which commands are typed.

The trace names no node, no price and no instant at which it began: capacity is assumed, the price and the
epoch are declared. What the books must come to is worked out from the rows, in Fractions.
"""

from __future__ import annotations

import csv
import gzip
import io
import json
import shutil
from collections import defaultdict
from collections.abc import Iterable
from contextlib import redirect_stdout
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import Any

from gpuledger.cli import invoke
from gpuledger.instants import parse_instant
from gpuledger.money import half_up
from gpuledger.session import Edge, Session

__all__ = [
    "EPOCH_S",
    "MONTHS",
    "PRICES",
    "Home",
    "Imported",
    "Instance",
    "at",
    "cents",
    "gpu_seconds",
    "hours",
    "line_seconds",
    "read_trace",
]

MAP = Path(__file__).parent / "realdata" / "alibaba-gpu-v2025.map.yaml"
RATE = "2.744705"
PRICES = f"model,rate,currency,from,to\ngpu,{RATE},USD,2026-10-01,\n"
WINDOW_S = 2_677_541


def at(text: str) -> int:
    return parse_instant(text, zone=None, epoch_s=None)


EPOCH_S = at("2026-10-15T00:00Z")
MONTHS = {
    "2026-10": (at("2026-10-01T00:00Z"), at("2026-11-01T00:00Z")),
    "2026-11": (at("2026-11-01T00:00Z"), at("2026-12-01T00:00Z")),
}


@dataclass(frozen=True)
class Instance:
    """A row of the trace: who held how many GPUs, from when to when (Unix seconds)."""

    app: str
    gpus: int
    start_s: int
    end_s: int

    def gpu_seconds(self, month: str) -> int:
        from_s, to_s = MONTHS[month]
        return self.gpus * max(0, min(self.end_s, to_s) - max(self.start_s, from_s))


def read_trace(trace: Path) -> list[Instance]:
    with gzip.open(trace, "rt", newline="") as file:
        return [_instance(row) for row in csv.DictReader(file)]


def _instance(row: dict[str, str]) -> Instance:
    """A row, its times whole seconds again: they carry the noise of a float, as in 32709.000000000004."""
    exact = [
        Fraction(row["scheduled_time"] or row["creation_time"] or 0),
        Fraction(row["deletion_time"] or WINDOW_S),
    ]
    start, end = (round(second) for second in exact)
    assert max(abs(start - exact[0]), abs(end - exact[1])) < Fraction(1, 10**6)
    return Instance(row["app_name"], int(row["gpu_request"]), EPOCH_S + start, EPOCH_S + end)


def gpu_seconds(instances: Iterable[Instance], month: str) -> dict[str, int]:
    """Of each application that held a GPU in the month."""
    held: dict[str, int] = defaultdict(int)
    for one in instances:
        held[one.app] += one.gpu_seconds(month)
    return {app: seconds for app, seconds in held.items() if seconds}


def line_seconds(statement: dict[str, Any]) -> dict[str, int]:
    """The GPU-seconds of each line, which are whole here: six places of an hour tell them exactly."""
    return {line["key"]: round(Fraction(line["gpu_hours"]) * 3600) for line in statement["lines"]}


def hours(seconds: int) -> Fraction:
    """GPU-hours as statements print them, six places, half up."""
    return Fraction(half_up(Fraction(seconds, 3600) * 10**6), 10**6)


def cents(seconds: int) -> Fraction:
    """The exact product of time and price, in cents."""
    return Fraction(seconds, 3600) * Fraction(RATE) * 100


@dataclass(frozen=True)
class Home:
    """A home of its own for the trace, and the commands that are typed there at a time of the test's."""

    folder: Path
    trace: Path
    now: str = "2026-12-05T09:00:00Z"

    def on(self, day: str) -> Home:
        return replace(self, now=f"{day}T09:00:00Z")

    def copy(self, folder: Path) -> Home:
        shutil.copytree(self.folder, folder, dirs_exist_ok=True)
        return replace(self, folder=folder)

    def write(self, name: str, text: str) -> Path:
        path = self.folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
        return path

    def call(self, *words: str) -> str:
        """Run a command, which must end well, and give what it printed."""
        with redirect_stdout(io.StringIO()) as printed:
            assert invoke(words, edge=self._edge()) == 0, words
        return printed.getvalue()

    def read(self, *words: str) -> dict[str, Any]:
        read: dict[str, Any] = json.loads(self.call(*words, "--format", "json"))
        return read

    def bring_in(self, *more: str) -> dict[str, Any]:
        return self.read("import", "holdings", str(self.trace), "--map", str(MAP), *more)

    def starts_and_ends(self) -> list[tuple[int, int]]:
        """Of each holding that the lake knows."""
        session = Session(self._edge())
        try:
            known = session.lake.in_force("holding", session.database.latest_seq())
        finally:
            session.close()
        return list(zip(known["start_s"].to_pylist(), known["end_s"].to_pylist(), strict=True))

    def _edge(self) -> Edge:
        flags = {"home": str(self.folder / "home"), "zone": "UTC", "now": self.now}
        return Edge(environ={}, cwd=self.folder, flags=flags)


@dataclass(frozen=True)
class Imported:
    """A home that has the trace and its price and no books yet, and what the import said."""

    home: Home
    summary: dict[str, Any]
