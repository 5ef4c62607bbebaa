"""Rows that say when a run's work was kept: a checkpoint, after which what it does may be lost."""

from __future__ import annotations

from collectors.imports.facts import PhaseFact
from collectors.imports.holdings import key_of
from collectors.imports.keys import join_key
from collectors.imports.readings import text_of
from collectors.imports.rows import Cells, refuse
from collectors.imports.times import Times
from collectors.imports.track_maps import CheckpointMap

__all__ = ["CHECKPOINT", "CheckpointReader"]

CHECKPOINT = "checkpoint"
_TRACK = "!checkpoint"
"""In the place of a node: no node has that name, so phases and checkpoints never meet in one track."""


class CheckpointReader:
    """Reads rows by one map; `cluster` is what a row belongs to that names none.

    A checkpoint is kept among the phases, as one without length. It is no observation of its day: what is
    lost may begin days before the run ends, and a day of the books reads all facts, but only its own
    observations.
    """

    def __init__(self, column_map: CheckpointMap, times: Times, source: str, cluster: str) -> None:
        nulls, columns = frozenset(column_map.nulls), column_map.columns
        self._source, self._cluster_else = source, cluster
        self._at = times.reading(columns.at, "at", nulls)
        self._cluster = text_of(columns.cluster, nulls)
        self._run = key_of(column_map.run, frozenset(column_map.run_times), nulls, "run")

    def read(self, cells: Cells) -> PhaseFact:
        """The checkpoint of a row; raises `BadRow` when it cannot be right."""
        cluster, run, at_s = self._cluster(cells) or self._cluster_else, self._run(cells), self._at(cells)
        if at_s is None:
            refuse("at is empty")
        return PhaseFact(
            identity=f"{join_key([cluster])}/{run}/{_TRACK}/{at_s}",
            source=self._source,
            withdrawn=False,
            start_s=at_s,
            end_s=at_s,
            cluster=cluster,
            node=None,
            run=run,
            phase=CHECKPOINT,
        )
