"""Cells that say how long something took, as Slurm writes it, or as a number of seconds."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache

from collectors.imports.cells import TextCell
from collectors.imports.readings import text_of
from collectors.imports.rows import Cells, refuse
from gpuledger.instants import format_utc

__all__ = ["seconds_of", "suspended_of"]

_REMEMBERED = 1 << 12
_LENGTH = re.compile(
    r"(?:(?:([0-9]{1,6})-)?([0-9]{1,2}):)?([0-9]{1,3}):([0-9]{2})(?:\.[0-9]{1,9})?", re.ASCII
)
_SECONDS = re.compile(r"([0-9]{1,12})(?:\.[0-9]{1,9})?", re.ASCII)

Suspended = Callable[[Cells, int, int | None], int | None]


@lru_cache(_REMEMBERED)
def _seconds(text: str) -> int | None:
    """Whole seconds of `[[days-]hours:]minutes:seconds` or of a plain number; None for other text."""
    if plain := _SECONDS.fullmatch(text):
        return int(plain[1])
    if not (parts := _LENGTH.fullmatch(text)):
        return None
    days, hours, minutes, seconds = (int(part or 0) for part in parts.groups())
    return ((days * 24 + hours) * 60 + minutes) * 60 + seconds


def seconds_of(
    cell: TextCell, name: str, nulls: frozenset[str] = frozenset()
) -> Callable[[Cells], int | None]:
    """A function that gives whole seconds, parts of one cut off; None where the cell is empty."""
    text_at = text_of(cell, nulls)

    def read(cells: Cells) -> int | None:
        if not (text := text_at(cells)):
            return None
        if (seconds := _seconds(text)) is None:
            refuse(f"{name} is no length of time", text)
        return seconds

    return read


def suspended_of(
    suspended: TextCell | None, elapsed: TextCell | None, nulls: frozenset[str]
) -> Suspended | None:
    """A function that gives how long of [start, end) a run was suspended in all; None is not known.

    Told as such, or as what its running time, which Slurm counts without it, leaves of start to end. None
    where the map has neither.
    """
    if suspended is not None:
        told = seconds_of(suspended, "suspended", nulls)
        return lambda cells, start_s, end_s: _within(told(cells), "suspended", start_s, end_s)
    if elapsed is not None:
        ran = seconds_of(elapsed, "elapsed", nulls)
        return lambda cells, start_s, end_s: _left(ran(cells), start_s, end_s)
    return None


def _left(ran_s: int | None, start_s: int, end_s: int | None) -> int | None:
    if ran_s is None or end_s is None:
        return None
    _within(ran_s, "elapsed", start_s, end_s)
    return max(0, end_s - start_s - ran_s)


def _within(seconds: int | None, name: str, start_s: int, end_s: int | None) -> int | None:
    """The seconds, which are no more than there are from start to end; a second is the noise of both."""
    if seconds is not None and end_s is not None and seconds > end_s - start_s + 1:
        refuse(f"{name} is longer than start to end", f"{seconds} s from {format_utc(start_s)}")
    return seconds
