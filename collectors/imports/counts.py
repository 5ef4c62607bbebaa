"""Rows that count units over time: one series per group."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple, TypeVar

from collectors.imports.cells import HeldCell
from collectors.imports.column_map import CapacityMap
from collectors.imports.readings import count_of, number_of_text, text_of
from collectors.imports.rows import Cells, refuse
from collectors.imports.times import Times
from gpuledger.errors import ColumnMapError, Place
from gpuledger.money import half_up

__all__ = ["CapacityReader", "CountRow", "Series", "Traits", "series_of"]

_TEXTS = ("cluster", "group", "owner_key", "model", "region", "sku", "provider", "purchase_option")
_MOST_UNITS = 1_000_000

Level = TypeVar("Level")


class Traits(NamedTuple):
    """What the units of a group are; "" is not known."""

    model: str
    region: str
    sku: str
    provider: str
    purchase_option: str


_traits = lru_cache(1 << 10)(Traits)


class CountRow(NamedTuple):
    """What a row says: from `at_s` on a group has `total` units, `held` of them held (None: not said)."""

    cluster: str
    group: str
    at_s: int
    total: int
    held: int | None
    owner_key: str
    traits: Traits

    @property
    def key(self) -> tuple[str, str, int]:
        """Group and instant: two rows of one key must say the same."""
        return self.cluster, self.group, self.at_s


class CapacityReader:
    """Reads rows by one map; `cluster` is what a row belongs to that names none."""

    def __init__(self, column_map: CapacityMap, times: Times, cluster: str) -> None:
        nulls, columns = frozenset(column_map.nulls), column_map.columns
        self._cluster_else = cluster
        self._text = {name: text_of(getattr(columns, name), nulls) for name in _TEXTS}
        self._at = times.reading(columns.at, "at", nulls)
        self._total = count_of(columns.total, "total", nulls)
        self._held = None if columns.held is None else _held_of(columns.held, nulls)

    def read(self, cells: Cells) -> CountRow:
        """The count of a row; raises `BadRow` when it cannot be right."""
        text = {name: read(cells) for name, read in self._text.items()}
        at_s, total = self._at(cells), self._total(cells)
        if at_s is None:
            refuse("at is empty")
        if total is None:
            refuse("total is empty")
        if total > _MOST_UNITS:
            refuse(f"total is above {_MOST_UNITS:,}", str(total))
        if not text["group"]:
            refuse("group is empty")
        held = None if self._held is None else self._held(cells, total)
        owner_key = text["owner_key"] or text["group"]
        traits = _traits(*(text[name] for name in Traits._fields))
        return CountRow(
            text["cluster"] or self._cluster_else, text["group"], at_s, total, held, owner_key, traits
        )


def _held_of(cell: HeldCell, nulls: frozenset[str]) -> Callable[[Cells, int], int | None]:
    """A function that gives the units held, None where the row does not say."""
    if cell.share is None:
        counted = count_of(cell, "held", nulls)
        return lambda cells, total: counted(cells)
    text_at, exact = text_of(cell, nulls), number_of_text(cell, "held")
    parts = int(10 ** (cell.places or 0))

    @lru_cache(1 << 16)
    def held_of(text: str, total: int) -> int:
        share = exact(text)
        held = half_up(share * total)
        if total >= parts:
            refuse("held cannot be told from a share of so few places", f"{text} of {total}")
        if abs(share * total - held) > Fraction(total, 2 * parts):
            refuse("held is no whole number of units", f"{text} of {total}")
        return held

    def read(cells: Cells, total: int) -> int | None:
        text = text_at(cells)
        return held_of(text, total) if text else None

    return read


@dataclass(frozen=True)
class Series:
    """The counts of one group, in order; each lasts until the next, the last one until `end_s`.

    `gaps` counts the stretches that are longer than the step.
    """

    cluster: str
    group: str
    rows: tuple[CountRow, ...]
    end_s: int
    gaps: int

    @property
    def start_s(self) -> int:
        """The first instant that is counted."""
        return self.rows[0].at_s

    def levels(self, of: Callable[[CountRow], Level]) -> list[tuple[Level, int, int]]:
        """The longest stretches over which something about the counts stays, as (it, start, end)."""
        found: list[tuple[Level, int, int]] = []
        ends = [*(row.at_s for row in self.rows[1:]), self.end_s]
        for row, end_s in zip(self.rows, ends, strict=True):
            level = of(row)
            if found and found[-1][0] == level:
                found[-1] = (level, found[-1][1], end_s)
            else:
                found.append((level, row.at_s, end_s))
        return found


def series_of(rows: Iterable[CountRow], step_s: int | None, file: str) -> list[Series]:
    """The rows as one series per group.

    The last count lasts a step: `step_s`, else the least time between two rows of the group. Raises
    `ColumnMapError` where neither is known.
    """
    grouped: dict[tuple[str, str], list[CountRow]] = defaultdict(list)
    for row in rows:
        grouped[row.cluster, row.group].append(row)
    series = []
    for (cluster, group), counts in sorted(grouped.items()):
        counts.sort(key=lambda row: row.at_s)
        between = [after.at_s - before.at_s for before, after in pairwise(counts)]
        if step_s is None and not between:
            raise ColumnMapError(
                f"group {group!r} has one row, and nothing says how long it lasts",
                place=Place(file),
                mend="write step: with the usual number of seconds between two rows in the map",
            )
        step = step_s or min(between)
        gaps = sum(length > step for length in between)
        series.append(Series(cluster, group, tuple(counts), counts[-1].at_s + step, gaps))
    return series
