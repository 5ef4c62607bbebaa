"""What the cells of a column are as times: numbers of some unit, text with its offset, or local time."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import get_args

from gpuledger.errors import InputError
from gpuledger.instants import Unit, parse_instant

__all__ = ["TimeForm", "time_form"]

_NUMBER = re.compile(r"[+-]?[0-9]{1,30}(?:\.[0-9]{0,30})?(?:[eE][+-]?[0-9]{1,2})?", re.ASCII)
_LOCAL = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}(?:[Tt ][0-9:.,]*)?", re.ASCII)


@dataclass(frozen=True)
class TimeForm:
    """How most cells of a column write an instant; `problem` says why they write none.

    `unit` is None for text, and where there is no cell to judge by; `local` text names no offset.
    """

    unit: Unit | None = None
    local: bool = False
    words: str = "no cell to check it against"
    problem: str = ""


def time_form(cells: Sequence[str]) -> TimeForm:
    """Judge the cells of a column, the empty ones left out.

    >>> time_form(["1792022400000"]).unit
    'ms'
    """
    if not cells:
        return TimeForm()
    numbers = [text for text in cells if _NUMBER.fullmatch(text)]
    if _most(numbers, cells):
        unit = next((unit for unit in get_args(Unit) if _most(_instants(numbers, unit), cells)), None)
        if unit is None:
            return TimeForm(problem=f"{numbers[0]} counts from another instant than 1970")
        return TimeForm(unit, words=f"Unix time in {unit}")
    written = _instants([text for text in cells if not _NUMBER.fullmatch(text)], "s")
    if not _most(written, cells):
        other = next(text for text in cells if text not in written)
        return TimeForm(problem=f"{other[:40]!r} is no instant")
    local = any(_LOCAL.fullmatch(text) for text in written)
    return TimeForm(local=local, words=f"ISO 8601 {'without' if local else 'with'} an offset")


def _most(some: Sequence[str], cells: Sequence[str]) -> bool:
    return 2 * len(some) > len(cells)


def _instants(cells: Sequence[str], unit: Unit) -> list[str]:
    return [text for text in cells if _is_instant(text, unit)]


def _is_instant(text: str, unit: Unit) -> bool:
    try:
        parse_instant(text, zone="UTC", epoch_s=None, unit=unit)
    except InputError:
        return False
    return True
