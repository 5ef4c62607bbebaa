"""Inventory becomes facts: slots, the devices in them, and the nodes that they make."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Container, Iterable
from dataclasses import dataclass
from itertools import pairwise

from collectors.imports.changes import Changes, settle
from collectors.imports.facts import DeviceFact, NodeFact, NodeResourceFact, SlotFact
from collectors.imports.inventory import RESOURCES, NodeTraits, PlaceRow
from collectors.imports.keys import join_key, number_of
from collectors.imports.spans import FOREVER, end_of, joined, overlap

__all__ = ["NodeKey", "Places", "settle_inventory"]

NodeKey = tuple[str, str]


@dataclass(frozen=True)
class Places:
    """What is known of some nodes: the facts in force."""

    nodes: list[NodeFact]
    slots: list[SlotFact]
    devices: list[DeviceFact]
    resources: list[NodeResourceFact]


def settle_inventory(rows: Iterable[PlaceRow], source: str, known: Places) -> dict[str, Changes]:
    """The changes by table that rows make of what is known about their nodes.

    A row that overlaps a known interval of its slot corrects it: the known one is withdrawn. A row that
    counts a node's units corrects all its slots. Everything else stays: a file may be delivered in parts.
    """
    delivered = sorted(rows, key=lambda row: row.key)
    slots = {fact.identity: fact for row in delivered for fact in _slot_facts(row, source)}
    devices = {fact.identity: fact for row in delivered for fact in _device_facts(row, source)}
    slots_said = _corrected(known.slots, delivered, slots)
    devices_said = _corrected(known.devices, [row for row in delivered if row.device], devices)
    kept = [fact for fact in known.slots if fact.identity not in slots_said]
    nodes = {fact.identity: fact for fact in _node_facts(delivered, kept, known.nodes, source)}
    resources = {fact.identity: fact for fact in _resource_facts(delivered, known.resources, source)}
    named = {(fact.cluster, fact.node, fact.resource) for fact in resources.values()}
    resources_said = {
        one.identity for one in known.resources if (one.cluster, one.node, one.resource) in named
    }
    nodes_said = {one.identity for one in known.nodes if one.source == source or one.identity in nodes}
    changes = {
        "node": settle(nodes, {one.identity: one for one in known.nodes if one.identity in nodes_said}),
        "slot": settle(slots, {one.identity: one for one in known.slots if one.identity in slots_said}),
        "device": settle(
            devices, {one.identity: one for one in known.devices if one.identity in devices_said}
        ),
    }
    if resources:
        said = {one.identity: one for one in known.resources if one.identity in resources_said}
        changes["node_resource"] = settle(resources, said)
    return changes


def _corrected(
    known: Iterable[SlotFact | DeviceFact], rows: Iterable[PlaceRow], delivered: Container[str]
) -> set[str]:
    """The identities of the known facts that the rows say again or correct."""
    said: dict[tuple[str, str], list[PlaceRow]] = defaultdict(list)
    counted: dict[NodeKey, list[PlaceRow]] = defaultdict(list)
    for row in rows:
        if row.counted:
            counted[row.cluster, row.node].append(row)
        for slot in row.slots:
            said[row.cluster, slot].append(row)
    return {
        fact.identity
        for fact in known
        if fact.identity in delivered
        or any(
            overlap(fact.start_s, fact.end_s, row.start_s, row.end_s)
            for row in (*said[fact.cluster, fact.slot], *counted[fact.cluster, fact.node])
        )
    }


def _slot_facts(row: PlaceRow, source: str) -> Iterable[SlotFact]:
    for slot in row.slots:
        place = slot.removeprefix(f"{row.node}/")
        yield SlotFact(
            identity=f"{join_key([row.cluster, row.node, place])}/{row.start_s}",
            source=source,
            withdrawn=False,
            start_s=row.start_s,
            end_s=row.end_s,
            cluster=row.cluster,
            node=row.node,
            slot=slot,
            slot_no=number_of(slot),
            bus_id=place if ":" in place else None,
            model=row.model,
            region=row.traits.region,
            sku=row.traits.sku,
            purchase_option=row.traits.purchase_option,
            compute_slices=row.compute_slices,
            memory_slices=row.memory_slices,
        )


def _device_facts(row: PlaceRow, source: str) -> Iterable[DeviceFact]:
    for slot in row.slots if row.device else ():
        place = slot.removeprefix(f"{row.node}/")
        yield DeviceFact(
            identity=f"{join_key([row.cluster, row.node, place, row.device])}/{row.start_s}",
            source=source,
            withdrawn=False,
            start_s=row.start_s,
            end_s=row.end_s,
            cluster=row.cluster,
            node=row.node,
            slot=slot,
            uuid=row.device,
            model=row.model,
            memory_bytes=row.memory_bytes,
        )


_Said = tuple[int, int | None, NodeTraits]


def _node_facts(
    rows: Iterable[PlaceRow], slots: Iterable[SlotFact], known: Iterable[NodeFact], source: str
) -> list[NodeFact]:
    """Each node while a row or a slot of it is there, as the rows describe it, else as it was known."""
    fresh: dict[NodeKey, list[_Said]] = defaultdict(list)
    present: dict[NodeKey, list[tuple[int, int | None]]] = defaultdict(list)
    before: dict[NodeKey, list[_Said]] = defaultdict(list)
    for row in rows:
        fresh[row.cluster, row.node].append((row.start_s, row.end_s, row.traits))
        present[row.cluster, row.node].append((row.start_s, row.end_s))
    for slot in slots:
        present[slot.cluster, slot.node].append((slot.start_s, slot.end_s))
    for node in known:
        before[node.cluster, node.node].append((node.start_s, node.end_s, _traits(node)))
    return [
        fact
        for key, said in sorted(fresh.items())
        for fact in joined(_node_pieces(key, present[key], [*said, *before[key]], source))
    ]


def _node_pieces(
    key: NodeKey, present: list[tuple[int, int | None]], said: list[_Said], source: str
) -> Iterable[NodeFact]:
    """One fact per stretch between two edges with the node there, by the first of `said` that holds then."""
    ends = [edge for start_s, end_s in present for edge in (start_s, end_of(end_s))]
    edges = sorted({*ends, *(edge for start_s, end_s, _ in said for edge in (start_s, end_of(end_s)))})
    for start_s, end_s in pairwise(edges):
        if any(overlap(start_s, end_s, *interval) for interval in present):
            traits = next(
                (traits for begin, end, traits in said if overlap(start_s, end_s, begin, end)), _UNKNOWN
            )
            yield _node_fact(key, start_s, None if end_s == FOREVER else end_s, traits, source)


def _node_fact(key: NodeKey, start_s: int, end_s: int | None, traits: NodeTraits, source: str) -> NodeFact:
    cluster, node = key
    known = {name: text or None for name, text in traits._asdict().items()}
    return NodeFact(
        identity=f"{join_key([cluster, node])}/{start_s}",
        source=source,
        withdrawn=False,
        start_s=start_s,
        end_s=end_s,
        cluster=cluster,
        node=node,
        **known,
    )


_UNKNOWN = NodeTraits(*[""] * len(NodeTraits._fields))


def _traits(node: NodeFact) -> NodeTraits:
    return NodeTraits(*(getattr(node, name) or "" for name in NodeTraits._fields))


def _resource_facts(
    rows: Iterable[PlaceRow], known: Iterable[NodeResourceFact], source: str
) -> list[NodeResourceFact]:
    """How much of each resource a node has: what the rows say, and what was known at other times."""
    said: dict[tuple[str, str, str], list[tuple[int, int | None, int]]] = defaultdict(list)
    for row in rows:
        for resource, quantity in row.resources:
            said[row.cluster, row.node, resource].append((row.start_s, row.end_s, quantity))
    for fact in known:
        if (key := (fact.cluster, fact.node, fact.resource)) in said:
            said[key].append((fact.start_s, fact.end_s, fact.quantity))
    return [
        fact
        for key, stretches in sorted(said.items())
        for fact in joined(_resource_pieces(key, stretches, source))
    ]


def _resource_pieces(
    key: tuple[str, str, str], said: list[tuple[int, int | None, int]], source: str
) -> Iterable[NodeResourceFact]:
    """One fact per stretch between two edges, by the first of `said` that holds then."""
    cluster, node, resource = key
    edges = sorted({edge for start_s, end_s, _ in said for edge in (start_s, end_of(end_s))})
    for start_s, end_s in pairwise(edges):
        quantity = next((many for begin, end, many in said if overlap(start_s, end_s, begin, end)), None)
        if quantity is not None:
            yield NodeResourceFact(
                identity=f"{join_key([cluster, node, resource])}/{start_s}",
                source=source,
                withdrawn=False,
                start_s=start_s,
                end_s=None if end_s == FOREVER else end_s,
                cluster=cluster,
                node=node,
                resource=resource,
                quantity=quantity,
                unit=RESOURCES[resource][1],
            )
