"""Rows that say who held what, and when, become holdings."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from typing import NamedTuple

from collectors.imports.cells import TextCell
from collectors.imports.column_map import HoldingMap
from collectors.imports.durations import suspended_of
from collectors.imports.facts import HoldingFact
from collectors.imports.hostlist import hosts
from collectors.imports.keys import join_key, lane_name, number_of, slot_name, time_key
from collectors.imports.outcomes import Outcomes
from collectors.imports.owner_chain import OwnerChain
from collectors.imports.readings import count_of, text_of
from collectors.imports.rows import Cells, refuse
from collectors.imports.sharing import share_of
from collectors.imports.times import Times
from gpuledger.canonical import canonical_json
from gpuledger.instants import format_utc

__all__ = [
    "HoldingReader",
    "held_gpu_seconds",
    "interval_of",
    "key_of",
    "lane_of",
    "node_of",
    "suspended_gpu_seconds",
]

_MOST_UNITS = 1_000_000
_SEVERAL = frozenset("[], \t")
_REPLICA = "::"
"""The device plugin's `<UUID>::<n>`: turn n on a device, and no device of its own."""
_TEXTS = (
    "cluster",
    "node",
    "slot",
    "lane",
    "device",
    "namespace",
    "account",
    "workload_kind",
    "group",
    "model",
    "region",
)
_COUNTS = {
    "units": (1, ": map it as fraction"),
    "cpus": (1000, " in thousandths"),
    "memory_bytes": (1, ""),
    "licences": (1, ""),
}


class HoldingReader:
    """Reads rows by one map; `cluster` is what a row belongs to that names none."""

    def __init__(self, column_map: HoldingMap, times: Times, source: str, cluster: str) -> None:
        nulls, columns = frozenset(column_map.nulls), column_map.columns
        self._source, self._cluster_else = source, cluster
        self._assumed = column_map.capacity == "assumed"
        self._start = times.reading(columns.start, "start", nulls)
        self._end = times.reading(columns.end, "end", nulls)
        timed = frozenset(columns.start.columns)
        self._identity = key_of(column_map.identity, timed, nulls, "identity")
        self._run = key_of(column_map.run, timed, nulls, "run") if column_map.run else None
        self._text = {name: text_of(getattr(columns, name), nulls) for name in _TEXTS}
        self._labels = {name: text_of(cell, nulls) for name, cell in columns.labels.items()}
        self._counts = {
            name: count_of(cell.scaled(scale), name, nulls, mend=mend)
            for name, (scale, mend) in _COUNTS.items()
            if (cell := getattr(columns, name)) is not None
        }
        self._share = share_of(columns.fraction, columns.share, nulls)
        self._suspended = suspended_of(columns.suspended, columns.elapsed, nulls)
        self.owners = OwnerChain(columns.owner_key, columns.controller, nulls)
        self.outcomes = Outcomes(column_map.outcomes)
        self._nodes = None if columns.nodes is None else text_of(columns.nodes, nulls)
        self._outcome = None if columns.outcome is None else text_of(columns.outcome, nulls)

    def read_each(self, cells: Cells) -> Sequence[HoldingFact]:
        """The holdings of a row, one on each node that it names; raises `BadRow` when it cannot be right."""
        facts = (self._read(cells),) if self._nodes is None else self._on_each(cells, self._nodes(cells))
        if self.owners.shares:
            for fact in facts:
                self.owners.remember(fact.identity, cells)
        return facts

    def _on_each(self, cells: Cells, text: str) -> Sequence[HoldingFact]:
        """The holding of a row as equal parts on each node of a list; on none where the list is empty."""
        names = hosts(text)
        whole = self._read(cells, names[0] if names else "")
        if not names:
            return [whole]
        if whole.units % len(names):
            refuse("units do not part evenly among the nodes", f"{whole.units} on {len(names)} nodes")
        return [_part(whole, node, place, len(names)) for place, node in enumerate(names)]

    def _read(self, cells: Cells, node: str | None = None) -> HoldingFact:
        """The holding of a row, on this node where its own cell names several."""
        text = {name: read(cells) for name, read in self._text.items()}
        if node is not None:
            text["node"] = node
        counts = {name: read(cells) for name, read in self._counts.items()}
        start_s, end_s = interval_of(self._start(cells), self._end(cells))
        cluster = text["cluster"] or self._cluster_else
        key = self._identity(cells)
        run = key if self._run is None else self._run(cells)
        units = self._units(counts)
        share = self._share(cells)
        place = self._place(text, units)
        owner = self.owners.find(cells)
        return HoldingFact(
            identity=f"{join_key([cluster])}/{key}",
            source=self._source,
            withdrawn=False,
            start_s=start_s,
            end_s=end_s,
            cluster=cluster,
            run=run,
            run_no=number_of(run),
            workload_kind=text["workload_kind"] or None,
            owner_key=owner.key,
            namespace=text["namespace"] or None,
            account=text["account"] or None,
            labels=self._labelled(cells),
            node=place.node,
            slot=place.slot,
            lane=place.lane,
            device=place.device,
            node_group=text["group"],
            units=units,
            share_mode=share.mode,
            weight=share.weight,
            weight_cap=share.cap,
            assumed=self._assumed,
            model=text["model"],
            region=text["region"],
            cpus_milli=counts.get("cpus"),
            memory_bytes=counts.get("memory_bytes"),
            licences=counts.get("licences"),
            outcome=None if self._outcome is None else self.outcomes.read(self._outcome(cells)),
            suspended_s=None if self._suspended is None else self._suspended(cells, start_s, end_s),
            owner_from=owner.where,
        )

    def _labelled(self, cells: Cells) -> str | None:
        """The labels that the row gives, as canonical JSON; None where it gives none."""
        labels = {name: text for name, read in self._labels.items() if (text := read(cells))}
        return canonical_json(labels) if labels else None

    def _units(self, counts: dict[str, int | None]) -> int:
        """Units held: 1 where the map knows no count, since then a row is a unit."""
        if "units" not in counts:
            return 1
        if (units := counts["units"]) is None:
            refuse("units is empty", "give empty cells a meaning in the map, such as missing: 0")
        if units > _MOST_UNITS:
            refuse(f"units is above {_MOST_UNITS:,}", str(units))
        return units

    def _place(self, text: dict[str, str], units: int) -> _Place:
        """Where the row says that it is; it is on a node if it holds a unit, unless capacity is assumed."""
        if self._assumed:
            return _NOWHERE
        node, slot, device = text["node"], text["slot"], text["device"].partition(_REPLICA)[0]
        if not node:
            if slot or device:
                refuse("a slot or device without its node", slot or device)
            if units:
                refuse("node is empty", "capacity: assumed is for files that name no node at all")
            return _NOWHERE
        node = node_of(node)
        if (slot or device) and units > 1:
            refuse("a slot or device is one unit", f"{units} units on {slot or device}")
        named = slot_name(node, slot) if slot else None
        return _Place(node, named, lane_of(node, named, text["lane"]), device or None)


def _part(whole: HoldingFact, node: str, place: int, places: int) -> HoldingFact:
    """What one node has of a holding: as many units as each other; what else it took may differ by one."""

    def of(amount: int | None) -> int | None:
        return None if amount is None else amount * (place + 1) // places - amount * place // places

    return whole._replace(
        identity=f"{whole.identity}/{join_key([node])}",
        node=node,
        units=whole.units // places,
        cpus_milli=of(whole.cpus_milli),
        memory_bytes=of(whole.memory_bytes),
        licences=of(whole.licences),
    )


class _Place(NamedTuple):
    """Node, slot, lane and device, each None where a row does not name it."""

    node: str | None
    slot: str | None
    lane: str | None
    device: str | None


_NOWHERE = _Place(None, None, None, None)


def node_of(text: str) -> str:
    """The node that a row names, which is one."""
    if not text:
        refuse("node is empty")
    if _SEVERAL & set(text):
        refuse("node is no single node", text)
    return text


def lane_of(node: str, slot: str | None, text: str) -> str | None:
    """The partition of a slot that a row names, None where it names none."""
    if not text:
        return None
    if slot is None:
        refuse("a lane without its slot", text)
    lane = lane_name(node, slot, text)
    if lane is None:
        refuse("a lane is a partition's number on its slot", f"{text} on {slot}")
    return lane


def key_of(
    columns: tuple[str, ...], timed: frozenset[str], nulls: frozenset[str], name: str
) -> Callable[[Cells], str]:
    """A function that joins the cells of some columns to one key; the `timed` ones are times."""
    readings = [(column, text_of(TextCell(column=column), nulls), column in timed) for column in columns]

    def read(cells: Cells) -> str:
        parts = []
        for column, text_at, is_time in readings:
            if not (text := text_at(cells)):
                refuse(f"{name} is empty", f"column {column}")
            parts.append(time_key(text) if is_time else text)
        return join_key(parts)

    return read


def interval_of(start_s: int | None, end_s: int | None) -> tuple[int, int | None]:
    """The two as an interval; the start is never open, and an end never before it."""
    if start_s is None:
        refuse("start is empty")
    if end_s is not None and end_s < start_s:
        refuse("end is before start", f"{format_utc(start_s)} to {format_utc(end_s)}")
    return start_s, end_s


def held_gpu_seconds(facts: Iterable[HoldingFact], through_s: Mapping[str, int]) -> Fraction:
    """GPU-seconds held, exact; an open holding counts up to its cluster's `data_through`."""
    whole, parts = 0, Fraction(0)
    for fact in facts:
        end_s = through_s[fact.cluster] if fact.end_s is None else fact.end_s
        seconds = max(0, end_s - fact.start_s) * fact.units
        if fact.weight == fact.weight_cap:
            whole += seconds
        else:
            parts += Fraction(seconds * fact.weight, fact.weight_cap)
    return whole + parts


def suspended_gpu_seconds(facts: Iterable[HoldingFact]) -> Fraction:
    """GPU-seconds that were held while their runs were suspended, of those of which it is known; exact."""
    return sum(
        (Fraction((fact.suspended_s or 0) * fact.units * fact.weight, fact.weight_cap) for fact in facts),
        Fraction(0),
    )
