"""How a holding shares its device: its mode, and its weight out of a whole."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from collectors.imports.cells import FractionCell, SharingCells
from collectors.imports.readings import count_of, fraction_of, number_of_text, text_of
from collectors.imports.rows import Cells, refuse

__all__ = ["WHOLE", "Share", "share_of"]

_MOST_REPLICAS = 1_000
_FINEST = 10**4


class Share(NamedTuple):
    """A mode, and `weight / cap` of each unit; a weight of 0 is a share that is not known."""

    mode: str | None
    weight: int
    cap: int


WHOLE = Share(None, 1, 1)
"""Who holds its lane alone."""


def share_of(
    fraction: FractionCell | None, sharing: SharingCells | None, nulls: frozenset[str]
) -> Callable[[Cells], Share]:
    """A function that gives a row's share by what the map says of it; without both it is whole."""
    if fraction is not None:
        return _by_fraction(fraction, nulls)
    if sharing is None:
        return lambda cells: WHOLE
    return _by_turns(sharing, nulls) if sharing.mode == "time_slicing" else _by_percentage(sharing, nulls)


def _by_fraction(cell: FractionCell, nulls: frozenset[str]) -> Callable[[Cells], Share]:
    share_at = fraction_of(cell, "fraction", nulls)

    def read(cells: Cells) -> Share:
        share = share_at(cells)
        return WHOLE if share == 1 else Share("fraction", share.numerator, share.denominator)

    return read


def _by_turns(sharing: SharingCells, nulls: frozenset[str]) -> Callable[[Cells], Share]:
    cell = sharing.replicas
    count = (lambda cells: None) if cell is None else count_of(cell, "replicas", nulls)

    def read(cells: Cells) -> Share:
        replicas = count(cells)
        if replicas is not None and not 1 <= replicas <= _MOST_REPLICAS:
            refuse(f"replicas are not from 1 to {_MOST_REPLICAS:,}", str(replicas))
        return Share("time_slicing", 1, replicas or 1)

    return read


def _by_percentage(sharing: SharingCells, nulls: frozenset[str]) -> Callable[[Cells], Share]:
    cell = sharing.percentage
    if cell is None:
        return lambda cells: Share("mps", 0, 100)
    text_at, exact = text_of(cell, nulls), number_of_text(cell, "percentage")

    def read(cells: Cells) -> Share:
        if not (text := text_at(cells)):
            return Share("mps", 0, 100)
        percent = exact(text)
        if not 0 < percent <= 100:
            refuse("percentage is not above 0 and at most 100", str(percent))
        if percent.denominator > _FINEST:
            refuse("percentage is finer than a ten-thousandth", str(percent))
        return Share("mps", percent.numerator, 100 * percent.denominator)

    return read
