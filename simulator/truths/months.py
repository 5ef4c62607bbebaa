"""The truth of a world by month: time rows in ticks, use by the cell rule and in truth, and exact money."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from itertools import pairwise
from math import floor
from typing import NamedTuple

from simulator.truths.calendar import Hour, hours_of, month_of
from simulator.truths.cells import BUSY_PERMILLE, Reading, Seen, seen_by_subject
from simulator.truths.moments import TICKS, Node, Part, Policies, Taker, Ticks, by_machine
from simulator.world import REGION, Holding, World

__all__ = ["Accounts", "Money", "TimeRow", "Truth", "Use", "truth_by_node", "truth_of"]

_QUANTA = 10**9
"""Quanta in a dollar."""
_ENOUGH = Fraction(9, 10)
"""How much of held time must be known for it to be told used from idle."""


class TimeRow(NamedTuple):
    """The key of a time row: a money piece of a slot, a lane of it, and whose it is in which account."""

    start_s: int
    slot: str
    lane: str
    taker: Taker


@dataclass
class Accounts:
    """A row's ticks and of how many of them something is known; exact, and the seconds that it is made of.

    `whole` says that its share is whole ticks in each of its seconds, so that nothing need be rounded.
    """

    ticks: Ticks = 0
    observed: Ticks = 0
    seconds: int = 0
    whole: bool = True


@dataclass
class Use:
    """How a run used what it had, in seconds of the holder: by the cell rule, and in truth.

    `transitions` counts how often it truly began or ceased to be busy, its begin and end among them.
    """

    known_s: int = 0
    busy_s: int = 0
    carried_s: int = 0
    held_s: int = 0
    truly_busy_s: int = 0
    transitions: int = 0


class Money(NamedTuple):
    """A pool's quanta in an hour: the meters' whole amount, and the slot-seconds that it is spread over."""

    quanta: int
    seconds: int


@dataclass
class Truth:
    """What a month's books must say. `pieces` gives the pool and hour of each (money piece's start, slot)."""

    month: str
    start_s: int
    end_s: int
    parts: list[Part] = field(default_factory=list)
    rows: dict[TimeRow, Accounts] = field(default_factory=dict)
    use: dict[tuple[str, str], Use] = field(default_factory=dict)
    pools: dict[tuple[str, int], Money] = field(default_factory=dict)
    pieces: dict[tuple[int, str], tuple[str, int, int]] = field(default_factory=dict)

    def amount(self, row: TimeRow) -> Fraction:
        """The exact quanta of a time row: its ticks at what a tick of its pool costs in its hour."""
        pool, hour_s, _ = self.pieces[row.start_s, row.slot]
        money = self.pools[pool, hour_s]
        return Fraction(money.quanta) * self.rows[row].ticks / (TICKS * money.seconds)


def truth_of(
    world: World, month: str, readings: Iterable[Reading] = (), policies: Policies | None = None
) -> Truth:
    """Work out one month of a world, with what was written of its samples."""
    whole = Truth(month, *month_of(world.zone, month))
    for truth in truth_by_node(world, month, readings, policies):
        whole.parts += truth.parts
        whole.rows |= truth.rows
        whole.use |= truth.use
        whole.pieces |= truth.pieces
        whole.pools = truth.pools
    return whole


def truth_by_node(
    world: World, month: str, readings: Iterable[Reading] = (), policies: Policies | None = None
) -> Iterator[Truth]:
    """The same, one node after the other, each with all pools: a large fleet need not be held at once."""
    begin, end = month_of(world.zone, month)
    until_s = min(end, world.end_s)
    hours = hours_of(world.zone, begin, until_s) if begin < until_s else []
    by_node = by_machine(world.facts)
    nodes = [
        Node(machine.name, by_node[machine.name], world.end_s, policies or Policies())
        for machine in world.machines
    ]
    spent: dict[tuple[str, int], list[int]] = defaultdict(lambda: [0, 0])
    truths = [Truth(month, begin, end, pieces=_pieces(node, hours, spent)) for node in nodes]
    pools = {key: Money(*both) for key, both in spent.items()}
    seen = seen_by_subject(readings)
    for node, truth in zip(nodes, truths, strict=True):
        truth.pools = pools
        truth.parts = list(node.parts(begin, until_s)) if hours else []
        _add_time(truth, truth.parts, sorted({start_s for start_s, _ in truth.pieces}), seen)
        _add_use(truth, node, truth.parts, seen)
        yield truth
        truth.parts, truth.rows, truth.pieces = [], {}, {}


def _pieces(
    node: Node, hours: Sequence[Hour], spent: dict[tuple[str, int], list[int]]
) -> dict[tuple[int, str], tuple[str, int, int]]:
    """Cut a node's slots into money pieces, and add what its meters count in each."""
    edges = node.money_edges()
    pieces: dict[tuple[int, str], tuple[str, int, int]] = {}
    for hour in hours:
        inside = sorted({hour.start_s, hour.end_s, *(at for at in edges if hour.start_s < at < hour.end_s)})
        for begin, end in pairwise(inside):
            for board in node.slots_at(begin):
                pool = f"{board.machine.model}/{REGION}"
                pieces[begin, board.slot] = (pool, hour.start_s, end)
                rate = next(
                    one.rate
                    for one in node.rates
                    if one.model == board.machine.model
                    and one.start_s <= begin
                    and (one.end_s is None or begin < one.end_s)
                )
                a_second = Fraction(Decimal(rate)) * _QUANTA / 3600
                spent[pool, hour.start_s][0] += floor(a_second * end) - floor(a_second * begin)
                spent[pool, hour.start_s][1] += end - begin
    return pieces


class _Given:
    """What a taker has of a lane in a money piece, before its account is known."""

    def __init__(self) -> None:
        self.ticks: Ticks = 0
        self.known: Ticks = 0
        self.busy: Ticks = 0
        self.seconds = 0
        self.whole = True


def _add_time(truth: Truth, parts: Iterable[Part], starts: Sequence[int], seen: Mapping[str, Seen]) -> None:
    """Add the parts up by money piece, and tell held time apart by what is known of it there."""
    given: dict[TimeRow, _Given] = defaultdict(_Given)
    for part in parts:
        row = TimeRow(starts[bisect_right(starts, part.start_s) - 1], part.slot, part.lane, part.taker)
        place = bisect_right(starts, part.start_s)
        cuts = [part.start_s, *(at for at in starts[place:] if at < part.end_s), part.end_s]
        for begin, end in pairwise(cuts):
            row = row if begin == part.start_s else row._replace(start_s=begin)
            _add_part(given[row], part, begin, end, seen.get(part.subject))
    for row, one in given.items():
        for account, ticks, observed in _accounts(row, one):
            if ticks:
                taker = row.taker._replace(account=account)
                truth.rows[row._replace(taker=taker)] = Accounts(ticks, observed, one.seconds, one.whole)


def _add_part(given: _Given, part: Part, begin: int, end: int, seen: Seen | None) -> None:
    given.ticks += part.ticks * (end - begin)
    given.seconds += end - begin
    given.whole &= isinstance(part.ticks, int)
    if seen is not None:
        given.known += part.ticks * seen.seconds("known", begin, end)
        given.busy += part.ticks * seen.seconds("busy", begin, end)


def _accounts(row: TimeRow, one: _Given) -> list[tuple[str, Ticks, Ticks]]:
    if row.taker.account != "held":
        return [(row.taker.account, one.ticks, 0)]
    if one.known < one.ticks * _ENOUGH:
        return [("held_unobserved", one.ticks, one.known)]
    idle = one.known - one.busy
    return [
        ("used", one.busy, one.busy),
        ("idle_held", idle, idle),
        ("held_unobserved", one.ticks - one.known, 0),
    ]


def _add_use(truth: Truth, node: Node, parts: Iterable[Part], seen: Mapping[str, Seen]) -> None:
    """By run and subject: what the cell rule says of its seconds, and what it truly did in them."""
    holdings: dict[str, list[Holding]] = defaultdict(list)
    for holding in node.holdings:
        holdings[holding.run_name].append(holding)
    for part in parts:
        work = [one for one in holdings.get(part.taker.run, ()) if one.device and one.on]
        if not work or part.taker.owner.startswith("__") or part.subject not in seen:
            continue
        one = truth.use.setdefault((part.taker.run, part.subject), Use(transitions=2))
        known = seen[part.subject]
        one.held_s += part.end_s - part.start_s
        one.known_s += known.seconds("known", part.start_s, part.end_s)
        one.busy_s += known.seconds("busy", part.start_s, part.end_s)
        one.carried_s += known.seconds("carried", part.start_s, part.end_s)
        for holding in work:
            _add_truth(one, holding, part.start_s, part.end_s)


def _add_truth(use: Use, holding: Holding, start_s: int, end_s: int) -> None:
    before = False
    for number, (at_s, level) in enumerate(holding.work):
        until_s = holding.work[number + 1][0] if number + 1 < len(holding.work) else end_s
        busy = level >= BUSY_PERMILLE
        if busy:
            use.truly_busy_s += max(0, min(until_s, end_s) - max(at_s, start_s))
        use.transitions += busy != before and start_s <= at_s <= end_s
        before = busy
