"""Activity and energy as the design says them, in plain Python: what the SQL must come out as."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from itertools import pairwise
from typing import Any, NamedTuple

EDGES = (0, 10, 50, 150, 300, 500, 700, 900)
LADDER = ("sm_active", "graphics_engine_active", "utilisation")
METHODS = {1: "counter", 2: "power"}


class Sample(NamedTuple):
    """One row of the lake, with what activity and energy read of it."""

    subject: str
    source: str
    at_s: int
    step_s: int = 60
    device: str | None = None
    sm_active: int | None = None
    graphics_engine_active: int | None = None
    utilisation: int | None = None
    energy_j: int | None = None
    power_w: int | None = None
    node: str = "n1"

    def row(self) -> dict[str, Any]:
        """It as a row of the table `sample`."""
        return {
            "cluster": "main",
            "node": self.node,
            "subject": self.subject,
            "source": self.source,
            "instant_us": self.at_s * 1_000_000,
            "device": self.device,
            "step_s": self.step_s,
            "sm_active_permille": self.sm_active,
            "graphics_engine_active_permille": self.graphics_engine_active,
            "utilisation_permille": self.utilisation,
            "energy_j": self.energy_j,
            "power_w": self.power_w,
        }


class Stretch(NamedTuple):
    """A row of the table `activity`, without its place."""

    subject: str
    source: str
    hour_s: int
    start_s: int
    end_s: int
    band: int
    carried_s: int
    measure: str


def stretches(samples: Iterable[Sample], carry: int = 1) -> list[Stretch]:
    """The activity that these samples make, by subject and start."""
    hours: dict[tuple[str, int], list[Sample]] = defaultdict(list)
    for one in samples:
        hours[one.subject, one.at_s // 3600 * 3600].append(one)
    found: list[Stretch] = []
    for (subject, hour_s), some in sorted(hours.items()):
        if chosen := _chosen(some):
            by, source, step_s, cells = chosen
            found += [
                Stretch(
                    subject,
                    source,
                    hour_s,
                    hour_s + a * step_s,
                    hour_s + b * step_s,
                    band,
                    c * step_s,
                    by,
                )
                for a, b, band, c in _runs(cells, 3600 // step_s, carry)
            ]
    return found


def _chosen(samples: list[Sample]) -> tuple[str, str, int, dict[int, int]] | None:
    """The measure, source and step that speak for an hour, with the greatest value of each cell."""
    cells: dict[tuple[int, str, int], dict[int, int]] = defaultdict(dict)
    for one in samples:
        for rank, measure in enumerate(LADDER):
            value = getattr(one, measure)
            if value is None or (measure == "utilisation" and one.device != one.subject):
                continue
            of = cells[rank, one.source, one.step_s]
            cell = one.at_s % 3600 // one.step_s
            of[cell] = max(of.get(cell, 0), value)
    if not cells:
        return None
    rank, source, step_s = min(cells, key=lambda key: (key[0], -len(cells[key]), key[1], key[2]))
    return LADDER[rank], source, step_s, cells[rank, source, step_s]


def _runs(cells: dict[int, int], count: int, carry: int) -> list[tuple[int, int, int, int]]:
    """(first cell, cell after the last, band, carried cells) of each stretch of equal bands."""
    runs: list[tuple[int, int, int, int]] = []
    empty, band = 0, None
    for cell in range(count):
        if cell in cells:
            empty, band, carried = 0, max(edge for edge in EDGES if edge <= cells[cell]), 0
        else:
            empty, carried = empty + 1, 1
        if band is None or empty > carry:
            continue
        if runs and runs[-1][1] == cell and runs[-1][2] == band:
            runs[-1] = (runs[-1][0], cell + 1, band, runs[-1][3] + carried)
        else:
            runs.append((cell, cell + 1, band, carried))
    return runs


class Used(NamedTuple):
    """A row of the table `energy`, without its place."""

    subject: str
    source: str
    hour_s: int
    start_s: int
    end_s: int
    joules: int
    known_s: int
    method: str


def energy(samples: Iterable[Sample], carry: int = 1) -> list[Used]:
    """The energy of each device and hour that these samples, of one day, make."""
    readings: dict[tuple[str, str, int], dict[int, tuple[int | None, int | None]]] = defaultdict(dict)
    for one in samples:
        if one.device is not None:
            of = readings[one.device, one.source, one.step_s]
            at_s = one.at_s // one.step_s * one.step_s
            total, watts = of.get(at_s, (None, None))
            of[at_s] = (_greater(total, one.energy_j), _greater(watts, one.power_w))
    parts: dict[tuple[str, int, int, str, int], list[tuple[int, int, int]]] = defaultdict(list)
    for (device, source, step_s), of in readings.items():
        totals = [(at_s, total) for at_s, (total, _) in sorted(of.items()) if total is not None]
        for (from_s, before), (to_s, total) in pairwise(totals):
            if to_s - from_s <= (1 + carry) * step_s:
                gain = total - before if total >= before else total
                for hour_s, a, b, joules in _by_hour(from_s, to_s, gain):
                    parts[device, hour_s, 1, source, step_s].append((a, b, joules))
        for at_s, (_, watts) in of.items():
            if watts is not None:
                hour_s = at_s // 3600 * 3600
                parts[device, hour_s, 2, source, step_s].append((at_s, at_s + step_s, watts * step_s))
    best: dict[tuple[str, int], Used] = {}
    known = {key: sum(b - a for a, b, _ in some) for key, some in parts.items()}
    for key in sorted(parts, key=lambda key: (key[2], -known[key], *key[3:])):
        device, hour_s, method, source, _ = key
        some = parts[key]
        first, last = min(a for a, _, _ in some), max(b for _, b, _ in some)
        used = Used(
            device,
            source,
            hour_s,
            first,
            last,
            sum(j for _, _, j in some),
            known[key],
            METHODS[method],
        )
        best.setdefault((device, hour_s), used)
    return [best[key] for key in sorted(best)]


def _greater(one: int | None, other: int | None) -> int | None:
    return max((x for x in (one, other) if x is not None), default=None)


def _by_hour(from_s: int, to_s: int, gain: int) -> list[tuple[int, int, int, int]]:
    first, last = from_s // 3600 * 3600, (to_s - 1) // 3600 * 3600
    if first == last:
        return [(first, from_s, to_s, gain)]
    before = gain * (last - from_s) // (to_s - from_s)
    return [(first, from_s, last, before), (last, last, to_s, gain - before)]
