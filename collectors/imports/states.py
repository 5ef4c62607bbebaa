"""Rows that say what nodes or slots were good for, and when, become states."""

from __future__ import annotations

from collectors.imports.facts import StateFact
from collectors.imports.holdings import interval_of, node_of
from collectors.imports.keys import join_key, slot_name
from collectors.imports.node_words import state_of
from collectors.imports.readings import text_of
from collectors.imports.rows import Cells
from collectors.imports.times import Times
from collectors.imports.track_maps import StateMap
from collectors.imports.words import words_of

__all__ = ["StateReader"]

_EVERY_SLOT = "*"
_TEXTS = ("cluster", "node", "slot", "state", "reason")


class StateReader:
    """Reads rows by one map; `cluster` is what a row belongs to that names none."""

    def __init__(self, column_map: StateMap, times: Times, source: str, cluster: str) -> None:
        nulls, columns = frozenset(column_map.nulls), column_map.columns
        self._source, self._cluster_else = source, cluster
        self._start = times.reading(columns.start, "start", nulls)
        self._end = times.reading_or_open(columns.end, "end", nulls)
        self._text = {name: text_of(getattr(columns, name), nulls) for name in _TEXTS}
        self._state = state_of(words_of(column_map.states))

    def read(self, cells: Cells) -> StateFact:
        """The state of a row; raises `BadRow` when it cannot be right."""
        text = {name: read(cells) for name, read in self._text.items()}
        start_s, end_s = interval_of(self._start(cells), self._end(cells))
        cluster, node = text["cluster"] or self._cluster_else, node_of(text["node"])
        slot = slot_name(node, text["slot"]) if text["slot"] else None
        place = _EVERY_SLOT if slot is None else slot.removeprefix(f"{node}/")
        return StateFact(
            identity=f"{join_key([cluster, node, place])}/{start_s}",
            source=self._source,
            withdrawn=False,
            start_s=start_s,
            end_s=end_s,
            cluster=cluster,
            node=node,
            slot=slot,
            state=self._state(text["state"]),
            reason=text["reason"] or None,
        )
