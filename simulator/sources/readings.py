"""The samples as they were written, row by row, as the cell rule wants them."""

from __future__ import annotations

from collections.abc import Iterator
from math import isnan
from typing import Any

from simulator.truths.cells import Reading

__all__ = ["readings_of"]

_LADDER = (
    ("DCGM_FI_PROF_SM_ACTIVE", 1000),
    ("DCGM_FI_PROF_GR_ENGINE_ACTIVE", 1000),
    ("DCGM_FI_DEV_GPU_UTIL", 10),
)
_PROCESS = ("namespace", "pod", "uid")


def readings_of(source: str, step_s: int, table: Any) -> Iterator[Reading]:
    """What one exporter's table says of the use of whom; rows that say nothing of it are passed over."""
    columns = {name: table[name].to_pylist() for name in table.column_names}
    runs = list(zip(*(columns[name] for name in _PROCESS), strict=True)) if "uid" in columns else []
    ladder = [(columns[name], times) for name, times in _LADDER if name in columns] or [
        (columns["SM_ACTIVE"], 1000)
    ]
    partitions = columns.get("MIG_UUID") or [None] * table.num_rows
    for row, (at_ms, device, partition) in enumerate(
        zip(columns["timestamp"], columns["UUID"], partitions, strict=True)
    ):
        subject = partition or device
        if runs and runs[row][0] is not None:
            subject = "/".join([subject, *runs[row]])
        for rank, (values, times) in enumerate(ladder, 1):
            value = values[row]
            if value is None or isnan(value) or (rank == 3 and subject != device):
                continue
            yield Reading(subject, source, step_s, at_ms // 1000, rank, round(value * times))
            break
