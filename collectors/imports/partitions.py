"""Rows that say how a device was cut, and when, become partitions: a lane each, while it is there."""

from __future__ import annotations

from collectors.imports.facts import PartitionFact
from collectors.imports.holdings import interval_of, lane_of, node_of
from collectors.imports.keys import join_key, slot_name
from collectors.imports.readings import count_of, text_of
from collectors.imports.rows import Cells, refuse
from collectors.imports.slices import Slices, profile_name, slices_of
from collectors.imports.times import Times
from collectors.imports.track_maps import PartitionMap

__all__ = ["PartitionReader"]

_TEXTS = ("cluster", "node", "slot", "instance", "uuid", "profile", "model")
_MOST_SLICES = 1_024


class PartitionReader:
    """Reads rows by one map; `cluster` is what a row belongs to that names none.

    `from_the_table` counts rows whose slices the device did not say.
    """

    def __init__(self, column_map: PartitionMap, times: Times, source: str, cluster: str) -> None:
        nulls, columns = frozenset(column_map.nulls), column_map.columns
        self._source, self._cluster_else = source, cluster
        self._start = times.reading(columns.start, "start", nulls)
        self._end = times.reading_or_open(columns.end, "end", nulls)
        self._text = {name: text_of(getattr(columns, name), nulls) for name in _TEXTS}
        self._counts = [
            count_of(cell, name, nulls)
            for name in ("compute_slices", "memory_slices")
            if (cell := getattr(columns, name)) is not None
        ]
        self.from_the_table = 0

    def read(self, cells: Cells) -> PartitionFact:
        """The partition of a row; raises `BadRow` when it cannot be right."""
        text = {name: read(cells) for name, read in self._text.items()}
        start_s, end_s = interval_of(self._start(cells), self._end(cells))
        cluster, node = text["cluster"] or self._cluster_else, node_of(text["node"])
        if not text["slot"]:
            refuse("slot is empty")
        slot = slot_name(node, text["slot"])
        lane = lane_of(node, slot, text["instance"])
        if lane is None:
            refuse("instance is empty")
        if not (profile := profile_name(text["profile"])):
            refuse("profile is empty")
        slices = self._slices(cells, text["model"], profile)
        place, instance = slot.removeprefix(f"{node}/"), lane.removeprefix(f"{slot}/")
        return PartitionFact(
            identity=f"{join_key([cluster, node, place, instance])}/{start_s}",
            source=self._source,
            withdrawn=False,
            start_s=start_s,
            end_s=end_s,
            cluster=cluster,
            node=node,
            slot=slot,
            lane=lane,
            uuid=text["uuid"] or None,
            profile=profile,
            compute_slices=slices.compute,
            memory_slices=slices.memory,
        )

    def _slices(self, cells: Cells, model: str, profile: str) -> Slices:
        """The slices that the device says, else those of the table."""
        said = [count(cells) for count in self._counts]
        if all(count is None for count in said):
            found = slices_of(model, profile)
            self.from_the_table += 1
            return found
        compute, memory = said
        if compute is None or memory is None:
            refuse("one of compute_slices and memory_slices is empty", "a device says both")
        if not (1 <= compute <= _MOST_SLICES and 1 <= memory <= _MOST_SLICES):
            refuse(f"slices are not from 1 to {_MOST_SLICES:,}", f"{compute} of compute, {memory} of memory")
        return Slices(compute, memory)
