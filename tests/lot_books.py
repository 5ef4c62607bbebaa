"""Lots and slots of one node on one day, and the entries that are made of them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import Any

from house import House, at

from gpuledger.calendars import month_bounds

__all__ = ["ALL", "DAY", "HOUR", "OCTOBER", "USD", "YEAR", "NewHouse", "all_entries", "by", "held", "slots"]

DAY, HOUR = at("2026-10-05T00:00Z"), 3600
OCTOBER = month_bounds("UTC", "2026-10")
YEAR = (at("2026-10-01T00:00Z"), at("2027-10-01T00:00Z"))
USD = 10**9
ALL = {"node": ["n1"]}
NewHouse = Callable[..., House]


def slots(house: House, count: int = 1, hours: int = 24, node: str = "n1") -> None:
    for index in range(count):
        house.slot(node, index, DAY, DAY + hours * HOUR)


def held(house: House, owner: str, index: int = 0, hours: int = 24, node: str = "n1") -> None:
    place = {"node": node, "slot": f"{node}/{index}"}
    house.holding(f"job-{owner}-{index}", DAY, DAY + hours * HOUR, owner, **place)


def all_entries(house: House, period: str = "2026-10") -> list[dict[str, Any]]:
    """The entries of the last run, of all layers."""
    names = ("entry", "recognised_entry", "distributed_entry")
    return [row for name in names for row in house.rows_of(name, period)]


def by(rows: Sequence[dict[str, Any]], *names: str, **where: str) -> dict[Any, int]:
    """Quanta by some columns, of the rows that have these values."""
    found: dict[Any, int] = defaultdict(int)
    for row in rows:
        if all(row[name] == value for name, value in where.items()):
            found[tuple(row[name] for name in names) if len(names) > 1 else row[names[0]]] += row["amount"]
    return dict(found)
