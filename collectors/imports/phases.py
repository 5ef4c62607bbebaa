"""Rows that say what a workload's run was at, and when, become phases."""

from __future__ import annotations

from collectors.imports.facts import PhaseFact
from collectors.imports.holdings import interval_of, key_of, node_of
from collectors.imports.keys import join_key
from collectors.imports.readings import text_of
from collectors.imports.rows import Cells, refuse
from collectors.imports.times import Times
from collectors.imports.track_maps import PhaseMap
from collectors.imports.words import words_of

__all__ = ["PHASES", "PhaseReader"]

PHASES = ("waiting", "warm_up", "running", "draining", "suspended", "lost_work")
"""The phases that have a name here; a source may have others."""

_EVERY_NODE = "*"
_TEXTS = ("cluster", "node", "phase")


class PhaseReader:
    """Reads rows by one map; `cluster` is what a row belongs to that names none."""

    def __init__(self, column_map: PhaseMap, times: Times, source: str, cluster: str) -> None:
        nulls, columns = frozenset(column_map.nulls), column_map.columns
        self._source, self._cluster_else = source, cluster
        self._start = times.reading(columns.start, "start", nulls)
        self._end = times.reading_or_open(columns.end, "end", nulls)
        self._text = {name: text_of(getattr(columns, name), nulls) for name in _TEXTS}
        timed = frozenset((*column_map.run_times, *columns.start.columns))
        self._run = key_of(column_map.run, timed, nulls, "run")
        self._word = words_of(column_map.phases | {phase: phase for phase in PHASES})

    def read(self, cells: Cells) -> PhaseFact:
        """The phase of a row; raises `BadRow` when it cannot be right."""
        text = {name: read(cells) for name, read in self._text.items()}
        start_s, end_s = interval_of(self._start(cells), self._end(cells))
        cluster, run = text["cluster"] or self._cluster_else, self._run(cells)
        node = node_of(text["node"]) if text["node"] else None
        if not text["phase"]:
            refuse("phase is empty")
        return PhaseFact(
            identity=f"{join_key([cluster])}/{run}/{join_key([node or _EVERY_NODE])}/{start_s}",
            source=self._source,
            withdrawn=False,
            start_s=start_s,
            end_s=end_s,
            cluster=cluster,
            node=node,
            run=run,
            phase=self._word(text["phase"]) or text["phase"],
        )
