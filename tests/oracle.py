"""What the books of a fleet must say, by brute force: every change, every slot, every exact fraction.

It shares no code with the passes and their models.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

from fleets import Fleet
from moments import Moment, Part, Stretch, Taker, Timed, until

__all__ = ["Share", "orphaned_ticks", "shares_of", "stretches_of"]


def stretches_of(fleet: Fleet, start_s: int, end_s: int) -> list[Stretch]:
    """All slots of a fleet over [start, end), which lies around the fleet's month end."""
    hours = range(start_s // 3600 * 3600, end_s, 3600)
    begins = sorted({start_s, *(at for at in (*hours, fleet.month_end.at_s) if start_s < at < end_s)})
    found: list[Stretch] = []
    for cluster in fleet.clusters:
        by_node: dict[str, list[list[Stretch]]] = defaultdict(list)
        for moment in _moments(fleet, cluster, begins, end_s):
            for slots in (*moment.nodes(), *([slot] for slot in moment.assumed())):
                by_node[slots[0].node].append(slots)
        for moments in by_node.values():
            found += _put_together(moments)
    return found


def orphaned_ticks(fleet: Fleet, start_s: int, end_s: int) -> int:
    """What is claimed of slots that are not there, and of nodes that have none free."""
    return sum(
        moment.orphaned() * (moment.to_s - moment.from_s)
        for cluster in fleet.clusters
        for moment in _moments(fleet, cluster, [start_s], end_s)
    )


@dataclass(frozen=True)
class Share:
    """What a taker pays of a stretch: exact quanta, and how far posted ones may be from it."""

    stretch: Stretch
    taker: Taker
    exact: Fraction
    loose: Fraction


def shares_of(stretches: Sequence[Stretch], charged: str) -> Iterator[Share]:
    """Who pays what. Charged by pool, every priced device-second of a pool and piece costs the same.

    A quantum is lost or won at each meter's floor and at each split: to claims and to accounts, and before
    these, charged by pool, to shards and to slots.
    """
    priced = [one for one in stretches if one.meter]
    pools: dict[tuple[str, str, int], list[Stretch]] = defaultdict(list)
    for one in priced:
        pools[one.model, one.region, one.piece_s].append(one)
    for one in priced:
        pool = pools[one.model, one.region, one.piece_s] if charged == "pooled" else [one]
        rate = sum((each.exact for each in pool), Fraction(0)) / sum(each.ticks for each in pool)
        splits = 2 if charged == "recognised" else 4
        for taker, part in one.parts.items():
            loose = len(pool) + splits + (part.among_runs + part.among_slots) * rate
            yield Share(one, taker, rate * part.ticks, loose)


def _moments(fleet: Fleet, cluster: str, begins: Sequence[int], end_s: int) -> Iterator[Moment]:
    """A cluster between any two changes; calendar pieces begin at `begins`."""
    facts: list[Timed] = [*fleet.slots, *fleet.devices, *fleet.states, *fleet.holdings]
    facts += [*fleet.owners, *fleet.prices]
    until_s = min(end_s, dict(fleet.throughs).get(cluster, end_s))
    edges = {at for fact in facts for at in (fact.start_s, until(fact, end_s)) if begins[0] < at < until_s}
    edges |= {at for at in begins if at < until_s} | {until_s}
    for from_s, to_s in pairwise(sorted(edges)):
        yield Moment(fleet, cluster, max(at for at in begins if at <= from_s), from_s, to_s)


def _put_together(moments: Sequence[list[Stretch]]) -> Iterator[Stretch]:
    """A node's moments as one while all of its slots go on."""
    before: list[Stretch] = []
    for slots in moments:
        goes_on = len(before) == len(slots) and all(
            old.goes_on_as(new) for old, new in zip(before, slots, strict=True)
        )
        if not goes_on:
            yield from before
            before = slots
            continue
        for old, new in zip(before, slots, strict=True):
            old.to_s = new.to_s
            for taker, part in new.parts.items():
                old.parts.setdefault(taker, Part()).add(part)
    yield from before
