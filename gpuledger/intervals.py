"""Half-open intervals of whole seconds, and their algebra."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise
from typing import Protocol

from gpuledger.errors import InvariantError

__all__ = ["Interval", "Timed", "cut", "holds_at", "intersect", "merge", "subtract", "total_seconds"]


class Timed(Protocol):
    """What holds over `[start_s, end_s)`; an end of None is open."""

    @property
    def start_s(self) -> int: ...
    @property
    def end_s(self) -> int | None: ...


def holds_at(one: Timed, at_s: int) -> bool:
    """Whether it holds at an instant."""
    return one.start_s <= at_s and (one.end_s is None or at_s < one.end_s)


@dataclass(frozen=True, order=True)
class Interval:
    """The seconds from `start_s` up to, not including, `end_s`; an empty one has start = end."""

    start_s: int
    end_s: int

    def __post_init__(self) -> None:
        if self.end_s < self.start_s:
            raise InvariantError(
                f"an interval cannot end at {self.end_s}, before it starts at {self.start_s}"
            )

    @property
    def seconds(self) -> int:
        """Its length in seconds."""
        return self.end_s - self.start_s

    def overlaps(self, other: Interval) -> bool:
        """Whether the two share at least one second; touching is not overlapping."""
        return max(self.start_s, other.start_s) < min(self.end_s, other.end_s)

    def clip(self, other: Interval) -> Interval | None:
        """The part of this one inside `other`, or None when they share no second."""
        if not self.overlaps(other):
            return None
        return Interval(max(self.start_s, other.start_s), min(self.end_s, other.end_s))


def merge(intervals: Iterable[Interval]) -> list[Interval]:
    """The same seconds as disjoint intervals in order; touching ones become one, empty ones vanish."""
    merged: list[Interval] = []
    for interval in sorted(interval for interval in intervals if interval.seconds):
        if merged and interval.start_s <= merged[-1].end_s:
            merged[-1] = Interval(merged[-1].start_s, max(merged[-1].end_s, interval.end_s))
        else:
            merged.append(interval)
    return merged


def intersect(a: Iterable[Interval], b: Iterable[Interval]) -> list[Interval]:
    """The seconds that are in both."""
    left, right = merge(a), merge(b)
    shared: list[Interval] = []
    i = j = 0
    while i < len(left) and j < len(right):
        common = left[i].clip(right[j])
        shared += [common] if common else []
        if left[i].end_s <= right[j].end_s:
            i += 1
        else:
            j += 1
    return shared


def subtract(a: Iterable[Interval], b: Iterable[Interval]) -> list[Interval]:
    """The seconds of `a` that are not in `b`."""
    kept, holes = merge(a), merge(b)
    if not kept:
        return []
    edges = [
        kept[0].start_s,
        *(edge for hole in holes for edge in (hole.start_s, hole.end_s)),
        kept[-1].end_s,
    ]
    between = [Interval(low, high) for low, high in zip(edges[::2], edges[1::2], strict=True) if low < high]
    return intersect(kept, between)


def cut(interval: Interval, edges: Iterable[int]) -> list[Interval]:
    """The interval in pieces at those edges that lie inside it; the pieces tile it, an empty one has none."""
    inside = sorted({edge for edge in edges if interval.start_s < edge < interval.end_s})
    bounds = [interval.start_s, *inside, interval.end_s]
    return [Interval(low, high) for low, high in pairwise(bounds) if low < high]


def total_seconds(intervals: Iterable[Interval]) -> int:
    """The sum of the lengths; seconds in two intervals count twice (merge first to count them once)."""
    return sum(interval.seconds for interval in intervals)
