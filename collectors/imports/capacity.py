"""Counts over time become capacity: a node for each group, its slots, and what is held of them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Generic, NamedTuple

from collectors.imports.changes import Changes, settle
from collectors.imports.counts import Series, Traits
from collectors.imports.facts import Fact, HoldingFact, LakeFact, NodeFact, SlotFact
from collectors.imports.keys import join_key, number_of
from collectors.imports.spans import joined, overlap, replaced

__all__ = ["GroupFacts", "GroupKey", "group_facts", "settle_capacity"]

GroupKey = tuple[str, str]


@dataclass(frozen=True)
class GroupFacts:
    """What one group is, or what is known of it: as a node, as slots, and as what is held of them."""

    nodes: list[NodeFact]
    slots: list[SlotFact]
    holdings: list[HoldingFact]


def group_facts(series: Series, source: str) -> GroupFacts:
    """The facts of one group: it is a node, and its slots are 0, 1, … while there are as many units."""
    head = Head(source, series.cluster, series.group)
    sizes = series.levels(lambda row: (row.total, row.traits))
    present = series.levels(lambda row: (row.total > 0, row.traits))
    held = series.levels(lambda row: (row.held or 0, row.owner_key))
    most = max((total for (total, _), _, _ in sizes), default=0)
    slots = [
        joined(
            head.slot(place, traits, start_s, end_s)
            for (total, traits), start_s, end_s in sizes
            if total > place
        )
        for place in range(most)
    ]
    return GroupFacts(
        [head.node(traits, *span) for (there, traits), *span in present if there],
        [slot for track in slots for slot in track],
        [
            head.holding(units, owner_key, start_s, end_s)
            for (units, owner_key), start_s, end_s in held
            if units
        ],
    )


class Head(NamedTuple):
    """What all facts of one group begin with."""

    source: str
    cluster: str
    group: str

    def _identity(self, track: str, start_s: int) -> str:
        return f"{join_key([self.cluster, self.source, self.group, track])}/{start_s}"

    def node(self, traits: Traits, start_s: int, end_s: int) -> NodeFact:
        """The group as a node."""
        return NodeFact(
            identity=self._identity("node", start_s),
            source=self.source,
            withdrawn=False,
            start_s=start_s,
            end_s=end_s,
            cluster=self.cluster,
            node=self.group,
            provider=traits.provider or None,
            billing_account=None,
            region=traits.region or None,
            zone=None,
            sku=traits.sku or None,
            purchase_option=traits.purchase_option or None,
            instance_id=None,
            reservation_id=None,
            ended_by=None,
        )

    def slot(self, place: int, traits: Traits, start_s: int, end_s: int) -> SlotFact:
        """One unit of the group as a slot."""
        name = f"{self.group}/{place}"
        return SlotFact(
            identity=self._identity(str(place), start_s),
            source=self.source,
            withdrawn=False,
            start_s=start_s,
            end_s=end_s,
            cluster=self.cluster,
            node=self.group,
            slot=name,
            slot_no=number_of(name),
            bus_id=None,
            model=traits.model,
            region=traits.region,
            sku=traits.sku,
            purchase_option=traits.purchase_option,
            compute_slices=1,
            memory_slices=1,
        )

    def holding(self, units: int, owner_key: str, start_s: int, end_s: int) -> HoldingFact:
        """What an owner holds of the group, as units of its node."""
        run = join_key([self.source, self.group])
        return HoldingFact(
            identity=self._identity("held", start_s),
            source=self.source,
            withdrawn=False,
            start_s=start_s,
            end_s=end_s,
            cluster=self.cluster,
            run=run,
            run_no=number_of(run),
            workload_kind=None,
            owner_key=owner_key,
            namespace=None,
            account=None,
            labels=None,
            node=self.group,
            slot=None,
            lane=None,
            device=None,
            node_group="",
            units=units,
            share_mode=None,
            weight=1,
            weight_cap=1,
            assumed=False,
            model="",
            region="",
            cpus_milli=None,
            memory_bytes=None,
            licences=None,
        )


def settle_capacity(
    series: Iterable[Series], facts: Mapping[GroupKey, GroupFacts], known: Mapping[GroupKey, GroupFacts]
) -> dict[str, Changes]:
    """The changes by table that put each series in place of what its source knew inside its window.

    What was known outside the window stays; a fact across an edge is cut there, or joined with what follows.
    """
    nodes, slots, holdings = _Pair[NodeFact](), _Pair[SlotFact](), _Pair[HoldingFact]()
    for one in series:
        fresh, before = facts[one.cluster, one.group], known.get((one.cluster, one.group), _NOTHING)
        nodes.put(one, fresh.nodes, before.nodes)
        slots.put(one, fresh.slots, before.slots)
        holdings.put(one, fresh.holdings, before.holdings)
    return {
        "node": settle(nodes.facts, nodes.known),
        "slot": settle(slots.facts, slots.known),
        "holding": settle(holdings.facts, holdings.known),
    }


_NOTHING = GroupFacts([], [], [])


class _Pair(Generic[Fact]):
    """What is to hold of one table and what is known, both without what a window leaves alone."""

    def __init__(self) -> None:
        self.facts: dict[str, Fact] = {}
        self.known: dict[str, Fact] = {}

    def put(self, series: Series, fresh: Iterable[Fact], known: Iterable[Fact]) -> None:
        tracks: dict[str, tuple[list[Fact], list[Fact]]] = defaultdict(lambda: ([], []))
        for side, facts in enumerate((fresh, known)):
            for fact in facts:
                tracks[fact.identity.rpartition("/")[0]][side].append(fact)
        for new, old in tracks.values():
            whole = replaced(old, new, series.start_s, series.end_s)
            before = {fact.identity: fact for fact in old}
            alone = {
                fact.identity for fact in whole if before.get(fact.identity) == fact and _beside(fact, series)
            }
            self.facts |= {fact.identity: fact for fact in whole if fact.identity not in alone}
            self.known |= {identity: fact for identity, fact in before.items() if identity not in alone}


def _beside(fact: LakeFact, series: Series) -> bool:
    return not overlap(fact.start_s, fact.end_s, series.start_s, series.end_s)
