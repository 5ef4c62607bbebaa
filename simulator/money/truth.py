"""Whose money it is: every flow laid on who held what, by stretches in which nothing changes.

Money is even over a clock hour cut at local midnights, so an hour in which something changes is a stretch of
its own, and all hours between two such are one.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from fractions import Fraction
from itertools import pairwise
from zoneinfo import ZoneInfo

from simulator.money.flow import Flow
from simulator.money.flows import flows_of
from simulator.money.people import People
from simulator.money.world import Bill, Grant, Hold, MoneyWorld, Run

__all__ = ["Balance", "MoneyTruth", "month_starts", "truth_of_money"]

_HOUR = 3600
Place = str
"""A node, or `__account__` of an account."""


@dataclass(frozen=True)
class Balance:
    """A flow at a month's end, in exact quanta: what it cost in the month, and everything up to its end."""

    month: str
    name: str
    cost: Fraction
    fx: Fraction
    recognised: Fraction
    billed: Fraction
    is_late: bool
    is_recoverable: bool

    @property
    def prepaid(self) -> Fraction:
        """What was invoiced before its time; of what is late, or comes back as tax, nothing."""
        return Fraction(0) if self.is_late or self.is_recoverable else self._beyond(1)

    @property
    def accrued(self) -> Fraction:
        """What had its time and was not invoiced; below 0 where what is late was invoiced first."""
        if self.is_recoverable:
            return Fraction(0)
        return self.recognised - self.billed if self.is_late else self._beyond(-1)

    def _beyond(self, side: int) -> Fraction:
        sign = -1 if self.recognised + self.billed < 0 else 1
        return sign * max(Fraction(0), side * sign * (self.billed - self.recognised))


@dataclass(frozen=True)
class MoneyTruth:
    """What a year's books must say.

    `owners` has exact quanta by month and key, `__account__` for what no team owns; `pools` the same by
    month and pool of devices; `balances` are by month and flow.
    """

    flows: tuple[Flow, ...]
    owners: dict[tuple[str, str], Fraction]
    pools: dict[tuple[str, str], Fraction]
    balances: tuple[Balance, ...]


def truth_of_money(
    world: MoneyWorld,
    *,
    pooled: bool,
    bills: Sequence[Bill] | None = None,
    months: Sequence[str] | None = None,
) -> MoneyTruth:
    """Work out some months of a world of which these bills have come; all of them where nothing is said."""
    flows = flows_of(world, world.money.bills if bills is None else bills)
    laying = _Laying(world, flows, pooled)
    balances: list[Balance] = []
    for month, (begin, end) in zip(world.months, pairwise(month_starts(world)), strict=True):
        if months is None or month in months:
            laying.month(month, begin, end)
            balances += _balances(month, flows, world.start_s, begin, end)
    return MoneyTruth(tuple(flows), dict(laying.owners), dict(laying.pools), tuple(balances))


def month_starts(world: MoneyWorld) -> list[int]:
    """Where each month begins, and the end of the last."""
    zone = ZoneInfo(world.zone)
    begins = [
        int(datetime.fromisoformat(f"{month}-01").replace(tzinfo=zone).timestamp()) for month in world.months
    ]
    return [*begins, world.end_s]


def _balances(month: str, flows: Sequence[Flow], first_s: int, begin: int, end: int) -> Iterator[Balance]:
    for flow in flows:
        settled = [one for one in flow.invoices if one.at_s < end]
        yield Balance(
            month=month,
            name=flow.name,
            cost=flow.between(begin, end),
            fx=sum((one.fx for one in settled if one.at_s >= begin), Fraction(0)),
            recognised=flow.between(first_s, end),
            billed=sum((one.amount - one.fx for one in settled), Fraction(0)),
            is_late=flow.is_late,
            is_recoverable=flow.is_recoverable,
        )


class _Laying:
    def __init__(self, world: MoneyWorld, flows: Sequence[Flow], pooled: bool) -> None:
        self.world, self.flows, self.pooled = world, flows, pooled
        self.owners: dict[tuple[str, str], Fraction] = defaultdict(Fraction)
        self.pools: dict[tuple[str, str], Fraction] = defaultdict(Fraction)
        self._people = People(world)
        self._edges = _edges(world, flows)
        self._pool_of = {run.node: f"{run.model}/{run.region}" for run in world.runs}

    def month(self, month: str, begin: int, end: int) -> None:
        """Lay all flows of a month."""
        stretches = list(_stretches(self.world, self._edges, begin, end))
        landed: dict[str, dict[tuple[int, Place], Fraction]] = {}
        for flow in self.flows:
            if not flow.follows:
                landed[flow.name] = dict(self._landed(flow, stretches))
        waiting = [flow for flow in self.flows if flow.follows]
        for flow in waiting:
            landed[flow.name] = dict(self._after(flow, landed, begin, end, stretches))
        self._fx(month, begin, end)
        self._give(month, landed, stretches)

    def _landed(
        self, flow: Flow, stretches: Sequence[tuple[int, int]]
    ) -> Iterator[tuple[tuple[int, Place], Fraction]]:
        """What a flow brings where in each stretch."""
        for number, (begin, end) in enumerate(stretches):
            amount = flow.between(begin, end)
            if not amount:
                continue
            there = {node: self._people.present(node, begin, end) for node in flow.nodes}
            whole = sum(there.values())
            if not whole:
                yield (number, f"__{flow.absent if flow.nodes else flow.account}__"), amount
            else:
                for node, seconds in there.items():
                    if seconds:
                        yield (number, node), amount * seconds / whole

    def _after(
        self,
        flow: Flow,
        landed: dict[str, dict[tuple[int, Place], Fraction]],
        begin: int,
        end: int,
        stretches: Sequence[tuple[int, int]],
    ) -> Iterator[tuple[tuple[int, Place], Fraction]]:
        """What follows others goes where their money of the month went, as much as there is of it."""
        amount = flow.between(begin, end)
        if not amount:
            return
        first, last = flow.parts[0].start_s, flow.parts[-1].end_s
        basis: dict[tuple[int, Place], Fraction] = defaultdict(Fraction)
        for name in flow.follows:
            for (number, place), some in landed.get(name, {}).items():
                if first <= stretches[number][0] < last:
                    basis[number, place] += some
        whole = sum((abs(some) for some in basis.values()), Fraction(0))
        for key, some in basis.items():
            yield key, amount * abs(some) / whole

    def _fx(self, month: str, begin: int, end: int) -> None:
        for flow in self.flows:
            for one in flow.invoices:
                if begin <= one.at_s < end:
                    self.owners[month, "__fx__"] += one.fx

    def _give(
        self,
        month: str,
        landed: dict[str, dict[tuple[int, Place], Fraction]],
        stretches: Sequence[tuple[int, int]],
    ) -> None:
        """Give money of nodes to who had them, by pool or by node, and the rest to accounts."""
        pots: dict[tuple[int, str], Fraction] = defaultdict(Fraction)
        for flow in self.flows:
            for (number, place), amount in landed[flow.name].items():
                if place.startswith("__"):
                    self.owners[month, place] += amount
                elif self.pooled:
                    pots[number, self._pool_of[place]] += amount
                elif not flow.is_meter:
                    pots[number, place] += amount
        for (number, pot), amount in pots.items():
            self._share(month, pot, amount, *stretches[number])
        if not self.pooled:
            for flow in self.flows:
                if flow.is_meter:
                    self._meter(month, flow, stretches)
        for (_, pot), amount in pots.items():
            self.pools[month, pot if self.pooled else self._pool_of[pot]] += amount

    def _share(self, month: str, pot: str, amount: Fraction, begin: int, end: int) -> None:
        seconds: dict[str, int] = defaultdict(int)
        for node in self._nodes(pot):
            for key, held in self._people.shares(node, begin, end).items():
                seconds[key] += held
        whole = sum(seconds.values())
        for key, held in seconds.items():
            self.owners[month, key] += amount * held / whole

    def _nodes(self, pot: str) -> list[str]:
        return (
            [pot] if pot in self._pool_of else [node for node, pool in self._pool_of.items() if pool == pot]
        )

    def _meter(self, month: str, flow: Flow, stretches: Sequence[tuple[int, int]]) -> None:
        """Charged as recognised a meter's money is its very seconds'."""
        (node,) = flow.nodes
        for begin, end in stretches:
            inner = (at for at in self._edges if begin < at < end) if end - begin <= _HOUR else ()
            for low, high in pairwise(sorted({begin, end, *inner})):
                if amount := flow.between(low, high):
                    self._share(month, node, amount, low, high)
                    self.pools[month, self._pool_of[node]] += amount


def _edges(world: MoneyWorld, flows: Sequence[Flow]) -> list[int]:
    timed: list[Run | Hold | Grant] = [*world.runs, *world.holds, *world.grants]
    found = {at for one in timed for at in (one.start_s, one.end_s) if at is not None}
    found |= {at for flow in flows for part in flow.parts for at in (part.start_s, part.end_s)}
    return sorted(found)


def _stretches(world: MoneyWorld, edges: Sequence[int], begin: int, end: int) -> Iterator[tuple[int, int]]:
    """[begin, end) cut at the edges, or around the hour in which one lies."""
    zone = ZoneInfo(world.zone)
    cuts = {begin, end}
    for at_s in edges:
        if begin <= at_s < end:
            cuts |= _around(zone, at_s)
    yield from pairwise(sorted(at for at in cuts if begin <= at <= end))


def _around(zone: ZoneInfo, at_s: int) -> set[int]:
    """An edge that is where hours or days meet; else both ends of its hour, cut at a local midnight."""
    hour_s = at_s // _HOUR * _HOUR
    day = datetime.fromtimestamp(hour_s + _HOUR - 1, UTC).astimezone(zone).date()
    midnight_s = int(datetime(day.year, day.month, day.day, tzinfo=zone).timestamp())
    marks = sorted({hour_s, hour_s + _HOUR, *([midnight_s] if hour_s < midnight_s < hour_s + _HOUR else [])})
    if at_s in marks:
        return {at_s}
    low = max(mark for mark in marks if mark < at_s)
    return {low, min(mark for mark in marks if mark > at_s)}
