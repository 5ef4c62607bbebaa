"""What every file is once it is read: rows of text cells with their numbers, and what is said of bad ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple, NoReturn

__all__ = ["BadRow", "Cells", "Misfit", "Rejected", "Row", "refuse"]

Cells = Mapping[str, str]


class Row(NamedTuple):
    """A row: its number in the file (1 = first row of data) and the text of its cells by column."""

    number: int
    cells: Cells


class Misfit(NamedTuple):
    """A row that does not fit its header: too few cells or too many."""

    number: int
    reason: str
    cells: Sequence[str]


class Rejected(NamedTuple):
    """A row that goes to quarantine: why in general, and what exactly (both in words)."""

    number: int
    reason: str
    detail: str


class BadRow(Exception):
    """A row that cannot be right; `reason` is one of a few sentences, so that rows can be counted by it."""

    def __init__(self, reason: str, detail: str = "") -> None:
        super().__init__(reason, detail)
        self.reason = reason
        self.detail = detail


def refuse(reason: str, detail: str = "") -> NoReturn:
    """Send the row that is being read to quarantine."""
    raise BadRow(reason, detail)
