"""The cell rule, applied to the samples as they were written: which seconds of whom are known, and busy.

A sample falls into the cell of its instant; a cell has the greatest of its source's values. For a subject and
hour the best measure counts (SM activity, the engine's, utilisation of a whole device), then the source with
more cells, then its name. An empty cell takes the state before it, once; then nothing is known.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import accumulate

__all__ = ["BUSY_PERMILLE", "Reading", "Seen", "seen_by_subject"]

BUSY_PERMILLE = 50
_HOUR = 3600

Key = tuple[int, str, int]
"""(rank of the measure, source, step)."""


@dataclass(frozen=True)
class Reading:
    """One row of an export: who was seen when, by which source and step, and its best measure per mille."""

    subject: str
    source: str
    step_s: int
    at_s: int
    rank: int
    permille: int


@dataclass
class Seen:
    """What is known of a subject: stretches [start, end) whether it was busy, and whether by carrying."""

    starts: list[int] = field(default_factory=list)
    ends: list[int] = field(default_factory=list)
    busy: list[bool] = field(default_factory=list)
    carried: list[bool] = field(default_factory=list)

    def add(self, start_s: int, end_s: int, *, busy: bool, carried: bool) -> None:
        """Add a stretch behind all others."""
        self.starts.append(start_s)
        self.ends.append(end_s)
        self.busy.append(busy)
        self.carried.append(carried)

    def close(self) -> None:
        """Make sums, so that a question costs little."""
        lengths = [end - start for start, end in zip(self.starts, self.ends, strict=True)]
        self._sums = {
            "known": [0, *accumulate(lengths)],
            "busy": [0, *accumulate(n if b else 0 for n, b in zip(lengths, self.busy, strict=True))],
            "carried": [0, *accumulate(n if c else 0 for n, c in zip(lengths, self.carried, strict=True))],
        }
        self._flags = {"known": [True] * len(lengths), "busy": self.busy, "carried": self.carried}

    def seconds(self, what: str, start_s: int, end_s: int) -> int:
        """How many seconds of [start, end) are `known`, `busy` or `carried`."""
        return self._before(what, end_s) - self._before(what, start_s)

    def _before(self, what: str, at_s: int) -> int:
        place = bisect_right(self.starts, at_s)
        total = self._sums[what][place]
        if place and self.ends[place - 1] > at_s and self._flags[what][place - 1]:
            total -= self.ends[place - 1] - at_s
        return total


def seen_by_subject(readings: Iterable[Reading]) -> dict[str, Seen]:
    """What is known of each subject from all that was ever written of it, in whatever order."""
    hours: dict[tuple[str, int], dict[Key, dict[int, int]]] = defaultdict(lambda: defaultdict(dict))
    for one in readings:
        cells = hours[one.subject, one.at_s // _HOUR][one.rank, one.source, one.step_s]
        cell = one.at_s % _HOUR // one.step_s
        cells[cell] = max(one.permille, cells.get(cell, 0))
    found: dict[str, Seen] = defaultdict(Seen)
    for (subject, hour), candidates in sorted(hours.items()):
        key = min(candidates, key=lambda key: (key[0], -len(candidates[key]), key[1], key[2]))
        _stretch(found[subject], hour * _HOUR, key[2], candidates[key])
    for seen in found.values():
        seen.close()
    return dict(found)


def _stretch(seen: Seen, hour_s: int, step_s: int, cells: Mapping[int, int]) -> None:
    last: int | None = None
    for cell in range(_HOUR // step_s):
        value, carried = cells.get(cell), False
        if value is None:
            value, carried, last = last, True, None
        else:
            last = value
        if value is not None:
            at_s = hour_s + cell * step_s
            seen.add(at_s, at_s + step_s, busy=value >= BUSY_PERMILLE, carried=carried)
