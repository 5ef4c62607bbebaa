"""Worked examples with their inputs and answers, and books in which a case is made."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from house import House

from chargeback.cents import Cell, cells_of
from chargeback.ledger import Result
from gpuledger.money import currency, format_minor, largest_remainder

__all__ = [
    "ALL",
    "HOUR",
    "USD",
    "Made",
    "both_layers",
    "by_owner",
    "example",
    "is_near",
    "make",
    "seconds",
    "ten_places",
    "variant",
]

EXAMPLES = Path(__file__).parent / "conformance" / "examples.json"
USD = currency("USD")
HOUR, TICKS_IN_HOUR = 3600, 720720 * 3600
ALL = {"node": ["n1"]}

both_layers = pytest.mark.parametrize("charged", ["pooled", "recognised"])


@cache
def example(name: str) -> dict[str, Any]:
    found: list[dict[str, Any]] = json.loads(EXAMPLES.read_text("utf-8"))["examples"]
    return next(one for one in found if one["id"] == name)


def variant(name: str, policy: str) -> dict[str, Any]:
    found: list[dict[str, Any]] = example(name)["expected"]["variants"]
    return next(one for one in found if one["policy"] == policy)


@dataclass(frozen=True)
class Made:
    """The books of a period: the run, its cells with their cents, its entries and its hours."""

    result: Result
    cells: list[Cell]
    entries: list[dict[str, Any]]
    times: list[dict[str, Any]]

    @property
    def total(self) -> str:
        return format_minor(sum(cell.minor for cell in self.cells), USD)

    @property
    def cost(self) -> Fraction:
        """All that is charged, in major units, as booked."""
        return Fraction(sum(cell.quanta for cell in self.cells), USD.quantum)

    def hours(self, *accounts: str) -> Fraction:
        """GPU-hours in some accounts, or in all."""
        ticks = (row["ticks"] for row in self.times if not accounts or row["account"] in accounts)
        return Fraction(sum(ticks), TICKS_IN_HOUR)

    def booked(self, key: Callable[[dict[str, Any]], str], layer: str) -> dict[str, int]:
        """The entries of a layer by some key, in quanta."""
        found: dict[str, int] = defaultdict(int)
        for row in self.entries:
            if row["layer"] == layer:
                found[key(row)] += row["amount"]
        return dict(found)

    def cents(self, booked: dict[str, int]) -> dict[str, str]:
        """Cents of another grouping than a statement's lines: the total by largest remainder."""
        parts = largest_remainder(sum(cell.minor for cell in self.cells), booked)
        return {key: format_minor(minor, USD) for key, minor in parts.items()}


def make(house: House, period: str) -> Made:
    result = house.books(period)
    files = ("entry", "recognised_entry", "distributed_entry")
    entries = [row for name in files for row in house.rows_of(name, period)]
    return Made(result, cells_of(result, USD), entries, house.rows_of("time_row", period))


def is_near(booked: dict[str, int], exact: dict[str, str], splits: int) -> bool:
    """Whether booked quanta are the exact figures, within one quantum for each split."""
    wanted = {key: Fraction(text) * USD.quantum for key, text in exact.items()}
    return booked.keys() == wanted.keys() and all(abs(booked[key] - wanted[key]) <= splits for key in wanted)


def seconds(text: str) -> int:
    return int(datetime.fromisoformat(text).timestamp())


def ten_places(value: Fraction) -> Fraction:
    return Fraction(round(value * 10**10), 10**10)


def by_owner(cells: list[Cell], rounding_pool: str = "") -> dict[str, str]:
    """Cents by owner, of one rounding pool or of all."""
    found: dict[str, int] = defaultdict(int)
    for cell in cells:
        if rounding_pool in ("", cell.rounding_pool):
            found[cell.owner] += cell.minor
    return {owner: format_minor(minor, USD) for owner, minor in found.items()}
