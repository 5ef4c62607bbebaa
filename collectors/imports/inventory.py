"""Rows that say which slots there are, and when, and which of them cannot be right together."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator
from typing import NamedTuple

from collectors.imports.column_map import InventoryMap
from collectors.imports.gather import Gathered
from collectors.imports.holdings import interval_of
from collectors.imports.keys import join_key, slot_name
from collectors.imports.readings import count_of, text_of
from collectors.imports.rows import Cells, refuse
from collectors.imports.spans import end_of
from collectors.imports.times import Times

__all__ = ["RESOURCES", "InventoryReader", "NodeTraits", "PlaceRow", "refuse_contradictions"]

_MOST_UNITS = 1_024
_COUNTS = {
    "units": (1, ""),
    "compute_slices": (1, ""),
    "memory_slices": (1, ""),
    "memory_bytes": (1, ""),
    "cpus": (1000, " in thousandths"),
    "node_memory_bytes": (1, ""),
    "licences": (1, ""),
}

RESOURCES = {"cpu": ("cpus", "milli"), "memory": ("node_memory_bytes", "bytes"), "licence": ("licences", "1")}
"""The resources of a node besides GPUs, each with the field that says it and its unit."""


class NodeTraits(NamedTuple):
    """What a node is like; "" is not known."""

    provider: str
    billing_account: str
    region: str
    zone: str
    sku: str
    purchase_option: str
    instance_id: str
    reservation_id: str
    ended_by: str


class PlaceRow(NamedTuple):
    """What a row says: over `[start_s, end_s)` a node has a slot, perhaps with a device, or many alike."""

    cluster: str
    node: str
    slots: tuple[str, ...]
    counted: bool
    device: str
    start_s: int
    end_s: int | None
    model: str
    compute_slices: int
    memory_slices: int
    memory_bytes: int | None
    traits: NodeTraits
    resources: tuple[tuple[str, int], ...] = ()

    @property
    def key(self) -> str:
        """The place and the start: two rows of one key must say the same."""
        places = ["*"] if self.counted else [self.slots[0].removeprefix(f"{self.node}/")]
        return f"{join_key([self.cluster, self.node, *places])}/{self.start_s}"


class InventoryReader:
    """Reads rows by one map; `cluster` is what a row belongs to that names none."""

    def __init__(self, column_map: InventoryMap, times: Times, cluster: str) -> None:
        nulls, columns = frozenset(column_map.nulls), column_map.columns
        self._cluster_else = cluster
        texts = ("cluster", "node", "slot", "device", "model", *NodeTraits._fields)
        self._text = {name: text_of(getattr(columns, name), nulls) for name in texts}
        self._start = times.reading(columns.start, "start", nulls)
        self._end = times.reading_or_open(columns.end, "end", nulls)
        self._counts = {
            name: count_of(cell.scaled(scale), name, nulls, mend=mend)
            for name, (scale, mend) in _COUNTS.items()
            if (cell := getattr(columns, name)) is not None
        }

    def read(self, cells: Cells) -> PlaceRow:
        """The place of a row; raises `BadRow` when it cannot be right."""
        text = {name: read(cells) for name, read in self._text.items()}
        counts = {name: read(cells) for name, read in self._counts.items()}
        start_s, end_s = interval_of(self._start(cells), self._end(cells))
        if not text["node"]:
            refuse("node is empty")
        compute, memory = counts.get("compute_slices"), counts.get("memory_slices")
        if 0 in (compute, memory):
            refuse("a device has at least one slice")
        return PlaceRow(
            cluster=text["cluster"] or self._cluster_else,
            node=text["node"],
            slots=_slots(text["node"], text["slot"], counts),
            counted="units" in counts,
            device=text["device"],
            start_s=start_s,
            end_s=end_s,
            model=text["model"],
            compute_slices=1 if compute is None else compute,
            memory_slices=1 if memory is None else memory,
            memory_bytes=counts.get("memory_bytes"),
            traits=NodeTraits(*(text[name] for name in NodeTraits._fields)),
            resources=tuple(
                (resource, said)
                for resource, (name, _) in RESOURCES.items()
                if (said := counts.get(name)) is not None
            ),
        )


def _slots(node: str, slot: str, counts: dict[str, int | None]) -> tuple[str, ...]:
    if "units" not in counts:
        if not slot:
            refuse("slot is empty")
        return (slot_name(node, slot),)
    if (units := counts["units"]) is None:
        refuse("units is empty")
    if units > _MOST_UNITS:
        refuse(f"units is above {_MOST_UNITS:,} on one node", str(units))
    return tuple(f"{node}/{place}" for place in range(units))


class _Claim(NamedTuple):
    """That a row has something to itself: two claims on it that hold at once must say the same `what`."""

    start_s: int
    end_s: int | None
    key: str
    what: Hashable


def refuse_contradictions(gathered: Gathered[str, PlaceRow]) -> None:
    """Send to quarantine rows that cannot be right together: both of each pair, in whatever order they come.

    A slot is there once, a device is in one slot, and a node is of one kind, at every instant.
    """
    rules: list[tuple[str, Callable[[PlaceRow], Iterator[tuple[Hashable, str, Hashable]]]]] = [
        ("two rows have one slot at the same time", _slots_claimed),
        ("one device is in two slots at the same time", _devices_claimed),
        ("two rows say different things about one node", _nodes_claimed),
    ]
    for reason, claimed in rules:
        claims: dict[Hashable, list[_Claim]] = defaultdict(list)
        names: dict[Hashable, str] = {}
        for key, row in gathered.items.items():
            for thing, name, what in claimed(row):
                claims[thing].append(_Claim(row.start_s, row.end_s, key, what))
                names[thing] = name
        _refuse(gathered, reason, ((names[thing], rivals) for thing, rivals in claims.items()))


def _slots_claimed(row: PlaceRow) -> Iterator[tuple[Hashable, str, Hashable]]:
    for slot in row.slots:
        yield (row.cluster, slot), slot, row.key


def _devices_claimed(row: PlaceRow) -> Iterator[tuple[Hashable, str, Hashable]]:
    if row.device:
        yield row.device, row.device, (row.cluster, row.slots[0])


def _nodes_claimed(row: PlaceRow) -> Iterator[tuple[Hashable, str, Hashable]]:
    yield (row.cluster, row.node), row.node, (row.traits, row.resources)


def _refuse(
    gathered: Gathered[str, PlaceRow], reason: str, contested: Iterable[tuple[str, list[_Claim]]]
) -> None:
    rivals: dict[str, tuple[str, str]] = {}
    for name, claims in contested:
        for one, other in _clashes(claims):
            rivals.setdefault(one.key, (name, other.key))
            rivals.setdefault(other.key, (name, one.key))
    numbers = {key: gathered.first[key] for key in rivals}
    for key, (name, rival) in rivals.items():
        gathered.reject(key, reason, f"{name}: also row {numbers[rival]}")


def _clashes(claims: list[_Claim]) -> Iterator[tuple[_Claim, _Claim]]:
    """Each claim with one that holds at the same time and says something else, of claims on one thing."""
    if len({claim.what for claim in claims}) == 1:
        return
    running: list[_Claim] = []
    for claim in sorted(claims, key=lambda one: (one.start_s, end_of(one.end_s), one.key)):
        if claim.end_s == claim.start_s:
            continue
        running = [one for one in running if end_of(one.end_s) > claim.start_s]
        for one in running:
            if one.what != claim.what:
                yield one, claim
        running.append(claim)
