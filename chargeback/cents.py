"""Cents of a run: each rounding pool's total, rounded once, given out to owners and then inside each."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from chargeback.layers import is_charged
from chargeback.ledger import Result
from chargeback.units import EntryDay
from gpuledger.money import Currency, nested_cents

__all__ = ["UNOWNED", "Cell", "cells_of"]

UNOWNED = "__account__"
"""The owner of what no team owns; statements key such an amount by its account, like `__idle_free__`."""

_Key = tuple[tuple[str, str], str, str, tuple[str, str, str]]


@dataclass(frozen=True, order=True)
class Cell:
    """The finest amount that has cents of its own: `quanta` as booked, `minor` in minor units."""

    rounding_pool: str
    team: str
    cost_centre: str
    owner: str
    account: str
    state: str
    model: str
    cluster: str
    quanta: int
    minor: int


def cells_of(result: Result, currency: Currency) -> list[Cell]:
    """All cells of a run; their minor units add up to the sum of the pools' totals, each rounded once.

    They go to teams and cost centres, inside each to owner keys, inside each to accounts, inside each to
    states, models and clusters. Every view of a statement is a sum of these.
    """
    cells: list[Cell] = []
    for pool, amounts in sorted(_sums(result.entries, result.pools).items()):
        minor = nested_cents(amounts, currency, result.cents.get(pool, 0))
        for key, cents in sorted(minor.items()):
            team, owner, account, rest = key
            cells.append(Cell(pool, *team, owner, account, *rest, amounts[key], cents))
    return cells


def _sums(entries: Iterable[EntryDay], pools: Mapping[str, str]) -> dict[str, dict[_Key, int]]:
    """What is charged, by rounding pool: that of its lot, else of its device class."""
    sums: dict[str, dict[_Key, int]] = defaultdict(lambda: defaultdict(int))
    for row in entries:
        if is_charged(row):
            key = (row.team, row.cost_centre), row.owner, row.account, (row.state, row.model, row.cluster)
            sums[pools.get(row.lot, row.lot) or row.model][key] += row.amount
    return sums
