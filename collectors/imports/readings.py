"""Cells as text and as exact numbers: functions made once from the map, called once per row."""

from __future__ import annotations

import re
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache

from collectors.imports.cells import FractionCell, QuantityCell, TextCell
from collectors.imports.rows import Cells, refuse

__all__ = ["count_of", "fraction_of", "number_of_text", "text_of", "tres_amount"]

_GREATEST = 2**53
_LONGEST = 80
_REMEMBERED = 1 << 14
_NUMBER = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]{1,2})?", re.ASCII)
_TRES = re.compile(r"([0-9]+(?:\.[0-9]+)?)([KMGTP]?)", re.ASCII)
_POWERS = {mark: 1024**power for power, mark in enumerate(("", "K", "M", "G", "T", "P"))}

TextReading = Callable[[Cells], str]


def text_of(cell: TextCell | None, nulls: frozenset[str] = frozenset(), *, fill: bool = True) -> TextReading:
    """A function that gives a field's text, stripped; "" where it is not mapped, empty, or one of the nulls.

    With `fill` an empty cell is what the map says by `missing`; times give that word another meaning.
    """
    if cell is None:
        return lambda cells: ""
    constant, columns, missing = cell.constant, cell.columns, (cell.missing or "") if fill else ""
    if constant is not None:
        return lambda cells: constant

    def read(cells: Cells) -> str:
        for column in columns:
            text = cells[column].strip()
            if text and text not in nulls:
                return text
        return missing

    return read


def number_of_text(cell: QuantityCell | FractionCell, name: str) -> Callable[[str], Fraction]:
    """A function that gives the exact number, 0 or more, of a cell's text; it remembers what it read."""
    tres = cell.tres if isinstance(cell, QuantityCell) else None
    times = int(cell.times) if isinstance(cell, QuantityCell) else 1
    scale = Fraction(times, int(cell.per))

    @lru_cache(_REMEMBERED)
    def number(text: str) -> Fraction:
        exact = (_number(text, name) if tres is None else tres_amount(text, tres)) * scale
        if exact < 0:
            refuse(f"{name} is negative", text)
        if exact > _GREATEST:
            refuse(f"{name} is beyond all bounds", text)
        return exact

    return number


def count_of(
    cell: QuantityCell, name: str, nulls: frozenset[str] = frozenset(), *, mend: str = ""
) -> Callable[[Cells], int | None]:
    """A function that gives a whole number of 0 or more, None where the cell is empty."""
    text_at, exact = text_of(cell, nulls), number_of_text(cell, name)

    @lru_cache(_REMEMBERED)
    def count(text: str) -> int:
        number = exact(text)
        if number.denominator != 1:
            refuse(f"{name} is not whole{mend}", str(number))
        return number.numerator

    def read(cells: Cells) -> int | None:
        text = text_at(cells)
        return count(text) if text else None

    return read


def fraction_of(
    cell: FractionCell, name: str, nulls: frozenset[str] = frozenset()
) -> Callable[[Cells], Fraction]:
    """A function that gives a share above 0 and at most 1; where every cell is empty it is 1."""
    parts = [_part_of(part, name, nulls) for part in cell.greatest_of or (cell,)]

    def read(cells: Cells) -> Fraction:
        shares = [share for part in parts if (share := part(cells)) is not None]
        share = max(shares, default=Fraction(1))
        if not 0 < share <= 1:
            refuse(f"{name} is not above 0 and at most 1", str(share))
        if share.denominator > 10**6:
            refuse(f"{name} is finer than a millionth", str(share))
        return share

    return read


def _part_of(cell: FractionCell, name: str, nulls: frozenset[str]) -> Callable[[Cells], Fraction | None]:
    """A function that gives one share, divided by a number or by a column; None where its cell is empty."""
    text_at, exact = text_of(cell, nulls), number_of_text(cell, name)
    whole_at = None if cell.per_column is None else text_of(TextCell(column=cell.per_column), nulls)

    def read(cells: Cells) -> Fraction | None:
        if not (text := text_at(cells)):
            return None
        if whole_at is None:
            return exact(text)
        if not (whole := _number(whole_at(cells) or "0", name)) > 0:
            refuse(f"{name} has nothing to be divided by", f"column {cell.per_column}")
        return exact(text) / whole

    return read


def tres_amount(text: str, name: str) -> Fraction:
    """How much of a resource a Slurm TRES list names: the bare one if it is there, else the sum of its types.

    >>> tres_amount("cpu=4,gres/gpu:a100=2,gres/gpu:h100=1,gres/gpumem=80G", "gres/gpu")
    Fraction(3, 1)
    """
    bare: Fraction | None = None
    typed = Fraction(0)
    for part in text.split(","):
        resource, _, amount = part.strip().partition("=")
        if resource == name or resource.startswith(name + ":"):
            written = _TRES.fullmatch(amount)
            if not written:
                refuse(f"the TRES list names no amount of {name}", part)
            number = Fraction(Decimal(written[1])) * _POWERS[written[2]]
            bare, typed = (number, typed) if resource == name else (bare, typed + number)
    return typed if bare is None else bare


def _number(text: str, name: str) -> Fraction:
    if len(text) > _LONGEST or not _NUMBER.fullmatch(text):
        refuse(f"{name} is no number", text[:_LONGEST])
    return Fraction(Decimal(text))
