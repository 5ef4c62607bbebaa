"""What the books of a simulated fleet must come to, by plain loops and exact fractions.

Nothing here is shared with the books: the month, its hours, the shares and the money are worked out again,
slowly, from the fleet's facts. Money is a Fraction of a major unit of currency, never rounded; time is whole
GPU-seconds.

Traced money is what each GPU-second cost at the price in force in that second. Pooled money spreads, in each
clock hour (cut at local midnights), what all GPUs of one model and region cost evenly over their GPU-seconds;
the two differ only in an hour in which the price changes.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from fractions import Fraction
from zoneinfo import ZoneInfo

from simulator.facts import Fleet, Node, Workload

__all__ = ["Amount", "Cell", "Truth", "compute", "sum_by"]


@dataclass(frozen=True)
class Amount:
    """Time in GPU-seconds, and its exact money by both readings."""

    gpu_seconds: int
    traced: Fraction
    pooled: Fraction


@dataclass(frozen=True)
class Cell(Amount):
    """A month of one owner key on one node; `owner_key` and `team` are None for time that nobody held."""

    owner_key: str | None
    team: str | None
    cluster: str
    node: str
    model: str
    region: str


@dataclass(frozen=True)
class Truth:
    """All cells of a month, and the GPU-seconds that each node had to give."""

    zone: str
    month: str
    start_s: int
    end_s: int
    cells: tuple[Cell, ...]
    capacity: dict[str, int]


@dataclass
class _Sum:
    gpu_seconds: int = 0
    traced: Fraction = Fraction(0)
    pooled: Fraction = Fraction(0)


_Key = tuple[Node, str | None]
_Work = dict[str, list[tuple[Workload, int]]]


def compute(fleet: Fleet, *, zone: str | None = None, month: str | None = None) -> Truth:
    """Work out a month of the fleet, by default the fleet's own zone and month.

    Raises ValueError where a model has no price, as in a month in which the nodes were not there yet.
    """
    zone, month = zone or fleet.zone, month or fleet.month
    hours = _hours(zone, month)
    work = _work_by_node(fleet)
    sums: dict[_Key, _Sum] = defaultdict(_Sum)
    capacity: dict[str, int] = defaultdict(int)
    for first, last in hours:
        for pool in _pools(fleet):
            _add_hour(fleet, work, pool, first, last, sums)
        for node in fleet.nodes:
            capacity[node.name] += len(node.gpus) * (last - first)
    teams = {owner.owner_key: owner.team for owner in fleet.owners}
    cells = tuple(_cell(key, total, teams) for key, total in sums.items())
    return Truth(zone, month, hours[0][0], hours[-1][1], tuple(sorted(cells, key=_place)), dict(capacity))


def sum_by(cells: Iterable[Cell], view: str) -> dict[str | None, Amount]:
    """Add cells up by one of their names (`owner_key`, `team`, `model`, `cluster`, `node`), keyed by it."""
    sums: dict[str | None, _Sum] = defaultdict(_Sum)
    for cell in cells:
        total = sums[getattr(cell, view)]
        total.gpu_seconds += cell.gpu_seconds
        total.traced += cell.traced
        total.pooled += cell.pooled
    return {key: Amount(total.gpu_seconds, total.traced, total.pooled) for key, total in sums.items()}


def _hours(zone: str, month: str) -> list[tuple[int, int]]:
    """The month's UTC clock hours, cut at local midnights, found by looking at a calendar every minute."""
    year, number = (int(part) for part in month.split("-"))
    first = int(datetime(year, number, 1, tzinfo=UTC).timestamp())
    hours: list[tuple[int, int]] = []
    latest = ""
    for minute in range(first - 86400, first + 33 * 86400, 60):
        day = max(latest, datetime.fromtimestamp(minute, ZoneInfo(zone)).date().isoformat())
        if day.startswith(month):
            fresh = minute % 3600 == 0 or day != latest
            begin = minute if fresh else hours.pop()[0]
            hours.append((begin, minute + 60))
        latest = day
    return hours


def _pools(fleet: Fleet) -> list[list[Node]]:
    names = sorted({(node.model, node.region) for node in fleet.nodes})
    return [[node for node in fleet.nodes if (node.model, node.region) == name] for name in names]


def _work_by_node(fleet: Fleet) -> _Work:
    """The workloads that ever ran on each node, with how many of its GPUs they had."""
    work: _Work = {node.name: [] for node in fleet.nodes}
    for workload in fleet.workloads:
        for node, gpus in Counter(gpu.node for gpu in workload.gpus).items():
            work[node].append((workload, gpus))
    return work


def _add_hour(
    fleet: Fleet, work: _Work, pool: list[Node], first: int, last: int, sums: dict[_Key, _Sum]
) -> None:
    """Add one hour of one pool: each owner's and the free GPU-seconds of its nodes, and their money."""
    spent, seconds = Fraction(0), 0
    hour: dict[_Key, int] = defaultdict(int)
    for start, end, rate in _stretches(fleet, pool[0], first, last):
        for node in pool:
            given = len(node.gpus) * (end - start)
            spent, seconds = spent + given * rate, seconds + given
            for owner_key, gpu_seconds in _split(work, node, start, end).items():
                hour[node, owner_key] += gpu_seconds
                sums[node, owner_key].traced += gpu_seconds * rate
    for key, gpu_seconds in hour.items():
        sums[key].gpu_seconds += gpu_seconds
        sums[key].pooled += gpu_seconds * spent / seconds


def _stretches(fleet: Fleet, node: Node, first: int, last: int) -> list[tuple[int, int, Fraction]]:
    """Cut an hour where the price of the node's GPUs changes; with each part the price of a GPU-second."""
    found = []
    for price in fleet.prices:
        start = max(first, price.start_s)
        end = last if price.end_s is None else min(last, price.end_s)
        if (price.model, price.region) == (node.model, node.region) and start < end:
            found.append((start, end, Fraction(price.rate) / 3600))
    if sum(end - start for start, end, _ in found) != last - first:
        raise ValueError(f"not exactly one price of {node.model} in {node.region} over [{first}, {last})")
    return found


def _split(work: _Work, node: Node, start: int, end: int) -> dict[str | None, int]:
    """GPU-seconds of a node over [start, end) by owner key; under None what nobody held."""
    held: dict[str | None, int] = defaultdict(int)
    held[None] = len(node.gpus) * (end - start)
    for workload, gpus in work[node.name]:
        overlap = min(end, workload.end_s) - max(start, workload.start_s)
        if overlap > 0:
            held[workload.owner_key] += gpus * overlap
            held[None] -= gpus * overlap
    return {key: value for key, value in held.items() if value}


def _cell(key: _Key, total: _Sum, teams: dict[str, str]) -> Cell:
    node, owner_key = key
    return Cell(
        owner_key=owner_key,
        team=None if owner_key is None else teams.get(owner_key, owner_key),
        cluster=node.cluster,
        node=node.name,
        model=node.model,
        region=node.region,
        gpu_seconds=total.gpu_seconds,
        traced=total.traced,
        pooled=total.pooled,
    )


def _place(cell: Cell) -> tuple[str, str]:
    return cell.node, cell.owner_key or ""
